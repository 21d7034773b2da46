//! A range of a file that can be read at any offset without a cursor, for random access to recordings.
//!
//! It represents a WARC file, a stored member of a WACZ or a temporary file. Positioned reads need no lock and no
//! file handle per reader.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use crate::error::ArchiveError;

/// Bytes `start..end` of a file.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    file: Arc<File>,
    start: u64,
    end: u64,
}

impl Region {
    /// The first `length` bytes of `file`.
    pub(crate) fn of(file: File, length: u64) -> Self {
        Self { file: Arc::new(file), start: 0, end: length }
    }

    /// The whole file at `path`.
    pub(crate) fn open(path: &Path) -> Result<Self, ArchiveError> {
        let file = File::open(path).map_err(ArchiveError::at(path))?;
        let length = file.metadata().map_err(ArchiveError::at(path))?.len();
        Ok(Self::of(file, length))
    }

    /// The length in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.end - self.start
    }

    /// `length` bytes from `offset` on, or fewer at the end.
    pub(crate) fn part(&self, offset: u64, length: u64) -> Self {
        let start = self.start.saturating_add(offset).min(self.end);
        Self { file: Arc::clone(&self.file), start, end: start.saturating_add(length).min(self.end) }
    }

    /// A reader that begins at `offset`.
    pub(crate) fn reader(&self, offset: u64) -> RegionReader {
        let at = self.start.saturating_add(offset).min(self.end);
        RegionReader { region: self.clone(), at }
    }
}

/// A cursor over a [`Region`].
#[derive(Clone, Debug)]
pub(crate) struct RegionReader {
    region: Region,
    at: u64,
}

impl Read for RegionReader {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.region.end - self.at).unwrap_or(usize::MAX);
        let wanted = left.min(buf.len());
        let Some(buf) = buf.get_mut(..wanted) else { return Ok(0) };
        let read = self.region.file.read_at(buf, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl io::Seek for RegionReader {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        let from = |base: u64, by: i64| base.checked_add_signed(by);
        let at = match to {
            io::SeekFrom::Start(offset) => self.region.start.checked_add(offset),
            io::SeekFrom::End(by) => from(self.region.end, by),
            io::SeekFrom::Current(by) => from(self.at, by),
        };
        match at.filter(|at| *at >= self.region.start) {
            Some(at) => {
                self.at = at.min(self.region.end);
                Ok(self.at - self.region.start)
            }
            None => Err(io::ErrorKind::InvalidInput.into()),
        }
    }
}
