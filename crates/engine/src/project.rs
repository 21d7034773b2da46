//! A project: a folder with `osprey.toml` (the configuration) and `data/` (the results). Without the file, a program
//! gives the configuration: see [`Parts`](crate::Parts).

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use osprey_crawl::VisitRow;
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
    /// Time over all runs.
    pub time: Option<Duration>,
}

/// A project whose configuration can be used.
pub struct Project {
    pub(crate) layout: Layout,
    pub(crate) resolved: Resolved,
    /// Whether there is an `osprey.toml`; else a program has put it together.
    pub(crate) has_file: bool,
    /// What it was opened with.
    pub(crate) overrides: Overrides,
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
        Ok(Self { layout, resolved, has_file: true, overrides: overrides.clone() })
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

    /// All visits in order, with the verdicts of today.
    pub fn visits(&self) -> Result<Vec<VisitRow>> {
        Captures::open(self.layout.data(), &self.resolved.settings)?.visits()?.collect()
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
        let site = match self.has_own_rules() {
            true => files.site(&self.resolved.extract)?,
            false => files.site(&files.proposed()?)?,
        };
        Ok(site.map(|site| site.classifying_by(self.resolved.structure.classify)))
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
        let known = self.known_with_people()?;
        if let (None, Some(key)) = (&known.site, self.resolved.needs_site()) {
            let dir = self.layout.dir().display();
            return Err(Error::Usage(format!(
                "`{key}`: it needs a learned site; run `osprey learn {dir}` first"
            )));
        }
        let background = self.usual_of_site(known.site.as_deref())?;
        Ok(Known { rarity: self.term_rarity()?, background, ..known })
    }

    /// The same if what is missing may be missing.
    pub(crate) fn known_with_people(&self) -> Result<Known> {
        let known = self.known_so_far()?;
        let records = match &known.site {
            Some(site) if self.resolved.knows_people() => self.stage_one(site)?,
            _ => Vec::new(),
        };
        Ok(Known { records: records.into(), ..known })
    }

    /// What the caller knows, and what the project has learned of its site since.
    pub(crate) fn grown(&self, known: &Known) -> Result<Known> {
        let mut known = known.clone();
        if known.site.is_none() {
            known.site = self.site()?.map(Arc::new);
        }
        if known.background.is_none() {
            known.background = self.usual_of_site(known.site.as_deref())?;
        }
        Ok(known)
    }

    /// The site alone, for those who only look.
    pub(crate) fn known_so_far(&self) -> Result<Known> {
        let site = self.site()?.map(Arc::new);
        let (rarity, background) = (self.stored_rarity(), self.stored_background(site.as_deref()));
        Ok(Known { background, site, rarity, ..Known::default() })
    }

    /// Sets aside the pages that the site was learned from, until others are there.
    pub(crate) fn set_sample_aside(&self) -> Result<()> {
        let (sample, before) = (self.layout.sample(), self.layout.sample_before());
        if before.exists() {
            // a new sample was begun and did not come to its end
            return delete_folder(&sample);
        }
        if sample.exists() {
            std::fs::rename(&sample, &before)
                .with_context(|| format!("{}: cannot be renamed", sample.display()))?;
        }
        Ok(())
    }

    /// A new sample stands: the one that was set aside goes.
    pub(crate) fn forget_sample_before(&self) -> Result<()> {
        delete_folder(&self.layout.sample_before())
    }

    /// Deletes a sample without a page; the one that was set aside comes back.
    pub(crate) fn forget_sample(&self) -> Result<()> {
        let (sample, before) = (self.layout.sample(), self.layout.sample_before());
        delete_folder(&sample)?;
        if before.exists() {
            std::fs::rename(&before, &sample)
                .with_context(|| format!("{}: cannot be renamed", before.display()))?;
        }
        Ok(())
    }
}

/// Deletes a folder, if it is there.
pub(crate) fn delete_folder(dir: &Path) -> Result<()> {
    match std::fs::remove_dir_all(dir) {
        Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => {
            Err(cause).with_context(|| format!("{}: cannot be deleted", dir.display()))
        }
        _ => Ok(()),
    }
}
