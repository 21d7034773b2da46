//! `data/model/`: what `learn` writes, what the user may edit, and what crawls read.
//!
//! `site.json` is the learned model; `sitemap.toml` is the short list of page types that the user may edit;
//! `sitemap.svg` shows it; `proposals.toml` has the extraction rules proposed last. Deleting the folder loses only
//! edits: `osprey learn` makes it again from the sampled pages in `data/sample/`.

use std::path::PathBuf;

use osprey_files::{copy_folder_durably, write_durably};
use osprey_structure::site::{ExtractRules, MODEL_VERSION};
use osprey_structure::{Site, SiteModel, Sitemap, SitemapError};

use crate::config;
use crate::error::{Context, Error, Result};
use crate::layout::Layout;

/// The text at the top of a sitemap, for the person who edits it.
const HEAD: &str = "\
# The page types of the site, as `osprey learn` found them. Crawls obey this file. You may change:
#   name     what you call it
#   label    list, detail, profile or other
#   wanted   true or false: whether crawls should fetch such pages; links that lead to unwanted ones are skipped
#   same_as  the number of the type that this one is in truth
# The rest is there to decide by. `osprey learn` keeps your changes for types that it finds again.

";

/// The files of a project's model.
pub(crate) struct SiteFiles {
    dir: PathBuf,
}

impl SiteFiles {
    pub(crate) fn of(layout: &Layout) -> Self {
        Self { dir: layout.model() }
    }

    /// The learned model.
    pub(crate) fn model_file(&self) -> PathBuf {
        self.dir.join("site.json")
    }

    /// The sitemap that may be edited.
    pub(crate) fn sitemap_file(&self) -> PathBuf {
        self.dir.join("sitemap.toml")
    }

    /// The sitemap to look at.
    pub(crate) fn picture_file(&self) -> PathBuf {
        self.dir.join("sitemap.svg")
    }

    /// Rules that were proposed last, whatever became of them.
    pub(crate) fn proposals_file(&self) -> PathBuf {
        self.dir.join("proposals.toml")
    }

    /// The site, ready to read pages with; `None` if it was not learned.
    pub(crate) fn site(&self, rules: &ExtractRules) -> Result<Option<Site>> {
        let Some(model) = self.model()? else { return Ok(None) };
        let path = self.sitemap_file();
        let sitemap = self.sitemap()?;
        let sitemap = sitemap.ok_or_else(|| {
            Error::Failed(format!("{}: not found; run `osprey learn` to write it", path.display()))
        })?;
        Site::new(model, sitemap, rules).map(Some).map_err(|error| {
            let place = match error {
                SitemapError::Rule(..) => "osprey.toml".to_owned(),
                _ => path.display().to_string(),
            };
            Error::Usage(format!("{place}: {error}"))
        })
    }

    /// What was learned; `None` if nothing was.
    pub(crate) fn model(&self) -> Result<Option<SiteModel>> {
        let path = self.model_file();
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(cause).with_context(|| format!("{}: cannot be read", path.display())),
        };
        let hint = "run `osprey learn` again";
        let version: Version = serde_json::from_slice(&bytes)
            .with_context(|| format!("{}: not an Osprey model; {hint}", path.display()))?;
        if version.version != MODEL_VERSION {
            let found = version.version;
            let path = path.display();
            return Err(Error::Failed(format!(
                "{path}: version {found}, this build reads {MODEL_VERSION}; {hint}"
            )));
        }
        let model =
            serde_json::from_slice(&bytes).with_context(|| format!("{}: damaged; {hint}", path.display()))?;
        Ok(Some(model))
    }

    /// The sitemap as a person left it; `None` if there is none.
    pub(crate) fn sitemap(&self) -> Result<Option<Sitemap>> {
        let path = self.sitemap_file();
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(cause).with_context(|| format!("{}: cannot be read", path.display())),
        };
        Ok(Some(config::parse(&text, &path)?))
    }

    /// Sets aside a sitemap that cannot be used, so that a new one can be written; where it is. Those that were set aside
    /// before stay.
    pub(crate) fn set_sitemap_aside(&self) -> Result<PathBuf> {
        let path = self.sitemap_file();
        let first = self.dir.join("sitemap.toml.bak");
        let others = (2_u32..).map(|n| self.dir.join(format!("sitemap.toml.bak{n}")));
        let mut free = std::iter::once(first.clone()).chain(others).filter(|aside| !aside.exists());
        let aside = free.next().unwrap_or(first);
        std::fs::rename(&path, &aside).with_context(|| format!("{}: cannot be renamed", path.display()))?;
        Ok(aside)
    }

    /// Writes the proposed rules for people to look at.
    pub(crate) fn save_proposals(&self, rules: &str) -> Result<()> {
        self.make_dir()?;
        Ok(write_durably(&self.proposals_file(), rules)?)
    }

    /// The rules that were proposed last.
    pub(crate) fn proposals(&self) -> Result<String> {
        let path = self.proposals_file();
        std::fs::read_to_string(&path).with_context(|| format!("{}: cannot be read", path.display()))
    }

    /// The same as they are used: by projects that have no `osprey.toml` to write them into. None, if nothing was learned.
    pub(crate) fn proposed(&self) -> Result<ExtractRules> {
        let path = self.proposals_file();
        if !path.exists() {
            return Ok(ExtractRules::default());
        }
        Ok(config::parse::<Proposed>(&self.proposals()?, &path)?.extract)
    }

    /// Copies everything from another project's, as a whole or not at all.
    pub(crate) fn take_over(&self, other: &Self) -> Result<()> {
        Ok(copy_folder_durably(&other.dir, &self.dir)?)
    }

    fn make_dir(&self) -> Result<()> {
        std::fs::create_dir_all(&self.dir)
            .with_context(|| format!("{}: cannot be created", self.dir.display()))
    }

    /// Writes the model, then the sitemap that belongs to it.
    pub(crate) fn save(&self, model: &SiteModel, sitemap: &Sitemap) -> Result<()> {
        self.make_dir()?;
        let path = self.model_file();
        write_durably(&path, serde_json::to_vec(model).with_context(|| path.display())?)?;
        self.save_sitemap(sitemap)
    }

    /// Writes the sitemap.
    pub(crate) fn save_sitemap(&self, sitemap: &Sitemap) -> Result<()> {
        let path = self.sitemap_file();
        let text = toml::to_string_pretty(sitemap).with_context(|| path.display())?;
        Ok(write_durably(&path, format!("{HEAD}{text}"))?)
    }
}

/// `proposals.toml`.
#[derive(Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Proposed {
    extract: ExtractRules,
}

#[derive(serde::Deserialize)]
struct Version {
    version: u32,
}
