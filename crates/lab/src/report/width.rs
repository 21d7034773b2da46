//! How wide a text is: in terminal columns, where Chinese takes two, and from that roughly in a plot.
//!
//! A table of the wide blocks instead of the whole of Unicode's: a label that is a column off in a rare script is a
//! blemish, another dependency is a cost.

/// Code points that take two columns: CJK, Hangul, kana, full-width forms, emoji.
const WIDE: [(u32, u32); 14] = [
    (0x1100, 0x115F),
    (0x231A, 0x231B),
    (0x2E80, 0x303E),
    (0x3041, 0x33FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xA000, 0xA4CF),
    (0xAC00, 0xD7A3),
    (0xF900, 0xFAFF),
    (0xFE30, 0xFE6F),
    (0xFF00, 0xFF60),
    (0xFFE0, 0xFFE6),
    (0x1F300, 0x1FAFF),
    (0x20000, 0x3FFFD),
];

/// Code points that take none: combining marks, joiners, direction marks, variation selectors.
const NONE: [(u32, u32); 9] = [
    (0x0300, 0x036F),
    (0x0483, 0x0489),
    (0x0591, 0x05BD),
    (0x064B, 0x065F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x2069),
    (0x20D0, 0x20FF),
    (0xFE00, 0xFE0F),
];

/// Terminal columns of a character.
fn columns_of(c: char) -> usize {
    let within = |ranges: &[(u32, u32)]| ranges.iter().any(|&(from, to)| (from..=to).contains(&u32::from(c)));
    match c {
        ' '..='~' => 1,
        _ if c.is_control() || within(&NONE) => 0,
        _ if within(&WIDE) => 2,
        _ => 1,
    }
}

/// Terminal columns of a text.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// A text of at most `most` columns: what does not fit is replaced by an ellipsis.
pub(super) fn cut(text: &str, most: usize) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    let mut used = 1;
    let mut out: String = text
        .chars()
        .take_while(|&c| {
            used += columns_of(c);
            used <= most
        })
        .collect();
    out.truncate(out.trim_end().len());
    out.push('…');
    out
}

/// About how wide a text is in a plot whose letters are so high: generous, for margins.
pub(super) fn pixels(text: &str, font_size: f64) -> f64 {
    columns(text) as f64 * font_size * 0.56
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_by_hand() {
        let check = |text: &str, expect: usize| assert_eq!(columns(text), expect, "`{text}`");
        check("", 0);
        check("abc", 3);
        check("篮球", 4);
        check("NBA 篮球", 8);
        check("é", 1);
        check("e\u{301}", 1);
        check("ＡＢ", 4);
        check("a\u{202e}b", 2);
        check("\u{1b}[0m", 3);
    }

    #[test]
    fn long_texts_are_cut() {
        let check = |text: &str, most: usize, expect: &str| assert_eq!(cut(text, most), expect, "`{text}`");
        check("best-first", 10, "best-first");
        check("best-first", 6, "best-…");
        check("篮球比赛", 8, "篮球比赛");
        check("篮球比赛", 6, "篮球…");
        check("best first", 6, "best…");
        check("ab", 0, "…");
    }
}
