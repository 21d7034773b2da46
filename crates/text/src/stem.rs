//! Stems: Snowball's rules, by language.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};

use super::Language;

/// The stem of a word in lower case. A language without rules leaves the word as it is.
pub(super) fn stem(word: &str, language: Language) -> Cow<'_, str> {
    let algorithm = match language {
        Language::English => Algorithm::English,
        Language::German => Algorithm::German,
        Language::French => Algorithm::French,
        Language::Spanish => Algorithm::Spanish,
        Language::Italian => Algorithm::Italian,
        Language::Portuguese => Algorithm::Portuguese,
        Language::Dutch => Algorithm::Dutch,
        Language::Swedish => Algorithm::Swedish,
        Language::Russian => Algorithm::Russian,
        Language::Unknown | Language::Chinese | Language::Japanese => return Cow::Borrowed(word),
    };
    Stemmer::create(algorithm).stem(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_language() {
        let check = |word, language, expect| assert_eq!(stem(word, language), expect, "{word}");
        check("databases", Language::English, "databas");
        check("database", Language::English, "databas");
        check("datenbanken", Language::German, "datenbank");
        check("étudiants", Language::French, "étudi");
        check("databases", Language::Unknown, "databases");
    }
}
