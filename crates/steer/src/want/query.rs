//! The words of what is wanted, and how well a page answers them.
//!
//! As search engines do it: rare words count more (idf), a word in the title or among the tags counts most, and in the
//! text the second time counts less than the first (the saturation of BM25). Of several topics the nearest counts.

use osprey_text::{Language, Term, Wanted, with_reader};

use xxhash_rust::xxh3::xxh3_64;

use super::background::Background;
use super::digest::Digest;
use crate::taxonomy::{Aim, Aims};
use crate::{SteeringConfigError, Subject};

/// How soon more of the same word says no more.
const SATURATION: f32 = 1.2;
/// How much of that depends on the length of the page.
const BY_LENGTH: f32 = 0.5;
/// What all words in the title, or among the tags, are worth.
const NAMED: f32 = 0.8;
/// What the cosine of words and page counts: half of a page's words are rarely those of the want.
const BY_COSINE: f32 = 2.0;

/// The words of what is wanted.
#[derive(Clone, Debug, Default)]
pub(super) struct Query {
    topics: Vec<Aim>,
    /// Words of the kind of page, besides.
    genre: Option<Wanted>,
}

/// How well a page answers, by where the words are; each 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Answer {
    pub(super) title: f32,
    pub(super) tags: f32,
    pub(super) text: f32,
    /// How much of the page they are.
    pub(super) cosine: f32,
}

impl Answer {
    /// All together.
    pub(super) fn total(self) -> f32 {
        let by_cosine = (BY_COSINE * self.cosine).min(1.0);
        1.0 - (1.0 - NAMED * self.title) * (1.0 - NAMED * self.tags) * (1.0 - self.text) * (1.0 - by_cosine)
    }
}

impl Query {
    /// Of a subject, which may have no words at all.
    pub(super) fn new(subject: &Subject) -> Result<Self, SteeringConfigError> {
        let mut topics = match subject.nodes().next() {
            Some(_) => Aims::of_nodes(subject)?.into_aims(),
            None => Vec::new(),
        };
        let content: Vec<&str> =
            names(&subject.words).chain(names(&subject.tags)).chain(names(&subject.content_terms)).collect();
        if !content.is_empty() {
            topics.push(Aim::of_words(content));
        }
        let genre: Vec<&str> = names(&subject.genre_terms).collect();
        let genre = (!genre.is_empty()).then(|| Wanted::new(genre.into_iter().map(|word| (word, 1.0))));
        Ok(Self { topics, genre })
    }

    /// Whether there are no words.
    pub(super) fn is_silent(&self) -> bool {
        self.topics.is_empty() && self.genre.is_none()
    }

    /// All words, in the order of the terms.
    pub(super) fn terms(&self, language: Language) -> Vec<Term> {
        let wanted = self.topics.iter().map(|aim| aim.labels(language)).chain(&self.genre);
        let mut terms: Vec<Term> = Vec::new();
        for wanted in wanted {
            let vector = with_reader(|reader| wanted.vector(reader, language).clone());
            terms.extend(vector.entries().iter().map(|(term, _)| *term));
        }
        terms.sort_unstable();
        terms.dedup();
        terms
    }

    /// Equal for equal words.
    pub(super) fn key(&self) -> u64 {
        let terms: Vec<Term> = Language::ALL.iter().flat_map(|language| self.terms(*language)).collect();
        xxh3_64(&postcard::to_stdvec(&terms).unwrap_or_default())
    }

    /// How well a page answers the topics, the best one.
    pub(super) fn answer(&self, page: &Digest, background: &Background) -> Answer {
        let language = language_of(page);
        let answers = self.topics.iter().map(|aim| answer(aim.labels(language), language, page, background));
        answers.max_by(|a, b| a.total().total_cmp(&b.total())).unwrap_or_default()
    }

    /// Topics and genre together: both have to be there, where both were asked for.
    pub(super) fn score(&self, page: &Digest, background: &Background) -> f32 {
        let topic = (!self.topics.is_empty()).then(|| self.answer(page, background).total());
        let language = language_of(page);
        let genre = self.genre.as_ref().map(|genre| answer(genre, language, page, background).total());
        match (topic, genre) {
            (Some(topic), Some(genre)) => (topic * genre).sqrt(),
            (topic, genre) => topic.or(genre).unwrap_or(0.0),
        }
    }

    /// The words as a user wrote them, with the share of those pages that have them by chance.
    pub(super) fn shares(&self, background: &Background) -> Vec<(String, f32)> {
        let texts = self.topics.iter().flat_map(|aim| aim.labels(Language::English).texts());
        let share = |text: &str| {
            let count = |digest: &Digest| {
                let terms = with_reader(|reader| reader.terms(text, language_of(digest)));
                !terms.is_empty() && terms.iter().all(|term| has(digest, *term))
            };
            let by_chance = || background.digests.iter().filter(|digest| !digest.is_led);
            let pages = by_chance().filter(|digest| count(digest)).count();
            pages as f32 / by_chance().count().max(1) as f32
        };
        texts.map(|(text, _)| (text.clone(), share(text))).collect()
    }
}

/// The forms of terms: `course|Kurs` has two.
fn names(terms: &[String]) -> impl Iterator<Item = &str> {
    terms.iter().flat_map(|term| term.split('|')).map(str::trim).filter(|name| !name.is_empty())
}

pub(super) fn language_of(page: &Digest) -> Language {
    Language::ALL.get(usize::from(page.language)).copied().unwrap_or_default()
}

fn has(page: &Digest, term: Term) -> bool {
    page.count(term) > 0.0
        || page.title.binary_search(&term).is_ok()
        || page.tags.binary_search(&term).is_ok()
}

/// How much so many words say in a text of such a length: 0 to 1.
pub(super) fn saturated(count: f32, length: f32, background: &Background) -> f32 {
    let usual = SATURATION * (1.0 - BY_LENGTH + BY_LENGTH * length / background.mean_length());
    if count > 0.0 { count / (count + usual) } else { 0.0 }
}

/// The words are alternatives of which more is better: the p-norm of the extended Boolean model (Salton, Fox and Wu 1983)
/// with p = 2. One of three words is worth .58, where their mean is worth .33 and the best of them 1.
fn answer(wanted: &Wanted, language: Language, page: &Digest, background: &Background) -> Answer {
    let vector = with_reader(|reader| wanted.vector(reader, language).clone());
    let (mut sum, mut found) = (0.0, Answer::default());
    for &(term, weight) in vector.entries() {
        let weight = (weight * background.rarity(term)).powi(2);
        sum += weight;
        if page.title.binary_search(&term).is_ok() {
            found.title += weight;
        }
        if page.tags.binary_search(&term).is_ok() {
            found.tags += weight;
        }
        found.text += weight * saturated(page.count(term), page.length, background).powi(2);
    }
    let product: f32 = vector.entries().iter().map(|(term, weight)| weight * page.full_count(*term)).sum();
    let cosine = if page.norm > 0.0 { product / (page.norm * vector.length()) } else { 0.0 };
    let share = |part: f32| if sum > 0.0 { (part / sum).min(1.0).sqrt() } else { 0.0 };
    Answer { title: share(found.title), tags: share(found.tags), text: share(found.text), cosine }
}
