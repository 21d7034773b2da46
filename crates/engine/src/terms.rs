//! Genre and content terms, proposed from example pages.
//!
//! Without other pages to compare with, terms are ranked by frequency, as in de Assis et al. 2009. If the project has a
//! sample or a crawl, its pages are the background, so that words on every page of a site do not win.

use osprey_model::CanonicalUrl;
use osprey_page::Page;
use osprey_steer::genre::{Generated, HowMany, Ranking, TermTable, generate};
use osprey_text::{Words, with_reader};

use crate::captures::Captures;
use crate::error::{Error, Result};
use crate::example_pages::ExamplePages;
use crate::observe::Control;
use crate::project::Project;
use crate::words::damage_line;

/// Pages of the background.
const BACKGROUND: usize = 500;

/// What terms are taken from.
#[derive(Clone, Debug, Default)]
pub struct TermsOptions {
    /// Pages of the wanted kind, whatever they are about.
    pub genre_pages: Vec<String>,
    /// Pages that are wanted.
    pub relevant_pages: Vec<String>,
    /// Genre terms to propose.
    pub genre: usize,
    /// Content terms to propose.
    pub content: usize,
    /// Rank by frequency only, and compare with no other pages.
    pub by_frequency: bool,
    /// Take pages that the project has crawled, and fetch nothing.
    pub crawled: bool,
}

/// Terms that were proposed.
#[derive(Debug)]
pub struct ProposedTerms {
    /// The terms.
    pub terms: Generated,
    /// Pages that they were compared with; 0 if they are ranked by frequency.
    pub background_pages: u32,
}

impl Project {
    /// Proposes terms from example pages.
    pub fn propose_terms(&self, options: &TermsOptions, control: Control<'_>) -> Result<ProposedTerms> {
        let (genre, relevant) = if options.crawled {
            (self.crawled_pages(&options.genre_pages)?, self.crawled_pages(&options.relevant_pages)?)
        } else {
            let pages = ExamplePages::of(self);
            let genre = pages.fetch("--genre-page", &options.genre_pages, control)?;
            (genre, pages.fetch("--relevant-page", &options.relevant_pages, control)?)
        };
        let background = if options.by_frequency { TermTable::default() } else { self.usual_terms()? };
        let ranking = match background.pages() {
            0 => Ranking::Frequency,
            _ => Ranking::Against(&background),
        };
        let how_many = HowMany { genre: options.genre, content: options.content };
        let terms = generate(&texts(&genre), &texts(&relevant), how_many, ranking);
        Ok(ProposedTerms { terms, background_pages: background.pages() })
    }

    fn crawled_pages(&self, urls: &[String]) -> Result<Vec<Page>> {
        let settings = &self.resolved.settings;
        let captures = Captures::open(self.layout().data(), settings)?;
        let parse = |text: &String| {
            CanonicalUrl::parse(text, &settings.page_rules.url).map_err(|problem| Error::url(text, problem))
        };
        let urls = urls.iter().map(parse).collect::<Result<Vec<_>>>()?;
        let visits = captures.visits_of(&urls)?;
        let page = |url: &CanonicalUrl| {
            let visit = visits.get(url.as_str());
            let visit = visit.ok_or_else(|| Error::Usage(format!("{url}: was not crawled")))?;
            captures.page(visit).ok_or_else(|| match damage_line(&captures.damage(), self.layout().dir()) {
                Some(line) => Error::Failed(format!("{url}: cannot be read: {line}")),
                None => Error::Usage(format!("{url}: no page came of it")),
            })
        };
        urls.iter().map(page).collect()
    }

    /// What is usual on the pages that the project has, by some of them.
    pub(crate) fn usual_terms(&self) -> Result<TermTable> {
        let mut table = TermTable::default();
        self.some_pages(BACKGROUND, |page| {
            let language = Words::of(page.text(), page.lang()).language();
            with_reader(|reader| table.add_page(reader, page.text(), language, &Default::default()));
        })?;
        Ok(table)
    }

    /// About `most` pages that the project has, evenly drawn: of its sample, or else of its crawl.
    pub(crate) fn some_pages(&self, most: usize, mut each: impl FnMut(&Page)) -> Result<()> {
        let sample = self.layout().sample();
        for data in [&*sample, self.layout().data()] {
            if !Captures::exist(data) {
                continue;
            }
            let captures = Captures::open(data, &self.resolved.settings)?;
            let (pages, _) = captures.pages()?;
            let mut found = 0;
            for visit in pages.iter().step_by(pages.len().div_ceil(most).max(1)) {
                let Some(page) = captures.page(&visit.visit) else { continue };
                found += 1;
                each(&page);
            }
            if found > 0 {
                break;
            }
        }
        Ok(())
    }
}

fn texts(pages: &[Page]) -> Vec<&str> {
    pages.iter().map(Page::text).collect()
}
