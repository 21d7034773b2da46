//! A picture as a short query: the few words that characterise it best.
//!
//! Zhang 2008 takes the most frequent words and ranks by `tf * idf`. In measurements two changes improve this: the
//! weight of a word is the square root of its share times its rarity, and the similarity is the smaller of the two
//! roots, so having more of a word than the example is no advantage.

use super::{Bag, Words};

/// What a share is taken for if nothing in a collection has the word.
const RAREST: f32 = 1e-4;

/// How much each word tells in a collection: the less there is of it, the more.
#[derive(Clone, Debug, PartialEq)]
pub struct Rarity(Box<[f32; 256]>);

impl Rarity {
    /// From the bags of a collection.
    pub fn of<'a>(bags: impl IntoIterator<Item = &'a Bag>) -> Self {
        let (mut sums, mut count) = (Box::new([0.0f32; 256]), 0u32);
        for bag in bags {
            count += 1;
            bag.shares().for_each(|(word, share)| sums[usize::from(word)] += share);
        }
        let rarity = |sum: f32| (1.0 + 1.0 / (sum / count.max(1) as f32).max(RAREST)).ln();
        sums.iter_mut().for_each(|sum| *sum = rarity(*sum));
        Self(sums)
    }

    /// How much a word tells.
    pub fn weight(&self, word: u8) -> f32 {
        self.0[usize::from(word)]
    }

    /// The words of a bag that tell the most, with the roots of their shares; of equal ones the lower number first.
    pub fn telling(&self, bag: &Bag, count: usize) -> Vec<(u8, f32)> {
        let mut words: Vec<(u8, f32)> = bag.shares().map(|(word, share)| (word, share.sqrt())).collect();
        words.sort_by(|a, b| (b.1 * self.weight(b.0)).total_cmp(&(a.1 * self.weight(a.0))));
        words.truncate(count);
        words
    }

    /// How much a bag has of what a query asks for.
    pub fn score(&self, query: &[(u8, f32)], bag: &Bag) -> f32 {
        query.iter().map(|(word, root)| root.min(bag.share(*word).sqrt()) * self.weight(*word)).sum()
    }
}

impl Words {
    /// Texture words of all tiles, as one bag: what short queries ask by. Leaving bordering tiles out, as Zhang 2008
    /// does, costs them precision.
    pub fn all_textures(&self) -> Bag {
        let [inner, bordering, crossing] = self.tiles.map(f32::from);
        let mut amounts = [0.0; 256];
        for (bag, tiles) in [(&self.textures.whole, inner + crossing), (&self.borders, bordering)] {
            bag.shares().for_each(|(word, share)| amounts[usize::from(word)] += share * tiles);
        }
        Bag::new(&amounts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bag(words: &[(u8, f32)]) -> Bag {
        let mut amounts = [0.0; 256];
        words.iter().for_each(|(word, share)| amounts[usize::from(*word)] = *share);
        Bag::new(&amounts)
    }

    #[test]
    fn a_rare_word_tells_more_than_a_common_one() {
        let common = bag(&[(1, 0.9), (2, 0.1)]);
        let bags = [common.clone(), common.clone(), common.clone(), bag(&[(1, 0.6), (3, 0.4)])];
        let rarity = Rarity::of(&bags);
        // Means are 0.825, 0.075 and 0.1: ln(1 + 1/0.825) = 0.794, ln(1 + 1/0.075) = 2.663, ln(11) = 2.398.
        for (word, expect) in [(1, 0.794), (2, 2.663), (3, 2.398)] {
            assert!((rarity.weight(word) - expect).abs() < 2e-3, "{word}: {}", rarity.weight(word));
        }
        // The roots are 0.775 and 0.632: 0.615 against 1.517.
        let told: Vec<u8> = rarity.telling(&bags[3], 1).into_iter().map(|(word, _)| word).collect();
        assert_eq!(told, [3]);
        let query = rarity.telling(&common, 2);
        let found = rarity.score(&query, &bags[3]);
        assert!((found - 0.794 * 0.6f32.sqrt()).abs() < 2e-3, "{found}");
        assert!(rarity.score(&query, &common) > found);
    }

    #[test]
    fn all_textures_are_weighted_by_their_tiles() {
        let words = Words {
            textures: super::super::Placed { whole: bag(&[(1, 1.0)]), ..Default::default() },
            borders: bag(&[(1, 0.5), (2, 0.5)]),
            tiles: [20, 60, 20],
            ..Words::default()
        };
        let all = words.all_textures();
        assert!((all.share(1) - 0.7).abs() < 1e-3 && (all.share(2) - 0.3).abs() < 1e-3, "{all:?}");
        assert!(Words::default().all_textures().is_empty());
    }
}
