//! Numbers as they appear in URLs: shuffled and with gaps, so that a number reveals neither age nor kind nor what
//! exists.

use crate::{Dice, Permutation};

/// Public numbers of `0..n`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ids {
    shuffle: Permutation,
    n: u64,
    /// One of this many numbers is used.
    gap: u64,
    base: u64,
    dice: Dice,
}

impl Ids {
    /// Numbers of `0..n` with one used in `gap`.
    pub(crate) fn new(n: u64, gap: u64, dice: Dice) -> Self {
        let base = dice.of("base").between(1000, 90_000);
        Self { shuffle: Permutation::new(n, dice), n, gap: gap.max(2), base, dice }
    }

    /// The public number of a member.
    pub(crate) fn of(&self, member: u64) -> u64 {
        let place = self.shuffle.at(member);
        self.base + place * self.gap + self.offset(place)
    }

    /// The member with a public number.
    pub(crate) fn back(&self, id: u64) -> Option<u64> {
        let place = id.checked_sub(self.base)? / self.gap;
        let is_used = place < self.n && self.base + place * self.gap + self.offset(place) == id;
        is_used.then(|| self.shuffle.place_of(place))
    }

    /// A member's position in the order of public numbers.
    pub(crate) fn place(&self, member: u64) -> u64 {
        self.shuffle.at(member)
    }

    /// The member at a place in the order of public numbers.
    pub(crate) fn at(&self, place: u64) -> u64 {
        self.shuffle.place_of(place)
    }

    /// A number of the same form that no member has.
    pub(crate) fn gone(&self, draw: u64) -> u64 {
        let place = draw % self.n.max(1);
        self.base + place * self.gap + (self.offset(place) + 1) % self.gap
    }

    fn offset(&self, place: u64) -> u64 {
        self.dice.of("offset").at(place).below(self.gap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_can_be_read_back_and_gaps_are_refused() {
        let ids = Ids::new(500, 7, Dice::new(2));
        let used = (0..500).map(|member| ids.of(member)).collect::<std::collections::BTreeSet<_>>();
        assert_eq!(used.len(), 500);
        for member in 0..500 {
            assert_eq!(ids.back(ids.of(member)), Some(member));
            assert_eq!(ids.at(ids.place(member)), member);
            assert_eq!(ids.back(ids.gone(member)), None);
        }
        assert_eq!((ids.back(0), ids.back(u64::MAX)), (None, None));
    }
}
