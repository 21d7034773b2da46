//! The wanted texts as a vector of terms, in the language of each page.

use std::sync::OnceLock;

use super::{Counts, Language, Reader, Term, Vector, Words, with_reader};

/// A value computed once for each language, when it is first needed.
#[derive(Clone, Debug)]
pub(crate) struct PerLanguage<T> {
    made: [OnceLock<Box<T>>; Language::ALL.len()],
}

impl<T> Default for PerLanguage<T> {
    fn default() -> Self {
        Self { made: std::array::from_fn(|_| OnceLock::new()) }
    }
}

impl<T> PerLanguage<T> {
    /// The one for `language`, made if it is the first time.
    pub(crate) fn get(&self, language: Language, make: impl FnOnce() -> T) -> &T {
        // the table has an entry for every language
        self.made[language.index()].get_or_init(|| Box::new(make()))
    }
}

/// Weighted texts: the words of each get its weight.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    texts: Vec<(String, f32)>,
    vectors: PerLanguage<Vector>,
}

impl Wanted {
    /// From texts with their weights. The weights of a word in several texts add up.
    pub fn new<S: Into<String>>(texts: impl IntoIterator<Item = (S, f32)>) -> Self {
        let texts = texts.into_iter().map(|(text, weight)| (text.into(), weight)).collect();
        Self { texts, vectors: PerLanguage::default() }
    }

    /// The texts.
    pub fn texts(&self) -> &[(String, f32)] {
        &self.texts
    }

    /// The vector for pages of `language`.
    pub fn vector(&self, reader: &mut Reader, language: Language) -> &Vector {
        let Self { texts, vectors } = self;
        vectors.get(language, || {
            let mut entries: Vec<(Term, f32)> = Vec::new();
            for (text, weight) in texts.iter() {
                reader.read(text, language, |word| entries.push((word.term, *weight)));
            }
            Vector::of(entries)
        })
    }

    /// Cosine between what is wanted and a text that was read.
    pub fn cosine_words(&self, words: &Words) -> f32 {
        with_reader(|reader| self.cosine(reader, words.language(), words.counts()))
    }

    /// Cosine between the wanted terms and a text whose words were counted.
    pub fn cosine(&self, reader: &mut Reader, language: Language, counts: &Counts) -> f32 {
        self.vector(reader, language).cosine_counts(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_is_read_in_the_language_of_the_page() {
        let mut reader = Reader::new();
        let topic = Wanted::new([("databases", 1.0)]);
        for language in Language::ALL {
            let counts = Counts::of(&mut reader, "databases", language);
            assert!((topic.cosine(&mut reader, language, &counts) - 1.0).abs() < 1e-6, "{language:?}");
        }
        let english = Counts::of(&mut reader, "database", Language::English);
        assert!((topic.cosine(&mut reader, Language::English, &english) - 1.0).abs() < 1e-6);
        let german = Counts::of(&mut reader, "database", Language::Unknown);
        assert_eq!(topic.cosine(&mut reader, Language::Unknown, &german), 0.0);
    }

    /// Weights 1/2 and 1: (sports 0.5, basketball 1), page has basketball once: 1 / sqrt 1.25.
    #[test]
    fn weights_count() {
        let mut reader = Reader::new();
        let topic = Wanted::new([("Sports", 0.5), ("Basketball", 1.0)]);
        let counts = Counts::of(&mut reader, "basketball", Language::English);
        let cosine = topic.cosine(&mut reader, Language::English, &counts);
        assert!((cosine - 1.0 / 1.25f32.sqrt()).abs() < 1e-6);
    }
}
