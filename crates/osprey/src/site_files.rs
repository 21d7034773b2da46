//! `data/model/`: what `learn` writes, what a person may edit, and what crawls read.
//!
//! `site.json` is what was learned, as the learner left it; `sitemap.toml` is the short list of page types that a person
//! may edit; `sitemap.svg` shows it; `proposals.toml` has the extraction rules that were proposed last. Deleting the folder loses nothing but edits: `osprey learn` makes it again from the
//! sampled pages in `data/sample/`.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use osprey_structure::site::{ExtractRules, MODEL_VERSION};
use osprey_structure::{Site, SiteModel, Sitemap};

use crate::cli::UsageError;
use crate::output::write_whole;

/// What stands at the top of a sitemap, for the person who edits it.
const HEAD: &str = "\
# The page types of the site, as `osprey learn` found them. Crawls obey this file. You may change:
#   name     what you call it
#   label    list, detail, profile or other
#   wanted   true or false: whether crawls are to bring such pages; links that lead to unwanted ones are left alone
#   same_as  the number of the type that this one is in truth
# The rest is there to decide by. `osprey learn` keeps your changes for types that it finds again.

";

/// The files of a project's model.
pub(crate) struct SiteFiles {
    dir: PathBuf,
}

impl SiteFiles {
    pub(crate) fn of(data: &Path) -> Self {
        Self { dir: data.join("model") }
    }

    fn model_file(&self) -> PathBuf {
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
    pub(crate) fn site(&self, rules: &ExtractRules) -> anyhow::Result<Option<Site>> {
        let Some((model, sitemap)) = self.load()? else { return Ok(None) };
        let path = self.sitemap_file();
        Site::new(model, sitemap, rules)
            .map(Some)
            .map_err(|error| UsageError(format!("{}: {error}", path.display())).into())
    }

    /// Model and sitemap as they are.
    pub(crate) fn load(&self) -> anyhow::Result<Option<(SiteModel, Sitemap)>> {
        let path = self.model_file();
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(cause).with_context(|| format!("{}: cannot be read", path.display())),
        };
        let hint = "delete the folder and run `osprey learn` again";
        let version: Version = serde_json::from_slice(&bytes)
            .with_context(|| format!("{}: not a model of Osprey's; {hint}", path.display()))?;
        if version.version != MODEL_VERSION {
            let found = version.version;
            bail!("{}: version {found}, this build reads {MODEL_VERSION}; {hint}", path.display());
        }
        let model: SiteModel =
            serde_json::from_slice(&bytes).with_context(|| format!("{}: damaged; {hint}", path.display()))?;
        Ok(Some((model, self.load_sitemap()?)))
    }

    fn load_sitemap(&self) -> anyhow::Result<Sitemap> {
        let path = self.sitemap_file();
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("{}: cannot be read; `osprey learn` writes it again", path.display()))?;
        let wrong = |error: toml::de::Error| {
            let at = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = text.get(..at).map_or(1, |before| before.matches('\n').count() + 1);
            UsageError(format!("{}:{line}: {}", path.display(), error.message()))
        };
        Ok(toml::from_str(&text).map_err(wrong)?)
    }

    /// Writes the proposed rules for people to look at.
    pub(crate) fn save_proposals(&self, rules: &str) -> anyhow::Result<()> {
        self.make_dir()?;
        write_whole(&self.proposals_file(), rules.as_bytes())
    }

    fn make_dir(&self) -> anyhow::Result<()> {
        std::fs::create_dir_all(&self.dir).with_context(|| format!("{}: cannot be made", self.dir.display()))
    }

    /// Writes everything; the sitemap last, since a model without one is made again.
    pub(crate) fn save(&self, model: &SiteModel, sitemap: &Sitemap, picture: &str) -> anyhow::Result<()> {
        self.make_dir()?;
        write_whole(&self.picture_file(), picture.as_bytes())?;
        write_whole(&self.model_file(), &serde_json::to_vec(model)?)?;
        let text = format!("{HEAD}{}", toml::to_string_pretty(sitemap)?);
        write_whole(&self.sitemap_file(), text.as_bytes())
    }
}

#[derive(serde::Deserialize)]
struct Version {
    version: u32,
}
