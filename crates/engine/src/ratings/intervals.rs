//! Shares and totals that are estimated from a sample, with the intervals in which they lie with 95 % certainty.
//!
//! A share gets Wilson's interval (1927), which is honest for few and for extreme counts. Totals of several strata, and the
//! share of one total in two, are joined from the intervals of their parts by the method of variance estimates recovery
//! (Zou and Donner 2008; for ratios Donner and Zou 2012): no normal distribution of the whole is assumed, and a part
//! of which nothing was found keeps its upper bound.

use serde::{Deserialize, Serialize};

/// The normal deviate of 95 % on two sides.
const Z: f64 = 1.959_963_984_540_054;

/// An estimate, and the interval in which the truth lies with 95 % certainty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The best guess.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Estimate {
    /// What is known for sure.
    #[cfg(test)]
    pub(crate) fn exact(value: f64) -> Self {
        Self { value, low: value, high: value }
    }

    /// The same of something so many times as large.
    pub(crate) fn times(self, factor: f64) -> Self {
        Self { value: self.value * factor, low: self.low * factor, high: self.high * factor }
    }
}

/// Things of which some were looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stratum {
    /// All of them.
    pub(crate) all: u64,
    /// Those that were looked at.
    pub(crate) seen: u64,
    /// Those of them that are good.
    pub(crate) good: u64,
}

impl Stratum {
    /// How many of all are good. What was seen is known; the interval is that of the rest.
    fn total(self) -> Estimate {
        let Self { all, seen, good } = self;
        let (good_seen, rest) = (good as f64, all.saturating_sub(seen) as f64);
        let share = wilson(good, seen);
        let with = |share: f64| good_seen + rest * share;
        Estimate { value: with(share.value), low: with(share.low), high: with(share.high) }
    }
}

/// The share of `good` among `seen`, by Wilson; of nothing, anything.
pub(crate) fn wilson(good: u64, seen: u64) -> Estimate {
    if seen == 0 {
        return Estimate { value: 0.5, low: 0.0, high: 1.0 };
    }
    let (n, share) = (seen as f64, good as f64 / seen as f64);
    let middle = (share + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
    let half = Z / (1.0 + Z * Z / n) * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    // what rounding adds at the ends
    Estimate { value: share, low: (middle - half).clamp(0.0, share), high: (middle + half).clamp(share, 1.0) }
}

/// How many are good in all strata together.
pub(crate) fn total(strata: &[Stratum]) -> Estimate {
    let parts = strata.iter().map(|stratum| stratum.total());
    let (mut value, mut below, mut above) = (0.0, 0.0, 0.0);
    for part in parts {
        value += part.value;
        below += (part.value - part.low).powi(2);
        above += (part.high - part.value).powi(2);
    }
    Estimate { value, low: (value - f64::sqrt(below)).max(0.0), high: value + f64::sqrt(above) }
}

/// The share of one total in itself and another; `None` if neither has anything.
pub(crate) fn share_of(one: Estimate, other: Estimate) -> Option<Estimate> {
    let sum = one.value + other.value;
    if sum <= 0.0 {
        return None;
    }
    if one.value < other.value {
        // never divide by the smaller: it may be nothing
        let Estimate { value, low, high } = share_of(other, one)?;
        return Some(Estimate { value: 1.0 - value, low: 1.0 - high, high: 1.0 - low });
    }
    // the ratio other / one, in [lowest, highest]; the share is 1 / (1 + ratio)
    let product = other.value * one.value;
    let (low_sign, high_sign) =
        (other.low * (2.0 * other.value - other.low), other.high * (2.0 * other.value - other.high));
    let (down, up) = (one.high * (2.0 * one.value - one.high), one.low * (2.0 * one.value - one.low));
    let lowest = match down.abs() > f64::EPSILON {
        true => (product - (product * product - low_sign * down).max(0.0).sqrt()) / down,
        false if product > 0.0 => low_sign / (2.0 * product),
        false => 0.0,
    };
    let highest = match up > f64::EPSILON {
        true => (product + (product * product - high_sign * up).max(0.0).sqrt()) / up,
        false => f64::INFINITY,
    };
    let value = one.value / sum;
    let share = |ratio: f64| 1.0 / (1.0 + ratio.max(0.0));
    Some(Estimate { value, low: share(highest).min(value), high: share(lowest).max(value) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(found: Estimate, expect: (f64, f64, f64)) {
        let near = |a: f64, b: f64| (a - b).abs() < 5e-4;
        assert!(
            near(found.value, expect.0) && near(found.low, expect.1) && near(found.high, expect.2),
            "{found:?}, expected {expect:?}"
        );
    }

    /// By hand, z² = 3.8415. Of 8 in 10: middle (.8 + .19207) / 1.38415 = .71674, half 1.96 / 1.38415 x
    /// sqrt(.016 + .009604) = .22658. Of none in 10: middle = half = .13877.
    #[test]
    fn shares_by_wilson() {
        check(wilson(8, 10), (0.8, 0.4902, 0.9433));
        check(wilson(0, 10), (0.0, 0.0, 0.2775));
        check(wilson(10, 10), (1.0, 0.7225, 1.0));
        check(wilson(50, 100), (0.5, 0.4038, 0.5962));
        check(wilson(0, 0), (0.5, 0.0, 1.0));
    }

    /// One stratum of 100 of which 10 were seen, 8 good: 8 + 90 x Wilson. Two of these: distances 27.88 and 12.90 times
    /// the root of two.
    #[test]
    fn totals_of_strata() {
        let one = Stratum { all: 100, seen: 10, good: 8 };
        check(total(&[one]), (80.0, 52.1146, 92.8986));
        let root = 2f64.sqrt();
        check(total(&[one, one]), (160.0, 160.0 - 27.8854 * root, 160.0 + 12.8986 * root));
        // all were seen: nothing is uncertain
        check(total(&[Stratum { all: 10, seen: 10, good: 3 }]), (3.0, 3.0, 3.0));
        check(total(&[]), (0.0, 0.0, 0.0));
    }

    #[test]
    fn shares_of_totals() {
        let exact = |one: f64, other: f64| share_of(Estimate::exact(one), Estimate::exact(other));
        check(exact(30.0, 10.0).unwrap(), (0.75, 0.75, 0.75));
        check(exact(5.0, 0.0).unwrap(), (1.0, 1.0, 1.0));
        check(exact(0.0, 5.0).unwrap(), (0.0, 0.0, 0.0));
        assert_eq!(exact(0.0, 0.0), None);
        // nothing was found in the other, but up to 40 may be there: by hand, ratio 40 / sqrt(80 x (160 - 80)) = .5
        let (one, other) = (Estimate::exact(80.0), Estimate { value: 0.0, low: 0.0, high: 40.0 });
        check(share_of(one, other).unwrap(), (1.0, 1.0 / 1.5, 1.0));
        // one is known and the other is 10 in 5..20: shares 80/100, 80/85
        let other = Estimate { value: 10.0, low: 5.0, high: 20.0 };
        check(share_of(one, other).unwrap(), (80.0 / 90.0, 0.8, 80.0 / 85.0));
        // the first may be nothing at all
        let one = Estimate { value: 4.0, low: 0.0, high: 9.0 };
        let found = share_of(one, other).unwrap();
        assert_eq!(found.low, 0.0);
        assert!(found.high > 4.0 / 14.0 && found.high < 9.0 / 14.0, "{found:?}");
    }
}
