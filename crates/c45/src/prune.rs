//! Pruning: a subtree is replaced by a leaf where it does not pay.
//!
//! Errors in training are too low by nature. The pessimistic error of a leaf is the upper end of a confidence interval
//! for them, by the normal approximation that C4.5 and J48 use. A subtree stays if its leaves together have a lower
//! one than the leaf in its place, by a tenth of an example at least.

use super::grow::Growing;

/// What a subtree has to save, as in C4.5.
const MARGIN: f64 = 0.1;
/// Slack for sums of weights.
const EPSILON: f64 = 1e-3;

/// Takes away subtrees that make no fewer errors in training than a leaf; says how many errors remain.
pub(super) fn collapse(node: &mut Growing) -> f64 {
    let as_leaf = node.leaf().errors;
    let Some(split) = &mut node.split else { return as_leaf };
    let as_tree: f64 = split.sides.iter_mut().map(collapse).sum();
    if as_tree + EPSILON < as_leaf {
        return as_tree;
    }
    node.split = None;
    as_leaf
}

/// Replaces subtrees by leaves, from below; says what error has to be expected.
pub(super) fn prune(node: &mut Growing, confidence: f64) -> f64 {
    let leaf = node.leaf();
    let as_leaf = leaf.errors + extra_errors(leaf.weight, leaf.errors, confidence);
    let Some(split) = &mut node.split else { return as_leaf };
    let as_tree: f64 = split.sides.iter_mut().map(|side| prune(side, confidence)).sum();
    if as_leaf > as_tree + MARGIN {
        return as_tree;
    }
    node.split = None;
    as_leaf
}

/// Errors that have to be added to those seen, in a leaf of this weight (`addErrs` in J48).
fn extra_errors(weight: f64, errors: f64, confidence: f64) -> f64 {
    if confidence >= 0.5 || weight <= 0.0 {
        return 0.0;
    }
    if errors < 1.0 {
        // exact for no errors; between none and one, along a straight line
        let none = weight * (1.0 - confidence.powf(1.0 / weight));
        let one = if errors > 0.0 { extra_errors(weight, 1.0, confidence) } else { none };
        return none + errors * (one - none);
    }
    if errors + 0.5 >= weight {
        return (weight - errors).max(0.0);
    }
    let z = normal_quantile(1.0 - confidence);
    let share = (errors + 0.5) / weight;
    let spread = (share / weight - share * share / weight + z * z / (4.0 * weight * weight)).sqrt();
    let upper = (share + z * z / (2.0 * weight) + z * spread) / (1.0 + z * z / weight);
    upper * weight - errors
}

/// The value that a standard normal variable stays below with probability `p` in (0.5, 1): Abramowitz and Stegun
/// 26.2.23, refined by two steps of Newton's method.
fn normal_quantile(p: f64) -> f64 {
    let t = (-2.0 * (1.0 - p).ln()).sqrt();
    let above = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let below = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    let mut z = t - above / below;
    for _ in 0..2 {
        let density = (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
        z -= (normal_share(z) - p) / density;
    }
    z
}

/// The share of a standard normal variable below `z`, by its series.
fn normal_share(z: f64) -> f64 {
    let (mut term, mut sum) = (z, z);
    for n in 1..200 {
        term *= z * z / f64::from(2 * n + 1);
        sum += term;
    }
    0.5 + sum * (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt()
}

#[cfg(test)]
mod tests {
    use super::super::{Example, TrainOptions, train};
    use super::*;

    fn close(value: f64, expect: f64) {
        assert!((value - expect).abs() < 1e-6, "{value} {expect}");
    }

    #[test]
    fn pessimistic_errors_by_hand() {
        // no errors among 6: 6 * (1 - 0.25^(1/6)); Quinlan's book says 6 * 0.206
        close(extra_errors(6.0, 0.0, 0.25), 6.0 * 0.206_299_47);
        // among 9 and 1, in the same example: 9 * 0.143, 1 * 0.750
        close(extra_errors(9.0, 0.0, 0.25), 9.0 * 0.142_756_02);
        close(extra_errors(1.0, 0.0, 0.25), 0.75);
        // one of 16: z = 0.67449, f = 1.5 / 16; the upper end is 0.154732 of 16, less the one that was seen
        close(extra_errors(16.0, 1.0, 0.25), 1.475_715);
        // half-way between none and one
        let (none, one) = (extra_errors(16.0, 0.0, 0.25), extra_errors(16.0, 1.0, 0.25));
        close(extra_errors(16.0, 0.5, 0.25), f64::midpoint(none, one));
        // nearly all wrong: all
        close(extra_errors(2.0, 1.6, 0.25), 0.4);
        close(extra_errors(0.0, 0.0, 0.25), 0.0);
        close(extra_errors(10.0, 3.0, 0.5), 0.0);
    }

    #[test]
    fn quantiles_of_the_normal_distribution() {
        close(normal_quantile(0.75), 0.674_489_75);
        close(normal_quantile(0.9), 1.281_551_57);
        close(normal_quantile(0.975), 1.959_963_98);
    }

    fn leaf(a: f64, b: f64) -> Growing {
        Growing { counts: vec![a, b], split: None }
    }

    fn check(low: Growing, high: Growing, stays: bool) {
        let counts = low.counts.iter().zip(&high.counts).map(|(low, high)| low + high).collect();
        let mut node = Growing { counts, split: Some(Growing::test_split(low, high)) };
        prune(&mut node, 0.25);
        assert_eq!(node.split.is_some(), stays);
    }

    #[test]
    fn a_subtree_stays_if_it_pays() {
        // as a leaf, one error of 16: 2.476; as two: 15 * 0.0883 + 1 * 0.75 = 2.074
        check(leaf(15.0, 0.0), leaf(0.0, 1.0), true);
        // as two: 6 * 0.2063 without errors, one error of 10: 2.413; together 3.650
        check(leaf(6.0, 0.0), leaf(9.0, 1.0), false);
        check(leaf(50.0, 0.0), leaf(0.0, 50.0), true);
    }

    #[test]
    fn a_split_that_tells_nothing_is_collapsed() {
        let counts = vec![8.0, 2.0];
        let mut node = Growing { counts, split: Some(Growing::test_split(leaf(4.0, 1.0), leaf(4.0, 1.0))) };
        close(collapse(&mut node), 2.0);
        assert!(node.split.is_none());
    }

    #[test]
    fn noise_is_pruned_and_structure_is_not() {
        // 20 below, 20 above; one stray in each half
        let rows: Vec<Example> = (0..40)
            .map(|n| {
                let class = usize::from((n >= 20) != (n == 7 || n == 33));
                Example { values: vec![f64::from(n)], class, weight: 1.0 }
            })
            .collect();
        let tree = train(&["x"], &["a", "b"], &rows, &TrainOptions::default());
        assert_eq!(tree.to_string(), "x <= 19: a (20.0/1.0)\nx > 19: b (20.0/1.0)\n");
    }
}
