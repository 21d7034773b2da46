//! The position of a record in our own archive, and the names of the files.

use std::path::{Path, PathBuf};

use osprey_model::{CanonicalUrl, Timestamp};
use serde::{Deserialize, Serialize};

use crate::ArchiveError;

/// The position of a record, which commits of the frontier refer to. It is valid for as long as the archive exists,
/// because files are only appended to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Position {
    /// The sequence number of the WARC file.
    pub file: u32,
    /// Where the record's gzip member begins.
    pub offset: u64,
    /// Compressed bytes of the response or revisit record.
    pub length: u64,
}

impl Position {
    /// The end of the record.
    pub fn end(self) -> Cursor {
        Cursor { file: self.file, offset: self.offset.saturating_add(self.length) }
    }
}

/// A place between two records: everything before it was read, or written. The default is the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Cursor {
    /// The sequence number of the WARC file.
    pub file: u32,
    /// The offset in that file.
    pub offset: u64,
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "file {} at {}", self.file, self.offset)
    }
}

/// The earlier response that a duplicate refers to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Original {
    /// Its URL.
    pub url: CanonicalUrl,
    /// When it was fetched.
    pub date: Timestamp,
    /// The position of its response record.
    pub record: Position,
}

const SUFFIX: &str = ".warc.gz";

/// `osprey-00042.warc.gz`
pub(crate) fn file_name(prefix: &str, sequence: u32) -> String {
    format!("{prefix}-{sequence:05}{SUFFIX}")
}

/// The number in `name`, if it is one of our names with any prefix.
fn sequence_of(name: &str) -> Option<u32> {
    let (_, digits) = name.strip_suffix(SUFFIX)?.rsplit_once('-')?;
    (digits.len() >= 5 && digits.bytes().all(|b| b.is_ascii_digit())).then(|| digits.parse().ok()).flatten()
}

/// The archive's files in `dir` by number. After a change of the prefix, the older files are still found. Two files
/// of one number are an error, because a position could mean either.
pub(crate) fn files(dir: &Path) -> Result<Vec<(u32, PathBuf)>, ArchiveError> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(ArchiveError::at(dir))? {
        let entry = entry.map_err(ArchiveError::at(dir))?;
        if let Some(sequence) = entry.file_name().to_str().and_then(sequence_of) {
            found.push((sequence, entry.path()));
        }
    }
    found.sort();
    match found.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(ArchiveError::Unusable {
            path: pair[1].1.clone(),
            reason: format!("has the same number as `{}`; keep one of them", pair[0].1.display()),
        }),
        None => Ok(found),
    }
}

/// The path of file `sequence` in `dir`.
pub(crate) fn find_file(dir: &Path, sequence: u32) -> Result<PathBuf, ArchiveError> {
    files(dir)?.into_iter().find(|(number, _)| *number == sequence).map(|(_, path)| path).ok_or_else(|| {
        ArchiveError::Unusable {
            path: dir.to_owned(),
            reason: format!("holds no WARC file number {sequence}"),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let check = |name: &str, sequence: Option<u32>| assert_eq!(sequence_of(name), sequence, "{name}");
        check(&file_name("osprey", 7), Some(7));
        check(&file_name("a-b-00001", 123_456), Some(123_456));
        check("osprey-7.warc.gz", None);
        check("osprey-00007.warc", None);
        check("osprey-0000x.warc.gz", None);
        check("osprey-99999999999.warc.gz", None);
    }

    #[test]
    fn two_files_of_one_number_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["a-00001.warc.gz", "a-00000.warc.gz", "notes.txt"] {
            std::fs::write(dir.path().join(name), b"").unwrap();
        }
        let numbers: Vec<_> = files(dir.path()).unwrap().into_iter().map(|(n, _)| n).collect();
        assert_eq!(numbers, [0, 1]);
        std::fs::write(dir.path().join("b-00001.warc.gz"), b"").unwrap();
        assert!(matches!(files(dir.path()), Err(ArchiveError::Unusable { .. })));
    }
}
