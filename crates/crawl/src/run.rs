//! The two ways to drive a crawl.
//!
//! [`run_steps`]: one page at a time on a stepped clock: same corpus, seed and configuration, same order.
//! [`run_live`]: fetchers are tasks of a runtime, page workers are threads, and the calling thread owns frontier,
//! archive and policy. What is in flight is bounded by the owner (it leases no more than `concurrency`), so every
//! queue between them is bounded too. Stopping drains in the order of the data: no new leases, fetches end,
//! pages are read, everything is committed.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use osprey_model::{CanonicalUrl, Exchange, FailureKind, FetchFailure, Request, Response, Source, Timestamp};
use osprey_steer::Judge;
use tokio::runtime::Handle;

use crate::{
    Crawl, CrawlError, Next, Outcome, Report, Settings, StepClock, Stop, Task, VisitRow, understand,
};

/// How long the owner of a live crawl waits at most before it looks at the stop flag again.
const LOOK_UP: Duration = Duration::from_millis(200);

/// Someone who is told of every visit.
pub trait Watch {
    /// A visit was committed.
    fn visit(&mut self, visit: &VisitRow, crawl: &Crawl);

    /// Something else happened, or nothing for a while.
    fn idle(&mut self, _crawl: &Crawl) {}
}

impl Watch for () {
    fn visit(&mut self, _visit: &VisitRow, _crawl: &Crawl) {}
}

/// Crawls one page at a time until a budget ends, nothing is left, or `stop` is set.
pub fn run_steps<S: Source>(
    mut crawl: Crawl,
    source: &S,
    runtime: &Handle,
    clock: &StepClock,
    stop: &AtomicBool,
    watch: &mut dyn Watch,
) -> Result<Report, CrawlError> {
    let (settings, judge) = (crawl.settings(), crawl.judge());
    loop {
        if stop.load(Ordering::Relaxed) {
            return crawl.finish(Stop::Interrupt);
        }
        match crawl.next_step()? {
            Next::Fetch(task) => {
                let exchange = runtime.block_on(source.fetch(Request::new(task.target.clone())));
                let outcome = read(exchange, &settings, &judge);
                if let Some(visit) = crawl.absorb(*task, outcome)? {
                    watch.visit(&visit, &crawl);
                }
            }
            Next::Robots(url) => {
                let answers = runtime.block_on(crate::robots::ask(source, &url, &settings.page_rules.url));
                crawl.absorb_robots(&url, &answers)?;
            }
            Next::Skipped => watch.idle(&crawl),
            Next::Wait(until) => clock.advance_to(until),
            // nothing is ever in flight between two steps, so there is nothing to wait for
            Next::Busy => return crawl.finish(Stop::Empty),
            Next::Stop(reason) => return crawl.finish(reason),
        }
    }
}

/// A page worker's step. A panic in it is a bug of ours, but one page must not stop a crawl: it becomes a failed
/// visit that names the bug.
fn read(exchange: Exchange, settings: &Settings, judge: &Judge) -> Outcome {
    let response = match exchange {
        Exchange::Failed(failure) => return Outcome::Failed(failure),
        Exchange::Answered(response) => response,
    };
    let (url, at) = (response.url.clone(), response.fetched_at);
    let read = || Outcome::Answered(Box::new(understand(response, &settings.page_rules, judge)));
    std::panic::catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| {
        let message = "Osprey failed to understand this page; please report its URL".to_owned();
        Outcome::Failed(FetchFailure { url, kind: FailureKind::Internal, message, at })
    })
}

/// From fetchers to page workers.
type Fetched = (Box<Task>, Exchange);

/// From fetchers and page workers to the owner.
enum News {
    Page(Box<Task>, Outcome),
    Robots(CanonicalUrl, Vec<Response>),
}

/// Crawls with many requests in flight until a budget ends, nothing is left, or `stop` is set.
pub fn run_live<S: Source>(
    mut crawl: Crawl,
    source: &Arc<S>,
    runtime: &Handle,
    stop: &AtomicBool,
    watch: &mut dyn Watch,
) -> Result<Report, CrawlError> {
    let (settings, judge) = (crawl.settings(), crawl.judge());
    let concurrency = settings.concurrency.max(1);
    let (to_workers, fetched) = async_channel::bounded::<Fetched>(concurrency);
    // room for all that can be in flight, so neither fetchers nor workers ever wait for the owner
    let (to_owner, news) = mpsc::sync_channel::<News>(2 * concurrency);

    std::thread::scope(|scope| {
        for _ in 0..settings.page_workers.max(1) {
            let (fetched, to_owner) = (fetched.clone(), to_owner.clone());
            let (settings, judge) = (Arc::clone(&settings), Arc::clone(&judge));
            scope.spawn(move || {
                while let Ok((task, exchange)) = fetched.recv_blocking() {
                    let outcome = read(exchange, &settings, &judge);
                    if to_owner.send(News::Page(task, outcome)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(fetched);
        let fetchers = Fetchers { source, runtime, to_workers, to_owner, flying: 0, concurrency };
        own(&mut crawl, fetchers, &news, stop, watch)
    })
    .and_then(|reason| crawl.finish(reason))
}

/// The owner's hold on its fetchers.
struct Fetchers<'a, S> {
    source: &'a Arc<S>,
    runtime: &'a Handle,
    to_workers: async_channel::Sender<Fetched>,
    to_owner: mpsc::SyncSender<News>,
    flying: usize,
    concurrency: usize,
}

impl<S: Source> Fetchers<'_, S> {
    fn fetch(&mut self, task: Box<Task>) {
        self.flying += 1;
        let (source, to_workers) = (Arc::clone(self.source), self.to_workers.clone());
        self.runtime.spawn(async move {
            let (url, request) = (task.target.url().clone(), Request::new(task.target.clone()));
            // a task of its own: should a source panic, the lease still comes back
            let fetching = tokio::spawn(async move { source.fetch(request).await });
            let exchange = fetching.await.unwrap_or_else(|_| {
                let message = "the source failed; please report this URL".to_owned();
                Exchange::Failed(FetchFailure {
                    url,
                    kind: FailureKind::Internal,
                    message,
                    at: Timestamp::EPOCH,
                })
            });
            // the owner leaves only after all news are in, so someone is there
            let _ = to_workers.send((task, exchange)).await;
        });
    }

    fn ask_robots(&mut self, url: CanonicalUrl, rules: osprey_model::UrlRules) {
        self.flying += 1;
        let (source, to_owner) = (Arc::clone(self.source), self.to_owner.clone());
        self.runtime.spawn(async move {
            let asked = url.clone();
            let asking = tokio::spawn(async move { crate::robots::ask(&*source, &asked, &rules).await });
            let answers = asking.await.unwrap_or_default();
            let _ = to_owner.try_send(News::Robots(url, answers));
        });
    }
}

/// The owner's part: fill up, take in, until the end; then drain.
fn own<S: Source>(
    crawl: &mut Crawl,
    mut fetchers: Fetchers<'_, S>,
    news: &mpsc::Receiver<News>,
    stop: &AtomicBool,
    watch: &mut dyn Watch,
) -> Result<Stop, CrawlError> {
    let mut ended = None;
    loop {
        let mut wait = LOOK_UP;
        if ended.is_none() && stop.load(Ordering::Relaxed) {
            ended = Some(Stop::Interrupt);
        }
        while ended.is_none() && fetchers.flying < fetchers.concurrency {
            match crawl.next_step()? {
                Next::Fetch(task) => fetchers.fetch(task),
                Next::Robots(url) => fetchers.ask_robots(url, crawl.settings.page_rules.url.clone()),
                // look at the stop flag and at the news between two of them
                Next::Skipped => {
                    wait = Duration::ZERO;
                    break;
                }
                Next::Wait(until) => {
                    wait = until.since(crawl.clock.now()).min(LOOK_UP);
                    break;
                }
                Next::Busy => break,
                Next::Stop(reason) => ended = Some(reason),
            }
        }
        if fetchers.flying == 0
            && let Some(reason) = ended
        {
            return Ok(reason);
        }
        match news.recv_timeout(wait) {
            Ok(News::Page(task, outcome)) => {
                fetchers.flying -= 1;
                if let Some(visit) = crawl.absorb(*task, outcome)? {
                    watch.visit(&visit, crawl);
                }
            }
            Ok(News::Robots(url, answers)) => {
                fetchers.flying -= 1;
                crawl.absorb_robots(&url, &answers)?;
            }
            Err(mpsc::RecvTimeoutError::Timeout) => watch.idle(crawl),
            // cannot be while `fetchers` lives; if it were, nobody would bring news any more
            Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(Stop::Interrupt),
        }
    }
}
