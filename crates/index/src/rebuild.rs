//! Rebuilds an index in another folder, which replaces the old one when it is complete.
//!
//! ```text
//! index        the index that is searched
//! index.new    under construction; after a kill it is useless, and the next writer deletes it
//! index.old    the previous index: it exists between the two renames of [`Rebuild::finish`]
//! ```
//!
//! A kill between the renames leaves no `index`; readers then use `index.old` ([`standing`]), and the next writer
//! renames it back ([`settle`]). During a rebuild, the writer's lock of the existing index is held, so that no
//! documents are added to an index that will be replaced. Readers that have the old files open keep them until they
//! close them.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use osprey_vision::Codebook;
use tantivy::TantivyError;
use tantivy::directory::{Directory, DirectoryLock, INDEX_WRITER_LOCK, MmapDirectory};

use crate::error::IndexError;
use crate::index::Index;

/// An index under construction.
pub struct Rebuild {
    index: Index,
    path: PathBuf,
    /// The lock of the existing index, if there is one.
    lock: Option<DirectoryLock>,
}

impl std::fmt::Debug for Rebuild {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rebuild")
            .field("index", &self.index)
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl Rebuild {
    /// Begins a new index for the folder `path`. An existing index there remains until the new one is complete.
    pub fn begin(path: &Path, codebook: Arc<Codebook>) -> Result<Self, IndexError> {
        settle(path)?;
        let lock = if path.is_dir() { Some(lock(path)?) } else { None };
        let index = Index::create(&beside(path, ".new"), codebook)?;
        Ok(Self { index, path: path.to_owned(), lock })
    }

    /// The new index, for writing.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Replaces the old index by the new one, whose writer must have finished.
    pub fn finish(self) -> Result<(), IndexError> {
        let (new, old) = (beside(&self.path, ".new"), beside(&self.path, ".old"));
        if self.lock.is_some() {
            fs::rename(&self.path, &old).map_err(|cause| IndexError::io(&self.path, cause))?;
        }
        fs::rename(&new, &self.path).map_err(|cause| IndexError::io(&new, cause))?;
        if let Some(folder) = self.path.parent() {
            fs::File::open(folder)
                .and_then(|folder| folder.sync_all())
                .map_err(|cause| IndexError::io(folder, cause))?;
        }
        // the next writer tries again
        let _ = fs::remove_dir_all(&old);
        Ok(())
    }
}

/// The folder from which to read the index in `path`: the old one if a kill left only that.
pub fn standing(path: &Path) -> PathBuf {
    let old = beside(path, ".old");
    if !path.exists() && old.exists() { old } else { path.to_owned() }
}

/// Cleans up after a rebuild that was killed. For writers; an error if another process is writing or rebuilding.
pub fn settle(path: &Path) -> Result<(), IndexError> {
    let (new, old) = (beside(path, ".new"), beside(path, ".old"));
    if !new.is_dir() && !old.is_dir() {
        return Ok(());
    }
    // a rebuild holds the lock of the existing index
    let held = if path.is_dir() { Some(lock(path)?) } else { None };
    if old.is_dir() {
        let of_old = lock(&old)?;
        if path.exists() {
            delete(&old)?;
        } else {
            fs::rename(&old, path).map_err(|cause| IndexError::io(&old, cause))?;
        }
        drop(of_old);
    }
    if new.is_dir() {
        let of_new = lock(&new)?;
        delete(&new)?;
        drop(of_new);
    }
    drop(held);
    Ok(())
}

/// `index.new`, `index.old`.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().map(OsString::from).unwrap_or_default();
    name.push(ending);
    path.with_file_name(name)
}

/// The writer's lock of the index in a folder.
fn lock(path: &Path) -> Result<DirectoryLock, IndexError> {
    let directory = MmapDirectory::open(path).map_err(|cause| IndexError::store(path, cause.into()))?;
    directory
        .acquire_lock(&INDEX_WRITER_LOCK)
        .map_err(|cause| IndexError::store(path, TantivyError::LockFailure(cause, None)))
}

fn delete(path: &Path) -> Result<(), IndexError> {
    match fs::remove_dir_all(path) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(IndexError::io(path, cause)),
        _ => Ok(()),
    }
}
