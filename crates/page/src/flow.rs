//! The visible text of a page as one string: white space collapsed, blocks on lines of their own.
//!
//! All other texts of the page (anchors, contexts, node values) are ranges of this string.

/// A range of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Span {
    pub(crate) fn of(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// What separates the last word from the next one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Space,
    Line,
}

/// Collects the text.
pub(crate) struct Flow {
    text: String,
    gap: Gap,
    max: usize,
    cut: bool,
}

impl Flow {
    pub(crate) fn new(max: usize, expected: usize) -> Self {
        Self { text: String::with_capacity(expected.min(max)), gap: Gap::None, max, cut: false }
    }

    /// Marks the beginning or end of a block.
    pub(crate) fn line(&mut self) {
        self.gap = Gap::Line;
    }

    /// Adds white space, or something shown as such.
    pub(crate) fn space(&mut self) {
        self.gap = self.gap.max(Gap::Space);
    }

    /// Adds a text as written. Returns the range it takes up once white space is collapsed, or `None` if nothing
    /// remains.
    pub(crate) fn push(&mut self, text: &str) -> Option<Span> {
        let before = space_before(text);
        if before == text.len() {
            if before > 0 {
                self.space();
            }
            return None;
        }
        let after = space_after(text);
        let words = text.get(before..text.len() - after).unwrap_or_default();
        let room = self.max.saturating_sub(self.text.len() + 1);
        if text.len() > room {
            self.cut = true;
            let end = floor(text, room);
            return if end == 0 { None } else { self.push(text.get(..end).unwrap_or_default()) };
        }
        if before > 0 {
            self.space();
        }
        match self.gap {
            _ if self.text.is_empty() => {}
            Gap::None => {}
            Gap::Space => self.text.push(' '),
            Gap::Line => self.text.push('\n'),
        }
        let start = self.position();
        push_collapsed(&mut self.text, words);
        self.gap = if after > 0 { Gap::Space } else { Gap::None };
        Some(Span { start, end: self.position() })
    }

    /// Where the next text will start, after the separator.
    pub(crate) fn position(&self) -> u32 {
        u32::try_from(self.text.len()).unwrap_or(u32::MAX)
    }

    /// The range from `start` to here, without the separator at its beginning, at most `max_chars` long.
    pub(crate) fn since(&self, start: u32, max_chars: usize) -> Span {
        let text = self.text.get(start as usize..).unwrap_or_default();
        let trimmed = text.trim_start_matches([' ', '\n']);
        let start = self.position() - u32::try_from(trimmed.len()).unwrap_or(0);
        let cut = if trimmed.len() > max_chars { trimmed.char_indices().nth(max_chars) } else { None };
        let length = cut.map_or(trimmed.len(), |(at, _)| at);
        Span { start, end: start + u32::try_from(length).unwrap_or(0) }
    }

    /// The text and whether some of it was left out.
    pub(crate) fn finish(self) -> (String, bool) {
        (self.text, self.cut)
    }
}

/// The role of a byte in collapsing white space.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Byte {
    /// Part of a word.
    Word,
    /// The kind of white space that is kept.
    Space,
    /// Other white space, or the first byte of a character that may be white space.
    Other,
}

static BYTES: [Byte; 256] = {
    let mut bytes = [Byte::Word; 256];
    let mut at = 0;
    while at < bytes.len() {
        match at as u8 {
            b' ' => bytes[at] = Byte::Space,
            b'\t'..=b'\r' | 0xC2 | 0xE1..=0xE3 => bytes[at] = Byte::Other,
            _ => {}
        }
        at += 1;
    }
    bytes
};

fn kind(byte: u8) -> Byte {
    BYTES.get(usize::from(byte)).copied().unwrap_or(Byte::Other)
}

/// Number of bytes of white space at the beginning. Non-ASCII characters are left to the Unicode functions.
fn space_before(text: &str) -> usize {
    let spaces = text.bytes().take_while(|&byte| is_ascii_space(byte)).count();
    match text.as_bytes().get(spaces) {
        Some(byte) if !byte.is_ascii() => text.len() - text.trim_start().len(),
        _ => spaces,
    }
}

/// Number of bytes of white space at the end.
fn space_after(text: &str) -> usize {
    let spaces = text.bytes().rev().take_while(|&byte| is_ascii_space(byte)).count();
    match text.as_bytes().get(..text.len() - spaces) {
        Some([.., byte]) if !byte.is_ascii() => text.len() - text.trim_end().len(),
        _ => spaces,
    }
}

/// Whether a byte is white space according to Unicode.
fn is_ascii_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = LOW << 7;

/// Whether eight bytes are certainly collapsed already: ASCII without control characters, and no space after a space.
/// If so, returns whether the last one is a space.
fn collapsed(eight: [u8; 8]) -> Option<bool> {
    let eight = u64::from_le_bytes(eight);
    let control = eight.wrapping_sub(LOW * 0x20);
    // exact as long as no byte has its high bit set; if one has, the result is not used
    let spaces = !(((eight ^ (LOW * 0x20)) & !HIGH) + (HIGH - LOW)) & HIGH;
    let is_so = (control | eight) & HIGH == 0 && spaces & (spaces << 8) == 0;
    is_so.then_some(spaces >> 63 == 1)
}

/// How many bytes are certainly collapsed already, checked eight at a time. The last eight may overlap bytes that were
/// already checked, so that the end needs no byte-by-byte loop.
fn collapsed_prefix(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        match collapsed(*eight) {
            None => return at,
            Some(false) => at += 8,
            // a space at the end is checked again together with the byte after it
            Some(true) => at += 7,
        }
    }
    let end = match (bytes.last_chunk::<8>(), bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        (Some(end), ..) => Some(*end),
        (None, Some(&[a, b, c, d]), Some(&[e, f, g, h])) => Some([a, b, c, d, e, f, g, h]),
        _ => None,
    };
    if end.and_then(collapsed).is_some() { bytes.len() } else { at }
}

/// Appends a text that neither begins nor ends with white space, with a single space between its words. Stretches that
/// are already collapsed are copied in one piece.
pub(crate) fn push_collapsed(out: &mut String, words: &str) {
    let bytes = words.as_bytes();
    let (mut copied, mut at) = (0, 0);
    let tail = |at: usize| bytes.get(at..).unwrap_or_default();
    loop {
        at += collapsed_prefix(tail(at));
        let Some(word) = tail(at).iter().position(|&byte| kind(byte) != Byte::Word) else { break };
        at += word;
        if let [b' ', next, ..] = tail(at)
            && kind(*next) == Byte::Word
        {
            at += 2;
            continue;
        }
        let rest = words.get(at..).unwrap_or_default();
        let space = rest.len() - rest.trim_start().len();
        if space == 0 {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        }
        out.push_str(words.get(copied..at).unwrap_or_default());
        out.push(' ');
        at += space;
        copied = at;
    }
    out.push_str(words.get(copied..).unwrap_or_default());
}

/// The text around `anchor`, itself included: at most `chars` characters, the anchor in the middle. Words that
/// would be cut are left out where words have spaces between them.
pub(crate) fn around(text: &str, anchor: Span, chars: usize) -> &str {
    let own = anchor.of(text);
    let (start, end) = (anchor.start as usize, anchor.end as usize);
    let own_chars = if own.is_ascii() { own.len().min(chars) } else { own.chars().take(chars).count() };
    let side = (chars - own_chars) / 2;
    if side == 0 {
        let end = own.char_indices().nth(chars).map_or(own.len(), |(at, _)| at);
        return own.get(..end).unwrap_or_default();
    }
    let before = text.get(..start).unwrap_or_default();
    let after = text.get(end..).unwrap_or_default();
    let from = chars_before(before, side);
    let to = chars_after(after, side);
    let from = from + cut_word_before(before, from);
    let to = to - cut_word_after(after, to);
    text.get(from..end + to).unwrap_or(own).trim_matches([' ', '\n'])
}

/// Where the last `count` characters of a text begin. It is called for every link of a page, so pure ASCII has a
/// shortcut.
fn chars_before(text: &str, count: usize) -> usize {
    let place = text.len().saturating_sub(count);
    if text.get(place..).is_some_and(str::is_ascii) {
        return place;
    }
    let (bytes, mut left) = (text.as_bytes(), count);
    let mut place = bytes.len();
    for eight in bytes.rchunks_exact(8) {
        match chars_in(eight) {
            chars if chars < left => (left, place) = (left - chars, place - 8),
            _ => break,
        }
    }
    while left > 0 && place > 0 {
        place -= 1;
        left -= bytes.get(place).map_or(0, |byte| usize::from(begins_char(*byte)));
    }
    place
}

/// Where the first `count` characters of a text end.
fn chars_after(text: &str, count: usize) -> usize {
    let place = text.len().min(count);
    if text.get(..place).is_some_and(str::is_ascii) {
        return place;
    }
    let (bytes, mut left, mut place) = (text.as_bytes(), count, 0);
    for eight in bytes.chunks_exact(8) {
        match chars_in(eight) {
            chars if chars <= left => (left, place) = (left - chars, place + 8),
            _ => break,
        }
    }
    // up to the beginning of the first character that is too many
    let rest = bytes.get(place..).unwrap_or_default();
    let begins = rest.iter().enumerate().filter(|(_, byte)| begins_char(**byte));
    place + { begins }.nth(left).map_or(rest.len(), |(at, _)| at)
}

/// How many characters begin in eight bytes of UTF-8: the others have `10` for their upper bits.
fn chars_in(eight: &[u8]) -> usize {
    const LOWEST: u64 = 0x0101_0101_0101_0101;
    let word = <[u8; 8]>::try_from(eight).map_or(0, u64::from_ne_bytes);
    8 - ((word >> 7) & !(word >> 6) & LOWEST).count_ones() as usize
}

/// Whether a UTF-8 byte is the first of a character; this is cheaper than decoding.
fn begins_char(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}

/// The last position up to `max` where a text can be cut.
pub(crate) fn floor(text: &str, max: usize) -> usize {
    (0..=max.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// Longest piece of a word that is left out at the edge of a context, in bytes.
const LONGEST_WORD: usize = 24;

/// How many bytes after `from` belong to a word that began before it.
fn cut_word_before(before: &str, from: usize) -> usize {
    let inside = from > 0 && !before.get(..from).is_some_and(|text| text.ends_with([' ', '\n']));
    let rest = before.get(from..).unwrap_or_default();
    if inside { rest.find([' ', '\n']).filter(|&at| at <= LONGEST_WORD).unwrap_or(0) } else { 0 }
}

/// How many bytes before `to` belong to a word that continues after it.
fn cut_word_after(after: &str, to: usize) -> usize {
    let kept = after.get(..to).unwrap_or_default();
    let inside = to < after.len() && !after.get(to..).is_some_and(|text| text.starts_with([' ', '\n']));
    let last = if inside { kept.rfind([' ', '\n']) } else { None };
    last.map(|at| kept.len() - at).filter(|&cut| cut <= LONGEST_WORD).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ways of counting agree, whatever the length of characters in bytes.
    #[test]
    fn characters_are_counted_from_both_ends() {
        for text in
            ["", "plain ascii text", "aé篮球🌹", "篮球比赛 basketball 🌹🌹🌹🌹 été à la plage 篮球比赛"]
        {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            for count in 0..60 {
                let last = places.len() - 1;
                assert_eq!(chars_after(text, count), places[count.min(last)], "{text} {count}");
                assert_eq!(chars_before(text, count), places[last - count.min(last)], "{text} {count}");
            }
        }
    }

    #[test]
    fn white_space_collapses_and_blocks_break() {
        let mut flow = Flow::new(1000, 0);
        assert_eq!(flow.push(" \n "), None);
        assert_eq!(flow.push("  Hello,\n world"), Some(Span { start: 0, end: 12 }));
        assert_eq!(flow.push("!  "), Some(Span { start: 12, end: 13 }));
        assert_eq!(flow.push("A\u{a0}b"), Some(Span { start: 14, end: 17 }));
        flow.line();
        flow.space();
        flow.line();
        assert_eq!(flow.push("next"), Some(Span { start: 18, end: 22 }));
        assert_eq!(flow.since(17, 3), Span { start: 18, end: 21 });
        assert_eq!(flow.finish(), ("Hello, world! A b\nnext".to_owned(), false));
    }

    #[test]
    fn words_are_split_as_unicode_says() {
        let check = |text: &str| {
            let mut out = String::new();
            push_collapsed(&mut out, text.trim());
            assert_eq!(out, text.split_whitespace().collect::<Vec<_>>().join(" "), "{text:?}");
        };
        check("a b  c\td \n e");
        check("“a” – b\u{2003}c\u{85}d\u{a0}\u{a0}e");
        check("é\u{200b}\u{3000}中 文　字 \u{1680}ა ");
        check("a\u{b}b\u{1c}c");
        check("");
        // every mixture at every position within the eight bytes that are checked together
        let mut draw = 1_u32;
        for length in 0..4000 {
            let mut next = |_| {
                draw = draw.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                ['a', 'b', 'c', 'd', ' ', '\n', 'é', '中', '\u{3000}'][(draw >> 24) as usize % 9]
            };
            check(&(0..length % 40).map(&mut next).collect::<String>());
        }
    }

    #[test]
    fn space_at_the_edges_is_that_of_unicode() {
        let edges = [
            "",
            " ",
            "\n\t ",
            "\u{b}",
            "\u{1c}",
            "\u{a0}",
            " \u{3000}",
            "\u{85} ",
            "\u{2003}\n",
            "é",
            "\u{200b}",
        ];
        for before in edges {
            for after in edges {
                for text in
                    [format!("{before}a b{after}"), format!("{before}é{after}"), format!("{before}{after}")]
                {
                    assert_eq!(space_before(&text), text.len() - text.trim_start().len(), "{text:?}");
                    assert_eq!(space_after(&text), text.len() - text.trim_end().len(), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn too_much_text_is_left_out() {
        let mut flow = Flow::new(11, 0);
        assert!(flow.push("12345").is_some());
        assert!(flow.push(" 6 éé").is_some());
        assert_eq!(flow.push("x"), None);
        assert_eq!(flow.finish(), ("12345 6 é".to_owned(), true));
    }

    #[test]
    fn context_surrounds_the_anchor() {
        let check = |text: &str, anchor: &str, chars: usize, expect: &str| {
            let start = text.find(anchor).expect("the anchor is in the text");
            let span = Span { start: start as u32, end: (start + anchor.len()) as u32 };
            assert_eq!(around(text, span, chars), expect, "{text:?} {anchor:?} {chars}");
        };
        check("one two three four five", "three", 100, "one two three four five");
        check("one two three four five", "three", 15, "two three four");
        check("one two three four five", "three", 16, "two three four");
        check("one two three four five", "three", 5, "three");
        check("one two three four five", "three", 3, "thr");
        check("one two three four five", "one", 8, "one");
        check("请点击这里下载文件", "这里", 6, "点击这里下载");
        check("a\nb c", "b", 9, "a\nb c");
        check("a b", "a", 0, "");
    }
}
