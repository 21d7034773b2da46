//! The parts of a collection, open for writing: analysed pictures, their codebook, the index.

use std::sync::Arc;

use osprey_index::{Document, Gallery, Index, IndexError, Picture, PictureOutcome, Writer, WriterOptions};
use osprey_vision::Codebook;
use serde::{Deserialize, Serialize};

use super::Indexed;
use super::pictures::FoundPicture;
use crate::collection::Collection;
use crate::error::{Context, Result};
use crate::observe::Control;

/// Documents between two commits.
pub(super) const COMMIT_EVERY: u64 = 20_000;

/// How far an index has come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Checkpoint {
    /// The last visit that is in it.
    pub(super) visits: u64,
    /// The last picture that was known to it.
    pub(super) pictures: u64,
    /// What was learned of the site: see [`osprey_structure::Site::key`].
    pub(super) site: Option<String>,
}

/// The parts of a collection, open for writing.
pub(super) struct IndexWriters {
    pub(super) codebook: Arc<Codebook>,
    pub(super) gallery: Gallery,
    index: Index,
    writer: Writer,
    pub(super) indexed: Indexed,
    /// Documents since the last commit.
    pub(super) uncommitted: u64,
}

impl IndexWriters {
    /// Opens the index for writing. One that cannot be used, or all if `anew`, is begun anew from the archive.
    pub(super) fn open(collection: &Collection, anew: bool, control: Control<'_>) -> Result<Self> {
        let codebook = collection.codebook()?;
        let rebuilt = |why: &IndexError| control.note(format!("note: {why}: rebuilding it now"));
        let index = if anew {
            Index::create(&collection.layout().index(), Arc::clone(&codebook))?
        } else {
            collection.index(&codebook, rebuilt)?
        };
        // the writer first: who has it may touch the pictures, too
        let writer = index.writer(&WriterOptions::default())?;
        let gallery = collection.gallery(&codebook)?;
        Ok(Self { codebook, gallery, index, writer, indexed: Indexed::default(), uncommitted: 0 })
    }

    pub(super) fn checkpoint(&self) -> Result<Checkpoint> {
        let stored = self.index.checkpoint()?;
        Ok(stored.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }

    pub(super) fn put(&mut self, document: &Document) -> Result<()> {
        match self.writer.put(document) {
            // an address that no index holds is the Web's fault
            Err(IndexError::Url(_)) => return Ok(()),
            put => put?,
        }
        self.indexed.documents += 1;
        self.indexed.pictures += u64::from(document.picture.is_some());
        self.uncommitted += 1;
        Ok(())
    }

    pub(super) fn commit(&mut self, checkpoint: &Checkpoint) -> Result<()> {
        self.gallery.flush()?;
        self.writer.commit(Some(&serde_json::to_string(checkpoint).context("checkpoint")?))?;
        self.uncommitted = 0;
        Ok(())
    }

    /// A picture with its words, if it has some.
    pub(super) fn picture(&mut self, found: &FoundPicture) -> Result<Option<Picture>> {
        let seen = self.gallery.get(found.key).context("data/images")?;
        let Some(PictureOutcome::Words(words)) = seen else { return Ok(None) };
        let thumbnail = self.gallery.thumbnail(found.key).to_string_lossy().into_owned();
        Ok(Some(Picture { url: found.url.clone(), thumbnail, words: *words }))
    }

    /// Ends writing.
    pub(super) fn finish(self) -> Result<Indexed> {
        self.writer.finish()?;
        Ok(self.indexed)
    }
}
