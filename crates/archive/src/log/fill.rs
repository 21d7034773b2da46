//! Writes the catalogue: completes it when an archive is opened, and adds a line for each metadata record after that.
//!
//! A failure here is not an error, because the archive is complete without its catalogue. After a failed write
//! nothing more is written, and the next opening adds what is missing.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use super::catalog::{CATALOG, Catalog, Line, Stretch};
use super::is_in_archive;
use super::scan::{Scan, ScanItem};
use crate::error::ArchiveError;
use crate::position::{Cursor, Position};

/// Number of bytes that are buffered.
const HELD: usize = 64 * 1024;
/// How much of the catalogue's end is searched for its last complete line; the second size is tried only if the first
/// had none.
const TAILS: [u64; 2] = [64 * 1024, 8 << 20];

/// The catalogue, open at its end; does nothing if it cannot be written.
#[derive(Debug, Default)]
pub(crate) struct CatalogWriter {
    file: Option<File>,
    held: Vec<u8>,
    /// The end of the stretch that the last line describes.
    through: Cursor,
    /// Number of responses without metadata since then.
    bare: u64,
}

impl CatalogWriter {
    /// Opens the catalogue of the archive in `dir`, which ends at `end`, and adds missing lines.
    pub(crate) fn open(dir: &Path, end: Cursor) -> Self {
        let mut writer = Self::default();
        if writer.complete(dir, end).is_err() {
            writer.file = None;
        }
        writer
    }

    fn complete(&mut self, dir: &Path, end: Cursor) -> Result<(), ArchiveError> {
        let path = dir.join(CATALOG);
        let at = ArchiveError::at;
        if end == Cursor::default() && !path.exists() {
            return self.create(&path).map_err(at(&path));
        }
        let (kept, through) = last_line(dir, end).map_err(at(&path))?;
        self.create(&path).map_err(at(&path))?;
        if let Some(file) = &self.file {
            file.set_len(kept).map_err(at(&path))?;
        }
        self.through = through;
        let mut scan = Scan::new(dir, through);
        let (mut bare, mut lost) = (0, None);
        while let Some(found) = scan.next()? {
            let (to, entry) = match found {
                ScanItem::Bare(_) => {
                    bare += 1;
                    continue;
                }
                ScanItem::Damage(passed) => {
                    lost = lost.or(Some(passed.reason));
                    continue;
                }
                ScanItem::FileEnd(end) => (end, None),
                ScanItem::Metadata { block, at, response } => {
                    // a block with a line feed is not one of ours: readers take it from the archive itself
                    let entry = (!block.contains(&b'\n')).then(|| (block.to_vec(), at, response));
                    (at.end(), entry)
                }
            };
            let from = if to.file == self.through.file { self.through.offset } else { 0 };
            let line = Line { file: to.file, from, to: to.offset, entry, bare, lost: lost.take() };
            line.write(&mut self.held);
            (self.through, bare) = (to, 0);
            self.flush_if(HELD);
        }
        self.bare = bare + u64::from(scan.pending().is_some());
        self.flush();
        Ok(())
    }

    fn create(&mut self, path: &Path) -> io::Result<()> {
        self.file = Some(OpenOptions::new().create(true).append(true).open(path)?);
        Ok(())
    }

    /// Adds a metadata record that was written.
    pub(crate) fn add(&mut self, at: Position, response: Option<Position>, metadata: &[u8]) {
        if self.file.is_none() {
            return;
        }
        let from = if at.file == self.through.file { self.through.offset } else { 0 };
        let to = at.end();
        let stretch = Stretch { file: at.file, from, to: to.offset, bare: self.bare };
        stretch.write(None, Some((metadata, at, response)), &mut self.held);
        (self.through, self.bare) = (to, 0);
        self.flush_if(HELD);
    }

    /// Notes the end of a file.
    pub(crate) fn end_file(&mut self, end: Cursor) {
        if self.file.is_some() && self.through.file == end.file && self.through < end {
            let from = self.through.offset;
            let line =
                Line { file: end.file, from, to: end.offset, entry: None, bare: self.bare, lost: None };
            line.write(&mut self.held);
            (self.through, self.bare) = (end, 0);
        }
    }

    /// Notes a response without metadata.
    pub(crate) fn note_bare(&mut self) {
        self.bare += 1;
    }

    fn flush_if(&mut self, held: usize) {
        if self.held.len() >= held {
            self.flush();
        }
    }

    /// Passes the buffered bytes to the operating system.
    pub(crate) fn flush(&mut self) {
        if let Some(file) = &mut self.file
            && file.write_all(&self.held).is_err()
        {
            self.file = None;
        }
        self.held.clear();
    }
}

impl Drop for CatalogWriter {
    fn drop(&mut self) {
        self.flush();
    }
}

/// The last line that describes something before `end`: its end in the catalogue and in the archive.
fn last_line(dir: &Path, end: Cursor) -> io::Result<(u64, Cursor)> {
    let length = match std::fs::metadata(dir.join(CATALOG)) {
        Ok(metadata) => metadata.len(),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => 0,
        Err(cause) => return Err(cause),
    };
    for tail in TAILS {
        let Some(mut catalog) = Catalog::open(dir, Cursor::default()) else { break };
        catalog.begin_at(length.saturating_sub(tail))?;
        let mut last: Option<(u64, Line)> = None;
        while let Some(line) = catalog.next_line()? {
            // a line that does not follow is from another archive, or from one that was cut
            let follows = last.as_ref().is_none_or(|(_, last)| line.begin() >= last.end());
            if !follows || line.end() > end {
                break;
            }
            last = Some((catalog.position(), line));
        }
        if let Some((position, line)) = last {
            let is_true = line.entry.is_none() || is_in_archive(dir, &line);
            return Ok(if is_true { (position, line.end()) } else { (0, Cursor::default()) });
        }
    }
    Ok((0, Cursor::default()))
}
