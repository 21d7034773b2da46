//! The errors of a frontier: the disk, another process, or a caller that settles what it did not lease. Nothing that
//! comes from the Web is an error here.

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
        /// The other process, if its lock file names it.
        pid: Option<u32>,
    },
    /// The folder was written by a version with another store format.
    #[error(
        "{}: frontier format is `{found}`, this build reads `{expected}`: made by another version of Osprey; \
         use that version, or rebuild the frontier from the archive with `osprey restore`",
        path.display()
    )]
    Version {
        /// The frontier's folder.
        path: PathBuf,
        /// The format that the folder names.
        found: String,
        /// The format that this version reads and writes.
        expected: u32,
    },
    /// A stored value is damaged.
    #[error(
        "frontier{}{}: {what}; rebuild the frontier from the archive with `osprey restore`",
        Named(", table", table),
        Named(", key", key)
    )]
    Corrupt {
        /// The table; empty if the damage cannot be assigned to one.
        table: &'static str,
        /// The key in hexadecimal; empty if the damage cannot be assigned to one.
        key: String,
        /// What is wrong with it.
        what: String,
    },
    /// The disk is full. For this process, nothing of the commit has happened. Make room and open the frontier again.
    #[error("{}: no space left on the disk; make room and run again", path.display())]
    Full {
        /// The frontier's folder.
        path: PathBuf,
    },
    /// An earlier write failed, so the frontier writes nothing more until it is opened again.
    #[error("{}: closed for writing after an earlier failed write; run again", path.display())]
    Broken {
        /// The frontier's folder.
        path: PathBuf,
    },
    /// The store no longer writes its memory to disk. Everything that was committed is in its journal.
    #[error(
        "{}: the store has written nothing out for {seconds} seconds; check the disk, and run again",
        path.display()
    )]
    Stalled {
        /// The frontier's folder.
        path: PathBuf,
        /// How long the store was waited for.
        seconds: u64,
    },
    /// Any other disk error.
    #[error("{}: {source}; {}", path.display(), advice(source))]
    Io {
        /// The frontier's folder, or the file in it.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The caller settled a link that is not leased.
    #[error("link `{id}`: settled without a lease")]
    NotLeased {
        /// The link.
        id: LinkId,
    },
    /// No link has this id.
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
    /// Whether the cause is that the folder is read-only.
    pub fn is_read_only(&self) -> bool {
        matches!(self, Self::Io { source, .. } if is_read_only(source))
    }
}

fn is_read_only(source: &std::io::Error) -> bool {
    use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    matches!(source.kind(), PermissionDenied | ReadOnlyFilesystem)
}

fn advice(source: &std::io::Error) -> &'static str {
    if is_read_only(source) {
        return "`status`, `search` and `export` work where nothing may be written; for everything else make the \
                folder writable";
    }
    "if that stays, rebuild the frontier from the archive with `osprey restore`"
}

/// Prints a word and a name, or nothing if the name is empty.
struct Named<'a>(&'a str, &'a str);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.1.is_empty() { Ok(()) } else { write!(f, "{} `{}`", self.0, self.1) }
    }
}

struct Holder(Option<u32>);

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |pid| write!(f, " (process `{pid}`)"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_named_as_far_as_it_has_a_name() {
        let check = |table: &'static str, key: &str, expect: &str| {
            let error =
                FrontierError::Corrupt { table, key: key.to_owned(), what: "not readable".to_owned() };
            let end = ": not readable; rebuild the frontier from the archive with `osprey restore`";
            assert_eq!(error.to_string(), format!("{expect}{end}"));
        };
        check("", "", "frontier");
        check("visits", "", "frontier, table `visits`");
        check("visits", "00ff", "frontier, table `visits`, key `00ff`");
    }
}
