//! All files under a folder, in a fixed order. Links to folders are not followed: they may go in circles.

use std::path::{Path, PathBuf};

use crate::error::ArchiveError;

/// Folders inside folders that are looked at.
const MAX_DEPTH: usize = 64;

/// The files under `root`, sorted by path, at most `max` of them.
pub(super) fn files_under(root: &Path, max: usize) -> Result<Vec<PathBuf>, ArchiveError> {
    let mut files = Vec::new();
    let mut folders = vec![(root.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(ArchiveError::at(&folder))? {
            let entry = entry.map_err(ArchiveError::at(&folder))?;
            let kind = entry.file_type().map_err(ArchiveError::at(&folder))?;
            let path = entry.path();
            if kind.is_dir() {
                if depth < MAX_DEPTH {
                    folders.push((path, depth + 1));
                }
            } else if files.len() < max && path.is_file() {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}
