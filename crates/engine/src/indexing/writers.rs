//! The parts of a collection, open for writing: analysed pictures, their codebook, the index.

use std::path::PathBuf;
use std::sync::Arc;

use osprey_index::{
    Document, Gallery, Index, IndexError, Picture, PictureOutcome, Rebuild, Relevances, Writer, WriterOptions,
};
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
    /// The verdicts that its documents have: see [`osprey_crawl::Verdicts::key`].
    #[serde(default)]
    pub(super) verdicts: String,
}

/// The parts of a collection, open for writing.
pub(super) struct IndexWriters {
    pub(super) codebook: Arc<Codebook>,
    pub(super) gallery: Gallery,
    index: Index,
    writer: Writer,
    /// If the index is built beside another, to take its place.
    rebuild: Option<Rebuild>,
    /// A codebook that is to take the place of another.
    new_codebook: Option<NewCodebook>,
    pub(super) indexed: Indexed,
    /// Documents since the last commit.
    pub(super) uncommitted: u64,
}

/// A codebook in a file beside the one that it is to replace.
struct NewCodebook {
    from: PathBuf,
    to: PathBuf,
}

impl IndexWriters {
    /// Opens the index for writing. One that cannot be used, or all if `anew`, is built again from the archive, beside the
    /// one that is there; if `retrained`, with the new codebook.
    pub(super) fn open(
        collection: &Collection,
        anew: bool,
        retrained: bool,
        control: Control<'_>,
    ) -> Result<Self> {
        let (from, to) = (collection.layout().new_codebook(), collection.layout().codebook());
        let codebook =
            if retrained { Collection::read_codebook(from.clone())? } else { collection.codebook()? };
        let new_codebook = retrained.then_some(NewCodebook { from, to });
        let rebuilt = |why: &IndexError| control.note(format!("note: {why}: rebuilding it now"));
        let (index, rebuild) = collection.index(&codebook, anew || retrained, rebuilt)?;
        // the writer first: who has it may touch the pictures, too
        let writer = index.writer(&WriterOptions::default())?;
        let gallery = collection.gallery(&codebook)?;
        let indexed = Indexed::default();
        Ok(Self { codebook, gallery, index, writer, rebuild, new_codebook, indexed, uncommitted: 0 })
    }

    pub(super) fn checkpoint(&self) -> Result<Checkpoint> {
        let stored = self.index.checkpoint()?;
        Ok(stored.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }

    /// The relevance of all documents.
    pub(super) fn relevances(&self) -> Result<Relevances> {
        Ok(self.index.searcher()?.relevances()?)
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

    /// Whether the index is built beside another.
    pub(super) fn is_rebuild(&self) -> bool {
        self.rebuild.is_some()
    }

    /// Ends writing; an index that was built beside another takes its place.
    pub(super) fn finish(mut self) -> Result<Indexed> {
        self.writer.finish()?;
        self.gallery.keep()?;
        if let Some(NewCodebook { from, to }) = &self.new_codebook {
            std::fs::rename(from, to).with_context(|| to.display().to_string())?;
        }
        if let Some(rebuild) = self.rebuild {
            rebuild.finish()?;
        }
        Ok(self.indexed)
    }
}
