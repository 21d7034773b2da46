//! Background work of a service: a crawl, indexing, or both together.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use osprey_crawl::{Report, Stop};

use crate::collect::Collected;
use crate::error::{Context, Error, Result};
use crate::indexing::IndexOptions;
use crate::observe::{Control, Observer};
use crate::project::Project;
use crate::run::{CrawlOptions, dead_start};
use crate::words::counted;

/// What a job does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    Crawl,
    Index,
    /// A crawl and its index: [`Project::collect`].
    Collect,
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
    /// The same for who asked for a collection, until it is taken.
    collected: Mutex<Option<Result<Collected>>>,
}

impl Job {
    /// Starts work for a project, watched by `observer`.
    pub(super) fn start(project: Project, work: Work, observer: Arc<dyn Observer>) -> Result<Self> {
        let shared = Arc::new(Shared::default());
        let inner = Arc::clone(&shared);
        let name = match work {
            Work::Crawl => "crawl",
            Work::Index => "index",
            Work::Collect => "collect",
        };
        let run = move || {
            let control = Control { stop: &inner.stop, observer: &*observer };
            let done = match work {
                Work::Crawl => crawl(&project, control),
                Work::Index => index(&project, control),
                Work::Collect => {
                    let collected = project.collect(control);
                    let message = match &collected {
                        Ok(collected) => Ok(crawled(&collected.report)),
                        Err(error) => Ok(error.to_string()),
                    };
                    *lock(&inner.collected) = Some(collected);
                    message
                }
            };
            let message = done.unwrap_or_else(|error| error.to_string());
            *lock(&inner.message) = Some(message);
            inner.ended.store(true, Ordering::Release);
        };
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(run).context(name)?;
        Ok(Self { work, shared, thread })
    }

    /// Whether it is over.
    pub(super) fn has_ended(&self) -> bool {
        self.shared.ended.load(Ordering::Acquire) || self.thread.is_finished()
    }

    /// Whether it was asked to end.
    pub(super) fn is_stopping(&self) -> bool {
        self.shared.stop.load(Ordering::Relaxed)
    }

    /// How it ended; `None` while it goes on.
    pub(super) fn message(&self) -> Option<String> {
        lock(&self.shared.message).clone()
    }

    /// What was collected, once it has ended; the first who asks gets it.
    pub(super) fn collected(&self) -> Option<Result<Collected>> {
        let lost = || Err(Error::failed("the crawl failed; please report this"));
        self.has_ended().then(|| lock(&self.shared.collected).take().unwrap_or_else(lost))
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn crawl(project: &Project, control: Control<'_>) -> Result<String> {
    Ok(crawled(&project.crawl(&CrawlOptions::default(), control)?))
}

/// How a crawl ended, in words.
fn crawled(report: &Report) -> String {
    if let Some(why) = dead_start(report) {
        return format!("the start failed: {why}");
    }
    let why = match report.stopped_by {
        Stop::Interrupt => "stopped; start again to resume",
        _ => report.why_stopped(),
    };
    let notices: String = report.notices.iter().map(|notice| format!("; {notice}")).collect();
    format!("{} in this run: {why}{notices}", counted(report.this_run, "page"))
}

fn index(project: &Project, control: Control<'_>) -> Result<String> {
    let indexed = project.index(&IndexOptions::default(), control)?;
    Ok(format!("{} indexed", counted(indexed.documents, "document")))
}
