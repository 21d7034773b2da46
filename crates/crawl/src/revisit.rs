//! Fetches pages again after a while and detects changes.
//!
//! A revisited link keeps its place in the frontier; its request carries the validators of the last full response, so
//! that the server can answer `304`. A response that repeats the last one is archived as a `revisit` record and teaches
//! the policy nothing.

use std::time::Duration;

use osprey_archive::Original;
use osprey_frontier::Table;
use osprey_model::{CanonicalUrl, LinkId, Timestamp};
use rustc_hash::FxHashMap;

use crate::rows::visit_of_key;
use crate::{Crawl, CrawlError, VisitRow};

/// Links put back in one commit.
const BATCH: usize = 10_000;

impl Crawl {
    /// Lets everything wait again that was fetched, for the last time, longer than `age` ago. Returns how many.
    pub fn revisit(&mut self, age: Duration) -> Result<u64, CrawlError> {
        let now = self.clock.now();
        let mut last: FxHashMap<LinkId, Timestamp> = FxHashMap::default();
        for row in crate::inspect::visits(self.ledger.frontier(), 1) {
            let row = row?;
            last.insert(row.link, row.fetched_at);
        }
        let is_old = |at: Timestamp| now.since(at) >= age;
        let mut old: Vec<LinkId> =
            last.into_iter().filter(|(_, at)| is_old(*at)).map(|(link, _)| link).collect();
        old.sort_unstable();
        for links in old.chunks(BATCH) {
            self.ledger.add_again(links)?;
        }
        Ok(old.len() as u64)
    }

    /// The last full answer for a link.
    pub(crate) fn last_visit(&self, link: LinkId) -> Result<Option<VisitRow>, CrawlError> {
        match self.ledger.frontier().row(Table::Meta, &visit_of_key(link))? {
            Some(key) => crate::inspect::visit_at(self.ledger.frontier(), &key),
            None => Ok(None),
        }
    }
}

/// The last answer for the same link, if a 304 or `digest` says that nothing has changed since. Redirects and failures
/// have no body to go by.
pub(crate) fn unchanged(last: &VisitRow, status: u16, digest: &str) -> Option<Original> {
    let is_same = match status {
        304 => true,
        200..300 => last.status == status && last.digest.as_deref() == Some(digest),
        _ => false,
    };
    let record = last.archived.filter(|_| is_same)?;
    let url = CanonicalUrl::from_stored(&last.url).ok()?;
    Some(Original { url, date: last.fetched_at, record })
}
