//! Stop words by language, from `data/stop`, and how they identify a language.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::Language;
use super::fold::fold;

/// Lists, folded as words are. A word that is one in several languages has several bits.
static WORDS: LazyLock<FxHashMap<String, u16>> = LazyLock::new(|| {
    let lists = [
        (Language::English, include_str!("../data/stop/en.txt")),
        (Language::German, include_str!("../data/stop/de.txt")),
        (Language::French, include_str!("../data/stop/fr.txt")),
        (Language::Spanish, include_str!("../data/stop/es.txt")),
        (Language::Italian, include_str!("../data/stop/it.txt")),
        (Language::Portuguese, include_str!("../data/stop/pt.txt")),
        (Language::Dutch, include_str!("../data/stop/nl.txt")),
        (Language::Swedish, include_str!("../data/stop/sv.txt")),
        (Language::Russian, include_str!("../data/stop/ru.txt")),
        (Language::Chinese, include_str!("../data/stop/zh.txt")),
    ];
    let mut words: FxHashMap<String, u16> = FxHashMap::default();
    for (language, list) in lists {
        for word in list.split_whitespace() {
            let mut folded = String::new();
            fold(word, &mut folded);
            *words.entry(folded).or_default() |= language.bit();
        }
    }
    words
});

/// The languages, as bits, in which the folded word is a stop word.
pub(super) fn languages_of(folded: &str) -> u16 {
    WORDS.get(folded).copied().unwrap_or(0)
}

/// Whether the folded word is a stop word on a page of that language. Chinese stop words count everywhere, because
/// Chinese is segmented everywhere; English ones also where the language is unknown, because much of the Web's
/// boilerplate is English.
pub(super) fn is_stop(folded: &str, language: Language) -> bool {
    let own = if language == Language::Unknown { Language::English } else { language };
    languages_of(folded) & (own.bit() | Language::Chinese.bit()) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_language() {
        let check = |word: &str, language, expect| assert_eq!(is_stop(word, language), expect, "{word}");
        check("the", Language::English, true);
        check("the", Language::German, false);
        check("und", Language::German, true);
        check("und", Language::English, false);
        check("fur", Language::German, true); // `für`, folded
        check("的", Language::Chinese, true);
        check("的", Language::English, true);
        check("the", Language::Unknown, true);
        check("database", Language::English, false);
        check("был", Language::Russian, true);
    }
}
