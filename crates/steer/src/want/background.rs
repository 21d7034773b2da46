//! What is usual on a site: texts that stand on many of its pages, how many pages have each word, and the pages
//! themselves in short, for a want to look for what it wants among them.
//!
//! It is made of the pages that the site was learned from and of those that were crawled. It does not depend on what is
//! wanted, so a changed want can use it again.

use osprey_page::Page;
use osprey_structure::Reading;
use osprey_text::{Term, detect, with_reader};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::digest::{Digest, Text, texts};

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
/// Texts that are counted.
const MAX_TEXTS: usize = 1_000_000;
/// Versions of the stored form; others are counted again.
const VERSION: u32 = 1;

/// What is usual on a site.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Background {
    version: u32,
    usual_texts: FxHashSet<u64>,
    usual_title: FxHashSet<Term>,
    /// Pages that have a word.
    pages_with: FxHashMap<Term, u32>,
    /// Pages that were counted for that.
    counted: u32,
    mean_length: f32,
    pub(super) digests: Vec<Digest>,
}

/// Counts pages, one after the other.
#[derive(Debug, Default)]
pub struct BackgroundCounter {
    /// Pages with a text, and the place that it stands at.
    texts: FxHashMap<u64, (u32, u64)>,
    /// Pages that have a text at a place.
    places: FxHashMap<u64, u32>,
    title: FxHashMap<Term, u32>,
    pages: u32,
}

impl BackgroundCounter {
    /// Counts a page; all pages are counted before the first is kept.
    pub fn count(&mut self, page: &Page) {
        self.pages += 1;
        let (mut seen, mut places) = (FxHashSet::default(), FxHashSet::default());
        for text in texts(page) {
            let key = text.key();
            let has_room = self.texts.len() < MAX_TEXTS || self.texts.contains_key(&key);
            if has_room && seen.insert(key) {
                self.texts.entry(key).or_insert((0, text.path)).0 += 1;
                if places.insert(text.path) {
                    *self.places.entry(text.path).or_default() += 1;
                }
            }
        }
        let language = detect(page.text(), page.lang());
        let title: FxHashSet<Term> =
            with_reader(|reader| reader.terms(page.title(), language)).into_iter().collect();
        title.into_iter().for_each(|term| *self.title.entry(term).or_default() += 1);
    }

    /// What of it is usual; then the pages are kept, one after the other.
    pub fn finish(self) -> Background {
        let pages = self.pages as f32;
        let at = |place: u64| self.places.get(&place).copied().unwrap_or(0) as f32;
        let is_usual =
            |pages: u32, place: u64| pages >= FEWEST_PAGES.max((USUAL_SHARE * at(place)).ceil() as u32);
        let usual_texts = self.texts.iter().filter(|(_, (pages, place))| is_usual(*pages, *place));
        let half = FEWEST_PAGES.max((USUAL_TITLE * pages).ceil() as u32);
        let usual_title = self.title.into_iter().filter(|(_, pages)| *pages >= half);
        Background {
            version: VERSION,
            usual_texts: usual_texts.map(|(key, _)| *key).collect(),
            usual_title: usual_title.map(|(term, _)| term).collect(),
            ..Background::default()
        }
    }
}

impl Background {
    /// Keeps a page that was counted: one of those that no want has led to.
    pub fn keep(&mut self, page: &Page, reading: Option<&Reading>) {
        let digest = self.digest(page, reading);
        let own: FxHashSet<Term> = digest.all_counts().map(|(term, _)| term).collect();
        own.into_iter().for_each(|term| *self.pages_with.entry(term).or_default() += 1);
        let counted = self.counted as f32;
        self.mean_length = (self.mean_length * counted + digest.length) / (counted + 1.0);
        self.counted += 1;
        self.digests.push(digest);
    }

    /// Keeps a page that a crawl for something has found: it shows how pages speak of that, but not how rare a word is on
    /// the site.
    pub fn keep_found(&mut self, page: &Page, reading: Option<&Reading>) {
        self.digests.push(self.digest(page, reading));
    }

    /// Pages that were kept.
    pub fn pages(&self) -> usize {
        self.digests.len()
    }

    /// A key of what it was made from, to tell whether a judge is still the one of before.
    pub fn key(&self) -> String {
        format!("{}-{}", self.digests.len(), self.pages_with.len())
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
        let (pages, with) = (self.counted as f32, self.with(term));
        (1.0 + (pages - with + 0.5) / (with + 0.5)).ln()
    }

    /// How much a word of the user's says: a common one less, and one that is rarer than most no more, since a word that
    /// the site does not have at all must not count against those that it has.
    pub(super) fn rarity(&self, term: Term) -> f32 {
        (self.idf(term) / RARE).clamp(COMMON, 1.0)
    }

    /// The share of the pages that have a word.
    pub(super) fn share(&self, term: Term) -> f32 {
        (self.with(term) + 0.5) / (self.counted as f32 + 1.0)
    }

    fn with(&self, term: Term) -> f32 {
        self.pages_with.get(&term).copied().unwrap_or(0) as f32
    }

    /// How long pages are, in words.
    pub(super) fn mean_length(&self) -> f32 {
        self.mean_length + 1.0
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
