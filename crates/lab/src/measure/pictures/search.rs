//! Search by a few texture words, as an inverted index answers it: lists of pictures by word, added up.

use osprey_vision::{Bag, Rarity};
use serde::Deserialize;

use super::Scores;

/// Which pictures a query finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Reading {
    /// Those with any of its words.
    #[default]
    Or,
    /// Those with all of its words: Zhang 2008's.
    And,
}

/// How words are chosen and results are ranked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Ranking {
    /// By what words tell, and the smaller of two roots.
    #[default]
    Minima,
    /// Zhang 2008's: the most frequent words, and root of frequency times idf times length norm.
    TfIdf,
}

/// Texture words of all pictures, and the pictures of every word.
#[derive(Clone, Debug)]
pub(super) struct TextureIndex {
    bags: Vec<Bag>,
    rarity: Rarity,
    /// By word: pictures in rising order, with the roots of the word's shares.
    lists: Vec<Vec<(u32, f32)>>,
}

/// What a query found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Answer {
    /// Below zero: not found.
    pub(super) scores: Scores,
    pub(super) results: usize,
}

/// Candidates that are ranked again by all words.
const CANDIDATES: usize = 100;

impl TextureIndex {
    pub(super) fn new(bags: Vec<Bag>) -> Self {
        let rarity = Rarity::of(&bags);
        let mut lists = vec![Vec::new(); 256];
        for (place, bag) in (0u32..).zip(&bags) {
            for (word, share) in bag.shares() {
                if let Some(list) = lists.get_mut(usize::from(word)) {
                    list.push((place, share.sqrt()));
                }
            }
        }
        Self { bags, rarity, lists }
    }

    /// The same pictures so many times, to see how time grows.
    pub(super) fn repeated(&self, times: usize) -> Self {
        Self::new((0..times).flat_map(|_| self.bags.iter().cloned()).collect())
    }

    /// Mean number of different words of a picture.
    pub(super) fn words_of_a_picture(&self) -> f64 {
        self.bags.iter().map(Bag::len).sum::<usize>() as f64 / self.bags.len().max(1) as f64
    }

    /// Searches by the strongest words of one of the pictures.
    pub(super) fn ask(&self, query: usize, count: usize, reading: Reading, ranking: Ranking) -> Answer {
        let Some(bag) = self.bags.get(query) else { return Answer::default() };
        let words = match ranking {
            Ranking::Minima => self.rarity.telling(bag, count),
            Ranking::TfIdf => bag.strongest(count),
        };
        let mut scores = vec![0.0f32; self.bags.len()];
        let mut met = vec![0u8; self.bags.len()];
        for (word, amount) in &words {
            let list = self.lists.get(usize::from(*word)).map(Vec::as_slice).unwrap_or_default();
            let weight = match ranking {
                Ranking::Minima => self.rarity.weight(*word),
                Ranking::TfIdf => (1.0 + (self.bags.len() as f32 / (list.len() + 1) as f32).ln()).powi(2),
            };
            for (place, root) in list {
                let gain = if ranking == Ranking::Minima { root.min(*amount) } else { *root };
                if let (Some(score), Some(met)) =
                    (scores.get_mut(*place as usize), met.get_mut(*place as usize))
                {
                    *score += gain * weight;
                    *met += 1;
                }
            }
        }
        let needed = if reading == Reading::And { words.len().max(1) as u8 } else { 1 };
        let mut results = 0;
        for (score, met) in scores.iter_mut().zip(&met) {
            if *met >= needed {
                results += 1;
            } else {
                *score = -1.0;
            }
        }
        Answer { scores, results }
    }

    /// Ranks the hundred best again, by the sum of minima of all their words.
    pub(super) fn rerank(&self, query: usize, answer: &mut Answer) {
        let Some(bag) = self.bags.get(query) else { return };
        let found = (0..answer.scores.len()).filter(|place| answer.scores[*place] >= 0.0);
        let mut order: Vec<usize> = found.collect();
        order.sort_by(|a, b| answer.scores[*b].total_cmp(&answer.scores[*a]));
        let highest = order.first().map_or(0.0, |place| answer.scores[*place]);
        for place in order.into_iter().take(CANDIDATES) {
            let other = self.bags.get(place);
            let minima =
                bag.shares().map(|(word, share)| other.map_or(0.0, |bag| bag.share(word)).min(share));
            answer.scores[place] = highest + minima.sum::<f32>();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(pictures: &[&[(u8, f32)]]) -> TextureIndex {
        let bag = |words: &&[(u8, f32)]| {
            let mut amounts = [0.0; 256];
            words.iter().for_each(|(word, share)| amounts[usize::from(*word)] = *share);
            Bag::new(&amounts)
        };
        TextureIndex::new(pictures.iter().map(bag).collect())
    }

    #[test]
    fn any_or_all_words_must_match() {
        let index = index(&[&[(1, 0.5), (2, 0.5)], &[(1, 1.0)], &[(1, 0.4), (2, 0.6)], &[(3, 1.0)]]);
        let check = |count: usize, reading: Reading, expect: &[usize]| {
            let answer = index.ask(0, count, reading, Ranking::Minima);
            let found: Vec<usize> = (0..4).filter(|place| answer.scores[*place] >= 0.0).collect();
            assert_eq!((found.as_slice(), answer.results), (expect, expect.len()), "{count} {reading:?}");
        };
        check(2, Reading::Or, &[0, 1, 2]);
        check(2, Reading::And, &[0, 2]);
        // The word that tells the most is 2: fewer have it.
        check(1, Reading::Or, &[0, 2]);
        assert_eq!(index.words_of_a_picture(), 1.5);
    }

    #[test]
    fn scores_are_those_of_one_by_one() {
        let index = index(&[&[(1, 0.5), (2, 0.5)], &[(1, 1.0)], &[(1, 0.4), (2, 0.6)]]);
        let query = index.rarity.telling(&index.bags[0], 2);
        let answer = index.ask(0, 2, Reading::Or, Ranking::Minima);
        for (score, bag) in answer.scores.iter().zip(&index.bags) {
            assert!((score - index.rarity.score(&query, bag)).abs() < 1e-5);
        }
    }

    #[test]
    fn the_best_are_ranked_again_by_all_words() {
        let index = index(&[&[(1, 0.4), (2, 0.6)], &[(2, 0.6), (3, 0.4)], &[(1, 0.4), (2, 0.6)]]);
        let mut answer = index.ask(0, 1, Reading::Or, Ranking::Minima);
        index.rerank(0, &mut answer);
        assert!(answer.scores[2] > answer.scores[1], "{answer:?}");
    }
}
