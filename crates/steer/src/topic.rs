//! Topics as sparse term vectors, and the words of a text.
//!
//! Words are runs of letters and digits in lower case; a run of Han, Hiragana or Katakana gives overlapping
//! pairs of characters, which finds Chinese words without a dictionary. Stemming and phrases belong to the
//! policies that ask for them.

use rustc_hash::FxHashMap;

/// What the user is after, as a term vector of unit length.
#[derive(Clone, Debug, Default)]
pub(crate) struct Topic {
    weights: FxHashMap<String, f32>,
}

impl Topic {
    /// From words and phrases, each term with the same weight per mention.
    pub(crate) fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut weights: FxHashMap<String, f32> = FxHashMap::default();
        for text in texts {
            each_term(text, |term| *weights.entry(term.to_owned()).or_default() += 1.0);
        }
        let length = weights.values().map(|w| w * w).sum::<f32>().sqrt();
        weights.values_mut().for_each(|w| *w /= length);
        Self { weights }
    }

    /// Cosine between the topic and `text`, by term counts. Only the topic's terms are kept while counting;
    /// the length of the text's vector needs all of them, so they are counted by hash, not by string.
    pub(crate) fn cosine(&self, text: &str) -> f32 {
        if self.weights.is_empty() {
            return 0.0;
        }
        let mut dot = 0.0;
        let mut counts: FxHashMap<u64, f32> = FxHashMap::default();
        each_term(text, |term| {
            *counts.entry(hash(term)).or_default() += 1.0;
            dot += self.weights.get(term).copied().unwrap_or(0.0);
        });
        let length = counts.values().map(|c| c * c).sum::<f32>().sqrt();
        if length > 0.0 { (dot / length).min(1.0) } else { 0.0 }
    }
}

fn hash(term: &str) -> u64 {
    use std::hash::{Hash, Hasher};
    let mut hasher = rustc_hash::FxHasher::default();
    term.hash(&mut hasher);
    hasher.finish()
}

/// Calls `each` with every term of `text` in order: words in lower case, pairs of characters in Chinese.
pub fn each_term(text: &str, mut each: impl FnMut(&str)) {
    let mut word = String::new();
    let mut ideograph: Option<char> = None;
    let mut paired = false;
    for c in text.chars().chain([' ']) {
        if is_ideograph(c) {
            if !word.is_empty() {
                each(&word);
                word.clear();
            }
            if let Some(before) = ideograph {
                each(String::from_iter([before, c]).as_str());
                paired = true;
            }
            ideograph = Some(c);
            continue;
        }
        if let Some(lone) = ideograph.take()
            && !std::mem::take(&mut paired)
        {
            each(lone.encode_utf8(&mut [0; 4]));
        }
        paired = false;
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        } else if !word.is_empty() {
            each(&word);
            word.clear();
        }
    }
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[&str]) {
        let mut terms = Vec::new();
        each_term(text, |t| terms.push(t.to_owned()));
        assert_eq!(terms, expect, "{text}");
    }

    #[test]
    fn words_and_ideographs() {
        check("", &[]);
        check("Red & green: 2 Flowers", &["red", "green", "2", "flowers"]);
        check("Ärger-ÉTÉ", &["ärger", "été"]);
        check("篮球比赛", &["篮球", "球比", "比赛"]);
        check("NBA篮球 花 x", &["nba", "篮球", "花", "x"]);
    }

    /// Topic (red, flower), each 1/sqrt 2. Text: red 2, flower 1, x 2: dot = 3/sqrt 2, length 3.
    #[test]
    fn cosine_by_hand() {
        let topic = Topic::of(["red flower"]);
        let expect = 3.0 / 2f32.sqrt() / 3.0;
        assert!((topic.cosine("Red flower red X x") - expect).abs() < 1e-6);
        assert!((topic.cosine("flower red") - 1.0).abs() < 1e-6);
        assert_eq!(topic.cosine("nothing here"), 0.0);
        assert_eq!(topic.cosine(""), 0.0);
        assert_eq!(Topic::default().cosine("red"), 0.0);
    }
}
