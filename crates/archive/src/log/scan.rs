//! Finds the metadata records of our WARC files by reading the files themselves, from any position and while they
//! grow.
//!
//! Only members that decode to their end count. In the last file, what follows the last of them may be half written
//! and is read again later; anywhere else it is damage, which is skipped and named. Nothing is locked or written.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use bytes::Bytes;

use super::{MAX_METADATA, PassedOver};
use crate::error::ArchiveError;
use crate::position::{self, Cursor, Position};
use crate::read::{ReaderOptions, Record, RecordKind, RecordReader};
use crate::region::{Region, RegionReader};
use crate::write::JSON;

/// An item found by a scan.
#[derive(Debug)]
pub(super) enum ScanItem {
    /// A metadata record, and the response it was written with.
    Metadata { block: Bytes, at: Position, response: Option<Position> },
    /// A response without metadata.
    Bare(Position),
    /// Bytes that could not be read.
    Damage(PassedOver),
    /// The end of a file.
    FileEnd(Cursor),
}

/// A scan in progress.
pub(super) struct Scan {
    dir: PathBuf,
    /// The end of the last complete record.
    at: Cursor,
    open: Option<Open>,
    /// A response whose metadata may follow.
    response: Option<(Position, String)>,
    /// The last damage: its start and length.
    damaged: Option<Position>,
    /// Items found but not returned yet: a few at most.
    found: VecDeque<ScanItem>,
}

/// A file with the length it had when it was opened.
struct Open {
    reader: RecordReader<RegionReader>,
    path: PathBuf,
    length: u64,
    /// Number of the reader's problems that were returned.
    told: u64,
}

/// A file and the one after it.
struct Files {
    this: Option<PathBuf>,
    next: Option<u32>,
}

impl Scan {
    pub(super) fn new(dir: &Path, at: Cursor) -> Self {
        Self { dir: dir.to_owned(), at, open: None, response: None, damaged: None, found: VecDeque::new() }
    }

    /// The end of the last complete record, if everything before it was returned.
    pub(super) fn resting_at(&self) -> Option<Cursor> {
        self.found.is_empty().then_some(self.at)
    }

    /// A response at the end of the files whose metadata has not been written yet.
    pub(super) fn pending(&self) -> Option<Position> {
        self.response.as_ref().map(|(position, _)| *position)
    }

    /// The next item; `None` if there is none now.
    pub(super) fn next(&mut self) -> Result<Option<ScanItem>, ArchiveError> {
        loop {
            if let Some(found) = self.found.pop_front() {
                return Ok(Some(found));
            }
            if !self.step()? {
                return Ok(None);
            }
        }
    }

    /// Advances by a record or a file; `false` if there is nothing more now.
    fn step(&mut self) -> Result<bool, ArchiveError> {
        let Some(open) = &mut self.open else { return self.open_file() };
        let Some(record) = open.reader.next_record().map_err(ArchiveError::at(&open.path))? else {
            let length = open.length;
            return self.leave_file(length);
        };
        // a record that does not decode to its end is damaged, or not completely written yet
        let is_whole = record.damage.is_none()
            && open.reader.whole_until() == record.offset.saturating_add(record.length);
        if is_whole {
            self.note_damage(record.offset);
            self.at.offset = record.offset.saturating_add(record.length);
            self.take(&record);
        }
        Ok(true)
    }

    /// Opens the file to read, or moves to the next one; `false` if there is nothing to read now.
    fn open_file(&mut self) -> Result<bool, ArchiveError> {
        let files = self.files()?;
        let region = files.this.as_ref().map(|path| Region::open(path)).transpose()?;
        match (region, files.this, files.next) {
            (Some(region), Some(path), _) if region.len() > self.at.offset => {
                let length = region.len();
                let options = ReaderOptions { max_block: MAX_METADATA, start: self.at.offset };
                let reader = RecordReader::with_options(region.reader(self.at.offset), options)
                    .assume_gzip()
                    .goes_back()
                    .keep_only(RecordKind::Metadata);
                self.open = Some(Open { reader, path, length, told: 0 });
                Ok(true)
            }
            (_, _, Some(next)) => {
                self.note_bare();
                self.at = Cursor { file: next, offset: 0 };
                Ok(true)
            }
            (_, _, None) => Ok(false),
        }
    }

    /// Called at the length that the file had when it was opened: continues if it has grown or another one follows.
    fn leave_file(&mut self, length: u64) -> Result<bool, ArchiveError> {
        // first check whether another file follows: then this one is complete
        let files = self.files()?;
        let now = files.this.as_ref().map(|path| Region::open(path)).transpose()?;
        if now.is_some_and(|region| region.len() > length) {
            self.open = None;
            return Ok(true);
        }
        let Some(next) = files.next else {
            self.open = None; // half a record is not damage yet
            return Ok(false);
        };
        self.note_damage(length);
        self.note_bare();
        self.open = None;
        self.found.push_back(ScanItem::FileEnd(Cursor { file: self.at.file, offset: length }));
        self.at = Cursor { file: next, offset: 0 };
        Ok(true)
    }

    /// Returns a response as one without metadata.
    fn note_bare(&mut self) {
        self.found.extend(self.response.take().map(|(position, _)| ScanItem::Bare(position)));
    }

    /// Describes the damage since the last complete record, up to `end`.
    fn note_damage(&mut self, end: u64) {
        let Some(open) = &mut self.open else { return };
        let (told, count) = (open.told, open.reader.problem_count());
        if count == told {
            return;
        }
        open.told = count;
        let first = usize::try_from(told).ok().and_then(|told| open.reader.problems().get(told));
        let reason = match (first, count - told) {
            (Some(problem), 1) => problem.kind.to_string(),
            (Some(problem), count) => format!("{}, and {} more", problem.kind, count - 1),
            (None, count) => format!("{count} damaged places"),
        };
        let Cursor { file, offset } = self.at;
        self.damaged = Some(Position { file, offset, length: end.saturating_sub(offset) });
        self.found.push_back(ScanItem::Damage(PassedOver { at: self.at, reason }));
    }

    /// Handles a complete record.
    fn take(&mut self, record: &Record) {
        let at = Position { file: self.at.file, offset: record.offset, length: record.length };
        let is_json = || record.headers.get("content-type").is_some_and(|kind| kind.trim() == JSON);
        match record.kind {
            RecordKind::Response | RecordKind::Revisit | RecordKind::Resource => {
                self.note_bare();
                self.response = Some((at, record.id().unwrap_or_default().to_owned()));
            }
            RecordKind::Metadata if is_json() => {
                let of = record.headers.get("warc-concurrent-to");
                let response = self.response.take_if(|(_, id)| of == Some(id.as_str()));
                self.note_bare();
                // the response that it was written with was where the damage is
                let lost = self
                    .damaged
                    .filter(|lost| of.is_some() && lost.end().offset == at.offset && lost.file == at.file);
                let response = response.map(|(position, _)| position).or(lost);
                self.found.push_back(if record.is_cut() {
                    let reason = format!("metadata of {} bytes is over the limit", record.block_length);
                    ScanItem::Damage(PassedOver { at: Cursor { file: at.file, offset: at.offset }, reason })
                } else {
                    ScanItem::Metadata { block: record.block.clone(), at, response }
                });
            }
            // each of our exchanges begins with its request, so the previous one is complete
            RecordKind::Request | RecordKind::Warcinfo => self.note_bare(),
            _ => {}
        }
    }

    fn files(&self) -> Result<Files, ArchiveError> {
        let mut files = Files { this: None, next: None };
        if !self.dir.exists() {
            return Ok(files);
        }
        for (sequence, path) in position::files(&self.dir)? {
            if sequence == self.at.file {
                files.this = Some(path);
            } else if sequence > self.at.file {
                files.next = Some(sequence);
                break;
            }
        }
        Ok(files)
    }
}
