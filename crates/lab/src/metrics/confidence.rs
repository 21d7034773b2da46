//! Means and 95 % confidence intervals over random seeds, and paired differences of two policies on the same random
//! seeds.
//!
//! Student's t, since a run has five or ten random seeds and not hundreds; the quantiles are a table, which is exact to
//! its digits on every machine. Between its rows the next smaller number of degrees of freedom is used: the interval is
//! then a little too wide, never too narrow.

use serde::{Deserialize, Serialize};

/// Two-sided 95 % quantiles of Student's t for 1 to 30 degrees of freedom.
const T_95: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/// The same for more, in steps.
const T_95_ABOVE: [(usize, f64); 5] = [(30, 2.042), (40, 2.021), (60, 2.000), (120, 1.980), (1000, 1.962)];

/// A mean over runs, with the half width of its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Estimate {
    /// The mean.
    pub(crate) mean: f64,
    /// Half the width of the interval; `None` for a single run, which says nothing about others.
    pub(crate) half: Option<f64>,
    /// How many runs it is taken over.
    pub(crate) runs: usize,
}

impl Estimate {
    /// The lower end; the mean itself for a single run.
    pub(crate) fn low(&self) -> f64 {
        self.mean - self.half.unwrap_or_default()
    }

    /// The upper end; the mean itself for a single run.
    pub(crate) fn high(&self) -> f64 {
        self.mean + self.half.unwrap_or_default()
    }

    /// Both ends, if there is an interval.
    pub(crate) fn interval(&self) -> Option<(f64, f64)> {
        self.half.map(|half| (self.mean - half, self.mean + half))
    }

    /// Whether the interval leaves out zero: for a paired difference, whether the two differ. Never for a single run.
    pub(crate) fn excludes_zero(&self) -> bool {
        self.interval().is_some_and(|(low, high)| low > 0.0 || high < 0.0)
    }
}

/// The mean of the values and its 95 % confidence interval, `mean ± t s / sqrt n` with the sample deviation `s`. `None`
/// without values. A value that is not a number makes the mean not a number: leave undefined runs out first.
pub(crate) fn estimate(values: &[f64]) -> Option<Estimate> {
    let runs = values.len();
    if runs == 0 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / runs as f64;
    let half = student_t(runs - 1).map(|t| {
        let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        let deviation = (squares / (runs - 1) as f64).sqrt();
        t * deviation / (runs as f64).sqrt()
    });
    Some(Estimate { mean, half, runs })
}

/// The estimate of `a - b` where the values at the same place come from the same random seed: what the seeds have in
/// common cancels out, so the interval is narrower than that of the means apart. `None` if the lengths differ or are 0.
pub(crate) fn paired_difference(a: &[f64], b: &[f64]) -> Option<Estimate> {
    if a.len() != b.len() {
        return None;
    }
    let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    estimate(&differences)
}

/// The quantile for so many degrees of freedom; `None` for 0.
fn student_t(freedom: usize) -> Option<f64> {
    let small = freedom.checked_sub(1)?;
    T_95.get(small).copied().or_else(|| {
        T_95_ABOVE.iter().rev().find(|(at_least, _)| freedom >= *at_least).map(|&(_, quantile)| quantile)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn close(got: f64, expect: f64) {
        assert!((got - expect).abs() < 1e-9, "{got} is not {expect}");
    }

    #[test]
    fn interval_by_hand() {
        // 1, 2, 3, 4, 5: mean 3, s = sqrt(10 / 4) = 1.58114, t(4) = 2.776, half = 2.776 * 1.58114 / sqrt 5 = 1.96293.
        let got = estimate(&[1.0, 2.0, 3.0, 4.0, 5.0]).expect("values");
        close(got.mean, 3.0);
        close(got.half.expect("five runs"), 2.776 * 0.5_f64.sqrt());
        close(got.low() + got.high(), 6.0);
        assert_eq!(got.runs, 5);
    }

    #[test]
    fn one_run_has_no_interval() {
        assert_eq!(estimate(&[0.5]), Some(Estimate { mean: 0.5, half: None, runs: 1 }));
        assert_eq!(
            estimate(&[0.5]).map(|one| (one.low(), one.high(), one.excludes_zero())),
            Some((0.5, 0.5, false))
        );
        assert_eq!(estimate(&[]), None);
    }

    #[test]
    fn equal_runs_have_a_narrow_one() {
        assert_eq!(estimate(&[0.25, 0.25]).and_then(|same| same.half), Some(0.0));
    }

    #[test]
    fn pairs_by_hand() {
        // differences 1, 1, 2: mean 4/3, s = sqrt(((1/3)² + (1/3)² + (2/3)²) / 2) = sqrt(1/3), t(2) = 4.303,
        // half = 4.303 * sqrt(1/3) / sqrt 3 = 4.303 / 3 = 1.43433: zero is inside.
        let got = paired_difference(&[11.0, 21.0, 32.0], &[10.0, 20.0, 30.0]).expect("pairs");
        close(got.mean, 4.0 / 3.0);
        close(got.half.expect("three runs"), 4.303 / 3.0);
        assert!(!got.excludes_zero());
        // the same difference each time: sure, though the values themselves are far apart.
        assert!(paired_difference(&[1.0, 50.0], &[2.0, 51.0]).is_some_and(|sure| sure.excludes_zero()));
        assert_eq!(paired_difference(&[1.0], &[1.0, 2.0]), None);
        assert_eq!(paired_difference(&[], &[]), None);
    }

    #[test]
    fn quantiles_never_rise() {
        assert_eq!(student_t(0), None);
        assert_eq!(student_t(1), Some(12.706));
        assert_eq!(student_t(30), Some(2.042));
        assert_eq!(student_t(59), Some(2.021), "between rows the wider one");
        assert_eq!(student_t(1_000_000), Some(1.962));
        let all: Vec<f64> = (1..2000).filter_map(student_t).collect();
        assert!(all.len() == 1999 && all.is_sorted_by(|a, b| a >= b));
    }

    proptest! {
        #[test]
        fn the_mean_is_inside(values in prop::collection::vec(-1e6_f64..1e6, 1..40)) {
            let got = estimate(&values).expect("values");
            prop_assert!(got.low() <= got.mean && got.mean <= got.high());
            let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(l, h), &v| (l.min(v), h.max(v)));
            prop_assert!(low - 1e-6 <= got.mean && got.mean <= high + 1e-6);
        }
    }
}
