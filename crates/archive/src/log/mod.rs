//! The metadata records of our own archive, in order: what a crawl recorded about each response.
//!
//! [`LogReader`] needs no lock, writes nothing and holds only the current record in memory, so it can read an archive
//! that is being written or is on a read-only disk. It reads the catalogue as far as that goes and the WARC files for
//! the rest. With a missing or wrong catalogue it takes longer, but gives the same result.

mod catalog;
mod fill;
mod scan;

use std::fmt;
use std::path::{Path, PathBuf};

use crate::error::ArchiveError;
use crate::position::{Cursor, Position, find_file};
use crate::read::{ReaderOptions, RecordReader};
use crate::region::Region;
pub use catalog::CATALOG;
pub(crate) use catalog::CatalogLines;
use catalog::{Catalog, Line};
pub(crate) use fill::CatalogWriter;
use scan::{Scan, ScanItem};

/// The largest metadata block that is read.
const MAX_METADATA: usize = 1 << 20;
/// Maximum number of skipped records that are named; the others are counted.
const NAMED: usize = 10_000;

/// A metadata record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// Its block, normally a JSON object.
    pub metadata: Vec<u8>,
    /// Its position.
    pub at: Position,
    /// The response or revisit that it was written with, if there is one.
    pub response: Option<Position>,
}

/// An item of an archive's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogItem {
    /// A metadata record.
    Entry(LogEntry),
    /// A response without metadata; readers made by [`LogReader::open`] skip these.
    Bare(Position),
}

/// Something that could not be read or understood and was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassedOver {
    /// The position; if it is not known, the position of what was read before.
    pub at: Cursor,
    /// The reason.
    pub reason: String,
}

impl fmt::Display for PassedOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.reason)
    }
}

/// Reads the metadata records of an archive in order.
pub struct LogReader {
    dir: PathBuf,
    catalog: Option<Catalog>,
    /// The next line, if it does not continue here yet.
    line: Option<Line>,
    /// Whether a line was compared with the archive.
    is_trusted: bool,
    /// A file and its length when it was last read.
    length: (u32, u64),
    scan: Option<Scan>,
    cursor: Cursor,
    tells_bare: bool,
    bare: u64,
    passed: Vec<PassedOver>,
    passed_count: u64,
}

impl LogReader {
    /// Reads the archive in `dir` from `from` on. The folder need not exist yet.
    pub fn open(dir: &Path, from: Cursor) -> Self {
        let catalog = Catalog::open(dir, from);
        Self { catalog, tells_bare: false, ..Self::without_catalog(dir, from) }
    }

    /// Like [`Self::open`], but also returns responses without metadata. If a stretch of the archive contains such
    /// responses, or damage, its WARC file is read instead of the catalogue.
    pub fn telling_bare(dir: &Path, from: Cursor) -> Self {
        Self { tells_bare: true, ..Self::open(dir, from) }
    }

    /// Like [`Self::telling_bare`], but reads only the WARC files.
    pub fn without_catalog(dir: &Path, from: Cursor) -> Self {
        Self {
            dir: dir.to_owned(),
            catalog: None,
            line: None,
            is_trusted: false,
            length: (0, 0),
            scan: None,
            cursor: from,
            tells_bare: true,
            bare: 0,
            passed: Vec::new(),
            passed_count: 0,
        }
    }

    /// Where to continue: after the last item.
    pub fn cursor(&self) -> Cursor {
        self.cursor
    }

    /// Number of responses without metadata so far.
    pub fn bare(&self) -> u64 {
        self.bare
    }

    /// What was skipped; at most the first ten thousand.
    pub fn passed_over(&self) -> &[PassedOver] {
        &self.passed
    }

    /// How many times something was skipped.
    pub fn passed_over_count(&self) -> u64 {
        self.passed_count
    }

    /// Notes something that was skipped. Callers use this too, for items that they cannot use.
    pub fn pass_over(&mut self, passed: PassedOver) {
        self.passed_count += 1;
        if self.passed.len() < NAMED {
            self.passed.push(passed);
        }
    }

    /// A response at the very end of the archive whose metadata has not been written yet.
    pub fn pending(&self) -> Option<Position> {
        self.scan.as_ref().and_then(Scan::pending)
    }

    /// The next metadata record; `None` if there is none now. More may be written later.
    pub fn next_entry(&mut self) -> Result<Option<LogEntry>, ArchiveError> {
        while let Some(item) = self.next_item()? {
            if let LogItem::Entry(entry) = item {
                return Ok(Some(entry));
            }
        }
        Ok(None)
    }

    /// The next metadata record or response without one; `None` if there is none now.
    pub fn next_item(&mut self) -> Result<Option<LogItem>, ArchiveError> {
        loop {
            if let Some(line) = self.next_line() {
                self.scan = None;
                self.cursor = line.end();
                self.bare += line.bare;
                if let Some(reason) = line.lost {
                    self.pass_over(PassedOver { at: Cursor { file: line.file, offset: line.from }, reason });
                }
                match line.entry {
                    Some((metadata, at, response)) => {
                        return Ok(Some(LogItem::Entry(LogEntry { metadata, at, response })));
                    }
                    None => continue,
                }
            }
            let scan = self.scan.get_or_insert_with(|| Scan::new(&self.dir, self.cursor));
            match scan.next()? {
                None => return Ok(None),
                Some(ScanItem::Damage(passed)) => self.pass_over(passed),
                Some(ScanItem::FileEnd(end)) => self.cursor = end,
                Some(ScanItem::Bare(position)) => {
                    self.bare += 1;
                    self.cursor = position.end();
                    if self.tells_bare {
                        return Ok(Some(LogItem::Bare(position)));
                    }
                }
                Some(ScanItem::Metadata { block, at, response }) => {
                    self.cursor = at.end();
                    let entry = LogEntry { metadata: block.to_vec(), at, response };
                    return Ok(Some(LogItem::Entry(entry)));
                }
            }
        }
    }

    /// The catalogue's line that continues here, if there is one and it agrees with the archive.
    fn next_line(&mut self) -> Option<Line> {
        let catalog = self.catalog.as_mut()?;
        // a scan may have moved to a file of which nothing was read yet
        let here = match &self.scan {
            Some(scan) => scan.resting_at()?,
            None => self.cursor,
        };
        while self.line.as_ref().is_none_or(|line| line.begin() < here || line.end() <= self.cursor) {
            match catalog.next_line() {
                Ok(Some(line)) => self.line = Some(line),
                Ok(None) | Err(_) => {
                    // from here on the archive itself is read: there is not much left of it
                    self.catalog = None;
                    return None;
                }
            }
        }
        let line = self.line.take_if(|line| line.begin() == here)?;
        if self.tells_bare && (line.bare > 0 || line.lost.is_some() || line.entry.is_none()) {
            return None;
        }
        if self.is_true(&line) {
            return Some(line);
        }
        // it is not a record, so it has no position to be named by: `verify` reports what is wrong with it
        self.catalog = None;
        self.passed_count += 1;
        None
    }

    /// Whether the archive agrees with a line: for each line its bytes must exist, and for the first one its metadata
    /// must be equal. If that record is damaged, one of the next lines can confirm the catalogue.
    fn is_true(&mut self, line: &Line) -> bool {
        if self.length.0 != line.file || self.length.1 < line.to {
            let length = find_file(&self.dir, line.file).and_then(|path| Region::open(&path));
            self.length = (line.file, length.map_or(0, |region| region.len()));
        }
        if self.length.1 < line.to {
            return false;
        }
        if !self.is_trusted && line.entry.is_some() {
            self.is_trusted = is_in_archive(&self.dir, line) || is_vouched_for(&self.dir, line);
            return self.is_trusted;
        }
        true
    }
}

/// Whether the archive has the metadata of one of the next lines of the same file. Lines of other files prove
/// nothing: files of two archives may begin alike.
fn is_vouched_for(dir: &Path, line: &Line) -> bool {
    const LINES: usize = 8;
    let (file, from) = (line.file, line.end());
    let Some(mut catalog) = Catalog::open(dir, from) else { return false };
    let lines = std::iter::from_fn(|| catalog.next_line().ok().flatten());
    lines
        .filter(|line| line.begin() >= from && line.entry.is_some())
        .take_while(|line| line.file == file)
        .take(LINES)
        .any(|line| is_in_archive(dir, &line))
}

/// Whether the archive has the metadata of a line at the position that the line names.
fn is_in_archive(dir: &Path, line: &Line) -> bool {
    let Some((metadata, at, _)) = &line.entry else { return false };
    let Ok(region) = find_file(dir, line.file).and_then(|path| Region::open(&path)) else { return false };
    let options = ReaderOptions { max_block: MAX_METADATA, start: at.offset };
    let mut reader = RecordReader::with_options(region.reader(at.offset), options).assume_gzip();
    let record = reader.next_record().ok().flatten();
    record.is_some_and(|record| record.offset == at.offset && record.block == *metadata)
}

#[cfg(test)]
mod tests;
