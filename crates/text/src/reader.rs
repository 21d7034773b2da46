//! Splits a text into words.
//!
//! The expensive parts are stemming (270 ns per word) and folding. Words repeat, so the result for each word is cached
//! under a hash of its letters: a cached word costs 12 to 20 ns. The cache is bounded and is emptied when full. It does
//! not change results, except for words with equal 64-bit hashes.

use std::ops::Range;

use hashbrown::HashMap;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::chinese::Cutter;
use super::fold::fold;
use super::term::Hashed;
use super::{Language, Term, stem, stop};

/// Bytes of the longest word; what is longer is data.
pub(crate) const MAX_WORD_BYTES: usize = 64;
/// Words that are remembered.
const MAX_KNOWN: usize = 1 << 17;
/// Bytes of a run of Chinese that may come again.
const MAX_RUN_BYTES: usize = 96;

/// What separates a word from the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gap {
    /// Only a space or a hyphen.
    None,
    /// Stop words.
    Stop,
    /// The end of a phrase: punctuation, a new block, or the beginning of the text.
    Break,
}

/// A word of a text that is not a stop word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    /// Its stem.
    pub term: Term,
    /// What separates it from the word before.
    pub gap: Gap,
    /// As it is written.
    pub surface: &'a str,
    /// Where it begins in the text, in bytes.
    pub start: usize,
}

/// Reads texts. One is enough for a thread; it keeps its memory from page to page.
#[derive(Debug, Default)]
pub struct Reader {
    /// By hash of language and letters: the key of the stem, 0 for a stop word.
    known: HashMap<u64, u64, Hashed>,
    /// Runs of Chinese that were cut before, most of them menus: bytes and stem of each word.
    runs: HashMap<u64, Box<[(u8, u64)]>, Hashed>,
    run_words: usize,
    lower: String,
    folded: String,
    cutter: Cutter,
}

/// A text that is being read.
struct Reading<'a, F: FnMut(Word<'a>)> {
    text: &'a str,
    language: Language,
    gap: Gap,
    each: F,
}

impl<'a, F: FnMut(Word<'a>)> Reading<'a, F> {
    fn surface(&self, range: Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or_default()
    }

    /// The next word, given the key of its stem.
    fn put(&mut self, range: Range<usize>, stem: u64) {
        if stem == 0 {
            self.gap = self.gap.max(Gap::Stop);
            return;
        }
        let (start, surface) = (range.start, self.surface(range));
        (self.each)(Word { term: Term::from_key(stem), gap: self.gap, surface, start });
        self.gap = Gap::None;
    }
}

impl Reader {
    /// A reader with an empty cache.
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls `each` with every word of `text` in order, read as a text in `language`.
    pub fn read<'a>(&mut self, text: &'a str, language: Language, each: impl FnMut(Word<'a>)) {
        let mut reading = Reading { text, language, gap: Gap::Break, each };
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            // these two alternate, so test for them directly: a jump table would be mispredicted too often
            if byte.is_ascii_alphanumeric() {
                at = self.ascii(&mut reading, at);
                continue;
            }
            if byte == b' ' {
                at += 1;
                continue;
            }
            match byte {
                b'\t' | b'\'' | b'-' | b'_' => at += 1,
                b'&' => {
                    reading.gap = reading.gap.max(Gap::Stop);
                    at += 1;
                }
                0x80.. => at = self.wide(&mut reading, at),
                _ => {
                    reading.gap = Gap::Break;
                    at += 1;
                }
            }
        }
    }

    /// All words of `text`.
    pub fn terms(&mut self, text: &str, language: Language) -> Vec<Term> {
        let mut terms = Vec::new();
        self.read(text, language, |word| terms.push(word.term));
        terms
    }

    /// A character that is not ASCII begins at `at`; returns where the word or gap ends.
    fn wide<'a>(&mut self, reading: &mut Reading<'a, impl FnMut(Word<'a>)>, at: usize) -> usize {
        let rest = reading.text.get(at..).unwrap_or_default();
        let Some(first) = rest.chars().next() else { return reading.text.len() };
        if is_unspaced(first) {
            let mut all_han = true;
            let end = rest.find(|c| {
                let han = is_han(c);
                all_han &= han || !is_unspaced(c);
                !han && !is_unspaced(c)
            });
            let end = at + end.unwrap_or(rest.len());
            if all_han && reading.language != Language::Japanese {
                self.cut(reading, at..end);
            } else {
                self.pairs(reading, at..end);
            }
            return end;
        }
        // looking up whether a comma is a letter would take longer than everything else
        if !is_wide_punctuation(first) && first.is_alphanumeric() {
            let end = word_end(reading.text, at);
            self.emit(reading, at..end);
            return end;
        }
        let joins = first.is_whitespace()
            || matches!(first, '\u{2019}' | '\u{2010}' | '\u{2011}' | '\u{ad}' | '\u{200b}');
        if !joins {
            reading.gap = Gap::Break;
        }
        at + first.len_utf8()
    }

    /// A word that begins with an ASCII letter or digit; the answer is where it ends.
    fn ascii<'a>(&mut self, reading: &mut Reading<'a, impl FnMut(Word<'a>)>, start: usize) -> usize {
        let bytes = reading.text.as_bytes();
        let mut hash = seed(reading.language);
        let mut at = start;
        loop {
            let eight = eight(bytes, at);
            let letters = letters(eight);
            hash = mix(hash ^ lower(eight, letters));
            at += letters as usize;
            if letters < 8 {
                break;
            }
        }
        if bytes.get(at).is_some_and(|byte| *byte >= 0x80) {
            let end = word_end(reading.text, at);
            self.emit(reading, start..end);
            return end;
        }
        if at - start > MAX_WORD_BYTES {
            reading.gap = Gap::Break;
            return at;
        }
        let stem = match self.known.get(&hash) {
            Some(stem) => *stem,
            None => self.learn(hash, reading.surface(start..at), reading.language),
        };
        reading.put(start..at, stem);
        at
    }

    /// A run of Chinese: words by the dictionary.
    fn cut<'a>(&mut self, reading: &mut Reading<'a, impl FnMut(Word<'a>)>, range: Range<usize>) {
        let run = reading.surface(range.clone());
        let key = xxh3_64_with_seed(run.as_bytes(), seed(reading.language));
        let mut at = range.start;
        if let Some(words) = self.runs.get(&key) {
            for &(bytes, stem) in words {
                let end = at + usize::from(bytes);
                reading.put(at..end, stem);
                at = end;
            }
            return;
        }
        let mut words = Vec::new();
        // taken out while its words are looked up
        let mut cutter = std::mem::take(&mut self.cutter);
        cutter.segment(run, &mut |word: &str| {
            let stem = self.stem(word, reading.language);
            words.push((word.len() as u8, stem));
            reading.put(at..at + word.len(), stem);
            at += word.len();
        });
        self.cutter = cutter;
        if run.len() <= MAX_RUN_BYTES {
            self.run_words += words.len();
            if self.run_words > MAX_KNOWN {
                self.runs.clear();
                self.run_words = words.len();
            }
            self.runs.insert(key, words.into());
        }
    }

    /// A run of another script without spaces: pairs of characters, or the only one.
    fn pairs<'a>(&mut self, reading: &mut Reading<'a, impl FnMut(Word<'a>)>, range: Range<usize>) {
        let run = reading.text.get(range.clone()).unwrap_or_default();
        let mut ends = run.char_indices().map(|(start, c)| range.start + start + c.len_utf8());
        let Some(mut end) = ends.next() else { return };
        let mut at = range.start;
        for next in ends {
            self.emit(reading, at..next);
            (at, end) = (end, next);
        }
        if at == range.start {
            self.emit(reading, at..end);
        }
    }

    fn emit<'a>(&mut self, reading: &mut Reading<'a, impl FnMut(Word<'a>)>, range: Range<usize>) {
        if range.len() > MAX_WORD_BYTES {
            reading.gap = Gap::Break;
            return;
        }
        let stem = self.stem(reading.surface(range.clone()), reading.language);
        reading.put(range, stem);
    }

    /// The key of the stem of a word that is not all ASCII; 0 for a stop word.
    fn stem(&mut self, surface: &str, language: Language) -> u64 {
        let key = xxh3_64_with_seed(surface.as_bytes(), seed(language));
        match self.known.get(&key) {
            Some(stem) => *stem,
            None => self.learn(key, surface, language),
        }
    }

    #[cold]
    fn learn(&mut self, key: u64, surface: &str, language: Language) -> u64 {
        if self.known.len() >= MAX_KNOWN {
            self.known.clear();
        }
        let stem = self.term(surface, language).map_or(0, |term| term.key().max(1));
        self.known.insert(key, stem);
        stem
    }

    /// The term of a word; `None` for a stop word.
    fn term(&mut self, surface: &str, language: Language) -> Option<Term> {
        self.folded.clear();
        fold(surface, &mut self.folded);
        if self.folded.is_empty() || stop::is_stop(&self.folded, language) {
            return None;
        }
        // English uses accents inconsistently; the stemmers of the other languages need them
        if language == Language::English || surface.is_ascii() {
            return Some(Term::of(&stem::stem(&self.folded, language)));
        }
        self.lower.clear();
        self.lower.extend(surface.chars().flat_map(char::to_lowercase));
        self.folded.clear();
        fold(&stem::stem(&self.lower, language), &mut self.folded);
        Some(Term::of(&self.folded))
    }
}

/// Where the word that begins at `at` ends.
fn word_end(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    loop {
        match bytes.get(at) {
            Some(byte) if byte.is_ascii_alphanumeric() => at += 1,
            Some(0x80..) => match text.get(at..).and_then(|rest| rest.chars().next()) {
                Some(c) if in_word(c) => at += c.len_utf8(),
                _ => return at,
            },
            _ => return at,
        }
    }
}

fn in_word(c: char) -> bool {
    (c.is_alphanumeric() && !is_unspaced(c)) || matches!(c, '\u{300}'..='\u{36f}')
}

/// Scripts that put no spaces between words.
fn is_unspaced(c: char) -> bool {
    is_han(c)
        || matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
            | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}')
}

/// Punctuation of Chinese and general punctuation, spaces among it.
pub(super) fn is_wide_punctuation(c: char) -> bool {
    matches!(c, '\u{2000}'..='\u{206f}' | '\u{3000}'..='\u{3004}' | '\u{3008}'..='\u{303f}' | '\u{ff00}'..='\u{ff0f}'
        | '\u{ff1a}'..='\u{ff20}')
}

pub(super) fn is_han(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{3007}' | '\u{3400}'..='\u{4dbf}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Separates the words of different languages.
fn seed(language: Language) -> u64 {
    (language.index() as u64 + 1) << 56
}

/// The eight bytes from `at` on, as far as there are any.
fn eight(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..at + 8).and_then(|eight| eight.try_into().ok()) {
        Some(eight) => u64::from_le_bytes(eight),
        None => {
            bytes.get(at..).unwrap_or_default().iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
        }
    }
}

const EACH: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x80 * EACH;
const CASE: u64 = 0x20 * EACH;

/// How many of eight bytes are ASCII letters or digits, from the first on. All bytes are tested at once: sums of seven
/// bits do not overflow, and leave their high bit set where a byte is not below a bound.
fn letters(eight: u64) -> u32 {
    let within = |bytes: u64, first: u8, last: u8| {
        let low = bytes & !HIGH;
        let from_first = low + u64::from(0x80 - first) * EACH;
        let past_last = low + u64::from(0x7f - last) * EACH;
        from_first & !past_last
    };
    let in_word = (within(eight | CASE, b'a', b'z') | within(eight, b'0', b'9')) & !eight & HIGH;
    (in_word ^ HIGH).trailing_zeros() / 8
}

/// The first `letters` of eight bytes in lower case. Letters differ from their capitals in one bit, which digits have.
fn lower(eight: u64, letters: u32) -> u64 {
    let kept = if letters >= 8 { u64::MAX } else { (1 << (letters * 8)) - 1 };
    (eight | CASE) & kept
}

fn mix(value: u64) -> u64 {
    let wide = u128::from(value ^ 0x2d35_8dcc_aa6c_78a5) * 0x8bb8_4b93_962e_acc9;
    (wide as u64) ^ (wide >> 64) as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Words as `gap stem`, with `.` for a break and `_` for stop words.
    fn check(text: &str, language: Language, expect: &[&str]) {
        let mut reader = Reader::new();
        for round in ["first", "known"] {
            let mut words = Vec::new();
            reader.read(text, language, |word| words.push(word));
            assert_eq!(words.len(), expect.len(), "{round}: {words:?}");
            for (word, expect) in words.iter().zip(expect) {
                let gap = [(".", Gap::Break), ("_", Gap::Stop)]
                    .into_iter()
                    .find(|(mark, _)| expect.starts_with(mark));
                let stem = expect.trim_start_matches(['.', '_']);
                assert_eq!(word.gap, gap.map_or(Gap::None, |(_, gap)| gap), "{round}: {text}: {expect}");
                assert_eq!(word.term, Term::of(stem), "{round}: {text}: {stem} of {}", word.surface);
                assert_eq!(text.get(word.start..word.start + word.surface.len()), Some(word.surface));
            }
        }
    }

    #[test]
    fn english() {
        use Language::English;
        check("", English, &[]);
        check("The Data-Structures of DATABASES", English, &[".data", "structur", "_databas"]);
        check(
            "Algorithms & data. Structures\nqueues",
            English,
            &[".algorithm", "_data", ".structur", ".queue"],
        );
        check("user's résumés RESUMES", English, &[".user", "_resum", "resum"]);
        check("mp3 2008", English, &[".mp3", "2008"]);
        check("internationalization", English, &[".internation"]);
    }

    #[test]
    fn other_languages() {
        check("Die Datenbanken der Universitäten", Language::German, &[".datenbank", "_universitat"]);
        check("L’été des étudiants", Language::French, &[".etudi"]);
        check("Базы данных", Language::Russian, &[".баз", "дан"]);
        check("databases", Language::Unknown, &[".databases"]);
    }

    #[test]
    fn scripts_without_spaces() {
        check("NBA篮球比赛，的花 x", Language::Chinese, &[".nba", "篮球", "比赛", ".花", "x"]);
        check("数据结构的算法", Language::English, &[".数据结构", "_算法"]);
        check("カメラ", Language::Japanese, &[".カメ", "メラ"]);
        check("篮球比", Language::Japanese, &[".篮球", "球比"]);
        check("花", Language::Japanese, &[".花"]);
    }

    #[test]
    fn letters_are_counted_eight_at_a_time() {
        for byte in 0..=255u8 {
            let expect = u32::from(byte.is_ascii_alphanumeric());
            assert_eq!(letters(u64::from(byte)), expect, "{byte}");
            // in the midst of letters
            let eight = u64::from_le_bytes([b'a', b'Z', byte, b'9', b'0', b'z', b'A', b'm']);
            assert_eq!(letters(eight), if expect == 1 { 8 } else { 2 }, "{byte}");
        }
        assert_eq!(lower(u64::from_le_bytes(*b"AbC9 xyz"), 4), u64::from_le_bytes(*b"abc9\0\0\0\0"));
    }

    #[test]
    fn long_words_are_data() {
        let text = format!("left {} right", "x".repeat(MAX_WORD_BYTES + 1));
        check(&text, Language::Unknown, &[".left", ".right"]);
        check(&"y".repeat(MAX_WORD_BYTES), Language::Unknown, &[&format!(".{}", "y".repeat(MAX_WORD_BYTES))]);
    }

    fn languages() -> impl Strategy<Value = Language> {
        prop::sample::select(Language::ALL.to_vec())
    }

    proptest! {
        /// Any text can be read, words come in order and at the positions they report, and a reader with a warm cache
        /// gives the same words as a new one.
        #[test]
        fn any_text_is_read(before in "\\PC{0,40}", text in "[a-zA-Z0-9éß '’.&\\-、，のカ篮球的数据결กข\u{301}\u{ad}\\PC]{0,60}", language in languages()) {
            let mut experienced = Reader::new();
            experienced.terms(&before, language);
            let mut words = Vec::new();
            experienced.read(&text, language, |word| words.push(word));
            let mut last = 0;
            for word in &words {
                prop_assert_eq!(text.get(word.start..word.start + word.surface.len()), Some(word.surface));
                prop_assert!(word.start >= last && !word.surface.is_empty());
                last = word.start;
            }
            let terms: Vec<Term> = words.iter().map(|word| word.term).collect();
            prop_assert_eq!(terms, Reader::new().terms(&text, language));
        }

        /// Case does not count.
        #[test]
        fn case_does_not_count(text in "[a-z0-9 .]{0,60}") {
            let mut reader = Reader::new();
            let lower = reader.terms(&text, Language::English);
            prop_assert_eq!(lower, Reader::new().terms(&text.to_uppercase(), Language::English));
        }
    }
}
