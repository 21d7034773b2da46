//! The format of the crawl's own rows (visits, pictures, drops, notes of blocks and links, the policy's state, counts),
//! whose bytes are this crate's; the frontier has a number of its own for its bytes.
//!
//! Rows of format 1 are those of before the archive told of visits. They read the same; what is missing is told the
//! archive when they are first opened: a metadata record for each visit and picture, alone, with the place of its answer.

use std::path::Path;
use std::time::Duration;

use osprey_archive::{Archive, Cursor, LogReader, Note, WriterOptions};
use osprey_frontier::{Commit, Frontier, Table};
use osprey_model::CanonicalUrl;

use crate::compact::Compact;
use crate::metadata::{EventKind, Metadata, MetadataWriter, RowName};
use crate::open::open_when_free;
use crate::rows::{self, committed_until, encode, meta, row_error, stored_tally};
use crate::{CrawlError, PictureRow, Told, VisitRow};

/// The format that this build writes.
const FORMAT: u32 = 2;

/// Compares the format of the rows with ours; whether they are older.
pub(crate) fn check(frontier: &Frontier) -> Result<bool, CrawlError> {
    let Some(bytes) = frontier.row(Table::Meta, rows::FORMAT)? else { return Ok(true) };
    let found: u32 = postcard::from_bytes(&bytes).map_err(|cause| row_error("format", &cause))?;
    if found > FORMAT { Err(CrawlError::Format { found, expected: FORMAT }) } else { Ok(found < FORMAT) }
}

/// Tells the archive of everything that was committed before it told of visits, and says so in the frontier; a new
/// frontier has nothing to tell. Returns how far in the archive everything is committed, and the records written. A kill
/// in between loses nothing: what the archive has been told behind `from`, the last answer that was committed, is not told
/// again.
pub(crate) fn upgrade(
    frontier: &mut Frontier,
    archive: &mut Archive,
    from: Cursor,
) -> Result<(Cursor, u64), CrawlError> {
    let tally = stored_tally(frontier)?;
    let mut told = 0;
    let mut end = from;
    if tally.visit_rows() + tally.picture_rows() > 0 {
        told = tell(frontier, archive, from)?;
        archive.sync()?;
        end = archive.end();
    }
    let format = encode("format", &FORMAT)?;
    let mut rows = vec![meta(rows::FORMAT, format)];
    if tally.visit_rows() + tally.picture_rows() > 0 {
        rows.push(meta(rows::ARCHIVED, encode("archived", &end)?));
    }
    frontier.commit(&Commit { rows, ..Commit::default() })?;
    Ok((end, told))
}

/// A project of an older version, whose archive does not tell of visits: tells it, as opening the crawl would do. For those
/// who read the archive of a crawl that is not running. Returns the records written; none if there is nothing to do.
pub fn complete_archive(
    data: &Path,
    options: &osprey_frontier::Options,
    archive: &WriterOptions,
    patience: Duration,
) -> Result<u64, CrawlError> {
    let dir = data.join("frontier");
    if !dir.exists() {
        return Ok(0);
    }
    let mut frontier = open_when_free(&dir, options, patience)?;
    if !check(&frontier)? {
        return Ok(0);
    }
    let committed = committed_until(&frontier)?;
    let mut archive = Archive::open(&data.join("archive"), archive, committed)?;
    let (_, told) = upgrade(&mut frontier, &mut archive, committed.unwrap_or_default())?;
    frontier.close()?;
    Ok(told)
}

/// Writes the records that the archive does not have, in the order in which their answers stand.
fn tell(frontier: &Frontier, archive: &mut Archive, from: Cursor) -> Result<u64, CrawlError> {
    let (visits, pictures) = already_told(archive.dir(), from)?;
    let mut notes = Notes::new(archive);
    let mut pictures = crate::pictures::pictures(frontier)
        .filter(|row| row.as_ref().map_or(true, |row| row.n > pictures))
        .peekable();
    for row in crate::inspect::visits(frontier, visits + 1) {
        let row = row?;
        let is_before = |picture: &Result<PictureRow, CrawlError>| {
            picture.as_ref().map_or(true, |picture| row.archived.is_some() && picture.archived < row.archived)
        };
        while let Some(picture) = pictures.next_if(is_before) {
            notes.picture(&picture?)?;
        }
        notes.visit(&row)?;
    }
    pictures.try_for_each(|picture| notes.picture(&picture?))?;
    Ok(notes.told)
}

/// The last visit and the last picture that the archive tells of behind `from`.
fn already_told(dir: &Path, from: Cursor) -> Result<(u64, u64), CrawlError> {
    let mut log = LogReader::open(dir, from);
    let (mut visits, mut pictures) = (0, 0);
    while let Some(entry) = log.next_entry()? {
        if let Ok(Metadata { visit, picture, .. }) = Metadata::parse(&entry.metadata) {
            visits = visits.max(visit.map_or(0, |row| row.n));
            pictures = pictures.max(picture.map_or(0, |row| row.n));
        }
    }
    Ok((visits, pictures))
}

/// Metadata records without an answer of their own.
pub(crate) struct Notes<'a> {
    archive: &'a mut Archive,
    metadata: MetadataWriter,
    told: u64,
}

impl<'a> Notes<'a> {
    pub(crate) fn new(archive: &'a mut Archive) -> Self {
        Self { archive, metadata: MetadataWriter::default(), told: 0 }
    }

    pub(crate) fn visit(&mut self, row: &VisitRow) -> Result<(), CrawlError> {
        let kind = EventKind::of_visit(row, row.told == Told::Sitemap);
        self.metadata.make(kind, None, None, RowName::Visit, &Compact(row))?;
        self.write(&row.url, row.fetched_at)
    }

    pub(crate) fn picture(&mut self, row: &PictureRow) -> Result<(), CrawlError> {
        self.metadata.make(EventKind::of_picture(row), None, None, RowName::Picture, &Compact(row))?;
        self.write(&row.url, row.fetched_at)
    }

    fn write(&mut self, url: &str, date: osprey_model::Timestamp) -> Result<(), CrawlError> {
        let url = CanonicalUrl::from_stored(url).map_err(|cause| row_error("visit", &cause))?;
        self.archive.note(&Note { url: &url, date, metadata: self.metadata.block() })?;
        self.told += 1;
        Ok(())
    }
}
