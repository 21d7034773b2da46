//! A support vector machine with an RBF kernel on sparse vectors, trained by SMO on example pages: the classifier that
//! de Assis et al. 2009 compare with.
//!
//! It is made for small sets of at most [`MAX_EXAMPLES`] example pages. Each step improves the pair that violates the
//! conditions most (Keerthi's working set 1), with ties broken by number, so training is deterministic. A sigmoid
//! fitted to the examples (Platt) maps scores to the range 0 to 1.
//!
//! The support vectors are stored by term. One pass over the terms of a page computes the products with all support
//! vectors, so the cost depends on the terms that the page shares with the examples.

use hashbrown::HashMap;
use osprey_text::{Counts, Hashed, Term, Vector, log_weight};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Examples that are trained on: the kernel matrix is kept whole.
pub(crate) const MAX_EXAMPLES: usize = 3000;

/// Weights as whole numbers: this many a unit.
const FIXED: f32 = 4096.0;

/// The constants of training.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SvmRules {
    /// The price of an error.
    pub c: f32,
    /// The kernel: `exp(-gamma |x - y|²)`. Vectors are of unit length, so distances lie between 0 and 2.
    pub gamma: f32,
    /// When the worst pair is this good, training ends.
    pub tolerance: f32,
    /// Steps at most.
    pub max_steps: u32,
}

impl Default for SvmRules {
    fn default() -> Self {
        Self { c: 10.0, gamma: 1.0, tolerance: 1e-3, max_steps: 100_000 }
    }
}

/// Examples that cannot be learned from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SvmError {
    /// One side is missing.
    #[error("svm: {wanted} wanted and {unwanted} unwanted examples, expected at least 1 of each")]
    OneSided {
        /// Wanted examples.
        wanted: usize,
        /// Unwanted examples.
        unwanted: usize,
    },
    /// Too many.
    #[error("svm: {found} examples, expected at most {MAX_EXAMPLES}")]
    TooMany {
        /// How many.
        found: usize,
    },
}

/// A support vector, by number, and the weight of a term in it.
type Posting = (u32, f32);

/// A trained machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Svm {
    gamma: f32,
    /// `alpha * y` of each support vector, and the square of its length, which is 1 or 0.
    supports: Vec<(f32, f32)>,
    /// By term: the support vectors that have it, with its weight there.
    postings: HashMap<Term, Vec<Posting>, Hashed>,
    bias: f32,
    /// The sigmoid: `1 / (1 + exp(slope * decision + offset))`.
    slope: f32,
    offset: f32,
}

impl Svm {
    /// Learns to tell wanted from unwanted examples.
    pub fn train(wanted: &[Vector], unwanted: &[Vector], rules: &SvmRules) -> Result<Self, SvmError> {
        if wanted.is_empty() || unwanted.is_empty() {
            return Err(SvmError::OneSided { wanted: wanted.len(), unwanted: unwanted.len() });
        }
        let count = wanted.len() + unwanted.len();
        if count > MAX_EXAMPLES {
            return Err(SvmError::TooMany { found: count });
        }
        let examples: Vec<Vector> =
            wanted.iter().chain(unwanted).map(|example| example.clone().unit()).collect();
        let sides: Vec<f32> =
            (0..count).map(|number| if number < wanted.len() { 1.0 } else { -1.0 }).collect();
        let mut kernel = Vec::with_capacity(count * count);
        for one in &examples {
            kernel.extend(examples.iter().map(|other| rbf(one, other, rules.gamma)));
        }
        let solution = Smo::new(&kernel, &sides, rules).solve();
        let decisions: Vec<f32> =
            (0..count).map(|number| solution.decision(&kernel, &sides, number)).collect();
        let (slope, offset) = platt(&decisions, &sides);
        let (supports, postings) = (Vec::new(), HashMap::default());
        let mut svm = Self { gamma: rules.gamma, supports, postings, bias: solution.bias, slope, offset };
        for ((alpha, side), example) in solution.alphas.iter().zip(&sides).zip(&examples) {
            if *alpha > 0.0 {
                svm.support(alpha * side, example);
            }
        }
        Ok(svm)
    }

    fn support(&mut self, weight: f32, example: &Vector) {
        let number = self.supports.len() as u32;
        self.supports.push((weight, example.length() * example.length()));
        for (term, share) in example.entries() {
            self.postings.entry(*term).or_default().push((number, *share));
        }
    }

    /// Above 0: wanted.
    pub fn decision(&self, page: &Vector) -> f32 {
        let shared = page.entries().iter().filter_map(|(term, weight)| {
            let postings = self.postings.get(term)?;
            Some((*weight, postings.as_slice()))
        });
        self.decide(shared, page.length())
    }

    /// The decision on a page by its words, weighed as [`Vector::of_log_counts`] weighs them.
    pub fn decision_on(&self, words: &Counts) -> f32 {
        // counts come in no order, and sums of floating numbers depend on it: the length is summed in whole numbers,
        // and only the terms that the examples have are put in order
        let mut squares = 0;
        let mut shared: Vec<(Term, f32, &[Posting])> = Vec::new();
        for (term, count) in words.iter() {
            let weight = log_weight(count);
            squares += ((weight * FIXED) as u64).pow(2);
            if let Some(postings) = self.postings.get(&term) {
                shared.push((term, weight, postings));
            }
        }
        shared.sort_unstable_by_key(|(term, ..)| *term);
        let shared = shared.into_iter().map(|(_, weight, postings)| (weight, postings));
        self.decide(shared, ((squares as f64).sqrt() / f64::from(FIXED)) as f32)
    }

    /// The decision, given the terms that a page shares with the examples, and its length.
    fn decide<'a>(&self, shared: impl Iterator<Item = (f32, &'a [Posting])>, length: f32) -> f32 {
        let mut products = vec![0.0; self.supports.len()];
        for (weight, postings) in shared {
            for (support, share) in postings {
                if let Some(product) = products.get_mut(*support as usize) {
                    *product += weight * share;
                }
            }
        }
        let (scale, square) = if length > 0.0 { (1.0 / length, 1.0) } else { (0.0, 0.0) };
        let parts = self.supports.iter().zip(products);
        let parts =
            parts.map(|((alpha, own), product)| alpha * kernel(own + square, product * scale, self.gamma));
        parts.sum::<f32>() + self.bias
    }

    /// 0 to 1, from a decision.
    pub fn probability(&self, decision: f32) -> f32 {
        1.0 / (1.0 + (self.slope * decision + self.offset).exp())
    }
}

/// The kernel for vectors of length 1 or 0.
fn rbf(a: &Vector, b: &Vector, gamma: f32) -> f32 {
    kernel(a.length() * a.length() + b.length() * b.length(), a.dot(b), gamma)
}

/// `exp(-gamma |a - b|²)`, given `|a|² + |b|²` and `a . b`.
fn kernel(squares: f32, product: f32, gamma: f32) -> f32 {
    (-gamma * (squares - 2.0 * product).max(0.0)).exp()
}

/// Sequential minimal optimisation of the dual.
struct Smo<'a> {
    kernel: &'a [f32],
    sides: &'a [f32],
    rules: &'a SvmRules,
    alphas: Vec<f32>,
    /// Gradient of the dual: `sum_j y_i y_j K_ij alpha_j - 1`.
    gradient: Vec<f32>,
}

struct Solution {
    alphas: Vec<f32>,
    bias: f32,
}

impl<'a> Smo<'a> {
    fn new(kernel: &'a [f32], sides: &'a [f32], rules: &'a SvmRules) -> Self {
        Self { kernel, sides, rules, alphas: vec![0.0; sides.len()], gradient: vec![-1.0; sides.len()] }
    }

    fn solve(mut self) -> Solution {
        let (mut up, mut down) = (0.0, 0.0);
        for _ in 0..self.rules.max_steps {
            let ((i, high), (j, low)) = self.worst();
            (up, down) = (high, low);
            if high - low < self.rules.tolerance {
                break;
            }
            self.improve(i, j, high - low);
        }
        Solution { alphas: self.alphas, bias: (up + down) / 2.0 }
    }

    /// The pair that violates the conditions most, with its two values of `-y * gradient`.
    fn worst(&self) -> ((usize, f32), (usize, f32)) {
        let (mut high, mut low) = ((0, f32::NEG_INFINITY), (0, f32::INFINITY));
        let all = self.alphas.iter().zip(self.sides).zip(&self.gradient).enumerate();
        for (number, ((alpha, side), gradient)) in all {
            let value = -side * gradient;
            let (may_rise, may_fall) = (*alpha < self.rules.c, *alpha > 0.0);
            let (in_up, in_low) = if *side > 0.0 { (may_rise, may_fall) } else { (may_fall, may_rise) };
            if in_up && value > high.1 {
                high = (number, value);
            }
            if in_low && value < low.1 {
                low = (number, value);
            }
        }
        (high, low)
    }

    /// Moves the two alphas along the line that keeps their sum with sides.
    fn improve(&mut self, i: usize, j: usize, gap: f32) {
        let curve = (self.k(i, i) + self.k(j, j) - 2.0 * self.k(i, j)).max(1e-6);
        let room = |alpha: f32, rises: bool| if rises { self.rules.c - alpha } else { alpha };
        let (side_i, side_j) = (self.sides[i], self.sides[j]);
        let step =
            (gap / curve).min(room(self.alphas[i], side_i > 0.0)).min(room(self.alphas[j], side_j < 0.0));
        for (at, change) in [(i, side_i * step), (j, -side_j * step)] {
            let before = self.alphas[at];
            let alpha = (before + change).clamp(0.0, self.rules.c);
            // what is nearly at a bound is at the bound: else it is chosen again and again
            let near = 1e-6 * self.rules.c;
            let alpha = if alpha < near {
                0.0
            } else if alpha > self.rules.c - near {
                self.rules.c
            } else {
                alpha
            };
            self.alphas[at] = alpha;
            let change = alpha - before;
            let row = self.kernel.chunks_exact(self.sides.len()).nth(at).unwrap_or_default();
            for ((gradient, side), kernel) in self.gradient.iter_mut().zip(self.sides).zip(row) {
                *gradient += side * self.sides[at] * kernel * change;
            }
        }
    }

    fn k(&self, i: usize, j: usize) -> f32 {
        self.kernel.get(i * self.sides.len() + j).copied().unwrap_or(0.0)
    }
}

impl Solution {
    fn decision(&self, kernel: &[f32], sides: &[f32], number: usize) -> f32 {
        let row = kernel.chunks_exact(sides.len()).nth(number).unwrap_or_default();
        row.iter()
            .zip(sides)
            .zip(&self.alphas)
            .map(|((kernel, side), alpha)| alpha * side * kernel)
            .sum::<f32>()
            + self.bias
    }
}

/// Platt's sigmoid by Newton's method, with targets that are held off 0 and 1 (Lin and others, 2007).
fn platt(decisions: &[f32], sides: &[f32]) -> (f32, f32) {
    let wanted = sides.iter().filter(|side| **side > 0.0).count() as f64;
    let unwanted = sides.len() as f64 - wanted;
    let (high, low) = ((wanted + 1.0) / (wanted + 2.0), 1.0 / (unwanted + 2.0));
    let (mut slope, mut offset) = (0.0f64, ((unwanted + 1.0) / (wanted + 1.0)).ln());
    for _ in 0..50 {
        let (mut g1, mut g2, mut h11, mut h22, mut h21) = (0.0, 0.0, 1e-9, 1e-9, 0.0);
        for (decision, side) in decisions.iter().zip(sides) {
            let decision = f64::from(*decision);
            let target = if *side > 0.0 { high } else { low };
            let p = 1.0 / (1.0 + (slope * decision + offset).exp());
            let weight = p * (1.0 - p);
            g1 += decision * (target - p);
            g2 += target - p;
            h11 += decision * decision * weight;
            h22 += weight;
            h21 += decision * weight;
        }
        let determinant = h11 * h22 - h21 * h21;
        if determinant.abs() < 1e-12 || (g1.abs() < 1e-6 && g2.abs() < 1e-6) {
            break;
        }
        // steps of more than this overshoot where examples are far apart
        let bound = |step: f64| step.clamp(-2.0, 2.0);
        slope -= bound((h22 * g1 - h21 * g2) / determinant);
        offset -= bound((h11 * g2 - h21 * g1) / determinant);
    }
    (slope as f32, offset as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use osprey_text::Term;

    fn vector(words: &str) -> Vector {
        Vector::of(words.split_whitespace().map(|word| (Term::of(word), 1.0)))
    }

    /// Two examples at right angles, |x - y|² = 2, gamma 1/2: k = exp(-1). Both alphas are 1 / (1 - k), bias 0; the
    /// decision on an example is 1 or -1, and on a page between both it is 0.
    #[test]
    fn two_examples_by_hand() {
        let rules = SvmRules { gamma: 0.5, tolerance: 1e-5, ..SvmRules::default() };
        let svm = Svm::train(&[vector("a")], &[vector("b")], &rules).unwrap();
        let k = (-1f32).exp();
        for (weight, square) in &svm.supports {
            assert_eq!(*square, 1.0);
            assert!((weight.abs() - 1.0 / (1.0 - k)).abs() < 1e-4, "{weight}");
        }
        let near =
            |found: f32, expect: f32| assert!((found - expect).abs() < 1e-4, "{found}, expected {expect}");
        near(svm.decision(&vector("a")), 1.0);
        near(svm.decision(&vector("b b")), -1.0);
        near(svm.decision(&vector("a b")), 0.0);
        near(svm.probability(svm.decision(&vector("a b"))), 0.5);
        assert!(svm.probability(1.0) > 0.6 && svm.probability(-1.0) < 0.4);
    }

    /// With c = 1/2 both alphas stop at 1/2: decision on `a` is (1 - k) / 2.
    #[test]
    fn the_price_bounds_the_weights() {
        let rules = SvmRules { gamma: 0.5, c: 0.5, ..SvmRules::default() };
        let svm = Svm::train(&[vector("a")], &[vector("b")], &rules).unwrap();
        assert!((svm.decision(&vector("a")) - 0.5 * (1.0 - (-1f32).exp())).abs() < 1e-4);
    }

    /// Either word alone is wanted, both or none are not: no straight line parts them.
    #[test]
    fn what_no_line_parts() {
        let wanted = [vector("x a"), vector("x b")];
        let unwanted = [vector("x"), vector("x a b")];
        let rules = SvmRules { gamma: 4.0, c: 100.0, ..SvmRules::default() };
        let svm = Svm::train(&wanted, &unwanted, &rules).unwrap();
        assert!(wanted.iter().all(|page| svm.decision(page) > 0.5), "{svm:?}");
        assert!(unwanted.iter().all(|page| svm.decision(page) < -0.5), "{svm:?}");
    }

    #[test]
    fn words_are_weighed_like_vectors() {
        let mut counts = Counts::default();
        "a a a b c c d".split(' ').for_each(|word| counts.add(Term::of(word)));
        let svm = Svm::train(&[vector("a c")], &[vector("b e")], &SvmRules::default()).unwrap();
        let (by_words, by_vector) = (svm.decision_on(&counts), svm.decision(&Vector::of_log_counts(&counts)));
        assert!((by_words - by_vector).abs() < 1e-3, "{by_words}, {by_vector}");
        assert_eq!(svm.decision_on(&Counts::default()), svm.decision(&Vector::default()));
    }

    #[test]
    fn contradictions_and_repetitions_end() {
        let page = vector("a b");
        let svm =
            Svm::train(&[page.clone(), page.clone()], std::slice::from_ref(&page), &SvmRules::default())
                .unwrap();
        assert!(svm.probability(svm.decision(&page)).is_finite());
        let empty =
            Svm::train(&[Vector::default()], std::slice::from_ref(&page), &SvmRules::default()).unwrap();
        assert!(empty.decision(&Vector::default()) > empty.decision(&page));
        let again = Svm::train(&[page.clone(), page.clone()], &[page], &SvmRules::default()).unwrap();
        assert_eq!(svm, again);
    }

    #[test]
    fn examples_that_do_not_suffice() {
        let error = Svm::train(&[vector("a")], &[], &SvmRules::default()).unwrap_err();
        assert_eq!(error.to_string(), "svm: 1 wanted and 0 unwanted examples, expected at least 1 of each");
        let many = vec![Vector::default(); MAX_EXAMPLES];
        let error = Svm::train(&many, &many[..1], &SvmRules::default()).unwrap_err();
        assert_eq!(error.to_string(), "svm: 3001 examples, expected at most 3000");
    }
}
