//! What a crawl brings, lately: whether it is still worth its requests (`crawl.stop_below`), and what is to be expected of the
//! links that wait.

use std::fmt;

use osprey_frontier::Frontier;
use osprey_model::{counted, grouped};
use serde::{Deserialize, Serialize};

use crate::{Crawl, CrawlError, Inspection, Tally, VisitRow};

/// Visits of "a while", at least, and as a share of all visits.
const WHILE: u64 = 200;
const WHILE_SHARE: f64 = 0.05;
/// How sure one has to be that a crawl brings less: one-sided, 99 %.
const SURE: f64 = 2.326;
/// The same of an estimate: 95 %.
const LIKELY: f64 = 1.645;

/// Visits that an estimate goes by, at least.
const FEW: u64 = 100;

/// The visits that were relevant, by their number.
#[derive(Debug, Default)]
pub(crate) struct Harvest {
    visited: u64,
    relevant: Vec<u64>,
}

impl Harvest {
    /// Counts a visit.
    pub(crate) fn count(&mut self, row: &VisitRow) {
        if row.is_revisit {
            return;
        }
        self.visited += 1;
        if row.relevant {
            self.relevant.push(self.visited);
        }
    }

    /// Whether the crawl has brought less than this share of relevant pages for a while: over the last visits, so many that
    /// it can be said at all, it is all but certain.
    pub(crate) fn is_below(&self, share: f64) -> bool {
        let least = WHILE.max((self.visited as f64 * WHILE_SHARE) as u64);
        // with none relevant, from so many visits on the bound is below the share
        let needed = (SURE * SURE * (1.0 - share) / share).ceil() as u64 + 1;
        let window = least.max(needed);
        if self.visited < window {
            return false;
        }
        upper(self.hits(window) as f64, window as f64, SURE) < share
    }

    /// Relevant pages of the last visits.
    fn hits(&self, window: u64) -> u64 {
        let before = self.relevant.partition_point(|n| *n <= self.visited.saturating_sub(window));
        (self.relevant.len() - before) as u64
    }
}

/// The upper end of Wilson's interval of a share.
fn upper(hits: f64, of: f64, z: f64) -> f64 {
    let share = hits / of;
    let middle = share + z * z / (2.0 * of);
    let half = z * (share * (1.0 - share) / of + z * z / (4.0 * of * of)).sqrt();
    ((middle + half) / (1.0 + z * z / of)).min(1.0)
}

/// What is to be expected of the links that wait: as many relevant pages as so many visits have brought so far. They may
/// bring fewer, for what waits is what the policy thinks less of, and some of it is dropped or found to be known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Outlook {
    /// Links that wait.
    pub waiting: u64,
    /// Relevant pages among them, about.
    pub relevant: u64,
    /// At most, if they are no better than what was followed at the best of times.
    pub most: u64,
}

/// `about 40 relevant pages, 95 at most, among 3,000 links`
impl fmt::Display for Outlook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { waiting, relevant, most } = *self;
        let (pages, links) = (counted(relevant, "relevant page"), counted(waiting, "link"));
        write!(f, "about {pages}, {} at most, among {links}", grouped(most))
    }
}

impl Harvest {
    /// What is to be expected of so many links; `None` if there is too little to go by.
    ///
    /// The share of relevant pages is taken of all visits, of the later half and of the last fifth. The one in the middle is
    /// what is expected; the highest that one of them may really be is what is expected at most.
    pub(crate) fn outlook(&self, waiting: u64) -> Option<Outlook> {
        if self.visited < FEW || self.relevant.is_empty() || waiting == 0 {
            return None;
        }
        let windows = [self.visited, self.visited.div_ceil(2), self.visited.div_ceil(5).max(FEW)];
        let hits = windows.map(|window| (self.hits(window) as f64, window as f64));
        let mut shares = hits.map(|(hits, window)| hits / window);
        shares.sort_by(f64::total_cmp);
        let most = hits.map(|(hits, window)| upper(hits, window, LIKELY)).into_iter().fold(0.0, f64::max);
        let links = |share: f64| (share * waiting as f64).round() as u64;
        let [_, middle, _] = shares;
        Some(Outlook { waiting, relevant: links(middle), most: links(most) })
    }
}

/// Pages that wait.
fn waiting(frontier: &Frontier, tally: &Tally) -> u64 {
    frontier.stats().waiting.saturating_sub(tally.pictures.waiting() + tally.revisits.waiting())
}

impl Crawl {
    /// What is to be expected of the links that wait; `None` if that cannot be said.
    pub fn outlook(&self) -> Option<Outlook> {
        self.harvest.outlook(waiting(self.ledger.frontier(), &self.tally))
    }

    /// Whether it brings less than `crawl.stop_below` for a while.
    pub(crate) fn is_harvest_low(&self) -> bool {
        self.settings.stop_below.is_some_and(|share| self.harvest.is_below(share))
    }
}

impl Inspection {
    /// What is to be expected of the links that wait; `None` if that cannot be said.
    pub fn outlook(&self) -> Result<Option<Outlook>, CrawlError> {
        let mut harvest = Harvest::default();
        for row in self.visits() {
            harvest.count(&row?);
        }
        Ok(harvest.outlook(waiting(&self.frontier, &self.tally()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn harvest(visits: u64, is_relevant: impl Fn(u64) -> bool) -> Harvest {
        let relevant = (1..=visits).filter(|n| is_relevant(*n)).collect();
        Harvest { visited: visits, relevant }
    }

    #[test]
    fn a_harvest_is_low_only_when_that_is_certain() {
        let check = |visits, every: u64, share, expect| {
            let harvest = harvest(visits, |n| every > 0 && n % every == 0);
            assert_eq!(harvest.is_below(share), expect, "{visits} visits, one in {every}, {share}");
        };
        // nothing at all: as soon as it can be said, and not before
        check(200, 0, 0.02, false);
        check(267, 0, 0.02, true);
        check(199, 0, 0.5, false);
        check(200, 0, 0.5, true);
        check(2710, 0, 0.002, true);
        check(2600, 0, 0.002, false);
        // more than the share, the share itself, less
        check(100_000, 40, 0.02, false);
        check(100_000, 50, 0.02, false);
        check(100_000, 100, 0.02, true);
        check(1000, 10, 0.2, true);
        check(1000, 10, 0.12, false);
    }

    #[test]
    fn a_harvest_that_was_good_is_low_after_a_while() {
        let first = |n: u64| harvest(n, |n| n <= 1000 && n % 2 == 0).is_below(0.02);
        let stopped = (1..3000).find(|n| first(*n));
        assert!(stopped.is_some_and(|n| (1200..1300).contains(&n)), "{stopped:?}");
    }

    #[test]
    fn what_waits_is_expected_to_be_like_what_was_followed() {
        let even = harvest(1000, |n| n % 10 == 0).outlook(3000).unwrap();
        assert_eq!((even.waiting, even.relevant), (3000, 300));
        assert!((350..500).contains(&even.most), "{even:?}");
        // of late one in twenty, before that every second
        let worse = harvest(1000, |n| if n <= 500 { n % 2 == 0 } else { n % 20 == 0 });
        let worse = worse.outlook(1000).unwrap();
        assert_eq!(worse.relevant, 50);
        assert!(worse.most >= 275, "{worse:?}");
        assert_eq!(
            worse.to_string(),
            format!("about 50 relevant pages, {} at most, among 1,000 links", worse.most)
        );
        assert_eq!(harvest(99, |_| true).outlook(10), None);
        assert_eq!(harvest(500, |_| false).outlook(10), None);
        assert_eq!(harvest(500, |_| true).outlook(0), None);
    }
}
