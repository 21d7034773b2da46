//! Near duplicates: a 64-bit simhash of a page's words, and the pages that differ in at most three bits.
//!
//! The index is a ring of the last pages, found through four bands of sixteen bits: two hashes that differ in
//! at most three bits agree in at least one band. Its memory is bounded whatever the crawl's length; it is
//! rebuilt from the visits after a restart. Exact duplicates are found by digest in the store.

use std::cell::RefCell;

/// Bits in which near duplicates may differ.
const MAX_DISTANCE: u32 = 3;
/// A run of more bytes than this that is not ASCII is a sentence without spaces: its characters are words.
const LONG_WORD: usize = 24;
/// Texts of fewer words say too little to be nearly the same; see `parse.rs` for those that are the same.
const MIN_WORDS: usize = 32;
/// Pages remembered.
const CAPACITY: usize = 1 << 19;
const NONE: u32 = u32::MAX;

/// A page's words as 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Simhash(pub u64);

impl Simhash {
    /// Of a text, by pairs of words (single words make pages of one template alike); `None` where it is too short.
    pub fn of(text: &str) -> Option<Self> {
        SEEN.with_borrow_mut(|seen| {
            seen.begin(text.len());
            let mut votes = Votes::default();
            let (mut words, mut before) = (0, 0);
            let mut feed = |hash: u64| {
                let pair = hash.rotate_left(17) ^ u64::wrapping_mul(before, 0x9e37_79b9_7f4a_7c15);
                before = hash;
                words += 1;
                // each pair counts once: a word repeated a hundred times must not outvote all others
                if seen.insert(pair) {
                    votes.cast(pair);
                }
            };
            let mut rest = text.as_bytes();
            while let Some((hash, length)) = next_word(rest) {
                let (word, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
                if length > LONG_WORD && !word.is_ascii() {
                    let characters = word.chunk_by(|_, next| is_continuation(*next));
                    characters.filter_map(next_word).for_each(|(hash, _)| feed(hash));
                } else if length > 0 {
                    feed(hash);
                }
                rest = after.get(1..).unwrap_or_default();
            }
            (words >= MIN_WORDS).then(|| Self(votes.majority()))
        })
    }

    fn bands(self) -> [usize; 4] {
        [0, 16, 32, 48].map(|shift| (self.0 >> shift & 0xffff) as usize)
    }
}

/// Whether a byte goes on with the character before it.
fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// The hash and the length of what `text` begins with, up to the next white space; `None` if there is no text.
///
/// Eight bytes at a time, since words end where a processor does not expect it: looking at every byte costs more than
/// all the rest. In UTF-8 no byte of another character is a white space.
fn next_word(text: &[u8]) -> Option<(u64, usize)> {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = LOW << 7;
    let mut hash = 0x2545_f491_4f6c_dd1d_u64;
    let mut length = 0;
    if text.is_empty() {
        return None;
    }
    loop {
        let bytes = eight(text.get(length..).unwrap_or_default());
        // the high bit of every byte below 0x21; right up to the lowest of them, which is the one that is asked for
        let ends = bytes.wrapping_sub(LOW * 0x21) & !bytes & HIGH;
        let kept = ends.trailing_zeros() / 8;
        let mask = if kept == 8 { u64::MAX } else { (1 << (kept * 8)) - 1 };
        let wide = u128::from(hash ^ (bytes & mask)) * 0x9e37_79b9_7f4a_7c15;
        hash = wide as u64 ^ (wide >> 64) as u64;
        length += kept as usize;
        if kept < 8 {
            return Some((hash, length));
        }
    }
}

/// The next eight bytes, blanks after the last one.
pub(crate) fn eight(bytes: &[u8]) -> u64 {
    if let Some(whole) = bytes.first_chunk() {
        return u64::from_le_bytes(*whole);
    }
    let mut padded = [b' '; 8];
    padded.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    u64::from_le_bytes(padded)
}

thread_local! {
    /// A page worker hashes page after page: the table of pairs is kept.
    static SEEN: RefCell<SeenPairs> = RefCell::default();
}

/// The pairs of one text: open addressing, grown when three quarters are taken.
#[derive(Default)]
struct SeenPairs {
    slots: Vec<u64>,
    mask: usize,
    used: usize,
}

impl SeenPairs {
    /// Forgets all pairs and makes room for a text of that length.
    fn begin(&mut self, length: usize) {
        self.resize((length / 4).next_power_of_two().max(64));
    }

    fn resize(&mut self, size: usize) {
        self.slots.clear();
        self.slots.resize(size, 0);
        (self.mask, self.used) = (size - 1, 0);
    }

    /// Whether `pair` is new.
    fn insert(&mut self, pair: u64) -> bool {
        let pair = pair.max(1); // 0 marks a free slot
        if self.used * 4 >= self.slots.len() * 3 {
            self.grow();
        }
        let mut at = pair as usize & self.mask;
        while self.slots[at] != 0 {
            if self.slots[at] == pair {
                return false;
            }
            at = (at + 1) & self.mask;
        }
        self.slots[at] = pair;
        self.used += 1;
        true
    }

    fn grow(&mut self) {
        let old: Vec<u64> = self.slots.iter().copied().filter(|pair| *pair != 0).collect();
        self.resize(self.slots.len() * 2);
        old.into_iter().for_each(|pair| {
            self.insert(pair);
        });
    }
}

/// Eight bytes with the bits of a byte in their lowest places.
const SPREAD: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte] |= ((byte >> bit & 1) as u64) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// How many hashes have each bit set. Counted in bytes, eight at a time, and carried over before they overflow.
#[derive(Default)]
struct Votes {
    bytes: [u64; 8],
    pending: u32,
    sums: [[u32; 8]; 8],
    cast: u32,
}

impl Votes {
    fn cast(&mut self, hash: u64) {
        for (counters, byte) in self.bytes.iter_mut().zip(hash.to_le_bytes()) {
            *counters += SPREAD[usize::from(byte)];
        }
        self.cast += 1;
        self.pending += 1;
        if self.pending == 255 {
            self.carry();
        }
    }

    fn carry(&mut self) {
        for (sums, counters) in self.sums.iter_mut().zip(&mut self.bytes) {
            for (sum, count) in sums.iter_mut().zip(std::mem::take(counters).to_le_bytes()) {
                *sum += u32::from(count);
            }
        }
        self.pending = 0;
    }

    /// The bits that more than half of the hashes have.
    fn majority(mut self) -> u64 {
        self.carry();
        let bits = self.sums.as_flattened().iter().enumerate();
        bits.fold(0, |hash, (bit, sum)| hash | u64::from(sum * 2 > self.cast) << bit)
    }
}

/// The last pages by simhash.
#[derive(Debug)]
pub(crate) struct NearDuplicates {
    /// Ring of (hash, visit number).
    pages: Vec<(u64, u64)>,
    /// For each band value the newest page, and for each page the next older one, per band.
    heads: [Vec<u32>; 4],
    older: [Vec<u32>; 4],
    count: u64,
}

impl Default for NearDuplicates {
    fn default() -> Self {
        let heads = || vec![NONE; 1 << 16];
        let heads = [heads(), heads(), heads(), heads()];
        Self { pages: Vec::new(), heads, older: Default::default(), count: 0 }
    }
}

impl NearDuplicates {
    /// The visit of a page that nearly repeats this one, the nearest first found.
    pub(crate) fn find(&self, hash: Simhash) -> Option<u64> {
        let mut best: Option<(u32, u64)> = None;
        for (band, value) in hash.bands().into_iter().enumerate() {
            let mut at = self.heads[band][value];
            // chains are cut where the ring has overwritten them, and bounded against floods
            for _ in 0..4096 {
                let Some((other, visit)) = self.pages.get(at as usize).copied() else { break };
                if Simhash(other).bands()[band] != value {
                    break;
                }
                let distance = (other ^ hash.0).count_ones();
                if distance <= MAX_DISTANCE && best.is_none_or(|b| (distance, visit) < b) {
                    best = Some((distance, visit));
                }
                at = self.older[band][at as usize];
            }
        }
        best.map(|(_, visit)| visit)
    }

    /// Remembers a page.
    pub(crate) fn insert(&mut self, hash: Simhash, visit: u64) {
        let at = (self.count % CAPACITY as u64) as usize;
        self.count += 1;
        if at == self.pages.len() {
            self.pages.push((hash.0, visit));
            self.older.iter_mut().for_each(|older| older.push(NONE));
        } else {
            self.pages[at] = (hash.0, visit);
        }
        for (band, value) in hash.bands().into_iter().enumerate() {
            let head = &mut self.heads[band][value];
            self.older[band][at] = if *head == at as u32 { NONE } else { *head };
            *head = at as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(words: usize, changed: usize) -> String {
        (0..words).map(|i| if i < changed { format!("other{i} ") } else { format!("word{i} ") }).collect()
    }

    #[test]
    fn a_word_changed_in_a_long_text_is_a_near_duplicate_and_another_text_is_not() {
        let mut index = NearDuplicates::default();
        index.insert(Simhash::of(&text(400, 0)).unwrap(), 7);
        assert_eq!(index.find(Simhash::of(&text(400, 1)).unwrap()), Some(7));
        assert_eq!(index.find(Simhash::of(&text(400, 399)).unwrap()), None);
        assert_eq!(Simhash::of("too short"), None);
        let repeated = |text: &str| Simhash::of(&format!("{text} {}", "x ".repeat(100))).unwrap().0;
        let distance = repeated(&text(60, 0)) ^ repeated(&text(60, 60));
        assert!(distance.count_ones() > 10, "a repeated word outvotes the others");
    }

    #[test]
    fn words_end_at_white_space_wherever_it_stands() {
        let lengths = |text: &str| {
            let mut rest = text.as_bytes();
            let mut lengths = Vec::new();
            while let Some((_, length)) = next_word(rest) {
                lengths.push(length);
                rest = rest.get(length + 1..).unwrap_or_default();
            }
            lengths
        };
        assert_eq!(lengths("a bc\ndefghijk lmnopqrstuvwxyz z"), [1, 2, 8, 15, 1]);
        assert_eq!(lengths("12345678"), [8]);
        assert_eq!(lengths("  x"), [0, 0, 1]);
        assert_eq!(lengths("\u{80}\u{4e00}! "), [6]);
        let hash = |text: &str| next_word(text.as_bytes()).unwrap().0;
        assert_eq!(hash("word next"), hash("word"));
        assert_ne!(hash("wordnext"), hash("word"));
        assert_ne!(hash("12345678"), hash("123456780"));
    }

    #[test]
    fn votes_are_counted_past_every_carry() {
        let mut votes = Votes::default();
        // bit 0 in all, bit 9 in 501 of 1000, bit 63 in 500
        for i in 0..1000_u64 {
            votes.cast(1 | u64::from(i < 501) << 9 | u64::from(i < 500) << 63);
        }
        assert_eq!(votes.majority(), 1 | 1 << 9);
    }

    #[test]
    fn pairs_are_seen_once_however_many() {
        let mut seen = SeenPairs::default();
        seen.begin(0);
        for round in 0..2 {
            for pair in 0..1000_u64 {
                // 0 and 1 share a place
                assert_eq!(seen.insert(pair * 64), round == 0, "{pair}");
            }
        }
    }

    #[test]
    fn distances_up_to_three_are_found_whichever_bits_differ() {
        let mut index = NearDuplicates::default();
        index.insert(Simhash(0), 1);
        for (bits, found) in [(0u64, true), (1, true), (1 << 63 | 1 << 40 | 1 << 20, true), (0b1111, false)] {
            assert_eq!(index.find(Simhash(bits)).is_some(), found, "{bits:b}");
        }
    }

    #[test]
    fn the_ring_forgets_and_stays_bounded() {
        let mut index = NearDuplicates::default();
        let spread = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for i in 1..=CAPACITY as u64 + 10 {
            index.insert(Simhash(spread(i)), i);
        }
        assert_eq!(index.pages.len(), CAPACITY);
        assert_eq!(index.find(Simhash(spread(CAPACITY as u64))), Some(CAPACITY as u64));
        assert_eq!(index.find(Simhash(spread(3))), None);
    }
}
