//! The searchable part of a project: analysed pictures, their codebook, the index. It needs no configuration, so a
//! folder that holds only an index of the user's own pictures can be searched too.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use osprey_index::{
    Gallery, Index, IndexError, Rated, Rebuild, Request, Results, Searcher, Stale, settle, standing,
};
use osprey_vision::Codebook;

use crate::error::{Context, Error, Result};
use crate::layout::Layout;
use crate::ratings::RatingsFile;

/// The parts of a project's folder that are searched.
#[derive(Clone, Debug)]
pub struct Collection {
    layout: Layout,
}

impl Collection {
    /// Of the folder `dir`: a project, or any folder whose pictures were indexed.
    pub fn of(dir: impl AsRef<Path>) -> Self {
        Self { layout: Layout::of(dir.as_ref()) }
    }

    /// What visual words mean: the project's own codebook, or else the one that ships.
    pub fn codebook(&self) -> Result<Arc<Codebook>> {
        Self::read_codebook(self.layout.codebook())
    }

    /// The same of any file.
    pub(crate) fn read_codebook(path: PathBuf) -> Result<Arc<Codebook>> {
        match std::fs::read(&path) {
            Ok(bytes) => {
                let advice =
                    "delete it to use the built-in one, or train another with `osprey index --retrain`";
                let codebook =
                    Codebook::read(&bytes).with_context(|| format!("{}: {advice}", path.display()))?;
                Ok(Arc::new(codebook))
            }
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(Codebook::embedded()),
            Err(cause) => Err(cause).with_context(|| path.display().to_string()),
        }
    }

    /// Where its files are.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// What can be searched now; later commits are seen by another one.
    pub fn searcher(&self) -> Result<Searcher> {
        let (dir, index) = (self.layout.dir().display(), standing(&self.layout.index()));
        if !index.exists() {
            return Err(Error::Usage(format!(
                "{dir}: nothing is indexed yet; run `osprey index {dir}` first"
            )));
        }
        let opened = Index::open(&index, self.codebook()?).and_then(|index| index.searcher());
        opened.map_err(|error| self.advise(error))
    }

    /// Pages that the user called good or bad, as a searcher sees them.
    pub fn rated(&self, searcher: &Searcher) -> Result<Rated> {
        let ratings = RatingsFile::at(self.layout.ratings()).read()?;
        ratings.in_index(searcher).map_err(|error| self.advise(error))
    }

    /// Searches; what the user has rated counts.
    pub fn search(&self, request: &Request<'_>) -> Result<Results> {
        let searcher = self.searcher()?;
        let rated = self.rated(&searcher)?;
        let request = Request { rated: request.rated.or(Some(&rated)), ..request.clone() };
        searcher.search(&request).map_err(|error| self.advise(error))
    }

    /// Says what to run for an index that has to be rebuilt.
    pub fn advise(&self, error: IndexError) -> Error {
        let dir = self.layout.dir().display();
        match error {
            IndexError::Rebuild { path, why: why @ Stale::Damaged(_) } => {
                Error::Failed(format!("{}: {why}; run `osprey index {dir} --rebuild`", path.display()))
            }
            IndexError::Rebuild { path, why } => {
                Error::Usage(format!("{}: {why}; rebuild it with `osprey index {dir}`", path.display()))
            }
            other => other.into(),
        }
    }

    /// The pictures that were looked at.
    pub(crate) fn gallery(&self, codebook: &Codebook) -> Result<Gallery, IndexError> {
        Gallery::open(&self.layout.images(), codebook.id())
    }

    /// The index to be written: the one that is there, or one that is built beside it, if all is to be indexed `anew` or it
    /// cannot be used; `rebuilt` receives why. What a killed rebuild has left is cleaned up.
    pub(crate) fn index(
        &self,
        codebook: &Arc<Codebook>,
        anew: bool,
        rebuilt: impl FnOnce(&IndexError),
    ) -> Result<(Index, Option<Rebuild>), IndexError> {
        let path = self.layout.index();
        settle(&path)?;
        if !anew {
            match Index::open(&path, Arc::clone(codebook)) {
                Err(why) if why.wants_rebuild() => rebuilt(&why),
                opened => return Ok((opened?, None)),
            }
        }
        let rebuild = Rebuild::begin(&path, Arc::clone(codebook))?;
        Ok((rebuild.index().clone(), Some(rebuild)))
    }
}
