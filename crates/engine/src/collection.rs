//! The searchable part of a project: analysed pictures, their codebook, the index. It needs no configuration, so a
//! folder that holds only an index of the user's own pictures can be searched too.

use std::path::Path;
use std::sync::Arc;

use osprey_index::{Gallery, Index, IndexError, Request, Results, Searcher};
use osprey_vision::Codebook;

use crate::error::{Context, Error, Result};
use crate::layout::Layout;

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
        let path = self.layout.codebook();
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
        let dir = self.layout.dir().display();
        if !self.layout.index().exists() {
            return Err(Error::Usage(format!(
                "{dir}: nothing is indexed yet; run `osprey index {dir}` first"
            )));
        }
        match Index::open(&self.layout.index(), self.codebook()?) {
            Err(why) if why.wants_rebuild() => Err(Error::Usage(format!("{why} with `osprey index {dir}`"))),
            opened => Ok(opened?.searcher()?),
        }
    }

    /// Searches.
    pub fn search(&self, request: &Request<'_>) -> Result<Results> {
        Ok(self.searcher()?.search(request)?)
    }

    /// The pictures that were looked at.
    pub(crate) fn gallery(&self, codebook: &Codebook) -> Result<Gallery, IndexError> {
        Gallery::open(&self.layout.images(), codebook.id())
    }

    /// The index, made if there is none. One that cannot be used is begun anew if `rebuilt` wants that: it is told why.
    pub(crate) fn index(
        &self,
        codebook: &Arc<Codebook>,
        rebuilt: impl FnOnce(&IndexError),
    ) -> Result<Index, IndexError> {
        match Index::open(&self.layout.index(), Arc::clone(codebook)) {
            Err(why) if why.wants_rebuild() => {
                rebuilt(&why);
                Index::create(&self.layout.index(), Arc::clone(codebook))
            }
            opened => opened,
        }
    }
}
