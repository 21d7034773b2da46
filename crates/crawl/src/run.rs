//! The two ways to drive a crawl.
//!
//! [`run_steps`]: one page at a time on a stepped clock: same corpus, random seed and configuration, same order.
//! [`run_live`]: fetchers are tasks of a runtime, page workers are threads, and the calling thread owns frontier,
//! archive and policy. What is in flight is bounded by the owner (it leases no more than `concurrency`), so every
//! queue between them is bounded too. Stopping drains in the order of the data: no new leases, fetches end (or are left
//! to the next run), pages are read, everything is committed.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use osprey_model::{CanonicalUrl, Exchange, FailureKind, FetchFailure, HostKey, Request, Source, Timestamp};
use tokio::runtime::Handle;
use tokio::task::JoinSet;

use crate::{
    Crawl, CrawlError, Next, Outcome, Reader, Report, RobotsTask, StepClock, Stop, Task, VisitRow, Work,
    parse_response,
};

/// How long the owner of a live crawl waits at most before it looks at the stop flag again.
pub(crate) const LOOK_UP: Duration = Duration::from_millis(200);
/// How long requests in flight may take to end once the user has asked to stop. What is not back by then is fetched again
/// by the next run.
pub(crate) const DRAIN: Duration = Duration::from_secs(10);

/// Receives every visit.
pub trait Watch {
    /// A visit was committed.
    fn visit(&mut self, visit: &VisitRow);

    /// Between two visits, often: how does it stand?
    fn idle(&mut self, _crawl: &mut Crawl) {}
}

impl Watch for () {
    fn visit(&mut self, _visit: &VisitRow) {}
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
    let reader = crawl.reader();
    let mut fetch = |ask: Ask| Some(runtime.block_on(source.fetch(ask.request)));
    let mut locate = |host: &HostKey| runtime.block_on(source.locate(host));
    loop {
        if stop.load(Ordering::Relaxed) {
            return crawl.finish(Stop::Interrupt);
        }
        let is_step = match step(&mut crawl, &reader, clock, &mut fetch, &mut locate)? {
            Step::Visit(visit) => {
                watch.visit(&visit);
                true
            }
            Step::Fetched | Step::Skipped => true,
            Step::Other | Step::Unanswered => false,
            Step::End(reason) => return crawl.finish(reason),
        };
        if is_step {
            watch.idle(&mut crawl);
        }
    }
}

/// What a crawl asks a source for.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The request.
    pub request: Request,
    /// The page that it is for: another than is requested if that is its robots.txt.
    pub page: CanonicalUrl,
    /// Whether that page is a sitemap.
    pub is_sitemap: bool,
}

/// What a step came to.
enum Step {
    /// A visit was committed.
    Visit(Box<VisitRow>),
    /// A page was fetched that will be tried again, or a picture.
    Fetched,
    /// A link was settled or put off without a request.
    Skipped,
    /// Rules, an address, the clock.
    Other,
    /// There was no answer to be had; nothing has changed.
    Unanswered,
    /// The end.
    End(Stop),
}

/// One step of a crawl whose source answers at once.
fn step(
    crawl: &mut Crawl,
    reader: &Reader,
    clock: &StepClock,
    fetch: &mut dyn FnMut(Ask) -> Option<Exchange>,
    locate: &mut dyn FnMut(&HostKey) -> Option<IpAddr>,
) -> Result<Step, CrawlError> {
    Ok(match crawl.next_step()? {
        Next::Fetch(task) => {
            let (page, is_sitemap) = (task.target.url().clone(), task.work() == Work::Sitemap);
            let Some(exchange) = fetch(Ask { request: task.request(), page, is_sitemap }) else {
                return Ok(Step::Unanswered);
            };
            let outcome = read(exchange, task.work(), reader);
            crawl.absorb(*task, outcome)?.map_or(Step::Fetched, |visit| Step::Visit(Box::new(visit)))
        }
        Next::Robots(task) => {
            let (request, page) = (Request::new(task.target.clone()), task.home.clone());
            let Some(exchange) = fetch(Ask { request, page, is_sitemap: false }) else {
                return Ok(Step::Unanswered);
            };
            crawl.absorb_robots(&task, exchange)?;
            Step::Other
        }
        Next::Locate(host) => {
            let address = locate(&host);
            crawl.absorb_address(&host, address);
            Step::Other
        }
        Next::Skipped => Step::Skipped,
        Next::Wait(until) => {
            clock.advance_to(until);
            Step::Other
        }
        // nothing is ever in flight between two steps, so there is nothing to wait for
        Next::Busy => Step::End(Stop::Empty),
        Next::Stop(reason) => Step::End(reason),
    })
}

/// A crawl of one page at a time that can be put aside between two visits. Its source answers at once and always the same.
pub struct Stepwise {
    crawl: Crawl,
    reader: Arc<Reader>,
    clock: Arc<StepClock>,
}

/// Why a crawl was put aside.
#[derive(Debug)]
pub enum Halt {
    /// It has had its visits.
    Visits,
    /// An answer could not be had; the request is made again when it goes on.
    Unanswered,
    /// It is over.
    End(Stop),
}

impl Stepwise {
    /// A crawl that was opened with this clock.
    pub fn new(crawl: Crawl, clock: Arc<StepClock>) -> Self {
        let reader = crawl.reader();
        Self { crawl, reader, clock }
    }

    /// Goes on until it has had so many visits over all runs, with answers from `fetch`.
    pub fn run_to(
        &mut self,
        visits: u64,
        fetch: &mut dyn FnMut(Ask) -> Option<Exchange>,
        watch: &mut dyn Watch,
    ) -> Result<Halt, CrawlError> {
        while self.crawl.tally().visited < visits {
            match step(&mut self.crawl, &self.reader, &self.clock, fetch, &mut |_| None)? {
                Step::Visit(visit) => watch.visit(&visit),
                Step::Unanswered => return Ok(Halt::Unanswered),
                Step::End(reason) => return Ok(Halt::End(reason)),
                Step::Fetched | Step::Skipped | Step::Other => {}
            }
        }
        Ok(Halt::Visits)
    }

    /// The crawl, to look at.
    pub fn crawl(&self) -> &Crawl {
        &self.crawl
    }

    /// All visits in order.
    pub fn visits(&self) -> impl Iterator<Item = Result<VisitRow, CrawlError>> {
        self.crawl.visits()
    }

    /// Commits what is left, closes the stores and reports.
    pub fn finish(self, stopped_by: Stop) -> Result<Report, CrawlError> {
        self.crawl.finish(stopped_by)
    }
}

/// A page worker's step. A panic in it is a bug of ours, but one page must not stop a crawl: it becomes a failed
/// visit that names the bug.
pub(crate) fn read(exchange: Exchange, work: Work, reader: &Reader) -> Outcome {
    let response = match exchange {
        Exchange::Failed(failure) => return Outcome::Failed(failure),
        Exchange::Answered(response) => response,
    };
    let (url, at) = (response.url.clone(), response.fetched_at);
    let read = || Outcome::Answered(Box::new(parse_response(response, work, reader)));
    std::panic::catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| {
        let message = "Osprey failed to parse this page; please report its URL".to_owned();
        Outcome::Failed(FetchFailure { url, kind: FailureKind::Internal, message, at })
    })
}

/// From fetchers to page workers.
type Fetched = (Box<Task>, Exchange);

/// From fetchers and page workers to the owner.
enum News {
    Page(Box<Task>, Outcome),
    Robots(Box<RobotsTask>, Exchange),
    Address(HostKey, Option<IpAddr>),
}

/// Crawls with many requests in flight until a budget ends, nothing is left, or `stop` is set.
pub fn run_live<S: Source>(
    mut crawl: Crawl,
    source: &Arc<S>,
    runtime: &Handle,
    stop: &AtomicBool,
    watch: &mut dyn Watch,
) -> Result<Report, CrawlError> {
    let (settings, reader) = (crawl.settings(), crawl.reader());
    let concurrency = settings.concurrency.max(1);
    let (to_workers, fetched) = async_channel::bounded::<Fetched>(concurrency);
    // room for all that can be in flight, so neither fetchers nor workers ever wait for the owner
    let (to_owner, news) = mpsc::sync_channel::<News>(2 * concurrency);

    std::thread::scope(|scope| {
        for _ in 0..settings.page_workers.max(1) {
            let (fetched, to_owner) = (fetched.clone(), to_owner.clone());
            let reader = Arc::clone(&reader);
            scope.spawn(move || {
                while let Ok((task, exchange)) = fetched.recv_blocking() {
                    let outcome = read(exchange, task.work(), &reader);
                    if to_owner.send(News::Page(task, outcome)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(fetched);
        let tasks = JoinSet::new();
        let fetchers = Fetchers { source, runtime, to_workers, to_owner, tasks, flying: 0, concurrency };
        Owner { crawl: &mut crawl, fetchers, news: &news, stop, watch, ended: None }.own()
    })
    .and_then(|reason| crawl.finish(reason))
}

/// The owner's hold on its fetchers. Dropping it ends them.
struct Fetchers<'a, S> {
    source: &'a Arc<S>,
    runtime: &'a Handle,
    to_workers: async_channel::Sender<Fetched>,
    to_owner: mpsc::SyncSender<News>,
    tasks: JoinSet<()>,
    flying: usize,
    concurrency: usize,
}

impl<S: Source> Fetchers<'_, S> {
    fn fetch(&mut self, task: Box<Task>, at: Timestamp) {
        let (source, to_workers) = (Arc::clone(self.source), self.to_workers.clone());
        self.start(async move {
            let (url, request) = (task.target.url().clone(), task.request());
            let exchange = guarded(async move { source.fetch(request).await }).await;
            // the owner leaves only after all news are in, so someone is there
            let _ = to_workers.send((task, exchange.unwrap_or_else(|| broken(url, at)))).await;
        });
    }

    fn ask_robots(&mut self, task: Box<RobotsTask>, at: Timestamp) {
        let (source, to_owner) = (Arc::clone(self.source), self.to_owner.clone());
        self.start(async move {
            let (url, request) = (task.target.url().clone(), Request::new(task.target.clone()));
            let exchange = guarded(async move { source.fetch(request).await }).await;
            let _ = to_owner.try_send(News::Robots(task, exchange.unwrap_or_else(|| broken(url, at))));
        });
    }

    fn locate(&mut self, host: HostKey) {
        let (source, to_owner) = (Arc::clone(self.source), self.to_owner.clone());
        self.start(async move {
            let wanted = host.clone();
            let address = guarded(async move { source.locate(&wanted).await }).await.flatten();
            let _ = to_owner.try_send(News::Address(host, address));
        });
    }

    fn start(&mut self, work: impl Future<Output = ()> + Send + 'static) {
        self.flying += 1;
        while self.tasks.try_join_next().is_some() {}
        self.tasks.spawn_on(work, self.runtime);
    }
}

/// Runs a source's work in a task of its own, so that a lease comes back even if the source panics; ends it when dropped.
async fn guarded<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Option<T> {
    let mut task = JoinSet::new();
    task.spawn(work);
    task.join_next().await.and_then(Result::ok)
}

fn broken(url: CanonicalUrl, at: Timestamp) -> Exchange {
    let message = "the source failed; please report this URL".to_owned();
    Exchange::Failed(FetchFailure { url, kind: FailureKind::Internal, message, at })
}

/// The thread that owns the crawl.
struct Owner<'a, S> {
    crawl: &'a mut Crawl,
    fetchers: Fetchers<'a, S>,
    news: &'a mpsc::Receiver<News>,
    stop: &'a AtomicBool,
    watch: &'a mut dyn Watch,
    /// Why no new requests are made, and since when.
    ended: Option<(Stop, Instant)>,
}

impl<S: Source> Owner<'_, S> {
    /// Fill up, take in, until the end; then drain.
    fn own(mut self) -> Result<Stop, CrawlError> {
        loop {
            if !matches!(self.ended, Some((Stop::Interrupt, _))) && self.stop.load(Ordering::Relaxed) {
                self.ended = Some((Stop::Interrupt, Instant::now()));
            }
            let wait = if self.ended.is_none() { self.fill()? } else { LOOK_UP };
            if let Some((reason, since)) = self.ended
                && (self.fetchers.flying == 0 || (reason == Stop::Interrupt && since.elapsed() >= DRAIN))
            {
                return Ok(reason);
            }
            // now that all that can be asked is asked, what is left is what is waited for
            self.watch.idle(self.crawl);
            match self.news.recv_timeout(wait) {
                Ok(news) => {
                    self.take(news)?;
                    // whatever else has come: one look at the frontier serves all
                    for _ in 1..self.fetchers.concurrency {
                        let Ok(news) = self.news.try_recv() else { break };
                        self.take(news)?;
                    }
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                // cannot be while `fetchers` lives; if it were, no news would come any more
                Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(Stop::Interrupt),
            }
        }
    }

    /// Starts requests until all places are taken or nothing is ready. Returns how long to wait for news at most.
    fn fill(&mut self) -> Result<Duration, CrawlError> {
        while self.fetchers.flying < self.fetchers.concurrency {
            match self.crawl.next_step()? {
                Next::Fetch(task) => self.fetchers.fetch(task, self.crawl.clock.now()),
                Next::Robots(task) => self.fetchers.ask_robots(task, self.crawl.clock.now()),
                Next::Locate(host) => self.fetchers.locate(host),
                // look at the stop flag and at the news between two of them
                Next::Skipped => return Ok(Duration::ZERO),
                Next::Wait(until) => return Ok(until.since(self.crawl.clock.now()).min(LOOK_UP)),
                Next::Busy => break,
                Next::Stop(reason) => {
                    self.ended = Some((reason, Instant::now()));
                    break;
                }
            }
        }
        Ok(LOOK_UP)
    }

    fn take(&mut self, news: News) -> Result<(), CrawlError> {
        self.fetchers.flying -= 1;
        match news {
            News::Page(task, outcome) => {
                if let Some(visit) = self.crawl.absorb(*task, outcome)? {
                    self.watch.visit(&visit);
                }
            }
            News::Robots(task, exchange) => self.crawl.absorb_robots(&task, exchange)?,
            News::Address(host, address) => self.crawl.absorb_address(&host, address),
        }
        Ok(())
    }
}
