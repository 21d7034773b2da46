//! Drawing from a fixed list with given weights in constant time (Walker's alias method).
//!
//! Prose draws a word every few dozen nanoseconds; the inverse of a power function costs more than that, and a table
//! of cumulated weights a search.

/// Draws indices of a list.
#[derive(Clone, Debug, Default)]
pub(super) struct Draw {
    /// For each index: how much of its share of 2^32 it keeps, and which index gets the rest.
    cells: Vec<(u32, u32)>,
}

impl Draw {
    /// Draws `0..n` with the weights `1 / (rank + shift)^exponent` (Zipf-Mandelbrot).
    pub(super) fn zipf(n: usize, shift: f64, exponent: f64) -> Self {
        Self::new(&(0..n).map(|rank| (rank as f64 + shift).powf(-exponent)).collect::<Vec<_>>())
    }

    /// Draws indices of `weights`, which are not negative.
    pub(super) fn new(weights: &[f64]) -> Self {
        let n = weights.len();
        let mean = weights.iter().sum::<f64>() / n.max(1) as f64;
        let mut left: Vec<f64> = weights.iter().map(|weight| weight / mean).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..n).partition(|i| left[*i] < 1.0);
        let mut cells: Vec<(u32, u32)> = (0..n).map(|i| (u32::MAX, i as u32)).collect();
        while let (Some(poor), Some(&rich)) = (small.pop(), large.last()) {
            cells[poor] = ((left[poor] * f64::from(u32::MAX)) as u32, rich as u32);
            left[rich] -= 1.0 - left[poor];
            if left[rich] < 1.0 {
                large.pop();
                small.push(rich);
            }
        }
        Self { cells }
    }

    /// The index that these random bits draw; 0 if the list is empty.
    pub(super) fn draw(&self, bits: u64) -> usize {
        let (high, low) = ((bits >> 32) as u32, bits as u32);
        let index = ((u64::from(high) * self.cells.len() as u64) >> 32) as usize;
        match self.cells.get(index) {
            Some(&(keep, _)) if low <= keep => index,
            Some(&(_, other)) => other as usize,
            None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dice;

    fn check(weights: &[f64], expect: &[f64]) {
        let draw = Draw::new(weights);
        let mut counts = vec![0u32; weights.len()];
        (0..100_000).for_each(|i| counts[draw.draw(Dice::new(5).at(i).bits())] += 1);
        for (count, expect) in counts.iter().zip(expect) {
            let share = f64::from(*count) / 100_000.0;
            assert!((share - expect).abs() < 0.01, "{share} for {expect} of {weights:?}");
        }
    }

    #[test]
    fn shares_follow_the_weights() {
        check(&[1.0], &[1.0]);
        check(&[1.0, 1.0, 2.0], &[0.25, 0.25, 0.5]);
        check(&[0.0, 8.0, 1.0, 1.0], &[0.0, 0.8, 0.1, 0.1]);
    }

    #[test]
    fn an_empty_list_can_be_drawn_from() {
        assert_eq!(Draw::new(&[]).draw(u64::MAX), 0);
        assert_eq!(Draw::zipf(0, 1.0, 1.0).draw(7), 0);
    }

    #[test]
    fn zipf_halves_with_the_double_rank() {
        let draw = Draw::zipf(100, 1.0, 1.0);
        let mut counts = [0u32; 100];
        (0..200_000).for_each(|i| counts[draw.draw(Dice::new(9).at(i).bits())] += 1);
        let ratio = f64::from(counts[4]) / f64::from(counts[9]);
        assert!((1.8..2.2).contains(&ratio), "{ratio}");
    }
}
