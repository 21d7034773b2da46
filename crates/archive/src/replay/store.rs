//! The parts of a recording: WARC files, members of a WACZ, folders of them; each is a [`Region`].
//!
//! A WACZ's stored members are read in place. Compressed ones, and WARC files whose gzip members hold more than one
//! record, cannot be read from the middle: they are decoded into unnamed temporary files, which share one limit.
//! Names inside a WACZ are compared, but never used as paths.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use zip::{CompressionMethod, ZipArchive};

use super::Noted;
use crate::error::{ArchiveError, Problem, ProblemKind};
use crate::read::{Copied, ReaderOptions, Record, RecordReader, copy_decoded};
use crate::region::Region;

/// How many bytes of temporary files one recording may still use.
#[derive(Debug)]
pub(super) struct SpoolBudget(pub(super) u64);

/// One WARC or ARC file, on its own or in a WACZ.
#[derive(Debug)]
pub(super) struct Store {
    /// For messages: the file, or the file and the member.
    pub(super) name: PathBuf,
    region: Region,
    /// The version, if this is an ARC file; needed to read from the middle.
    arc: Option<u8>,
}

impl Store {
    pub(super) fn new(name: PathBuf, region: Region) -> Self {
        Self { name, region, arc: None }
    }

    pub(super) fn set_arc(&mut self, version: Option<u8>) {
        self.arc = version;
    }

    /// Reads all records from the start and keeps `max_block` bytes of each block.
    pub(super) fn scan(&self, max_block: usize) -> RecordReader<impl Read + use<>> {
        RecordReader::with_options(self.region.reader(0), ReaderOptions { max_block, start: 0 })
    }

    /// Reads the record at `offset` with `length` stored bytes.
    pub(super) fn read(&self, offset: u64, length: u64, max_block: usize) -> io::Result<Option<Record>> {
        let part = self.region.part(offset, length);
        let options = ReaderOptions { max_block, start: offset };
        let mut reader = RecordReader::with_options(part.reader(0), options).with_arc_version(self.arc);
        if self.name.extension().is_some_and(|extension| extension == "zst") {
            reader = reader.with_dictionary(self.region.reader(0));
        }
        reader.next_record()
    }

    /// Decodes the file into a temporary file, so that every record can be read by seeking.
    pub(super) fn spool(
        &self,
        budget: &mut SpoolBudget,
        problems: &mut Vec<Noted>,
    ) -> Result<Self, ArchiveError> {
        let at = |error| ArchiveError::at(&self.name)(error);
        let mut file = tempfile::tempfile().map_err(at)?;
        let Copied { bytes, damaged, cut } =
            copy_decoded(self.region.reader(0), &mut file, budget.0).map_err(at)?;
        file.flush().map_err(at)?;
        budget.0 = budget.0.saturating_sub(bytes);
        if damaged {
            note(problems, &self.name, ProblemKind::Torn);
        }
        if cut {
            note(problems, &self.name, ProblemKind::NoRoom);
        }
        Ok(Self { name: self.name.clone(), region: Region::of(file, bytes), arc: self.arc })
    }
}

const RECORDINGS: [&str; 6] = [".warc.gz", ".warc", ".warc.zst", ".arc.gz", ".arc", ".wacz"];

/// Whether a file's name is that of a recording.
pub(super) fn is_recording(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    RECORDINGS.iter().any(|suffix| name.ends_with(suffix))
}

/// Opens one file: a WACZ if its first bytes say so, otherwise a WARC or ARC file.
pub(super) fn open(
    path: &Path,
    budget: &mut SpoolBudget,
    problems: &mut Vec<Noted>,
) -> Result<Vec<Store>, ArchiveError> {
    let region = Region::open(path)?;
    let mut magic = [0; 4];
    let read = region.reader(0).read(&mut magic).map_err(ArchiveError::at(path))?;
    if magic.get(..read) == Some(b"PK\x03\x04") {
        open_wacz(path, &region, budget, problems)
    } else {
        Ok(vec![Store::new(path.to_owned(), region)])
    }
}

fn open_wacz(
    path: &Path,
    region: &Region,
    budget: &mut SpoolBudget,
    problems: &mut Vec<Noted>,
) -> Result<Vec<Store>, ArchiveError> {
    let unusable = |error: zip::result::ZipError| ArchiveError::Unusable {
        path: path.to_owned(),
        reason: format!("is not a readable ZIP file: {error}"),
    };
    let mut zip = ZipArchive::new(region.reader(0)).map_err(unusable)?;
    let mut stores = Vec::new();
    for index in 0..zip.len() {
        let member = match zip.by_index_raw(index) {
            Ok(member) => member,
            Err(error) => {
                note(problems, path, ProblemKind::Unreadable(error.to_string()));
                continue;
            }
        };
        let name = member.name().map(|name| name.into_owned()).unwrap_or_default();
        if !is_recording(&name) || name.ends_with(".wacz") {
            continue;
        }
        let place = path.join(&name);
        if member.compression() == CompressionMethod::Stored && !member.encrypted() {
            let length = member.compressed_size();
            if let Some(start) = member.data_start() {
                stores.push(Store::new(place, region.part(start, length)));
            }
            continue;
        }
        drop(member);
        match zip.by_index(index) {
            Ok(member) => {
                let (file, length, cut) = spool(member, budget).map_err(ArchiveError::at(&place))?;
                if cut {
                    note(problems, &place, ProblemKind::NoRoom);
                }
                stores.push(Store::new(place, Region::of(file, length)));
            }
            Err(error) => note(problems, &place, ProblemKind::Unreadable(error.to_string())),
        }
    }
    stores.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(stores)
}

fn note(problems: &mut Vec<Noted>, path: &Path, kind: ProblemKind) {
    problems.push(Noted { path: path.to_owned(), problem: Problem { offset: 0, kind } });
}

/// Decodes a member into a temporary file. Damage ends it early, like a truncated file. Returns the number of bytes,
/// and whether the limit was reached.
fn spool(mut member: impl Read, budget: &mut SpoolBudget) -> io::Result<(File, u64, bool)> {
    let mut file = tempfile::tempfile()?;
    let mut chunk = vec![0; 64 * 1024];
    let mut length = 0;
    while let Ok(read @ 1..) = member.read(&mut chunk) {
        let fits = usize::try_from(budget.0).unwrap_or(usize::MAX).min(read);
        file.write_all(chunk.get(..fits).unwrap_or_default())?;
        length += fits as u64;
        budget.0 -= fits as u64;
        if fits < read {
            return Ok((file, length, true));
        }
    }
    Ok((file, length, false))
}
