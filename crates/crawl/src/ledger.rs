//! Archive, then one commit: the only place where a visit or a picture becomes true.
//!
//! By the time it gets here everything about it is decided: its row is complete, the policy has been told and its
//! wishes are worked out. The answer and the row go to the archive in one append, then the row, new links, group moves,
//! counts and (now and then) the policy's state to the frontier in one commit, which also says how far in the archive
//! everything is committed. So the archive is the log of the crawl: it may be ahead of the frontier by what was written
//! when the process ended, never behind, and what it is ahead by can be taken from it.
//!
//! The policy is told before the archive is written, not after: an answer on which a policy fails must not be found
//! in the archive again at every start.

use osprey_archive::{Cursor, Entry, Note, Original, Position};
use osprey_frontier::{Commit, Row, Settle, Table};
use osprey_model::{CanonicalUrl, Response, Timestamp};

use crate::absorb::{digest_key, encode, row_error};
use crate::compact::Compact;
use crate::links::Placed;
use crate::metadata::{EventKind, RobotsNote, RowName};
use crate::open::{PolicyState, keys, remember};
use crate::work::Job;
use crate::{BlockNote, Crawl, CrawlError, ParsedResponse, PictureRow, VisitRow};

/// Bytes of a policy's state that a visit may cost, in the mean.
const SNAPSHOT_BYTES_PER_VISIT: u64 = 10_000;

/// What there is to archive of a visit.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Evidence<'a> {
    /// An answer, and an earlier one with the same body.
    Answer { read: &'a ParsedResponse, original: Option<&'a Original> },
    /// No answer came, for a reason of this name.
    Silence(&'static str),
    /// What the archive has already.
    Archived(&'a Archived<'a>),
}

/// What the archive has of a visit that no commit has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Archived<'a> {
    /// The row that it tells, if it tells one; that counts, whatever has been made of the answer since.
    pub(crate) visit: Option<&'a VisitRow>,
    /// The same of a picture.
    pub(crate) picture: Option<&'a PictureRow>,
    /// Where the answer stands.
    pub(crate) at: Option<Position>,
    /// The answer, if it is the first one with its body.
    pub(crate) first: Option<&'a ParsedResponse>,
    /// Where its records end.
    pub(crate) end: Cursor,
}

impl<'a> Archived<'a> {
    /// An answer that the archive has without a row, and `first` if no other one has its body.
    pub(crate) fn bare(at: Position, first: Option<&'a ParsedResponse>, end: Cursor) -> Self {
        Self { visit: None, picture: None, at: Some(at), first, end }
    }
}

impl<'a> Evidence<'a> {
    /// An answer that is to be archived, unless it is already.
    pub(crate) fn of(
        read: &'a ParsedResponse,
        original: Option<&'a Original>,
        archived: Option<&'a Archived<'a>>,
    ) -> Self {
        archived.map_or(Self::Answer { read, original }, Self::Archived)
    }

    fn error(&self) -> Option<&'static str> {
        match self {
            Self::Silence(kind) => Some(kind),
            Self::Answer { .. } | Self::Archived(_) => None,
        }
    }
}

impl Crawl {
    /// The one commit of a visit.
    pub(crate) fn commit_visit(
        &mut self,
        job: &Job,
        mut row: VisitRow,
        block: &BlockNote,
        placed: &Placed,
        settle: Settle,
        evidence: &Evidence<'_>,
    ) -> Result<VisitRow, CrawlError> {
        if let Evidence::Archived(Archived { visit, at, .. }) = evidence {
            row = visit.cloned().unwrap_or(row);
            row.archived = row.archived.or(*at);
        }
        self.count(&row);
        let is_sitemap = matches!(evidence, Evidence::Answer { read, .. } if read.sitemap.is_some());
        let kind = EventKind::of_visit(&row, is_sitemap);
        let model = self.reader.site.as_ref().map(|site| site.key());
        self.metadata.make(kind, model, evidence.error(), RowName::Visit, &Compact(&row))?;
        let written = self.archive_evidence(job.url(), row.fetched_at, evidence)?;
        // an unchanged one keeps the place of the answer that it repeats
        let own = written.filter(|_| row.archived.is_none());
        row.archived = row.archived.or(own);
        let mut rows = vec![
            Row {
                table: Table::Visits,
                key: VisitRow::key(row.n).to_vec().into(),
                value: Some(self.metadata.stored_row(own).into()),
            },
            self.tally_row()?,
            self.archived_row()?,
        ];
        // the last full answer is what a later revisit is compared with
        if !(row.is_unchanged || (row.is_revisit && row.is_failure())) {
            rows.push(Row {
                table: Table::Meta,
                key: keys::visit_of(row.link).into(),
                value: Some(VisitRow::key(row.n).to_vec().into()),
            });
        }
        rows.extend(digest_row(evidence, written)?);
        if self.is_snapshot_due(row.n) {
            let snapshot = self.snapshot_row()?;
            self.last_snapshot = (row.n, snapshot.value.as_ref().map_or(0, |value| value.len() as u64));
            rows.push(snapshot);
        }
        let (settle, block, now) = (vec![(job.lease.id, settle)], encode("block", block)?, self.clock.now());
        self.frontier.commit(&Commit { settle, block: &block, rows, now, ..placed.commit() })?;
        self.sync_in_time()?;
        remember(&mut self.traps, &mut self.near, job.url(), &row);
        Ok(row)
    }

    /// The one commit of a picture.
    pub(crate) fn commit_picture(
        &mut self,
        job: &Job,
        mut row: PictureRow,
        block: &BlockNote,
        placed: &Placed,
        evidence: &Evidence<'_>,
    ) -> Result<(), CrawlError> {
        if let Evidence::Archived(Archived { picture, at, .. }) = evidence {
            row = picture.cloned().unwrap_or(row);
            row.archived = row.archived.or(*at);
        }
        let tally = &mut self.tally.pictures;
        tally.fetched += 1;
        tally.failed += u64::from(row.is_failure());
        tally.duplicates += u64::from(row.duplicate_of.is_some());
        tally.bytes += row.bytes;
        let (kind, error) = (EventKind::of_picture(&row), evidence.error());
        self.metadata.make(kind, None, error, RowName::Picture, &Compact(&row))?;
        let written = self.archive_evidence(job.url(), row.fetched_at, evidence)?;
        let (key, of) = (keys::picture(row.n), keys::picture_of(row.link));
        let meta = |key: Vec<u8>, value: Vec<u8>| Row {
            table: Table::Meta,
            key: key.into(),
            value: Some(value.into()),
        };
        let value = self.metadata.stored_row(written.filter(|_| row.archived.is_none()));
        let mut rows = vec![meta(of, key.clone()), meta(key, value), self.tally_row()?, self.archived_row()?];
        rows.extend(digest_row(evidence, written)?);
        let settle =
            vec![(job.lease.id, if row.is_failure() { Settle::Failed { reason: 0 } } else { Settle::Done })];
        let (block, now) = (encode("block", block)?, self.clock.now());
        self.frontier.commit(&Commit { settle, block: &block, rows, now, ..placed.commit() })?;
        self.sync_in_time()
    }

    /// Writes what was made of a visit, with its metadata. Returns where the answer stands.
    fn archive_evidence(
        &mut self,
        url: &CanonicalUrl,
        date: Timestamp,
        evidence: &Evidence<'_>,
    ) -> Result<Option<Position>, CrawlError> {
        let metadata = self.metadata.block();
        let written = match *evidence {
            Evidence::Answer { read, original } => {
                let (response, digest) = (&read.response, &read.digest);
                Some(self.archive.write(&Entry { response, digest, duplicate_of: original, metadata })?)
            }
            Evidence::Silence(_) => {
                self.archive.note(&Note { url, date, metadata })?;
                None
            }
            Evidence::Archived(archived) => {
                self.archived = archived.end;
                return Ok(archived.at);
            }
        };
        self.archived = self.archive.end();
        Ok(written)
    }

    /// Archives an answer for robots.txt: the rules of `home`, or a redirect on the way to them.
    pub(crate) fn archive_robots(
        &mut self,
        response: &Response,
        home: Option<&CanonicalUrl>,
    ) -> Result<(), CrawlError> {
        let note = RobotsNote { home: home.map(ToString::to_string) };
        self.metadata.make(EventKind::Robots, None, None, RowName::Robots, &note)?;
        let digest = osprey_archive::Digest::of(&response.body);
        let metadata = self.metadata.block();
        self.archive.write(&Entry { response, digest: &digest, duplicate_of: None, metadata })?;
        self.archived = self.archive.end();
        Ok(())
    }

    /// Every so many visits, and less often where the state is large: what is written for it stays small beside the pages
    /// themselves, and a resume tells the policy of more visits instead.
    fn is_snapshot_due(&self, n: u64) -> bool {
        let (last, bytes) = self.last_snapshot;
        n.is_multiple_of(self.settings.snapshot_every.max(1)) && n - last >= bytes / SNAPSHOT_BYTES_PER_VISIT
    }

    /// Against power cuts: first what commits refer to, then the commits.
    pub(crate) fn sync_in_time(&mut self) -> Result<(), CrawlError> {
        if self.frontier.is_sync_due() {
            self.archive.sync()?;
            self.frontier.sync()?;
        }
        Ok(())
    }

    fn count(&mut self, row: &VisitRow) {
        self.tally.visited += 1;
        self.tally.status(row.status);
        self.tally.bytes += row.bytes;
        self.tally.relevant += u64::from(row.relevant);
        self.tally.duplicates += u64::from(row.duplicate_of.is_some());
        self.tally.near_duplicates +=
            u64::from(row.near_duplicate_of.is_some() && row.duplicate_of.is_none());
        self.tally.cut += u64::from(row.is_cut);
    }

    /// How far in the archive everything is committed.
    pub(crate) fn archived_row(&self) -> Result<Row<'static>, CrawlError> {
        let value = encode("archived", &self.archived)?;
        Ok(Row { table: Table::Meta, key: keys::ARCHIVED.into(), value: Some(value.into()) })
    }

    pub(crate) fn tally_row(&self) -> Result<Row<'static>, CrawlError> {
        let value = serde_json::to_vec(&self.tally).map_err(|cause| row_error("tally", &cause))?;
        Ok(Row { table: Table::Meta, key: keys::TALLY.into(), value: Some(value.into()) })
    }

    pub(crate) fn snapshot_row(&self) -> Result<Row<'static>, CrawlError> {
        let state = PolicyState {
            identity: self.identity.clone(),
            visits: self.tally.visited,
            drops: self.tally.dropped,
            state: self.policy.snapshot(),
        };
        let value = encode("policy", &state)?;
        Ok(Row { table: Table::Policy, key: keys::SNAPSHOT.into(), value: Some(value.into()) })
    }
}

/// Where other answers with the same body find this one.
fn digest_row(
    evidence: &Evidence<'_>,
    written: Option<Position>,
) -> Result<Option<Row<'static>>, CrawlError> {
    let (Evidence::Answer { read, original: None } | Evidence::Archived(Archived { first: Some(read), .. })) =
        evidence
    else {
        return Ok(None);
    };
    let response = &read.response;
    let Some(record) = written.filter(|_| read.has_content()) else { return Ok(None) };
    let value = encode("digest", &Original { url: response.url.clone(), date: response.fetched_at, record })?;
    let key = digest_key(&read.digest).to_vec().into();
    Ok(Some(Row { table: Table::Digests, key, value: Some(value.into()) }))
}
