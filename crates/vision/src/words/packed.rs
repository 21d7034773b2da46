//! Words in few bits: what comparison needs, for an index that stores millions of them.
//!
//! ```text
//! width, height                     16 bits each
//! colours of nine regions           bags
//! textures, borders, shapes         bags
//! shapes of nine regions            bags
//! bag = number of words (8 bits), then for each how far it is from the one before (Rice code) and the root of its share
//! ```
//!
//! Roots of shares, because small shares count by their roots in comparison and must be as exact as large ones. Shares
//! below [`LEAST`] are dropped. Colours of the whole picture are not stored: they are the sum of the regions, weighted
//! by their pixels. Textures by region, tiles, the fingerprint and the names of colours are not stored either. On
//! Corel-1k a picture takes about 560 bytes, and P@10 is the same as with complete words.

use std::sync::LazyLock;

use super::{Bag, Words};

/// Bits of the root of a share.
const ROOT: u32 = 6;
/// Roots of shares go in steps of this.
const STEPS: f32 = ((1 << ROOT) - 1) as f32;
/// The shares of all roots.
static SHARES: LazyLock<[f32; 1 << ROOT]> = LazyLock::new(|| {
    std::array::from_fn(|root| {
        let root = root as f32 / STEPS;
        root * root
    })
});
/// The smallest share that is kept.
const LEAST: f32 = 0.004;
/// Plain bits of a Rice code; words of a bag are six to ten apart.
const RICE: u32 = 3;
/// Zeros of the Rice code of the largest gap.
const MOST_ZEROS: u32 = 255 >> RICE;
/// Bits of a number of words.
const COUNT: u32 = 8;
/// Bits of a length.
const LENGTH: u32 = 16;
/// Regions on a side.
const SIDE: u32 = 3;

impl Words {
    /// The words in few bits; see the module's text for what is lost.
    pub fn pack(&self) -> Vec<u64> {
        let mut bits = BitWriter::default();
        for length in [self.size.0, self.size.1] {
            bits.put(u64::from(length).min((1 << LENGTH) - 1), LENGTH);
        }
        let whole = [&self.textures.whole, &self.borders, &self.shapes.whole];
        for bag in self.colours.regions.iter().chain(whole).chain(&self.shapes.regions) {
            put(&mut bits, bag);
        }
        bits.numbers
    }

    /// Replaces these words by packed ones, reusing the memory; returns whether the data was complete. What is not
    /// packed is left empty.
    pub fn unpack(&mut self, numbers: &[u64]) -> bool {
        self.try_unpack(numbers).is_some()
    }

    /// The same for the colours of regions only, which is quicker; everything else is left empty.
    pub fn unpack_colours(&mut self, numbers: &[u64]) -> bool {
        let whole =
            [&mut self.colours.whole, &mut self.textures.whole, &mut self.borders, &mut self.shapes.whole];
        whole.into_iter().for_each(Bag::clear);
        self.textures.regions.iter_mut().chain(&mut self.shapes.regions).for_each(Bag::clear);
        self.begin(&mut BitReader { numbers, at: 0 }).is_some()
    }

    fn try_unpack(&mut self, numbers: &[u64]) -> Option<()> {
        let mut bits = BitReader { numbers, at: 0 };
        self.begin(&mut bits)?;
        let whole = [&mut self.textures.whole, &mut self.borders, &mut self.shapes.whole];
        for bag in whole.into_iter().chain(&mut self.shapes.regions) {
            take(&mut bits, bag)?;
        }
        let mut amounts = [0.0; 256];
        for (region, bag) in self.colours.regions.iter().enumerate() {
            let pixels = pixels(self.size, region);
            bag.shares().for_each(|(word, share)| amounts[usize::from(word)] += pixels * share);
        }
        self.colours.whole.refill(&amounts);
        self.textures.regions.iter_mut().for_each(Bag::clear);
        Some(())
    }

    /// Reads the size and the colours of regions.
    fn begin(&mut self, bits: &mut BitReader<'_>) -> Option<()> {
        self.size = (bits.take(LENGTH)? as u32, bits.take(LENGTH)? as u32);
        self.colours.regions.iter_mut().try_for_each(|bag| take(bits, bag))
    }
}

/// How many pixels a region has: as `Counts` cuts a picture, pixel `at` lies in third `at * 3 / length`.
fn pixels((width, height): (u32, u32), region: usize) -> f32 {
    let third =
        |part: u32, length: u32| (length * (part + 1)).div_ceil(SIDE) - (length * part).div_ceil(SIDE);
    let (row, column) = (region as u32 / SIDE, region as u32 % SIDE);
    (third(column, width) * third(row, height)) as f32
}

fn put(bits: &mut BitWriter, bag: &Bag) {
    let kept = || bag.shares().filter(|(_, share)| *share >= LEAST);
    // 255 words of 0.4 per cent would be more than all
    bits.put((kept().count() as u64).min((1 << COUNT) - 1), COUNT);
    let mut next = 0;
    for (word, share) in kept() {
        let gap = u64::from(word) - next;
        bits.put(1 << (gap >> RICE), (gap >> RICE) as u32 + 1);
        bits.put(gap & ((1 << RICE) - 1), RICE);
        bits.put((share.sqrt() * STEPS + 0.5) as u64, ROOT);
        next = u64::from(word) + 1;
    }
}

fn take(bits: &mut BitReader<'_>, bag: &mut Bag) -> Option<()> {
    let count = bits.take(COUNT)?;
    let mut next = 0;
    bag.refill_words(count as usize, || {
        // all of a word is in 64 bits: at most 32 zeros and a one, then two short numbers
        let window = bits.window();
        let zeros = window.trailing_zeros();
        if zeros > MOST_ZEROS {
            return None;
        }
        let rest = window >> (zeros + 1);
        let gap = u64::from(zeros) << RICE | rest & ((1 << RICE) - 1);
        let word = u8::try_from(next + gap).ok()?;
        next = u64::from(word) + 1;
        let root = rest >> RICE & ((1 << ROOT) - 1);
        bits.skip(zeros + 1 + RICE + ROOT).then(|| (word, SHARES[root as usize]))
    })
}

/// Bits from the lowest of each number up.
#[derive(Debug, Default)]
struct BitWriter {
    numbers: Vec<u64>,
    used: u32,
}

impl BitWriter {
    /// Adds the low `count` bits of `value`, at most 57.
    fn put(&mut self, value: u64, count: u32) {
        let free = self.numbers.len() as u32 * 64 - self.used;
        if free < count {
            self.numbers.push(0);
        }
        let (place, shift) = ((self.used / 64) as usize, self.used % 64);
        if let Some(number) = self.numbers.get_mut(place) {
            *number |= value << shift;
        }
        if shift + count > 64
            && let Some(number) = self.numbers.get_mut(place + 1)
        {
            *number |= value >> (64 - shift);
        }
        self.used += count;
    }
}

struct BitReader<'a> {
    numbers: &'a [u64],
    at: usize,
}

impl BitReader<'_> {
    /// The 64 bits from here on, as far as there are any.
    fn window(&self) -> u64 {
        let (place, shift) = (self.at / 64, self.at % 64);
        let low = self.numbers.get(place).copied().unwrap_or(0) >> shift;
        let high = self.numbers.get(place + 1).copied().unwrap_or(0);
        if shift == 0 { low } else { low | high << (64 - shift) }
    }

    fn take(&mut self, count: u32) -> Option<u64> {
        let value = self.window() & ((1 << count) - 1);
        self.skip(count).then_some(value)
    }

    fn skip(&mut self, count: u32) -> bool {
        self.at += count as usize;
        self.at <= self.numbers.len() * 64
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::colour::REGIONS;
    use crate::{Example, Placed};

    fn bag(words: &[(u8, f32)]) -> Bag {
        let mut amounts = [0.0; 256];
        words.iter().for_each(|(word, share)| amounts[usize::from(*word)] = *share);
        Bag::new(&amounts)
    }

    fn sample() -> Words {
        let region = bag(&[(1, 0.7), (90, 0.29), (255, 0.01)]);
        let other = bag(&[(1, 1.0)]);
        let regions = std::array::from_fn(|i| if i == 4 { region.clone() } else { other.clone() });
        let whole = bag(&[(1, 8.7 / 9.0), (90, 0.29 / 9.0), (255, 0.01 / 9.0)]);
        Words {
            size: (300, 300),
            colours: Placed { whole, regions },
            textures: Placed { whole: bag(&[(5, 0.5), (6, 0.25), (7, 0.25)]), ..Placed::default() },
            borders: bag(&[(9, 1.0)]),
            shapes: Placed { whole: bag(&[(0, 0.6), (4, 0.4)]), ..Placed::default() },
            ..Words::default()
        }
    }

    #[test]
    fn what_is_packed_comes_back_nearly_the_same() {
        let words = sample();
        let numbers = words.pack();
        assert!(numbers.len() * 8 < 72, "{}", numbers.len());
        let mut back = Words::default();
        assert!(back.unpack(&numbers));
        assert_eq!(back.size, words.size);
        let pairs = [
            (&words.colours.whole, &back.colours.whole),
            (&words.colours.regions[4], &back.colours.regions[4]),
            (&words.textures.whole, &back.textures.whole),
            (&words.shapes.whole, &back.shapes.whole),
        ];
        for (before, after) in pairs {
            assert_eq!(before.len(), after.len());
            for (word, share) in before.shares() {
                assert!((after.share(word) - share).abs() < 0.017 * share.sqrt() + 1e-3, "{word}: {share}");
            }
        }
        let alike = Example::new(&words).parts(&back);
        assert!(alike.iter().all(|part| *part > 0.97), "{alike:?}");
    }

    #[test]
    fn reused_memory_leaves_no_trace() {
        let (mut fresh, mut used) = (Words::default(), sample());
        used.textures.regions[0] = bag(&[(1, 1.0)]);
        let numbers = Words { size: (9, 9), ..Words::default() }.pack();
        assert!(fresh.unpack(&numbers) && used.unpack(&numbers));
        assert_eq!(
            (&fresh.colours, &fresh.textures, &fresh.shapes),
            (&used.colours, &used.textures, &used.shapes)
        );
    }

    #[test]
    fn regions_have_the_pixels_that_were_counted() {
        for size in [(9, 9), (10, 7), (384, 256), (1, 384), (2, 2)] {
            let all: f32 = (0..REGIONS).map(|region| pixels(size, region)).sum();
            assert_eq!(all, (size.0 * size.1) as f32, "{size:?}");
        }
    }

    #[test]
    fn colours_alone_are_the_same_colours() {
        let (mut all, mut colours) = (Words::default(), sample());
        let numbers = sample().pack();
        assert!(all.unpack(&numbers) && colours.unpack_colours(&numbers));
        assert_eq!(all.colours.regions, colours.colours.regions);
        assert!(colours.colours.whole.is_empty() && colours.shapes.whole.is_empty());
    }

    #[test]
    fn what_is_cut_is_refused() {
        let numbers = sample().pack();
        for length in 0..numbers.len() {
            assert!(!Words::default().unpack(&numbers[..length]), "{length}");
        }
    }

    proptest! {
        #[test]
        fn bits_come_back(values in prop::collection::vec((any::<u64>(), 1u32..=40), 0..200)) {
            let mut bits = BitWriter::default();
            values.iter().for_each(|(value, count)| bits.put(value & ((1 << count) - 1), *count));
            let mut reader = BitReader { numbers: &bits.numbers, at: 0 };
            for (value, count) in values {
                prop_assert_eq!(reader.take(count), Some(value & ((1 << count) - 1)));
            }
        }

        #[test]
        fn other_numbers_are_refused_or_read(numbers in prop::collection::vec(any::<u64>(), 0..80)) {
            Words::default().unpack(&numbers);
        }
    }
}
