//! What is in flight, and the active time of the crawl.
//!
//! Pages, pictures and revisits are counted apart: pages have a budget, and the crawl goes on fetching pictures and
//! revisits when it is used up; pages that are leased then are held until the end. Robots requests count for none.

use std::time::{Duration, Instant};

use osprey_frontier::Lane;

use crate::shares::LaneCounts;
use crate::work::Job;

/// Requests under way.
#[derive(Debug)]
pub(crate) struct Flight {
    pages: u64,
    pictures: u64,
    revisits: u64,
    robots: u64,
    /// All of them, look-ups of addresses included.
    lanes: LaneCounts,
    /// Leases of pages that are kept back, because only pictures and revisits are fetched any more.
    held: Vec<Job>,
    started: Instant,
    /// What earlier runs took.
    active_before: Duration,
    /// Visits of earlier runs.
    visited_before: u64,
}

impl Flight {
    pub(crate) fn new(active_before: Duration, visited_before: u64) -> Self {
        let (pages, pictures, revisits, robots) = (0, 0, 0, 0);
        Self {
            pages,
            pictures,
            revisits,
            robots,
            lanes: LaneCounts::default(),
            held: Vec::new(),
            started: Instant::now(),
            active_before,
            visited_before,
        }
    }

    fn count(&mut self, job: &Job) -> &mut u64 {
        match job {
            job if job.is_revisit => &mut self.revisits,
            job if job.is_picture() => &mut self.pictures,
            _ => &mut self.pages,
        }
    }

    /// A request begins.
    pub(crate) fn begin(&mut self, job: &Job, lane: Lane) {
        *self.count(job) += 1;
        self.lanes.begin(lane);
    }

    /// A request is over.
    pub(crate) fn end(&mut self, job: &Job, lane: Lane) {
        let count = self.count(job);
        *count = count.saturating_sub(1);
        self.lanes.end(lane);
    }

    /// A request for a robots.txt begins.
    pub(crate) fn begin_robots(&mut self, lane: Lane) {
        self.robots += 1;
        self.lanes.begin(lane);
    }

    /// A request for a robots.txt is over.
    pub(crate) fn end_robots(&mut self, lane: Lane) {
        self.robots = self.robots.saturating_sub(1);
        self.lanes.end(lane);
    }

    /// The look-up of an address begins.
    pub(crate) fn begin_look_up(&mut self, lane: Lane) {
        self.lanes.begin(lane);
    }

    /// The look-up of an address is over.
    pub(crate) fn end_look_up(&mut self, lane: Lane) {
        self.lanes.end(lane);
    }

    /// How a request for a link in `lane` ended, of `places`: whether it ran out of time, and in whose lane its host is now.
    pub(crate) fn learn(&mut self, lane: Lane, is_late: bool, now: Lane, places: u64) {
        match (lane.is_proven(), now.is_proven()) {
            (false, _) if is_late => self.lanes.lose(),
            (false, true) => self.lanes.earn(places),
            _ => {}
        }
    }

    /// What is under way, by lane.
    pub(crate) fn lanes(&self) -> LaneCounts {
        self.lanes
    }

    /// Requests for pages and sitemaps.
    pub(crate) fn pages(&self) -> u64 {
        self.pages
    }

    /// Requests for pictures.
    pub(crate) fn pictures(&self) -> u64 {
        self.pictures
    }

    /// Requests for what was fetched before.
    pub(crate) fn revisits(&self) -> u64 {
        self.revisits
    }

    /// All requests.
    pub(crate) fn all(&self) -> u64 {
        self.pages + self.pictures + self.revisits + self.robots
    }

    /// Requests for robots.txt.
    pub(crate) fn robots(&self) -> u64 {
        self.robots
    }

    /// Whether anything was asked for that has not come.
    pub(crate) fn is_any(&self) -> bool {
        self.all() > 0
    }

    /// Keeps a lease back until the end.
    pub(crate) fn hold(&mut self, job: Job) {
        self.held.push(job);
    }

    /// What was kept back.
    pub(crate) fn take_held(&mut self) -> Vec<Job> {
        std::mem::take(&mut self.held)
    }

    /// How long this run has taken.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// How long all runs have taken.
    pub(crate) fn active(&self) -> Duration {
        self.active_before + self.elapsed()
    }

    /// Visits of this run, of so many over all runs.
    pub(crate) fn visits_of_this_run(&self, visited: u64) -> u64 {
        visited.saturating_sub(self.visited_before)
    }
}
