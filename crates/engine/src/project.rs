//! A project: a folder with `osprey.toml` (the configuration) and `data/` (the results). Without the file, a program
//! gives the configuration: see [`Parts`](crate::Parts).

use std::path::Path;
use std::sync::Arc;

use osprey_index::{Request, Results};
use osprey_steer::Known;
use osprey_structure::extract::Record;
use osprey_structure::site::ExtractRules;
use osprey_structure::{Site, Sitemap};

use crate::captures::Captures;
use crate::collection::Collection;
use crate::config::{self, Resolved};
use crate::error::{Context, Error, Result};
use crate::layout::Layout;
use crate::site_files::SiteFiles;

/// What is used instead of what the configuration says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// The policy, by its name.
    pub policy: Option<String>,
    /// Pages over all runs.
    pub budget: Option<u64>,
}

/// A project whose configuration can be used.
pub struct Project {
    pub(crate) layout: Layout,
    pub(crate) resolved: Resolved,
    /// Whether there is an `osprey.toml`; else a program has put it together.
    pub(crate) has_file: bool,
}

impl Project {
    /// Opens the project in `dir`.
    pub fn open(dir: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(dir, &Overrides::default())
    }

    /// The same, with another policy or budget than the configuration has.
    pub fn open_with(dir: impl AsRef<Path>, overrides: &Overrides) -> Result<Self> {
        let layout = Layout::of(dir.as_ref());
        let path = layout.config();
        let mut config = config::load(&path)?;
        config.override_crawl(overrides)?;
        let resolved = config.resolve(&path)?;
        Ok(Self { layout, resolved, has_file: true })
    }

    /// Where its files are.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The folder's name, for people.
    pub fn title(&self) -> String {
        let dir = self.layout.dir();
        let full = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
        full.file_name().map_or_else(|| "osprey".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// What the user should know of the configuration.
    pub fn notices(&self) -> &[String] {
        &self.resolved.notices
    }

    /// The name of the policy.
    pub fn policy(&self) -> String {
        self.resolved.policy_name()
    }

    /// The page types of the learned site, as a person may have edited them; `None` if it was not learned.
    pub fn sitemap(&self) -> Result<Option<Sitemap>> {
        SiteFiles::of(&self.layout).sitemap()
    }

    /// The URLs of the pages that were fetched, in order: no redirects, failures, duplicates or revisits.
    pub fn fetched_pages(&self) -> Result<Vec<String>> {
        let captures = Captures::open(self.layout.data(), &self.resolved.settings)?;
        Ok(captures.pages()?.0.into_iter().map(|page| page.visit.url).collect())
    }

    /// Pages over all runs.
    pub fn budget(&self) -> Option<u64> {
        self.resolved.settings.budget.pages
    }

    /// What of it is searched.
    pub fn collection(&self) -> Collection {
        Collection::of(self.layout.dir())
    }

    /// Searches what was indexed.
    pub fn search(&self, request: &Request<'_>) -> Result<Results> {
        self.collection().search(request)
    }

    /// What was learned of the site; `None` if nothing was.
    pub fn site(&self) -> Result<Option<Site>> {
        let files = SiteFiles::of(&self.layout);
        if self.has_own_rules() { files.site(&self.resolved.extract) } else { files.site(&files.proposed()?) }
    }

    /// Whether records are read by the rules of the configuration, and not by those that were learned last.
    pub(crate) fn has_own_rules(&self) -> bool {
        self.has_file || self.resolved.extract != ExtractRules::default()
    }

    /// Reads the records of everything that was crawled, in the order of visits.
    pub fn records(&self, mut each: impl FnMut(Record)) -> Result<()> {
        let dir = self.layout.dir().display();
        let missing =
            || Error::Usage(format!("records are read from a learned site; run `osprey learn {dir}` first"));
        let site = self.site()?.ok_or_else(missing)?;
        Captures::open(self.layout.data(), &self.resolved.settings)?.records(&site, |_, record| each(record))
    }

    /// What a crawl may know beforehand.
    pub(crate) fn known(&self) -> Result<Known> {
        let site = self.site()?;
        if let (None, Some(key)) = (&site, self.resolved.needs_site()) {
            let dir = self.layout.dir().display();
            return Err(Error::Usage(format!(
                "`{key}`: it needs a learned site; run `osprey learn {dir}` first"
            )));
        }
        Ok(Known { site: site.map(Arc::new), examples: Vec::new() })
    }

    /// The same for those who only look: what is missing is missing.
    pub(crate) fn known_so_far(&self) -> Result<Known> {
        Ok(Known { site: self.site()?.map(Arc::new), examples: Vec::new() })
    }

    /// Deletes the pages that the site was learned from.
    pub(crate) fn forget_sample(&self) -> Result<()> {
        let dir = self.layout.sample();
        match std::fs::remove_dir_all(&dir) {
            Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => {
                Err(cause).with_context(|| format!("{}: cannot be deleted", dir.display()))
            }
            _ => Ok(()),
        }
    }
}
