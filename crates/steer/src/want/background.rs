//! What is usual on a site: texts that stand on many of its pages, how many pages have each word, and the pages
//! themselves in short, for a want to look for what it wants among them.
//!
//! It is made of the pages that the site was learned from and of those that were crawled; of the want it knows the words, so
//! other words have another background.

use osprey_model::CanonicalUrl;
use osprey_page::Page;
use osprey_structure::{Reading, Site};
use osprey_text::{Language, Term, detect, with_reader};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::digest::{Digest, Text, texts};
use super::query::Query;
use crate::{SteeringConfigError, Subject};

/// A text is the site's if it stands on so many pages ...
const FEWEST_PAGES: u32 = 3;
/// ... and on this share of those that have any text at its place: what one template repeats is the site's, even where
/// few pages have that template.
const USUAL_SHARE: f32 = 0.5;
/// A word is the site's name, not a page's, if it stands in this share of the titles.
const USUAL_TITLE: f32 = 0.5;
/// A word says all that it can from this idf on: one page in twelve has it.
const RARE: f32 = 2.5;
/// What the most common word says of that.
const COMMON: f32 = 0.2;
/// How long the main text of a page is, in words, where nothing is known.
const USUAL_LENGTH: f32 = 300.0;
/// Texts that are counted.
const MAX_TEXTS: usize = 1_000_000;
/// Versions of the stored form; others are counted again.
const VERSION: u32 = 2;
/// Pages that were found for the want count as so many, all together, for how rare words are.
const FEW_FOUND: f32 = 5.0;

/// What is usual on a site.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Background {
    version: u32,
    /// The words and the learned site that it was counted with.
    made_for: u64,
    usual_texts: FxHashSet<u64>,
    usual_title: FxHashSet<Term>,
    pages_with: FxHashMap<Term, PagesWith>,
    /// Pages that no word of the want led to.
    by_chance: u32,
    mean_length: f32,
    pub(super) digests: Vec<Digest>,
}

/// Pages that have a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct PagesWith {
    all: u32,
    by_chance: u32,
}

/// How a crawl came to a page.
#[derive(Clone, Copy, Debug)]
pub struct Way<'a> {
    /// The text of the link.
    pub anchor: &'a str,
    /// Where it led.
    pub url: &'a CanonicalUrl,
    /// The title of the page that it stood on.
    pub parent_title: &'a str,
}

/// Counts pages, one after the other.
///
/// What a crawl for something found shows how pages speak of that, but not how usual it is on the site: there its words are on
/// every page, and the name of its category at the top of every page. So whether a wanted word, or a text with one, is usual
/// is counted on those pages only that no word of the want led to.
#[derive(Debug, Default)]
pub struct BackgroundCounter {
    query: Query,
    key: u64,
    texts: FxHashMap<u64, CountedText>,
    /// Pages that have a text at a place.
    places: FxHashMap<u64, PagesWith>,
    title: FxHashMap<Term, PagesWith>,
    pages: PagesWith,
}

/// A text, and the pages that have it.
#[derive(Debug)]
struct CountedText {
    pages: PagesWith,
    /// Where it stands.
    place: u64,
    /// Whether a wanted word is in it.
    is_wanted: bool,
}

impl PagesWith {
    fn add(&mut self, is_led: bool) {
        self.all += 1;
        self.by_chance += u32::from(!is_led);
    }

    /// Whether a share of these pages, and enough, are among those.
    fn is_usual(self, of: Self, share: f32, is_wanted: bool) -> bool {
        let (pages, of) = if is_wanted { (self.by_chance, of.by_chance) } else { (self.all, of.all) };
        pages >= FEWEST_PAGES.max((share * of as f32).ceil() as u32)
    }
}

impl BackgroundCounter {
    /// For what is wanted, on a site that may have been learned.
    pub fn of(subject: &Subject, site: Option<&Site>) -> Result<Self, SteeringConfigError> {
        let query = Query::new(subject)?;
        Ok(Self { key: key(&query, site), query, ..Self::default() })
    }

    /// Whether a word of the want led to a page.
    pub fn is_led(&self, way: &Way<'_>, page: &Page) -> bool {
        let language = detect(page.text(), page.lang());
        let terms = self.query.terms(language);
        let texts = [way.anchor, way.url.path_and_query(), way.parent_title];
        texts.iter().any(|text| has_one(text, language, &terms))
    }

    /// Counts a page; all pages are counted before the first is kept.
    pub fn count(&mut self, page: &Page, is_led: bool) {
        self.pages.add(is_led);
        let language = detect(page.text(), page.lang());
        let terms = self.query.terms(language);
        let (mut seen, mut places) = (FxHashSet::default(), FxHashSet::default());
        for text in texts(page) {
            let key = text.key();
            let has_room = self.texts.len() < MAX_TEXTS || self.texts.contains_key(&key);
            if !has_room || !seen.insert(key) {
                continue;
            }
            if let Some(known) = self.texts.get_mut(&key) {
                known.pages.add(is_led);
            } else {
                let is_wanted = has_one(text.value, language, &terms);
                let mut pages = PagesWith::default();
                pages.add(is_led);
                self.texts.insert(key, CountedText { pages, place: text.path, is_wanted });
            }
            if places.insert(text.path) {
                self.places.entry(text.path).or_default().add(is_led);
            }
        }
        let title: FxHashSet<Term> =
            with_reader(|reader| reader.terms(page.title(), language)).into_iter().collect();
        title.into_iter().for_each(|term| self.title.entry(term).or_default().add(is_led));
    }

    /// What of it is usual; then the pages are kept, one after the other.
    pub fn finish(self) -> Background {
        let at = |place: u64| self.places.get(&place).copied().unwrap_or_default();
        let is_usual = |text: &CountedText| text.pages.is_usual(at(text.place), USUAL_SHARE, text.is_wanted);
        let usual_texts = self.texts.iter().filter(|(_, text)| is_usual(text)).map(|(key, _)| *key).collect();
        let wanted: FxHashSet<Term> =
            Language::ALL.iter().flat_map(|language| self.query.terms(*language)).collect();
        let usual_title = self
            .title
            .into_iter()
            .filter(|(term, pages)| pages.is_usual(self.pages, USUAL_TITLE, wanted.contains(term)))
            .map(|(term, _)| term)
            .collect();
        Background { version: VERSION, made_for: self.key, usual_texts, usual_title, ..Background::default() }
    }
}

fn key(query: &Query, site: Option<&Site>) -> u64 {
    xxh3_64_with_seed(site.map_or("", |site| site.key()).as_bytes(), query.key())
}

/// Whether a text has one of these terms, which are in order.
fn has_one(text: &str, language: Language, terms: &[Term]) -> bool {
    let is_one = |term: &Term| terms.binary_search(term).is_ok();
    !terms.is_empty() && with_reader(|reader| reader.terms(text, language)).iter().any(is_one)
}

impl Background {
    /// Keeps a page that was counted.
    pub fn keep(&mut self, page: &Page, reading: Option<&Reading>, is_led: bool) {
        let mut digest = self.digest(page, reading);
        digest.is_led = is_led;
        let own: FxHashSet<Term> = digest.all_counts().map(|(term, _)| term).collect();
        own.into_iter().for_each(|term| self.pages_with.entry(term).or_default().add(is_led));
        let kept = self.digests.len() as f32;
        self.mean_length = (self.mean_length * kept + digest.length) / (kept + 1.0);
        self.by_chance += u32::from(!is_led);
        self.digests.push(digest);
    }

    /// Whether it was counted with the words of this subject, on this learned site.
    pub fn is_for(&self, subject: &Subject, site: Option<&Site>) -> bool {
        Query::new(subject).is_ok_and(|query| key(&query, site) == self.made_for)
    }

    /// Pages that were kept.
    pub fn pages(&self) -> usize {
        self.digests.len()
    }

    /// Those of them that no word of the want led to.
    pub(super) fn pages_by_chance(&self) -> usize {
        self.by_chance as usize
    }

    /// A key of what it was made from, to tell whether a judge is still the one of before.
    pub fn key(&self) -> String {
        format!("{}-{}-{}", self.digests.len(), self.by_chance, self.pages_with.len())
    }

    /// The stored form.
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).unwrap_or_default()
    }

    /// Of the stored form; `None` if another version wrote it, or if it is damaged.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes::<Self>(bytes).ok().filter(|background| background.version == VERSION)
    }

    /// How rare a word is: the less pages have it, the more it says.
    pub(super) fn idf(&self, term: Term) -> f32 {
        let (pages, with) = self.with(term);
        (1.0 + (pages - with + 0.5) / (with + 0.5)).ln()
    }

    /// How much a word of the user's says: a common one less, and one that is rarer than most no more, since a word that
    /// the site does not have at all must not count against those that it has.
    pub(super) fn rarity(&self, term: Term) -> f32 {
        (self.idf(term) / RARE).clamp(COMMON, 1.0)
    }

    /// The share of the pages that have a word.
    pub(super) fn share(&self, term: Term) -> f32 {
        let (pages, with) = self.with(term);
        (with + 0.5) / (pages + 1.0)
    }

    /// Pages, and those that have a word: by chance, and, as if they were a few more, all others.
    fn with(&self, term: Term) -> (f32, f32) {
        let PagesWith { all, by_chance } = self.pages_with.get(&term).copied().unwrap_or_default();
        let found = self.digests.len() as f32 - self.by_chance as f32;
        let few = if found > 0.0 { (FEW_FOUND / found).min(1.0) } else { 0.0 };
        let with_found = (all - by_chance) as f32;
        (self.by_chance as f32 + few * found, by_chance as f32 + few * with_found)
    }

    /// How long pages are, in words.
    pub(super) fn mean_length(&self) -> f32 {
        if self.digests.is_empty() { USUAL_LENGTH } else { self.mean_length + 1.0 }
    }

    /// A page in short.
    pub(super) fn digest(&self, page: &Page, reading: Option<&Reading>) -> Digest {
        Digest::of(
            page,
            detect(page.text(), page.lang()),
            reading,
            |text: &Text<'_>| self.usual_texts.contains(&text.key()),
            |term| self.usual_title.contains(&term),
        )
    }
}
