//! Chinese labels as they occur in URLs: `体育` is `tiyu`, or `ty` in initials.
//!
//! Each character has one default reading; words with other readings are listed in `data/pinyin-words.txt`.

use std::sync::LazyLock;

use pinyin::ToPinyin;
use rustc_hash::FxHashMap;

/// Characters of the longest listed word.
const MAX_WORD_CHARS: usize = 4;

static WORDS: LazyLock<FxHashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let lines = include_str!("../data/pinyin-words.txt").lines();
    lines
        .filter_map(|line| line.split_once(' '))
        .map(|(word, syllables)| (word, syllables.split(' ').collect()))
        .collect()
});

/// The syllables of a label in one word: `篮球` is `lanqiu`. What is not Chinese stays, in lower case and without spaces.
pub fn pinyin(label: &str) -> String {
    let mut out = String::new();
    let mut rest = label;
    while let Some(first) = rest.chars().next() {
        let listed = (2..=MAX_WORD_CHARS).rev().find_map(|chars| {
            let end = rest.char_indices().nth(chars - 1).map(|(at, last)| at + last.len_utf8())?;
            let word = rest.get(..end)?;
            WORDS.get(word).map(|syllables| (syllables, end))
        });
        if let Some((syllables, end)) = listed {
            out.extend(syllables.iter().copied());
            rest = rest.get(end..).unwrap_or_default();
            continue;
        }
        match first.to_pinyin() {
            // the crate writes `lü` with its dots, URLs do not
            Some(syllable) => out.push_str(&syllable.plain().replace('ü', "v")),
            None if first.is_alphanumeric() => out.extend(first.to_lowercase()),
            None => {}
        }
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(label: &str, full: &str) {
        assert_eq!(pinyin(label), full, "{label}");
    }

    #[test]
    fn labels() {
        check("体育", "tiyu");
        check("篮球", "lanqiu");
        check("上海", "shanghai");
        check("NBA 篮球", "nbalanqiu");
        check("女足", "nvzu");
        check("", "");
    }

    #[test]
    fn words_that_read_a_character_otherwise() {
        check("音乐", "yinyue");
        check("快乐", "kuaile");
        check("重庆银行", "chongqingyinhang");
    }
}
