//! Finds many given phrases in a text in one pass over its words.
//!
//! A phrase is a sequence of stems. Stop words in the phrase and in the text are ignored (`algorithms and data
//! structures`); a break ends a match. Every occurrence of every phrase counts, also one inside another.

use rustc_hash::FxHashMap;

use super::sieve::Sieve;
use super::{Gap, Language, PerLanguage, Reader, Term, Words, with_reader};

/// Words of the longest phrase that can be looked for; of a longer one, the beginning.
const MAX_WORDS: usize = 8;

/// Phrases to look for, by their numbers.
#[derive(Clone, Debug, Default)]
pub struct Matcher {
    phrases: Vec<String>,
    compiled: PerLanguage<Compiled>,
}

#[derive(Clone, Debug, Default)]
struct Compiled {
    /// By the last word: the lengths of the phrases that end with it, as bits.
    ends: FxHashMap<Term, u16>,
    /// By the whole phrase: its numbers; two phrases may have the same stems.
    phrases: FxHashMap<Term, Vec<u32>>,
    /// Rejects most words quickly.
    sieve: Sieve,
}

impl Matcher {
    /// For these phrases; the first has number 0.
    pub fn new<S: Into<String>>(phrases: impl IntoIterator<Item = S>) -> Self {
        Self { phrases: phrases.into_iter().map(Into::into).collect(), compiled: PerLanguage::default() }
    }

    /// The phrases.
    pub fn phrases(&self) -> &[String] {
        &self.phrases
    }

    /// Begins to look through a text in `language`: give the answer every word of it.
    pub fn start(&self, reader: &mut Reader, language: Language) -> Matching<'_> {
        let Self { phrases, compiled } = self;
        let compiled = compiled.get(language, || Compiled::of(phrases, reader, language));
        Matching { compiled, recent: [Term::of(""); MAX_WORDS], newest: 0, run: 0 }
    }

    /// Counts the phrases of a whole text; `hits` is cleared first.
    pub fn count(&self, reader: &mut Reader, text: &str, language: Language, hits: &mut Hits) {
        hits.reset(self.phrases.len());
        let mut matching = self.start(reader, language);
        reader.read(text, language, |word| matching.word(word.term, word.gap, hits));
    }

    /// The same for a text that was read already.
    pub fn count_words(&self, words: &Words, hits: &mut Hits) {
        hits.reset(self.phrases.len());
        let mut matching = with_reader(|reader| self.start(reader, words.language()));
        words.tokens().iter().for_each(|token| matching.word(token.term, token.gap, hits));
    }
}

impl Compiled {
    fn of(phrases: &[String], reader: &mut Reader, language: Language) -> Self {
        let mut compiled = Self::default();
        for (number, phrase) in phrases.iter().enumerate() {
            let mut terms = reader.terms(phrase, language);
            terms.truncate(MAX_WORDS);
            let Some(&last) = terms.last() else { continue };
            let Some(whole) = terms.iter().copied().reduce(Term::then) else { continue };
            *compiled.ends.entry(last).or_default() |= 1 << (terms.len() - 1);
            compiled.phrases.entry(whole).or_default().push(number as u32);
            compiled.sieve.put(last);
        }
        compiled
    }
}

/// One text that is being looked through.
#[derive(Debug)]
pub struct Matching<'a> {
    compiled: &'a Compiled,
    /// The last words, in a ring.
    recent: [Term; MAX_WORDS],
    newest: usize,
    /// Words since the last break, up to the number that is kept.
    run: usize,
}

impl Matching<'_> {
    /// The next word.
    pub fn word(&mut self, term: Term, gap: Gap, hits: &mut Hits) {
        self.run = if gap == Gap::Break { 1 } else { (self.run + 1).min(MAX_WORDS) };
        self.newest = (self.newest + 1) % MAX_WORDS;
        self.recent[self.newest] = term;
        if self.compiled.sieve.may_have(term) {
            self.ends_here(term, hits);
        }
    }

    fn ends_here(&self, last: Term, hits: &mut Hits) {
        let Some(&lengths) = self.compiled.ends.get(&last) else { return };
        for length in (1..=self.run).filter(|length| lengths >> (length - 1) & 1 == 1) {
            let first = self.newest + MAX_WORDS + 1 - length;
            let row = (first..first + length).map(|at| self.recent[at % MAX_WORDS]);
            let whole = row.reduce(Term::then).unwrap_or(last);
            for &number in self.compiled.phrases.get(&whole).into_iter().flatten() {
                hits.add(number as usize);
            }
        }
    }
}

/// How often each phrase was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hits(Vec<u32>);

impl Hits {
    /// No hits, for `phrases` phrases.
    pub fn reset(&mut self, phrases: usize) {
        self.0.clear();
        self.0.resize(phrases, 0);
    }

    fn add(&mut self, number: usize) {
        if let Some(count) = self.0.get_mut(number) {
            *count = count.saturating_add(1);
        }
    }

    /// By number of the phrase.
    pub fn counts(&self) -> &[u32] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(phrases: &[&str], text: &str, expect: &[u32]) {
        let mut hits = Hits::default();
        let matcher = Matcher::new(phrases.iter().copied());
        matcher.count(&mut Reader::new(), text, Language::English, &mut hits);
        assert_eq!(hits.counts(), expect, "{text}");
    }

    #[test]
    fn phrases_of_any_length() {
        let phrases =
            ["data structures", "structure", "algorithms and data structures", "the who", "B trees"];
        check(&phrases, "", &[0, 0, 0, 0, 0]);
        check(&phrases, "Data Structures: structured data", &[1, 2, 0, 0, 0]);
        check(&phrases, "Algorithm & Data-Structure", &[1, 1, 1, 0, 0]);
        check(&phrases, "algorithms, data. structures", &[0, 1, 0, 0, 0]);
        check(&phrases, "data of the structures", &[1, 1, 0, 0, 0]);
        check(&["course", "Courses"], "course", &[1, 1]);
        check(&[], "course", &[]);
    }

    #[test]
    fn overlaps_count() {
        check(&["x1 x1"], "x1 x1 x1", &[2]);
        check(&["数据", "结构", "数据结构"], "数据结构 数据", &[1, 0, 1]);
    }
}
