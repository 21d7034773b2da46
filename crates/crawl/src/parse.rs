//! A page worker's job: what an answer says, apart from what the crawl knows already. Pure CPU.

use std::sync::Arc;

use osprey_archive::Digest;
use osprey_model::Response;
use osprey_page::{Page, PageRules, Sitemap, SitemapRules, is_page, read_page};
use osprey_steer::{Judge, Judgement};
use osprey_structure::{Reading, Site};
use osprey_text::PageWords;
use xxhash_rust::xxh3::xxh3_64;

use crate::Work;
use crate::content::Content;
use crate::duplicates::Simhash;

/// An answer, read.
#[derive(Debug)]
pub struct ParsedResponse {
    /// What the server sent.
    pub response: Response,
    /// Of its body.
    pub digest: Digest,
    /// The page, if it is one.
    pub page: Option<ReadPage>,
    /// The sitemap, if it is one.
    pub sitemap: Option<Sitemap>,
}

impl ParsedResponse {
    /// Whether there is a body that another answer could repeat.
    pub(crate) fn has_content(&self) -> bool {
        !self.response.body.is_empty() && (200..300).contains(&self.response.status)
    }
}

/// All that a page worker needs to read answers.
#[derive(Clone, Debug)]
pub struct Reader {
    /// How pages are read.
    pub rules: PageRules,
    /// Who judges them.
    pub judge: Judge,
    /// What was learned of the site.
    pub site: Option<Arc<Site>>,
    /// Whether the policy will ask for the words of pages.
    pub reads_words: bool,
}

/// A page and what follows from it alone.
#[derive(Debug)]
pub struct ReadPage {
    /// The page.
    pub page: Page,
    /// Its words in 64 bits.
    pub simhash: Option<Simhash>,
    /// What it shows.
    pub(crate) content: Option<Content>,
    /// Whether there is a form to log in on it.
    pub(crate) is_login: bool,
    /// What the site's model says of it.
    pub reading: Option<Reading>,
    /// The judge's word.
    pub judgement: Judgement,
    /// Its words, if requested.
    pub words: PageWords,
}

/// Reads an answer.
pub fn parse_response(response: Response, work: Work, reader: &Reader) -> ParsedResponse {
    let rules = &reader.rules;
    let digest = Digest::of(&response.body);
    let is_sitemap = is_sitemap(&response, work);
    let is_page = work != Work::Picture && !is_sitemap && is_page(&response);
    let page = is_page.then(|| {
        let page = read_page(&response, rules);
        let content = Content::of(&page);
        let simhash = Simhash::of(page.text()).or_else(|| short_text(&page));
        let is_login = has_password(&page);
        let mut reading = reader.site.as_ref().map(|site| site.read(&page));
        if let Some(record) = reading.as_mut().and_then(|reading| reading.record.as_mut()) {
            record.fetched(response.fetched_at);
        }
        let words = PageWords::default();
        let judgement = reader.judge.judge(&page, &words, reading.as_ref());
        if reader.reads_words {
            words.of(&page);
        }
        ReadPage { page, simhash, content, is_login, reading, judgement, words }
    });
    let sitemap = is_sitemap.then(|| read_sitemap(&response, rules));
    ParsedResponse { response, digest, page, sitemap }
}

/// A text that is too short to be nearly the same may still be the same, with the same pictures.
fn short_text(page: &Page) -> Option<Simhash> {
    let pictures = page.images().iter().map(|image| image.src.fingerprint());
    let hash = pictures.fold(xxh3_64(page.text().as_bytes()), u64::wrapping_add);
    (!page.text().is_empty()).then_some(Simhash(hash))
}

/// Whether the page asks for a password.
fn has_password(page: &Page) -> bool {
    let is_password = |kind: &str| kind.eq_ignore_ascii_case("password");
    let mut inputs = page.tree().nodes().filter(|node| node.name() == Some("input"));
    inputs.any(|input| input.attr("type").is_some_and(is_password))
}

/// Reads the body of `response` as a sitemap.
pub(crate) fn read_sitemap(response: &Response, rules: &PageRules) -> Sitemap {
    Sitemap::parse(&response.into(), &SitemapRules { url: rules.url.clone(), ..SitemapRules::default() })
}

/// What was announced as a sitemap may be declared as HTML, and is often enough; what was not must look like one and be
/// nothing else.
fn is_sitemap(response: &Response, work: Work) -> bool {
    let success = (200..300).contains(&response.status) && !response.body.is_empty();
    success
        && match (work, is_page(response)) {
            (Work::Picture, _) => false,
            (Work::Sitemap, false) => true,
            (Work::Sitemap, true) => Sitemap::looks_like(&response.into()),
            (Work::Page, is_page) => !is_page && Sitemap::looks_like(&response.into()),
        }
}
