//! Labels, which may come from crawled pages: removes harmful characters, measures the width, and shortens to fit.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Text without what moves a cursor, turns the direction of what follows or is not allowed in XML; one line.
pub(crate) fn clean(text: &str) -> String {
    let safe = |c: char| match c {
        '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => '\u{FFFD}',
        '\u{FFFE}' | '\u{FFFF}' => '\u{FFFD}',
        c if c.is_whitespace() => ' ',
        c if c.is_control() => '\u{FFFD}',
        c => c,
    };
    text.chars().map(safe).collect()
}

/// Terminal columns of a text, where Chinese takes two.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// A clean text of at most `most` columns: what does not fit is replaced by an ellipsis.
pub(crate) fn cut(text: &str, most: usize) -> String {
    let text = clean(text);
    if columns(&text) <= most {
        return text;
    }
    let mut used = 1;
    let fits = |c: &char| {
        used += c.width().unwrap_or_default();
        used <= most
    };
    let out: String = text.chars().take_while(fits).collect();
    format!("{}…", out.trim_end())
}

/// About how wide a text is in a plot: generous, for margins.
pub(crate) fn pixels(text: &str) -> f64 {
    /// The height of letters that the style sheet sets, times the share of it that most are wide.
    const COLUMN: f64 = 12.0 * 0.56;
    columns(text) as f64 * COLUMN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_is_made_harmless() {
        let check = |text: &str, expect: &str| assert_eq!(clean(text), expect);
        check("a\0b\u{1b}c\u{85}d", "a\u{FFFD}b\u{FFFD}c d");
        check("a\nb\tc", "a b c");
        check("\u{202e}evil\u{ffff}", "\u{FFFD}evil\u{FFFD}");
        check("篮球", "篮球");
    }

    #[test]
    fn long_texts_are_cut() {
        let check = |text: &str, most: usize, expect: &str| assert_eq!(cut(text, most), expect, "`{text}`");
        check("best-first", 10, "best-first");
        check("best-first", 6, "best-…");
        check("篮球比赛", 8, "篮球比赛");
        check("篮球比赛", 6, "篮球…");
        check("best first", 6, "best…");
        check("e\u{301}", 1, "e\u{301}");
        check("ab", 0, "…");
    }
}
