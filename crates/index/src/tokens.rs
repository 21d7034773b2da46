//! Converts words to postings: compact forms, and the token streams that expand them.
//!
//! Text is read before, by the reader of `text`, in the language of its document; visual words come with their
//! frequencies. Both are passed to the store as one string of entries of fixed length, which is not stored: the token
//! stream of a field splits it again without an allocation per token. A visual word of frequency 40 is one entry, and
//! 40 tokens only for the postings writer, which counts them; this is the only way in which the store accepts a
//! frequency.

use osprey_text::Term;
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// The tokenizer of [`Keys`].
pub(crate) const KEYS: &str = "osprey-keys";
/// The tokenizer of [`Frequencies`].
pub(crate) const FREQUENCIES: &str = "osprey-frequencies";

/// Number of letters of a key: 64 bits, 6 per letter.
const KEY: usize = 11;
/// Number of digits of a visual word, and of its frequency.
const WORD: usize = 2;
const FREQUENCY: usize = 3;
/// The largest frequency in an entry.
const MOST: u16 = 0xfff;

/// Writes the letters of a term's key, as in the term dictionary.
pub(crate) fn key_text(term: Term, out: &mut String) {
    const LETTERS: &[u8; 64] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~";
    let key = term.key();
    for step in 0..KEY {
        let letter = LETTERS.get((key >> (6 * step) & 63) as usize).copied().unwrap_or(b'0');
        out.push(char::from(letter));
    }
}

/// Words of a text: a digit for the distance from the previous word, then the key.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keys(String);

impl Keys {
    /// Adds a word at distance `step`, at most 9.
    pub(crate) fn push(&mut self, step: u8, term: Term) {
        self.0.push(char::from(b'0' + step.min(9)));
        key_text(term, &mut self.0);
    }

    /// The compact form.
    pub(crate) fn into_text(self) -> String {
        self.0
    }
}

/// Visual words with their frequencies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frequencies(String);

impl Frequencies {
    /// Adds a word.
    pub(crate) fn push(&mut self, word: u8, frequency: u16) {
        use std::fmt::Write;
        // writing to a string does not fail
        let _ = write!(self.0, "{word:02x}{:03x}", frequency.min(MOST));
    }

    /// The compact form.
    pub(crate) fn into_text(self) -> String {
        self.0
    }
}

/// The term of a visual word in the dictionary.
pub(crate) fn word_text(word: u8) -> String {
    format!("{word:02x}")
}

/// Splits [`Keys`].
#[derive(Clone, Debug, Default)]
pub(crate) struct KeyTokenizer;

impl Tokenizer for KeyTokenizer {
    type TokenStream<'a> = KeyStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> KeyStream<'a> {
        // the first step leads to the position of the first word
        KeyStream { rest: text, token: Token { position: 0, ..Token::default() } }
    }
}

/// The words of a [`Keys`].
pub(crate) struct KeyStream<'a> {
    rest: &'a str,
    token: Token,
}

impl TokenStream for KeyStream<'_> {
    fn advance(&mut self) -> bool {
        let Some((entry, rest)) = self.rest.split_at_checked(1 + KEY) else { return false };
        let Some((step, key)) = entry.split_at_checked(1) else { return false };
        let step = step.bytes().next().map_or(1, |digit| digit.saturating_sub(b'0'));
        self.token.position += usize::from(step);
        self.token.text.clear();
        self.token.text.push_str(key);
        self.rest = rest;
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

/// Splits [`Frequencies`].
#[derive(Clone, Debug, Default)]
pub(crate) struct FrequencyTokenizer;

impl Tokenizer for FrequencyTokenizer {
    type TokenStream<'a> = FrequencyStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> FrequencyStream<'a> {
        FrequencyStream { rest: text, left: 0, token: Token { position: 0, ..Token::default() } }
    }
}

/// The words of a [`Frequencies`], each repeated by its frequency.
pub(crate) struct FrequencyStream<'a> {
    rest: &'a str,
    left: u16,
    token: Token,
}

impl TokenStream for FrequencyStream<'_> {
    fn advance(&mut self) -> bool {
        while self.left == 0 {
            let Some((entry, rest)) = self.rest.split_at_checked(WORD + FREQUENCY) else { return false };
            let Some((word, frequency)) = entry.split_at_checked(WORD) else { return false };
            self.left = u16::from_str_radix(frequency, 16).unwrap_or(0);
            self.token.text.clear();
            self.token.text.push_str(word);
            self.rest = rest;
        }
        self.left -= 1;
        self.token.position += 1;
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_with_their_places() {
        let mut keys = Keys::default();
        for (step, word) in [(1, "rose"), (2, "red"), (30, "dog")] {
            keys.push(step, Term::of(word));
        }
        let text = keys.into_text();
        let mut tokens = Vec::new();
        KeyTokenizer
            .token_stream(&text)
            .process(&mut |token| tokens.push((token.position, token.text.clone())));
        let key = |word: &str| {
            let mut text = String::new();
            key_text(Term::of(word), &mut text);
            text
        };
        assert_eq!(tokens, [(1, key("rose")), (3, key("red")), (12, key("dog"))]);
        assert_ne!(key("rose"), key("red"));
    }

    #[test]
    fn a_visual_word_comes_as_often_as_it_counts() {
        let mut frequencies = Frequencies::default();
        for (word, frequency) in [(3, 2), (7, 0), (255, 3)] {
            frequencies.push(word, frequency);
        }
        let text = frequencies.into_text();
        let mut tokens = Vec::new();
        FrequencyTokenizer.token_stream(&text).process(&mut |token| tokens.push(token.text.clone()));
        assert_eq!(tokens, ["03", "03", "ff", "ff", "ff"]);
    }

    #[test]
    fn other_texts_give_no_panic() {
        for text in ["", "x", "é", "ééééééééééééé", "zzzzz", "00zzz", "0"] {
            KeyTokenizer.token_stream(text).process(&mut |_| {});
            FrequencyTokenizer.token_stream(text).process(&mut |_| {});
        }
    }
}
