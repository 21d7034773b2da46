//! The few things the writer asks of a file, as a seam: the other implementation is a disk that fills up.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// A file that grows.
pub(super) trait Disk: Send {
    /// Writes all of `bytes` at `offset`.
    fn write_all_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<()>;
    /// Cuts or extends to `length`.
    fn set_len(&mut self, length: u64) -> io::Result<()>;
    /// To the disk itself.
    fn sync(&mut self) -> io::Result<()>;
}

impl Disk for File {
    fn write_all_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<()> {
        FileExt::write_all_at(self, bytes, offset)
    }

    fn set_len(&mut self, length: u64) -> io::Result<()> {
        File::set_len(self, length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}
