//! C4.5 decision trees (Quinlan 1993), in the variant of Weka's J48: numeric attributes, any number of classes.
//!
//! - [`train`] grows a tree by gain ratio and prunes it by its pessimistic error.
//! - [`Tree::predict`] returns a class with a confidence.
//! - [`Display`](std::fmt::Display) writes the text format of J48, which papers print too; [`Tree::parse`] reads it.
//!
//! The crate `structure` uses a tree to recognise detail pages, the crate `vision` to classify tiles of pictures. Not
//! supported: nominal attributes, missing values, and subtree raising, which changes small trees little.

mod grow;
mod prune;
mod text;

use std::fmt;

pub use self::grow::{Example, TrainOptions, train};
pub use self::text::{TreeError, TreeProblem};

/// Levels of a tree, at most: what keeps recursion over trees bounded.
const MAX_DEPTH: usize = 40;

/// A decision tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    attributes: Vec<String>,
    classes: Vec<String>,
    root: Node,
}

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Leaf(Leaf),
    Split(Box<Split>),
}

/// What a leaf has seen in training; weight 0 if that is not known.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Leaf {
    class: usize,
    /// Weight of the examples that came here, and of those that are of another class.
    weight: f64,
    errors: f64,
}

/// A question: is the attribute at most the threshold?
#[derive(Clone, Debug, PartialEq)]
struct Split {
    attribute: usize,
    threshold: f64,
    low: Node,
    high: Node,
}

/// The prediction of a tree for an example.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// The class, by its place in [`Tree::classes`].
    pub class: usize,
    /// The share of that class in the leaf, by Laplace's rule: a leaf with few examples has a low confidence.
    pub confidence: f64,
}

impl Tree {
    /// The names of the attributes, in the order of values.
    pub fn attributes(&self) -> &[String] {
        &self.attributes
    }

    /// The names of the classes.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The class of an example. A missing value counts as 0, NaN as a large number.
    pub fn predict(&self, values: &[f64]) -> Prediction {
        let mut node = &self.root;
        loop {
            match node {
                Node::Leaf(leaf) => {
                    let right = leaf.weight - leaf.errors;
                    let confidence = (right + 1.0) / (leaf.weight + self.classes.len() as f64);
                    return Prediction { class: leaf.class, confidence };
                }
                Node::Split(split) => {
                    let value = values.get(split.attribute).copied().unwrap_or(0.0);
                    node = if value <= split.threshold { &split.low } else { &split.high };
                }
            }
        }
    }

    /// The number of leaves.
    pub fn leaves(&self) -> usize {
        let mut count = 0;
        self.each_leaf(|_| count += 1);
        count
    }

    /// The weight of the training examples, and of those that the tree misclassifies.
    pub fn seen(&self) -> (f64, f64) {
        let (mut weight, mut errors) = (0.0, 0.0);
        self.each_leaf(|leaf| {
            weight += leaf.weight;
            errors += leaf.errors;
        });
        (weight, errors)
    }

    fn each_leaf(&self, mut each: impl FnMut(&Leaf)) {
        let mut open = vec![&self.root];
        while let Some(node) = open.pop() {
            match node {
                Node::Leaf(leaf) => each(leaf),
                Node::Split(split) => open.extend([&split.high, &split.low]),
            }
        }
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        text::write(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_predicts_and_says_how_sure_it_is() {
        let tree = Tree::parse("x <= 1: a (8.0/2.0)\nx > 1: b (3.0)\n", &["y", "x"], &["a", "b"]).unwrap();
        let check = |values: &[f64], class: usize, confidence: f64| {
            let got = tree.predict(values);
            assert_eq!(got.class, class, "{values:?}");
            assert!((got.confidence - confidence).abs() < 1e-12, "{values:?}: {got:?}");
        };
        // (8 - 2 + 1) / (8 + 2), (3 + 1) / (3 + 2)
        check(&[0.0, 1.0], 0, 0.7);
        check(&[0.0, 1.1], 1, 0.8);
        check(&[0.0, f64::NAN], 1, 0.8);
        check(&[], 0, 0.7);
        assert_eq!((tree.leaves(), tree.seen()), (2, (11.0, 2.0)));
    }
}
