//! How often something has been shown, about: a table of small counters, of bounded size.
//!
//! A count-min sketch with two places for each thing: it never counts too few, and seldom too many, because all counts
//! are halved before the table is full. So what was shown once and long ago is forgotten.

/// Counters, a power of two.
const PLACES: usize = 1 << 22;
/// Things counted before all counts are halved: the table is then a quarter full.
const FULL: usize = PLACES / 8;

#[derive(Debug, Default)]
pub(super) struct ShownCounts {
    /// Allocated with the first thing.
    counts: Vec<u8>,
    counted: usize,
}

impl ShownCounts {
    fn places(thing: u64) -> [usize; 2] {
        let hash = thing.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let place = |bits: u64| bits as usize % (PLACES / 2);
        [place(hash >> 40), PLACES / 2 + place(hash >> 16)]
    }

    /// How often `thing` was shown, at least if it is not long ago.
    pub(super) fn count(&self, thing: u64) -> u8 {
        Self::places(thing)
            .map(|at| self.counts.get(at).copied().unwrap_or_default())
            .into_iter()
            .min()
            .unwrap_or(0)
    }

    /// Counts `thing` once more.
    pub(super) fn add(&mut self, thing: u64) {
        if self.counts.is_empty() {
            self.counts = vec![0; PLACES];
        }
        for at in Self::places(thing) {
            if let Some(count) = self.counts.get_mut(at) {
                *count = count.saturating_add(1);
            }
        }
        self.counted += 1;
        if self.counted >= FULL {
            self.counts.iter_mut().for_each(|count| *count /= 2);
            self.counted /= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_kept_and_the_table_never_fills() {
        let mut shown = ShownCounts::default();
        let thing = |n: u64| n.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ n >> 7;
        assert_eq!(shown.count(thing(0)), 0);
        (0..9).for_each(|_| shown.add(thing(0)));
        assert_eq!(shown.count(thing(0)), 9);
        (1..2 * PLACES as u64).for_each(|n| shown.add(thing(n)));
        let wrong = (0..10_000).filter(|n| shown.count(thing(1 << 40 | n)) > 1).count();
        assert!(wrong < 200, "{wrong} of 10,000 things that were never shown");
    }
}
