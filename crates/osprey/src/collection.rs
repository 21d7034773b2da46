//! What of a project is searched: pictures that were looked at, their codebook, the index. It needs no configuration, so
//! a folder with nothing but somebody's own pictures in its index can be searched, too.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use osprey_index::{Gallery, Index, IndexError};
use osprey_vision::Codebook;

/// The parts of `DIR/data` that are searched.
pub(crate) struct Collection {
    data: PathBuf,
}

impl Collection {
    /// Of the project in `dir`.
    pub(crate) fn of(dir: &Path) -> Self {
        Self { data: dir.join("data") }
    }

    /// Where the codebook lies that was learnt from the project's own pictures.
    pub(crate) fn codebook_file(&self) -> PathBuf {
        self.data.join("model").join("codebook")
    }

    /// What visual words mean: the project's own codebook, or else the one that ships.
    pub(crate) fn codebook(&self) -> anyhow::Result<Arc<Codebook>> {
        let path = self.codebook_file();
        match std::fs::read(&path) {
            Ok(bytes) => {
                let advice =
                    "delete it to use the one that ships, or learn another with `osprey index --retrain`";
                let codebook =
                    Codebook::read(&bytes).with_context(|| format!("{}: {advice}", path.display()))?;
                Ok(Arc::new(codebook))
            }
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(Codebook::embedded()),
            Err(cause) => Err(cause).with_context(|| path.display().to_string()),
        }
    }

    /// Where thumbnails lie.
    pub(crate) fn images(&self) -> PathBuf {
        self.data.join("images")
    }

    /// The pictures that were looked at.
    pub(crate) fn gallery(&self, codebook: &Codebook) -> Result<Gallery, IndexError> {
        Gallery::open(&self.images(), codebook.id())
    }

    /// Where the index lies.
    pub(crate) fn index_dir(&self) -> PathBuf {
        self.data.join("index")
    }

    /// The index, made if there is none. One that cannot be used is begun anew if `rebuilt` wants that: it is told why.
    pub(crate) fn index(
        &self,
        codebook: &Arc<Codebook>,
        rebuilt: impl FnOnce(&IndexError),
    ) -> Result<Index, IndexError> {
        match Index::open(&self.index_dir(), Arc::clone(codebook)) {
            Err(why) if why.wants_rebuild() => {
                rebuilt(&why);
                Index::create(&self.index_dir(), Arc::clone(codebook))
            }
            opened => opened,
        }
    }
}
