//! Words and their shares.

use serde::{Deserialize, Serialize};

use crate::colour::REGIONS;

/// A share of one.
const WHOLE: f32 = 65_535.0;
/// Less than a thousandth is noise and would only fill an index.
const LEAST: f32 = 0.001;

/// Words in rising order, each with its share; shares sum to about one. An empty bag has no information.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bag(Vec<(u8, u16)>);

impl Bag {
    /// Takes the amounts of all words, by their numbers.
    pub fn new(amounts: &[f32; 256]) -> Self {
        let total: f32 = amounts.iter().sum();
        if total <= 0.0 {
            return Self::default();
        }
        let shares = (0..=u8::MAX).zip(amounts).map(|(word, amount)| (word, amount / total));
        Self(shares.filter(|(_, share)| *share >= LEAST).map(|(word, share)| (word, stored(share))).collect())
    }

    /// Takes other amounts, in the same memory.
    pub(super) fn refill(&mut self, amounts: &[f32; 256]) {
        let total: f32 = amounts.iter().sum();
        let shares = (0..=u8::MAX).zip(amounts).map(|(word, amount)| (word, amount / total));
        self.0.clear();
        self.0.extend(shares.filter(|(_, share)| *share >= LEAST).map(|(word, share)| (word, stored(share))));
    }

    /// Takes `count` other words in rising order, in the same memory; `None` as soon as `next` has none.
    pub(super) fn refill_words(
        &mut self,
        count: usize,
        mut next: impl FnMut() -> Option<(u8, f32)>,
    ) -> Option<()> {
        self.0.clear();
        for _ in 0..count {
            let (word, share) = next()?;
            self.0.push((word, stored(share)));
        }
        Some(())
    }

    /// Forgets all words.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The words and their shares.
    pub fn shares(&self) -> impl Iterator<Item = (u8, f32)> {
        self.0.iter().map(|(word, share)| (*word, f32::from(*share) / WHOLE))
    }

    /// The share of a word.
    pub fn share(&self, word: u8) -> f32 {
        let place = self.0.binary_search_by_key(&word, |(word, _)| *word);
        place.ok().and_then(|place| self.0.get(place)).map_or(0.0, |(_, share)| f32::from(*share) / WHOLE)
    }

    /// The words with the largest shares, largest first; of equal ones the lower number.
    pub fn strongest(&self, count: usize) -> Vec<(u8, f32)> {
        let mut words: Vec<(u8, f32)> = self.shares().collect();
        words.sort_by(|a, b| b.1.total_cmp(&a.1));
        words.truncate(count);
        words
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn stored(share: f32) -> u16 {
    (share * WHOLE + 0.5) as u16
}

/// Words of the whole picture and of its nine regions, row by row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placed {
    /// Of the whole picture.
    pub whole: Bag,
    /// Of each region, as shares of what the region has.
    pub regions: [Bag; REGIONS],
}

impl Placed {
    /// Of a region, or of the whole picture.
    pub fn bag(&self, region: Option<usize>) -> &Bag {
        region.and_then(|region| self.regions.get(region)).unwrap_or(&self.whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_become_shares() {
        let mut amounts = [0.0; 256];
        (amounts[3], amounts[200], amounts[7]) = (30.0, 10.0, 0.01);
        let bag = Bag::new(&amounts);
        assert_eq!(bag.len(), 2);
        assert!((bag.share(3) - 0.75).abs() < 1e-3 && (bag.share(200) - 0.25).abs() < 1e-3);
        assert_eq!((bag.share(7), bag.share(4)), (0.0, 0.0));
        assert_eq!(bag.strongest(1)[0].0, 3);
        assert!(Bag::new(&[0.0; 256]).is_empty());
    }
}
