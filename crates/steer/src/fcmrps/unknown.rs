//! Collects frequent tokens of URLs that belong to no topic, so that a user can add them to the token table (the
//! feedback of Chen et al. 2009).
//!
//! Lossy counting limits the memory: when there are too many tokens, the rarest are dropped. A token that occurs at a
//! steady rate and often enough to be reported is never dropped. Only URLs of fetched pages are counted, each once;
//! otherwise the links of a menu, which are on every page, would dominate.

use std::collections::BTreeMap;

use osprey_text::url_tokens;
use serde::{Deserialize, Serialize};

use super::tokens::TokenTable;

/// Tokens that are counted.
const MAX_TOKENS: usize = 20_000;
/// Letters of a token that may mean something.
const LETTERS: std::ops::RangeInclusive<usize> = 2..=24;
/// How often a token must be met to be reported, in Chen et al. 2009.
pub(crate) const FREQUENT: u32 = 500;

/// Counts of tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UnknownTokens {
    /// In order, so that the same counts are the same bytes in a snapshot.
    counts: BTreeMap<Box<str>, u32>,
}

impl UnknownTokens {
    /// Counts the tokens of a URL.
    pub(crate) fn add(&mut self, url: &str) {
        for token in url_tokens(url).filter(|token| is_word(token.text)) {
            let text = token.text.to_ascii_lowercase();
            let count = self.counts.entry(text.into_boxed_str()).or_default();
            *count = count.saturating_add(1);
        }
        let mut rare = 1;
        while self.counts.len() > MAX_TOKENS {
            self.counts.retain(|_, count| *count > rare);
            rare += 1;
        }
    }

    /// Tokens met at least `least` times that are not in the table, the most frequent first.
    pub(crate) fn frequent(&self, table: &TokenTable, least: u32) -> Vec<(&str, u32)> {
        let counts = self.counts.iter().map(|(token, count)| (&**token, *count));
        let mut frequent: Vec<(&str, u32)> =
            counts.filter(|(token, count)| *count >= least && !table.knows(token)).collect();
        frequent.sort_unstable_by(|(a, many), (b, more)| more.cmp(many).then(a.cmp(b)));
        frequent
    }
}

/// Not a number, a date or a key.
fn is_word(token: &str) -> bool {
    LETTERS.contains(&token.len())
        && token.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequent_ones_are_reported() {
        let mut tokens = UnknownTokens::default();
        let mut table = TokenTable::default();
        table.add_toml("[sports]\npinyin = [\"tiyu\"]").unwrap();
        for number in 0..FREQUENT {
            tokens.add(&format!("http://www.a.example/tiyu/Caijing/{number}/n{number}x.html"));
        }
        tokens.add("http://www.a.example/yule/");
        let frequent = tokens.frequent(&table, FREQUENT);
        assert_eq!(frequent, [("example", 501), ("caijing", 500)]);
        assert_eq!(tokens.frequent(&table, 1), [("example", 501), ("caijing", 500), ("yule", 1)]); // `a` is too short
    }

    #[test]
    fn memory_is_bounded() {
        let mut tokens = UnknownTokens::default();
        let letter = |number: u32, place: u32| char::from(b'a' + (number / 26u32.pow(place) % 26) as u8);
        let word = |number: u32| (0..5).map(|place| letter(number, place)).collect::<String>();
        for number in 0..MAX_TOKENS as u32 + 10 {
            tokens.add(&format!("/often/{}", word(number)));
        }
        assert!(tokens.counts.len() <= MAX_TOKENS);
        assert_eq!(tokens.counts.get("often"), Some(&(MAX_TOKENS as u32 + 10)));
    }
}
