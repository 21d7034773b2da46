//! The cookies of a project: `data/cookies.json`, so that a resumed crawl is the same visitor.

use std::path::PathBuf;

use osprey_fetch::Cookies;

use crate::error::{Context, Result};
use crate::project::Project;

/// Where they are kept.
pub(crate) struct CookieFile {
    path: PathBuf,
}

impl CookieFile {
    pub(crate) fn of(project: &Project) -> Self {
        Self { path: project.layout().cookies() }
    }

    /// The cookies of earlier runs, if the project keeps any; `otherwise`, if a program has put it together.
    pub(crate) fn load(&self, project: &Project, otherwise: &Cookies) -> Result<Cookies> {
        if !project.has_file {
            return Ok(otherwise.clone());
        }
        if !project.resolved.keeps_cookies {
            return Ok(Cookies::Off);
        }
        match std::fs::read_to_string(&self.path) {
            Ok(text) => Ok(Cookies::Restored(text)),
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(Cookies::Fresh),
            Err(cause) => Err(cause).with_context(|| format!("{}", self.path.display())),
        }
    }

    /// Keeps what there is now; a failure must not disturb the crawl.
    pub(crate) fn save(&self, cookies: Option<String>) {
        if let Some(text) = cookies
            && std::fs::read_to_string(&self.path).ok().as_deref() != Some(text.as_str())
        {
            let _ = osprey_files::write_durably(&self.path, text);
        }
    }
}
