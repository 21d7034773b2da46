//! What a recording's path stands for: WARC files, members of a WACZ, folders of them; each as a [`Region`].
//!
//! A WACZ's stored members are read where they are. Compressed ones, and WARC files whose gzip members hold
//! more than one record, can't be read from the middle: they are spooled, decoded, into an unnamed temporary
//! file, up to a limit. Names inside a WACZ are only looked at, never used as paths.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use zip::{CompressionMethod, ZipArchive};

use super::{Noted, ReplayOptions};
use crate::error::{ArchiveError, Problem, ProblemKind};
use crate::read::{ReaderOptions, Record, RecordReader, copy_decoded};
use crate::region::Region;

/// One WARC or ARC file, wherever it lies.
#[derive(Debug)]
pub(super) struct Store {
    /// For messages: the file, or the file and the member.
    pub(super) name: PathBuf,
    region: Region,
    /// The version, if this is an ARC file; reading from the middle needs it.
    arc: Option<u8>,
}

impl Store {
    pub(super) fn new(name: PathBuf, region: Region) -> Self {
        Self { name, region, arc: None }
    }

    pub(super) fn set_arc(&mut self, version: Option<u8>) {
        self.arc = version;
    }

    /// All records from the start, blocks cut at `max_block`.
    pub(super) fn scan(&self, max_block: usize) -> RecordReader<impl Read + use<>> {
        RecordReader::with_options(self.region.reader(0), ReaderOptions { max_block, start: 0 })
    }

    /// The record at `offset` of `length` stored bytes.
    pub(super) fn read(&self, offset: u64, length: u64, max_block: usize) -> io::Result<Option<Record>> {
        let part = self.region.part(offset, length);
        let options = ReaderOptions { max_block, start: offset };
        let mut reader = RecordReader::with_options(part.reader(0), options).with_arc_version(self.arc);
        if self.name.extension().is_some_and(|extension| extension == "zst") {
            reader = reader.with_dictionary(self.region.reader(0));
        }
        reader.next_record()
    }

    /// The same file decoded, in a temporary file, so that every record can be sought.
    pub(super) fn spool(&self, options: &ReplayOptions) -> Result<(Self, bool), ArchiveError> {
        let at = |error| ArchiveError::at(&self.name)(error);
        let mut file = tempfile::tempfile().map_err(at)?;
        let (length, whole) =
            copy_decoded(self.region.reader(0), &mut file, options.max_spool_bytes).map_err(at)?;
        file.flush().map_err(at)?;
        Ok((Self { name: self.name.clone(), region: Region::of(file, length), arc: self.arc }, whole))
    }
}

const RECORDINGS: [&str; 6] = [".warc.gz", ".warc", ".warc.zst", ".arc.gz", ".arc", ".wacz"];

/// Whether a file's name says that it is a recording.
fn is_recording(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    RECORDINGS.iter().any(|suffix| name.ends_with(suffix))
}

/// The recordings under the folder `path`, in the order of their names.
pub(super) fn recordings_under(path: &Path, options: &ReplayOptions) -> Result<Vec<PathBuf>, ArchiveError> {
    let files = super::walk::files_under(path, options.max_records)?;
    Ok(files
        .into_iter()
        .filter(|file| file.file_name().and_then(|n| n.to_str()).is_some_and(is_recording))
        .collect())
}

/// Opens one file: a WACZ by its first bytes, else a WARC or ARC.
pub(super) fn open(
    path: &Path,
    options: &ReplayOptions,
    problems: &mut Vec<Noted>,
) -> Result<Vec<Store>, ArchiveError> {
    let region = Region::open(path)?;
    let mut magic = [0; 4];
    let read = region.reader(0).read(&mut magic).map_err(ArchiveError::at(path))?;
    if magic.get(..read) == Some(b"PK\x03\x04") {
        open_wacz(path, &region, options, problems)
    } else {
        Ok(vec![Store::new(path.to_owned(), region)])
    }
}

fn open_wacz(
    path: &Path,
    region: &Region,
    options: &ReplayOptions,
    problems: &mut Vec<Noted>,
) -> Result<Vec<Store>, ArchiveError> {
    let unusable = |error: zip::result::ZipError| ArchiveError::Unusable {
        path: path.to_owned(),
        reason: format!("is no readable ZIP: {error}"),
    };
    let mut zip = ZipArchive::new(region.reader(0)).map_err(unusable)?;
    let mut stores = Vec::new();
    for index in 0..zip.len() {
        let member = match zip.by_index_raw(index) {
            Ok(member) => member,
            Err(error) => {
                note(problems, path, error.to_string());
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
                let (file, length) =
                    spool(member, options.max_spool_bytes).map_err(ArchiveError::at(&place))?;
                stores.push(Store::new(place, Region::of(file, length)));
            }
            Err(error) => note(problems, &place, error.to_string()),
        }
    }
    stores.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(stores)
}

fn note(problems: &mut Vec<Noted>, path: &Path, reason: String) {
    let problem = Problem { offset: 0, kind: ProblemKind::Unreadable(reason) };
    problems.push(Noted { path: path.to_owned(), problem });
}

/// Decodes a member into a temporary file; damage ends it early, as a torn file would.
fn spool(member: impl Read, max: u64) -> io::Result<(File, u64)> {
    let mut file = tempfile::tempfile()?;
    let mut member = member.take(max);
    let mut chunk = vec![0; 64 * 1024];
    let mut length = 0;
    while let Ok(read @ 1..) = member.read(&mut chunk) {
        file.write_all(chunk.get(..read).unwrap_or_default())?;
        length += read as u64;
    }
    Ok((file, length))
}
