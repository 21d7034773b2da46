//! By which want the verdicts of a crawl are, and what was counted under those before: one row beside the counts.

use osprey_frontier::{Frontier, Row, Table};
use osprey_model::Timestamp;
use osprey_steer::asks_the_same;
use serde::{Deserialize, Serialize};

use crate::CrawlError;
use crate::rows::{self, meta, row_error};

/// Wants that are remembered.
const MOST: usize = 100;

/// A want that is no more, and what was counted under it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PastWant {
    /// When it changed.
    pub until: Timestamp,
    /// The identity of its judge.
    pub identity: String,
    /// Pages visited by then.
    pub visited: u64,
    /// Those of them that it found relevant.
    pub relevant: u64,
}

/// The row.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Wants {
    /// Of the judge that gave the verdicts.
    pub(crate) identity: String,
    /// What was counted when judging again began, if it has not come to its end.
    pub(crate) under_way: Option<PastWant>,
    /// Oldest first.
    pub(crate) past: Vec<PastWant>,
}

impl Wants {
    /// Everything is judged by `identity` now.
    pub(crate) fn end(&mut self, identity: &str) {
        if let Some(past) = self.under_way.take().filter(|past| !asks_the_same(&past.identity, identity)) {
            self.past.push(past);
            let surplus = self.past.len().saturating_sub(MOST);
            self.past.drain(..surplus);
        }
        identity.clone_into(&mut self.identity);
    }

    pub(crate) fn row(&self) -> Result<Row<'static>, CrawlError> {
        Ok(meta(rows::WANTS, serde_json::to_vec(self).map_err(|cause| row_error("wants", &cause))?))
    }
}

/// The row as last committed; `None` for a crawl that has none yet.
pub(crate) fn stored_wants(frontier: &Frontier) -> Result<Option<Wants>, CrawlError> {
    let bytes = frontier.row(Table::Meta, rows::WANTS)?;
    let read = |bytes: Vec<u8>| serde_json::from_slice(&bytes).map_err(|cause| row_error("wants", &cause));
    bytes.map(read).transpose()
}
