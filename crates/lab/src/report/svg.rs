//! A writer of markup that cannot write bad markup: elements close themselves, all text and every attribute value is
//! escaped, and what XML forbids is replaced. HTML and SVG both go through it, and the page is well-formed XML.

use std::fmt::{self, Display, Write};

/// Attributes of an element. Names are the program's own, values may be anything.
pub(super) type Attributes<'a> = &'a [(&'a str, &'a dyn Display)];

/// Markup in the making.
#[derive(Default)]
pub(super) struct Markup {
    out: String,
}

impl Markup {
    /// An element with something inside.
    pub(super) fn element(&mut self, name: &str, attributes: Attributes<'_>, inside: impl FnOnce(&mut Self)) {
        self.tag(name, attributes);
        self.out.push('>');
        inside(self);
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push('>');
    }

    /// An element that holds only text.
    pub(super) fn words(&mut self, name: &str, attributes: Attributes<'_>, text: &str) {
        self.element(name, attributes, |markup| markup.text(text));
    }

    /// An element that never holds anything: a line, a circle, `<meta>`.
    pub(super) fn empty(&mut self, name: &str, attributes: Attributes<'_>) {
        self.tag(name, attributes);
        self.out.push_str("/>");
    }

    /// Text.
    pub(super) fn text(&mut self, text: &str) {
        // Writing into a string does not fail.
        let _ = Escaped(&mut self.out).write_str(text);
    }

    /// Something of the program's own that is not to be escaped: the style sheet, the document type.
    pub(super) fn own(&mut self, text: &'static str) {
        self.out.push_str(text);
    }

    /// A line break, to keep the source readable.
    pub(super) fn newline(&mut self) {
        self.out.push('\n');
    }

    /// What was written.
    pub(super) fn finish(self) -> String {
        self.out
    }

    fn tag(&mut self, name: &str, attributes: Attributes<'_>) {
        self.out.push('<');
        self.out.push_str(name);
        for (key, value) in attributes {
            self.out.push(' ');
            self.out.push_str(key);
            self.out.push_str("=\"");
            let _ = write!(Escaped(&mut self.out), "{value}");
            self.out.push('"');
        }
    }
}

/// What a plot is drawn on. Each is drawn twice, for a desk and for a phone, and the style sheet shows one of them:
/// scaling a single one would make its letters too small or its lines too coarse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Canvas {
    /// Names at the ends of lines, hints under the pointer.
    Wide,
    /// A legend above instead, fewer ticks, no hints: fingers do not hover.
    Narrow,
}

impl Canvas {
    pub(super) fn width(self) -> f64 {
        match self {
            Self::Wide => 760.0,
            Self::Narrow => 360.0,
        }
    }

    pub(super) fn is_wide(self) -> bool {
        self == Self::Wide
    }

    /// An SVG of this width.
    pub(super) fn draw(
        self,
        markup: &mut Markup,
        title: &str,
        height: f64,
        inside: impl FnOnce(&mut Markup),
    ) {
        let view = format!("0 0 {} {}", Px(self.width()), Px(height));
        let class = if self.is_wide() { "plot wide" } else { "plot narrow" };
        let attributes: Attributes<'_> =
            &[("viewBox", &view), ("role", &"img"), ("aria-label", &title), ("class", &class)];
        // No `<title>` of the whole: it would pop up wherever the pointer rests.
        markup.element("svg", attributes, inside);
        markup.newline();
    }
}

struct Escaped<'a>(&'a mut String);

impl Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                '\t' | '\n' | '\r' => self.0.push(' '),
                // Not allowed in XML, or turns the direction of all that follows it.
                _ if c.is_control() => self.0.push('\u{FFFD}'),
                '\u{FFFE}' | '\u{FFFF}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
                    self.0.push('\u{FFFD}');
                }
                _ => self.0.push(c),
            }
        }
        Ok(())
    }
}

/// A coordinate, to a hundredth of a pixel: finer is not seen, and the last bits of a sum may differ.
#[derive(Clone, Copy)]
pub(super) struct Px(pub(super) f64);

impl Display for Px {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hundredths = if self.0.is_finite() { (self.0 * 100.0).round() } else { 0.0 };
        // Adding 0 makes of -0 a 0.
        write!(f, "{}", hundredths / 100.0 + 0.0)
    }
}

/// Points joined by lines, for the `d` of a path. Each part is drawn apart from the others.
pub(super) struct Lines<'a>(pub(super) &'a [Vec<(f64, f64)>]);

impl Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in self.0 {
            for (place, &(x, y)) in part.iter().enumerate() {
                write!(f, "{}{} {}", if place == 0 { 'M' } else { 'L' }, Px(x), Px(y))?;
            }
        }
        Ok(())
    }
}

/// The class of a series: its colour, and, when colours run out, its kind of line.
pub(super) fn series_class(index: usize) -> String {
    const COLOURS: usize = 8;
    const DASHES: usize = 3;
    format!("s{} d{}", index % COLOURS, index / COLOURS % DASHES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markup(write: impl FnOnce(&mut Markup)) -> String {
        let mut markup = Markup::default();
        write(&mut markup);
        markup.finish()
    }

    #[test]
    fn elements_nest() {
        let got = markup(|m| {
            m.element("g", &[("class", &"a"), ("x", &Px(1.0))], |m| m.empty("line", &[]));
            m.words("text", &[], "x < y");
        });
        assert_eq!(got, r#"<g class="a" x="1"><line/></g><text>x &lt; y</text>"#);
    }

    #[test]
    fn hostile_text_is_escaped() {
        let check = |text: &str, expect: &str| {
            assert_eq!(markup(|m| m.text(text)), expect);
            assert_eq!(markup(|m| m.empty("a", &[("b", &text)])), format!("<a b=\"{expect}\"/>"));
        };
        check(
            "</text><script>alert('&')</script>",
            "&lt;/text&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;",
        );
        check("\" onload=\"x", "&quot; onload=&quot;x");
        check("a\0b\u{1b}c\u{85}d", "a\u{FFFD}b\u{FFFD}c\u{FFFD}d");
        check("a\nb", "a b");
        check("\u{202e}evil\u{ffff}", "\u{FFFD}evil\u{FFFD}");
        check("篮球", "篮球");
    }

    #[test]
    fn coordinates_are_short() {
        let check = |value: f64, expect: &str| assert_eq!(Px(value).to_string(), expect);
        check(1.0, "1");
        check(0.126, "0.13");
        check(-0.001, "0");
        check(-2.5, "-2.5");
        check(f64::NAN, "0");
        check(f64::INFINITY, "0");
    }

    #[test]
    fn lines_break() {
        assert_eq!(Lines(&[vec![(0.0, 1.0), (2.0, 3.5)], vec![(4.0, 5.0)]]).to_string(), "M0 1L2 3.5M4 5");
    }
}
