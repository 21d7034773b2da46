//! The owner of a crawl's state. It decides what is fetched next and takes in what came of it; it never
//! fetches anything itself, so the same code serves stepwise and live crawls.
//!
//! A URL's way: *discovered* (or *parked* with its group) -> *leased* by [`Crawl::next_step`] -> *done*, *failed* or
//! *dropped* by [`Crawl::absorb`]. A lease is always settled; one that was open at a kill returns by itself.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use osprey_archive::{Archive, ArchiveError, Digest};
use osprey_frontier::{Commit, Frontier, FrontierError, Lease, Pick, Settle};
use osprey_model::robots::Robots;
use osprey_model::{CanonicalUrl, Clock, FetchFailure, Permitted, Response, Timestamp};
use osprey_steer::{Judge, Placing, Policy};
use rustc_hash::FxHashMap;
use serde::Serialize;
use thiserror::Error;

use crate::duplicates::NearDuplicates;
use crate::robots::{KEEP_SILENCE, RobotsBook, Rules};
use crate::traps::Traps;
use crate::{Settings, Skip, Tally, Understood, VisitRow};

/// Requests for a URL that was in flight whenever the process died, before the URL is blamed for it.
const MAX_DEATHS: u32 = 16;

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
    /// A thread of ours died.
    #[error("a {0} worker died; the crawl stopped with everything committed, run it again to go on")]
    Worker(&'static str),
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
    /// Time of this run.
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
        loop {
            if self.is_budget_used(self.in_flight) {
                return Ok(if self.in_flight > 0 { Next::Busy } else { Next::Stop(Stop::Budget) });
            }
            let lease = match self.cleared.pop_front() {
                Some(lease) => lease,
                None => match self.frontier.lease(self.clock.now())? {
                    Pick::Leased(lease) => lease,
                    Pick::Wait { until } => return Ok(Next::Wait(until)),
                    Pick::Blocked { .. } | Pick::Empty if self.in_flight > 0 || !self.held.is_empty() => {
                        return Ok(Next::Busy);
                    }
                    Pick::Blocked { parked, .. } => {
                        self.notices.push(format!(
                            "{parked} links stay parked: the policy has not released their groups"
                        ));
                        return Ok(Next::Stop(Stop::Empty));
                    }
                    Pick::Empty => return Ok(Next::Stop(Stop::Empty)),
                },
            };
            if let Some(next) = self.admit(lease)? {
                return Ok(next);
            }
        }
    }

    /// Lets a lease pass robots rules and trap detection. `None` if it was settled or has to wait.
    fn admit(&mut self, lease: Lease) -> Result<Option<Next>, CrawlError> {
        if lease.attempt > self.settings.max_attempts + MAX_DEATHS {
            self.in_flight += 1;
            let failure = self.died_with(&lease);
            let target = Robots::allow_all().permit(&lease.url);
            let Some(target) = target else { return Ok(None) };
            self.absorb(Task { lease, target }, Outcome::Failed(failure))?;
            return Ok(None);
        }
        if self.traps.check(&lease.url).is_some() {
            self.drop_lease(&lease, Skip::Trap)?;
            return Ok(None);
        }
        let rules = if self.settings.obey_robots {
            self.robots.rules(&self.frontier, &lease.url, &self.settings.agent, self.clock.now())?
        } else {
            Rules::Known(Arc::new(Robots::allow_all()))
        };
        match rules {
            Rules::Known(robots) => match robots.permit(&lease.url) {
                Some(target) => {
                    self.in_flight += 1;
                    Ok(Some(Next::Fetch(Box::new(Task { lease, target }))))
                }
                None => self.drop_lease(&lease, Skip::Robots).map(|()| None),
            },
            Rules::Unreachable => {
                self.postpone(&lease, "robots", KEEP_SILENCE)?;
                Ok(None)
            }
            Rules::Unknown => {
                let url = lease.url.clone();
                let waiting = self.held.entry(url.origin().to_owned()).or_default();
                waiting.push(lease);
                Ok((waiting.len() == 1).then_some(Next::Robots(url)))
            }
        }
    }

    /// Takes in the answers to a request for robots.txt, redirects first; none if the host is silent.
    pub fn absorb_robots(&mut self, url: &CanonicalUrl, answers: &[Response]) -> Result<(), CrawlError> {
        for response in answers {
            self.archive_answer(response, &Digest::of(&response.body), None)?;
        }
        let (status, body) = match answers.last() {
            Some(last) if last.location().is_none() => (last.status, &last.body[..]),
            _ => (0, &[][..]),
        };
        let now = self.clock.now();
        let row = self.robots.learn(url, status, body, &self.settings.agent, now);
        self.frontier.commit(&Commit { rows: vec![row], now, ..Commit::default() })?;
        self.cleared.extend(self.held.remove(url.origin()).into_iter().flatten());
        Ok(())
    }

    fn drop_lease(&mut self, lease: &Lease, reason: Skip) -> Result<(), CrawlError> {
        self.tally.skip(reason, 1);
        let rows = vec![self.tally_row()];
        let settle = vec![(lease.id, Settle::Dropped { reason: reason.code() })];
        self.frontier.commit(&Commit { settle, rows, now: self.clock.now(), ..Commit::default() })?;
        Ok(())
    }

    /// Puts a lease back for at least `rest`; after the last attempt it fails.
    pub(crate) fn postpone(&mut self, lease: &Lease, kind: &str, rest: Duration) -> Result<(), CrawlError> {
        let now = self.clock.now();
        let last = lease.attempt >= self.settings.max_attempts;
        let settle = if last {
            self.tally.error(kind);
            Settle::Failed { reason: 0 }
        } else {
            self.tally.retried += 1;
            let wait = self.settings.retry_after.saturating_mul(1 << lease.attempt.min(16));
            Settle::Retry { at: now.after(wait.max(rest)) }
        };
        let rows = vec![self.tally_row()];
        let settle = vec![(lease.id, settle)];
        self.frontier.commit(&Commit { settle, rows, now, ..Commit::default() })?;
        Ok(())
    }

    fn died_with(&self, lease: &Lease) -> FetchFailure {
        let message = format!("was in flight {} times when the crawl died; given up", lease.attempt);
        let kind = osprey_model::FailureKind::Refused;
        FetchFailure { url: lease.url.clone(), kind, message, at: self.clock.now() }
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
        let rows = vec![self.tally_row(), self.snapshot_row()];
        self.archive.sync()?;
        self.frontier.commit(&Commit { settle, rows, now: self.clock.now(), ..Commit::default() })?;
        let report = Report {
            visited: self.tally.visited,
            relevant: self.tally.relevant,
            harvest_ratio: self.tally.harvest_ratio(),
            failed: self.tally.failed,
            frontier: self.waiting(),
            skipped: self.tally.skipped,
            seconds: self.started.elapsed().as_secs_f64(),
            stopped_by,
            notices: self.notices,
        };
        self.frontier.close()?;
        Ok(report)
    }

    /// The newest visit, for those who watch.
    pub fn visit(&self, n: u64) -> Result<Option<VisitRow>, CrawlError> {
        crate::inspect::visit(&self.frontier, n)
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
