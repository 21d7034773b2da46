//! Reads the words of documents, and the terms of queries.
//!
//! The reader of `text` reads words: folded, stemmed by language, without stop words; Chinese is segmented with a
//! dictionary. A document is read in one language, which its text decides; titles and tags are often too short for
//! that and are read as [`FALLBACK`]. Names of people and hosts are folded and split at anything that is not a letter
//! or digit; they are not stemmed and have no stop words.
//!
//! A query has no language. It is read in each language of the index's documents, and a word with different stems is
//! searched under all of them. A word that is a stop word in one of the languages is not required.

use osprey_text::{Gap, Language, Term, detect, fold, with_reader};

use crate::tokens::Keys;

/// The language of texts whose language cannot be detected.
pub(crate) const FALLBACK: Language = Language::English;
/// The distance to the next word across a stop word or the end of a phrase.
const OVER_STOP: u8 = 2;
const OVER_BREAK: u8 = 5;

/// The language in which a document is read.
pub(crate) fn language(text: &str, declared: Option<&str>) -> Language {
    match detect(text, declared) {
        Language::Unknown => FALLBACK,
        language => language,
    }
}

/// A word and its distance from the previous one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Placed {
    pub(crate) step: u8,
    pub(crate) term: Term,
}

/// The words of a text in a language.
pub(crate) fn each_word(text: &str, language: Language, mut each: impl FnMut(Placed, usize, &str)) {
    with_reader(|reader| {
        reader.read(text, language, |word| {
            let step = match word.gap {
                Gap::None => 1,
                Gap::Stop => OVER_STOP,
                Gap::Break => OVER_BREAK,
            };
            each(Placed { step, term: word.term }, word.start, word.surface);
        });
    });
}

/// The words of a name or host.
pub(crate) fn each_name_word(text: &str, mut each: impl FnMut(Placed, &str)) {
    let mut folded = String::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        folded.clear();
        fold(word, &mut folded);
        if !folded.is_empty() {
            each(Placed { step: 1, term: Term::of(&folded) }, word);
        }
    }
}

/// The compact form of separate texts, such as tags.
pub(crate) fn keys<'a>(texts: impl IntoIterator<Item = &'a str>, language: Language) -> String {
    let mut keys = Keys::default();
    for text in texts {
        each_word(text, language, |word, _, _| keys.push(word.step, word.term));
    }
    keys.into_text()
}

/// The compact form of a name or host.
pub(crate) fn name_keys(text: &str) -> String {
    let mut keys = Keys::default();
    each_name_word(text, |word, _| keys.push(word.step, word.term));
    keys.into_text()
}

/// The distinct words of a text as they are written, folded, for spelling suggestions.
pub(crate) fn surfaces<'a>(texts: impl IntoIterator<Item = &'a str>, language: Language) -> String {
    /// Maximum number of words per document.
    const MOST: usize = 2000;
    let (mut seen, mut all, mut folded) = (rustc_hash::FxHashSet::default(), String::new(), String::new());
    for text in texts {
        each_word(text, language, |word, _, surface| {
            let spelt = surface.chars().all(char::is_alphabetic) && surface.len() > 2;
            if spelt && seen.len() < MOST && seen.insert((word.term, surface.len())) {
                folded.clear();
                fold(surface, &mut folded);
                all.push_str(&folded);
                all.push(' ');
            }
        });
    }
    all
}

/// The terms of a sequence of words in a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Meaning {
    /// The words in each language, without duplicate readings.
    pub(crate) readings: Vec<Vec<Placed>>,
    /// The words when read as a name.
    pub(crate) name: Vec<Placed>,
    /// Whether it consists of stop words in one of the languages, so that it cannot be required.
    pub(crate) is_empty_somewhere: bool,
}

/// Reads a sequence of words in all languages of an index.
pub(crate) fn meaning(text: &str, languages: &[Language]) -> Meaning {
    let mut meaning = Meaning::default();
    for language in languages {
        let mut reading = Vec::new();
        each_word(text, *language, |word, _, _| reading.push(word));
        from_start(&mut reading);
        if reading.is_empty() {
            meaning.is_empty_somewhere = true;
        } else if !meaning.readings.contains(&reading) {
            meaning.readings.push(reading);
        }
    }
    each_name_word(text, |word, _| meaning.name.push(word));
    meaning
}

/// Removes the distance before the first word.
fn from_start(words: &mut [Placed]) {
    if let Some(first) = words.first_mut() {
        first.step = 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str, languages: &[Language]) -> Vec<Vec<(u8, Term)>> {
        let readings = meaning(text, languages).readings;
        readings.iter().map(|words| words.iter().map(|word| (word.step, word.term)).collect()).collect()
    }

    #[test]
    fn a_query_is_read_in_every_language() {
        let check = |text: &str, languages: &[Language], expect: &[&[(u8, &str)]]| {
            let expect: Vec<Vec<(u8, Term)>> = expect
                .iter()
                .map(|words| words.iter().map(|(step, stem)| (*step, Term::of(stem))).collect())
                .collect();
            assert_eq!(words(text, languages), expect, "{text}");
        };
        check("Roses", &[Language::English], &[&[(1, "rose")]]);
        check("rose", &[Language::English, Language::Unknown], &[&[(1, "rose")]]);
        check(
            "datenbanken",
            &[Language::English, Language::German],
            &[&[(1, "datenbanken")], &[(1, "datenbank")]],
        );
        check("New York", &[Language::English], &[&[(1, "new"), (1, "york")]]);
        check("rose of england", &[Language::English], &[&[(1, "rose"), (2, "england")]]);
        check("café", &[Language::English], &[&[(1, "cafe")]]);
        check("the", &[Language::English], &[]);
        check("北京时间", &[Language::Chinese], &[&[(1, "北京"), (1, "时间")]]);
    }

    #[test]
    fn stop_words_are_not_required() {
        assert!(meaning("the", &[Language::English]).is_empty_somewhere);
        assert!(meaning("und", &[Language::English, Language::German]).is_empty_somewhere);
        assert!(!meaning("rose", &[Language::English]).is_empty_somewhere);
    }

    #[test]
    fn names_are_cut_and_folded_only() {
        let mut found = Vec::new();
        each_name_word("The U-EET é.org", |word, _| found.push(word.term));
        assert_eq!(found, ["the", "u", "eet", "e", "org"].map(Term::of));
    }

    #[test]
    fn surfaces_are_folded_words_each_once() {
        let found = surfaces(["Roses and ROSES", "mp3 Café"], Language::English);
        assert_eq!(found, "roses cafe ");
    }
}
