//! Random numbers without state: every draw is a hash of the random seed and of a label, so any page of a world can be
//! computed alone, in any order, on any thread, with the same result.
//!
//! `dice.of("user").at(17)` names a place; drawing there does not affect any other place. Nothing here is secret.

/// A source of random numbers for one purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dice(u64);

impl Dice {
    /// The dice of a random seed.
    pub fn new(random_seed: u64) -> Self {
        Self(mix(random_seed ^ 0x6f73_7072_6579_2121))
    }

    /// The dice for a named purpose.
    #[must_use]
    pub fn of(self, purpose: &str) -> Self {
        let name = purpose.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        self.at(name)
    }

    /// The dice of one member of a series: the 17th user, the third paragraph.
    #[must_use]
    pub fn at(self, index: u64) -> Self {
        Self(mix(self.0.rotate_left(23) ^ mix(index)))
    }

    /// 64 random bits.
    pub fn bits(self) -> u64 {
        mix(self.0)
    }

    /// From 0 to 1, 1 excluded.
    pub fn unit(self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// From 0 to `n - 1`; 0 if `n` is 0.
    pub fn below(self, n: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }

    /// From `low` to `high`, both included.
    pub fn between(self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low).saturating_add(1))
    }

    /// True with this probability.
    pub fn chance(self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// One of `items`; `None` if there are none.
    pub fn pick<T>(self, items: &[T]) -> Option<&T> {
        items.get(self.below(items.len() as u64) as usize)
    }

    /// One of `items`, for lists that are never empty.
    pub(crate) fn one_of<T: Copy + Default>(self, items: &[T]) -> T {
        self.pick(items).copied().unwrap_or_default()
    }

    /// A rank from 0 to `n - 1` that is drawn about `1 / (rank + 1)^exponent` often (Zipf), by the inverse of the
    /// continuous distribution: no table, constant time.
    pub fn zipf(self, n: u64, exponent: f64) -> u64 {
        if n <= 1 {
            return 0;
        }
        let (u, top) = (self.unit(), n as f64 + 1.0);
        let rank = if (exponent - 1.0).abs() < 1e-9 {
            top.powf(u)
        } else {
            let e = 1.0 - exponent;
            (1.0 + u * (top.powf(e) - 1.0)).powf(1.0 / e)
        };
        ((rank as u64).saturating_sub(1)).min(n - 1)
    }

    /// A number with a long tail: most are near `typical`, some many times that; at most `limit`.
    pub fn long_tail(self, typical: f64, limit: u64) -> u64 {
        let normal = (self.of("a").unit() + self.of("b").unit() + self.of("c").unit() - 1.5) * 2.0;
        ((typical * normal.exp()) as u64).min(limit)
    }
}

/// The finaliser of splitmix64.
fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_do_not_disturb_each_other() {
        let dice = Dice::new(1);
        assert_eq!(dice.of("user").at(3).bits(), dice.of("user").at(3).bits());
        assert_ne!(dice.of("user").at(3).bits(), dice.of("user").at(4).bits());
        assert_ne!(dice.of("user").at(3).bits(), dice.of("photo").at(3).bits());
        assert_ne!(Dice::new(1).bits(), Dice::new(2).bits());
    }

    #[test]
    fn draws_stay_in_their_bounds() {
        for i in 0..1000 {
            let dice = Dice::new(7).at(i);
            assert!(dice.unit() < 1.0);
            assert!(dice.below(5) < 5 && dice.below(0) == 0);
            assert!((3..=9).contains(&dice.between(3, 9)));
            assert!(dice.zipf(10, 1.0) < 10 && dice.zipf(10, 1.4) < 10 && dice.zipf(0, 1.0) == 0);
            assert!(dice.long_tail(20.0, 60) <= 60);
        }
    }

    #[test]
    fn zipf_halves_with_the_double_rank() {
        let mut counts = [0u32; 64];
        (0..200_000).for_each(|i| counts[Dice::new(3).at(i).zipf(64, 1.0) as usize] += 1);
        let ratio = f64::from(counts[3]) / f64::from(counts[7]);
        assert!((1.8..2.2).contains(&ratio), "{ratio}");
    }
}
