//! Errors of our own disk, and defects of recordings.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// An operation that could not be done.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The operating system said no.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// No space left. Nothing of the entry was kept: the file ends with its last whole record.
    #[error("{}: no space left for {wanted} bytes at {offset}; make room on the disk and run again", .path.display())]
    Full {
        /// The file that could not grow.
        path: PathBuf,
        /// Where it ends.
        offset: u64,
        /// What should have been added.
        wanted: u64,
    },
    /// No readable record at a place where one was expected.
    #[error("{}: no readable record at {offset}: {reason}", .path.display())]
    BadRecord {
        /// The file.
        path: PathBuf,
        /// Where.
        offset: u64,
        /// Why.
        reason: String,
    },
    /// Nothing that could be replayed.
    #[error("{}: {reason}", .path.display())]
    Unusable {
        /// The file or folder.
        path: PathBuf,
        /// Why, and what was expected.
        reason: String,
    },
}

impl ArchiveError {
    /// For `map_err`: an I/O error at `path`.
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}

/// Something wrong with a recording, and where; reading went on if it could.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Byte offset in the file as stored (before decompression), of the record or member concerned.
    pub offset: u64,
    /// What.
    pub kind: ProblemKind,
}

/// The kinds of damage.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The file ends inside a record or a compressed member.
    Torn,
    /// The compressed data does not decode: `reason`.
    Corrupt(String),
    /// Bytes that belong to no record were skipped.
    Skipped(u64),
    /// `Content-Length` is missing or no number.
    NoLength,
    /// The record is shorter or longer than its `Content-Length` says.
    Length {
        /// What the header says.
        declared: u64,
        /// What was there; for a record that goes on past its length, the same as `declared`.
        found: u64,
    },
    /// A header line that is not `name: value` was skipped.
    HeaderLine,
    /// The header block is longer than the limit; the rest of it was skipped.
    LongHeader,
    /// The chunked body is not well-formed; what could be read is kept.
    Chunks,
    /// The body's content coding does not decode; what could be read is kept.
    Coding(String),
    /// Decoding was stopped at the size limit.
    TooLarge,
    /// The target is no URL that is followed.
    Target(String),
    /// The date is no date; the epoch was taken.
    Date(String),
    /// The response has no readable HTTP head.
    NoHttp,
    /// A revisit whose original is not in the recording.
    NoOriginal(String),
    /// A limit on the number of records or files was reached; the rest was left out.
    TooMany,
    /// The file could not be read.
    Unreadable(String),
    /// The bytes do not have the digest that the record has for them: `block` or `payload`.
    Digest(&'static str),
    /// The room for temporary files was used up; the rest was left out.
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

/// Problems, kept up to a number and counted beyond it: a hostile file can't fill the memory with complaints.
#[derive(Clone, Debug, Default)]
pub(crate) struct Problems {
    kept: Vec<Problem>,
    count: u64,
}

/// How many problems of one file are kept; the rest are counted.
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
