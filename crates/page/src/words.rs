//! Words of links that are not in the visible text: the alternative text of an image, the title of a link, the text
//! of a link in `noscript`.
//!
//! They are collected in a separate string, which is appended to the visible text after the walk. A link that is
//! reopened many times repeats its words, so this string has a limit, like the text.

use crate::flow::{Flow, Span, floor};

/// Collects words.
pub(crate) struct Words {
    flow: Flow,
    max_chars: usize,
}

impl Words {
    /// `max_bytes` limits all words together, `max_chars` those of one link.
    pub(crate) fn new(max_bytes: usize, max_chars: usize) -> Self {
        Self { flow: Flow::new(max_bytes, 0), max_chars }
    }

    /// Where the words of a link that begins here will start.
    pub(crate) fn begin(&mut self) -> u32 {
        self.flow.line();
        self.flow.position()
    }

    /// Adds a text inside a link.
    pub(crate) fn push(&mut self, text: &str) {
        self.flow.push(text);
    }

    /// Marks the beginning of a block or line inside a link.
    pub(crate) fn space(&mut self) {
        self.flow.space();
    }

    /// The words since `start`; `None` if there are none.
    pub(crate) fn since(&self, start: u32) -> Option<Span> {
        Some(self.flow.since(start, self.max_chars)).filter(|words| words.start < words.end)
    }

    /// Adds the words of an attribute's value, if it has some near its beginning.
    pub(crate) fn value(&mut self, value: &str) -> Option<Span> {
        let start = self.begin();
        self.flow.push(self.beginning(value))?;
        self.since(start)
    }

    /// Whether an attribute's value has any words.
    pub(crate) fn has_words(&self, value: &str) -> bool {
        !self.beginning(value).trim().is_empty()
    }

    /// The part of a value that can count; the rest is not read.
    fn beginning<'v>(&self, value: &'v str) -> &'v str {
        value.get(..floor(value, self.max_chars.saturating_mul(4))).unwrap_or_default()
    }

    /// All words, and whether some were left out.
    pub(crate) fn finish(self) -> (String, bool) {
        self.flow.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_collapsed_and_cut() {
        let check = |value: &str, expect: Option<&str>| {
            let mut words = Words::new(1000, 6);
            words.push("before");
            let span = words.value(value);
            let (text, _) = words.finish();
            assert_eq!(span.map(|span| span.of(&text)), expect, "{value:?}");
        };
        check(" a \n b", Some("a b"));
        check("ééééééé", Some("éééééé"));
        check(" \t", None);
        check("", None);
        check(&format!("{}late", " ".repeat(24)), None);
    }

    #[test]
    fn there_is_a_limit() {
        let mut words = Words::new(8, 100);
        assert!(words.value("seven..").is_some());
        assert!(words.value("more").is_none());
        assert_eq!(words.finish(), ("seven..".to_owned(), true));
    }
}
