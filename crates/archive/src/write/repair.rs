//! Cutting a torn tail: what a kill or a power cut in the middle of a write left behind.
//!
//! A record counts as whole when its gzip member decodes to its end and the checksum fits. The file is cut
//! after the last whole record and nowhere else: damage in the middle (a bad sector) is reported and left,
//! because whole records stand behind it.
//!
//! A power cut can also leave the archive shorter than the commits that refer to it. Those records are gone; the
//! project is not. Their bytes are counted as missing, and the writer goes on in a new file, so that no new
//! record ever stands where a lost one did.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use crate::error::{ArchiveError, Problem};
use crate::read::{ReaderOptions, RecordReader};
use crate::region::Region;

/// What was done to the last file when the archive was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The file.
    pub path: PathBuf,
    /// Its length now.
    pub length: u64,
    /// The bytes cut from its end.
    pub cut: u64,
    /// The bytes behind its end that held committed records and are gone.
    pub missing: u64,
    /// Damage that was found in what was scanned, the torn tail included.
    pub problems: Vec<Problem>,
}

/// Finds the end of the last whole record of the file at or after `from`, and cuts what follows. A file that
/// does not reach `from` is looked at from its start.
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
    /// For a file that is not there at all.
    pub(super) fn of_absent(path: PathBuf, missing: u64) -> Self {
        Self { path, length: 0, cut: 0, missing, problems: Vec::new() }
    }
}
