//! What a page shows, in a few numbers that do not depend on the order in which it is shown.
//!
//! The text is cut into pieces: a block is a piece, and so is every anchor. A sketch keeps the smallest hashes of pieces
//! and of pictures: pages that show the same items in another order have the same sketch. In a sketch, digits are ignored,
//! so that two months of a calendar show the same. From the pieces of a sketch, words of the page's own URL and title are removed
//! (an error page that repeats what was asked for says nothing new), and anchors of links to the page's own URL
//! pattern are left out (the other months of a calendar are not content).
//!
//! Pages of numbers are told apart by their long numbers, if there are many: a counter is no content, a table is.
//!
//! A sketch is stored with the visit as a short text, since what is known of traps is rebuilt from visits.

use osprey_model::CanonicalUrl;
use osprey_page::Page;
use xxhash_rust::xxh3::xxh3_64;

use crate::duplicates::eight;
use crate::traps::{have_one_pattern, url_pattern_tag};

/// Hashes kept of a page.
const KEPT: usize = 10;
/// Pieces looked at; a page with more is judged by its beginning.
const MAX_PIECES: usize = 1024;
/// Bytes at the beginning of a page in which words are compared with those of the URL and the title. Pages that repeat what
/// was asked for do so there; to look at every word of a long page would cost more than the rest.
const WORDS_WITHIN: usize = 8 << 10;
/// Words and pictures that a sketch is made from, at least: fewer say too little.
const FEWEST: u32 = 4;
/// Numbers of three digits and more that make a table.
const TABLE: u32 = 8;
/// Words of the URL and the title that are ignored, at most.
const MAX_IGNORED: usize = 64;
const SEED: u64 = 0x2545_f491_4f6c_dd1d;
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// What a page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Content {
    /// Of everything that is shown, words of the URL included: equal for pages that show the same in any order.
    pub(crate) items: u32,
    /// The same without words of the URL and the title: equal for pages that differ in these only.
    pub(crate) look: u32,
    /// The pieces with the smallest hashes.
    pub(crate) sketch: Vec<SketchPiece>,
}

/// Something that a page shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SketchPiece {
    /// 24 bits of its hash.
    pub(crate) hash: u32,
    /// For an anchor, the pattern of the URL that it leads to; otherwise 0.
    pub(crate) leads_to: u16,
}

impl Content {
    /// Of a page; `None` if it shows nothing.
    pub(crate) fn of(page: &Page) -> Option<Self> {
        let mut reader = PieceReader::new(page.url(), page.title());
        reader.read(page);
        if reader.reduced == 0 && reader.number_count < TABLE {
            return None;
        }
        let (mut items, mut look, mut sketch) = (reader.raw, reader.reduced, Vec::with_capacity(KEPT + 1));
        if reader.number_count >= TABLE {
            items = mixed(items, reader.numbers);
            look = mixed(look, reader.numbers);
            sketch.push((reader.numbers, 0));
        }
        if reader.own_count >= FEWEST || reader.number_count >= TABLE {
            sketch.extend(reader.smallest);
        }
        sketch.truncate(KEPT);
        let piece = |(hash, leads_to)| SketchPiece { hash: (hash >> 40) as u32, leads_to };
        let sketch = sketch.into_iter().map(piece).collect();
        Some(Self { items: (items >> 32) as u32, look: (look >> 32) as u32, sketch })
    }

    /// As it is stored with a visit.
    pub(crate) fn encode(&self) -> String {
        let sketch = self.sketch.iter().map(|piece| format!("{:06x}{:04x}", piece.hash, piece.leads_to));
        let sketch: String = sketch.collect();
        format!("{:08x}{:08x}{sketch}", self.items, self.look)
    }

    /// Reads what [`Self::encode`] wrote.
    pub(crate) fn decode(text: &str) -> Option<Self> {
        let number = |digits: &str| u32::from_str_radix(digits, 16).ok();
        let (items, look) = (number(text.get(..8)?)?, number(text.get(8..16)?)?);
        let rest = text.get(16..)?;
        let piece = |at: usize| {
            let (hash, leads_to) = (number(rest.get(at..at + 6)?)?, number(rest.get(at + 6..at + 10)?)?);
            Some(SketchPiece { hash, leads_to: u16::try_from(leads_to).ok()? })
        };
        let sketch = (0..rest.len() / 10).filter_map(|n| piece(n * 10)).collect();
        Some(Self { items, look, sketch })
    }
}

/// Collects the pieces of a page.
struct PieceReader {
    /// Words that are ignored, sorted.
    ignored: Vec<u64>,
    /// A bit for each of them, to pass over most words quickly.
    mask: u64,
    pieces: usize,
    /// Bytes of them.
    bytes: usize,
    /// The sum of all pieces: equal in any order.
    raw: u64,
    /// The same without the words that are ignored.
    reduced: u64,
    /// The pieces with the smallest hashes, sorted, without digits and words that are ignored.
    smallest: Vec<(u64, u16)>,
    /// Words and pictures in them, at least up to [`FEWEST`].
    own_count: u32,
    /// Of all long numbers.
    numbers: u64,
    number_count: u32,
}

impl PieceReader {
    fn new(url: &CanonicalUrl, title: &str) -> Self {
        let mut ignored: Vec<u64> = Vec::new();
        for text in [url.path_and_query(), title] {
            words(text, |word| {
                if ignored.len() < MAX_IGNORED {
                    ignored.extend([Some(word.whole), word.letters()].into_iter().flatten());
                }
            });
        }
        ignored.sort_unstable();
        let mask = ignored.iter().fold(0, |mask, word| mask | 1 << (word >> 58));
        let smallest = Vec::with_capacity(KEPT + 1);
        let (raw, reduced, own_count, number_count) = (0, 0, 0, 0);
        Self {
            ignored,
            mask,
            pieces: 0,
            bytes: 0,
            raw,
            reduced,
            smallest,
            own_count,
            numbers: SEED,
            number_count,
        }
    }

    fn read(&mut self, page: &Page) {
        let text = page.text();
        let mut from = 0;
        for link in page.links() {
            let range = page.anchor_range(link);
            if range.is_empty() || range.start < from {
                continue;
            }
            self.blocks(text.get(from..range.start).unwrap_or_default());
            let mut target = Target { to: &link.url, page: page.url(), is_own: None };
            self.piece(text.get(range.clone()).unwrap_or_default(), Some(&mut target));
            from = range.end;
        }
        self.blocks(text.get(from..).unwrap_or_default());
        for image in page.images().iter().take(MAX_PIECES) {
            let hash = image.src.fingerprint().wrapping_mul(MIX);
            self.raw = self.raw.wrapping_add(hash);
            self.reduced = self.reduced.wrapping_add(hash);
            self.keep(hash, None);
            self.own_count += FEWEST;
        }
    }

    fn blocks(&mut self, text: &str) {
        text.split('\n').for_each(|block| self.piece(block, None));
    }

    /// Takes in a piece, which may be the anchor of a link.
    fn piece(&mut self, text: &str, mut target: Option<&mut Target<'_>>) {
        let bytes = text.as_bytes();
        if self.pieces >= MAX_PIECES || !has_letters(bytes) && !has_digits(bytes) {
            return;
        }
        let (has_digits, raw) = (has_digits(bytes), xxh3_64(bytes));
        // most pieces have nothing to leave out
        let (reduced, own) = match self.without_ignored(text) {
            Some(rest) => rest,
            None if has_digits => (Some(raw), without_digits(bytes)),
            None => (Some(raw), Some(raw)),
        };
        self.pieces += 1;
        self.bytes += bytes.len();
        self.raw = self.raw.wrapping_add(raw.wrapping_mul(MIX));
        self.reduced = self.reduced.wrapping_add(reduced.unwrap_or_default().wrapping_mul(MIX));
        // most pieces need not be asked where they lead
        if (has_digits || self.own_count < FEWEST) && is_content(&mut target) {
            if own.is_some() {
                words(text, |word| self.own_count += u32::from(has_letters(word.bytes)));
            }
            self.count_numbers(text);
        }
        if let Some(own) = own {
            // multiplied once more, so that the smallest are a fair choice
            self.keep(own.wrapping_mul(MIX), target);
        }
    }

    /// A piece without the words that are ignored, and the same without digits, if there are such words and it stands
    /// near the beginning of the page.
    fn without_ignored(&self, text: &str) -> Option<(Option<u64>, Option<u64>)> {
        if self.bytes >= WORDS_WITHIN {
            return None;
        }
        let is_ignored = |word: &Word<'_>| {
            let letters = word.has_digits.then(|| word.letters()).flatten();
            self.is_ignored(word.whole) || letters.is_some_and(|letters| self.is_ignored(letters))
        };
        let mut has_ignored = false;
        words(text, |word| has_ignored |= is_ignored(&word));
        if !has_ignored {
            return None;
        }
        let (mut reduced, mut own) = (None, None);
        words(text, |word| {
            if !self.is_ignored(word.whole) {
                reduced = Some(mixed(reduced.unwrap_or(SEED), word.whole));
            }
            if !is_ignored(&word) {
                own = word.letters().map(|letters| mixed(own.unwrap_or(SEED), letters)).or(own);
            }
        });
        Some((reduced, own))
    }

    /// Keeps a piece of content if it is one of the smallest.
    fn keep(&mut self, hash: u64, mut target: Option<&mut Target<'_>>) {
        let place = self.smallest.partition_point(|(other, _)| *other < hash);
        let is_known = self.smallest.get(place).is_some_and(|(other, _)| *other == hash);
        if place >= KEPT || is_known || !is_content(&mut target) {
            return;
        }
        self.smallest.insert(place, (hash, target.map_or(0, |target| url_pattern_tag(target.to))));
        self.smallest.truncate(KEPT);
    }

    fn is_ignored(&self, word: u64) -> bool {
        self.mask >> (word >> 58) & 1 == 1 && self.ignored.binary_search(&word).is_ok()
    }

    fn count_numbers(&mut self, text: &str) {
        for number in text.as_bytes().chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit()) {
            if number.len() >= 3 && number.first().is_some_and(u8::is_ascii_digit) {
                let hash = number.iter().fold(SEED, |hash, byte| mixed(hash, u64::from(*byte)));
                self.numbers = self.numbers.wrapping_add(hash);
                self.number_count += 1;
            }
        }
    }
}

/// Where an anchor leads.
struct Target<'a> {
    to: &'a CanonicalUrl,
    page: &'a CanonicalUrl,
    /// Whether that is the page's own URL pattern, once it was asked.
    is_own: Option<bool>,
}

/// Anchors of links to the page's own URL pattern are not content.
fn is_content(target: &mut Option<&mut Target<'_>>) -> bool {
    let Some(target) = target else { return true };
    !*target.is_own.get_or_insert_with(|| have_one_pattern(target.to, target.page))
}

fn has_letters(text: &[u8]) -> bool {
    text.iter().any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii())
}

fn has_digits(text: &[u8]) -> bool {
    // without a branch for each byte
    text.iter().fold(false, |has, byte| has | byte.is_ascii_digit())
}

/// The hash of what stands between digits; `None` if there are no letters.
fn without_digits(text: &[u8]) -> Option<u64> {
    let parts = text.split(u8::is_ascii_digit).filter(|part| has_letters(part));
    parts.fold(None, |hash, part| Some(mixed(hash.unwrap_or(SEED), xxh3_64(part))))
}

fn mixed(hash: u64, part: u64) -> u64 {
    (hash ^ part).wrapping_mul(MIX).rotate_left(29)
}

/// A run of letters and digits, hashed, in either case.
struct Word<'a> {
    bytes: &'a [u8],
    whole: u64,
    has_digits: bool,
}

impl Word<'_> {
    /// The same without its digits; `None` for a number.
    fn letters(&self) -> Option<u64> {
        if !self.has_digits {
            return Some(self.whole);
        }
        let letters: Vec<u8> = self.bytes.iter().copied().filter(|byte| !byte.is_ascii_digit()).collect();
        next_word(&letters).map(|word| word.whole)
    }
}

fn words<'a>(text: &'a str, mut found: impl FnMut(Word<'a>)) {
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        let word = next_word(rest);
        let length = word.as_ref().map_or(0, |word| word.bytes.len());
        word.into_iter().for_each(&mut found);
        rest = rest.get(length + 1..).unwrap_or_default();
    }
}

/// What `text` begins with, up to the next byte that is neither letter nor digit. All bytes beyond ASCII are letters.
///
/// Eight bytes at a time, as in [`crate::duplicates`].
fn next_word(text: &[u8]) -> Option<Word<'_>> {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = LOW << 7;
    /// The high bit of every byte that is one of `first..=last`, of bytes below 0x80.
    fn within(bytes: u64, first: u8, last: u8) -> u64 {
        let bytes = bytes & !HIGH;
        (bytes + LOW * u64::from(0x80 - first)) & !(bytes + LOW * u64::from(0x7f - last)) & HIGH
    }
    let (mut hash, mut length, mut has_digits) = (SEED, 0, false);
    loop {
        let bytes = eight(text.get(length..).unwrap_or_default());
        let lower = bytes | (LOW * 0x20);
        let digits = within(bytes, b'0', b'9') & !bytes;
        let letters = (within(lower, b'a', b'z') & !bytes) | (bytes & HIGH);
        let kept = (!(digits | letters) & HIGH).trailing_zeros() / 8;
        let mask = if kept == 8 { u64::MAX } else { (1 << (kept * 8)) - 1 };
        has_digits |= digits & mask != 0;
        hash = mixed(hash, lower & mask);
        length += kept as usize;
        if kept < 8 {
            break;
        }
    }
    let whole = mixed(hash, length as u64);
    text.get(..length).filter(|bytes| !bytes.is_empty()).map(|bytes| Word { bytes, whole, has_digits })
}

#[cfg(test)]
mod tests {
    use osprey_page::{Input, PageRules};

    use super::*;

    fn content(url: &str, html: &str) -> Content {
        let url = CanonicalUrl::from_stored(&format!("http://a.example{url}")).unwrap();
        let input = Input { url: &url, body: html.as_bytes(), content_type: None };
        Content::of(&Page::parse(&input, &PageRules::default())).unwrap_or_default()
    }

    #[test]
    fn another_order_shows_the_same_and_another_item_does_not() {
        let one =
            content("/list?sort=a", "<p>Red shoe<p>Blue hat<p><a href=/i/1>Green sock</a><p>Sort: name");
        let two =
            content("/list?sort=b", "<p>Sort: name<p><a href=/i/1>Green sock</a><p>Red shoe<p>Blue hat");
        assert_eq!(one, two);
        let other =
            content("/list?sort=a", "<p>Red shoe<p>Blue cap<p><a href=/i/1>Green sock</a><p>Sort: name");
        assert_ne!(one.items, other.items);
        assert_ne!(one.sketch, other.sketch);
    }

    #[test]
    fn titles_digits_and_neighbours_of_a_calendar_are_not_content() {
        let month = |url: &str, title: &str, next: &str| {
            content(
                url,
                &format!(
                    "<title>{title}</title><h1>{title}</h1><p>No events<p>Mon<p>Tue<p>1<p>2<a href=/cal/9>{next}</a>"
                ),
            )
        };
        let (one, two) =
            (month("/cal/1", "Harvest moon 3", "frosty days"), month("/cal/2", "Old ice", "thaw"));
        assert_eq!(one.sketch, two.sketch);
        assert_ne!(one.look, two.look, "the anchors differ");
        assert_ne!(one.items, two.items);
    }

    #[test]
    fn an_error_page_that_repeats_its_url_says_nothing_new() {
        let one = content("/find/blue-car", "<p>Nothing found for blue car");
        let two = content("/find/old-tree", "<p>Nothing found for old tree");
        assert_eq!(one.look, two.look);
        assert_ne!(one.items, two.items);
    }

    #[test]
    fn pictures_are_content() {
        let photo = |n: u32| content(&format!("/p/{n}"), &format!("<p>Photo {n}<img src=/i/{n}.jpg>"));
        assert_ne!(photo(1).look, photo(2).look);
        assert_ne!(photo(1).sketch, photo(2).sketch);
    }

    #[test]
    fn tables_are_content_and_counters_are_not() {
        let table = |from: u32| {
            let rows: String = (from..from + 10).map(|n| format!("<tr><td>{n}<td>{}", n * 3)).collect();
            content("/t", &format!("<p>Visits: {from}<table>{rows}</table>"))
        };
        assert_ne!(table(100).sketch, table(200).sketch);
        let counter = |n: u32| content("/t", &format!("<p>You are visitor number {n}")).sketch;
        assert_eq!((counter(1234), counter(1234).len()), (counter(5678), 1));
        assert!(content("/t", "<p>Visits: 1234").sketch.is_empty(), "too little");
    }

    #[test]
    fn words_are_runs_of_letters_and_digits() {
        let of = |text: &str| {
            let mut found = Vec::new();
            words(text, |word| {
                found.push((
                    String::from_utf8_lossy(word.bytes).into_owned(),
                    word.letters() == Some(word.whole),
                ));
            });
            found
        };
        let check = |text: &str, expect: &[(&str, bool)]| {
            let expect: Vec<(String, bool)> =
                expect.iter().map(|(word, is)| ((*word).to_owned(), *is)).collect();
            assert_eq!(of(text), expect, "{text}");
        };
        check("", &[]);
        check("a-b, [cd] @`{z~", &[("a", true), ("b", true), ("cd", true), ("z", true)]);
        check("eightsss ninesssss", &[("eightsss", true), ("ninesssss", true)]);
        check("x1 2024 a/0:9;", &[("x1", false), ("2024", false), ("a", true), ("0", false), ("9", false)]);
        check("Älter 玫瑰", &[("Älter", true), ("玫瑰", true)]);
        let whole = |text: &str| next_word(text.as_bytes()).map(|word| (word.whole, word.letters()));
        assert_eq!(whole("Rose"), whole("rOSE,"));
        assert_eq!(whole("r0os1e").map(|(_, letters)| letters), whole("rose").map(|(whole, _)| Some(whole)));
        assert_ne!(whole("ro"), whole("ros"));
        assert_eq!(whole("12").map(|(_, letters)| letters), Some(None));
    }

    #[test]
    fn contents_read_back() {
        for content in [Content::default(), content("/", "<p>some<p>words")] {
            assert_eq!(Content::decode(&content.encode()), Some(content));
        }
        assert_eq!(Content::decode("zz"), None);
    }
}
