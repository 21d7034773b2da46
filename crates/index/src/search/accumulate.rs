//! Adds up the postings of documents, in whatever order the lists arrive.
//!
//! A few postings are collected and sorted; many are added up in place, in an array with one element per document of
//! the segment. The array is kept per thread: it takes four bytes per document, and only the elements that were used
//! are reset.

use std::cell::RefCell;

use tantivy::DocId;

use super::matches::{Matches, Unlisted};

/// One posting per this many documents or fewer counts as few.
const FEW: u64 = 24;
/// How many documents are processed together.
const CHUNK: usize = 512;
/// How many documents are compared at once.
const LANES: usize = 16;
/// Sampling rate for the distribution of sums: one in this many documents.
const SAMPLED: usize = 64;

thread_local! {
    static SUMS: RefCell<Vec<f32>> = const { RefCell::new(Vec::new()) };
}

/// Sums by document.
pub(crate) enum Accumulator {
    /// For a few postings.
    Few(Vec<(DocId, f32)>),
    /// For many: an array that may be longer than the segment.
    Many(Vec<f32>, usize),
}

impl Accumulator {
    /// Makes room for about `postings` in a segment of `docs` documents.
    pub(crate) fn new(postings: u64, docs: DocId) -> Self {
        if postings * FEW < u64::from(docs) {
            return Self::Few(Vec::with_capacity(postings as usize));
        }
        let mut sums = SUMS.with(RefCell::take);
        // all elements are zero, whatever length it had
        sums.resize((docs as usize).max(sums.len()), 0.0);
        Self::Many(sums, docs as usize)
    }

    /// Adds to a document; values must not be negative.
    pub(crate) fn add(&mut self, doc: DocId, value: f32) {
        match self {
            Self::Few(values) => values.push((doc, value)),
            Self::Many(sums, _) => {
                if let Some(sum) = sums.get_mut(doc as usize) {
                    *sum += value;
                }
            }
        }
    }

    /// Adds `value(position in the block)` to each document of a block.
    pub(crate) fn add_block(&mut self, docs: &[DocId], mut value: impl FnMut(usize, DocId) -> f32) {
        match self {
            Self::Few(values) => {
                values.extend(docs.iter().enumerate().map(|(i, doc)| (*doc, value(i, *doc))))
            }
            Self::Many(sums, _) => {
                for (i, doc) in docs.iter().enumerate() {
                    if let Some(sum) = sums.get_mut(*doc as usize) {
                        *sum += value(i, *doc);
                    }
                }
            }
        }
    }

    /// The matches among `docs`, which are in ascending order: those for which `score` returns a score, given their
    /// sums.
    pub(crate) fn only(self, docs: &[DocId], score: impl Fn(DocId, f32) -> Option<f32>) -> Matches {
        let Self::Many(mut sums, length) = self else { return self.matches(score).only(docs) };
        let mut matches = Matches::default();
        for doc in docs {
            let sum = sums.get(*doc as usize).copied().unwrap_or(0.0);
            if let Some(score) = if sum > 0.0 { score(*doc, sum) } else { None } {
                matches.docs.push(*doc);
                matches.scores.push(score);
            }
        }
        sums.get_mut(..length).unwrap_or_default().fill(0.0);
        SUMS.with(|place| place.replace(sums));
        matches
    }

    /// Multiplies the sums of documents.
    pub(crate) fn scale(&mut self, factor: impl Fn(DocId) -> f32) {
        match self {
            Self::Few(values) => values.iter_mut().for_each(|(doc, value)| *value *= factor(*doc)),
            Self::Many(sums, docs) => {
                (0..).zip(sums.iter_mut().take(*docs)).for_each(|(doc, sum)| *sum *= factor(doc));
            }
        }
    }

    /// The `count` documents with the largest sums, at least `least`, and some of the next ones; the others are only
    /// counted. Their scores are their sums. `gone` tells which documents were deleted.
    pub(crate) fn best(self, count: usize, least: f32, gone: Option<&dyn Fn(DocId) -> bool>) -> Matches {
        let Self::Many(mut sums, docs) = self else {
            let mut found = self.matches(|_, sum| (sum >= least).then_some(sum));
            if let Some(gone) = gone {
                found.retain(|doc| !gone(doc));
            }
            return found;
        };
        let all = sums.get_mut(..docs).unwrap_or_default();
        if let Some(gone) = gone {
            (0..).zip(all.iter_mut()).filter(|(doc, _)| gone(*doc)).for_each(|(_, sum)| *sum = 0.0);
        }
        let floor = floor_of(all, count, least);
        let mut found = Matches::default();
        for (first, few) in (0..).step_by(LANES).zip(all.chunks(LANES)) {
            // rarely true, so many documents are compared at once
            if few.iter().map(|sum| u32::from(*sum >= floor)).sum::<u32>() > 0 {
                each_from(few, floor, |place, sum| {
                    found.docs.push(first + place);
                    found.scores.push(sum);
                });
            }
        }
        let rest = (0..).step_by(SAMPLED).zip(all.iter().step_by(SAMPLED));
        let rest = rest.filter(|(_, sum)| **sum >= least && **sum < floor).map(|(doc, _)| doc);
        let total = all.iter().map(|sum| usize::from(*sum >= least)).sum::<usize>();
        found.rest = Unlisted { count: (total - found.docs.len()) as u64, sample: rest.collect() };
        all.fill(0.0);
        SUMS.with(|place| place.replace(sums));
        found
    }

    /// The documents for which `score` returns a score, given their sums.
    pub(crate) fn matches(self, score: impl Fn(DocId, f32) -> Option<f32>) -> Matches {
        let mut matches = Matches::default();
        let mut put = |doc: DocId, sum: f32| {
            if let Some(score) = score(doc, sum) {
                matches.docs.push(doc);
                matches.scores.push(score);
            }
        };
        match self {
            Self::Few(mut values) => {
                // a stable sort: the order of additions is the same in both forms
                values.sort_by_key(|(doc, _)| *doc);
                for same in values.chunk_by(|a, b| a.0 == b.0) {
                    if let Some((doc, _)) = same.first() {
                        put(*doc, same.iter().map(|(_, value)| value).sum());
                    }
                }
            }
            Self::Many(mut sums, docs) => {
                let all = sums.get_mut(..docs).unwrap_or_default();
                each_from(all, f32::MIN_POSITIVE, put);
                all.fill(0.0);
                SUMS.with(|place| place.replace(sums));
            }
        }
        matches
    }
}

/// A sum that at least `count` documents reach, but not many more; `least` if fewer reach that.
fn floor_of(sums: &[f32], count: usize, least: f32) -> f32 {
    let mut sample: Vec<f32> = sums.iter().step_by(SAMPLED).copied().filter(|sum| *sum >= least).collect();
    // twice as many as needed according to the sample, so that they are rarely too few
    let rank = (count / SAMPLED + 1) * 2;
    if sample.len() <= rank {
        return least;
    }
    let floor = *sample.select_nth_unstable_by(rank, |a, b| b.total_cmp(a)).1;
    let reached = sums.iter().map(|sum| usize::from(*sum >= floor)).sum::<usize>();
    if reached >= count { floor } else { least }
}

/// Calls `each` for the documents whose sum is at least `floor`.
fn each_from(sums: &[f32], floor: f32, mut each: impl FnMut(DocId, f32)) {
    let mut first = 0;
    let mut found = [0u16; CHUNK];
    for chunk in sums.chunks(CHUNK) {
        // without a branch: about half are above, which no processor can predict
        let mut count = 0;
        for (place, sum) in (0..).zip(chunk) {
            found[count] = place;
            count += usize::from(*sum >= floor);
        }
        for place in found.iter().take(count) {
            each(first + DocId::from(*place), chunk[usize::from(*place)]);
        }
        first += CHUNK as DocId;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_give_the_same() {
        for docs in [10, 1000] {
            for only in [true, false, true, false] {
                let mut sums = Accumulator::new(4, docs);
                for (doc, value) in [(5, 1.0), (9, 0.5), (5, 0.25), (2, 0.125)] {
                    sums.add(doc, value);
                }
                sums.add_block(&[1, 5], |place, _| place as f32 + 1.0);
                let score = |_, sum| (sum > 0.2).then_some(sum * 2.0);
                let found = if only { sums.only(&[0, 1, 2, 5, 9], score) } else { sums.matches(score) };
                assert_eq!((found.docs, found.scores), (vec![1, 5, 9], vec![2.0, 6.5, 1.0]));
            }
        }
    }
    #[test]
    fn the_best_are_listed_and_the_others_counted() {
        /// Every second of 64,000 documents has a sum, larger for later ones; some documents were deleted.
        fn found(count: usize, least: f32, gone: Option<&dyn Fn(DocId) -> bool>) -> Matches {
            let mut sums = Accumulator::new(32_000, 64_000);
            (0..64_000).filter(|doc| doc % 2 == 0).for_each(|doc| sums.add(doc, doc as f32 + 1.0));
            sums.scale(|_| 2.0);
            sums.best(count, 2.0 * least, gone)
        }
        let check = |found: Matches, first: DocId, listed: usize, rest: u64| {
            assert_eq!((found.docs.first(), found.docs.len()), (Some(&first), listed));
            assert_eq!((found.rest.count, found.rest.sample.is_empty()), (rest, rest == 0));
        };
        let plain = f32::MIN_POSITIVE;
        // 1,000 are wanted: 32 of the 1,000 in the sample, whose members are 64 apart
        check(found(1_000, plain, None), 61_888, 1_056, 30_944);
        check(found(40_000, plain, None), 0, 32_000, 0);
        check(found(1_000, 101.0, None), 61_888, 1_056, 30_894);
        check(found(1_000, plain, Some(&|doc| doc >= 32_000)), 29_888, 1_056, 14_944);
        let few = found(40_000, 63_001.0, Some(&|doc| doc == 63_000));
        check(few, 63_002, 499, 0);
    }
}
