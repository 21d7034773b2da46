//! One series of numbers for the members of many classes, as content management systems use: `/node/1234` may be
//! anything.

use crate::{Dice, Permutation};

/// Members of classes to numbers and back.
#[derive(Clone, Debug)]
pub(crate) struct Numbering {
    /// Where each class begins in the row, and where the row ends.
    bases: Vec<u64>,
    shuffle: Permutation,
}

impl Numbering {
    /// Numbers for classes of these sizes.
    pub(crate) fn new(sizes: &[u64], dice: Dice) -> Self {
        let mut bases = vec![0];
        let mut sum = 0u64;
        for size in sizes {
            sum = sum.saturating_add(*size);
            bases.push(sum);
        }
        Self { bases, shuffle: Permutation::new(sum, dice) }
    }

    /// How many numbers there are.
    pub(crate) fn len(&self) -> u64 {
        self.bases.last().copied().unwrap_or(0)
    }

    /// The number of a member of a class.
    pub(crate) fn number(&self, class: usize, member: u64) -> u64 {
        self.shuffle.at(self.bases.get(class).copied().unwrap_or(0).saturating_add(member))
    }

    /// The class and the member that have a number.
    pub(crate) fn member(&self, number: u64) -> Option<(usize, u64)> {
        if number >= self.len() {
            return None;
        }
        let place = self.shuffle.place_of(number);
        let class = self.bases.partition_point(|base| *base <= place).checked_sub(1)?;
        Some((class, place - self.bases.get(class)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_one_member() {
        let row = Numbering::new(&[3, 0, 5], Dice::new(1));
        let check = |class: usize, member: u64| {
            assert_eq!(row.member(row.number(class, member)), Some((class, member)))
        };
        (0..3).for_each(|member| check(0, member));
        (0..5).for_each(|member| check(2, member));
        assert_eq!((row.len(), row.member(8)), (8, None));
    }
}
