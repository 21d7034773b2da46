//! The k best documents of all segments.

use std::cmp::Ordering;

use tantivy::DocId;

use super::matches::Matches;
use super::segment::Segment;

/// A document of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DocPlace {
    pub(crate) segment: usize,
    pub(crate) doc: DocId,
}

/// A document with its score; better ones compare as less, so that they come first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranked {
    pub(crate) score: f32,
    /// A hash of the URL, which orders equal scores independently of segments.
    pub(crate) order: u64,
    pub(crate) place: DocPlace,
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.order.cmp(&other.order))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ranked {}

/// The `count` best of all segments, best first.
pub(crate) fn best(segments: &[Segment], matched: &[Matches], count: usize) -> Vec<Ranked> {
    if count == 0 {
        return Vec::new();
    }
    // a heap would be reordered for each of many equal scores: here some are collected, then cut
    let room = count.saturating_mul(2).max(64);
    let mut kept: Vec<Ranked> = Vec::with_capacity(room);
    let mut worst: Option<Ranked> = None;
    for (number, (segment, matches)) in segments.iter().zip(matched).enumerate() {
        for (doc, score) in matches.docs.iter().zip(&matches.scores) {
            // most are worse; the column is read only for the others
            if worst.is_some_and(|worst| *score < worst.score) {
                continue;
            }
            let order = segment.order.first(*doc).unwrap_or(0);
            let ranked = Ranked { score: *score, order, place: DocPlace { segment: number, doc: *doc } };
            if worst.is_some_and(|worst| ranked > worst) {
                continue;
            }
            kept.push(ranked);
            if kept.len() == room {
                worst = Some(*kept.select_nth_unstable(count - 1).1);
                kept.truncate(count);
            }
        }
    }
    kept.sort_unstable();
    kept.truncate(count);
    kept
}

/// The documents of a segment among `ranked`, in ascending order.
pub(crate) fn docs_of(ranked: &[Ranked], segment: usize) -> Vec<DocId> {
    let places = ranked.iter().map(|ranked| ranked.place).filter(|place| place.segment == segment);
    let mut docs: Vec<DocId> = places.map(|place| place.doc).collect();
    docs.sort_unstable();
    docs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn better_comes_first_and_equal_by_the_url() {
        let ranked = |score, order| Ranked { score, order, place: DocPlace { segment: 0, doc: 0 } };
        let mut all = [ranked(0.5, 9), ranked(1.0, 3), ranked(0.5, 2), ranked(f32::NAN, 1)];
        all.sort();
        let order: Vec<u64> = all.iter().map(|ranked| ranked.order).collect();
        assert_eq!(order, [1, 3, 2, 9]);
    }
}
