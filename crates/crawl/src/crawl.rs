//! The owner of a crawl's state. It decides what is fetched next and takes in what came of it; it never
//! fetches anything itself, so the same code serves stepwise and live crawls.
//!
//! A URL's way: *discovered* (or *parked* with its group) -> *leased* by [`Crawl::next_step`] -> *done*, *failed* or
//! *dropped* by [`Crawl::absorb`]. A lease is always settled; one that was open at a kill returns by itself.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use osprey_archive::{Archive, ArchiveError};
use osprey_frontier::{Commit, Frontier, FrontierError, HostInfo, Lease, Pick, Settle, Stats};
use osprey_model::{CanonicalUrl, Clock, FetchFailure, Permitted, Timestamp};
use osprey_steer::{Judge, Placing, Policy};
use rustc_hash::FxHashMap;
use serde::Serialize;
use thiserror::Error;

use crate::duplicates::NearDuplicates;
use crate::robots::RobotsBook;
use crate::traps::Traps;
use crate::{Settings, Tally, Understood};

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
        "frontier: row `{row}` cannot be read: {cause}; restore `data/frontier` from a copy, or delete `data` and crawl again"
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
    /// There is no crawl to look at.
    #[error("{}: nothing crawled yet; start with `osprey crawl`", .0.display())]
    Nothing(PathBuf),
}

/// Who steers, and under which name and parameters (a change of those is a change of policy).
pub struct Steering {
    /// Scores links.
    pub policy: Box<dyn Policy>,
    /// Judges pages.
    pub judge: Judge,
    /// Name and parameters of the policy, compared with those of its saved state.
    pub identity: String,
}

/// Why a crawl stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stop {
    /// A budget is used up.
    Budget,
    /// Nothing is left to fetch.
    Empty,
    /// The user asked.
    Interrupt,
}

/// A page to fetch.
#[derive(Debug)]
pub struct Task {
    pub(crate) lease: Lease,
    /// What may be requested.
    pub target: Permitted,
}

/// What to do next.
#[derive(Debug)]
pub enum Next {
    /// Fetch a page and [`Crawl::absorb`] what comes of it.
    Fetch(Box<Task>),
    /// Ask for the robots.txt of this URL's origin and [`Crawl::absorb_robots`] the answers.
    Robots(CanonicalUrl),
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
    Answered(Box<Understood>),
    /// None came.
    Failed(FetchFailure),
}

/// Where a crawl stands.
#[derive(Clone, Debug, Serialize)]
pub struct Progress {
    /// URLs fetched, over all runs.
    pub visited: u64,
    /// Of these, worth it.
    pub relevant: u64,
    /// Of these, in vain.
    pub failed: u64,
    /// Links that wait, parked ones included.
    pub frontier: u64,
    /// The page budget.
    pub budget: Option<u64>,
    /// Visits of this run.
    pub this_run: u64,
    /// Seconds of this run.
    pub seconds: f64,
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
    /// Links left alone, by reason.
    pub skipped: std::collections::BTreeMap<String, u64>,
    /// Links that wait.
    pub frontier: u64,
    /// Visits of this run.
    pub this_run: u64,
    /// Seconds of this run.
    pub seconds: f64,
    /// Why it stopped.
    pub stopped_by: Stop,
    /// What the user should know: a repaired archive, parked links, a changed policy.
    pub notices: Vec<String>,
}

/// A crawl in progress.
pub struct Crawl {
    pub(crate) settings: Arc<Settings>,
    pub(crate) judge: Arc<Judge>,
    pub(crate) policy: Box<dyn Policy>,
    pub(crate) identity: String,
    pub(crate) frontier: Frontier,
    pub(crate) archive: Archive,
    pub(crate) archive_dir: PathBuf,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) tally: Tally,
    pub(crate) near: NearDuplicates,
    pub(crate) traps: Traps,
    pub(crate) robots: RobotsBook,
    pub(crate) placing: Placing,
    /// Leases that wait for their host's robots rules.
    pub(crate) held: FxHashMap<String, Vec<Lease>>,
    /// Leases whose rules have come.
    pub(crate) cleared: VecDeque<Lease>,
    pub(crate) in_flight: u64,
    pub(crate) notices: Vec<String>,
    pub(crate) started: Instant,
    pub(crate) visited_before: u64,
    pub(crate) active_before: u64,
}

impl Crawl {
    /// What to do next.
    pub fn next_step(&mut self) -> Result<Next, CrawlError> {
        if self.is_budget_used(self.in_flight) {
            return Ok(if self.in_flight > 0 { Next::Busy } else { Next::Stop(Stop::Budget) });
        }
        if let Some(lease) = self.cleared.pop_front() {
            return self.admit(lease);
        }
        match self.frontier.lease(self.clock.now())? {
            Pick::Leased(lease) => self.admit(lease),
            Pick::Wait { until } => Ok(Next::Wait(until)),
            Pick::Blocked { .. } | Pick::Empty if self.in_flight > 0 || !self.held.is_empty() => {
                Ok(Next::Busy)
            }
            Pick::Blocked { parked, .. } => {
                let notice = format!("{parked} links stay parked: the policy has not released their groups");
                self.notices.push(notice);
                Ok(Next::Stop(Stop::Empty))
            }
            Pick::Empty => Ok(Next::Stop(Stop::Empty)),
        }
    }

    fn is_budget_used(&self, in_flight: u64) -> bool {
        let budget = &self.settings.budget;
        budget.pages.is_some_and(|pages| self.tally.visited + in_flight >= pages)
            || budget.bytes.is_some_and(|bytes| self.tally.bytes >= bytes)
            || budget.time.is_some_and(|time| self.active() >= time)
    }

    pub(crate) fn active(&self) -> Duration {
        Duration::from_millis(self.active_before) + self.started.elapsed()
    }

    /// Where the crawl stands.
    pub fn progress(&self) -> Progress {
        Progress {
            visited: self.tally.visited,
            relevant: self.tally.relevant,
            failed: self.tally.failed,
            frontier: self.waiting(),
            budget: self.settings.budget.pages,
            this_run: self.tally.visited - self.visited_before,
            seconds: self.started.elapsed().as_secs_f64(),
        }
    }

    pub(crate) fn waiting(&self) -> u64 {
        let stats = self.frontier.stats();
        stats.waiting + stats.leased
    }

    /// Commits what is left, closes the stores and reports. Leases still open return at the next start.
    pub fn finish(mut self, stopped_by: Stop) -> Result<Report, CrawlError> {
        let open = self.cleared.drain(..).chain(self.held.drain().flat_map(|(_, leases)| leases));
        let settle: Vec<_> = open.map(|lease| (lease.id, Settle::Release)).collect();
        self.tally.active_ms = u64::try_from(self.active().as_millis()).unwrap_or(u64::MAX);
        let rows = vec![self.tally_row()?, self.snapshot_row()?];
        self.archive.sync()?;
        self.frontier.commit(&Commit { settle, rows, now: self.clock.now(), ..Commit::default() })?;
        let report = Report {
            visited: self.tally.visited,
            relevant: self.tally.relevant,
            harvest_ratio: self.tally.harvest_ratio(),
            failed: self.tally.failed,
            frontier: self.waiting(),
            this_run: self.tally.visited - self.visited_before,
            skipped: self.tally.skipped,
            seconds: self.started.elapsed().as_secs_f64(),
            stopped_by,
            notices: self.notices,
        };
        self.frontier.close()?;
        Ok(report)
    }

    /// The counts so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The frontier's counts.
    pub fn stats(&self) -> Stats {
        self.frontier.stats()
    }

    /// The hosts met so far.
    pub fn hosts(&self) -> Vec<HostInfo> {
        self.frontier.hosts().collect()
    }

    /// What page workers need.
    pub fn judge(&self) -> Arc<Judge> {
        Arc::clone(&self.judge)
    }

    /// The resolved configuration.
    pub fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings)
    }
}
