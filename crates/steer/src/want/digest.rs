//! The words of a page that tell what it is about: its title, its tags and its main text.
//!
//! Main text is what stands outside links and on few pages of the site. Words of links count less: on an item they are
//! mostly about other pages, on a list they are what it has.

use osprey_model::PageType;
use osprey_page::{Page, Rel};
use osprey_structure::Reading;
use osprey_text::{Language, Reader, Term, with_reader};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::looks::looks_item;
use super::place::Place;

/// What a word of a link counts, where one of the text counts 1.
const LINK_WORD: f32 = 0.5;
/// What a word of the title or of a tag counts beyond its place in the text.
const NAME_WORD: f32 = 2.0;
/// Words that are kept of a page: those with the highest counts.
const MAX_TERMS: usize = 400;
/// Links to tags that are read.
const MAX_TAGS: usize = 40;
/// Texts of a page that are read.
const MAX_TEXTS: usize = 4_000;

/// A text of a page: a text node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'a> {
    pub(super) value: &'a str,
    pub(super) place: Place,
    /// Its path string.
    pub(super) path: u64,
}

impl Text<'_> {
    /// Equal for equal texts at the same place: a category in the menu is not the category of the item.
    pub(super) fn key(&self) -> u64 {
        xxh3_64_with_seed(self.value.as_bytes(), self.path)
    }
}

/// The texts of a page, its title apart.
pub(super) fn texts(page: &Page) -> impl Iterator<Item = Text<'_>> {
    let texts = page.psnv().iter().take(MAX_TEXTS).map(|pair| Text {
        value: page.psnv_value(pair),
        place: page.tree().node(pair.node).map(Place::of).unwrap_or_default(),
        path: page.path_string_key(pair.path),
    });
    texts.filter(|text| text.value != page.title())
}

/// What tells the kind of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Kind {
    /// Its type and cluster, if the site was learned.
    pub(super) learned: Option<(PageType, Option<u32>)>,
    /// What the user says of such pages in the sitemap.
    pub(super) marked: Option<bool>,
    /// How much it looks like a page of one thing by itself.
    pub(super) looks_item: f32,
}

impl Kind {
    fn of(page: &Page, reading: Option<&Reading>) -> Self {
        let learned = reading.map(|reading| (reading.page_type, reading.cluster));
        let is_typed =
            learned.is_some_and(|(page_type, cluster)| cluster.is_some() || page_type != PageType::Other);
        let looks_item = if is_typed { 0.5 } else { looks_item(page) };
        Self { learned, marked: reading.and_then(|reading| reading.wanted), looks_item }
    }
}

/// What is kept of a page to say what it is worth.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Digest {
    pub(super) language: u8,
    pub(super) kind: Kind,
    /// Whether a word of the want led to it.
    pub(super) is_led: bool,
    /// Words of the title.
    pub(super) title: Vec<Term>,
    /// Words of its tags.
    pub(super) tags: Vec<Term>,
    /// Words of the main text and of links, by their counts, in the order of the terms.
    pub(super) words: Vec<(Term, f32)>,
    /// How long the text is, in words.
    pub(super) length: f32,
    /// The length of the vector of all counts.
    pub(super) norm: f32,
}

impl Digest {
    /// Of a page; `is_usual` says which texts and which words of titles are those of the site.
    pub(super) fn of(
        page: &Page,
        language: Language,
        reading: Option<&Reading>,
        is_usual: impl Fn(&Text<'_>) -> bool,
        is_usual_title: impl Fn(Term) -> bool,
    ) -> Self {
        with_reader(|reader| {
            let mut counts: FxHashMap<Term, f32> = FxHashMap::default();
            let mut length = 0.0;
            let texts: Vec<Text<'_>> = texts(page).filter(|text| !is_usual(text)).collect();
            // where all is frame, nothing is
            let has_content = texts.iter().any(|text| text.place == Place::default());
            for text in texts.iter().filter(|text| !(has_content && text.place.is_frame)) {
                let weight = if text.place.is_link { LINK_WORD } else { 1.0 };
                reader.read(text.value, language, |word| {
                    *counts.entry(word.term).or_default() += weight;
                    length += weight;
                });
            }
            let record = reading.and_then(|reading| reading.record.as_ref());
            let title = record.and_then(|record| record.title.as_deref()).unwrap_or(page.title());
            let mut title = reader.terms(title, language);
            title.retain(|term| !is_usual_title(*term));
            let mut tags = tags(page, reading, reader, language);
            for trail in texts.iter().filter(|text| text.place.is_trail && text.place.is_link) {
                tags.extend(reader.terms(trail.value, language));
            }
            let mut digest = Self {
                language: language.index() as u8,
                kind: Kind::of(page, reading),
                is_led: false,
                title: distinct(title),
                tags: distinct(tags),
                words: most_frequent(counts),
                length,
                norm: 0.0,
            };
            digest.norm = digest.all_counts().map(|(_, count)| count * count).sum::<f32>().sqrt();
            digest
        })
    }

    /// How often a word stands in the text.
    pub(super) fn count(&self, term: Term) -> f32 {
        let place = self.words.binary_search_by_key(&term, |(term, _)| *term);
        place.ok().and_then(|at| self.words.get(at)).map_or(0.0, |(_, count)| *count)
    }

    /// How often a word stands anywhere on the page, a title or tag as [`NAME_WORD`].
    pub(super) fn full_count(&self, term: Term) -> f32 {
        self.count(term) + self.name_count(term)
    }

    /// What a word counts as a word of the title or of a tag.
    fn name_count(&self, term: Term) -> f32 {
        let is_name = self.title.binary_search(&term).is_ok() || self.tags.binary_search(&term).is_ok();
        if is_name { NAME_WORD } else { 0.0 }
    }

    /// Counts with those of title and tags.
    pub(super) fn all_counts(&self) -> impl Iterator<Item = (Term, f32)> {
        let in_text = self.words.iter().map(|(term, count)| (*term, count + self.name_count(*term)));
        let is_new = |term: &&Term| self.count(**term) == 0.0;
        let in_title = self.title.iter().filter(is_new).map(|term| (*term, NAME_WORD));
        let is_other = move |term: &&Term| is_new(term) && self.title.binary_search(*term).is_err();
        in_text.chain(in_title).chain(self.tags.iter().filter(is_other).map(|term| (*term, NAME_WORD)))
    }
}

/// The words of a page's own tags: those of its record, its keywords, and links that say that they are tags. The parts of
/// the site that it is in come to them.
fn tags(page: &Page, reading: Option<&Reading>, reader: &mut Reader, language: Language) -> Vec<Term> {
    let record = reading.and_then(|reading| reading.record.as_ref());
    let own = record.into_iter().flat_map(|record| &record.tags).map(String::as_str);
    let links = page.links().iter().filter(|link| link.rel.contains(Rel::TAG));
    let marked = links.take(MAX_TAGS).map(|link| page.anchor(link));
    own.chain(page.keywords()).chain(marked).flat_map(|tag| reader.terms(tag, language)).collect()
}

fn distinct(mut terms: Vec<Term>) -> Vec<Term> {
    terms.sort_unstable();
    terms.dedup();
    terms
}

fn most_frequent(counts: FxHashMap<Term, f32>) -> Vec<(Term, f32)> {
    let mut words: Vec<(Term, f32)> = counts.into_iter().collect();
    if words.len() > MAX_TERMS {
        words.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        words.truncate(MAX_TERMS);
    }
    words.sort_unstable_by_key(|(term, _)| *term);
    words
}
