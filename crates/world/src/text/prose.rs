//! Text of given topics in a language: words, titles, sentences, paragraphs.
//!
//! A small grammar of the language writes each sentence and decides where a noun may be; topical words fill such
//! positions at the rate of the mixture. The rate varies from sentence to sentence, since topics in real text come in
//! bursts. Only the text is allocated.

use super::taxonomy::{TopicId, topic};
use super::{Language, chinese, english};
use crate::Dice;

/// What text is about, and in which language.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Prose {
    /// The language.
    pub(crate) language: Language,
    /// The share of topical words by topic, of all words; the rest is background. Above about 0.4 in total the grammars
    /// run out of positions.
    pub(crate) mixture: Vec<(TopicId, f32)>,
    /// The chapter of its topics that it keeps to: a few of their words, drawn by this number. All words if none.
    pub(crate) chapter: Option<u64>,
}

/// Words of a chapter: real lecture notes have five or six of a subject's terms.
const CHAPTER_WORDS: u64 = 6;

impl Prose {
    /// Text of these topics, all of their words.
    pub(crate) fn of(language: Language, mixture: Vec<(TopicId, f32)>) -> Self {
        Self { language, mixture, chapter: None }
    }

    /// Text without a topic.
    pub(crate) fn background(language: Language) -> Self {
        Self { language, ..Self::default() }
    }

    /// One word or short term.
    pub(crate) fn word_text(&self, dice: Dice) -> String {
        text(|out| self.word(dice, out))
    }

    /// A title.
    pub(crate) fn title_text(&self, dice: Dice) -> String {
        text(|out| self.title(dice, out))
    }

    /// One sentence.
    pub(crate) fn sentence_text(&self, dice: Dice) -> String {
        text(|out| self.sentence(dice, out))
    }

    /// Several sentences.
    pub(crate) fn paragraph_text(&self, dice: Dice, sentences: usize) -> String {
        text(|out| self.paragraph(dice, sentences, out))
    }

    /// Writes one word or short term.
    pub(crate) fn word(&self, dice: Dice, out: &mut String) {
        let mut pen = Pen::new(self, dice, out);
        match self.language {
            Language::English => english::word(&mut pen),
            Language::Chinese => chinese::word(&mut pen),
        }
    }

    /// Writes a title of two to eight words and terms, which is more topical than the text.
    pub(crate) fn title(&self, dice: Dice, out: &mut String) {
        let mut pen = Pen::new(self, dice, out);
        match self.language {
            Language::English => english::title(&mut pen),
            Language::Chinese => chinese::title(&mut pen),
        }
    }

    /// Writes one sentence with its final mark.
    pub(crate) fn sentence(&self, dice: Dice, out: &mut String) {
        let mut pen = Pen::new(self, dice, out);
        match self.language {
            Language::English => english::sentence(&mut pen),
            Language::Chinese => chinese::sentence(&mut pen),
        }
    }

    /// Writes several sentences.
    pub(crate) fn paragraph(&self, dice: Dice, sentences: usize, out: &mut String) {
        for sentence in 0..sentences {
            if sentence > 0 && self.language == Language::English {
                out.push(' ');
            }
            self.sentence(dice.at(sentence as u64), out);
        }
    }
}

/// Writes one piece of text: the state that its words share.
pub(super) struct Pen<'a> {
    prose: &'a Prose,
    dice: Dice,
    next: u64,
    /// The share of topical words in this piece.
    pub(super) share: f32,
    /// How many topical words are due.
    owed: f32,
    /// Where the text goes.
    pub(super) out: &'a mut String,
    /// Where this piece begins in it.
    pub(super) start: usize,
}

impl<'a> Pen<'a> {
    fn new(prose: &'a Prose, dice: Dice, out: &'a mut String) -> Self {
        let share = prose.mixture.iter().map(|(_, share)| share).sum();
        let start = out.len();
        let mut pen = Self { prose, dice, next: 0, share, owed: 0.0, out, start };
        // Uniform below the threshold: a short sentence of a thin topic gets its share on average.
        pen.owed = pen.unit() - 0.25;
        pen.share *= 0.4 + 1.2 * pen.unit();
        pen
    }

    /// The next random bits.
    pub(super) fn bits(&mut self) -> u64 {
        self.next += 1;
        self.dice.at(self.next).bits()
    }

    /// The next dice, for what wants a place of its own.
    pub(super) fn dice(&mut self) -> Dice {
        self.next += 1;
        self.dice.at(self.next)
    }

    /// From 0 to 1.
    pub(super) fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// True with this probability.
    pub(super) fn chance(&mut self, probability: f32) -> bool {
        self.unit() < probability
    }

    /// Counts a word that was written.
    pub(super) fn count(&mut self) {
        self.owed += self.share;
    }

    /// A topical word, if this many are due.
    pub(super) fn due(&mut self, words: f32) -> Option<&'static str> {
        if self.owed < words {
            return None;
        }
        self.owed -= 1.0;
        self.topical()
    }

    /// Writes a topical word, as often as the prose has them; returns whether it did.
    pub(super) fn put_topical(&mut self) -> bool {
        let share = self.share;
        let topical = if self.chance(share) { self.topical() } else { None };
        self.out.push_str(topical.unwrap_or_default());
        topical.is_some()
    }

    /// A word of one of the topics, by their shares.
    pub(super) fn topical(&mut self) -> Option<&'static str> {
        let mixture = &self.prose.mixture;
        let mut place = match mixture.len() {
            0 => return None,
            1 => 0.0,
            _ => self.unit() * mixture.iter().map(|(_, share)| share).sum::<f32>(),
        };
        let found = mixture.iter().find(|(_, share)| {
            place -= share;
            place < 0.0
        });
        let (id, _) = found.or(mixture.last())?;
        let mut bits = self.bits();
        if let Some(chapter) = self.prose.chapter {
            bits = Dice::new(chapter).at(bits % CHAPTER_WORDS).bits();
        }
        topic(*id).map(|topic| topic.draw_word(self.prose.language, bits)).filter(|word| !word.is_empty())
    }
}

/// What `write` writes, as a text of its own.
pub(super) fn text(write: impl FnOnce(&mut String)) -> String {
    let mut out = String::with_capacity(160);
    write(&mut out);
    out
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::text::topics;

    fn basketball(language: Language, share: f32) -> Prose {
        Prose::of(language, vec![(TopicId(0), share)])
    }

    fn text(prose: &Prose, seed: u64, sentences: usize) -> String {
        let mut out = String::new();
        prose.paragraph(Dice::new(seed), sentences, &mut out);
        out
    }

    fn words(text: &str) -> impl Iterator<Item = &str> {
        text.split([' ', '.', ',', '?', '!']).filter(|word| !word.is_empty())
    }

    #[test]
    fn the_same_dice_write_the_same_text() {
        for language in [Language::English, Language::Chinese] {
            let prose = basketball(language, 0.2);
            assert_eq!(text(&prose, 1, 20), text(&prose, 1, 20));
            assert_ne!(text(&prose, 1, 20), text(&prose, 2, 20));
            let mut behind = "x".to_owned();
            prose.sentence(Dice::new(1), &mut behind);
            let mut alone = String::new();
            prose.sentence(Dice::new(1), &mut alone);
            assert_eq!(behind.strip_prefix('x'), Some(alone.as_str()));
        }
    }

    #[test]
    fn english_looks_like_english() {
        let text = text(&basketball(Language::English, 0.1), 3, 2000);
        assert!(
            !text.contains("  ")
                && !text.contains(" ,")
                && !text.contains(" a a")
                && text.ends_with(['.', '!', '?'])
        );
        let count = words(&text).count() as f64;
        let share =
            |word| words(&text).filter(|found| found.eq_ignore_ascii_case(word)).count() as f64 / count;
        assert!((0.04..0.09).contains(&share("the")), "{}", share("the"));
        assert!((0.015..0.05).contains(&share("of")), "{}", share("of"));
        assert!((10.0..20.0).contains(&(count / 2000.0)), "{} words in a sentence", count / 2000.0);
    }

    #[test]
    fn chinese_has_no_blanks() {
        let prose = basketball(Language::Chinese, 0.1);
        let text = text(&prose, 3, 500);
        assert!(!text.contains(' ') && text.ends_with(['。', '！', '？']) && text.contains('，'));
        assert!(!encoding_rs::GBK.encode(&text).2);
        let length = text.chars().count() as f64 / 500.0;
        assert!((12.0..40.0).contains(&length), "{length} characters in a sentence");
    }

    /// Counted by the strongest word, whose share of the topic's words is known.
    #[test]
    fn topical_words_have_the_wanted_share() {
        let check = |asked: f32| {
            let prose = basketball(Language::English, asked);
            let text = text(&prose, 5, 3000);
            let word = &topics()[0].en[0];
            let found = words(&text).filter(|found| found.eq_ignore_ascii_case(word)).count() as f64;
            let n = topics()[0].en.len();
            let weight = |rank: usize| (rank as f64 + 3.0).powf(-0.9);
            let expect = f64::from(asked) * weight(0) / (0..n).map(weight).sum::<f64>();
            let ratio = found / words(&text).count() as f64 / expect;
            assert!((0.7..1.2).contains(&ratio), "{ratio} of the share {asked}");
        };
        [0.03, 0.1, 0.2, 0.35].into_iter().for_each(check);
    }

    #[test]
    fn frequencies_fall_by_zipfs_law() {
        let text = text(&basketball(Language::English, 0.1), 7, 8000);
        let mut counts: HashMap<&str, u32> = HashMap::new();
        words(&text).for_each(|word| *counts.entry(word).or_default() += 1);
        let mut counts: Vec<f64> = counts.into_values().map(f64::from).collect();
        counts.sort_by(|a, b| b.total_cmp(a));
        let slope = (counts[9] / counts[999]).ln() / 100f64.ln();
        assert!((0.7..1.4).contains(&slope), "{slope}");
    }

    #[test]
    fn vocabulary_grows_by_heaps_law() {
        let text = text(&basketball(Language::English, 0.1), 7, 18_000);
        let mut seen = std::collections::HashSet::new();
        let mut sizes = Vec::new();
        for (place, word) in words(&text).enumerate() {
            seen.insert(word);
            if [2_000, 20_000, 200_000].contains(&(place + 1)) {
                sizes.push(seen.len() as f64);
            }
        }
        let [few, some, many] = sizes[..] else { panic!("too short a text") };
        for exponent in [(some / few).log10(), (many / some).log10()] {
            assert!((0.3..0.8).contains(&exponent), "{few} {some} {many}");
        }
    }

    #[test]
    fn titles_are_short_and_begin_with_a_capital() {
        let prose = basketball(Language::English, 0.2);
        for i in 0..2000 {
            let mut title = String::new();
            prose.title(Dice::new(i), &mut title);
            assert!((2..=12).contains(&words(&title).count()), "`{title}`");
            assert!(title.starts_with(|first: char| !first.is_ascii_lowercase()), "`{title}`");
        }
    }

    #[test]
    fn no_topic_and_a_wrong_topic_are_background() {
        for mixture in [Vec::new(), vec![(TopicId(60_000), 0.5)]] {
            for language in [Language::English, Language::Chinese] {
                let prose = Prose { language, mixture: mixture.clone(), ..Prose::default() };
                assert!(text(&prose, 1, 3).len() > 30);
                let mut word = String::new();
                prose.word(Dice::new(4), &mut word);
                assert!(!word.is_empty());
            }
        }
    }
}
