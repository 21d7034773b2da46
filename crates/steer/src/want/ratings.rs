//! What ratings and examples say of other pages.
//!
//! A logistic model whose offset is what words and kind say: `logit(worth) = offset + bias + w x`, where `x` are the
//! words of a page (idf weights, unit length) and its learned cluster and type. Bias and `w` have Gaussian priors around
//! zero, so without ratings the words alone decide, and each rating moves pages that are like it. Fitted by Newton steps on
//! the pages that were rated (iteratively reweighted least squares in the dual), which are few.

use osprey_text::{Term, log_weight};
use rustc_hash::FxHashMap;

use super::background::Background;
use super::digest::Digest;

/// How far words may move a page: the variance of their weights.
const VARIANCE: f32 = 40.0;
/// How far all pages may be moved.
const BIAS_VARIANCE: f32 = 1.0;
/// What a page's cluster, and its type, count beside its words.
const KIND_WEIGHT: f32 = 0.5;
/// Steps towards the best weights; they double their precision each.
const STEPS: usize = 25;
/// Rated pages that are learned from, the latest: the cost grows with the square.
const MOST: usize = 500;

/// A page as the model sees it.
type Features = Vec<(Term, f32)>;

/// What ratings say of pages.
#[derive(Clone, Debug, Default)]
pub(super) struct RatingModel {
    bias: f32,
    weights: FxHashMap<Term, f32>,
}

impl RatingModel {
    /// Of pages with what was said of them, and the offset of each.
    pub(super) fn fit(rated: &[(Digest, bool, f32)], background: &Background) -> Self {
        let rated = rated.get(rated.len().saturating_sub(MOST)..).unwrap_or_default();
        if rated.is_empty() {
            return Self::default();
        }
        let pages: Vec<Features> = rated.iter().map(|(page, ..)| features(page, background)).collect();
        let alike: Vec<Vec<f32>> = pages
            .iter()
            .map(|a| pages.iter().map(|b| VARIANCE * dot(a, b) + BIAS_VARIANCE).collect())
            .collect();
        let dual = newton(&alike, rated);
        let mut weights: FxHashMap<Term, f32> = FxHashMap::default();
        for (page, dual) in pages.iter().zip(&dual) {
            for (term, weight) in page {
                *weights.entry(*term).or_default() += VARIANCE * dual * weight;
            }
        }
        Self { bias: BIAS_VARIANCE * dual.iter().sum::<f32>(), weights }
    }

    /// Whether nothing was rated.
    pub(super) fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// How far a page is moved, in log odds.
    pub(super) fn moves(&self, page: &Digest, background: &Background) -> f32 {
        if self.is_empty() {
            return 0.0;
        }
        let words = features(page, background);
        self.bias
            + words
                .iter()
                .map(|(term, value)| value * self.weights.get(term).copied().unwrap_or(0.0))
                .sum::<f32>()
    }
}

fn features(page: &Digest, background: &Background) -> Features {
    let weight = |count: f32| if count < 1.0 { count } else { log_weight(count.round() as u32) };
    let mut words: Features =
        page.all_counts().map(|(term, count)| (term, weight(count) * background.idf(term))).collect();
    let length = words.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
    if length > 0.0 {
        words.iter_mut().for_each(|(_, weight)| *weight /= length);
    }
    if let Some((page_type, cluster)) = page.kind.learned {
        words.push((Term::of(&format!("type {}", page_type.name())), KIND_WEIGHT));
        words.extend(cluster.map(|cluster| (Term::of(&format!("cluster {cluster}")), KIND_WEIGHT)));
    }
    words.sort_unstable_by_key(|(term, _)| *term);
    words
}

fn dot(a: &Features, b: &Features) -> f32 {
    let (mut a, mut b, mut sum) = (a.as_slice(), b.as_slice(), 0.0);
    while let ([(left, x), a_rest @ ..], [(right, y), b_rest @ ..]) = (a, b) {
        match left.cmp(right) {
            std::cmp::Ordering::Less => a = a_rest,
            std::cmp::Ordering::Greater => b = b_rest,
            std::cmp::Ordering::Equal => {
                sum += x * y;
                (a, b) = (a_rest, b_rest);
            }
        }
    }
    sum
}

/// The weights of the rated pages: Newton's method, each step solved by Gauss-Seidel sweeps.
fn newton(alike: &[Vec<f32>], rated: &[(Digest, bool, f32)]) -> Vec<f32> {
    let mut dual = vec![0.0_f32; rated.len()];
    for _ in 0..STEPS {
        for (place, (row, (_, is_good, offset))) in alike.iter().zip(rated).enumerate() {
            let score = offset + row.iter().zip(&dual).map(|(k, a)| k * a).sum::<f32>();
            let p = 1.0 / (1.0 + (-score).exp());
            let own = row.get(place).copied().unwrap_or(1.0);
            let target = if *is_good { 1.0 } else { 0.0 };
            // one step of Newton on this page's own weight: its gradient is (target - p) - dual
            if let Some(dual) = dual.get_mut(place) {
                *dual += (target - p - *dual) / (1.0 + own * p * (1.0 - p));
            }
        }
    }
    dual
}
