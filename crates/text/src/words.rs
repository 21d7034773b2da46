//! The words of a page, read once and shared by the judge, the policy and explanations.
//!
//! Reading is the expensive part of everything that uses words, so a page worker does it beside the parser; a policy
//! only looks words up.

use std::cell::RefCell;
use std::sync::OnceLock;

use osprey_page::Page;

use super::{Counts, Gap, Language, Reader, Term, detect};

/// A word of a page, less its letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its stem.
    pub term: Term,
    /// What separates it from the word before.
    pub gap: Gap,
    /// Where it begins in the page's text, in bytes.
    pub start: u32,
}

/// A text that was read.
#[derive(Clone, Debug, Default)]
pub struct Words {
    language: Language,
    tokens: Vec<Token>,
    counts: Counts,
}

impl Words {
    /// Reads a text; `declared` is the language that it claims to be in.
    pub fn of(text: &str, declared: Option<&str>) -> Self {
        let language = detect(text, declared);
        let (mut tokens, mut counts) = (Vec::with_capacity(text.len() / 8), Counts::default());
        with_reader(|reader| {
            reader.read(text, language, |word| {
                tokens.push(Token { term: word.term, gap: word.gap, start: word.start as u32 });
                counts.add(word.term);
            });
        });
        Self { language, tokens, counts }
    }

    /// The language it was read in.
    pub fn language(&self) -> Language {
        self.language
    }

    /// All words in order.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// How often each word occurs.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }
}

/// The words of one page, read on first use.
#[derive(Clone, Debug, Default)]
pub struct PageWords(OnceLock<Words>);

impl PageWords {
    /// The words of `page`, which must be the same at each call.
    pub fn of(&self, page: &Page) -> &Words {
        self.0.get_or_init(|| Words::of(page.text(), page.lang()))
    }
}

thread_local! {
    static READER: RefCell<Reader> = RefCell::default();
}

/// Lends the thread's reader, which caches the terms of words. The cache makes it faster and changes nothing else.
pub fn with_reader<T>(read: impl FnOnce(&mut Reader) -> T) -> T {
    // taken out meanwhile: a nested call gets a new reader, not a panic
    let mut reader = READER.with(RefCell::take);
    let result = read(&mut reader);
    READER.with(|place| place.replace(reader));
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_once_into_tokens_and_counts() {
        let words = Words::of("The red flowers, red again: a flower.", Some("en"));
        assert_eq!(words.language(), Language::English);
        let stems: Vec<Term> = words.tokens().iter().map(|token| token.term).collect();
        let [red, flower] = ["red", "flower"].map(Term::of);
        assert_eq!([stems[0], stems[1], stems[2]], [red, flower, red]);
        assert_eq!((words.counts().get(red), words.counts().get(flower)), (2, 2));
        let starts: Vec<u32> = words.tokens().iter().take(3).map(|token| token.start).collect();
        assert_eq!(starts, [4, 8, 17]);
        assert_eq!(words.tokens()[2].gap, Gap::Break);
    }

    #[test]
    fn nested_calls_get_a_reader() {
        let terms = with_reader(|_| with_reader(|inner| inner.terms("red", Language::English)));
        assert_eq!(terms, [Term::of("red")]);
    }
}
