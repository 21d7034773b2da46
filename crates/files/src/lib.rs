//! Small files, written whole or not at all.
//!
//! A file is written beside its target, flushed, synced, renamed over the target, and then the folder is synced. Whatever
//! fails on the way (a full disk shows itself at any of these steps, often only at the flush), the old file stays as it was
//! and the half-written one is removed. After `Ok` the new file survives a power cut.
//!
//! [`write_atomically`] leaves the syncing out: for files that are written again every second and are worth nothing after a
//! crash. Readers still never see half of one, but after a power cut it may be old or empty.
//!
//! What exists and is not a plain file (a device, a pipe) is written in place, because a rename would replace it; a link to
//! a plain file stays a link, and the file that it leads to is replaced. The permissions of the old file are kept. Not for
//! large or growing files: `archive` and `frontier` have their own formats for those.

mod steps;
#[cfg(test)]
mod tests;

use std::fs;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use steps::{Disk, Steps};

/// Why a file was not written; the old one is still there.
#[derive(Debug, thiserror::Error)]
#[error("{path}: cannot {step}: {source}{advice}", path = .path.display(), advice = advice(.source))]
pub struct WriteError {
    /// The file that was to be written.
    pub path: PathBuf,
    /// What could not be done.
    pub step: &'static str,
    /// What the system said.
    pub source: io::Error,
}

fn advice(source: &io::Error) -> &'static str {
    match source.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "; make room and try again: the old file is intact"
        }
        _ => "",
    }
}

/// Replaces a file by these bytes; after `Ok` they survive a power cut.
///
/// # Errors
/// If a step failed; the file is then as it was (or, if only its folder could not be synced, new and whole).
pub fn write_durably(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), WriteError> {
    write(&Disk { syncs: true }, path, &mut |file| file.write_all(bytes.as_ref()))
}

/// Replaces a file by what the closure writes, as [`write_durably`] does.
///
/// # Errors
/// Those of the closure, and those of [`write_durably`].
pub fn write_durably_with<T, E: From<WriteError>>(
    path: &Path,
    fill: impl FnOnce(&mut (dyn Write + Send)) -> Result<T, E>,
) -> Result<T, E> {
    let mut fill = Some(fill);
    let mut result = None;
    let written = write(&Disk { syncs: true }, path, &mut |file| {
        result = fill.take().map(|fill| fill(file));
        // its own error is returned below; this one only stops the writing
        if matches!(result, Some(Ok(_))) { Ok(()) } else { Err(io::Error::other("not written")) }
    });
    match (result, written) {
        (Some(Err(error)), _) => Err(error),
        (Some(Ok(value)), Ok(())) => Ok(value),
        (_, Err(error)) => Err(error.into()),
        (None, Ok(())) => Err(failed(path, "write")(io::Error::other("nothing was written")).into()),
    }
}

/// Replaces a file without syncing: for files that are written again soon and are worth nothing after a crash.
///
/// # Errors
/// If a step failed; the file is then as it was.
pub fn write_atomically(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), WriteError> {
    write(&Disk { syncs: false }, path, &mut |file| file.write_all(bytes.as_ref()))
}

/// Copies the plain files of a folder into a folder that does not exist yet, or is empty: all of them or none.
///
/// # Errors
/// If a file could not be copied, or the new folder is not empty; nothing new is left then.
pub fn copy_folder_durably(from: &Path, to: &Path) -> Result<(), WriteError> {
    let new = steps::beside(to).ok_or_else(|| no_name(to))?;
    let result = copy_into(from, &new).and_then(|()| {
        fs::rename(&new, to).map_err(failed(to, "rename"))?;
        Disk { syncs: true }.sync_folder(to).map_err(failed(to, "sync the folder of"))
    });
    if result.is_err() {
        let _ = fs::remove_dir_all(&new);
    }
    result
}

fn copy_into(from: &Path, new: &Path) -> Result<(), WriteError> {
    fs::create_dir_all(new).map_err(failed(new, "create"))?;
    for entry in fs::read_dir(from).map_err(failed(from, "read"))? {
        let entry = entry.map_err(failed(from, "read"))?;
        if entry.file_type().map_err(failed(&entry.path(), "read"))?.is_file() {
            let path = new.join(entry.file_name());
            fs::copy(entry.path(), &path).map_err(failed(&path, "write"))?;
            fs::File::open(&path).and_then(|file| file.sync_all()).map_err(failed(&path, "sync"))?;
        }
    }
    Ok(())
}

type Fill<'a> = &'a mut dyn FnMut(&mut (dyn Write + Send)) -> io::Result<()>;

/// The steps of a write, in their order, on a disk that may fail at each.
fn write<S: Steps>(disk: &S, path: &Path, fill: Fill<'_>) -> Result<(), WriteError> {
    let Some(target) = target(path) else {
        let file =
            fs::OpenOptions::new().write(true).truncate(true).open(path).map_err(failed(path, "open"))?;
        let mut buffer = BufWriter::new(file);
        return fill(&mut buffer).and_then(|()| buffer.flush()).map_err(failed(path, "write"));
    };
    let new = steps::beside(&target).ok_or_else(|| no_name(path))?;
    let file = disk.create(&new).map_err(failed(path, "create the new file of"))?;
    let guard = Remove(&new);
    if let Ok(old) = fs::metadata(&target) {
        // a file system without permissions has none to keep
        let _ = fs::set_permissions(&new, old.permissions());
    }
    let mut buffer = BufWriter::new(file);
    fill(&mut buffer).and_then(|()| buffer.flush()).map_err(failed(path, "write"))?;
    disk.sync(buffer.get_ref()).map_err(failed(path, "sync"))?;
    drop(buffer);
    disk.rename(&new, &target).map_err(failed(path, "rename the new file of"))?;
    std::mem::forget(guard);
    disk.sync_folder(&target).map_err(failed(path, "sync the folder of"))
}

/// The plain file to replace; `None` if the path is to be written in place.
fn target(path: &Path) -> Option<PathBuf> {
    let is_link = fs::symlink_metadata(path).is_ok_and(|there| there.is_symlink());
    match fs::metadata(path) {
        Ok(there) if !there.is_file() => None,
        // `/dev/stdout` may lead to a plain file that another process holds open
        Ok(_) if is_link && path.starts_with("/dev") => None,
        Ok(_) if is_link => fs::canonicalize(path).ok(),
        Err(_) if is_link => None, // leads nowhere: opening it says so
        _ => Some(path.to_path_buf()),
    }
}

fn failed(path: &Path, step: &'static str) -> impl FnOnce(io::Error) -> WriteError {
    move |source| WriteError { path: path.to_path_buf(), step, source }
}

fn no_name(path: &Path) -> WriteError {
    failed(path, "write")(io::Error::new(ErrorKind::InvalidInput, "not a file name"))
}

/// Removes the new file unless it was renamed: after an error and after a panic.
struct Remove<'a>(&'a Path);

impl Drop for Remove<'_> {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.0);
    }
}
