//! Words of pages, and the few words in HTML classes that have a meaning on any site.
//!
//! These words are weak evidence: the structure determines the label of a cluster, and a word only decides between a
//! page about a person and a page about a tag. They come from HTML classes, which are English on sites of any language,
//! from microformats, and from the words before names in some languages. No word belongs to a single site or to a URL.

use crate::fnv;

/// Parts of class names on what surrounds a person's name.
const PERSON_CLASSES: &[&str] = &[
    "author",
    "avatar",
    "byline",
    "commenter",
    "contributor",
    "creator",
    "member",
    "nick",
    "nickname",
    "owner",
    "profile",
    "uploader",
    "user",
    "username",
    "vcard",
];
/// Parts of class names on what surrounds a subject.
const SUBJECT_CLASSES: &[&str] = &["cat", "categories", "category", "keyword", "keywords", "tag", "tags"];
/// Words before the name of an author.
const BEFORE_NAMES: &[&str] = &[
    "by",
    "von",
    "par",
    "por",
    "da",
    "door",
    "av",
    "af",
    "от",
    "автор",
    "作者",
    "发布者",
    "投稿者",
    "by:",
    "author:",
    "作者:",
    "作者：",
];
/// A part with at least this many letters is recognised even without a separator before it: `threadauthor`.
const LONG: usize = 6;
/// Longest class attribute that is read.
const MAX_CLASS_BYTES: usize = 256;

/// Whether a class attribute refers to a person.
pub(super) fn is_person_class(class: &str) -> bool {
    has_part(class, PERSON_CLASSES)
}

/// Whether a class attribute refers to a subject.
pub(super) fn is_subject_class(class: &str) -> bool {
    has_part(class, SUBJECT_CLASSES)
}

/// Whether a text ends like one before a name: "posted by".
pub(super) fn ends_before_name(text: &str) -> bool {
    let last = text.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    BEFORE_NAMES.contains(&last.as_str())
}

/// Parts are separated by anything but letters, or by a capital: `post-author`, `userName`; a long one may end a word.
fn has_part(class: &str, parts: &[&str]) -> bool {
    if class.len() > MAX_CLASS_BYTES {
        return false;
    }
    class.split(|c: char| !c.is_ascii_alphabetic()).any(|word| {
        let lower = word.to_ascii_lowercase();
        let first = word.char_indices().skip(1).find(|(_, c)| c.is_ascii_uppercase());
        let first = first.and_then(|(at, _)| lower.get(..at)).unwrap_or_default();
        let is = |part: &str| part == lower || part == first || (part.len() >= LONG && lower.ends_with(part));
        parts.iter().any(|part| is(part))
    })
}

/// A fingerprint of a text by its letters and digits, ignoring case, spaces and punctuation; 0 without letters and
/// digits.
pub(super) fn fingerprint(text: &str) -> u64 {
    let mut hash = Fnv::default();
    for word in words(text) {
        hash.word(word);
    }
    hash.finish()
}

/// A fingerprint of a text as it is.
pub(super) fn exact_fingerprint(text: &str) -> u64 {
    fingerprint_of_two(text, "")
}

/// The fingerprint of two texts one after the other.
pub(super) fn fingerprint_of_two(first: &str, second: &str) -> u64 {
    let mut hash = Fnv::default();
    first.bytes().chain(second.bytes()).for_each(|byte| hash.byte(byte));
    hash.hash
}

/// The words of a text.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// How many words a text has. Where words are not separated, two characters count as one: Chinese, Japanese.
pub(super) fn word_count(text: &str) -> usize {
    let is_dense = |c: &char| matches!(*c as u32, 0x3040..=0x30FF | 0x3400..=0x9FFF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF);
    let in_word = |word: &str| word.chars().filter(is_dense).count().div_ceil(2).max(1);
    words(text).map(in_word).sum()
}

/// A fingerprint of words, one after another.
#[derive(Clone, Copy)]
pub(super) struct Fnv {
    hash: u64,
    is_empty: bool,
}

impl Default for Fnv {
    fn default() -> Self {
        Self { hash: fnv::START, is_empty: true }
    }
}

impl Fnv {
    /// Adds a word, without regard to case.
    pub(super) fn word(&mut self, word: &str) {
        if !self.is_empty {
            self.byte(b' ');
        }
        self.is_empty = false;
        let mut utf8 = [0; 4];
        for c in word.chars().flat_map(char::to_lowercase) {
            c.encode_utf8(&mut utf8).bytes().for_each(|byte| self.byte(byte));
        }
    }

    fn byte(&mut self, byte: u8) {
        self.hash = fnv::byte(self.hash, byte);
    }

    /// The fingerprint; 0 if there was no word.
    pub(super) fn finish(self) -> u64 {
        if self.is_empty { 0 } else { self.hash }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_read_by_their_parts() {
        let check = |class: &str, person: bool, subject: bool| {
            assert_eq!((is_person_class(class), is_subject_class(class)), (person, subject), "{class}");
        };
        check("post-author", true, false);
        check("userName big", true, false);
        check("USER", true, false);
        check("threadauthor", true, false);
        check("authority", false, false);
        check("tag_link", false, true);
        check("staging", false, false);
        check("", false, false);
        check(&"author ".repeat(100), false, false);
    }

    #[test]
    fn names_follow_some_words() {
        let check = |text: &str, expect: bool| assert_eq!(ends_before_name(text), expect, "{text}");
        check("Uploaded by", true);
        check("gepostet VON", true);
        check("作者：", true);
        check("by the way", false);
        check("", false);
    }

    #[test]
    fn words_are_counted_in_any_writing() {
        let check = |text: &str, expect: usize| assert_eq!(word_count(text), expect, "{text}");
        check("Red-Ball (2)!", 3);
        check("王小明", 2);
        check("HTML 基础教程", 3);
        check("", 0);
    }

    #[test]
    fn fingerprints_ignore_case_and_punctuation() {
        assert_eq!(fingerprint("  Red-Ball (2)!"), fingerprint("red ball 2"));
        assert_ne!(fingerprint("redball"), fingerprint("red ball"));
        assert_eq!(fingerprint(" - "), 0);
    }
}
