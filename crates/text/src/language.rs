//! Detects the language of a page: by its script, then by its most common words.
//!
//! Trained detectors need 100 to 280 µs for 2,000 characters, as long as parsing the page. Counting the stop words of a
//! sample takes a few µs, returns `Unknown` if nothing supports a language, and can be explained: "41 of 90 words are
//! German stop words". Languages without a stop word list are `Unknown`; their words are folded but not stemmed.

use serde::{Deserialize, Serialize};

use super::fold::fold;
use super::reader::{is_han, is_wide_punctuation};
use super::stop;

/// A language that has rules of its own here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
#[expect(missing_docs, reason = "languages are known by their names")]
pub enum Language {
    /// None of the others, or too little text to tell.
    #[default]
    Unknown,
    English,
    Chinese,
    German,
    French,
    Spanish,
    Italian,
    Portuguese,
    Dutch,
    Swedish,
    Russian,
    Japanese,
}

impl Language {
    /// All, in the order of their numbers.
    pub const ALL: [Self; 12] = [
        Self::Unknown,
        Self::English,
        Self::Chinese,
        Self::German,
        Self::French,
        Self::Spanish,
        Self::Italian,
        Self::Portuguese,
        Self::Dutch,
        Self::Swedish,
        Self::Russian,
        Self::Japanese,
    ];

    /// Its number, for tables.
    pub fn index(self) -> usize {
        self as usize
    }

    pub(super) fn bit(self) -> u16 {
        1 << self as u16
    }

    /// From a tag such as `de-CH`, as pages declare it.
    pub(crate) fn of_tag(tag: &str) -> Self {
        let primary = tag.split(['-', '_']).next().unwrap_or_default().trim();
        let tags = [
            ("en", Self::English),
            ("zh", Self::Chinese),
            ("de", Self::German),
            ("fr", Self::French),
            ("es", Self::Spanish),
            ("it", Self::Italian),
            ("pt", Self::Portuguese),
            ("nl", Self::Dutch),
            ("sv", Self::Swedish),
            ("ru", Self::Russian),
            ("ja", Self::Japanese),
        ];
        tags.iter()
            .find(|(known, _)| primary.eq_ignore_ascii_case(known))
            .map_or(Self::Unknown, |(_, it)| *it)
    }
}

/// How many bytes are sampled.
const SAMPLE_BYTES: usize = 1500;
/// How many words are sampled.
const SAMPLE_WORDS: u32 = 150;
/// How many stop words of a language are needed to overrule what the page declares.
const FEW_VOTES: u32 = 3;
/// Stop words of one language, twice as many as of any other, that settle it.
const CLEAR_VOTES: u32 = 10;
/// Chinese characters, more than other letters, that settle it.
const CLEAR_HAN: u32 = 200;
/// The share of words that must be stop words: a twelfth; running text has a third to a half.
const SHARE: u32 = 12;

/// The language of `text`. The page's declaration decides if the text itself has too little evidence: a wrong `lang` is
/// common, because it comes with the template.
pub fn detect(text: &str, declared: Option<&str>) -> Language {
    let votes = Votes::of(text);
    let declared = declared.map_or(Language::Unknown, Language::of_tag);
    votes.by_script().or_else(|| votes.by_words()).unwrap_or(match declared {
        Language::Chinese | Language::Japanese | Language::Russian if votes.letters > 0 => Language::Unknown,
        declared => declared,
    })
}

/// Part of a word; common characters are decided without the large Unicode tables.
fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || (!c.is_ascii() && (is_han(c) || (!is_wide_punctuation(c) && c.is_alphanumeric())))
}

/// The position of the character that contains a byte.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

#[derive(Default)]
struct Votes {
    words: u32,
    letters: u32,
    han: u32,
    kana: u32,
    cyrillic: u32,
    stops: [u32; Language::ALL.len()],
}

impl Votes {
    fn of(text: &str) -> Self {
        let mut votes = Self::default();
        let mut folded = String::new();
        // pages begin with menus, which have few stop words, but code and tables may be anywhere else
        let first = floor(text, SAMPLE_BYTES / 2);
        let second = floor(text, (text.len() / 4).max(first));
        let samples = [0..first, second..floor(text, second + SAMPLE_BYTES / 2)];
        let samples = samples.into_iter().filter_map(|sample| text.get(sample));
        let words = samples.flat_map(|sample| sample.split(|c: char| !is_letter(c)));
        for word in words.filter(|word| !word.is_empty()) {
            votes.words += 1;
            if votes.words > SAMPLE_WORDS || votes.are_clear() {
                break;
            }
            if votes.scripts(word) {
                continue;
            }
            folded.clear();
            fold(word, &mut folded);
            let languages = stop::languages_of(&folded);
            // single letters are bullets and initials
            if languages != 0 && folded.len() > 1 {
                for (language, stops) in Language::ALL.iter().zip(&mut votes.stops) {
                    *stops += u32::from(languages & language.bit() != 0);
                }
            }
        }
        votes
    }

    /// Whether more words would not change the result: most pages are clear after thirty.
    fn are_clear(&self) -> bool {
        if !self.words.is_multiple_of(16) {
            return false;
        }
        let (mut most, mut second) = (0, 0);
        for stops in self.stops {
            (most, second) = if stops > most { (stops, most) } else { (most, second.max(stops)) };
        }
        (most >= CLEAR_VOTES && most >= 2 * second) || (self.han >= CLEAR_HAN && self.han > self.letters)
    }

    /// Counts the characters of a word; returns whether some are of a script without spaces, so that it cannot be a
    /// stop word.
    fn scripts(&mut self, word: &str) -> bool {
        if word.is_ascii() {
            self.letters += word.len() as u32;
            return false;
        }
        let before = self.han + self.kana;
        for c in word.chars() {
            match c {
                '\u{3040}'..='\u{30ff}' => self.kana += 1,
                '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}' => self.han += 1,
                '\u{400}'..='\u{52f}' => self.cyrillic += 1,
                _ => self.letters += 1,
            }
        }
        self.han + self.kana > before
    }

    /// A Chinese character counts as much as three letters.
    fn by_script(&self) -> Option<Language> {
        let ideographs = self.han + self.kana;
        if ideographs > 0 && ideographs * 3 >= self.letters + self.cyrillic {
            let japanese = self.kana * 10 > ideographs;
            return Some(if japanese { Language::Japanese } else { Language::Chinese });
        }
        // other Cyrillic languages share too few of the words
        let russian = self.stops.get(Language::Russian.index()).copied().unwrap_or(0);
        (self.cyrillic > self.letters && russian >= FEW_VOTES).then_some(Language::Russian)
    }

    fn by_words(&self) -> Option<Language> {
        let (language, most) = Language::ALL
            .iter()
            .zip(self.stops)
            .rev()
            .max_by_key(|(_, stops)| *stops)
            .unwrap_or((&Language::Unknown, 0));
        let clear = self.stops.iter().filter(|stops| **stops == most).count() == 1;
        (clear && most >= FEW_VOTES && most * SHARE >= self.words.min(SAMPLE_WORDS)).then_some(*language)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, declared: Option<&str>, expect: Language) {
        assert_eq!(detect(text, declared), expect, "{text}");
    }

    #[test]
    fn by_common_words() {
        check(
            "The course is about databases and how they are used in the industry.",
            None,
            Language::English,
        );
        check(
            "Die Vorlesung ist für Studenten, die sich mit Datenbanken beschäftigen.",
            None,
            Language::German,
        );
        check("Le cours est destiné aux étudiants qui sont dans la filière.", None, Language::French);
        check(
            "El curso es para los estudiantes que quieren saber más sobre las bases.",
            None,
            Language::Spanish,
        );
        check(
            "Il corso è per gli studenti che sono interessati alla teoria delle basi.",
            None,
            Language::Italian,
        );
        check(
            "O curso é para os alunos que não têm uma base em dados, mas também...",
            None,
            Language::Portuguese,
        );
        check(
            "De cursus is voor studenten die meer willen weten van het vak en niet.",
            None,
            Language::Dutch,
        );
        check("Kursen är för studenter som vill lära sig mer om det och inte bara.", None, Language::Swedish);
        check("Этот курс для тех, кто хочет знать больше, и не только это.", None, Language::Russian);
    }

    #[test]
    fn by_script() {
        check("北京时间今天上午，篮球比赛开始。NBA", None, Language::Chinese);
        check("これは日本語の文章です。", None, Language::Japanese);
        check("Sports 体育", None, Language::Chinese);
        check("Copyright 2008 Some Long English Company Limited 体", None, Language::Unknown);
    }

    #[test]
    fn what_is_declared_decides_where_the_text_does_not() {
        check("", Some("de-CH"), Language::German);
        check("", None, Language::Unknown);
        check("Canon EOS 5D", Some("EN_us"), Language::English);
        check("Canon EOS 5D", Some("zh"), Language::Unknown);
        check("Canon EOS 5D", Some("tlh"), Language::Unknown);
        check("The course is about databases and how they are used.", Some("de"), Language::English);
        check("Kurssi on tarkoitettu opiskelijoille ja se alkaa huomenna", None, Language::Unknown);
    }
}
