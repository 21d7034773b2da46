//! What can go wrong with a frontier: the disk, another process, or a caller that settles what it never
//! leased. Nothing that comes from the Web is an error here.

use std::fmt;
use std::path::PathBuf;

use osprey_model::LinkId;
use thiserror::Error;

/// Why a frontier could not be opened, read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FrontierError {
    /// Another process has this frontier open.
    #[error("{}: in use by another process{}; wait for it, or end it", path.display(), Holder(*pid))]
    Locked {
        /// The frontier's folder.
        path: PathBuf,
        /// The other process, where its lock file says so.
        pid: Option<u32>,
    },
    /// The folder was written by a build with another store format.
    #[error(
        "{}: frontier format is `{found}`, this build reads `{expected}`: made by another version of Osprey; \
         use that version, or move `data` away and crawl again",
        path.display()
    )]
    Version {
        /// The frontier's folder.
        path: PathBuf,
        /// What the folder says.
        found: String,
        /// What this build reads and writes.
        expected: u32,
    },
    /// A stored value is not what it should be.
    #[error(
        "frontier table `{table}`, key `{key}`: {what}; rebuild the frontier from the archive with \
         `osprey restore`"
    )]
    Corrupt {
        /// The table.
        table: &'static str,
        /// The key, in hexadecimal; empty if the damage has no single place.
        key: String,
        /// What is wrong with it.
        what: String,
    },
    /// The disk is full. The commit that met it did not happen, in part or in whole, as far as this
    /// process is concerned; make room and open the frontier again.
    #[error("{}: no space left on the disk; make room and run again", path.display())]
    Full {
        /// The frontier's folder.
        path: PathBuf,
    },
    /// An earlier write failed, so nothing more is written: open the frontier again.
    #[error("{}: closed for writing after an earlier failed write; run again", path.display())]
    Broken {
        /// The frontier's folder.
        path: PathBuf,
    },
    /// The store has stopped to write out what it holds in memory. What was committed is in its journal.
    #[error(
        "{}: the store has written nothing out for {seconds} seconds; look at the disk, and run again",
        path.display()
    )]
    Stalled {
        /// The frontier's folder.
        path: PathBuf,
        /// How long it was waited for.
        seconds: u64,
    },
    /// Any other failure of the disk.
    #[error(
        "{}: {source}; if that stays, rebuild the frontier from the archive with `osprey restore`",
        path.display()
    )]
    Io {
        /// The frontier's folder, or the file in it.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A link was to be settled that is not leased.
    #[error("link `{id}`: settled without a lease")]
    NotLeased {
        /// The link.
        id: LinkId,
    },
    /// There is no link with this number.
    #[error("link `{id}`: unknown")]
    UnknownLink {
        /// The number.
        id: LinkId,
    },
    /// A row is too large for the store, or its key is empty.
    #[error(
        "frontier table `{table}`: a row with a key of {key} bytes and a value of {value} cannot be stored"
    )]
    RowSize {
        /// The table.
        table: &'static str,
        /// The key's length: 1 to 65535 bytes.
        key: usize,
        /// The value's length: below 4 GiB.
        value: usize,
    },
}

impl FrontierError {
    /// Whether the folder may only be read.
    pub fn is_read_only(&self) -> bool {
        use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        matches!(self, Self::Io { source, .. } if matches!(source.kind(), PermissionDenied | ReadOnlyFilesystem))
    }
}

struct Holder(Option<u32>);

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |pid| write!(f, " (process `{pid}`)"))
    }
}
