//! Sparse vectors of terms, and the cosine between them.

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

use super::term::Hashed;
use super::{Language, Reader, Term};

/// How often each term occurs in a text. Made to be cleared and filled again, page after page.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    counts: HashMap<Term, u32, Hashed>,
    /// Sum of the squares, updated with each count, so that the length is free.
    squares: u64,
    total: u64,
}

impl Counts {
    /// The words of `text`.
    pub fn of(reader: &mut Reader, text: &str, language: Language) -> Self {
        let mut counts = Self::default();
        reader.read(text, language, |word| counts.add(word.term));
        counts
    }

    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.counts.clear();
        (self.squares, self.total) = (0, 0);
    }

    /// Counts one more.
    pub fn add(&mut self, term: Term) {
        self.total += 1;
        if let Some(count) = self.counts.get_mut(&term) {
            // (c + 1)^2 = c^2 + 2c + 1
            self.squares += 2 * u64::from(*count) + 1;
            *count = count.saturating_add(1);
        } else {
            self.squares += 1;
            self.counts.insert(term, 1);
        }
    }

    /// How often `term` was counted.
    pub fn get(&self, term: Term) -> u32 {
        self.counts.get(&term).copied().unwrap_or(0)
    }

    /// All words, counted each time.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Different terms.
    pub fn distinct(&self) -> usize {
        self.counts.len()
    }

    /// Length of the vector.
    pub fn length(&self) -> f32 {
        (self.squares as f64).sqrt() as f32
    }

    /// Terms and counts, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (Term, u32)> {
        self.counts.iter().map(|(term, count)| (*term, *count))
    }
}

/// A sparse vector, in the order of its terms.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Vector {
    entries: Vec<(Term, f32)>,
    length: f32,
}

impl Vector {
    /// From weights; those of the same term add up, and what is not finite or zero is left out.
    pub fn of(weights: impl IntoIterator<Item = (Term, f32)>) -> Self {
        let mut all: Vec<(Term, f32)> =
            weights.into_iter().filter(|(_, weight)| weight.is_finite()).collect();
        // stable: sums do not depend on how the sort goes about it
        all.sort_by_key(|(term, _)| *term);
        let mut entries: Vec<(Term, f32)> = Vec::with_capacity(all.len());
        for (term, weight) in all {
            match entries.last_mut() {
                Some((last, sum)) if *last == term => *sum += weight,
                _ => entries.push((term, weight)),
            }
        }
        entries.retain(|(_, weight)| *weight != 0.0 && weight.is_finite());
        let length = entries.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
        Self { entries, length }
    }

    /// The counts as weights.
    pub fn of_counts(counts: &Counts) -> Self {
        Self::of(counts.iter().map(|(term, count)| (term, count as f32)))
    }

    /// `1 + ln(count)` as weights: a word that occurs ten times counts more than one that occurs once, but not ten
    /// times as much.
    pub fn of_log_counts(counts: &Counts) -> Self {
        Self::of(counts.iter().map(|(term, count)| (term, log_weight(count))))
    }

    /// Scaled to length 1; a vector of length 0 is unchanged.
    pub fn unit(mut self) -> Self {
        if self.length > 0.0 {
            self.entries.iter_mut().for_each(|(_, weight)| *weight /= self.length);
            self.length = 1.0;
        }
        self
    }

    /// Its length.
    pub fn length(&self) -> f32 {
        self.length
    }

    /// Whether the vector is empty.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Terms and weights, in the order of the terms.
    pub fn entries(&self) -> &[(Term, f32)] {
        &self.entries
    }

    /// The weight of a term.
    pub fn get(&self, term: Term) -> f32 {
        let place = self.entries.binary_search_by_key(&term, |(term, _)| *term);
        place.ok().and_then(|at| self.entries.get(at)).map_or(0.0, |(_, weight)| *weight)
    }

    /// Sum of the products.
    pub fn dot(&self, other: &Self) -> f32 {
        let (mut left, mut right) = (self.entries.as_slice(), other.entries.as_slice());
        let mut sum = 0.0;
        while let ([(a, x), left_rest @ ..], [(b, y), right_rest @ ..]) = (left, right) {
            match a.cmp(b) {
                std::cmp::Ordering::Less => left = left_rest,
                std::cmp::Ordering::Greater => right = right_rest,
                std::cmp::Ordering::Equal => {
                    sum += x * y;
                    (left, right) = (left_rest, right_rest);
                }
            }
        }
        sum
    }

    /// 0 to 1 for weights that are not negative; 0 if one side is empty.
    pub fn cosine(&self, other: &Self) -> f32 {
        quotient(self.dot(other), self.length * other.length)
    }

    /// The cosine with counts, at the cost of this vector only: for a small topic and a long page.
    pub(crate) fn cosine_counts(&self, counts: &Counts) -> f32 {
        let dot = self.entries.iter().map(|(term, weight)| weight * counts.get(*term) as f32).sum();
        quotient(dot, self.length * counts.length())
    }
}

/// `1 + ln(count)`; most words occur once.
pub fn log_weight(count: u32) -> f32 {
    if count <= 1 { 1.0 } else { 1.0 + (count as f32).ln() }
}

fn quotient(dot: f32, lengths: f32) -> f32 {
    if lengths > 0.0 { (dot / lengths).clamp(-1.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn vector(weights: &[(&str, f32)]) -> Vector {
        Vector::of(weights.iter().map(|(stem, weight)| (Term::of(stem), *weight)))
    }

    /// (3, 4, 0) and (0, 4, 3): 16 / 25.
    #[test]
    fn cosine_by_hand() {
        let a = vector(&[("a", 3.0), ("b", 4.0)]);
        let b = vector(&[("b", 4.0), ("c", 3.0)]);
        assert_eq!(a.length(), 5.0);
        assert!((a.cosine(&b) - 0.64).abs() < 1e-6);
        assert!((a.clone().unit().dot(&b.clone().unit()) - 0.64).abs() < 1e-6);
        assert!((a.cosine(&a) - 1.0).abs() < 1e-6);
        assert_eq!(a.cosine(&Vector::default()), 0.0);
        assert_eq!(vector(&[("a", 1.0), ("a", 2.0), ("b", f32::NAN), ("c", 0.0)]), vector(&[("a", 3.0)]));
    }

    /// Text: red 2, flower 1, x 2, length 3; topic (red, flower): 3 / (sqrt 2 * 3).
    #[test]
    fn cosine_with_a_text() {
        let mut reader = Reader::new();
        let counts = Counts::of(&mut reader, "Red flower red X8 x8", Language::English);
        assert_eq!((counts.length(), counts.total(), counts.distinct()), (3.0, 5, 3));
        let topic = vector(&[("red", 1.0), ("flower", 1.0)]);
        assert!((topic.cosine_counts(&counts) - 1.0 / 2f32.sqrt()).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn both_ways_agree(a in prop::collection::vec(0u8..20, 0..40), b in prop::collection::vec(0u8..20, 0..40)) {
            let counts = |list: &[u8]| {
                let mut counts = Counts::default();
                list.iter().for_each(|number| counts.add(Term::of(&number.to_string())));
                counts
            };
            let (a, b) = (counts(&a), counts(&b));
            let cosine = Vector::of_counts(&a).cosine(&Vector::of_counts(&b));
            prop_assert!((cosine - Vector::of_counts(&a).cosine_counts(&b)).abs() < 1e-5);
            prop_assert!((cosine - Vector::of_counts(&b).cosine(&Vector::of_counts(&a))).abs() < 1e-6);
            prop_assert!((0.0..=1.0).contains(&cosine));
        }
    }
}
