//! Growing a tree: at each node the split with the best gain ratio.
//!
//! As release 8 of C4.5 and as J48:
//! - a threshold is tried between any two neighbouring values that leave enough on both sides: a tenth of what there is
//!   per class, but at least the smallest leaf and at most 25;
//! - the gain of the best threshold is lowered by `log2(thresholds tried) / weight`: choosing among many finds
//!   something by chance;
//! - of the attributes whose gain is at least the average one (of those that gain anything), the one with the best
//!   ratio of gain to split information wins; the ratio alone favours slivers;
//! - the threshold that is written is the largest value that occurs in the training set and is not above the middle of
//!   the gap, so trees show numbers that exist.
//!
//! Ties go to the attribute named first and to the lowest threshold: the same examples give the same tree.

use super::prune::{collapse, prune};
use super::{Leaf, MAX_DEPTH, Node, Split, Tree};

/// Slack for sums of logarithms.
const EPSILON: f64 = 1e-6;
/// Enough on one side of a threshold, however much there is.
const MAX_MIN_SIDE: f64 = 25.0;

/// A training example.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// The values of the attributes.
    pub values: Vec<f64>,
    /// The class, by its place in the names of classes.
    pub class: usize,
    /// Its weight, usually 1.
    pub weight: f64,
}

/// Training parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainOptions {
    /// The weight of the smallest leaf; a split needs two of them.
    pub min_leaf: f64,
    /// The confidence of the pessimistic error: a smaller value prunes more. `None` does not prune.
    pub confidence: Option<f64>,
}

impl Default for TrainOptions {
    /// As J48: leaves of 2, confidence 0.25.
    fn default() -> Self {
        Self { min_leaf: 2.0, confidence: Some(0.25) }
    }
}

/// Grows a tree. Examples without a positive weight or with an unknown class are skipped; without examples the tree is
/// a leaf of the first class. Values that are missing count as 0, those that are not finite as the largest number.
pub fn train(attributes: &[&str], classes: &[&str], examples: &[Example], options: &TrainOptions) -> Tree {
    let usable = |example: &&Example| example.weight > 0.0 && example.class < classes.len();
    let rows: Vec<Row> = examples
        .iter()
        .filter(usable)
        .map(|example| Row {
            values: (0..attributes.len()).map(|place| value(&example.values, place)).collect(),
            class: example.class,
            weight: example.weight,
        })
        .collect();
    let mut sorted: Vec<Vec<f64>> = (0..attributes.len()).map(|place| column(&rows, place)).collect();
    sorted.iter_mut().for_each(|values| values.sort_by(f64::total_cmp));
    let min_leaf = options.min_leaf.max(f64::MIN_POSITIVE);
    let grower = Grower { sorted, classes: classes.len(), min_leaf };
    let mut root = grower.node(&rows.iter().collect::<Vec<_>>(), 1);
    collapse(&mut root);
    if let Some(confidence) = options.confidence {
        prune(&mut root, confidence);
    }
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    Tree { attributes: names(attributes), classes: names(classes), root: root.finish() }
}

fn value(values: &[f64], place: usize) -> f64 {
    let value = values.get(place).copied().unwrap_or(0.0);
    if value.is_finite() { value } else { f64::MAX }
}

fn column(rows: &[Row], place: usize) -> Vec<f64> {
    rows.iter().map(|row| value(&row.values, place)).collect()
}

struct Row {
    values: Vec<f64>,
    class: usize,
    weight: f64,
}

/// A node while it is grown and pruned: it knows what it would be as a leaf.
pub(super) struct Growing {
    /// The weight of each class.
    pub(super) counts: Vec<f64>,
    pub(super) split: Option<GrowingSplit>,
}

pub(super) struct GrowingSplit {
    attribute: usize,
    threshold: f64,
    pub(super) sides: Box<[Growing; 2]>,
}

impl Growing {
    /// What it would be as a leaf; of classes with the same weight the first.
    pub(super) fn leaf(&self) -> Leaf {
        let class = majority(&self.counts);
        let others = self.counts.iter().enumerate().filter(|(place, _)| *place != class);
        // in the order of classes, so that sums of weights come out the same
        Leaf { class, weight: self.counts.iter().sum(), errors: others.map(|(_, count)| count).sum() }
    }

    #[cfg(test)]
    pub(super) fn test_split(low: Self, high: Self) -> GrowingSplit {
        GrowingSplit { attribute: 0, threshold: 0.0, sides: Box::new([low, high]) }
    }

    fn finish(self) -> Node {
        let leaf = self.leaf();
        match self.split {
            None => Node::Leaf(leaf),
            Some(GrowingSplit { attribute, threshold, sides }) => {
                let [low, high] = *sides;
                Node::Split(Box::new(Split { attribute, threshold, low: low.finish(), high: high.finish() }))
            }
        }
    }
}

/// A threshold, and what it is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Candidate {
    attribute: usize,
    threshold: f64,
    gain: f64,
    ratio: f64,
}

struct Grower {
    /// All values of each attribute, in order.
    sorted: Vec<Vec<f64>>,
    classes: usize,
    min_leaf: f64,
}

impl Grower {
    fn node(&self, rows: &[&Row], depth: usize) -> Growing {
        let counts = self.counts(rows.iter().copied());
        let mut node = Growing { counts, split: None };
        let leaf = node.leaf();
        if depth >= MAX_DEPTH || leaf.errors <= 0.0 || leaf.weight < 2.0 * self.min_leaf {
            return node;
        }
        let candidates = (0..self.sorted.len()).filter_map(|attribute| self.threshold(rows, attribute));
        if let Some(best) = choose(&candidates.collect::<Vec<_>>()) {
            let (low, high): (Vec<&Row>, Vec<&Row>) =
                rows.iter().copied().partition(|row| value(&row.values, best.attribute) <= best.threshold);
            let sides = Box::new([self.node(&low, depth + 1), self.node(&high, depth + 1)]);
            node.split = Some(GrowingSplit { attribute: best.attribute, threshold: best.threshold, sides });
        }
        node
    }

    fn counts<'r>(&self, rows: impl Iterator<Item = &'r Row>) -> Vec<f64> {
        let mut counts = vec![0.0; self.classes];
        for row in rows {
            if let Some(count) = counts.get_mut(row.class) {
                *count += row.weight;
            }
        }
        counts
    }

    /// The best threshold of an attribute, by gain.
    fn threshold(&self, rows: &[&Row], attribute: usize) -> Option<Candidate> {
        let mut rows: Vec<(f64, &Row)> =
            rows.iter().map(|row| (value(&row.values, attribute), *row)).collect();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut high = self.counts(rows.iter().map(|(_, row)| *row));
        let mut low = vec![0.0; self.classes];
        let (weight, before) = (high.iter().sum::<f64>(), entropy(&high));
        let min_side = (0.1 * weight / self.classes as f64).min(MAX_MIN_SIDE).max(self.min_leaf);
        // gain, middle of the gap, split information
        let (mut tried, mut best) = (0_u32, None::<(f64, f64, f64)>);
        for pair in rows.windows(2) {
            let [(here, row), (next, _)] = pair else { continue };
            if let (Some(low), Some(high)) = (low.get_mut(row.class), high.get_mut(row.class)) {
                *low += row.weight;
                *high -= row.weight;
            }
            let (below, above): (f64, f64) = (low.iter().sum(), high.iter().sum());
            if here == next || below + EPSILON < min_side || above + EPSILON < min_side {
                continue;
            }
            tried += 1;
            let after = (below * entropy(&low) + above * entropy(&high)) / weight;
            if best.is_none_or(|(gain, ..)| before - after > gain + EPSILON) {
                best = Some((before - after, here + (next - here) / 2.0, entropy(&[below, above])));
            }
        }
        let (gain, middle, split_info) = best?;
        let gain = gain - f64::from(tried).log2() / weight;
        let threshold = self.occurring(attribute, middle);
        (gain > EPSILON).then_some(Candidate { attribute, threshold, gain, ratio: gain / split_info })
    }

    /// The largest value of an attribute in the whole training set that is not above `middle`.
    fn occurring(&self, attribute: usize, middle: f64) -> f64 {
        let values = self.sorted.get(attribute).map(Vec::as_slice).unwrap_or_default();
        let below = values.partition_point(|value| *value <= middle);
        below.checked_sub(1).and_then(|place| values.get(place)).copied().unwrap_or(middle)
    }
}

/// The class with the most weight; of several the first.
fn majority(counts: &[f64]) -> usize {
    let mut class = 0;
    for (place, &count) in counts.iter().enumerate() {
        if counts.get(class).is_none_or(|&most| count > most) {
            class = place;
        }
    }
    class
}

/// The best ratio among those that gain at least the average.
fn choose(candidates: &[Candidate]) -> Option<Candidate> {
    let average = candidates.iter().map(|candidate| candidate.gain).sum::<f64>() / candidates.len() as f64;
    let good = candidates.iter().filter(|candidate| candidate.gain >= average - 1e-3);
    good.copied().reduce(|best, other| if other.ratio > best.ratio + EPSILON { other } else { best })
}

/// The information of a distribution, in bits.
fn entropy(counts: &[f64]) -> f64 {
    let weight: f64 = counts.iter().sum();
    let bits = |count: &f64| {
        let share = count / weight;
        -share * share.log2()
    };
    // what is left of weights that were taken away one by one need not be exactly 0
    counts.iter().filter(|count| **count > 1e-9).map(bits).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn examples(rows: &[(&[f64], usize)]) -> Vec<Example> {
        rows.iter()
            .map(|(values, class)| Example { values: values.to_vec(), class: *class, weight: 1.0 })
            .collect()
    }

    /// Unpruned, with leaves of one.
    fn check(rows: &[(&[f64], usize)], expect: &str) {
        let options = TrainOptions { min_leaf: 1.0, confidence: None };
        let tree = train(&["x", "y"], &["a", "b"], &examples(rows), &options);
        assert_eq!(tree.to_string(), expect);
    }

    fn close(value: f64, expect: f64) {
        assert!((value - expect).abs() < 1e-6, "{value} {expect}");
    }

    #[test]
    fn information_is_counted_in_bits() {
        close(entropy(&[1.0, 1.0]), 1.0);
        close(entropy(&[4.0, 0.0]), 0.0);
        // 9 and 5 of 14, the example of every textbook
        close(entropy(&[9.0, 5.0]), 0.940_286);
        close(entropy(&[1.0, 1.0, 2.0]), 1.5);
    }

    /// Rows with the values 1 to 4 and these classes.
    fn one_to_four(classes: [usize; 4]) -> (Vec<Row>, Grower) {
        let values = [1.0, 2.0, 3.0, 4.0];
        let row = |(value, class)| Row { values: vec![value], class, weight: 1.0 };
        let rows = values.into_iter().zip(classes).map(row).collect();
        (rows, Grower { sorted: vec![values.to_vec()], classes: 2, min_leaf: 1.0 })
    }

    #[test]
    fn a_threshold_by_hand() {
        // x: 1a 2a 3b 4b | gap 2..3: gain 1 bit; three thresholds tried: 1 - log2(3)/4 = 0.603759; split info 1 bit
        let (rows, grower) = one_to_four([0, 0, 1, 1]);
        let found = grower.threshold(&rows.iter().collect::<Vec<_>>(), 0).unwrap();
        close(found.gain, 0.603_759);
        close(found.ratio, 0.603_759);
        close(found.threshold, 2.0);
        // leaves of two leave one threshold, which costs nothing to find
        let grower = Grower { min_leaf: 2.0, ..grower };
        close(grower.threshold(&rows.iter().collect::<Vec<_>>(), 0).unwrap().gain, 1.0);
        // leaves of three leave none
        let grower = Grower { min_leaf: 3.0, ..grower };
        assert_eq!(grower.threshold(&rows.iter().collect::<Vec<_>>(), 0), None);
    }

    #[test]
    fn an_uneven_threshold_by_hand() {
        // 1a | 2b 3b 4b: before 0.811278 bits, after 0; split info of 1 to 3 is 0.811278 as well; three tried
        let (rows, grower) = one_to_four([0, 1, 1, 1]);
        let found = grower.threshold(&rows.iter().collect::<Vec<_>>(), 0).unwrap();
        close(found.gain, 0.811_278 - 3.0_f64.log2() / 4.0);
        close(found.ratio, (0.811_278 - 3.0_f64.log2() / 4.0) / 0.811_278);
    }

    #[test]
    fn the_best_ratio_wins_among_those_that_gain_the_average() {
        let of =
            |attribute: usize, gain: f64, ratio: f64| Candidate { attribute, threshold: 0.0, gain, ratio };
        let check = |candidates: &[Candidate], expect: Option<usize>| {
            assert_eq!(choose(candidates).map(|best| best.attribute), expect, "{candidates:?}");
        };
        // the average is 0.3: the sliver with the ratio 0.9 gains too little
        check(&[of(0, 0.5, 0.5), of(1, 0.1, 0.9)], Some(0));
        check(&[of(0, 0.5, 0.5), of(1, 0.4, 0.9), of(2, 0.1, 0.1)], Some(1));
        check(&[of(0, 0.5, 0.5), of(1, 0.5, 0.5)], Some(0));
        check(&[], None);
    }

    #[test]
    fn trees_grow_as_deep_as_they_must() {
        check(&[(&[1.0, 0.0], 0), (&[2.0, 0.0], 0), (&[3.0, 0.0], 1)], "x <= 2: a (2.0)\nx > 2: b (1.0)\n");
        // the corner where both are large is `b`
        let corner: &[(&[f64], usize)] = &[
            (&[1.0, 1.0], 0),
            (&[1.0, 2.0], 0),
            (&[1.0, 5.0], 0),
            (&[1.0, 6.0], 0),
            (&[5.0, 1.0], 0),
            (&[6.0, 2.0], 0),
            (&[5.0, 5.0], 1),
            (&[6.0, 5.0], 1),
            (&[5.0, 6.0], 1),
            (&[6.0, 6.0], 1),
        ];
        check(corner, "x <= 1: a (4.0)\nx > 1\n|   y <= 2: a (2.0)\n|   y > 2: b (4.0)\n");
    }

    #[test]
    fn what_cannot_be_split_is_a_leaf() {
        check(&[(&[1.0, 1.0], 0), (&[1.0, 1.0], 1), (&[1.0, 1.0], 1)], ": b (3.0/1.0)\n");
        check(&[(&[1.0, 1.0], 1), (&[2.0, 2.0], 1)], ": b (2.0)\n");
        check(&[], ": a\n");
    }

    #[test]
    fn strange_examples_do_no_harm() {
        check(&[(&[f64::NAN, 0.0], 0), (&[f64::INFINITY], 1), (&[], 7)], ": a (2.0/1.0)\n");
        let tree = train(
            &["x"],
            &["a", "b"],
            &[Example { values: vec![1.0], class: 1, weight: -1.0 }],
            &TrainOptions::default(),
        );
        assert_eq!(tree.to_string(), ": a\n");
    }

    #[test]
    fn three_classes() {
        let rows = examples(&[(&[1.0], 0), (&[1.0], 0), (&[5.0], 1), (&[5.0], 1), (&[9.0], 2), (&[9.0], 2)]);
        let options = TrainOptions { min_leaf: 2.0, confidence: None };
        let tree = train(&["x"], &["a", "b", "c"], &rows, &options);
        assert_eq!(tree.to_string(), "x <= 1: a (2.0)\nx > 1\n|   x <= 5: b (2.0)\n|   x > 5: c (2.0)\n");
    }

    #[test]
    fn weights_count_as_so_many_examples() {
        let once =
            |values: &[f64], class: usize, weight: f64| Example { values: values.to_vec(), class, weight };
        let heavy = [once(&[1.0], 0, 3.0), once(&[2.0], 1, 2.0)];
        let tree = train(&["x"], &["a", "b"], &heavy, &TrainOptions { min_leaf: 2.0, confidence: None });
        assert_eq!(tree.to_string(), "x <= 1: a (3.0)\nx > 1: b (2.0)\n");
    }
}
