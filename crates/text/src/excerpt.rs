//! Compares parts of a page's text with the wanted terms without reading them again.
//!
//! The text around a link is a part of the page's text, and the texts around all links together are longer than the
//! page. So the words of the page are read once and looked up by position. Nearly all parts contain no wanted word,
//! which two steps of a binary search show. A word across the edge counts for the part in which it begins.

use std::ops::Range;

use super::{Counts, Sieve, Token, Vector, Wanted, Words, with_reader};

/// Parts with at most this many words are compared pair by pair; longer ones are counted.
const FEW: usize = 64;

/// Memory for the page at hand, kept from page to page.
#[derive(Clone, Debug, Default)]
pub struct Excerpts {
    /// Where wanted words begin, and what each is worth.
    places: Vec<(u32, f32)>,
    /// The words of one part that is long, or no part of the page.
    few: Counts,
}

/// A page whose parts are compared.
#[derive(Debug)]
pub struct OpenText<'a> {
    text: &'a str,
    words: &'a Words,
    wanted: &'a Vector,
    whole: f32,
    memory: &'a mut Excerpts,
}

impl Excerpts {
    /// Begins with a page: its text, the words of it, and what it is compared with.
    pub fn open<'a>(&'a mut self, text: &'a str, words: &'a Words, wanted: &'a Wanted) -> OpenText<'a> {
        let wanted = with_reader(|reader| wanted.vector(reader, words.language()));
        let whole = wanted.cosine_counts(words.counts());
        self.places.clear();
        if whole > 0.0 {
            let mut sieve = Sieve::default();
            wanted.entries().iter().for_each(|(term, _)| sieve.put(*term));
            for token in words.tokens() {
                if sieve.may_have(token.term) {
                    let weight = wanted.get(token.term);
                    if weight != 0.0 {
                        self.places.push((token.start, weight));
                    }
                }
            }
        }
        OpenText { text, words, wanted, whole, memory: self }
    }
}

impl OpenText<'_> {
    /// The cosine of the whole page.
    pub fn whole(&self) -> f32 {
        self.whole
    }

    /// The cosine of a part of the text, or of another short text in the same language.
    pub fn part(&mut self, part: &str) -> f32 {
        if part.is_empty() {
            return 0.0;
        }
        match part_of(self.text, part) {
            Some(range) => self.slice(range),
            None => self.other(part),
        }
    }

    /// The cosine of a part that is worth finding only if there is a wanted word on the page at all.
    pub fn part_near<'p>(&mut self, part: impl FnOnce() -> &'p str) -> f32 {
        if self.memory.places.is_empty() { 0.0 } else { self.part(part()) }
    }

    fn slice(&mut self, range: Range<u32>) -> f32 {
        let Excerpts { places, few } = &mut *self.memory;
        let first = places.partition_point(|(place, _)| *place < range.start);
        let mut dot = 0.0;
        for (place, weight) in places.get(first..).unwrap_or_default() {
            if *place >= range.end {
                break;
            }
            dot += weight;
        }
        if dot == 0.0 {
            return 0.0;
        }
        let tokens = self.words.tokens();
        let from = tokens.partition_point(|token| token.start < range.start);
        let rest = tokens.get(from..).unwrap_or_default();
        let part = rest
            .iter()
            .position(|token| token.start >= range.end)
            .and_then(|end| rest.get(..end))
            .unwrap_or(rest);
        if part.len() > FEW {
            few.clear();
            part.iter().for_each(|token| few.add(token.term));
            return self.wanted.cosine_counts(few);
        }
        (dot / (self.wanted.length() * (squares(part) as f32).sqrt())).clamp(-1.0, 1.0)
    }

    fn other(&mut self, text: &str) -> f32 {
        let few = &mut self.memory.few;
        few.clear();
        with_reader(|reader| reader.read(text, self.words.language(), |word| few.add(word.term)));
        self.wanted.cosine_counts(few)
    }
}

/// The sum of the squares of how often each word occurs: all pairs of words that are the same.
fn squares(words: &[Token]) -> u32 {
    let mut same = 0;
    let mut rest = words;
    while let [word, others @ ..] = rest {
        for other in others {
            same += u32::from(other.term == word.term);
        }
        rest = others;
    }
    words.len() as u32 + 2 * same
}

/// The range of `part` in `whole`, if it is a slice of it.
fn part_of(whole: &str, part: &str) -> Option<Range<u32>> {
    let start = (part.as_ptr() as usize).checked_sub(whole.as_ptr() as usize)?;
    let end = start.checked_add(part.len()).filter(|end| *end <= whole.len())?;
    Some(u32::try_from(start).ok()?..u32::try_from(end).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Slices of the text say the same as copies of them.
    #[test]
    fn parts_are_compared_as_if_they_were_read() {
        let text = "All news about basketball and other sports of today, with pictures";
        let words = Words::of(text, Some("en"));
        let wanted = Wanted::new([("Sports", 0.5), ("Basketball", 1.0)]);
        let mut excerpts = Excerpts::default();
        let mut open = excerpts.open(text, &words, &wanted);
        for (start, end) in [(0, 9), (0, 25), (15, 25), (25, 44), (44, 66), (9, 9)] {
            let part = &text[start..end];
            let copy = part.to_owned();
            assert_eq!(part_of(text, part), Some(start as u32..end as u32));
            assert_eq!(part_of(text, &copy), None);
            assert!((open.part(part) - open.part(&copy)).abs() < 1e-6, "{part}");
        }
        // (sports 1/2, basketball 1) has length sqrt 1.25; new, basketball, sport, today, pictur: 1.5 / (sqrt 5 sqrt
        // 1.25)
        assert!((open.whole() - 1.5 / 6.25f32.sqrt()).abs() < 1e-6, "{}", open.whole());
        assert!((open.part(&text[15..25]) - 1.0 / 1.25f32.sqrt()).abs() < 1e-6);
    }

    #[test]
    fn long_parts_are_counted() {
        let text = format!("basketball {}", "red green red ".repeat(40));
        let words = Words::of(&text, Some("en"));
        let wanted = Wanted::new([("Basketball", 1.0)]);
        let mut excerpts = Excerpts::default();
        let mut open = excerpts.open(&text, &words, &wanted);
        // 1 / sqrt(1 + 80^2 + 40^2), and of the first ten words 1 / sqrt(1 + 6^2 + 3^2)
        assert!((open.part(&text) - 1.0 / 8001f32.sqrt()).abs() < 1e-6);
        assert!((open.part(&text[..53]) - 1.0 / 46f32.sqrt()).abs() < 1e-6);
    }

    #[test]
    fn a_page_without_a_wanted_word_has_no_part_with_one() {
        let wanted = Wanted::new([("Sports", 1.0)]);
        let words = Words::of("Garden news", Some("en"));
        let mut excerpts = Excerpts::default();
        let mut open = excerpts.open("Garden news", &words, &wanted);
        assert_eq!((open.whole(), open.part("Garden"), open.part("")), (0.0, 0.0, 0.0));
        // words after the text, such as those of an image, are read
        assert_eq!(open.part("sports"), 1.0);
    }
}
