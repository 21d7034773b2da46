//! Combines the curves of several runs into one with an interval, which plots show.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::confidence::{Estimate, estimate};
use super::fact::Point;

/// A point of a curve over several runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct BandPoint {
    /// Pages visited so far.
    pub(crate) visited: u64,
    /// The measure at that moment, over the runs that came that far.
    pub(crate) estimate: Estimate,
}

/// Joins the curves of several runs where they have a point at the same number of visits. Points that only a minority
/// of the runs have are left out: otherwise runs that ended early would make the tail of the curve jump, and the odd
/// last visit of each run would be a point of its own.
pub(crate) fn band(curves: &[Vec<Point>]) -> Vec<BandPoint> {
    let mut columns = BTreeMap::<u64, Vec<f64>>::new();
    for point in curves.iter().flatten() {
        columns.entry(point.visited).or_default().push(point.value);
    }
    let joined = columns.into_iter().filter(|(_, values)| values.len() * 2 > curves.len());
    joined.filter_map(|(visited, values)| Some(BandPoint { visited, estimate: estimate(&values)? })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(points: &[(u64, f64)]) -> Vec<Point> {
        points.iter().map(|&(visited, value)| Point { visited, value }).collect()
    }

    #[test]
    fn runs_are_joined_by_visits() {
        let curves =
            [curve(&[(10, 0.5), (20, 1.0)]), curve(&[(10, 0.25), (20, 0.5)]), curve(&[(10, 0.0), (17, 0.9)])];
        let got: Vec<(u64, f64, usize)> = band(&curves)
            .iter()
            .map(|point| (point.visited, point.estimate.mean, point.estimate.runs))
            .collect();
        // at 10 all three: (0.5 + 0.25 + 0) / 3; at 17 only one; at 20 two.
        assert_eq!(got, [(10, 0.25, 3), (20, 0.75, 2)]);
    }

    #[test]
    fn one_run_is_its_own_band() {
        let got = band(&[curve(&[(1, 0.5)])]);
        assert_eq!(got.iter().map(|point| point.estimate.interval()).collect::<Vec<_>>(), [None]);
        assert!(band(&[]).is_empty());
    }
}
