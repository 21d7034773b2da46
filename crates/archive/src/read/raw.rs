//! The undecoded bytes of a file, buffered, with their offsets.

use std::io::{self, Read};

/// Number of bytes read from the source at a time.
const CHUNK: usize = 64 * 1024;

/// A buffered reader that knows its offset.
#[derive(Debug)]
pub(super) struct Raw<R> {
    source: R,
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    /// The offset of `buffer[start]` in the file.
    offset: u64,
    ended: bool,
    /// Seeks in the source, if it supports that.
    seek: Option<Seek<R>>,
}

/// Moves a source to an offset of its file.
pub(super) type Seek<R> = fn(&mut R, u64) -> io::Result<()>;

impl<R: Read> Raw<R> {
    pub(super) fn new(source: R, offset: u64) -> Self {
        Self { source, buffer: vec![0; CHUNK].into(), start: 0, end: 0, offset, ended: false, seek: None }
    }

    pub(super) fn set_seek(&mut self, seek: Seek<R>) {
        self.seek = Some(seek);
    }

    /// Seeks to `offset`; `false` if the source cannot seek.
    pub(super) fn go_to(&mut self, offset: u64) -> io::Result<bool> {
        let Some(seek) = self.seek else { return Ok(false) };
        seek(&mut self.source, offset)?;
        (self.start, self.end, self.offset, self.ended) = (0, 0, offset, false);
        Ok(true)
    }

    /// The offset of the next byte.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    pub(super) fn buffered(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    pub(super) fn consume(&mut self, count: usize) {
        let count = count.min(self.end - self.start);
        self.start += count;
        self.offset += count as u64;
    }

    /// Appends more bytes to the buffer. `false` at the end of the file or if the buffer is full.
    pub(super) fn fill(&mut self) -> io::Result<bool> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        } else if self.end == self.buffer.len() {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        while !self.ended && self.end < self.buffer.len() {
            match self.source.read(self.buffer.get_mut(self.end..).unwrap_or_default()) {
                Ok(0) => self.ended = true,
                Ok(read) => {
                    self.end += read;
                    return Ok(true);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }

    /// Makes `count` bytes (at most the buffer's size) available, or all that are left.
    pub(super) fn peek(&mut self, count: usize) -> io::Result<&[u8]> {
        while self.buffered().len() < count && self.fill()? {}
        Ok(self.buffered())
    }
}

/// Reads exactly what is requested, never more: the zstd decoder must not read past its frame.
impl<R: Read> Read for Raw<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.buffered().is_empty() {
            self.fill()?;
        }
        let count = self.buffered().len().min(into.len());
        if let (Some(into), Some(from)) = (into.get_mut(..count), self.buffered().get(..count)) {
            into.copy_from_slice(from);
        }
        self.consume(count);
        Ok(count)
    }
}
