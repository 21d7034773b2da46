//! WARC and WACZ written, read and replayed: the only record of what the Web answered.
//!
//! - [`Archive`] writes our own archive: WARC 1.1, one gzip member per record; opening it cuts off an incomplete end.
//! - [`LogReader`] reads the metadata records of our own archive in order, even while it is being written.
//! - [`RecordReader`] reads WARC and ARC files of any tool, including damaged ones.
//! - [`ArchiveReader`] reads one of our responses, verifies it and notes damage; [`verify`] checks a whole archive.
//! - [`write_cdxj`] and [`export_wacz`] write index and package for other tools.
//! - [`Replay`] is a recording as a [`Source`](osprey_model::Source): a crawl cannot tell it from the Web.
//!
//! Nothing here opens a socket, reads the clock or uses random numbers. Recordings are hostile input: the memory they
//! use is bounded, and damage becomes a [`Problem`], never a panic.

mod access;
mod damage;
mod digest;
mod error;
mod export;
mod gzip;
mod http;
mod log;
mod position;
mod read;
mod region;
mod replay;
#[cfg(test)]
mod samples;
mod verify;
mod write;

pub use access::ArchiveReader;
pub use damage::{Damage, DamagedRecord};
pub use digest::BadDigest;
pub use digest::Digest;
pub use error::{ArchiveError, Problem, ProblemKind};
pub use export::{WaczInfo, WaczPage, WaczSummary, export_wacz, write_cdxj};
pub use log::{CATALOG, LogEntry, LogItem, LogReader, PassedOver};
pub use position::{Cursor, Original, Position};
pub use read::{ReaderOptions, Record, RecordKind, RecordReader};
pub use replay::{Noted, Replay, ReplayOptions, SlashRule};
pub use verify::{CatalogFault, Places, Verified, verify};
pub use write::{Archive, Entry, Note, Repair, WriterOptions};
