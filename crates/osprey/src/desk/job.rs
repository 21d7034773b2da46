//! What runs in a project: a crawl or indexing, on a thread of its own.
//!
//! A crawl is told what to do by flags, and asked by questions that its thread answers between two pages, because the
//! stores are its own. Paused, it stays where it is and answers questions; what was in flight is taken in when it goes on.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::Context;
use osprey_crawl::{Crawl, CrawlError, Stop, VisitRow, Watch};
use osprey_server::{CrawlView, Doing, Trouble};
use osprey_steer::PolicyKind;

use super::live::{self, Journal, SAMPLE};
use crate::cli::Global;
use crate::commands;
use crate::indexing::index_project;
use crate::output::Output;
use crate::progress::{Rate, grouped};
use crate::project::Project;

/// How often figures are made anew.
const REFRESH: Duration = Duration::from_millis(500);
/// How often it is told again where waiting links lead.
const EXPECT: Duration = Duration::from_secs(5);
/// Visits that are caught up with at a time.
const CATCH_UP: u64 = 1000;
/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often a paused crawl looks up.
const LOOK_UP: Duration = Duration::from_millis(50);

/// Something to be asked of a crawl by its own thread.
type Question = Box<dyn FnOnce(&Crawl) + Send>;

/// What runs, seen from outside.
pub(super) struct Job {
    shared: Arc<Shared>,
    questions: Option<Sender<Question>>,
    thread: JoinHandle<()>,
}

struct Shared {
    stop: AtomicBool,
    paused: AtomicBool,
    ended: AtomicBool,
    view: Mutex<CrawlView>,
}

impl Shared {
    fn new(view: CrawlView) -> Arc<Self> {
        let flag = || AtomicBool::new(false);
        Arc::new(Self { stop: flag(), paused: flag(), ended: flag(), view: Mutex::new(view) })
    }

    fn view(&self) -> MutexGuard<'_, CrawlView> {
        self.view.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The job has ended, with these words.
    fn end(&self, message: String) {
        let mut view = self.view();
        view.message = Some(message);
        view.rate = 0.0;
        self.ended.store(true, Ordering::Release);
    }
}

fn silent() -> Output {
    Output::new(&Global { json: false, quiet: true, verbose: 0 })
}

impl Job {
    /// Starts or resumes the crawl of a project.
    pub(super) fn crawl(
        dir: &Path,
        policy: Option<&str>,
        budget: Option<u64>,
        view: CrawlView,
    ) -> anyhow::Result<Self> {
        if let Some(name) = policy.filter(|name| PolicyKind::named(name).is_none()) {
            let message = format!("policy `{name}`; there are {}", PolicyKind::NAMES.join(", "));
            return Err(crate::cli::UsageError(message).into());
        }
        let project = Project::open(dir, |config| config.override_crawl(policy, budget))?;
        let shared = Shared::new(CrawlView { doing: Doing::Crawls, ..live::planned(view, &project) });
        let (questions, asked) = mpsc::channel();
        let inner = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("crawl".to_owned()).spawn(move || {
            let message = match crawl(&project, &inner, asked) {
                Ok(message) => message,
                Err(error) => format!("{error:#}"),
            };
            inner.end(message);
        })?;
        Ok(Self { shared, questions: Some(questions), thread })
    }

    /// Makes what was fetched searchable.
    pub(super) fn index(dir: &Path, view: CrawlView) -> anyhow::Result<Self> {
        let project = Project::open(dir, |_| {})?;
        let shared = Shared::new(CrawlView { doing: Doing::Indexes, message: None, ..view });
        let inner = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("index".to_owned()).spawn(move || {
            let message = match index_project(&project, &inner.stop, &silent()) {
                Ok(indexed) => format!("{} documents indexed", grouped(indexed.documents)),
                Err(error) => format!("{error:#}"),
            };
            inner.end(message);
        })?;
        Ok(Self { shared, questions: None, thread })
    }

    /// How it stands.
    pub(super) fn view(&self) -> CrawlView {
        let view = self.shared.view().clone();
        let doing = match (view.doing, self.shared.stop.load(Ordering::Relaxed)) {
            (Doing::Crawls, true) => Doing::Stopping,
            (Doing::Crawls, false) if self.shared.paused.load(Ordering::Relaxed) => Doing::Paused,
            (doing, _) => doing,
        };
        let rate = if doing == Doing::Paused { 0.0 } else { view.rate };
        CrawlView { doing, rate, ..view }
    }

    /// Whether it is over.
    pub(super) fn has_ended(&self) -> bool {
        self.shared.ended.load(Ordering::Acquire)
    }

    /// Stops or goes on for a while.
    pub(super) fn pause(&self, paused: bool) -> Result<(), Trouble> {
        if self.questions.is_none() {
            return Err(Trouble::Busy("indexing cannot be paused".to_owned()));
        }
        self.shared.paused.store(paused, Ordering::Relaxed);
        Ok(())
    }

    /// Ends it soon.
    pub(super) fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }

    /// Ends it and waits for that.
    pub(super) fn end(self) {
        self.stop();
        drop(self.questions);
        let _ = self.thread.join();
    }
}

/// Asks the crawl that runs; `None` if none does. The answer does not come if the crawl ends first.
pub(super) fn ask<T: Send + 'static>(
    job: &Option<Job>,
    question: impl FnOnce(&Crawl) -> Result<T, CrawlError> + Send + 'static,
) -> Option<Receiver<Result<T, CrawlError>>> {
    let job = job.as_ref().filter(|job| !job.has_ended())?;
    let (answer, answered) = mpsc::channel();
    let send = move |crawl: &Crawl| {
        // whoever asked may have gone
        let _ = answer.send(question(crawl));
    };
    job.questions.as_ref()?.send(Box::new(send)).ok()?;
    Some(answered)
}

/// The answer of a crawl, when it comes.
pub(super) fn answered<T>(answer: &Receiver<Result<T, CrawlError>>) -> anyhow::Result<T> {
    Ok(answer.recv_timeout(PATIENCE).context("the crawl has just ended or is busy; try again")??)
}

/// Runs a crawl to its end; what to say of it.
fn crawl(project: &Project, shared: &Shared, asked: Receiver<Question>) -> anyhow::Result<String> {
    let mut witness = Witness {
        shared,
        asked,
        journal: Journal::default(),
        visited: 0,
        shown: None,
        expected: None,
        rate: Rate::default(),
    };
    let report = commands::crawl::crawl(project, None, &shared.stop, &silent(), &mut witness)?;
    let why = match report.stopped_by {
        Stop::Budget => "the budget is used up",
        Stop::Empty => "nothing is left to fetch",
        Stop::Interrupt => "stopped; start goes on from here",
    };
    let notices: String = report.notices.iter().map(|notice| format!("; {notice}")).collect();
    Ok(format!("{} pages in this run: {why}{notices}", grouped(report.this_run)))
}

/// Watches a crawl for those who look at it from outside.
struct Witness<'a> {
    shared: &'a Shared,
    asked: Receiver<Question>,
    journal: Journal,
    /// Visits that the journal has.
    visited: u64,
    shown: Option<Instant>,
    /// When waiting links were looked at.
    expected: Option<Instant>,
    rate: Rate,
}

impl Witness<'_> {
    fn answer(&self, crawl: &Crawl) {
        while let Ok(question) = self.asked.try_recv() {
            question(crawl);
        }
    }

    fn show(&mut self, crawl: &mut Crawl) {
        let now = Instant::now();
        self.shown = Some(now);
        let rate = self.rate.of(crawl.tally().visited, now);
        if self.expected.is_none_or(|at| at.elapsed() >= EXPECT) {
            self.expected = Some(now);
            self.journal.expect(&crawl.some_waiting(SAMPLE).unwrap_or_default());
        }
        let (stats, hosts, idle) = (crawl.stats(), crawl.hosts(), crawl.idle());
        let mut view = self.shared.view();
        view.rate = rate;
        live::show(&mut view, crawl.tally(), &stats, hosts, &idle);
        self.journal.show(&mut view);
    }
}

impl Watch for Witness<'_> {
    /// In their order: while those of earlier runs are missing, visits are left to what reads these.
    fn visit(&mut self, visit: &VisitRow) {
        if visit.n == self.visited + 1 {
            self.visited = visit.n;
            self.journal.add(visit);
        }
    }

    fn idle(&mut self, crawl: &mut Crawl) {
        // what earlier runs did is part of the picture, but the crawl does not wait for it
        let to = crawl.tally().visited.min(self.visited + CATCH_UP);
        while self.visited < to {
            self.visited += 1;
            if let Ok(Some(row)) = crawl.visit_number(self.visited) {
                self.journal.add(&row);
            }
        }
        self.answer(crawl);
        if self.shown.is_none_or(|at| at.elapsed() >= REFRESH) {
            self.show(crawl);
        }
        while self.shared.paused.load(Ordering::Relaxed) && !self.shared.stop.load(Ordering::Relaxed) {
            match self.asked.recv_timeout(LOOK_UP) {
                Ok(question) => question(crawl),
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => return,
            }
        }
    }
}
