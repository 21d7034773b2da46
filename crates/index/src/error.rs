//! Errors of an index, grouped by what the user can do about them.

use std::io;
use std::path::{Path, PathBuf};

use tantivy::TantivyError;
use tantivy::directory::error::{LockError, OpenDirectoryError, OpenReadError, OpenWriteError};
use thiserror::Error;

use crate::query::QueryError;

/// Why an index could not be opened, written or searched.
#[derive(Debug, Error)]
pub enum IndexError {
    /// The files exist, but this version cannot use them: rebuild the index from the archive.
    #[error("{path}: {why}; rebuild it with `osprey index --rebuild`", path = .path.display())]
    Rebuild {
        /// The folder.
        path: PathBuf,
        /// The reason.
        why: Stale,
    },
    /// Another process writes this index.
    #[error("{path}: another process is writing this index", path = .path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
    },
    /// The disk is full.
    #[error(
        "{path}: {cause}; make room and run it again: nothing that was committed is lost",
        path = .path.display()
    )]
    Full {
        /// The folder or file.
        path: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// An I/O error; nothing that was committed is lost.
    #[error("{path}: {cause}", path = .path.display())]
    Io {
        /// The folder or file.
        path: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// Writing stopped, and the store does not report why: nearly always because the disk is full.
    #[error(
        "{path}: {why}; see that the disk has room and run it again: nothing that was committed is lost",
        path = .path.display()
    )]
    Stopped {
        /// The folder.
        path: PathBuf,
        /// The store's message.
        why: String,
    },
    /// The store failed in another way.
    #[error("{path}: {cause}", path = .path.display())]
    Store {
        /// The folder.
        path: PathBuf,
        /// The store's error.
        cause: Box<TantivyError>,
    },
    /// The URL of a document is empty or too long; this is its length.
    #[error("url of `{0}` bytes, expected 1 to 8192")]
    Url(usize),
    /// The visual words are from another codebook than the index's.
    #[error("{url}: words of codebook `{found:016x}`, the index has `{expected:016x}`")]
    Codebook {
        /// The document's URL, or `the example`.
        url: String,
        /// The codebook of the words.
        found: u64,
        /// The codebook of the index.
        expected: u64,
    },
    /// The query cannot be parsed.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The query can be parsed but names something that does not exist.
    #[error("`{clause}`: expected {expected}")]
    Clause {
        /// The part of the query.
        clause: String,
        /// What is valid there.
        expected: String,
    },
    /// No document has this URL.
    #[error("{0}: not in the index")]
    NotIndexed(String),
    /// The requested page of results is too far down.
    #[error("results `{0}` and further: expected at most {max} results from the first", max = crate::search::MAX_DEPTH)]
    TooDeep(usize),
}

/// Why an index has to be rebuilt.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Stale {
    /// Another version wrote it.
    #[error("index of version `{found}`, expected `{expected}`")]
    Version {
        /// The version in the file.
        found: u32,
        /// The version that this build reads.
        expected: u32,
    },
    /// Its visual words are from another codebook.
    #[error("index of codebook `{found:016x}`, expected `{expected:016x}`")]
    Codebook {
        /// The codebook in the file.
        found: u64,
        /// The codebook that the index is opened with.
        expected: u64,
    },
    /// Files are damaged.
    #[error("damaged index: {0}")]
    Damaged(String),
}

impl IndexError {
    /// Whether rebuilding the index from the archive is the remedy.
    pub fn wants_rebuild(&self) -> bool {
        matches!(self, Self::Rebuild { .. })
    }

    /// Whether the request is invalid, rather than the index.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Query(_) | Self::Clause { .. } | Self::NotIndexed(_) | Self::TooDeep(_))
    }

    /// Classifies an I/O error by what the user can do about it.
    pub(crate) fn io(path: &Path, cause: io::Error) -> Self {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        let path = path.to_owned();
        match cause.kind() {
            StorageFull | QuotaExceeded | FileTooLarge => Self::Full { path, cause },
            _ => Self::Io { path, cause },
        }
    }

    /// Classifies an error of the store by what the user can do about it.
    pub(crate) fn store(path: &Path, cause: TantivyError) -> Self {
        let io =
            |path: &Path, cause: &io::Error| Self::io(path, io::Error::new(cause.kind(), cause.to_string()));
        match &cause {
            // in some places the store keeps only the message of a disk error
            TantivyError::IoError(cause) if cause.kind() == io::ErrorKind::Other => {
                return Self::Stopped { path: path.to_owned(), why: cause.to_string() };
            }
            TantivyError::IoError(cause) | TantivyError::LockFailure(LockError::IoError(cause), _) => {
                return io(path, cause);
            }
            TantivyError::OpenReadError(OpenReadError::IoError { io_error, filepath }) => {
                return io(&path.join(filepath), io_error);
            }
            TantivyError::OpenWriteError(OpenWriteError::IoError { io_error, filepath }) => {
                return io(&path.join(filepath), io_error);
            }
            TantivyError::OpenDirectoryError(OpenDirectoryError::IoError { io_error, directory_path }) => {
                return io(directory_path, io_error);
            }
            _ => {}
        }
        let path = path.to_owned();
        match cause {
            // the store reports failed writes as the second kind in other places
            TantivyError::ErrorInThread(why) | TantivyError::InternalError(why) => {
                Self::Stopped { path, why }
            }
            TantivyError::LockFailure(..) => Self::Locked { path },
            cause @ (TantivyError::DataCorruption(_)
            | TantivyError::IncompatibleIndex(_)
            | TantivyError::SchemaError(_)
            | TantivyError::OpenReadError(_)) => {
                Self::Rebuild { path, why: Stale::Damaged(cause.to_string()) }
            }
            cause => Self::Store { path, cause: Box::new(cause) },
        }
    }
}
