//! Errors of our own disk, and defects in recordings.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why an operation failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The operating system reported an error.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// No space left. Nothing of the entry was kept: the file ends with its last complete record.
    #[error("{}: no space left for {wanted} bytes at {offset}; make room on the disk and run again", .path.display())]
    Full {
        /// The file that could not grow.
        path: PathBuf,
        /// Where the file ends.
        offset: u64,
        /// The number of bytes that should have been added.
        wanted: u64,
    },
    /// A position that should hold a record holds none that is readable.
    #[error("{}: no readable record at {offset}: {reason}", .path.display())]
    BadRecord {
        /// The file.
        path: PathBuf,
        /// The position.
        offset: u64,
        /// Why.
        reason: String,
    },
    /// A recording that contains nothing to replay.
    #[error("{}: {reason}", .path.display())]
    Unusable {
        /// The file or folder.
        path: PathBuf,
        /// Why, and what was expected.
        reason: String,
    },
}

impl ArchiveError {
    /// For `map_err`: turns an I/O error into one that names `path`.
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}

/// A defect of a recording and its position. Reading continued after it if possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Byte offset in the stored file (before decompression) of the record or member.
    pub offset: u64,
    /// The kind of defect.
    pub kind: ProblemKind,
}

/// The kinds of defects.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The file ends inside a record or a compressed member.
    Torn,
    /// The compressed data cannot be decoded, for this reason.
    Corrupt(String),
    /// Bytes that belong to no record were skipped.
    Skipped(u64),
    /// `Content-Length` is missing or not a number.
    NoLength,
    /// The record is shorter or longer than its `Content-Length`.
    Length {
        /// The length in the header.
        declared: u64,
        /// The actual length; for a record that is too long, the same as `declared`.
        found: u64,
    },
    /// A header line that is not `name: value` was skipped.
    HeaderLine,
    /// The header block is longer than the limit; the rest of it was skipped.
    LongHeader,
    /// The chunked body is not well-formed; what could be read is kept.
    Chunks,
    /// The content coding of the body cannot be decoded; what could be read is kept.
    Coding(String),
    /// Decoding was stopped at the size limit.
    TooLarge,
    /// The target is not a URL that Osprey supports.
    Target(String),
    /// The date is invalid; the epoch is used.
    Date(String),
    /// The response has no readable HTTP head.
    NoHttp,
    /// The original of a revisit is not in the recording.
    NoOriginal(String),
    /// The limit on records or files was reached; the rest was skipped.
    TooMany,
    /// The file could not be read.
    Unreadable(String),
    /// The bytes do not match the record's digest: `block` or `payload`.
    Digest(&'static str),
    /// The limit on temporary files was reached; the rest was skipped.
    NoRoom,
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Torn => f.write_str("the file ends inside a record"),
            Self::Corrupt(reason) => write!(f, "compressed data is damaged: {reason}"),
            Self::Skipped(bytes) => write!(f, "{bytes} bytes belong to no record"),
            Self::NoLength => f.write_str("no usable content length"),
            Self::Length { declared, found } if found == declared => {
                write!(f, "the record goes on after its length of {declared}")
            }
            Self::Length { declared, found } => write!(f, "length {declared} declared, {found} bytes found"),
            Self::HeaderLine => f.write_str("a header line is not `name: value`"),
            Self::LongHeader => f.write_str("the header is too long"),
            Self::Chunks => f.write_str("the chunked body is malformed"),
            Self::Coding(coding) => write!(f, "the body does not decode as `{coding}`"),
            Self::TooLarge => f.write_str("the decoded body is over the size limit and was cut"),
            Self::Target(target) => write!(f, "target `{target}` is not a URL to follow"),
            Self::Date(date) => write!(f, "`{date}` is not a date"),
            Self::NoHttp => f.write_str("no HTTP response head"),
            Self::NoOriginal(target) => write!(f, "the original of the revisit `{target}` is missing"),
            Self::TooMany => f.write_str("more records than the limit; the rest was skipped"),
            Self::NoRoom => f.write_str("the limit for temporary files is reached; the rest was skipped"),
            Self::Digest(of) => write!(f, "the digest of the {of} does not fit"),
            Self::Unreadable(reason) => write!(f, "can't be read: {reason}"),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {}: {}", self.offset, self.kind)
    }
}

/// A list of problems. It keeps a limited number and counts the others, so that a hostile file cannot fill the
/// memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Problems {
    kept: Vec<Problem>,
    count: u64,
}

/// Maximum number of problems kept per file; the others are counted.
const KEPT: usize = 200;

impl Problems {
    pub(crate) fn note(&mut self, offset: u64, kind: ProblemKind) {
        self.count += 1;
        if self.kept.len() < KEPT {
            self.kept.push(Problem { offset, kind });
        }
    }

    pub(crate) fn kept(&self) -> &[Problem] {
        &self.kept
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }
}
