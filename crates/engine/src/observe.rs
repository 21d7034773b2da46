//! Events of long work, and how to stop it.
//!
//! The library prints nothing. The caller passes a [`Control`]: an [`Observer`] that receives [`Event`]s, and a flag
//! that ends the work soon, with everything done so far committed.

use std::sync::atomic::{AtomicBool, Ordering};

use osprey_crawl::{Progress, VisitRow};

/// Something that happened.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A remark that people should see.
    Note(&'a str),
    /// How long the work that begins will take, for people who wait for it.
    Estimate(&'a str),
    /// A remark for those who want to know more.
    Detail(&'a str),
    /// A URL was fetched.
    Visit(&'a VisitRow),
    /// The state of a crawl; about ten times a second, for observers that want it.
    Crawl(&'a Progress),
    /// How far other work has come.
    Work {
        /// What is counted: pages, pictures.
        noun: &'a str,
        /// So many are done.
        done: u64,
        /// Of so many.
        total: u64,
    },
    /// The crawl or the work that was counted is over.
    End,
}

/// Receives events, on whichever thread they happen. `()` ignores them.
pub trait Observer: Send + Sync {
    /// Something happened.
    fn event(&self, event: &Event<'_>);

    /// Whether [`Event::Crawl`] is wanted: it costs a little.
    fn wants_progress(&self) -> bool {
        false
    }
}

impl Observer for () {
    fn event(&self, _: &Event<'_>) {}
}

/// Who watches work, and whether it should stop.
#[derive(Clone, Copy)]
pub struct Control<'a> {
    /// Set it, and the work ends soon.
    pub stop: &'a AtomicBool,
    /// Receives the events.
    pub observer: &'a dyn Observer,
}

impl Control<'_> {
    /// Says something to people.
    pub(crate) fn note(&self, text: impl AsRef<str>) {
        tracing::info!(target: "osprey::note", "{}", text.as_ref());
        self.observer.event(&Event::Note(text.as_ref()));
    }

    /// Says how long the work will take.
    pub(crate) fn estimate(&self, text: impl AsRef<str>) {
        self.observer.event(&Event::Estimate(text.as_ref()));
    }

    /// Says something to those who want to know more.
    pub(crate) fn detail(&self, text: impl AsRef<str>) {
        self.observer.event(&Event::Detail(text.as_ref()));
    }

    /// Says how far work has come.
    pub(crate) fn work(&self, noun: &str, done: u64, total: u64) {
        self.observer.event(&Event::Work { noun, done, total });
    }

    /// The work that was counted is over.
    pub(crate) fn end(&self) {
        self.observer.event(&Event::End);
    }

    /// Whether the work should stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
