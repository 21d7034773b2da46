//! `catalog.jsonl`: a copy of the metadata records of all WARC files, so that one file holds them all.
//!
//! A line describes a stretch of a WARC file, from the end of the previous line's stretch to the end of a metadata
//! record (or to the end of the file), and contains that metadata:
//!
//! ```text
//! {"sum":"0123456789abcdef","file":0,"from":310,"to":7421,"of":[644,6200],"at":[6844,577],"meta":{...}}
//! ```
//!
//! `sum` is the XXH3 of everything after it, `of` the response (offset, length), `at` the metadata record. `bare`
//! counts responses without metadata in the stretch, `lost` describes what could not be read in it. The file is only
//! an index: it is not synced, and may be behind, incomplete, missing or from another archive. A line with a wrong
//! sum is ignored, and readers use a line only if it continues where they are.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use serde::Deserialize;
use xxhash_rust::xxh3::xxh3_64;

use super::MAX_METADATA;
use crate::position::{Cursor, Position};

/// The file name of the catalogue in an archive's folder.
pub const CATALOG: &str = "catalog.jsonl";

/// The longest line that is accepted.
const MAX_LINE: usize = MAX_METADATA + 4096;
/// Number of bytes read at a time.
const CHUNK: usize = 64 * 1024;
/// Once the search range is this small, it is read from its start.
const NEAR: u64 = 64 * 1024;

const BEGIN: &[u8] = b"{\"sum\":\"";
const META: &[u8] = b",\"meta\":";

/// A parsed line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) file: u32,
    pub(super) from: u64,
    pub(super) to: u64,
    /// The metadata, its position, and the response it was written with.
    pub(super) entry: Option<(Vec<u8>, Position, Option<Position>)>,
    /// Number of responses without metadata before it.
    pub(super) bare: u64,
    /// What could not be read before it.
    pub(super) lost: Option<String>,
}

/// The numbers in a line.
#[derive(Deserialize)]
struct Head {
    file: u32,
    from: u64,
    to: u64,
    of: Option<(u64, u64)>,
    at: Option<(u64, u64)>,
    #[serde(default)]
    bare: u64,
    lost: Option<String>,
}

impl Line {
    pub(super) fn begin(&self) -> Cursor {
        Cursor { file: self.file, offset: self.from }
    }

    pub(super) fn end(&self) -> Cursor {
        Cursor { file: self.file, offset: self.to }
    }

    /// Parses a line without its line end; `None` if it is invalid.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let (sum, rest) = line.strip_prefix(BEGIN)?.split_at_checked(16)?;
        let rest = rest.strip_prefix(b"\",")?;
        // only the exact spelling that we write
        if sum.iter().any(u8::is_ascii_uppercase) {
            return None;
        }
        if u64::from_str_radix(std::str::from_utf8(sum).ok()?, 16).ok()? != xxh3_64(rest) {
            return None;
        }
        // only numbers and a quoted text precede the metadata, so the first match is its name
        let at = memchr::memmem::find(rest, META);
        let head = at.map_or(rest.strip_suffix(b"}"), |at| rest.get(..at))?;
        let head: Head = serde_json::from_slice(&[b"{", head, b"}"].concat()).ok()?;
        let place = |(offset, length): (u64, u64)| Position { file: head.file, offset, length };
        let entry = match (at, head.at) {
            (Some(at), Some(place_of)) => {
                let meta = rest.get(at + META.len()..)?.strip_suffix(b"}")?;
                Some((meta.to_vec(), place(place_of), head.of.map(place)))
            }
            _ => None,
        };
        let Head { file, from, to, bare, lost, .. } = head;
        (from <= to).then_some(Self { file, from, to, entry, bare, lost })
    }

    /// Appends the line with its line end.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let entry = self.entry.as_ref().map(|(metadata, at, of)| (&metadata[..], *at, *of));
        let stretch = Stretch { file: self.file, from: self.from, to: self.to, bare: self.bare };
        stretch.write(self.lost.as_deref(), entry, out);
    }
}

/// The stretch of a WARC file that a line describes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub(super) file: u32,
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) bare: u64,
}

impl Stretch {
    /// Appends a line with its line end.
    pub(super) fn write(
        self,
        lost: Option<&str>,
        entry: Option<(&[u8], Position, Option<Position>)>,
        out: &mut Vec<u8>,
    ) {
        let Self { file, from, to, bare } = self;
        let begin = out.len();
        out.extend_from_slice(BEGIN);
        out.extend_from_slice(b"0000000000000000\",");
        let body = out.len();
        push(out, format_args!("\"file\":{file},\"from\":{from},\"to\":{to}"));
        if bare > 0 {
            push(out, format_args!(",\"bare\":{bare}"));
        }
        if let Some(lost) = lost {
            push(out, format_args!(",\"lost\":{}", serde_json::Value::from(lost)));
        }
        if let Some((metadata, at, of)) = entry {
            if let Some(of) = of {
                push(out, format_args!(",\"of\":[{},{}]", of.offset, of.length));
            }
            push(out, format_args!(",\"at\":[{},{}]", at.offset, at.length));
            out.extend_from_slice(META);
            out.extend_from_slice(metadata);
        }
        out.push(b'}');
        let sum = xxh3_64(out.get(body..).unwrap_or_default());
        let place = begin + BEGIN.len();
        if let Some(mut place) = out.get_mut(place..place + 16) {
            // sixteen digits fit into sixteen bytes
            let _ = write!(place, "{sum:016x}");
        }
        out.push(b'\n');
    }
}

/// Writing to memory cannot fail.
fn push(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

/// Reads the catalogue line by line.
pub(super) struct Catalog {
    file: File,
    /// The offset of the next line.
    at: u64,
    /// Bytes of the file from `at` on.
    buffer: Vec<u8>,
    used: usize,
}

impl Catalog {
    /// Opens the catalogue in `dir` at its first line that ends after `from`; `None` if there is no readable one.
    pub(super) fn open(dir: &Path, from: Cursor) -> Option<Self> {
        let file = File::open(dir.join(CATALOG)).ok()?;
        let mut catalog = Self { file, at: 0, buffer: Vec::new(), used: 0 };
        catalog.seek(from).ok()?;
        Some(catalog)
    }

    /// Lines are in the order of their stretches, so a binary search finds the place.
    fn seek(&mut self, from: Cursor) -> io::Result<()> {
        let (mut low, mut high) = (0, self.file.metadata()?.len());
        while from != Cursor::default() && high - low > NEAR {
            let middle = low + (high - low) / 2;
            self.begin_at(middle)?;
            let begin = self.at;
            match self.next_line()? {
                Some(line) if begin < high && line.end() <= from => low = begin,
                _ => high = middle,
            }
        }
        self.jump(low);
        Ok(())
    }

    /// Moves to the first line that begins at or after `at`.
    pub(super) fn begin_at(&mut self, at: u64) -> io::Result<()> {
        self.jump(at.saturating_sub(1));
        if at > 0 {
            self.next_bytes()?;
        }
        Ok(())
    }

    fn jump(&mut self, at: u64) {
        self.at = at;
        self.buffer.clear();
        self.used = 0;
    }

    /// The next valid line; `None` at the end. Invalid lines are skipped.
    pub(super) fn next_line(&mut self) -> io::Result<Option<Line>> {
        while let Some(line) = self.next_bytes()? {
            if let Some(line) = Line::parse(&line) {
                return Ok(Some(line));
            }
        }
        Ok(None)
    }

    /// The bytes up to the next line end, or part of a line that is too long; `None` if there is no further line end.
    fn next_bytes(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut searched = 0;
        loop {
            let rest = self.buffer.get(self.used..).unwrap_or_default();
            let found = memchr::memchr(b'\n', rest.get(searched..).unwrap_or_default());
            if let Some(end) = found.map(|end| searched + end) {
                let line = rest.get(..end).unwrap_or_default().to_vec();
                self.used += end + 1;
                self.at += end as u64 + 1;
                return Ok(Some(line));
            }
            if rest.len() > MAX_LINE {
                let length = rest.len();
                self.used += length;
                self.at += length as u64;
                return Ok(Some(Vec::new()));
            }
            searched = rest.len();
            self.buffer.drain(..self.used);
            self.used = 0;
            let old = self.buffer.len();
            self.buffer.resize(old + CHUNK, 0);
            let space = self.buffer.get_mut(old..).unwrap_or_default();
            let read = self.file.read_at(space, self.at + old as u64)?;
            self.buffer.truncate(old + read);
            if read == 0 {
                return Ok(None);
            }
        }
    }

    /// The offset of the next line, and the line if it is valid; `None` at the end.
    fn next_any(&mut self) -> io::Result<Option<(u64, Option<Line>)>> {
        let at = self.at;
        Ok(self.next_bytes()?.map(|line| (at, Line::parse(&line))))
    }

    /// The offset of the next line.
    pub(super) fn position(&self) -> u64 {
        self.at
    }
}

/// All lines of a catalogue, including invalid ones.
pub(crate) struct CatalogLines(Catalog);

/// The copy of a metadata record in a line: the record's position and block.
pub(crate) type Repeated = (Position, Vec<u8>);

impl CatalogLines {
    /// Opens the catalogue of the archive in `dir`; `None` if it has none.
    pub(crate) fn open(dir: &Path) -> Option<Self> {
        Catalog::open(dir, Cursor::default()).map(Self)
    }

    /// The next line that is invalid or copies a record: its offset and the copy. `None` at the end.
    pub(crate) fn next_line(&mut self) -> io::Result<Option<(u64, Option<Repeated>)>> {
        while let Some((at, line)) = self.0.next_any()? {
            match line.map(|line| line.entry) {
                None => return Ok(Some((at, None))),
                Some(Some((metadata, place, _))) => return Ok(Some((at, Some((place, metadata))))),
                Some(None) => {}
            }
        }
        Ok(None)
    }
}
