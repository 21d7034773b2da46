//! An index on disk: made, opened, refused when it is not one of ours.
//!
//! The folder holds the store's files and `osprey-index.json`, which says what the rest was made with. An index of
//! another version or of another codebook is not converted: the archive has everything, and rebuilding is what gives the
//! same result as if it had been so from the start.

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
use crate::schema::{self, Fields};
use crate::search::Searcher;
use crate::writer::{Writer, WriterOptions};

/// Changes with everything that changes what stands in an index.
const VERSION: u32 = 2;
/// The file that says what an index was made with.
const ABOUT: &str = "osprey-index.json";

#[derive(Serialize, Deserialize)]
struct About {
    osprey_index: u32,
    /// In hexadecimal: JSON has no 64-bit numbers that everybody reads.
    codebook: String,
}

/// An index in a folder.
#[derive(Clone)]
pub struct Index {
    pub(crate) path: PathBuf,
    pub(crate) store: tantivy::Index,
    pub(crate) fields: Fields,
    pub(crate) codebook: Arc<Codebook>,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Index {
    /// Opens the index in a folder, or makes an empty one if the folder has none. An index that this build cannot use is
    /// [`IndexError::Rebuild`]; see [`Index::create`].
    pub fn open(path: &Path, codebook: Arc<Codebook>) -> Result<Self, IndexError> {
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
        let folder = Folder::open(path).map_err(|cause| IndexError::store(path, cause.into()))?;
        let mut store = tantivy::Index::open(folder).map_err(|cause| IndexError::store(path, cause))?;
        store.set_tokenizers(schema::tokenizers());
        Ok(Self { path: path.to_owned(), store, fields, codebook })
    }

    /// Makes an empty index in a folder, in the place of one that is there and that nobody writes.
    pub fn create(path: &Path, codebook: Arc<Codebook>) -> Result<Self, IndexError> {
        let io = |path: &Path| {
            let path = path.to_owned();
            move |cause| IndexError::io(&path, cause)
        };
        if path.is_dir() {
            let directory = MmapDirectory::open(path);
            let directory = directory.map_err(|cause| IndexError::store(path, cause.into()))?;
            // held while the files go: whoever writes must not lose them
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
        // last: without it the folder is not an index
        let about = About { osprey_index: VERSION, codebook: format!("{:016x}", codebook.id()) };
        let text = serde_json::to_vec(&about).unwrap_or_default();
        fs::write(path.join(ABOUT), text).map_err(io(&path.join(ABOUT)))?;
        Ok(Self { path: path.to_owned(), store, fields, codebook })
    }

    /// The codebook that visual words are of.
    pub fn codebook(&self) -> &Arc<Codebook> {
        &self.codebook
    }

    /// What the last commit was told to remember, see [`Writer::commit`].
    pub fn checkpoint(&self) -> Result<Option<String>, IndexError> {
        let metas = self.store.load_metas().map_err(|cause| IndexError::store(&self.path, cause))?;
        Ok(metas.payload)
    }

    /// Whoever writes the index; there is one at a time.
    pub fn writer(&self, options: &WriterOptions) -> Result<Writer, IndexError> {
        Writer::new(self, options)
    }

    /// Searches what is committed now; later commits are for the next searcher.
    pub fn searcher(&self) -> Result<Searcher, IndexError> {
        Searcher::new(self)
    }
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
