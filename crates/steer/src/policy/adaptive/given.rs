//! The words that a user gave, and how much a short text says of them.
//!
//! An anchor, a title or a URL is short: there a word is present or not. `1 - product of (1 - 0.85 h)` over the given words and
//! phrases, `h` = 1 where all words of a phrase are there, else a quarter of the share that is. The words are the one
//! thing that is known from the start, so nothing that a crawl learns wears them down.

use osprey_text::{Language, Reader, Term, url_tokens};
use rustc_hash::FxHashSet;

use crate::policy::percent::push_decoded;
use crate::taxonomy::{AimBy, Aims};
use crate::{SteeringConfigError, Subject};

/// What a whole phrase says.
const PHRASE: f32 = 0.85;
/// What a part of a phrase is worth, of the share that it is.
const PART: f32 = 0.25;
/// Letters of a word by which a text that has none of the words is told at once.
const STEM: usize = 4;

/// The words, in every language that was asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    texts: Vec<String>,
    /// The beginnings of all words, in lower case.
    stems: Vec<String>,
    by_language: Vec<(Language, Vec<Vec<Term>>)>,
}

impl Given {
    pub(super) fn of(subject: &Subject) -> Result<Self, SteeringConfigError> {
        if !subject.is_silent() {
            // nothing but stop words is an error here as it is elsewhere
            Aims::of_subject(subject, AimBy::Words, "adaptive")?;
        }
        let mut texts: Vec<String> = subject.words().map(str::to_owned).collect();
        if subject.nodes().next().is_some() {
            let aims = Aims::of_nodes(subject)?.into_aims();
            for language in [Language::English, Language::Chinese] {
                let labels = aims.iter().filter_map(|aim| aim.labels(language).texts().last());
                texts.extend(labels.map(|(text, _)| text.clone()).filter(|text| !text.trim().is_empty()));
            }
        }
        texts.sort_unstable();
        texts.dedup();
        let words = texts.iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
        let stem = |word: &str| word.chars().take(STEM).flat_map(char::to_lowercase).collect::<String>();
        let mut stems: Vec<String> = words.filter(|word| !word.is_empty()).map(stem).collect();
        // Chinese words are cut from running text
        stems
            .iter_mut()
            .filter(|stem| !stem.is_ascii())
            .for_each(|stem| *stem = stem.chars().take(1).collect());
        stems.sort_unstable();
        stems.dedup();
        Ok(Self { texts, stems, by_language: Vec::new() })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    fn phrases(&mut self, reader: &mut Reader, language: Language) -> &[Vec<Term>] {
        if !self.by_language.iter().any(|(known, _)| *known == language) {
            let phrases = self.texts.iter().map(|text| reader.terms(text, language));
            let phrases = phrases.filter(|terms| !terms.is_empty()).collect();
            self.by_language.push((language, phrases));
        }
        let known = self.by_language.iter().find(|(known, _)| *known == language);
        known.map_or(&[], |(_, phrases)| phrases.as_slice())
    }

    /// Whether a text can have any of the words: a look without reading it.
    pub(super) fn may_be_in(&self, text: &str) -> bool {
        let folded: String = text.chars().flat_map(char::to_lowercase).collect();
        self.stems.iter().any(|stem| folded.contains(stem.as_str()))
    }

    /// How much a text says of the words.
    pub(super) fn matched(&mut self, reader: &mut Reader, text: &str, language: Language) -> f32 {
        if self.is_empty() || text.is_empty() || !self.may_be_in(text) {
            return 0.0;
        }
        let terms: FxHashSet<Term> = reader.terms(text, language).into_iter().collect();
        self.of_terms(reader, &terms, language)
    }

    fn of_terms(&mut self, reader: &mut Reader, terms: &FxHashSet<Term>, language: Language) -> f32 {
        let mut none = 1.0;
        for phrase in self.phrases(reader, language) {
            let found = phrase.iter().filter(|term| terms.contains(term)).count();
            let h = match found {
                0 => 0.0,
                all if all == phrase.len() => 1.0,
                some => PART * some as f32 / phrase.len() as f32,
            };
            none *= 1.0 - PHRASE * h;
        }
        1.0 - none
    }

    /// The same of a URL.
    pub(super) fn in_url(&mut self, reader: &mut Reader, path: &str, language: Language) -> f32 {
        if self.is_empty() || !(self.may_be_in(path) || path.contains('%')) {
            return 0.0;
        }
        let mut text = String::new();
        push_decoded(path, &mut text);
        let words: Vec<&str> =
            url_tokens(&text).flat_map(|token| token.text.split(['-', '_', '+'])).collect();
        self.matched(reader, &words.join(" "), language)
    }
}
