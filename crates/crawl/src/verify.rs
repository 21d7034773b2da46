//! Verifies the stores of a crawl that is not running: every row can be read, what rows refer to is in the archive, and what
//! the archive has is committed.

use std::path::Path;

use osprey_archive::{LogReader, Position};
use osprey_frontier::{FrontierError, Table};
use osprey_model::LinkId;

use crate::metadata::Metadata;
use crate::rows::committed_until;
use crate::{CrawlError, Inspection, VisitRow};

/// Faults that are named; the rest are counted.
const NAMED: usize = 50;

/// What is wrong with a frontier.
#[derive(Clone, Debug, Default)]
pub struct FrontierFaults {
    /// In words: the first of them.
    pub named: Vec<String>,
    /// How many there are.
    pub count: u64,
}

impl FrontierFaults {
    fn add(&mut self, what: String) {
        self.count += 1;
        if self.named.len() < NAMED {
            self.named.push(what);
        }
    }

    /// Whether a row could be read; one that cannot ends the table.
    fn can_read<T>(&mut self, row: &Result<T, CrawlError>) -> bool {
        if let Err(error) = row {
            self.add(error.to_string());
        }
        row.is_ok()
    }
}

impl Inspection {
    /// Reads all rows and links. `has` says whether the archive has a place.
    pub fn verify(&self, mut has: impl FnMut(Position) -> bool) -> FrontierFaults {
        let mut faults = FrontierFaults::default();
        let mut refers = |what: &str, n: u64, at: Option<Position>, faults: &mut FrontierFaults| {
            if let Some(at) = at.filter(|at| !has(*at)) {
                faults.add(format!(
                    "{what} {n} refers to file {} at {}, where the archive has nothing",
                    at.file, at.offset
                ));
            }
        };
        for row in self.visits() {
            match row {
                Ok(row) => refers("visit", row.n, row.archived, &mut faults),
                Err(error) => {
                    faults.add(error.to_string());
                    break;
                }
            }
        }
        for row in self.pictures() {
            match row {
                Ok(row) => refers("picture", row.n, row.archived, &mut faults),
                Err(error) => {
                    faults.add(error.to_string());
                    break;
                }
            }
        }
        for table in [Table::Policy, Table::Digests, Table::Robots, Table::Meta] {
            let mut rows = self.frontier.rows(table, &[]).map(|row| row.map_err(CrawlError::from));
            while rows.next().is_some_and(|row| faults.can_read(&row)) {}
        }
        for id in 0..u32::try_from(self.frontier.known()).unwrap_or(u32::MAX) {
            match self.frontier.link(LinkId(id)) {
                Ok(_) | Err(FrontierError::UnknownLink { .. }) => {}
                Err(error) => faults.add(error.to_string()),
            }
        }
        faults
    }

    /// Visits in `archive` that no commit has: the crawl was killed before it, or its last commits were cut off. The next
    /// run takes them over.
    pub fn uncommitted(&self, archive: &Path) -> Result<u64, CrawlError> {
        let from = committed_until(&self.frontier)?.unwrap_or_default();
        let (mut log, mut count) = (LogReader::open(archive, from), 0);
        while let Some(entry) = log.next_entry()? {
            let Some(row) = Metadata::parse(&entry.metadata).ok().and_then(|metadata| metadata.visit) else {
                continue;
            };
            let is_same = |old: VisitRow| old.url == row.url && old.fetched_at == row.fetched_at;
            count += u64::from(!crate::inspect::visit(&self.frontier, row.n)?.is_some_and(is_same));
        }
        Ok(count)
    }
}
