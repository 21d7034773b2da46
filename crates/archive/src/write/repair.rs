//! Cuts off an incomplete end, which a kill or power failure during a write may leave.
//!
//! A record counts as complete if its gzip member decodes to its end with the right checksum. The file is cut after
//! the last complete record and nowhere else: damage in the middle (a bad sector) is reported and left, because
//! complete records follow it.
//!
//! A power failure can also leave the archive shorter than the commits that refer to it. Those records are lost; the
//! project is not. Their bytes are counted as missing, and the writer continues in a new file, so that no new record
//! is ever written at the position of a lost one.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use crate::error::{ArchiveError, Problem};
use crate::read::{ReaderOptions, RecordReader};
use crate::region::Region;

/// The repair of the last file when the archive was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The file.
    pub path: PathBuf,
    /// Its length after the repair.
    pub length: u64,
    /// The bytes cut from its end.
    pub cut: u64,
    /// Number of committed bytes after its end that are lost.
    pub missing: u64,
    /// Damage found in what was scanned, including the incomplete end.
    pub problems: Vec<Problem>,
}

/// Finds the end of the last complete record of the file at or after `from`, and cuts off what follows. A file that
/// is shorter than `from` is scanned from its start.
pub(super) fn repair(path: &Path, from: u64) -> Result<(File, u64, Option<Repair>), ArchiveError> {
    let at = ArchiveError::at;
    let file = OpenOptions::new().read(true).write(true).open(path).map_err(at(path))?;
    let length = file.metadata().map_err(at(path))?.len();
    let missing = from.saturating_sub(length);
    let from = if missing > 0 { 0 } else { from };
    let region = Region::of(file.try_clone().map_err(at(path))?, length);
    let options = ReaderOptions { max_block: 0, start: from };
    let mut reader = RecordReader::with_options(region.reader(from), options).assume_gzip();
    while reader.next_record().map_err(at(path))?.is_some() {}
    let whole = reader.whole_until().max(from);
    if whole == length && missing == 0 && reader.problems().is_empty() {
        return Ok((file, length, None));
    }
    if whole < length {
        file.set_len(whole).map_err(at(path))?;
        file.sync_all().map_err(at(path))?;
    }
    let problems = reader.problems().to_vec();
    let repair = Repair { path: path.to_owned(), length: whole, cut: length - whole, missing, problems };
    Ok((file, whole, Some(repair)))
}

impl Repair {
    /// The repair for a file that does not exist.
    pub(super) fn of_absent(path: PathBuf, missing: u64) -> Self {
        Self { path, length: 0, cut: 0, missing, problems: Vec::new() }
    }
}
