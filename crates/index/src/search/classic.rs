//! Ranking `classic`: equation 21 of Zhang 2008, with equations 15, 19 and 20.
//!
//! ```text
//! score = queryNorm x sum over terms t:  sqrt(tf) x idf x boost(field) x 1/sqrt(terms in the field) x idf x query boost
//!         x comments(I) x profile(I)
//! idf = ln(1 + N / (df + 1))
//! ```
//!
//! Interpretations. `queryNorm` is one divided by the root of the sum of squared weights, as in Lucene, on which
//! Zhang 2008 builds; it does not affect the order. As printed, a picture without comments has the factor 0 and is
//! never found; here the factor is `(n + 1) / (k + 1)` with the average k, which is nearly `n / k` for many comments.
//! A picture whose uploader has no known profile gets the average similarity; the factor is at least a hundredth.
//! Frequencies of visual words are limited to ten; see `crate::visual`. A visual condition is one term: if it were
//! summed over ten fields and over shades and neighbours, as the equation does for terms that a user types, `beach OR
//! color:blue` would list blue pictures before beaches. Boolean parts (must, must not) come from the query; the
//! scores of all matching terms are added.

use tantivy::DocId;

use super::segment::{Segment, Statistics};
use crate::query::NumberField;

/// The smallest factor of a profile.
const LEAST_PROFILE: f64 = 0.01;

/// The inverse document frequency of a term.
pub(crate) fn idf(docs: u64, frequency: u64) -> f32 {
    (1.0 + docs as f32 / (frequency as f32 + 1.0)).ln()
}

/// The factor for the root of a term's frequency.
pub(crate) fn term_weight(idf: f32, field_boost: f32, length: f32) -> f32 {
    idf * idf * field_boost / length.sqrt()
}

/// The factor for comments, equation 19.
pub(crate) fn comments(count: f64, average: f64) -> f64 {
    (count + 1.0) / (average + 1.0)
}

/// The factor for the uploader's profile, equation 20.
pub(crate) fn profile(similarity: Option<f64>, average: f64) -> f64 {
    similarity.unwrap_or(average).max(LEAST_PROFILE)
}

/// Both factors of a document.
pub(crate) fn document(segment: &Segment, doc: DocId, statistics: &Statistics) -> f32 {
    let first = |field| segment.number(field).and_then(|column| column.first(doc));
    let comments = comments(first(NumberField::Comments).unwrap_or(0.0), statistics.comments);
    (comments * profile(first(NumberField::Similarity), statistics.similarity)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expect: f64) {
        assert!((found - expect).abs() < 1e-4, "{found} is not {expect}");
    }

    #[test]
    fn the_factors_are_those_of_the_equations() {
        // 1,000 pictures, 9 of them with the term: ln(1 + 1000/10) = ln 101
        near(f64::from(idf(1000, 9)), 4.61512);
        // idf 2, a title (2) of 4 words: 2 x 2 x 2 / 2
        near(f64::from(term_weight(2.0, 2.0, 4.0)), 4.0);
        // a region at the side (1/2) of 16 terms: 2 x 2 x 0.5 / 4
        near(f64::from(term_weight(2.0, 0.5, 16.0)), 0.5);
        near(comments(0.0, 4.0), 0.2);
        near(comments(4.0, 4.0), 1.0);
        near(comments(99.0, 4.0), 20.0);
        near(profile(Some(0.25), 0.5), 0.25);
        near(profile(None, 0.5), 0.5);
        near(profile(Some(0.0), 0.5), 0.01);
    }
}
