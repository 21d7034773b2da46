//! What is usual on the project's site, for the judge `want`: counted on the pages that the site was learned from and on
//! those that were crawled.
//!
//! Counted when a crawl begins, and kept, so that a crawl that is resumed judges as it did before; and counted again when
//! there are twice as many pages. How rare a word is comes from the sample, where there is one: what was crawled for a topic
//! has the topic's words everywhere.

use std::path::Path;
use std::sync::Arc;

use osprey_crawl::VisitRow;
use osprey_page::Page;
use osprey_steer::{Background, BackgroundCounter};
use osprey_structure::Site;

use crate::captures::Captures;
use crate::error::Result;
use crate::project::Project;

/// Pages that are kept, of the sample and of the crawl each.
const MOST_PAGES: usize = 1_000;
/// A sample with fewer pages does not show what is usual.
const FEWEST_PAGES: usize = 50;
/// Counted again once there are so many times the pages.
const GROWTH: usize = 2;

impl Project {
    /// What is usual on the site; `None` if nobody asks, or if there are no pages yet.
    pub fn usual_of_site(&self, site: Option<&Site>) -> Result<Option<Arc<Background>>> {
        if !self.resolved.judge().wants_background() {
            return Ok(None);
        }
        let stored = self.stored_background();
        if stored.as_ref().is_some_and(|stored| stored.pages() >= MOST_PAGES) {
            return Ok(stored);
        }
        // pages are read only if they are to be counted
        let (sample, crawled) =
            (self.known_pages(&self.layout().sample())?, self.known_pages(self.layout().data())?);
        let pages = sample.visits.len() + crawled.visits.len();
        if pages == 0 || stored.as_ref().is_some_and(|stored| pages < GROWTH * stored.pages()) {
            return Ok(stored);
        }
        let background = count(sample.read(), crawled.read(), site);
        osprey_files::write_durably(&self.layout().background(), background.to_bytes())?;
        Ok(Some(Arc::new(background)))
    }

    /// The one of an earlier run.
    pub(crate) fn stored_background(&self) -> Option<Arc<Background>> {
        let bytes = std::fs::read(self.layout().background()).ok()?;
        Background::from_bytes(&bytes).map(Arc::new)
    }

    /// Pages of a crawl, evenly spread.
    fn known_pages(&self, data: &Path) -> Result<KnownPages> {
        if !Captures::exist(data) {
            return Ok(KnownPages { captures: None, visits: Vec::new() });
        }
        let captures = Captures::open(data, &self.resolved.settings)?;
        let (pages, _) = captures.pages()?;
        let step = pages.len().div_ceil(MOST_PAGES).max(1);
        let visits = pages.into_iter().step_by(step).map(|page| page.visit).collect();
        Ok(KnownPages { captures: Some(captures), visits })
    }
}

/// Pages that can be read from an archive.
struct KnownPages {
    captures: Option<Captures>,
    visits: Vec<VisitRow>,
}

impl KnownPages {
    fn read(self) -> Vec<Page> {
        let Some(captures) = self.captures else { return Vec::new() };
        self.visits.iter().filter_map(|visit| captures.page(visit)).collect()
    }
}

fn count(sample: Vec<Page>, crawled: Vec<Page>, site: Option<&Site>) -> Background {
    let (usual, found) = match sample.len() >= FEWEST_PAGES {
        true => (sample, crawled),
        false => (sample.into_iter().chain(crawled).collect(), Vec::new()),
    };
    let read = |page: &Page| site.map(|site| site.read(page));
    let mut counter = BackgroundCounter::default();
    usual.iter().for_each(|page| counter.count(page));
    let mut background = counter.finish();
    usual.iter().for_each(|page| background.keep(page, read(page).as_ref()));
    found.iter().for_each(|page| background.keep_found(page, read(page).as_ref()));
    background
}
