//! A project folder: `osprey.toml` and `data/`.

use std::path::{Path, PathBuf};

use crate::config::{self, ConfigError, Resolved};

/// What a running crawl says of itself, in the folder of its data.
pub(crate) const STATUS_FILE: &str = "status.json";

/// A project with a configuration that can be used.
pub(crate) struct Project {
    dir: PathBuf,
    pub(crate) resolved: Resolved,
}

impl Project {
    /// Opens the project in `dir`; `change` may adjust the configuration before it is checked.
    pub(crate) fn open(dir: &Path, change: impl FnOnce(&mut config::Config)) -> Result<Self, ConfigError> {
        let path = config::path_in(dir);
        let mut config = config::load(&path)?;
        change(&mut config);
        let resolved = config.resolve(&path)?;
        Ok(Self { dir: dir.to_owned(), resolved })
    }

    /// What Osprey knows and got.
    pub(crate) fn data(&self) -> PathBuf {
        self.dir.join("data")
    }

    /// The folder's name, for people.
    pub(crate) fn title(&self) -> String {
        let full = self.dir.canonicalize().unwrap_or_else(|_| self.dir.clone());
        full.file_name().map_or_else(|| "osprey".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// Written by a running crawl for `status`, since its stores are its own.
    pub(crate) fn status_file(&self) -> PathBuf {
        self.data().join(STATUS_FILE)
    }
}
