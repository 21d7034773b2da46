//! What is in flight, and the active time of the crawl.
//!
//! Pages and pictures are counted apart: pages have a budget, and the crawl goes on fetching pictures when it is used
//! up; pages that are leased then are held until the end. Robots requests count for neither.

use std::time::{Duration, Instant};

use crate::work::{Job, Work};

/// Requests under way.
#[derive(Debug)]
pub(crate) struct Flight {
    pages: u64,
    pictures: u64,
    robots: u64,
    /// Leases of pages that are kept back, because only pictures are fetched any more.
    held: Vec<Job>,
    started: Instant,
    /// What earlier runs took.
    active_before: Duration,
    /// Visits of earlier runs.
    visited_before: u64,
}

impl Flight {
    pub(crate) fn new(active_before: Duration, visited_before: u64) -> Self {
        let (pages, pictures, robots) = (0, 0, 0);
        Self {
            pages,
            pictures,
            robots,
            held: Vec::new(),
            started: Instant::now(),
            active_before,
            visited_before,
        }
    }

    fn count(&mut self, work: Work) -> &mut u64 {
        if work == Work::Picture { &mut self.pictures } else { &mut self.pages }
    }

    /// A request begins.
    pub(crate) fn begin(&mut self, work: Work) {
        *self.count(work) += 1;
    }

    /// A request is over.
    pub(crate) fn end(&mut self, work: Work) {
        let count = self.count(work);
        *count = count.saturating_sub(1);
    }

    /// A request for a robots.txt begins.
    pub(crate) fn begin_robots(&mut self) {
        self.robots += 1;
    }

    /// A request for a robots.txt is over.
    pub(crate) fn end_robots(&mut self) {
        self.robots = self.robots.saturating_sub(1);
    }

    /// Requests for pages and sitemaps.
    pub(crate) fn pages(&self) -> u64 {
        self.pages
    }

    /// Requests for pictures.
    pub(crate) fn pictures(&self) -> u64 {
        self.pictures
    }

    /// Requests for robots.txt.
    pub(crate) fn robots(&self) -> u64 {
        self.robots
    }

    /// Whether anything was asked for that has not come.
    pub(crate) fn is_any(&self) -> bool {
        self.pages + self.pictures + self.robots > 0
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
