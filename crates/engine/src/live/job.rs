//! Background work of a service: a crawl, or indexing.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use osprey_crawl::Stop;

use crate::error::{Context, Result};
use crate::indexing::IndexOptions;
use crate::observe::Control;
use crate::project::Project;
use crate::run::{CrawlOptions, dead_start};
use crate::words::counted;

/// What a job does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    Crawl,
    Index,
}

/// Work under way, or done.
pub(super) struct Job {
    pub(super) work: Work,
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
}

#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    ended: AtomicBool,
    /// How it ended.
    message: Mutex<Option<String>>,
}

impl Job {
    /// Starts work for a project.
    pub(super) fn start(project: Project, work: Work) -> Result<Self> {
        let shared = Arc::new(Shared::default());
        let inner = Arc::clone(&shared);
        let name = match work {
            Work::Crawl => "crawl",
            Work::Index => "index",
        };
        let run = move || {
            let control = Control { stop: &inner.stop, observer: &() };
            let done = match work {
                Work::Crawl => crawl(&project, control),
                Work::Index => index(&project, control),
            };
            let message = done.unwrap_or_else(|error| error.to_string());
            *inner.message.lock().unwrap_or_else(PoisonError::into_inner) = Some(message);
            inner.ended.store(true, Ordering::Release);
        };
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(run).context(name)?;
        Ok(Self { work, shared, thread })
    }

    /// Whether it is over.
    pub(super) fn has_ended(&self) -> bool {
        self.shared.ended.load(Ordering::Acquire)
    }

    /// Whether it was asked to end.
    pub(super) fn is_stopping(&self) -> bool {
        self.shared.stop.load(Ordering::Relaxed)
    }

    /// How it ended; `None` while it goes on.
    pub(super) fn message(&self) -> Option<String> {
        self.shared.message.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends it soon.
    pub(super) fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }

    /// Ends it and waits for that.
    pub(super) fn end(self) {
        self.stop();
        let _ = self.thread.join();
    }
}

fn crawl(project: &Project, control: Control<'_>) -> Result<String> {
    let report = project.crawl(&CrawlOptions::default(), control)?;
    if let Some(why) = dead_start(&report) {
        return Ok(format!("the start failed: {why}"));
    }
    let why = match report.stopped_by {
        Stop::Interrupt => "stopped; start again to resume",
        _ => report.why_stopped(),
    };
    let notices: String = report.notices.iter().map(|notice| format!("; {notice}")).collect();
    Ok(format!("{} in this run: {why}{notices}", counted(report.this_run, "page")))
}

fn index(project: &Project, control: Control<'_>) -> Result<String> {
    let indexed = project.index(&IndexOptions::default(), control)?;
    Ok(format!("{} indexed", counted(indexed.documents, "document")))
}
