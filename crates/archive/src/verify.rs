//! Verifies our own archive: every record of every file, by its gzip checksum, lengths and digests; and the lines of
//! the catalogue, by comparing them with the records they copy.
//!
//! [`FileWalk`] separates intact records from damaged ones and returns both in order; exports use it to leave damaged
//! ones out. What follows the last complete record of the last file does not count as damage, because it may be half
//! written.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use crate::access::read_record;
use crate::damage::{Damage, DamageLog, DamagedRecord};
use crate::error::{ArchiveError, ProblemKind};
use crate::log::CatalogLines;
use crate::position::{self, Position};
use crate::read::{ReaderOptions, Record, RecordReader};
use crate::region::{Region, RegionReader};

/// Maximum number of catalogue faults that are named; the others are counted.
const NAMED: usize = 20;

/// The result of a verification.
#[derive(Clone, Debug, Default)]
pub struct Verified {
    /// Number of WARC files.
    pub files: u64,
    /// Their size in bytes.
    pub bytes: u64,
    /// The damaged records, and the number of intact ones.
    pub damage: Damage,
    /// An incomplete record at the end of the last file: the file, the record's start, and its bytes so far.
    pub torn: Option<(PathBuf, u64, u64)>,
    /// The first invalid lines of the catalogue.
    pub catalog: Vec<CatalogFault>,
    /// The number of invalid lines.
    pub catalog_faults: u64,
}

/// An invalid line of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogFault {
    /// The offset of the line.
    pub offset: u64,
    /// What is wrong with it.
    pub what: &'static str,
}

/// Verifies the archive in `dir`. `progress` receives how many bytes of how many are done, and returns whether to
/// continue; the result then covers only what was read.
pub fn verify(dir: &Path, progress: &mut dyn FnMut(u64, u64) -> bool) -> Result<Verified, ArchiveError> {
    let files = position::files(dir)?;
    let mut verified = Verified { files: files.len() as u64, ..Verified::default() };
    let lengths = files.iter().map(|(_, path)| std::fs::metadata(path).map_or(0, |metadata| metadata.len()));
    let total: u64 = lengths.sum();
    let mut damage = DamageLog::default();
    let last = files.last().map(|(number, _)| *number);
    for (number, path) in &files {
        let mut walk = FileWalk::open(path, Some(*number) == last, 0)?;
        while let Some(found) = walk.next()? {
            match found {
                Walked::Intact(_) => damage.intact += 1,
                Walked::Damaged(record) => damage.note(*number, record),
                Walked::Torn { offset, bytes } => verified.torn = Some((path.clone(), offset, bytes)),
            }
            if !progress(verified.bytes + walk.at, total) {
                return Ok(Verified { damage: damage.damage(), ..verified });
            }
        }
        verified.bytes += walk.length;
    }
    verified.damage = damage.damage();
    verify_catalog(dir, &files, &mut verified)?;
    Ok(verified)
}

/// Compares each line of the catalogue with the record that it copies. If that record is damaged, any content is
/// accepted.
fn verify_catalog(dir: &Path, files: &[(u32, PathBuf)], verified: &mut Verified) -> Result<(), ArchiveError> {
    let Some(mut lines) = CatalogLines::open(dir) else { return Ok(()) };
    let mut open: Option<(u32, &Path, Region)> = None;
    while let Some((offset, line)) = lines.next_line().map_err(ArchiveError::at(dir))? {
        let what = match line {
            None => "is not what was written",
            Some((at, metadata)) => {
                if open.as_ref().is_none_or(|(number, ..)| *number != at.file) {
                    let Some((number, path)) = files.iter().find(|(number, _)| *number == at.file) else {
                        continue;
                    };
                    open = Some((*number, path, Region::open(path)?));
                }
                let Some((_, path, region)) = &open else { continue };
                match read_record(path, region, at.offset) {
                    Ok(record) if record.block != *metadata => {
                        "repeats another record than the one at its place"
                    }
                    _ => continue,
                }
            }
        };
        verified.catalog_faults += 1;
        if verified.catalog.len() < NAMED {
            verified.catalog.push(CatalogFault { offset, what });
        }
    }
    Ok(())
}

/// What a walk finds in a WARC file.
#[derive(Debug)]
pub(crate) enum Walked {
    /// A record as it was written.
    Intact(Record),
    /// A damaged record, or bytes that are not a record.
    Damaged(DamagedRecord),
    /// The last file ends inside a record.
    Torn { offset: u64, bytes: u64 },
}

/// Reads one of our WARC files from its beginning.
pub(crate) struct FileWalk {
    reader: RecordReader<RegionReader>,
    path: PathBuf,
    is_last: bool,
    pub(crate) length: u64,
    /// The end of the last intact record.
    pub(crate) at: u64,
    /// Whether what follows that end was named.
    is_named: bool,
    /// Number of the reader's problems that were returned.
    told: usize,
    found: VecDeque<Walked>,
    is_over: bool,
}

impl FileWalk {
    /// Opens the file at `path` and keeps `max_block` bytes of each block; `is_last` if no file follows.
    pub(crate) fn open(path: &Path, is_last: bool, max_block: usize) -> Result<Self, ArchiveError> {
        let region = Region::open(path)?;
        let options = ReaderOptions { max_block, start: 0 };
        let reader =
            RecordReader::with_options(region.reader(0), options).assume_gzip().goes_back().verify_digests();
        Ok(Self {
            reader,
            path: path.to_owned(),
            is_last,
            length: region.len(),
            at: 0,
            is_named: false,
            told: 0,
            found: VecDeque::new(),
            is_over: false,
        })
    }

    pub(crate) fn next(&mut self) -> Result<Option<Walked>, ArchiveError> {
        while self.found.is_empty() && !self.is_over {
            match self.reader.next_record().map_err(ArchiveError::at(&self.path))? {
                Some(record) => self.take(record),
                None => self.end(),
            }
        }
        Ok(self.found.pop_front())
    }

    fn take(&mut self, record: Record) {
        if record.offset > self.at && !self.is_named {
            let what = self.problem();
            self.name(self.at, None, what);
        }
        match &record.damage {
            None => {
                self.at = record.offset.saturating_add(record.length);
                self.is_named = false;
                self.told = self.reader.problems().len();
                self.found.push_back(Walked::Intact(record));
            }
            // at the very end it may be half written
            Some(ProblemKind::Torn) if self.is_last => {}
            Some(damage) => {
                let what = damage.to_string();
                self.name(record.offset, record.target().map(str::to_owned), what);
            }
        }
    }

    /// The reader's description of the bytes since the last intact record.
    fn problem(&self) -> String {
        match self.reader.problems().get(self.told) {
            Some(problem) => problem.kind.to_string(),
            None => "no record can be read here".to_owned(),
        }
    }

    fn name(&mut self, offset: u64, url: Option<String>, what: String) {
        self.is_named = true;
        let file = self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        self.found.push_back(Walked::Damaged(DamagedRecord { file, offset, url, what }));
    }

    fn end(&mut self) {
        self.is_over = true;
        let left = self.length.saturating_sub(self.at);
        if left == 0 || self.is_named {
            return;
        }
        if self.is_last {
            self.found.push_back(Walked::Torn { offset: self.at, bytes: left });
        } else {
            self.name(self.at, None, ProblemKind::Torn.to_string());
        }
    }
}

/// Which positions exist in an archive, given the lengths of its files.
#[derive(Debug)]
pub struct Places(Vec<(u32, u64)>);

impl Places {
    /// The positions of the archive in `dir`, as it is now.
    pub fn of(dir: &Path) -> Self {
        let length = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        let files = position::files(dir).unwrap_or_default();
        Self(files.into_iter().map(|(number, path)| (number, length(&path))).collect())
    }

    /// Whether the archive is long enough for a record at `at`.
    pub fn has(&self, at: Position) -> bool {
        let found = self.0.binary_search_by_key(&at.file, |(number, _)| *number).ok();
        found.and_then(|found| self.0.get(found)).is_some_and(|(_, length)| at.end().offset <= *length)
    }
}
