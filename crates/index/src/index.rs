//! An index on disk: created, opened, or rejected if this version cannot use it.
//!
//! The folder contains the store's files and `osprey-index.json`, which records version and codebook. An index with
//! another version or codebook is not converted but rebuilt: the archive has everything, and the result is the same
//! as if it had been made that way from the start.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use osprey_vision::Codebook;
use serde::{Deserialize, Serialize};
use tantivy::TantivyError;
use tantivy::directory::{Directory, INDEX_WRITER_LOCK, MmapDirectory};

use crate::error::{IndexError, Stale};
use crate::folder::Folder;
use crate::guard::guarded;
use crate::schema::{self, Fields};
use crate::search::Searcher;
use crate::writer::{Writer, WriterOptions};

/// The format version, increased with every change of an index's content.
const VERSION: u32 = 2;
/// The file that records version and codebook.
const ABOUT: &str = "osprey-index.json";
/// How often verification is repeated if the index changes meanwhile.
const TRIES: usize = 5;
/// The extensions of the files that every segment has.
const ALWAYS: [&str; 5] = ["idx", "term", "store", "fast", "fieldnorm"];
/// An index up to this size is verified when it is opened, which takes some 20 ms.
const VERIFIED: u64 = 32 << 20;

#[derive(Serialize, Deserialize)]
struct About {
    osprey_index: u32,
    /// In hexadecimal, because not every JSON parser supports 64-bit numbers.
    codebook: String,
}

/// An index in a folder.
#[derive(Clone)]
pub struct Index {
    pub(crate) path: PathBuf,
    pub(crate) store: tantivy::Index,
    pub(crate) fields: Fields,
    pub(crate) codebook: Arc<Codebook>,
    /// Whether the checksums of its files were verified when it was opened.
    pub(crate) is_verified: bool,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Index {
    /// Opens the index in a folder, or creates an empty one if the folder has none. If this version cannot use the
    /// index, the error is [`IndexError::Rebuild`], also for damage that is noticed here: of a small index all
    /// checksums are verified, of a large one only a part of its files. See [`Rebuild`](crate::Rebuild).
    pub fn open(path: &Path, codebook: Arc<Codebook>) -> Result<Self, IndexError> {
        let mut index = Self::open_unverified(path, codebook)?;
        if bytes_in(path) <= VERIFIED {
            index.verify()?;
            index.is_verified = true;
        }
        Ok(index)
    }

    /// Verifies the checksums of the committed files.
    fn verify(&self) -> Result<(), IndexError> {
        let Some(file) = self.damaged_files()?.into_iter().next() else { return Ok(()) };
        let why = Stale::Damaged(format!("`{}` is missing or its checksum does not fit", file.display()));
        Err(IndexError::Rebuild { path: self.path.clone(), why })
    }

    /// The committed files that are missing or have wrong checksums. Reads all of them. Returns none if commits keep
    /// changing the index meanwhile, since the files change during the check.
    pub fn damaged_files(&self) -> Result<Vec<PathBuf>, IndexError> {
        let path = &self.path;
        let store = |cause| IndexError::store(path, cause);
        let active =
            || -> Result<_, IndexError> { Ok(self.store.load_metas().map_err(store)?.list_segment_files()) };
        guarded(path, || {
            for _ in 0..TRIES {
                let before = active()?;
                let damaged = self.store.validate_checksum();
                let is_missing = |file: &&PathBuf| {
                    ALWAYS.iter().any(|kind| file.extension() == Some(kind.as_ref()))
                        && !path.join(file).exists()
                };
                let missing: Vec<PathBuf> = before.iter().filter(is_missing).cloned().collect();
                // a commit deletes files, so this is checked last
                if active()? != before {
                    continue;
                }
                let mut damaged: Vec<PathBuf> = damaged.map_err(store)?.into_iter().collect();
                damaged.extend(missing);
                damaged.sort();
                damaged.dedup();
                return Ok(damaged);
            }
            Ok(Vec::new())
        })
    }

    fn open_unverified(path: &Path, codebook: Arc<Codebook>) -> Result<Self, IndexError> {
        let about = path.join(ABOUT);
        match fs::read(&about) {
            Ok(bytes) => check(path, &bytes, codebook.id())?,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
                if path.join("meta.json").exists() {
                    let why = Stale::Damaged(format!("no `{ABOUT}`"));
                    return Err(IndexError::Rebuild { path: path.to_owned(), why });
                }
                return Self::create(path, codebook);
            }
            Err(cause) => return Err(IndexError::io(&about, cause)),
        }
        let (_, fields) = Fields::new();
        guarded(path, || {
            let folder = Folder::open(path).map_err(|cause| IndexError::store(path, cause.into()))?;
            let mut store = tantivy::Index::open(folder).map_err(|cause| IndexError::store(path, cause))?;
            store.set_tokenizers(schema::tokenizers());
            Ok(Self { path: path.to_owned(), store, fields, codebook, is_verified: false })
        })
    }

    /// Creates an empty index in a folder and replaces an existing one, unless it is being written.
    pub fn create(path: &Path, codebook: Arc<Codebook>) -> Result<Self, IndexError> {
        let io = |path: &Path| {
            let path = path.to_owned();
            move |cause| IndexError::io(&path, cause)
        };
        if path.is_dir() {
            let directory = MmapDirectory::open(path);
            let directory = directory.map_err(|cause| IndexError::store(path, cause.into()))?;
            // held while the files are deleted, so that no writer loses them
            let _lock = directory
                .acquire_lock(&INDEX_WRITER_LOCK)
                .map_err(|cause| IndexError::store(path, TantivyError::LockFailure(cause, None)))?;
            fs::remove_dir_all(path).map_err(io(path))?;
        }
        fs::create_dir_all(path).map_err(io(path))?;
        let (schema, fields) = Fields::new();
        let directory = MmapDirectory::open(path).map_err(|cause| IndexError::store(path, cause.into()))?;
        let store = tantivy::Index::builder()
            .schema(schema)
            .tokenizers(schema::tokenizers())
            .open_or_create(directory)
            .map_err(|cause| IndexError::store(path, cause))?;
        // written last: without it the folder is not an index
        let about = About { osprey_index: VERSION, codebook: format!("{:016x}", codebook.id()) };
        let text = serde_json::to_vec(&about).unwrap_or_default();
        let file = path.join(ABOUT);
        fs::write(&file, text).and_then(|()| fs::File::open(&file)?.sync_all()).map_err(io(&file))?;
        Ok(Self { path: path.to_owned(), store, fields, codebook, is_verified: true })
    }

    /// The codebook of the index's visual words.
    pub fn codebook(&self) -> &Arc<Codebook> {
        &self.codebook
    }

    /// The checkpoint stored with the last commit, see [`Writer::commit`].
    pub fn checkpoint(&self) -> Result<Option<String>, IndexError> {
        guarded(&self.path, || {
            let metas = self.store.load_metas().map_err(|cause| IndexError::store(&self.path, cause))?;
            Ok(metas.payload)
        })
    }

    /// A writer of the index; only one can exist at a time. The checksums of a large index are verified now: threads
    /// of the store merge new documents with the existing ones, and would panic on damaged files.
    pub fn writer(&self, options: &WriterOptions) -> Result<Writer, IndexError> {
        if !self.is_verified {
            self.verify()?;
        }
        Writer::new(self, options)
    }

    /// A searcher over everything committed so far; later commits need a new searcher.
    pub fn searcher(&self) -> Result<Searcher, IndexError> {
        guarded(&self.path, || Searcher::new(self))
    }
}

/// Total size of the files in a folder.
fn bytes_in(path: &Path) -> u64 {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum()
}

fn check(path: &Path, bytes: &[u8], codebook: u64) -> Result<(), IndexError> {
    let rebuild = |why| IndexError::Rebuild { path: path.to_owned(), why };
    let about: About = serde_json::from_slice(bytes)
        .map_err(|cause| rebuild(Stale::Damaged(format!("`{ABOUT}`: {cause}"))))?;
    if about.osprey_index != VERSION {
        return Err(rebuild(Stale::Version { found: about.osprey_index, expected: VERSION }));
    }
    match u64::from_str_radix(&about.codebook, 16) {
        Ok(found) if found == codebook => Ok(()),
        Ok(found) => Err(rebuild(Stale::Codebook { found, expected: codebook })),
        Err(_) => Err(rebuild(Stale::Damaged(format!("codebook `{}`", about.codebook)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    /// A large index is opened without verification, but verified before it is written.
    #[test]
    fn an_index_that_was_not_verified_is_before_it_is_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index");
        let options = WriterOptions { threads: 1, memory: 0 };
        let index = Index::open(&path, Codebook::embedded()).unwrap();
        let mut writer = index.writer(&options).unwrap();
        for number in 0..50 {
            let text = format!("tern {number} {}", "word ".repeat(50));
            let url = format!("http://a.example/{number}");
            writer.put(&Document { url, text, ..Document::default() }).unwrap();
        }
        writer.commit(None).unwrap();
        writer.finish().unwrap();
        let unverified = || Index::open_unverified(&path, Codebook::embedded()).unwrap();
        assert!(unverified().writer(&options).is_ok());
        for kind in ["idx", "term", "store", "fast", "pos"] {
            let files = fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path());
            let Some(file) = files.into_iter().find(|path| path.extension().is_some_and(|name| name == kind))
            else {
                continue;
            };
            let kept = fs::read(&file).unwrap();
            let mut bytes = kept.clone();
            bytes.iter_mut().take(kept.len() / 2).for_each(|byte| *byte ^= 0x55);
            fs::write(&file, bytes).unwrap();
            let error = unverified().writer(&options).unwrap_err();
            assert!(error.wants_rebuild(), "{kind}: {error}");
            fs::write(&file, kept).unwrap();
        }
        assert!(unverified().writer(&options).is_ok());
    }
}
