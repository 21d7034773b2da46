//! Single pages of a corpus, for measures that do not crawl. robots.txt is not consulted, because no server is
//! involved.

use osprey_model::robots::Robots;
use osprey_model::{CanonicalUrl, Exchange, Request, Response, Source};
use osprey_page::{Page, PageRules, is_page, read_page};
use tokio::runtime::{Builder, Runtime};

use super::Cell;

/// Redirects that are followed.
const HOPS: usize = 5;

/// Fetches pages of a corpus.
pub(super) struct Reader<'a> {
    cell: &'a Cell<'a>,
    runtime: Runtime,
    rules: PageRules,
}

impl<'a> Reader<'a> {
    pub(super) fn new(cell: &'a Cell<'a>) -> anyhow::Result<Self> {
        Ok(Self { cell, runtime: Builder::new_current_thread().build()?, rules: PageRules::default() })
    }

    /// The answer at a URL, by redirects too, if it is a page.
    pub(super) fn read(&self, url: &CanonicalUrl) -> Option<Response> {
        let mut url = url.clone();
        for _ in 0..HOPS {
            let response = self.ask(&url)?;
            match response.location() {
                Some(to) => url = url.join(to, &self.rules.url).ok()?,
                None => return Some(response).filter(is_page),
            }
        }
        None
    }

    /// The answer at this very URL, if it is a page: for measures that compare it with the truth of the URL.
    pub(super) fn read_here(&self, url: &CanonicalUrl) -> Option<Response> {
        self.ask(url).filter(is_page)
    }

    fn ask(&self, url: &CanonicalUrl) -> Option<Response> {
        let request = Request::new(Robots::allow_all().permit(url)?);
        match self.runtime.block_on(self.cell.corpus.source.fetch(request)) {
            Exchange::Answered(response) => Some(response),
            _ => None,
        }
    }

    pub(super) fn parse(&self, response: &Response) -> Page {
        read_page(response, &self.rules)
    }
}
