//! What is usual on the project's site, for the judge `want`: counted on the pages that the site was learned from and on
//! those that were crawled.
//!
//! Counted when a crawl begins, and kept, so that a crawl that is resumed judges as it did before; and counted again when
//! there are twice as many pages, or other words are wanted. How rare a wanted word is comes from the sample and from those
//! crawled pages that no such word led to, in the link, its URL or the title of the page with the link: what was crawled for
//! a topic has the topic's words everywhere.

use std::path::Path;
use std::sync::Arc;

use osprey_crawl::VisitRow;
use osprey_page::Page;
use osprey_steer::{Background, BackgroundCounter, Way};
use osprey_structure::Site;
use rustc_hash::FxHashMap;

use crate::captures::Captures;
use crate::error::{Error, Result};
use crate::project::Project;

/// Pages that are kept, of the sample and of the crawl each.
const MOST_PAGES: usize = 1_000;
/// Counted again once there are so many times the pages.
const GROWTH: usize = 2;

impl Project {
    /// What is usual on the site; `None` if nobody asks, or if there are no pages yet.
    pub fn usual_of_site(&self, site: Option<&Site>) -> Result<Option<Arc<Background>>> {
        if !self.resolved.judge().wants_background() {
            return Ok(None);
        }
        let subject = self.resolved.subject();
        let stored = self.stored_background(site);
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
        let mut counter =
            BackgroundCounter::of(subject, site).map_err(|error| Error::Usage(error.to_string()))?;
        let sample = sample.read().into_iter().map(|(_, page)| (page, false));
        let crawled = crawled.read();
        let is_led: Vec<bool> = ways(&crawled).map(|(way, page)| counter.is_led(&way, page)).collect();
        let crawled = crawled.into_iter().map(|(_, page)| page).zip(is_led);
        let background = count(&mut counter, &sample.chain(crawled).collect::<Vec<_>>(), site);
        osprey_files::write_durably(&self.layout().background(), background.to_bytes())?;
        Ok(Some(Arc::new(background)))
    }

    /// The one of an earlier run, if it was counted for the words and the learned site of today.
    pub(crate) fn stored_background(&self, site: Option<&Site>) -> Option<Arc<Background>> {
        let bytes = std::fs::read(self.layout().background()).ok()?;
        Background::from_bytes(&bytes)
            .filter(|stored| stored.is_for(self.resolved.subject(), site))
            .map(Arc::new)
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
    fn read(self) -> Vec<(VisitRow, Page)> {
        let Some(captures) = self.captures else { return Vec::new() };
        let page = |visit: VisitRow| captures.page(&visit).map(|page| (visit, page));
        self.visits.into_iter().filter_map(page).collect()
    }
}

/// How the crawl came to its pages, as far as the pages that led to them are among them.
fn ways(pages: &[(VisitRow, Page)]) -> impl Iterator<Item = (Way<'_>, &Page)> {
    let by_url: FxHashMap<&str, &Page> =
        pages.iter().map(|(visit, page)| (visit.url.as_str(), page)).collect();
    pages.iter().map(move |(visit, page)| {
        let parent = visit.parent.as_deref().and_then(|parent| by_url.get(parent));
        let (mut anchor, mut parent_title) = ("", "");
        if let Some(parent) = parent {
            let link = parent.links().iter().find(|link| link.url.as_str() == visit.url);
            anchor = link.map_or("", |link| parent.anchor(link));
            parent_title = parent.title();
        }
        (Way { anchor, url: page.url(), parent_title }, page)
    })
}

fn count(counter: &mut BackgroundCounter, pages: &[(Page, bool)], site: Option<&Site>) -> Background {
    pages.iter().for_each(|(page, is_led)| counter.count(page, *is_led));
    let mut background = std::mem::take(counter).finish();
    for (page, is_led) in pages {
        background.keep(page, site.map(|site| site.read(page)).as_ref(), *is_led);
    }
    background
}
