//! Texts as sets of words, for the Jaccard similarity of Zhang 2008.
//!
//! A word is a run of letters and digits, in lower case. Chinese and Japanese are written without spaces: there the
//! words are the pairs of neighbouring characters (`春天来了` is `春天`, `天来`, `来了`), and a single character is a word.
//! Single characters would be enough for titles, but every long text has most of them; a dictionary would make this
//! depend on the language.
//!
//! Words are kept as 64-bit fingerprints: they are only ever compared.

use hashbrown::HashSet;

use crate::fnv::{START, character as add};

/// The maximum number of different words of a title; longer titles are written for search engines.
const MAX_TITLE_WORDS: usize = 256;

/// The set of a text with more words is not kept.
const MANY_WORDS: usize = 4_096;

/// The words of a title, ready to be compared with many texts.
#[derive(Debug)]
pub(super) struct TitleWords {
    title: HashSet<u64>,
    /// Those of the current text; kept to reuse its memory.
    text: HashSet<u64>,
}

impl TitleWords {
    pub(super) fn new(title: &str) -> Self {
        let mut words = HashSet::new();
        each_word(title, |word| {
            words.insert(word);
            words.len() < MAX_TITLE_WORDS
        });
        Self { title: words, text: HashSet::new() }
    }

    /// The Jaccard similarity with a text: words of both over words of either. `None` if it is not above `beaten`,
    /// which is known as soon as the text has too many words, so that a long text costs little.
    pub(super) fn similarity_above(&mut self, beaten: f64, text: &str) -> Option<f64> {
        let Self { title, text: seen } = self;
        // clearing a set costs as much as its capacity
        match seen.capacity() > MANY_WORDS {
            true => *seen = HashSet::new(),
            false => seen.clear(),
        }
        let (mut both, mut only_text) = (0_usize, 0_usize);
        each_word(text, |word| {
            if seen.insert(word) {
                match title.contains(&word) {
                    true => both += 1,
                    false => only_text += 1,
                }
            }
            // at best, the rest of the text has all words of the title and no others
            title.len() as f64 > beaten * (title.len() + only_text) as f64
        });
        let either = title.len() + only_text;
        let similarity = if either == 0 { 0.0 } else { both as f64 / either as f64 };
        (similarity > beaten).then_some(similarity)
    }
}

/// Calls `each` with the fingerprints of a text's words, until it returns `false`.
fn each_word(text: &str, mut each: impl FnMut(u64) -> bool) {
    let mut word: Option<u64> = None;
    // the ideograph before this character, and whether it has been part of a pair
    let mut before: Option<(char, bool)> = None;
    for c in text.chars() {
        let is_ideograph = is_ideograph(c);
        if (is_ideograph || !c.is_alphanumeric())
            && let Some(word) = word.take()
            && !each(word)
        {
            return;
        }
        if is_ideograph {
            if let Some((first, _)) = before
                && !each(add(add(START, first), c))
            {
                return;
            }
            before = Some((c, before.is_some()));
            continue;
        }
        if let Some((alone, false)) = before.take()
            && !each(add(START, alone))
        {
            return;
        }
        if c.is_alphanumeric() {
            word = Some(c.to_lowercase().fold(word.unwrap_or(START), add));
        }
    }
    let alone = before.and_then(|(c, in_pair)| (!in_pair).then(|| add(START, c)));
    if let Some(last) = word.or(alone) {
        each(last);
    }
}

/// Chinese characters, Japanese syllables; not Korean, which has spaces.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_into_words() {
        let check = |text: &str, expect: &[&str]| {
            let mut words = Vec::new();
            each_word(text, |word| {
                words.push(word);
                true
            });
            let expect: Vec<u64> = expect.iter().map(|word| word.chars().fold(START, add)).collect();
            assert_eq!(words, expect, "{text:?}");
        };
        check("Red & Green, on Flickr!", &["red", "green", "on", "flickr"]);
        check("ÉTÉ 2009", &["été", "2009"]);
        check("春天来了", &["春天", "天来", "来了"]);
        check("PHP 教程 - 第1章", &["php", "教程", "第", "1", "章"]);
        check("한국 어", &["한국", "어"]);
        check(" - ", &[]);
        check("", &[]);
    }

    #[test]
    fn similarity_is_jaccards() {
        let check = |title: &str, text: &str, expect: f64| {
            let similarity = TitleWords::new(title).similarity_above(0.0, text).unwrap_or(0.0);
            assert!((similarity - expect).abs() < 1e-12, "{title:?} {text:?}: {similarity}");
        };
        // two of four words
        check("Red & green on Flickr", "Red & green", 0.5);
        check("Red & green on Flickr", "flickr ON green red red", 1.0);
        // one in both, five in either
        check("a b c", "c d e", 0.2);
        check("春天来了", "春天来了", 1.0);
        check("春天来了", "春天走了", 0.2);
        check("", "anything", 0.0);
        check("", "", 0.0);
        check("a", "", 0.0);
    }

    #[test]
    fn similarities_that_are_too_low_are_not_computed() {
        let check = |beaten: f64, expect: Option<f64>| {
            assert_eq!(TitleWords::new("a b").similarity_above(beaten, "b c d"), expect, "{beaten}");
        };
        check(0.0, Some(0.25));
        check(0.2, Some(0.25));
        check(0.25, None);
        check(0.9, None);
    }
}
