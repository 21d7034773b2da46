//! The crawl's own rows in the frontier's store: their keys, their bytes, and the few that stand alone.

use osprey_archive::{Cursor, Position};
use osprey_frontier::{Frontier, Row, Table};
use osprey_model::LinkId;
use serde::{Deserialize, Serialize};

use crate::{ClosedPattern, CrawlError, Tally};

pub(crate) const TALLY: &[u8] = b"tally";
pub(crate) const SNAPSHOT: &[u8] = b"snapshot";
/// How far in the archive everything is committed.
pub(crate) const ARCHIVED: &[u8] = b"archived";
/// The format of all rows but the frontier's own.
pub(crate) const FORMAT: &[u8] = b"format";
/// By which want the verdicts are.
pub(crate) const WANTS: &[u8] = b"wants";
/// What is closed as a trap, for `status`.
pub(crate) const CLOSED: &[u8] = b"closed";
/// Where the drops of leased links begin.
const DROPS: &[u8] = b"drop/";
/// Where pictures begin.
pub(crate) const PICTURES: &[u8] = b"picture/";

/// The key of the n-th drop of a leased link.
pub(crate) fn drop_key(n: u64) -> Vec<u8> {
    [DROPS, &n.to_be_bytes()].concat()
}

/// The key of the n-th picture.
pub(crate) fn picture_key(n: u64) -> Vec<u8> {
    [PICTURES, &n.to_be_bytes()].concat()
}

/// The key of which picture a link is.
pub(crate) fn picture_of_key(link: LinkId) -> Vec<u8> {
    [&b"picture-of/"[..], &link.0.to_be_bytes()].concat()
}

/// The key of which visit a link had.
pub(crate) fn visit_of_key(link: LinkId) -> Vec<u8> {
    [&b"visit-of/"[..], &link.0.to_be_bytes()].concat()
}

/// The key of what the revisits of a link found.
pub(crate) fn revisit_of_key(link: LinkId) -> Vec<u8> {
    [&b"revisit-of/"[..], &link.0.to_be_bytes()].concat()
}

/// A link that was dropped when its turn came, as stored for the next start, which tells the policy again.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct DropRow {
    /// Visits there were before.
    pub(crate) after: u64,
    pub(crate) link: LinkId,
    pub(crate) url: String,
    pub(crate) depth: u32,
    pub(crate) reason: u8,
}

/// Drops of leased links from the n-th on.
pub(crate) fn drops(
    frontier: &Frontier,
    n: u64,
) -> impl Iterator<Item = Result<DropRow, CrawlError>> + use<> {
    let rows = frontier.rows(Table::Meta, &drop_key(n));
    let rows = rows.take_while(|row| row.as_ref().map_or(true, |(key, _)| key.starts_with(DROPS)));
    rows.map(|row| postcard::from_bytes(&row?.1).map_err(|cause| row_error("drop", &cause)))
}

/// A policy's state as stored.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct PolicyState {
    pub(crate) identity: String,
    pub(crate) visits: u64,
    pub(crate) drops: u64,
    pub(crate) state: Vec<u8>,
}

/// The policy's last snapshot.
pub(crate) fn stored_policy(frontier: &Frontier) -> Result<Option<PolicyState>, CrawlError> {
    let bytes = frontier.row(Table::Policy, SNAPSHOT)?;
    bytes.map(|bytes| postcard::from_bytes(&bytes).map_err(|cause| row_error("policy", &cause))).transpose()
}

/// The counts as last committed.
pub(crate) fn stored_tally(frontier: &Frontier) -> Result<Tally, CrawlError> {
    match frontier.row(Table::Meta, TALLY)? {
        Some(bytes) => serde_json::from_slice(&bytes).map_err(|cause| row_error("tally", &cause)),
        None => Ok(Tally::default()),
    }
}

/// What was closed as a trap when that was last stored.
pub(crate) fn stored_closed(frontier: &Frontier) -> Result<Vec<ClosedPattern>, CrawlError> {
    let bytes = frontier.row(Table::Meta, CLOSED)?;
    let read = |bytes: &[u8]| serde_json::from_slice(bytes).map_err(|cause| row_error("closed", &cause));
    bytes.map_or(Ok(Vec::new()), |bytes| read(&bytes))
}

/// How far in the archive everything is committed; `None` for a crawl that has archived nothing. Versions before the
/// archive told of visits did not say: there it is behind the last answer that a row refers to.
pub(crate) fn committed_until(frontier: &Frontier) -> Result<Option<Cursor>, CrawlError> {
    match frontier.row(Table::Meta, ARCHIVED)? {
        Some(bytes) => Ok(Some(postcard::from_bytes(&bytes).map_err(|cause| row_error("archived", &cause))?)),
        None => Ok(last_archived(frontier)?.map(Position::end)),
    }
}

/// The last record that a commit refers to. Visits that found nothing new refer to older ones.
fn last_archived(frontier: &Frontier) -> Result<Option<Position>, CrawlError> {
    let tally = stored_tally(frontier)?;
    let mut last = None;
    for n in (1..=tally.visit_rows()).rev() {
        let row = crate::inspect::visit(frontier, n)?;
        last = row.filter(|row| !row.is_unchanged).and_then(|row| row.archived);
        if last.is_some() {
            break;
        }
    }
    for n in (1..=tally.picture_rows()).rev() {
        if let Some(archived) = crate::pictures::picture(frontier, n)?.and_then(|row| row.archived) {
            return Ok(last.max(Some(archived)));
        }
    }
    Ok(last)
}

/// A row of the crawl's own.
pub(crate) fn meta(key: impl Into<Vec<u8>>, value: Vec<u8>) -> Row<'static> {
    Row { table: Table::Meta, key: key.into().into(), value: Some(value.into()) }
}

pub(crate) fn decode<'a, T: Deserialize<'a> + Default>(row: &str, bytes: &'a [u8]) -> Result<T, CrawlError> {
    if bytes.is_empty() {
        return Ok(T::default());
    }
    postcard::from_bytes(bytes).map_err(|cause| row_error(row, &cause))
}

pub(crate) fn encode(row: &str, value: &impl Serialize) -> Result<Vec<u8>, CrawlError> {
    postcard::to_stdvec(value).map_err(|cause| row_error(row, &cause))
}

pub(crate) fn row_error(row: &str, cause: &dyn std::fmt::Display) -> CrawlError {
    CrawlError::Row { row: row.to_owned(), cause: cause.to_string() }
}
