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

use std::path::Path;
use std::sync::Arc;

use osprey_archive::{Archive, ArchiveReader, Cursor, Digest, Entry, Note, Original, Position, Repair};
use osprey_frontier::{Commit, Frontier, Initial, NewLink, Row, Settle, Table};
use osprey_model::{CanonicalUrl, Clock, GroupId, LinkId, LinkScore, Response, Timestamp};

use crate::compact::Compact;
use crate::format;
use crate::links::Placed;
use crate::metadata::{EventKind, MetadataWriter, RobotsNote, RowName};
use crate::open::{PATIENCE, open_when_free};
use crate::records::RecordLog;
use crate::rows::{
    self, DropRow, PolicyState, committed_until, drop_key, encode, meta, picture_key, picture_of_key,
    row_error, visit_of_key,
};
use crate::work::Job;
use crate::{
    BlockNote, ClosedPattern, CrawlError, ParsedResponse, PictureRow, Reader, RevisitOutcome, Revisits,
    Settings, Skip, Tally, VisitRow,
};

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

/// A visit, with everything that is decided about it.
pub(crate) struct NewVisit<'a> {
    pub(crate) job: &'a Job,
    pub(crate) row: VisitRow,
    /// What is remembered of it for its links.
    pub(crate) block: &'a BlockNote,
    pub(crate) placed: &'a Placed,
    pub(crate) settle: Settle,
    pub(crate) evidence: &'a Evidence<'a>,
    /// The policy's state, if it is to be stored, and what is closed as a trap with it.
    pub(crate) snapshot: Option<(PolicyState, Vec<ClosedPattern>)>,
}

/// Links whose places are worked out anew.
#[derive(Default)]
pub(crate) struct Anew<'a> {
    /// What is remembered of the page for its links.
    pub(crate) block: BlockNote,
    /// What the policy wants.
    pub(crate) placed: Option<&'a Placed>,
    /// Other links that move.
    pub(crate) moves: Vec<(LinkId, GroupId, LinkScore)>,
    /// Whether a link has no new place yet; then the one that it had does not count.
    pub(crate) is_first: Option<&'a mut dyn FnMut(LinkId) -> bool>,
}

/// The stores of a crawl: the archive and the frontier. Only this writes to the one, and makes commits to the other.
pub(crate) struct Ledger {
    frontier: Frontier,
    archive: Archive,
    archive_reader: ArchiveReader,
    /// Where records go, if the site was learned.
    records: Option<RecordLog>,
    metadata: MetadataWriter,
    /// How far in the archive everything is committed, or will be with the next commit.
    archived: Cursor,
    clock: Arc<dyn Clock>,
    /// The key of what was learned of the site.
    model: Option<String>,
}

impl Ledger {
    /// Opens the archive in `data` and the frontier in `dir`.
    pub(crate) fn open(
        data: &Path,
        dir: &Path,
        settings: &Settings,
        model: Option<String>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, CrawlError> {
        let mut frontier = open_when_free(dir, &settings.frontier, PATIENCE)?;
        let is_old = format::check(&frontier)?;
        let committed = committed_until(&frontier)?;
        let archive_dir = data.join("archive");
        let mut archive = Archive::open(&archive_dir, &settings.archive, committed)?;
        let mut archived = committed.unwrap_or_default();
        if is_old {
            archived = format::upgrade(&mut frontier, &mut archive, archived)?.0;
        }
        let metadata = MetadataWriter::default();
        let archive_reader = ArchiveReader::new(&archive_dir);
        Ok(Self { frontier, archive, archive_reader, records: None, metadata, archived, clock, model })
    }

    /// What was mended when the archive was opened.
    pub(crate) fn repaired(&self) -> Option<&Repair> {
        self.archive.repaired()
    }

    /// Opens the file of records in `data` and makes it whole.
    pub(crate) fn open_records(
        &mut self,
        data: &Path,
        reader: &Reader,
        tally: &Tally,
    ) -> Result<(), CrawlError> {
        if let Some(site) = &reader.site {
            let log = RecordLog::open(data, &self.frontier, tally.visit_rows(), site, &reader.rules)?;
            self.records = Some(log);
        }
        Ok(())
    }

    pub(crate) fn frontier(&self) -> &Frontier {
        &self.frontier
    }

    /// The frontier, to lease from and to pace hosts; what changes there lands with the next commit.
    pub(crate) fn frontier_mut(&mut self) -> &mut Frontier {
        &mut self.frontier
    }

    /// Reads the archive, and knows what of it is damaged.
    pub(crate) fn archive_reader(&self) -> &ArchiveReader {
        &self.archive_reader
    }

    /// How far in the archive everything is committed, or will be with the next commit.
    pub(crate) fn archived(&self) -> Cursor {
        self.archived
    }

    /// Whatever the archive has up to `end` needs no commit of its own.
    pub(crate) fn pass_archived(&mut self, end: Cursor) {
        self.archived = self.archived.max(end);
    }

    /// What is archived of a URL at a place; `None` if it is lost.
    pub(crate) fn answer_at(&self, at: Position, url: Option<&str>) -> Option<Response> {
        self.archive_reader.read(at, url).ok()
    }

    /// An answer with the same body under another URL, from which nothing new can be learned.
    pub(crate) fn original(&self, read: &ParsedResponse) -> Result<Option<Original>, CrawlError> {
        if !read.has_content() {
            return Ok(None);
        }
        let stored = self.frontier.row(Table::Digests, digest_key(&read.digest))?;
        Ok(stored
            .and_then(|bytes| postcard::from_bytes::<Original>(&bytes).ok())
            .filter(|original| original.url != read.response.url))
    }

    /// The one commit of a visit; `tally` has counted it.
    pub(crate) fn visit(&mut self, visit: NewVisit<'_>, tally: &Tally) -> Result<VisitRow, CrawlError> {
        let NewVisit { job, mut row, block, placed, settle, evidence, snapshot } = visit;
        let is_sitemap = matches!(evidence, Evidence::Answer { read, .. } if read.sitemap.is_some());
        let (kind, model) = (EventKind::of_visit(&row, is_sitemap), self.model.as_deref());
        self.metadata.make(kind, model, evidence.error(), RowName::Visit, &Compact(&row))?;
        let written = self.archive_evidence(job.url(), row.fetched_at, evidence)?;
        // an unchanged one keeps the place of the answer that it repeats
        let own = written.filter(|_| row.archived.is_none());
        row.archived = row.archived.or(own);
        let (key, value) = (VisitRow::key(row.n).to_vec(), self.metadata.stored_row(own));
        let mut rows = vec![
            Row { table: Table::Visits, key: key.clone().into(), value: Some(value.into()) },
            tally_row(tally)?,
            self.archived_row()?,
        ];
        // the last full answer is what a later revisit is compared with
        if !(row.is_unchanged || (row.is_revisit && row.is_failure())) {
            rows.push(meta(visit_of_key(row.link), key));
        }
        if let Some(outcome) = RevisitOutcome::of_visit(&row) {
            rows.push(Revisits::row(&self.frontier, row.link, row.fetched_at, outcome)?);
        }
        rows.extend(digest_row(evidence, written)?);
        if let Some((state, closed)) = snapshot {
            rows.extend([snapshot_row(&state)?, closed_row(&closed)?]);
        }
        self.settle(job, settle, block, placed, rows)?;
        if let Some(records) = self.records.as_mut().filter(|_| row.has_record() && !row.is_failure())
            && let Evidence::Answer { read, .. } = evidence
        {
            let reading = read.page.as_ref().and_then(|page| page.reading.as_ref());
            records.append(row.n, reading.and_then(|reading| reading.record.clone()))?;
        }
        Ok(row)
    }

    /// The one commit of a picture; `tally` has counted it.
    pub(crate) fn picture(
        &mut self,
        job: &Job,
        row: &PictureRow,
        block: &BlockNote,
        placed: &Placed,
        evidence: &Evidence<'_>,
        tally: &Tally,
    ) -> Result<(), CrawlError> {
        let (kind, error) = (EventKind::of_picture(row), evidence.error());
        self.metadata.make(kind, None, error, RowName::Picture, &Compact(row))?;
        let written = self.archive_evidence(job.url(), row.fetched_at, evidence)?;
        let key = picture_key(row.n);
        let value = self.metadata.stored_row(written.filter(|_| row.archived.is_none()));
        let mut rows = vec![meta(key.clone(), value), tally_row(tally)?, self.archived_row()?];
        if !(row.is_unchanged || (row.is_revisit && row.is_failure())) {
            rows.push(meta(picture_of_key(row.link), key));
        }
        if let Some(outcome) = RevisitOutcome::of_picture(row) {
            rows.push(Revisits::row(&self.frontier, row.link, row.fetched_at, outcome)?);
        }
        rows.extend(digest_row(evidence, written)?);
        let settle = if row.is_failure() { Settle::Failed { reason: 0 } } else { Settle::Done };
        self.settle(job, settle, block, placed, rows)
    }

    fn settle(
        &mut self,
        job: &Job,
        settle: Settle,
        block: &BlockNote,
        placed: &Placed,
        rows: Vec<Row<'_>>,
    ) -> Result<(), CrawlError> {
        let (settle, block) = (vec![(job.lease.id, settle)], encode("block", block)?);
        self.commit(Commit { settle, block: &block, rows, ..wishes(placed) })?;
        // against power cuts: first what commits refer to, then the commits
        if self.frontier.is_sync_due() {
            self.archive.sync()?;
            self.frontier.sync()?;
        }
        Ok(())
    }

    fn commit(&mut self, commit: Commit<'_>) -> Result<(), CrawlError> {
        self.frontier.commit(&Commit { now: self.clock.now(), ..commit })?;
        Ok(())
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
        let digest = Digest::of(&response.body);
        let metadata = self.metadata.block();
        self.archive.write(&Entry { response, digest: &digest, duplicate_of: None, metadata })?;
        self.archived = self.archive.end();
        Ok(())
    }

    /// The rules of an origin, as `rules` stores them, and the sitemaps that they name.
    pub(crate) fn robots(
        &mut self,
        home: &CanonicalUrl,
        rules: Row<'_>,
        sitemaps: &[CanonicalUrl],
        tally: &Tally,
    ) -> Result<(), CrawlError> {
        let parent = Some(home.robots_txt().to_string());
        let block = encode("block", &BlockNote { parent, sitemaps: 1, ..BlockNote::default() })?;
        let rows = vec![rules, tally_row(tally)?, self.archived_row()?];
        let add = sitemaps.iter().map(unscored).collect();
        self.commit(Commit { block: &block, add, rows, ..Commit::default() })
    }

    /// What has changed of hosts' turns has to survive a kill.
    pub(crate) fn save_turns(&mut self) -> Result<(), CrawlError> {
        self.commit(Commit::default())
    }

    /// Start URLs that are new wait.
    pub(crate) fn add_seeds(&mut self, seeds: &[CanonicalUrl]) -> Result<(), CrawlError> {
        let new = seeds.iter().filter(|url| !self.frontier.contains(url));
        let add: Vec<NewLink<'_>> = new.map(unscored).collect();
        if add.is_empty() {
            return Ok(());
        }
        let block = encode("block", &BlockNote::default())?;
        self.commit(Commit { block: &block, add, ..Commit::default() })
    }

    /// One link waits; how it was come by is in `block` and `payload`.
    pub(crate) fn add_link(&mut self, link: NewLink<'_>, block: &BlockNote) -> Result<(), CrawlError> {
        let block = encode("block", block)?;
        self.commit(Commit { block: &block, add: vec![link], ..Commit::default() })
    }

    /// Links that were fetched wait again; `tally` has counted them.
    pub(crate) fn add_again(
        &mut self,
        pages: Vec<(LinkId, GroupId, LinkScore)>,
        pictures: Vec<LinkId>,
        tally: &Tally,
    ) -> Result<(), CrawlError> {
        let rows = vec![tally_row(tally)?];
        self.commit(Commit { again: pictures, again_in: pages, rows, ..Commit::default() })
    }

    /// Links that failed wait again, and these rows are forgotten.
    pub(crate) fn try_again(
        &mut self,
        again: Vec<LinkId>,
        forgotten: Vec<Row<'_>>,
    ) -> Result<(), CrawlError> {
        self.commit(Commit { again, rows: forgotten, ..Commit::default() })
    }

    /// Puts back a lease whose request was not made.
    pub(crate) fn release(&mut self, job: &Job) -> Result<(), CrawlError> {
        self.commit(Commit { settle: vec![(job.lease.id, Settle::Release)], ..Commit::default() })
    }

    /// Puts a lease back until then.
    pub(crate) fn retry(&mut self, job: &Job, at: Timestamp, tally: &Tally) -> Result<(), CrawlError> {
        let (settle, rows) = (vec![(job.lease.id, Settle::Retry { at })], vec![tally_row(tally)?]);
        self.commit(Commit { settle, rows, ..Commit::default() })
    }

    /// Settles a lease as not to be fetched; `told` if the policy has to be told again at the next start.
    pub(crate) fn drop_link(
        &mut self,
        job: &Job,
        skip: Skip,
        placed: &Placed,
        told: Option<(u64, DropRow)>,
        tally: &Tally,
    ) -> Result<(), CrawlError> {
        let mut rows = vec![tally_row(tally)?];
        if let Some((n, row)) = told {
            rows.push(meta(drop_key(n), encode("drop", &row)?));
        }
        let settle = vec![(job.lease.id, Settle::Dropped { reason: skip.code() })];
        self.commit(Commit { settle, rows, ..wishes(placed) })
    }

    /// Does what the policy wants without a visit. No visit tells of this when the crawl is resumed, so the policy's state
    /// is stored with it.
    pub(crate) fn carry_out(&mut self, placed: &Placed, snapshot: &PolicyState) -> Result<(), CrawlError> {
        self.commit(Commit { rows: vec![snapshot_row(snapshot)?], ..wishes(placed) })
    }

    /// Carries out what a policy wants that is told of everything again.
    pub(crate) fn place_anew(&mut self, anew: Anew<'_>) -> Result<(), CrawlError> {
        let Anew { block, placed, moves, mut is_first } = anew;
        let block = encode("block", &block)?;
        let nothing = Placed::default();
        let mut commit = Commit { block: &block, moves, ..wishes(placed.unwrap_or(&nothing)) };
        let (mut place, mut add) = (Vec::new(), Vec::new());
        for link in commit.add {
            let waits = self.frontier.id(link.url).filter(|id| {
                let group = self.frontier.place(*id).map(|(group, _)| group);
                group.is_some_and(|group| group != GroupId::PICTURES && group != GroupId::REVISITS)
            });
            let is_anew = waits.zip(is_first.as_mut()).is_some_and(|(id, is_first)| is_first(id));
            if is_anew { place.push(link) } else { add.push(link) }
        }
        (commit.place, commit.add) = (place, add);
        let is_empty = commit.place.is_empty() && commit.add.is_empty() && commit.factors.is_empty();
        if is_empty && commit.moves.is_empty() && commit.rescore.is_empty() && commit.drop.is_empty() {
            return Ok(());
        }
        self.commit(commit)
    }

    /// Rows that stand alone.
    pub(crate) fn save_rows(&mut self, rows: Vec<Row<'_>>) -> Result<(), CrawlError> {
        if rows.is_empty() { Ok(()) } else { self.commit(Commit { rows, ..Commit::default() }) }
    }

    /// Everything is judged again.
    pub(crate) fn end_rejudging(
        &mut self,
        tally: &Tally,
        snapshot: &PolicyState,
        wants: Row<'_>,
    ) -> Result<(), CrawlError> {
        self.save_rows(vec![tally_row(tally)?, snapshot_row(snapshot)?, wants])?;
        Ok(self.frontier.sync()?)
    }

    /// The archive has nothing that is not committed.
    pub(crate) fn settle_archive(&mut self, tally: &Tally, snapshot: &PolicyState) -> Result<(), CrawlError> {
        self.archived = self.archive.end();
        let rows = vec![tally_row(tally)?, snapshot_row(snapshot)?, self.archived_row()?];
        self.commit(Commit { rows, ..Commit::default() })
    }

    /// From now on the archive tells of these visits and pictures, too.
    pub(crate) fn tell_archive(&mut self, visits: &[u64], pictures: &[u64]) -> Result<(), CrawlError> {
        let mut notes = format::Notes::new(&mut self.archive);
        for &n in visits {
            if let Some(row) = crate::inspect::visit(&self.frontier, n)? {
                notes.visit(&row)?;
            }
        }
        for &n in pictures {
            if let Some(row) = crate::pictures::picture(&self.frontier, n)? {
                notes.picture(&row)?;
            }
        }
        Ok(())
    }

    /// The last commit of a run: leases that are still open go back.
    pub(crate) fn end_run(
        &mut self,
        open: impl Iterator<Item = Job>,
        tally: &Tally,
        snapshot: &PolicyState,
        closed: &[ClosedPattern],
    ) -> Result<(), CrawlError> {
        self.archive.sync()?;
        if let Some(records) = &mut self.records {
            records.through(tally.visit_rows())?;
        }
        let settle = open.map(|job| (job.lease.id, Settle::Release)).collect();
        let rows = vec![tally_row(tally)?, snapshot_row(snapshot)?, closed_row(closed)?];
        self.commit(Commit { settle, rows, ..Commit::default() })
    }

    pub(crate) fn close(mut self) -> Result<(), CrawlError> {
        self.archive.sync()?;
        Ok(self.frontier.close()?)
    }

    fn archived_row(&self) -> Result<Row<'static>, CrawlError> {
        Ok(meta(rows::ARCHIVED, encode("archived", &self.archived)?))
    }
}

/// A link that no policy was asked about: a start URL, or a sitemap.
fn unscored(url: &CanonicalUrl) -> NewLink<'_> {
    NewLink { url, group: GroupId::ALL, own: LinkScore::ONE, payload: &[], state: Initial::Waiting }
}

/// What a policy wants, as the frontier takes it.
fn wishes(placed: &Placed) -> Commit<'_> {
    let (factors, drop) = (placed.factors().to_vec(), placed.drops().to_vec());
    let rescore = placed.rescored().iter().map(|(id, own)| ((*id).into(), *own)).collect();
    Commit { add: placed.new_links().collect(), factors, rescore, drop, ..Commit::default() }
}

fn tally_row(tally: &Tally) -> Result<Row<'static>, CrawlError> {
    Ok(meta(rows::TALLY, serde_json::to_vec(tally).map_err(|cause| row_error("tally", &cause))?))
}

fn closed_row(closed: &[ClosedPattern]) -> Result<Row<'static>, CrawlError> {
    Ok(meta(rows::CLOSED, serde_json::to_vec(closed).map_err(|cause| row_error("closed", &cause))?))
}

fn snapshot_row(state: &PolicyState) -> Result<Row<'static>, CrawlError> {
    let value = encode("policy", state)?;
    Ok(Row { table: Table::Policy, key: rows::SNAPSHOT.into(), value: Some(value.into()) })
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

fn digest_key(digest: &Digest) -> &[u8] {
    digest.as_bytes().get(..16).unwrap_or_default()
}
