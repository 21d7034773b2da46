//! Unpacks gzipped directories, which is how the dumps of the Open Directory come. A file that ends in the middle ends
//! there, and says so; what was whole before is worth having.

use std::io::{self, BufRead, Read};

use flate2::bufread::MultiGzDecoder;

/// Whether what comes is gzipped: its first two bytes tell, whatever its name.
pub(super) fn is_packed(from: &mut impl BufRead) -> io::Result<bool> {
    Ok(from.fill_buf()?.starts_with(&[0x1f, 0x8b]))
}

/// What is in a gzipped file.
pub(super) struct Unpacked<R> {
    packed: MultiGzDecoder<R>,
    /// Whether it ended in the middle.
    pub(super) is_cut: bool,
}

impl<R: BufRead> Unpacked<R> {
    pub(super) fn new(from: R) -> Self {
        Self { packed: MultiGzDecoder::new(from), is_cut: false }
    }
}

impl<R: BufRead> Read for Unpacked<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.is_cut {
            return Ok(0);
        }
        match self.packed.read(into) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                self.is_cut = true;
                Ok(0)
            }
            other => other,
        }
    }
}
