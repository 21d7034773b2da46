//! Phrases of one to three successive words, without a stop word or a break between them, as candidates for terms.

use super::{Gap, Language, Reader, Term, Word};

/// Words of the longest phrase, as in de Assis et al. 2009.
pub(crate) const MAX_PHRASE_WORDS: usize = 3;

/// A phrase of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phrase<'a> {
    /// Its stems, in order.
    pub term: Term,
    /// How many words.
    pub words: usize,
    /// As it is written.
    pub surface: &'a str,
}

/// Calls `each` with every phrase of `text`, for every word the shortest that ends with it first.
pub fn each_phrase<'a>(
    reader: &mut Reader,
    text: &'a str,
    language: Language,
    mut each: impl FnMut(Phrase<'a>),
) {
    let mut last: [Option<Word<'a>>; MAX_PHRASE_WORDS - 1] = [None; MAX_PHRASE_WORDS - 1];
    reader.read(text, language, |word| {
        if word.gap != Gap::None {
            last = [None; MAX_PHRASE_WORDS - 1];
        }
        each(Phrase { term: word.term, words: 1, surface: word.surface });
        let end = word.start + word.surface.len();
        let surface = |from: &Word<'a>| text.get(from.start..end).unwrap_or_default();
        if let Some(before) = &last[0] {
            each(Phrase { term: before.term.then(word.term), words: 2, surface: surface(before) });
            if let Some(first) = &last[1] {
                let term = first.term.then(before.term).then(word.term);
                each(Phrase { term, words: 3, surface: surface(first) });
            }
        }
        last = [Some(word), last[0]];
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_to_three_in_a_row() {
        let check = |text: &str, expect: &[&str]| {
            let mut phrases = Vec::new();
            each_phrase(&mut Reader::new(), text, Language::English, |phrase| phrases.push(phrase.surface));
            assert_eq!(phrases, expect, "{text}");
        };
        check(
            "Data-base Systems",
            &["Data", "base", "Data-base", "Systems", "base Systems", "Data-base Systems"],
        );
        check("a b. of lists and Trees", &["lists", "Trees"]);
        check("one.two", &["two"]);
        check("w1 w2 w3 w4", &["w1", "w2", "w1 w2", "w3", "w2 w3", "w1 w2 w3", "w4", "w3 w4", "w2 w3 w4"]);
        check("数据挖掘课程", &["数据挖掘", "课程", "数据挖掘课程"]);
    }

    #[test]
    fn the_same_words_are_the_same_phrase() {
        let terms = |text: &str| {
            let mut terms = Vec::new();
            each_phrase(&mut Reader::new(), text, Language::English, |phrase| terms.push(phrase.term));
            terms
        };
        assert_eq!(terms("data structures"), terms("Data Structure"));
        assert_ne!(terms("data structures").last(), terms("structures data").last());
    }
}
