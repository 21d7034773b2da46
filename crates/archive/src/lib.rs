//! WARC and WACZ written, read and replayed: the only truth of what the Web said.
//!
//! - [`Archive`] writes our own archive: WARC 1.1, one gzip member per record, torn tails cut on opening.
//! - [`LogReader`] reads the metadata records of our own archive in order, while it is being written, too.
//! - [`RecordReader`] reads anybody's WARC and ARC files, damaged ones too.
//! - [`ArchiveReader`] finds a response of ours, verifies it, and notes what is damaged; [`verify`] reads everything.
//! - [`write_cdxj`] and [`export_wacz`] make what other tools want beside the files.
//! - [`Replay`] is a recording as a [`Source`](osprey_model::Source): a crawl can't tell it from the Web.
//!
//! Nothing here opens a socket, reads the clock or uses random numbers. What a recording contains is hostile input:
//! it is bounded in memory, and damage becomes a [`Problem`], never a panic.

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
