//! F1 over thresholds: how well a judge's scores separate relevant pages from others, for any threshold (de Assis et
//! al. 2009, figures 4 and 5, tables 4, 7, 8, 15 and 16).

use serde::{Deserialize, Serialize};

use super::coverage::f_measure;

/// What a threshold gives.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ThresholdScores {
    /// Pages that score at least this much count as retrieved.
    pub(crate) threshold: f32,
    /// How many that are.
    pub(crate) retrieved: u64,
    /// Relevant among the retrieved: de Assis et al. 2009 equation 6. `None` if nothing is retrieved.
    pub(crate) precision: Option<f64>,
    /// Retrieved among the relevant: de Assis et al. 2009 equation 7.
    pub(crate) recall: f64,
    /// de Assis et al. 2009 equation 8; 0 if nothing relevant is retrieved.
    pub(crate) f1: f64,
}

/// The scores at each of the thresholds, in the order given. A page is retrieved if its score is greater than or equal
/// to the threshold (de Assis et al. 2009 section 3); a score that is not a number never is. `relevant` is the number
/// of relevant pages there are, visited or not; without any the result is empty.
pub(crate) fn threshold_sweep(
    scored: &[(f32, bool)],
    relevant: u64,
    thresholds: &[f32],
) -> Vec<ThresholdScores> {
    if relevant == 0 {
        return Vec::new();
    }
    let mut falling: Vec<(f32, bool)> = scored.iter().copied().filter(|(score, _)| !score.is_nan()).collect();
    falling.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut found = Vec::with_capacity(falling.len() + 1);
    found.push(0_u64);
    for (sum, &(_, truth)) in (1..).zip(&falling) {
        let before: u64 = found.get(sum - 1).copied().unwrap_or_default();
        found.push(before + u64::from(truth));
    }
    let at = |&threshold: &f32| {
        let retrieved = falling.partition_point(|&(score, _)| score >= threshold);
        let hits = found.get(retrieved).copied().unwrap_or_default() as f64;
        let precision = (retrieved > 0).then(|| hits / retrieved as f64);
        let recall = hits / relevant as f64;
        let f1 = f_measure(precision.unwrap_or_default(), recall);
        ThresholdScores { threshold, retrieved: retrieved as u64, precision, recall, f1 }
    };
    thresholds.iter().map(at).collect()
}

/// The threshold with the highest F1, the lowest such if several have it.
pub(crate) fn best_threshold(sweep: &[ThresholdScores]) -> Option<ThresholdScores> {
    let better = |a: &ThresholdScores, b: &ThresholdScores| {
        a.f1.total_cmp(&b.f1).then(b.threshold.total_cmp(&a.threshold)).is_gt()
    };
    sweep.iter().copied().reduce(|best, next| if better(&next, &best) { next } else { best })
}

/// `0, 1/steps, ..., 1`.
pub(crate) fn even_thresholds(steps: u16) -> Vec<f32> {
    let steps = steps.max(1);
    (0..=steps).map(|step| f32::from(step) / f32::from(steps)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SCORED: [(f32, bool); 5] = [(0.9, true), (0.2, false), (0.5, true), (0.5, false), (0.7, false)];

    #[test]
    fn sweep_by_hand() {
        // 3 relevant pages there are, one of which was never visited.
        let check = |threshold: f32, retrieved: u64, precision: Option<f64>, recall: f64, f1: f64| {
            let sweep = threshold_sweep(&SCORED, 3, &[threshold]);
            assert_eq!(sweep, [ThresholdScores { threshold, retrieved, precision, recall, f1 }]);
        };
        // all five: 2 of 5, 2 of 3: F1 = 2 * 4/15 / (16/15) = 1/2.
        check(0.0, 5, Some(0.4), 2.0 / 3.0, 0.5);
        // at 0.5 and above, both of them: 2 of 4, 2 of 3: 2 * 1/3 / (7/6) = 4/7.
        check(0.5, 4, Some(0.5), 2.0 / 3.0, 2.0 * 0.5 * (2.0 / 3.0) / (0.5 + 2.0 / 3.0));
        // 1 of 1, 1 of 3: 2 * 1/3 / (4/3) = 1/2.
        check(0.9, 1, Some(1.0), 1.0 / 3.0, 0.5);
        check(0.95, 0, None, 0.0, 0.0);
        assert!(threshold_sweep(&SCORED, 0, &[0.5]).is_empty());
        assert_eq!(threshold_sweep(&[(f32::NAN, true)], 1, &[0.0])[0].retrieved, 0);
    }

    #[test]
    fn best_is_the_lowest_of_the_highest() {
        let best = |thresholds: &[f32]| {
            best_threshold(&threshold_sweep(&SCORED, 3, thresholds)).map(|s| s.threshold)
        };
        assert_eq!(best(&[0.0, 0.5, 0.9]), Some(0.5));
        assert_eq!(best(&[0.9, 0.0]), Some(0.0), "both have 1/2");
        assert_eq!(best(&[]), None);
    }

    #[test]
    fn thresholds_are_even() {
        assert_eq!(even_thresholds(4), [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(even_thresholds(0), [0.0, 1.0]);
    }

    proptest! {
        #[test]
        fn recall_falls_as_the_line_rises(scored in prop::collection::vec((0.0_f32..=1.0, any::<bool>()), 1..60)) {
            let relevant = scored.iter().filter(|(_, truth)| *truth).count() as u64;
            let sweep = threshold_sweep(&scored, relevant, &even_thresholds(20));
            prop_assert!(sweep.is_sorted_by(|a, b| a.recall >= b.recall && a.retrieved >= b.retrieved));
            prop_assert!(sweep.first().is_none_or(|all| all.recall == 1.0));
            prop_assert!(sweep.iter().all(|s| (0.0..=1.0).contains(&s.f1)));
        }
    }
}
