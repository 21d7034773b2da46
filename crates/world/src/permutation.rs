//! A permutation of `0..n` that can be evaluated and inverted at any position, without a table.
//!
//! With it a world without stored state can answer both "which photos are in this group" and "which groups is this
//! photo in". It is a four-round Feistel network over the next power of four; values outside the range are mapped again
//! until they fall inside (under four steps on average).

use crate::Dice;

/// A permutation of `0..n`.
#[derive(Clone, Copy, Debug)]
pub struct Permutation {
    n: u64,
    half_bits: u32,
    keys: [u64; 4],
}

impl Permutation {
    /// The permutation of `0..n` determined by `dice`.
    pub fn new(n: u64, dice: Dice) -> Self {
        let bits = 64 - n.saturating_sub(1).leading_zeros();
        let keys = [0, 1, 2, 3].map(|round| dice.at(round).bits());
        Self { n, half_bits: bits.div_ceil(2).max(1), keys }
    }

    /// The value at `place`; places outside the range are unchanged.
    pub fn at(&self, place: u64) -> u64 {
        self.walk(place, |value| self.forth(value))
    }

    /// The place of `value`: the inverse of [`Permutation::at`].
    pub fn place_of(&self, value: u64) -> u64 {
        self.walk(value, |value| self.back(value))
    }

    fn walk(&self, start: u64, step: impl Fn(u64) -> u64) -> u64 {
        if start >= self.n {
            return start;
        }
        let mut value = step(start);
        while value >= self.n {
            value = step(value);
        }
        value
    }

    fn split(&self, value: u64) -> (u64, u64) {
        (value >> self.half_bits, value & self.mask())
    }

    fn mask(&self) -> u64 {
        (1u64 << self.half_bits) - 1
    }

    fn round(&self, key: u64, half: u64) -> u64 {
        Dice::new(key ^ half).bits() & self.mask()
    }

    fn forth(&self, value: u64) -> u64 {
        let (mut left, mut right) = self.split(value);
        for key in self.keys {
            (left, right) = (right, left ^ self.round(key, right));
        }
        (left << self.half_bits) | right
    }

    fn back(&self, value: u64) -> u64 {
        let (mut left, mut right) = self.split(value);
        for key in self.keys.into_iter().rev() {
            (left, right) = (right ^ self.round(key, left), left);
        }
        (left << self.half_bits) | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_one_place() {
        for n in [1, 2, 3, 17, 256, 1000] {
            let shuffle = Permutation::new(n, Dice::new(n));
            let mut seen = vec![false; n as usize];
            for place in 0..n {
                let value = shuffle.at(place);
                assert!(!std::mem::replace(&mut seen[value as usize], true), "{value} twice of {n}");
                assert_eq!(shuffle.place_of(value), place);
            }
        }
    }

    #[test]
    fn it_shuffles() {
        let shuffle = Permutation::new(10_000_000, Dice::new(1));
        let kept = (0..1000).filter(|place| shuffle.at(place + 1) == shuffle.at(*place) + 1).count();
        assert_eq!(kept, 0);
    }
}
