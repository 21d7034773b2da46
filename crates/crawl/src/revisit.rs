//! Fetches pages and pictures again after a while and detects changes.
//!
//! A revisited link keeps its place in the frontier; its request carries the validators of the last full response, so
//! that the server can answer `304`. A response that repeats the last one is archived as a `revisit` record and teaches
//! the policy nothing.
//!
//! Revisits have a budget of their own, and are counted apart. Which links are worth one is decided by their
//! [`ChangeHistory`]: how often a link has changed so far and when it was last looked at give the age that our copy is
//! expected to have by now, and the oldest copies go first. This is all that a command that keeps watching a site needs:
//! [`Crawl::revisit`] at intervals.

use std::time::Duration;

use osprey_archive::Original;
use osprey_frontier::{Frontier, Row, Table};
use osprey_model::{CanonicalUrl, GroupId, LinkId, LinkScore, Timestamp};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::rows::{encode, meta, revisit_of_key, row_error};
use crate::work::Job;
use crate::{Crawl, CrawlError, PictureRow, VisitRow};

/// Links put back in one commit.
const BATCH: usize = 10_000;
/// Before anything is known, a page is taken to change once in a month, and a picture once in a year.
const PAGE_PRIOR: Duration = Duration::from_secs(30 * 24 * 60 * 60);
const PICTURE_PRIOR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Counts of revisits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RevisitTally {
    /// URLs that were to be fetched again.
    pub asked: u64,
    /// Pages fetched again: rows of visits.
    pub pages: u64,
    /// Pictures fetched again: rows of pictures.
    pub pictures: u64,
    /// Of both, those that had changed.
    pub changed: u64,
    /// Of both, in vain.
    pub failed: u64,
    /// Dropped before they were asked for.
    pub dropped: u64,
}

impl RevisitTally {
    /// URLs that wait to be fetched again.
    pub fn waiting(&self) -> u64 {
        self.asked.saturating_sub(self.pages + self.pictures + self.dropped)
    }

    /// Counts how a revisit ended.
    pub(crate) fn count(&mut self, found: RevisitOutcome) {
        self.changed += u64::from(found == RevisitOutcome::Changed);
        self.failed += u64::from(found == RevisitOutcome::Failed);
        // more than were asked for: the frontier was rebuilt from the archive
        self.asked = self.asked.max(self.pages + self.pictures + self.dropped);
    }
}

/// How a revisit ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RevisitOutcome {
    /// It is as it was.
    #[default]
    Unchanged,
    /// It is another one.
    Changed,
    /// No usable answer; the last one stays.
    Failed,
}

impl RevisitOutcome {
    /// Of a page; `None` if it was no revisit.
    pub(crate) fn of_visit(row: &VisitRow) -> Option<Self> {
        row.is_revisit.then(|| Self::of(row.is_failure(), row.is_unchanged))
    }

    /// Of a picture.
    pub(crate) fn of_picture(row: &PictureRow) -> Option<Self> {
        row.is_revisit.then(|| Self::of(row.is_failure(), row.is_unchanged))
    }

    fn of(is_failure: bool, is_unchanged: bool) -> Self {
        match () {
            () if is_failure => Self::Failed,
            () if is_unchanged => Self::Unchanged,
            () => Self::Changed,
        }
    }
}

/// The revisits of a link, as `explain` tells of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revisits {
    /// How many there were.
    pub times: u64,
    /// Of these, so many found a change.
    pub changes: u64,
    /// When the last one was.
    pub last_at: Timestamp,
    /// How it ended.
    pub last: RevisitOutcome,
}

impl Revisits {
    /// The row to store with a revisit.
    pub(crate) fn row(
        frontier: &Frontier,
        link: LinkId,
        at: Timestamp,
        outcome: RevisitOutcome,
    ) -> Result<Row<'static>, CrawlError> {
        let (times, changes) = revisits_of(frontier, link)?.map_or((0, 0), |row| (row.times, row.changes));
        let changes = changes + u64::from(outcome == RevisitOutcome::Changed);
        let now = Self { times: times + 1, changes, last_at: at, last: outcome };
        Ok(meta(revisit_of_key(link), encode("revisit", &now)?))
    }
}

/// The revisits of a link; `None` if there were none.
pub(crate) fn revisits_of(frontier: &Frontier, link: LinkId) -> Result<Option<Revisits>, CrawlError> {
    let row = frontier.row(Table::Meta, &revisit_of_key(link))?;
    row.map(|bytes| postcard::from_bytes(&bytes).map_err(|cause| row_error("revisit", &cause))).transpose()
}

/// What the visits of a link say about how fast it changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangeHistory {
    prior: Duration,
    last: Timestamp,
    /// From the first visit to the last.
    watched: Duration,
    changes: u32,
}

impl ChangeHistory {
    /// A link that was fetched once; `prior` is the time in which such links change once, before more is known.
    fn new(at: Timestamp, prior: Duration) -> Self {
        Self { prior, last: at, watched: Duration::ZERO, changes: 0 }
    }

    /// It was fetched again.
    fn seen(&mut self, at: Timestamp, outcome: RevisitOutcome) {
        self.watched += at.since(self.last);
        self.last = self.last.max(at);
        self.changes += u32::from(outcome == RevisitOutcome::Changed);
    }

    /// Changes per second: those seen and one more, over the time watched and the prior.
    fn rate(&self) -> f64 {
        (f64::from(self.changes) + 1.0) / (self.watched + self.prior).as_secs_f64().max(1.0)
    }

    /// For how many seconds our copy is expected to have been out of date. With changes at random moments at `rate`, and `age`
    /// since the last visit: `age - (1 - exp(-rate age)) / rate`. It grows with the age and with the rate.
    pub fn expected_staleness(&self, now: Timestamp) -> f64 {
        let (rate, age) = (self.rate(), now.since(self.last).as_secs_f64());
        age + (-rate * age).exp_m1() / rate
    }
}

impl Crawl {
    /// Lets everything wait again that was fetched, for the last time, longer than `age` ago; if that is more than the budget
    /// for revisits, those whose copies are expected to be the most out of date. What still waits from an earlier run
    /// counts. Returns how many will be fetched again.
    pub fn revisit(&mut self, age: Duration) -> Result<u64, CrawlError> {
        let now = self.clock.now();
        let mut due: Vec<(LinkId, f64)> = self
            .change_histories()?
            .into_iter()
            .filter(|(_, history)| now.since(history.last) >= age)
            .map(|(link, history)| (link, history.expected_staleness(now)))
            .collect();
        due.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let waiting = self.tally.revisits.waiting();
        let room = self.settings.budget.revisits.map_or(u64::MAX, |most| most.saturating_sub(waiting));
        due.truncate(usize::try_from(room).unwrap_or(usize::MAX));
        let all = due.len();
        for (batch, links) in due.chunks(BATCH).enumerate() {
            self.add_again(links, batch * BATCH, all)?;
        }
        Ok(self.tally.revisits.waiting())
    }

    /// Puts links back, from rank `from` of `all` on. Pages wait before all others, in this order; pictures where they were.
    fn add_again(&mut self, links: &[(LinkId, f64)], from: usize, all: usize) -> Result<(), CrawlError> {
        let (mut pages, mut pictures) = (Vec::new(), Vec::new());
        for (rank, &(link, _)) in (from..).zip(links) {
            let info = self.ledger.frontier().link(link)?;
            match info.state {
                state if !state.is_over() => {}
                _ if info.group == GroupId::PICTURES => pictures.push(link),
                _ => pages.push((link, GroupId::REVISITS, score_of_rank(rank, all))),
            }
        }
        self.tally.revisits.asked += (pages.len() + pictures.len()) as u64;
        self.ledger.add_again(pages, pictures, &self.tally)
    }

    /// How all pages and pictures changed so far.
    fn change_histories(&self) -> Result<FxHashMap<LinkId, ChangeHistory>, CrawlError> {
        let mut histories: FxHashMap<LinkId, ChangeHistory> = FxHashMap::default();
        let mut note = |link, at, outcome: Option<RevisitOutcome>, prior| {
            let history = histories.entry(link).or_insert_with(|| ChangeHistory::new(at, prior));
            if let Some(outcome) = outcome {
                history.seen(at, outcome);
            }
        };
        for row in crate::inspect::visits(self.ledger.frontier(), 1) {
            let row = row?;
            note(row.link, row.fetched_at, RevisitOutcome::of_visit(&row), PAGE_PRIOR);
        }
        for row in crate::pictures::pictures(self.ledger.frontier()) {
            let row = row?;
            note(row.link, row.fetched_at, RevisitOutcome::of_picture(&row), PICTURE_PRIOR);
        }
        Ok(histories)
    }

    /// The last full answer for a link.
    pub(crate) fn last_visit(&self, link: LinkId) -> Result<Option<VisitRow>, CrawlError> {
        crate::inspect::visit_of(self.ledger.frontier(), link)
    }

    /// The last full answer for a picture.
    pub(crate) fn last_picture(&self, link: LinkId) -> Result<Option<PictureRow>, CrawlError> {
        crate::pictures::picture_of(self.ledger.frontier(), link)
    }

    /// Whether a link was fetched before: it has a row.
    pub(crate) fn is_revisit(&self, job: &Job) -> Result<bool, CrawlError> {
        let link = job.lease.id;
        let key = if job.is_picture() {
            crate::rows::picture_of_key(link)
        } else {
            crate::rows::visit_of_key(link)
        };
        Ok(self.ledger.frontier().row(Table::Meta, &key)?.is_some())
    }
}

/// A score above that of any link which was never fetched, and below that of pictures.
fn score_of_rank(rank: usize, all: usize) -> LinkScore {
    let share = (all - rank.min(all)) as f64 / all.max(1) as f64;
    LinkScore::new((f64::from(LinkScore::FIRST.get()) * (0.25 + 0.5 * share)) as f32)
}

/// The last answer for the same link, if a 304 or `digest` says that nothing has changed since. Redirects and failures
/// have no body to go by.
pub(crate) fn unchanged(last: &VisitRow, status: u16, digest: &str) -> Option<Original> {
    let is_same = is_same(last.status, last.digest.as_deref(), status, digest);
    original(&last.url, last.fetched_at, last.archived.filter(|_| is_same))
}

/// The same of a picture.
pub(crate) fn unchanged_picture(last: &PictureRow, status: u16, digest: &str) -> Option<Original> {
    let is_same = is_same(last.status, last.digest.as_deref(), status, digest);
    original(&last.url, last.fetched_at, last.archived.filter(|_| is_same))
}

fn is_same(last_status: u16, last_digest: Option<&str>, status: u16, digest: &str) -> bool {
    match status {
        304 => true,
        200..300 => last_status == status && last_digest == Some(digest),
        _ => false,
    }
}

fn original(url: &str, date: Timestamp, record: Option<osprey_archive::Position>) -> Option<Original> {
    Some(Original { url: CanonicalUrl::from_stored(url).ok()?, date, record: record? })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 24 * 60 * 60;

    fn day(day: u64) -> Timestamp {
        Timestamp::from_millis((day * DAY * 1000) as i64)
    }

    fn history(visits: &[(u64, RevisitOutcome)]) -> ChangeHistory {
        let mut history = ChangeHistory::new(day(0), PAGE_PRIOR);
        visits.iter().for_each(|&(at, outcome)| history.seen(day(at), outcome));
        history
    }

    #[test]
    fn revisits_come_in_order_before_pages_and_after_pictures() {
        let scores: Vec<f32> = (0..1000).map(|rank| score_of_rank(rank, 1000).get()).collect();
        assert!(scores.is_sorted_by(|a, b| a > b));
        assert!(scores[0] < LinkScore::FIRST.get() && scores[999] > 1e30);
    }

    #[test]
    fn the_rate_of_change_follows_what_was_seen() {
        use RevisitOutcome::{Changed, Failed, Unchanged};
        let per_month = |history: ChangeHistory| history.rate() * PAGE_PRIOR.as_secs_f64();
        assert!((per_month(history(&[])) - 1.0).abs() < 1e-9);
        // four looks in 30 days: one change more than seen, over 60 days
        let four = |outcome| history(&[(7, outcome), (15, outcome), (22, outcome), (30, outcome)]);
        assert!((per_month(four(Changed)) - 2.5).abs() < 1e-9);
        assert!((per_month(four(Unchanged)) - 0.5).abs() < 1e-9);
        assert_eq!(four(Failed).rate(), four(Unchanged).rate());
    }

    #[test]
    fn older_and_faster_copies_are_more_out_of_date() {
        use RevisitOutcome::{Changed, Unchanged};
        let now = day(60);
        // by hand: rate 1/30 a day, age 60 days: 60 - 30 (1 - e^-2) = 34.06 days
        let days = history(&[]).expected_staleness(now) / DAY as f64;
        assert!((days - 34.06).abs() < 0.01, "{days}");
        let (fast, slow) = (history(&[(30, Changed)]), history(&[(30, Unchanged)]));
        assert!(fast.expected_staleness(now) > slow.expected_staleness(now));
        let later = history(&[(50, Unchanged)]);
        assert!(slow.expected_staleness(now) > later.expected_staleness(now));
        assert_eq!(slow.expected_staleness(day(30)), 0.0);
    }
}
