//! What a crawl has fetched into a folder: its visits, pages, pictures and records, in order.

use std::path::{Path, PathBuf};

use osprey_archive::Position;
use osprey_crawl::{CrawlError, Inspection, PageVisit, PictureRow, Settings, VisitRow};
use osprey_model::{CanonicalUrl, Response};
use osprey_page::{Page, PageRules};
use osprey_structure::Site;
use osprey_structure::extract::Record;

use crate::error::Result;

/// What was fetched into a folder.
pub(crate) struct Captures {
    crawl: Inspection,
    archive: PathBuf,
    rules: PageRules,
}

impl Captures {
    /// Opens what was fetched into `data`.
    pub(crate) fn open(data: &Path, settings: &Settings) -> Result<Self> {
        let crawl = Inspection::open(data, &settings.frontier, Inspection::PATIENCE)?;
        Ok(Self { crawl, archive: data.join("archive"), rules: settings.page_rules.clone() })
    }

    /// Whether there is anything in `data`.
    pub(crate) fn exist(data: &Path) -> bool {
        data.join("frontier").exists()
    }

    /// Where the answers are.
    pub(crate) fn archive(&self) -> &Path {
        &self.archive
    }

    /// How many URLs were fetched.
    pub(crate) fn visited(&self) -> Result<u64> {
        Ok(self.crawl.tally()?.visited)
    }

    /// All visits in order.
    pub(crate) fn visits(&self) -> Result<impl Iterator<Item = Result<VisitRow, CrawlError>>> {
        Ok(self.crawl.visits())
    }

    /// The visit of a URL; `None` if it was not fetched.
    pub(crate) fn visit(&self, url: &CanonicalUrl) -> Result<Option<VisitRow>> {
        Ok(self.crawl.visit(url)?)
    }

    /// The pages in the order of their visits, each once: no redirects, failures, duplicates or revisits.
    pub(crate) fn pages(&self) -> Result<Vec<PageVisit>> {
        Ok(self.crawl.pages()?)
    }

    /// The page of a visit, read again; `None` if it brought none or the archive has lost it.
    pub(crate) fn page(&self, visit: &VisitRow) -> Option<Page> {
        let response = self.response(visit.archived.filter(|_| visit.is_page)?).ok()?;
        Some(osprey_crawl::read_page(&response, &self.rules))
    }

    /// What is archived at a place.
    pub(crate) fn response(&self, position: Position) -> Result<Response> {
        Ok(osprey_archive::read_at(&self.archive, position)?)
    }

    /// All pictures in the order they came.
    pub(crate) fn pictures(&self) -> Result<impl Iterator<Item = Result<PictureRow, CrawlError>>> {
        Ok(self.crawl.pictures())
    }

    /// The picture that was fetched for a URL, over its redirects; `None` if none was.
    pub(crate) fn picture(&self, url: &CanonicalUrl) -> Result<Option<PictureRow>> {
        Ok(self.crawl.picture(url)?)
    }

    /// The records of all visits in order, as `site` reads them.
    pub(crate) fn records(&self, site: &Site) -> Result<impl Iterator<Item = Result<Record, CrawlError>>> {
        Ok(self.crawl.records(site, &self.rules)?)
    }
}
