//! The owner of a crawl's state. It decides what is fetched next and takes in what came of it; it never
//! fetches anything itself, so the same code serves stepwise and live crawls.
//!
//! A URL's way: *discovered* (or *parked* with its group) -> *leased* by [`Crawl::next_step`] -> *done*, *failed* or
//! *dropped* by [`Crawl::absorb`]. A lease is always settled; one that was open at a kill returns by itself.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use osprey_archive::ArchiveError;
use osprey_frontier::{FrontierError, HostInfo, Lane, Pick, Stats};
use osprey_model::{CanonicalUrl, Clock, FetchFailure, HostKey, Permitted, Request, Timestamp, Validators};
use serde::Serialize;
use thiserror::Error;

use crate::admission::Admission;
use crate::duplicates::NearDuplicates;
use crate::flight::Flight;
use crate::harvest::Harvest;
use crate::ledger::Ledger;
use crate::links::LinkSource;
use crate::start::StartTroubles;
use crate::traps::Traps;
use crate::work::Job;
use crate::{
    ClosedPattern, Idle, ParsedResponse, Reader, Rejudged, RevisitTally, RobotsTask, Settings, SharedClocks,
    Skip, StartFailure, Steering, Tally, Verdicts, Work,
};

/// What ends a crawl from our side: the disk, the store, a bug. Never the Web.
#[derive(Debug, Error)]
pub enum CrawlError {
    /// The frontier's store.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
    /// The archive.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// A row of ours that does not read back.
    #[error(
        "frontier: row `{row}` cannot be read: {cause}; rebuild the frontier from the archive with `osprey restore`"
    )]
    Row {
        /// Which.
        row: String,
        /// What the decoder says.
        cause: String,
    },
    /// The policy's state.
    #[error(transparent)]
    Policy(#[from] osprey_steer::RestoreError),
    /// The file of records.
    #[error("{}: {cause}", path.display())]
    Records {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// Rows of a version that this build does not know.
    #[error(
        "frontier: its rows have format {found}, this build reads up to {expected}: made by a newer version of \
         Osprey; use that version, or rebuild the frontier with `osprey restore`"
    )]
    Format {
        /// What was found.
        found: u32,
        /// What is known.
        expected: u32,
    },
    /// An archive without its frontier.
    #[error(
        "{}: there is an archive but no frontier; rebuild it with `osprey restore`, or move `archive` away to start \
         over",
        data.display()
    )]
    NoFrontier {
        /// The folder of both.
        data: PathBuf,
    },
    /// Nothing to restore from.
    #[error("{}: no archive to restore from; start with `osprey crawl`", .0.display())]
    NoArchive(PathBuf),
    /// A folder that could not be moved.
    #[error("{}: {cause}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// The file of verdicts is damaged.
    #[error(
        "{}: damaged; write it again with `osprey rejudge`, or delete it to go by the verdicts of when the pages came",
        .0.display()
    )]
    Verdicts(PathBuf),
    /// A small file that could not be written.
    #[error(transparent)]
    Write(#[from] osprey_files::WriteError),
    /// The caller asked to stop before the crawl began.
    #[error("stopped: the pages were not all judged again; run the same command to start over")]
    Stopped,
    /// There is no crawl in the folder.
    #[error("{}: nothing crawled yet; start with `osprey crawl`", .0.display())]
    Nothing(PathBuf),
}

impl CrawlError {
    /// Whether the stores are in use: another process, or another part of this one, has them.
    pub fn is_in_use(&self) -> bool {
        matches!(self, Self::Frontier(FrontierError::Locked { .. }))
    }

    /// Whether the stores may only be read.
    pub fn is_read_only(&self) -> bool {
        matches!(self, Self::Frontier(error) if error.is_read_only())
    }
}

/// How long, when all pages are in, the last pictures are waited for; the next run fetches what comes later.
const LAST_PICTURES: Duration = Duration::from_secs(30);

/// Why a crawl stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stop {
    /// A budget is used up.
    Budget,
    /// Nothing is left to fetch.
    Empty,
    /// It has brought too little for a while: `crawl.stop_below`.
    Harvest,
    /// It is time to look at what there is (`Settings::look_at`); the crawl is to go on.
    Look,
    /// The user asked.
    Interrupt,
}

/// A page to fetch.
#[derive(Debug)]
pub struct Task {
    pub(crate) job: Job,
    /// What may be requested.
    pub target: Permitted,
    /// What the last answer was marked with, if it was fetched before.
    pub validators: Validators,
    /// What may be expected of its host.
    pub(crate) lane: Lane,
}

impl Task {
    /// The request to make.
    pub fn request(&self) -> Request {
        let (validators, takes_all) = (self.validators.clone(), self.work() != Work::Page);
        // pictures are often given to those only who come from the page
        let parent = self.job.block.parent.as_ref().filter(|_| self.job.is_picture());
        let referrer = parent.and_then(|parent| CanonicalUrl::from_stored(parent).ok());
        Request { validators, takes_all, referrer, ..Request::new(self.target.clone()) }
    }

    /// What the answer is going to be.
    pub fn work(&self) -> Work {
        self.job.work
    }
}

/// What to do next.
#[derive(Debug)]
pub enum Next {
    /// Fetch a page and [`Crawl::absorb`] what comes of it.
    Fetch(Box<Task>),
    /// Make this request for a robots.txt and [`Crawl::absorb_robots`] what comes of it.
    Robots(Box<RobotsTask>),
    /// Find out this host's address and [`Crawl::absorb_address`] it.
    Locate(HostKey),
    /// A link's turn came and it was settled or put off without a request; ask again.
    Skipped,
    /// No host is ready before then.
    Wait(Timestamp),
    /// Everything that can be fetched now is in flight.
    Busy,
    /// The end.
    Stop(Stop),
}

/// How a fetch ended.
#[derive(Debug)]
pub enum Outcome {
    /// An answer, read.
    Answered(Box<ParsedResponse>),
    /// None came.
    Failed(FetchFailure),
}

/// The state of a crawl.
#[derive(Clone, Debug, Serialize)]
pub struct Progress {
    /// URLs fetched, over all runs.
    pub visited: u64,
    /// Of these, worth it.
    pub relevant: u64,
    /// Of these, in vain.
    pub failed: u64,
    /// Pictures fetched.
    pub pictures: u64,
    /// Links that wait, parked ones included.
    pub frontier: u64,
    /// The page budget.
    pub budget: Option<u64>,
    /// Visits of this run.
    pub this_run: u64,
    /// Pages and pictures fetched again.
    pub revisits: RevisitTally,
    /// Seconds of this run.
    pub seconds: f64,
    /// What is waited for.
    pub idle: Idle,
}

/// What `crawl --json` ends with.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// URLs fetched, over all runs.
    pub visited: u64,
    /// Of these, relevant.
    pub relevant: u64,
    /// `relevant / visited`.
    pub harvest_ratio: f64,
    /// Error statuses and unanswered requests.
    pub failed: u64,
    /// Pictures fetched.
    pub pictures: u64,
    /// Links skipped, by reason.
    pub skipped: std::collections::BTreeMap<String, u64>,
    /// Links that wait.
    pub frontier: u64,
    /// Visits of this run.
    pub this_run: u64,
    /// Pages and pictures fetched again, over all runs; they count nowhere else.
    pub revisits: RevisitTally,
    /// Requests of all kinds, over all runs.
    pub requests: u64,
    /// Start URLs that brought nothing.
    pub start_failures: Vec<StartFailure>,
    /// Whether any page came, over all runs.
    pub has_page: bool,
    /// Seconds of this run.
    pub seconds: f64,
    /// Why it stopped.
    pub stopped_by: Stop,
    /// What the rest waits for.
    pub idle: Idle,
    /// What the user should know: a repaired archive, parked links, a changed policy.
    pub notices: Vec<String>,
}

impl Report {
    /// Whether nothing came because the start failed.
    pub fn is_dead_start(&self) -> bool {
        !self.has_page && !self.start_failures.is_empty() && self.stopped_by != Stop::Interrupt
    }

    /// Why it stopped, in words.
    pub fn why_stopped(&self) -> &'static str {
        match self.stopped_by {
            _ if self.is_dead_start() => "the start failed",
            Stop::Budget => "the budget is used up",
            Stop::Harvest => {
                "it has brought less than `crawl.stop_below` for a while; lower that or remove it to go on"
            }
            Stop::Look => "it looks at what it has; run the same command to go on",
            Stop::Empty if self.frontier > 0 => "nothing more can be fetched for now",
            Stop::Empty => "nothing is left to fetch",
            Stop::Interrupt => "interrupted; run the same command to resume",
        }
    }

    /// What was skipped and how it could be fetched, if nothing else is left.
    pub fn ways_on(&self) -> Vec<String> {
        if self.stopped_by != Stop::Empty || self.frontier > 0 || self.is_dead_start() {
            return Vec::new();
        }
        let way = |(name, n): (&String, &u64)| {
            let skip = Skip::named(name)?;
            Some(format!("{name} {n}: {}; {}", skip.words(), skip.remedy()?))
        };
        self.skipped.iter().filter_map(way).collect()
    }
}

/// How often a crawl for a number of pages is run with more visits at most.
pub const SAMPLE_ROUNDS: usize = 8;

/// Visits over all runs that may bring `wanted` pages, after a run that has `found` so many; `None` if more would bring
/// none. As many as are missing, and more if many were in vain.
pub fn visits_for_pages(wanted: u64, found: u64, report: &Report) -> Option<u64> {
    let missing = wanted.checked_sub(found).filter(|missing| *missing > 0)?;
    (report.stopped_by == Stop::Budget).then(|| report.visited + missing * report.visited / found.max(1))
}

/// A crawl in progress.
pub struct Crawl {
    pub(crate) settings: Arc<Settings>,
    pub(crate) reader: Arc<Reader>,
    /// Who scores links.
    pub(crate) steering: Steering,
    /// The stores.
    pub(crate) ledger: Ledger,
    /// Hosts on their way to a first request.
    pub(crate) admission: Admission,
    /// What is under way.
    pub(crate) flight: Flight,
    pub(crate) clock: Arc<dyn Clock>,
    /// Clocks that the crawls of other projects keep, too.
    pub(crate) shared_clocks: Option<Box<dyn SharedClocks>>,
    pub(crate) tally: Tally,
    pub(crate) harvest: Harvest,
    pub(crate) near: NearDuplicates,
    pub(crate) traps: Traps,
    pub(crate) notices: Vec<String>,
    /// Why the start fails.
    pub(crate) troubles: StartTroubles,
    /// Visits of earlier runs that do not count towards the budget, since no page came of them.
    pub(crate) pages_before: u64,
    /// What was judged again before the archive; needed only until everything is adopted.
    pub(crate) verdicts: Verdicts,
    /// What was judged again at the start.
    pub(crate) rejudged: Option<Rejudged>,
}

impl Crawl {
    /// What to do next.
    pub fn next_step(&mut self) -> Result<Next, CrawlError> {
        if self.is_time_to_look() {
            return Ok(if self.is_busy() { Next::Busy } else { Next::Stop(Stop::Look) });
        }
        let only_rest = self.are_pages_used_up(self.flight.pages()) || self.is_harvest_low();
        if self.is_over() || (only_rest && !self.may_fetch_rest()) {
            let is_flying = self.flight.all() > self.flight.robots();
            return Ok(if is_flying { Next::Busy } else { Next::Stop(self.why_ended()) });
        }
        if let Some(job) = self.admission.next_resolved() {
            return if only_rest { self.admit_rest(job) } else { self.admit_located(job) };
        }
        let now = self.clock.now();
        let (lanes, places) = (self.flight.lanes(), self.settings.concurrency as u64);
        let turn = self.tally.requests;
        let open_lanes = |offer| lanes.open_lanes(places, only_rest, turn, offer);
        let robots_lanes = open_lanes(self.ledger.frontier().offer());
        if let Some(task) = self.due_robots(now, robots_lanes)? {
            return Ok(Next::Robots(task));
        }
        let due = self.admission.robots_due_at(robots_lanes);
        // a page that is leased and held takes its host's turn, which a picture or a robots.txt may need
        let only_pictures = only_rest && self.tally.revisits.waiting() <= self.flight.revisits();
        let open = |offer| match open_lanes(offer) {
            open if only_pictures => open.of_pictures(),
            open => open,
        };
        match (self.ledger.frontier_mut().lease_from(now, open)?, due) {
            (Pick::Leased(lease), _) => {
                let mut job = Job::decode(lease)?;
                job.is_revisit = self.tally.revisits.waiting() > 0 && self.is_revisit(&job)?;
                if only_rest && job.is_new_page() { self.hold(job) } else { self.admit(job) }
            }
            (Pick::Wait { until }, None) if only_rest && until.since(now) > LAST_PICTURES => {
                Ok(if self.is_busy() { Next::Busy } else { Next::Stop(self.why_ended()) })
            }
            (Pick::Wait { until }, due) => Ok(self.wait(due.map_or(until, |due| due.min(until)), now)),
            (Pick::Blocked { .. } | Pick::Empty, Some(due)) => Ok(self.wait(due, now)),
            (Pick::Blocked { .. } | Pick::Empty, None) if self.is_busy() => Ok(Next::Busy),
            (Pick::Blocked { .. } | Pick::Empty, None) if only_rest => Ok(Next::Stop(self.why_ended())),
            (Pick::Blocked { .. }, None) if self.unpark()? => self.next_step(),
            (Pick::Blocked { parked, .. }, None) => {
                let notice = match parked {
                    1 => "1 link stays parked: the policy has not released its group".to_owned(),
                    _ => format!("{parked} links stay parked: the policy has not released their groups"),
                };
                self.notices.push(notice);
                Ok(Next::Stop(Stop::Empty))
            }
            (Pick::Empty, None) => Ok(Next::Stop(Stop::Empty)),
        }
    }

    /// The same where only pictures and revisits are fetched any more: pages wait for the next run.
    fn admit_rest(&mut self, job: Job) -> Result<Next, CrawlError> {
        if job.is_new_page() { self.hold(job) } else { self.admit_located(job) }
    }

    fn hold(&mut self, job: Job) -> Result<Next, CrawlError> {
        self.flight.hold(job);
        Ok(Next::Skipped)
    }

    /// Asks the policy to release what it has parked, since nothing else is left. Whether it did.
    fn unpark(&mut self) -> Result<bool, CrawlError> {
        if !self.steering.unpark() {
            return Ok(false);
        }
        let placed = self.place(LinkSource::Nothing, 0, false)?;
        self.ledger.carry_out(&placed, &self.steering.snapshot(&self.tally))?;
        Ok(true)
    }

    /// Whether something that was asked for has not come yet.
    fn is_busy(&self) -> bool {
        self.flight.is_any() || self.admission.awaited_addresses() > 0
    }

    /// Waits, unless nothing would happen for so long that ending is better: nothing is lost, and the links wait for
    /// the next run.
    fn wait(&mut self, until: Timestamp, now: Timestamp) -> Next {
        if self.is_busy() || until.since(now) <= self.patience() {
            return Next::Wait(until);
        }
        if until.since(now) <= self.settings.max_idle {
            return Next::Stop(Stop::Empty); // nothing has come yet: the report says why
        }
        let notice = format!(
            "nothing can be fetched before {until}, so this run ends: {}; run the same command later, or raise \
             `crawl.max_idle_seconds` to wait",
            self.idle()
        );
        self.notices.push(notice);
        Next::Stop(Stop::Empty)
    }

    /// Whether there are as many pages as there may be: what is left to do is their pictures, and revisits.
    fn are_pages_used_up(&self, in_flight: u64) -> bool {
        let used = self.tally.visited.saturating_sub(self.pages_before) + in_flight;
        self.settings.budget.pages.is_some_and(|pages| used >= pages)
    }

    /// Whether this run ends here, before its budget does.
    fn is_time_to_look(&self) -> bool {
        let visits = self.tally.visited + self.flight.pages();
        self.settings.look_at.is_some_and(|look| visits >= look) && !self.are_pages_used_up(0)
    }

    /// Why no more pages are fetched, if that is not for want of links.
    fn why_ended(&self) -> Stop {
        match self.is_harvest_low() && !self.is_over() && !self.are_pages_used_up(0) {
            true => Stop::Harvest,
            false => Stop::Budget,
        }
    }

    /// Whether a budget is used up that is for pages and pictures alike.
    fn is_over(&self) -> bool {
        let budget = &self.settings.budget;
        budget.bytes.is_some_and(|bytes| self.tally.bytes + self.tally.pictures.bytes >= bytes)
            || budget.time.is_some_and(|time| self.flight.active() >= time)
            || budget.requests.is_some_and(|most| self.tally.requests + self.flight.all() >= most)
    }

    /// Whether pictures or revisits wait, and all pages that may bring more pictures are in.
    fn may_fetch_rest(&self) -> bool {
        self.flight.pages() == 0
            && (self.tally.pictures.waiting() > self.flight.pictures()
                || self.tally.revisits.waiting() > self.flight.revisits())
    }

    /// The state of the crawl.
    pub fn progress(&mut self) -> Progress {
        Progress {
            visited: self.tally.visited,
            relevant: self.tally.relevant,
            failed: self.tally.failed,
            pictures: self.tally.pictures.fetched - self.tally.pictures.failed,
            frontier: self.waiting(),
            budget: self.settings.budget.pages,
            this_run: self.flight.visits_of_this_run(self.tally.visited),
            revisits: self.tally.revisits.clone(),
            seconds: self.flight.elapsed().as_secs_f64(),
            idle: self.idle(),
        }
    }

    pub(crate) fn waiting(&self) -> u64 {
        let stats = self.ledger.frontier().stats();
        stats.waiting + stats.leased
    }

    /// Commits what is left, closes the stores and reports. Leases still open return at the next start.
    pub fn finish(mut self, stopped_by: Stop) -> Result<Report, CrawlError> {
        let open = self.admission.take_jobs().into_iter().chain(self.flight.take_held());
        self.tally.active_ms = u64::try_from(self.flight.active().as_millis()).unwrap_or(u64::MAX);
        let closed = self.traps.closed_patterns();
        self.ledger.end_run(open, &self.tally, &self.steering.snapshot(&self.tally), &closed)?;
        self.notices.extend(self.steering.policy().remarks());
        let start_failures = self.start_failures()?;
        let report = Report {
            start_failures,
            has_page: self.tally.has_page(),
            requests: self.tally.requests,
            revisits: self.tally.revisits.clone(),
            idle: self.idle(),
            visited: self.tally.visited,
            relevant: self.tally.relevant,
            harvest_ratio: self.tally.harvest_ratio(),
            failed: self.tally.failed,
            pictures: self.tally.pictures.fetched - self.tally.pictures.failed,
            frontier: self.waiting(),
            this_run: self.flight.visits_of_this_run(self.tally.visited),
            skipped: self.tally.skipped,
            seconds: self.flight.elapsed().as_secs_f64(),
            stopped_by,
            notices: self.notices,
        };
        self.ledger.close()?;
        Ok(report)
    }

    /// The counts so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// What is closed as a trap.
    pub fn closed_patterns(&self) -> Vec<ClosedPattern> {
        self.traps.closed_patterns()
    }

    /// The frontier's counts.
    pub fn stats(&self) -> Stats {
        self.ledger.frontier().stats()
    }

    /// The hosts met so far.
    pub fn hosts(&self) -> Vec<HostInfo> {
        self.ledger.frontier().hosts().collect()
    }

    /// What page workers need.
    pub fn reader(&self) -> Arc<Reader> {
        Arc::clone(&self.reader)
    }

    /// The resolved configuration.
    pub fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings)
    }
}
