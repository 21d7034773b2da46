//! A project folder: `osprey.toml` and `data/`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use osprey_steer::Known;
use osprey_structure::Site;

use crate::cli::UsageError;
use crate::config::{self, ConfigError, Resolved};
use crate::site_files::SiteFiles;

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

    /// Where it is.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// What Osprey knows and got.
    pub(crate) fn data(&self) -> PathBuf {
        self.dir.join("data")
    }

    /// What was learned of the site; `None` if nothing was.
    pub(crate) fn site(&self) -> anyhow::Result<Option<Site>> {
        SiteFiles::of(&self.data()).site(&self.resolved.extract)
    }

    /// What a crawl may know beforehand.
    pub(crate) fn known(&self) -> anyhow::Result<Known> {
        let site = self.site()?;
        if let (None, Some(key)) = (&site, self.resolved.needs_site()) {
            let dir = self.dir.display();
            let message = format!("`{key}`: it needs a learned site; run `osprey learn {dir}` first");
            return Err(UsageError(message).into());
        }
        Ok(Known { site: site.map(Arc::new), examples: Vec::new() })
    }

    /// The same for those who only look: what is missing is missing.
    pub(crate) fn looked_at(&self) -> anyhow::Result<Known> {
        Ok(Known { site: self.site()?.map(Arc::new), examples: Vec::new() })
    }

    /// Where the pages are that the site was learned from.
    pub(crate) fn sample_dir(&self) -> PathBuf {
        self.data().join("sample")
    }

    /// Deletes those pages.
    pub(crate) fn forget_sample(&self) -> anyhow::Result<()> {
        let dir = self.sample_dir();
        match std::fs::remove_dir_all(&dir) {
            Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => {
                Err(cause).with_context(|| format!("{}: cannot be deleted", dir.display()))
            }
            _ => Ok(()),
        }
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
