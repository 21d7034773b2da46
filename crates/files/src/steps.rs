//! What a write does to the disk, step by step, so that tests can let each step fail.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A disk that may fail at every step.
pub(crate) trait Steps {
    /// A file being written.
    type File: Write + Send;

    fn create(&self, path: &Path) -> io::Result<Self::File>;
    fn sync(&self, file: &Self::File) -> io::Result<()>;
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Syncs the folder in which the file is, so that its new name lasts.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
}

/// The real one.
pub(crate) struct Disk {
    /// Whether what is written is to survive a power cut.
    pub(crate) syncs: bool,
}

impl Steps for Disk {
    type File = File;

    fn create(&self, path: &Path) -> io::Result<File> {
        File::create(path)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        if self.syncs { file.sync_all() } else { Ok(()) }
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        // elsewhere a folder cannot be opened as a file, and renames are durable by themselves
        if !self.syncs || !cfg!(unix) {
            return Ok(());
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(folder)?.sync_all()
    }
}

/// A name for the new file, in the same folder and no one else's: of this process and this write.
pub(crate) fn beside(path: &Path) -> Option<PathBuf> {
    static WRITES: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name()?.to_string_lossy();
    let write = WRITES.fetch_add(1, Ordering::Relaxed);
    Some(path.with_file_name(format!(".{name}.{}-{write}.new", std::process::id())))
}
