//! `osprey index DIR --images FOLDER`: the user's own pictures. The path is the URL, the file name is the title, the
//! folder names are tags. Links are not followed; files that are not pictures are counted and skipped.

use std::path::{Path, PathBuf};

use osprey_archive::Digest;
use osprey_index::{Document, DocumentKind, PictureKey};
use osprey_model::PageType;
use osprey_vision::Limits;

use super::pictures::{FoundPicture, look};
use super::writers::{COMMIT_EVERY, IndexWriters};
use crate::error::{Context, Result};
use crate::observe::Control;

/// Names that picture files end with.
const ENDINGS: [&str; 6] = ["jpg", "jpeg", "png", "gif", "webp", "bmp"];
/// How deep folders are gone into.
const MAX_DEPTH: usize = 32;
/// Files in one batch.
const BATCH: usize = 64;

/// A picture file, its place in the folder, and the digest of its bytes.
struct OwnPicture {
    document: Document,
    found: FoundPicture,
    path: PathBuf,
}

/// Takes in the pictures of a folder.
pub(super) fn index_folder(folder: &Path, writers: &mut IndexWriters, control: Control<'_>) -> Result<()> {
    let root = folder.canonicalize().with_context(|| folder.display().to_string())?;
    let files = files(&root)?;
    let total = files.len() as u64;
    let checkpoint = writers.checkpoint()?;
    for (number, batch) in files.chunks(BATCH).enumerate() {
        let batch: Vec<OwnPicture> = batch.iter().filter_map(|path| own(&root, path, writers)).collect();
        let found: Vec<FoundPicture> = batch.iter().map(|own| own.found.clone()).collect();
        let bytes = |found: &FoundPicture| {
            let own = batch.iter().find(|own| own.found.key == found.key)?;
            std::fs::read(&own.path).ok()
        };
        look(&found, bytes, writers)?;
        for own in &batch {
            if let Some(picture) = writers.picture(&own.found)? {
                writers.put(&Document { picture: Some(picture), ..own.document.clone() })?;
            }
        }
        control.work("pictures", (number * BATCH) as u64, total);
        if writers.uncommitted >= COMMIT_EVERY {
            writers.commit(&checkpoint)?;
        }
    }
    writers.commit(&checkpoint)
}

/// The files of a folder that may be pictures.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    walk(folder, MAX_DEPTH, &mut files)?;
    Ok(files)
}

/// Files that may be pictures, in the order of their names.
fn walk(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut entries: Vec<_> = entries.filter_map(Result::ok).collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (Ok(kind), path) = (entry.file_type(), entry.path()) else { continue };
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        if kind.is_dir() && depth > 0 {
            walk(&path, depth - 1, files)?;
        } else if kind.is_file() && ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str())) {
            files.push(path);
        }
    }
    Ok(())
}

fn own(root: &Path, path: &Path, writers: &mut IndexWriters) -> Option<OwnPicture> {
    let mut refuse = |why: &str| {
        *writers.indexed.refused.entry(why.to_owned()).or_default() += 1;
        None
    };
    let size = std::fs::metadata(path).map_or(0, |data| data.len());
    if size > Limits::default().file_bytes as u64 {
        return refuse("too large");
    }
    let Ok(bytes) = std::fs::read(path) else { return refuse("not readable") };
    let key = PictureKey::of_digest(&Digest::of(&bytes).to_string())?;
    let url = url::Url::from_file_path(path).ok()?.to_string();
    let found = FoundPicture { url: url.clone(), key, archived: None };
    Some(OwnPicture { document: document(root, path, url, size), found, path: path.to_owned() })
}

fn document(root: &Path, path: &Path, url: String, size: u64) -> Document {
    let words = |name: &std::ffi::OsStr| name.to_string_lossy().replace(['_', '-'], " ");
    let inside = path.strip_prefix(root).unwrap_or(path).parent();
    Document {
        url,
        kind: DocumentKind::Record,
        title: path.file_stem().map(words).unwrap_or_default(),
        tags: inside.into_iter().flat_map(Path::iter).map(words).collect(),
        size,
        page_type: PageType::Detail,
        ..Document::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_titles_and_folders_tags() {
        let check = |path: &str, title: &str, tags: &[&str]| {
            let found = document(Path::new("/p"), Path::new(path), String::new(), 1);
            assert_eq!(
                (found.title.as_str(), found.tags.as_slice()),
                (title, &tags.iter().map(ToString::to_string).collect::<Vec<_>>()[..])
            );
        };
        check("/p/a.jpg", "a", &[]);
        check("/p/summer_2019/at-sea/IMG_1.jpg", "IMG 1", &["summer 2019", "at sea"]);
    }
}
