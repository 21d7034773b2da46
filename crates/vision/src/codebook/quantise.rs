//! Finds the words nearest to a description, with their weights.
//!
//! A tile usually lies between words. It is divided among the three nearest, with larger weights for nearer ones; in
//! measurements this gains more than any size of codebook. The weights use no powers or logarithms, so they are the
//! same on every machine.

use serde::{Deserialize, Serialize};

use super::gla::Centre;
use crate::colour::apart;

/// Among how many words a description is shared.
const SHARED: usize = 3;
/// The most words.
const MOST: usize = 256;

/// Words for descriptions of `N` numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quantiser<const N: usize> {
    /// The words.
    pub(crate) centres: Vec<[f32; N]>,
    pub(crate) measure: Measure,
}

/// How descriptions are made comparable.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Measure {
    /// Subtracted from each number; empty for none.
    pub(crate) shift: Vec<f32>,
    /// Multiplied with each number then.
    pub(crate) scale: Vec<f32>,
    /// The mean squared distance of a description to its nearest word: how far is far.
    pub(crate) reach: f32,
    /// A matrix, row by row, that is applied last; empty for none. It is among the numbers of a file.
    #[serde(skip)]
    pub(crate) turn: Vec<f32>,
}

impl Measure {
    /// Each number is to have the mean 0 and the deviation 1.
    pub(crate) fn even<const N: usize>(points: &[[f32; N]]) -> Self {
        let count = points.len().max(1) as f64;
        let mut measure = Self::default();
        for axis in 0..N {
            let values = points.iter().map(|point| f64::from(point[axis]));
            let mean = values.clone().sum::<f64>() / count;
            let variance = values.map(|value| (value - mean) * (value - mean)).sum::<f64>() / count;
            measure.shift.push(mean as f32);
            measure.scale.push((1.0 / variance.sqrt().max(1e-6)) as f32);
        }
        measure
    }

    pub(crate) fn apply<const N: usize>(&self, point: &[f32; N]) -> [f32; N] {
        let mut point = *point;
        for ((value, shift), scale) in point.iter_mut().zip(&self.shift).zip(&self.scale) {
            *value = (*value - shift) * scale;
        }
        if self.turn.is_empty() { point } else { turned(&self.turn, &point) }
    }
}

/// A point times a matrix.
fn turned<const N: usize>(matrix: &[f32], point: &[f32; N]) -> [f32; N] {
    let mut out = [0.0; N];
    // The matrix is symmetric: adding rows times values gives the product, and the inner loop does not wait for a sum.
    for (row, value) in matrix.as_chunks::<N>().0.iter().zip(point) {
        out.iter_mut().zip(row).for_each(|(out, weight)| *out += weight * value);
    }
    out
}

impl<const N: usize> Quantiser<N> {
    pub(crate) fn new(centres: Vec<Centre<N>>, measure: Measure) -> Self {
        Self { centres: centres.into_iter().take(MOST).map(|centre| centre.point).collect(), measure }
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.centres.len()
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.centres.is_empty()
    }

    /// The nearest word; `None` if the codebook is empty.
    pub fn nearest(&self, description: &[f32; N]) -> Option<u8> {
        self.shares(description).first().map(|(word, _)| *word)
    }

    /// The nearest words and their shares, nearest first; the shares sum to one.
    pub fn shares(&self, description: &[f32; N]) -> Vec<(u8, f32)> {
        let point = self.measure.apply(description);
        let mut best: Vec<(u8, f32)> = Vec::with_capacity(SHARED + 1);
        for (word, centre) in self.centres.iter().take(MOST).enumerate() {
            let distance = apart(&point, centre);
            if best.len() < SHARED || best.last().is_some_and(|(_, worst)| distance < *worst) {
                let place = best.partition_point(|(_, nearer)| *nearer <= distance);
                best.insert(place, (word as u8, distance));
                best.truncate(SHARED);
            }
        }
        let least = best.first().map_or(0.0, |(_, distance)| *distance);
        let reach = self.measure.reach.max(f32::MIN_POSITIVE);
        for (_, share) in &mut best {
            let further = 1.0 + (*share - least) / reach;
            *share = 1.0 / (further * further);
        }
        let total: f32 = best.iter().map(|(_, share)| share).sum();
        best.iter_mut().for_each(|(_, share)| *share /= total);
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_shared_among_the_nearest() {
        let measure = Measure { reach: 1.0, ..Measure::default() };
        let quantiser = Quantiser { centres: vec![[0.0], [2.0], [10.0], [4.0], [-90.0]], measure };
        let check = |at: f32, expect: &[(u8, f32)]| {
            let found = quantiser.shares(&[at]);
            assert_eq!(found.len(), 3);
            for ((word, share), (expect_word, expect_share)) in found.iter().zip(expect) {
                assert_eq!(word, expect_word, "{found:?}");
                assert!((share - expect_share).abs() < 1e-3, "{found:?}");
            }
        };
        // At a word: the squares of the distances are 0, 4, 16: 1, 1/25, 1/289 of 1.0435.
        check(0.0, &[(0, 0.9583), (1, 0.0383), (3, 0.0033)]);
        // Halfway: both the same, the first first; 1, 1, 1/81.
        check(1.0, &[(0, 0.4969), (1, 0.4969), (3, 0.0061)]);
        assert_eq!(quantiser.nearest(&[9.0]), Some(2));
        assert_eq!(Quantiser::<1>::default().nearest(&[9.0]), None);
    }

    #[test]
    fn even_numbers_have_mean_zero_and_deviation_one() {
        let measure = Measure::even(&[[1.0, 10.0], [3.0, 10.0]]);
        assert_eq!(measure.apply(&[1.0, 10.0]), [-1.0, 0.0]);
        assert_eq!(measure.apply(&[3.0, 10.0]), [1.0, 0.0]);
        let turn = vec![2.0, 1.0, 1.0, 3.0];
        assert_eq!(Measure { turn, ..measure }.apply(&[3.0, 10.0]), [2.0, 1.0]);
    }
}
