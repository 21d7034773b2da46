//! A crawl that follows nothing and fetches what it is asked for, one request at a time.
//!
//! It is for those who want single pages of a live site as a crawl would fetch them: by the same robots rules, at the pace of
//! the host with its rests and second tries, archived, and never twice. What is asked for waits in the frontier like any
//! link, so a request that a kill or the end of a run has cut off is made by the next run that asks.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use osprey_frontier::{Initial, LinkState, NewLink};
use osprey_model::{
    BodyEnd, CanonicalUrl, Exchange, FailureKind, FetchFailure, GroupId, Headers, LinkScore, Request,
    Response, Scope, Source,
};
use tokio::runtime::Handle;

use crate::inspect::visit_of;
use crate::robots::stored_answer;
use crate::rows::encode;
use crate::run::{Ask, DRAIN, LOOK_UP, read};
use crate::start::is_unreachable;
use crate::{
    BlockNote, Budget, Crawl, CrawlError, LinkNote, Next, PictureRules, Reader, Report, Settings, Skip, Stop,
    VisitRow,
};

/// The level of a sitemap whose own sitemaps are not followed.
const LAST_SITEMAP: u8 = 2;

/// A crawl that fetches what it is asked for.
pub struct OnDemand<S> {
    crawl: Crawl,
    reader: Arc<Reader>,
    source: Arc<S>,
    runtime: Handle,
}

/// What came of asking for something.
#[derive(Debug)]
pub enum Supply {
    /// This.
    Exchange(Box<Exchange>),
    /// The caller's flag was set first.
    Stopped,
    /// The host rests for longer than a crawl waits, in words.
    Unavailable(String),
}

/// How a crawl that follows nothing is set up, with the rest as in `settings`.
pub fn settings_on_demand(settings: &Settings, anywhere: Scope) -> Settings {
    let mut own = settings.clone();
    own.budget = Budget { depth: Some(0), ..Budget::default() };
    own.stop_below = None;
    own.look_at = None;
    own.pictures = PictureRules::none();
    own.max_redirects = 0;
    own.sitemaps = false;
    own.concurrency = 1;
    own.frontier.host_budget = None;
    // who asks has looked at the URL, and what it brings says nothing about others
    own.traps.keep = Some(anywhere.clone());
    own.scope = anywhere;
    own
}

impl<S: Source> OnDemand<S> {
    /// With a crawl of [`settings_on_demand`]; whatever its policy places is too deep.
    pub fn new(crawl: Crawl, source: Arc<S>, runtime: Handle) -> Self {
        let reader = crawl.reader();
        Self { crawl, reader, source, runtime }
    }

    /// What is known of `ask` already: an answer that was fetched, or why there is none.
    pub fn stored(&self, ask: &Ask) -> Result<Option<Exchange>, CrawlError> {
        let url = ask.request.target.url();
        if ask.request.target.is_robots() {
            // where robots.txt redirects, its rules are those of the page all the same
            let stored = stored_answer(self.crawl.ledger.frontier(), &ask.page)?;
            let rules = stored.filter(|(status, _)| *status >= 100 && !is_unreachable(*status));
            return Ok(rules.map(|(status, body)| Exchange::Answered(self.plain(url, status, body.into()))));
        }
        let Some(info) = self.crawl.ledger.frontier().lookup(url)? else { return Ok(None) };
        if let Some(row) = visit_of(self.crawl.ledger.frontier(), info.id)? {
            return Ok(Some(self.exchange(url, &row)));
        }
        Ok(match info.state {
            LinkState::Dropped(code) | LinkState::Refused(code) => {
                let reason = Skip::from_code(code).map_or("skipped", Skip::words);
                Some(self.failure(url, FailureKind::Refused, reason.to_owned()))
            }
            _ => None,
        })
    }

    /// Fetches what is asked for, unless it was; `whom` it is for is kept with the visit.
    pub fn fetch(&mut self, ask: &Ask, whom: &str, stop: &AtomicBool) -> Result<Supply, CrawlError> {
        let mut is_added = false;
        let mut stopped_at: Option<Instant> = None;
        loop {
            if let Some(exchange) = self.stored(ask)? {
                return Ok(Supply::Exchange(Box::new(exchange)));
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(Supply::Stopped);
            }
            if ask.request.target.is_robots() && self.is_settled(&ask.page)? {
                // the page went without its rules: they never came
                let message = "robots.txt could not be fetched".to_owned();
                let url = ask.request.target.url();
                return Ok(Supply::Exchange(Box::new(self.failure(url, FailureKind::Connect, message))));
            }
            if !is_added {
                self.add(&ask.page, ask.is_sitemap, whom)?;
                is_added = true;
            }
            match self.crawl.next_step()? {
                Next::Fetch(task) => {
                    let Some(exchange) = self.ask(task.request(), stop, &mut stopped_at) else {
                        return Ok(Supply::Stopped);
                    };
                    let outcome = read(exchange, task.work(), &self.reader);
                    self.crawl.absorb(*task, outcome)?;
                }
                Next::Robots(task) => {
                    let Some(exchange) = self.ask(Request::new(task.target.clone()), stop, &mut stopped_at)
                    else {
                        return Ok(Supply::Stopped);
                    };
                    self.crawl.absorb_robots(&task, exchange)?;
                }
                Next::Locate(host) => {
                    let work = self.source.locate(&host);
                    let Some(address) = self.runtime.block_on(unless_stopped(work, stop, &mut stopped_at))
                    else {
                        return Ok(Supply::Stopped);
                    };
                    self.crawl.absorb_address(&host, address);
                }
                Next::Skipped => {}
                Next::Wait(until) => {
                    std::thread::sleep(until.since(self.crawl.clock.now()).min(LOOK_UP));
                }
                Next::Busy | Next::Stop(_) => {
                    return Ok(match self.stored(ask)? {
                        Some(exchange) => Supply::Exchange(Box::new(exchange)),
                        None => Supply::Unavailable(self.crawl.idle().to_string()),
                    });
                }
            }
        }
    }

    fn ask(&self, request: Request, stop: &AtomicBool, stopped_at: &mut Option<Instant>) -> Option<Exchange> {
        self.runtime.block_on(unless_stopped(self.source.fetch(request), stop, stopped_at))
    }

    /// Lets a URL wait, if it is new.
    fn add(&mut self, url: &CanonicalUrl, is_sitemap: bool, whom: &str) -> Result<(), CrawlError> {
        if self.crawl.ledger.frontier().contains(url) {
            return Ok(());
        }
        let parts = vec![(whom.to_owned(), 1.0)];
        let payload = encode("link", &LinkNote { parts, ..LinkNote::default() })?;
        let (group, own, state) = (GroupId::ALL, LinkScore::ONE, Initial::Waiting);
        let sitemaps = if is_sitemap { LAST_SITEMAP } else { 0 };
        let link = NewLink { url, group, own, payload: &payload, state };
        self.crawl.ledger.add_link(link, &BlockNote { sitemaps, ..BlockNote::default() })
    }

    fn is_settled(&self, url: &CanonicalUrl) -> Result<bool, CrawlError> {
        let info = self.crawl.ledger.frontier().lookup(url)?;
        Ok(info.is_some_and(|info| info.state.is_over()))
    }

    /// What a visit brought.
    fn exchange(&self, url: &CanonicalUrl, row: &VisitRow) -> Exchange {
        let archived = row.archived.and_then(|at| self.crawl.ledger.answer_at(at, Some(&row.url)));
        if let Some(response) = archived {
            return Exchange::Answered(response);
        }
        let note = row.notes.first().map(String::as_str).unwrap_or_default();
        let (kind, message) = note.split_once(": ").unwrap_or(("", note));
        let kind = FailureKind::named(kind).unwrap_or(FailureKind::Recording);
        self.failure(url, kind, message.to_owned())
    }

    fn failure(&self, url: &CanonicalUrl, kind: FailureKind, message: String) -> Exchange {
        Exchange::Failed(FetchFailure { url: url.clone(), kind, message, at: self.crawl.clock.now() })
    }

    fn plain(&self, url: &CanonicalUrl, status: u16, body: Bytes) -> Response {
        Response {
            url: url.clone(),
            status,
            headers: Headers::default(),
            body,
            fetched_at: self.crawl.clock.now(),
            took: Duration::ZERO,
            truncated: false,
            body_end: BodyEnd::Whole,
            ip: None,
            request_head: Bytes::new(),
            note: None,
        }
    }

    /// The crawl, to look at.
    pub fn crawl(&self) -> &Crawl {
        &self.crawl
    }

    /// Commits what is left and closes the stores.
    pub fn finish(self) -> Result<Report, CrawlError> {
        self.crawl.finish(Stop::Interrupt)
    }
}

/// What a source brings; `None` if the user has asked to stop and it has not come within the time that is left to it then.
async fn unless_stopped<T>(
    work: impl Future<Output = T>,
    stop: &AtomicBool,
    stopped_at: &mut Option<Instant>,
) -> Option<T> {
    let mut work = pin!(work);
    loop {
        if let Ok(done) = tokio::time::timeout(LOOK_UP, &mut work).await {
            return Some(done);
        }
        if stop.load(Ordering::Relaxed) && stopped_at.get_or_insert_with(Instant::now).elapsed() >= DRAIN {
            return None;
        }
    }
}
