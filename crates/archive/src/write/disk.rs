//! The file operations that the writer needs, as a trait: tests use a disk that fills up.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// A file that grows.
pub(super) trait Disk: Send {
    /// Writes all of `bytes` at `offset`.
    fn write_all_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<()>;
    /// Truncates or extends the file to `length`.
    fn set_len(&mut self, length: u64) -> io::Result<()>;
    /// Syncs the file.
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
