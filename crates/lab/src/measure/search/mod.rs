//! Measures search by what it finds: `search-results` (Zhang 2008, tables 12 and 13) and `search-hints` (tables 11 and
//! 15).
//!
//! The engine learns the site, crawls it with the variant's policy and indexes everything, as it does for a user's
//! project. Zhang 2008 asked people; here the truth decides, so these figures show which kind of query is better, not
//! how satisfied a person would be.

mod hints;
mod results;

use osprey_crawl::PictureRules;
use osprey_engine::{IndexOptions, Project};
use osprey_index::{Query, Request, Searcher};

pub(super) use self::hints::HintsMeasure;
pub(super) use self::results::ResultsMeasure;
use super::Cell;
use super::known::known;
use super::project::{control, crawl, crawling, site};

/// A crawled and indexed collection, ready for queries.
struct Collected {
    project: Project,
    searcher: Searcher,
}

impl Collected {
    /// How many documents a query finds.
    fn count(&self, query: &str) -> anyhow::Result<f64> {
        let request = Request { query: Query::parse(query)?, limit: 0, ..Request::default() };
        Ok(self.searcher.search(&request)?.total as f64)
    }
}

/// Learns and crawls the corpus, with the pictures of records if they are wanted, and indexes it.
fn collect(cell: &Cell<'_>, with_pictures: bool) -> anyhow::Result<Collected> {
    let totals = cell.corpus.totals(cell.experiment.wanted_of(cell.entry), &cell.experiment.valid);
    let mut parts = crawling(cell)?;
    parts.settings.budget.pages = cell.budget(totals);
    if with_pictures {
        parts.settings.pictures = PictureRules { relevant_only: false, ..PictureRules::default() };
    }
    let mut known = known(cell, &parts)?;
    // every crawl uses the learned site, whether its policy needs it or not
    known.site = Some(site(cell, &parts)?);
    let project = crawl(cell, cell.scratch, parts, &known, &())?;
    project.index(&IndexOptions::default(), control(cell))?;
    let searcher = project.collection().searcher()?;
    Ok(Collected { project, searcher })
}
