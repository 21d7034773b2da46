//! Writes HTML as real sites do: mostly well-formed, on request as sloppy as on the Web.
//!
//! It does not check nesting: a template with a missing closing tag gives what browsers and crawlers have to handle.
//! Text and attribute values are escaped; only [`Markup::raw`] is not.

use crate::Dice;

/// End tags that HTML lets authors leave out where a sibling or the parent's end follows.
const OPTIONAL_ENDS: [&str; 7] = ["li", "p", "td", "tr", "dt", "dd", "option"];

/// A page being written.
#[derive(Debug, Default)]
pub(crate) struct Markup {
    out: String,
    /// Where to draw, and how many of the optional end tags to forget.
    sloppy: Option<(Dice, f64)>,
    draws: u64,
}

impl Markup {
    /// An empty page.
    pub(crate) fn new() -> Self {
        Self { out: String::with_capacity(16 * 1024), ..Self::default() }
    }

    /// An empty page whose author forgets this share of the optional end tags, and sometimes quotes attributes with
    /// `'`.
    pub(crate) fn sloppy(dice: Dice, share: f64) -> Self {
        Self { sloppy: (share > 0.0).then_some((dice, share)), ..Self::new() }
    }

    /// `<tag name="value">`. An attribute with an empty name is left out, so that optional ones need no second call.
    pub(crate) fn open(&mut self, tag: &str, attrs: &[(&str, &str)]) {
        let quote = if self.is_sloppy() { '\'' } else { '"' };
        self.out.push('<');
        self.out.push_str(tag);
        for (name, value) in attrs.iter().filter(|(name, _)| !name.is_empty()) {
            self.out.push(' ');
            self.out.push_str(name);
            self.out.push('=');
            self.out.push(quote);
            escape(value, &mut self.out);
            self.out.push(quote);
        }
        self.out.push('>');
    }

    /// `</tag>`, unless it may be left out and this author leaves it out.
    pub(crate) fn close(&mut self, tag: &str) {
        if OPTIONAL_ENDS.contains(&tag) && self.is_sloppy() {
            self.out.push('\n');
            return;
        }
        self.out.push_str("</");
        self.out.push_str(tag);
        self.out.push('>');
        if tag.len() > 1 && tag != "span" {
            self.out.push('\n');
        }
    }

    /// Text, escaped.
    pub(crate) fn text(&mut self, text: &str) {
        escape(text, &mut self.out);
    }

    /// Markup as it is.
    pub(crate) fn raw(&mut self, markup: &str) {
        self.out.push_str(markup);
    }

    /// A number as text.
    pub(crate) fn number(&mut self, number: u64) {
        use std::fmt::Write as _;
        // Writing to a string cannot fail.
        let _ = write!(self.out, "{number}");
    }

    /// `<a href="...">text</a>`.
    pub(crate) fn link(&mut self, href: &str, text: &str, attrs: &[(&str, &str)]) {
        self.open_link(href, attrs);
        self.text(text);
        self.close("a");
    }

    /// `<a href="...">`, for links around pictures.
    pub(crate) fn open_link(&mut self, href: &str, attrs: &[(&str, &str)]) {
        self.out.push_str("<a href=\"");
        escape(href, &mut self.out);
        self.out.push('"');
        for (name, value) in attrs.iter().filter(|(name, _)| !name.is_empty()) {
            self.out.push(' ');
            self.out.push_str(name);
            self.out.push_str("=\"");
            escape(value, &mut self.out);
            self.out.push('"');
        }
        self.out.push('>');
    }

    /// `<tag ...>text</tag>`.
    pub(crate) fn element(&mut self, tag: &str, attrs: &[(&str, &str)], text: &str) {
        self.open(tag, attrs);
        self.text(text);
        self.close(tag);
    }

    /// The page so far.
    pub(crate) fn finish(self) -> String {
        self.out
    }

    fn is_sloppy(&mut self) -> bool {
        let Some((dice, share)) = self.sloppy else { return false };
        self.draws += 1;
        dice.at(self.draws).chance(share)
    }
}

/// Escapes for text and for attribute values in either quotes.
pub(crate) fn escape(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>', '"', '\'']) {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let mut chars = after.chars();
        out.push_str(match chars.next() {
            Some('&') => "&amp;",
            Some('<') => "&lt;",
            Some('>') => "&gt;",
            Some('"') => "&quot;",
            _ => "&#39;",
        });
        rest = chars.as_str();
    }
    out.push_str(rest);
}

/// Percent-encodes a text for use as one query value or one path segment.
pub(crate) fn percent(text: &str) -> String {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let mut out = String::with_capacity(text.len() + 8);
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push('%');
            for digit in [byte >> 4, byte & 15] {
                out.push(HEX.get(usize::from(digit)).map_or('0', |hex| char::from(*hex)));
            }
        }
    }
    out
}

/// The text of a percent-encoded query value or path segment; invalid escapes stay, invalid UTF-8 is replaced.
pub(crate) fn unpercent(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escaped = (byte == b'%')
            .then(|| text.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok()))
            .flatten();
        out.push(escaped.unwrap_or(byte));
        at += if escaped.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A text as a URL segment: `Old Mill, at dusk` is `old-mill-at-dusk`; at most 60 bytes, `x` if nothing remains.
pub(crate) fn slug(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().take(60) {
        match c {
            c if c.is_ascii_alphanumeric() => out.push(c.to_ascii_lowercase()),
            _ if !out.is_empty() && !out.ends_with('-') => out.push('-'),
            _ => {}
        }
    }
    let kept = out.trim_end_matches('-').len();
    out.truncate(kept);
    if out.is_empty() { "x".to_owned() } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_attributes_are_escaped() {
        let mut page = Markup::new();
        page.open("p", &[("class", "a\"b"), ("", "never")]);
        page.text("1 < 2 & 'so'");
        page.link("/x?a=1&b=2", "<x>", &[("rel", "next")]);
        page.close("p");
        let expect = "<p class=\"a&quot;b\">1 &lt; 2 &amp; &#39;so&#39;<a href=\"/x?a=1&amp;b=2\" rel=\"next\">&lt;x&gt;</a></p>";
        assert_eq!(page.finish(), expect);
    }

    #[test]
    fn sloppy_authors_forget_only_what_may_be_forgotten() {
        let mut page = Markup::sloppy(Dice::new(1), 1.0);
        page.open("ul", &[]);
        page.element("li", &[], "a");
        page.close("ul");
        assert_eq!(page.finish(), "<ul><li>a\n</ul>\n");
    }

    #[test]
    fn percent_encoding_goes_both_ways() {
        let check = |text: &str, expect: &str| {
            assert_eq!(percent(text), expect);
            assert_eq!(unpercent(expect), text);
        };
        check("nikon d90", "nikon%20d90");
        check("/a?b=ü&c", "%2Fa%3Fb%3D%C3%BC%26c");
        assert_eq!(unpercent("100%&%zz%4"), "100%&%zz%4");
    }

    #[test]
    fn slugs_are_short_and_plain() {
        let check = |text: &str, expect: &str| assert_eq!(slug(text), expect);
        check("Old Mill, at dusk!", "old-mill-at-dusk");
        check("篮球", "x");
    }
}
