//! Segments Chinese text with a dictionary: of all ways to split a run of characters, the most probable one.
//!
//! The dictionary, `data/chinese-words.txt.gz`, has 133,000 words of up to four characters with their frequencies; it
//! is loaded with the first Chinese text. A word of up to four characters fits into 64 bits, so a look-up is one probe,
//! and segmenting allocates nothing. Names that are not in the dictionary become single characters on both sides of a
//! comparison, so they still match.

use std::io::Read;
use std::sync::LazyLock;

use flate2::read::GzDecoder;
use rustc_hash::FxHashMap;

/// Characters of the longest word.
const MAX_WORD: usize = 4;
/// Characters that are segmented at once; no sentence is longer, and a text without punctuation is cut into pieces.
const MAX_RUN: usize = 128;
/// The dictionary's characters.
const FIRST: u32 = 0x3400;
const LAST: u32 = 0x9fff;
const CHARS: usize = (LAST - FIRST + 1) as usize;
/// The number of a character that is in no word.
const STRANGE: u64 = 0x7fff;
/// Bits of a character's number.
const BITS: u32 = 15;

struct Dictionary {
    /// Log probability of a single character as a word.
    single: Vec<f32>,
    /// Log probabilities of longer words, and the beginnings of words that are longer still.
    words: FxHashMap<u64, Entry>,
    /// Of a character that is not listed.
    rare: f32,
}

#[derive(Clone, Copy)]
struct Entry {
    /// Minus infinity if it is only a beginning.
    log: f32,
    /// Whether a longer word begins so.
    goes_on: bool,
}

static DICTIONARY: LazyLock<Dictionary> = LazyLock::new(|| {
    let mut list = String::new();
    let packed = include_bytes!("../data/chinese-words.txt.gz").as_slice();
    // the list is part of the program: a test reads all of it
    let read = GzDecoder::new(packed).read_to_string(&mut list);
    debug_assert!(read.is_ok());
    Dictionary::of(&list)
});

impl Dictionary {
    /// From lines of `word frequency`.
    fn of(list: &str) -> Self {
        let lines = || list.lines().filter_map(|line| line.split_once(' '));
        let words = lines().filter_map(|(word, frequency)| Some((word, frequency.parse::<f64>().ok()?)));
        let total: f64 = words.clone().map(|(_, frequency)| frequency).sum::<f64>().max(1.0);
        let rare = -total.ln() as f32;
        let mut dictionary = Self { single: vec![rare; CHARS], words: FxHashMap::default(), rare };
        for (word, frequency) in words {
            dictionary.insert(word, (frequency / total).ln() as f32);
        }
        dictionary
    }

    fn insert(&mut self, word: &str, log: f32) {
        let count = word.chars().count();
        if count == 1 {
            let place = word.chars().next().and_then(|c| self.single.get_mut(number(c) as usize));
            place.into_iter().for_each(|single| *single = log);
            return;
        }
        let mut key = 0;
        for (place, c) in word.chars().enumerate() {
            key = key << BITS | number(c);
            if place == 0 {
                continue;
            }
            let entry = self.words.entry(key).or_insert(Entry { log: f32::NEG_INFINITY, goes_on: false });
            if place + 1 == count {
                entry.log = log;
            } else {
                entry.goes_on = true;
            }
        }
    }

    /// Where the likeliest words of up to [`MAX_RUN`] characters end, given the numbers of these; the last word first.
    fn cut(&self, numbers: &[u64], ends: &mut Vec<u8>) {
        let mut best = [(f32::NEG_INFINITY, 1u8); MAX_RUN + 1];
        best[0].0 = 0.0;
        for (start, &first) in numbers.iter().enumerate().take(MAX_RUN) {
            let so_far = best[start].0;
            let mut better = |length: usize, log: f32| {
                if let Some(place) = best.get_mut(start + length)
                    && so_far + log > place.0
                {
                    *place = (so_far + log, length as u8);
                }
            };
            better(1, self.single.get(first as usize).copied().unwrap_or(self.rare));
            let mut key = first;
            for (more, &next) in numbers.iter().skip(start + 1).take(MAX_WORD - 1).enumerate() {
                key = key << BITS | next;
                let Some(entry) = self.words.get(&key) else { break };
                better(more + 2, entry.log);
                if !entry.goes_on {
                    break;
                }
            }
        }
        ends.clear();
        let mut end = numbers.len().min(MAX_RUN);
        while end > 0 {
            ends.push(end as u8);
            end = end.saturating_sub(usize::from(best[end].1));
        }
    }
}

/// A number of 15 bits; 0 for any other character.
fn number(c: char) -> u64 {
    let code = u32::from(c);
    if (FIRST + 1..=LAST).contains(&code) { u64::from(code - FIRST) } else { STRANGE }
}

/// Cuts a run of Chinese characters into words and calls `each` with them in order.
pub fn segment(run: &str, mut each: impl FnMut(&str)) {
    let mut cutter = Cutter::default();
    cutter.segment(run, &mut each);
}

/// Memory for cutting, kept from run to run.
#[derive(Debug, Default)]
pub(super) struct Cutter {
    numbers: Vec<u64>,
    /// Where each character ends, in bytes.
    bytes: Vec<usize>,
    ends: Vec<u8>,
}

impl Cutter {
    pub(super) fn segment(&mut self, run: &str, each: &mut impl FnMut(&str)) {
        let mut chars = run.char_indices();
        let mut from = 0;
        loop {
            self.numbers.clear();
            self.bytes.clear();
            for (at, c) in chars.by_ref().take(MAX_RUN) {
                self.numbers.push(number(c));
                self.bytes.push(at + c.len_utf8());
            }
            if self.numbers.is_empty() {
                return;
            }
            DICTIONARY.cut(&self.numbers, &mut self.ends);
            for &end in self.ends.iter().rev() {
                let to = self.bytes.get(usize::from(end) - 1).copied().unwrap_or(run.len());
                each(run.get(from..to).unwrap_or_default());
                from = to;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(run: &str, expect: &str) {
        let mut words = Vec::new();
        segment(run, |word| words.push(word.to_owned()));
        assert_eq!(words.join(" "), expect);
    }

    #[test]
    fn the_likeliest_words() {
        check("", "");
        check("花", "花");
        check("篮球比赛", "篮球 比赛");
        check("北京大学生前来应聘", "北京 大学生 前来 应聘");
        check("中国人民银行", "中国 人民银行");
        check("体育新闻", "体育 新闻");
        check("数据结构与算法", "数据结构 与 算法");
    }

    /// a 1/4, b 1/4, ab 1/8, bc 1/4, c 1/8: a|bc = 1/16 beats ab|c = 1/64 and a|b|c = 1/128.
    #[test]
    fn probabilities_by_hand() {
        let dictionary = Dictionary::of("一 2\n丁 2\n一丁 1\n丁七 2\n七 1");
        let numbers: Vec<u64> = "一丁七".chars().map(number).collect();
        let mut ends = Vec::new();
        dictionary.cut(&numbers, &mut ends);
        assert_eq!(ends, [3, 1]);
    }

    #[test]
    fn long_runs_and_strange_characters() {
        let run = "篮球".repeat(1000);
        let mut chars = 0;
        segment(&run, |word| chars += word.chars().count());
        assert_eq!(chars, 2000);
        check("𠀀篮球〇", "𠀀 篮球 〇");
    }

    #[test]
    fn the_list_is_complete() {
        assert!(DICTIONARY.words.len() > 120_000);
        let known = "的一是不了".chars().all(|c| DICTIONARY.single[number(c) as usize] > DICTIONARY.rare);
        assert!(known);
    }
}
