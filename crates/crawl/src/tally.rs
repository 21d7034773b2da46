//! The crawl's counts: durable, committed with every page, so that a kill loses none of them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::revisit::RevisitOutcome;
use crate::{PictureRow, PictureTally, RevisitTally, Skip, VisitRow};

/// Counts over all runs of a crawl.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// URLs whose first fetch ended, in whatever way.
    pub visited: u64,
    /// Pages that the judge found relevant.
    pub relevant: u64,
    /// Visits that ended in an error status or without an answer.
    pub failed: u64,
    /// Body bytes.
    pub bytes: u64,
    /// Visits that were redirects.
    pub redirects: u64,
    /// Pages whose body was seen before.
    pub duplicates: u64,
    /// Pages that nearly repeat another one.
    pub near_duplicates: u64,
    /// Pages cut at a limit.
    pub cut: u64,
    /// Revisits that found nothing new.
    #[serde(default)]
    pub unchanged: u64,
    /// Requests that will be tried again.
    pub retried: u64,
    /// All requests that ended: those for pages and pictures, tried again or not, and for robots.txt.
    #[serde(default)]
    pub requests: u64,
    /// Drops of leased links that were reported to a learning policy.
    #[serde(default)]
    pub dropped: u64,
    /// Pictures, which are not visits.
    #[serde(default)]
    pub pictures: PictureTally,
    /// Fetches of what had been fetched before, which count nowhere else but in bytes, statuses and errors.
    #[serde(default)]
    pub revisits: RevisitTally,
    /// Milliseconds spent crawling.
    pub active_ms: u64,
    /// Answers by status code; 0 for no answer.
    pub statuses: BTreeMap<String, u64>,
    /// Failures by kind, those that were tried again included: `timeout`, `status-503`.
    pub errors: BTreeMap<String, u64>,
    /// Links skipped, by reason: a link counts once for every page it was found on.
    pub skipped: BTreeMap<String, u64>,
}

impl Tally {
    /// Counts `n` links skipped for a reason.
    pub fn skip(&mut self, reason: Skip, n: u64) {
        if n > 0 {
            *self.skipped.entry(reason.name().to_owned()).or_default() += n;
        }
    }

    /// Rows of `export --what visits`: first fetches and revisits.
    pub fn visit_rows(&self) -> u64 {
        self.visited + self.revisits.pages
    }

    /// Rows of pictures, likewise.
    pub fn picture_rows(&self) -> u64 {
        self.pictures.fetched + self.revisits.pictures
    }

    /// Whether anything came that is not a failure or a redirect.
    pub fn has_page(&self) -> bool {
        self.visited > self.failed + self.redirects
    }

    /// Counts a visit.
    pub(crate) fn count(&mut self, row: &VisitRow) {
        self.status(row.status);
        self.bytes += row.bytes;
        if let Some(outcome) = RevisitOutcome::of_visit(row) {
            self.unchanged += u64::from(row.is_unchanged);
            self.revisits.pages += 1;
            self.revisits.count(outcome);
            return;
        }
        self.visited += 1;
        self.failed += u64::from(row.is_failure());
        self.relevant += u64::from(row.relevant);
        self.duplicates += u64::from(row.duplicate_of.is_some());
        self.near_duplicates += u64::from(row.near_duplicate_of.is_some() && row.duplicate_of.is_none());
        self.cut += u64::from(row.is_cut);
    }

    /// Counts a picture.
    pub(crate) fn count_picture(&mut self, row: &PictureRow) {
        match RevisitOutcome::of_picture(row) {
            Some(outcome) => {
                self.pictures.bytes += row.bytes;
                self.revisits.pictures += 1;
                self.revisits.count(outcome);
            }
            None => self.pictures.count(row),
        }
    }

    /// Counts an answer.
    pub fn status(&mut self, status: u16) {
        *self.statuses.entry(status.to_string()).or_default() += 1;
    }

    /// Counts a failure.
    pub fn error(&mut self, kind: &str) {
        *self.errors.entry(kind.to_owned()).or_default() += 1;
    }

    /// The share of visits that were worth it.
    pub fn harvest_ratio(&self) -> f64 {
        if self.visited == 0 { 0.0 } else { self.relevant as f64 / self.visited as f64 }
    }
}
