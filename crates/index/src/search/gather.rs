//! Adding up what lists of postings say of documents, in whatever order the lists come.
//!
//! Few postings are collected and sorted; many are added up in place, in an array as long as the segment has documents.
//! The array is kept by the thread: four bytes a document, not zeroed again but where it was touched.

use std::cell::RefCell;

use tantivy::DocId;

use super::matches::Matches;

/// One in so many documents is few.
const FEW: u64 = 24;
/// Documents that are looked at together.
const CHUNK: usize = 512;

thread_local! {
    static SUMS: RefCell<Vec<f32>> = const { RefCell::new(Vec::new()) };
}

/// Sums by document.
pub(crate) enum Gather {
    /// For few postings.
    Few(Vec<(DocId, f32)>),
    /// For many: an array that may be longer than the segment.
    Many(Vec<f32>, usize),
}

impl Gather {
    /// Room for about `postings` in a segment of `docs` documents.
    pub(crate) fn new(postings: u64, docs: DocId) -> Self {
        if postings * FEW < u64::from(docs) {
            return Self::Few(Vec::with_capacity(postings as usize));
        }
        let mut sums = SUMS.with(RefCell::take);
        // whatever length it had, all of it is zero
        sums.resize((docs as usize).max(sums.len()), 0.0);
        Self::Many(sums, docs as usize)
    }

    /// Adds to a document; values are not negative.
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

    /// Adds to each document of a block `value(place in the block)`.
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

    /// The documents for which `score` has a score, given their sums.
    pub(crate) fn matches(self, score: impl Fn(f32) -> Option<f32>) -> Matches {
        let mut matches = Matches::default();
        let mut put = |doc: DocId, sum: f32| {
            if let Some(score) = score(sum) {
                matches.docs.push(doc);
                matches.scores.push(score);
            }
        };
        match self {
            Self::Few(mut values) => {
                // stable: what is added first is added first in either way
                values.sort_by_key(|(doc, _)| *doc);
                for same in values.chunk_by(|a, b| a.0 == b.0) {
                    if let Some((doc, _)) = same.first() {
                        put(*doc, same.iter().map(|(_, value)| value).sum());
                    }
                }
            }
            Self::Many(mut sums, docs) => {
                let mut first = 0;
                let mut touched = [0u16; CHUNK];
                for chunk in sums.get_mut(..docs).unwrap_or_default().chunks_mut(CHUNK) {
                    // which are not zero, without a branch on it: about half are, and no processor guesses that
                    let mut count = 0;
                    for (place, sum) in (0..).zip(chunk.iter()) {
                        touched[count] = place;
                        count += usize::from(*sum > 0.0);
                    }
                    for place in touched.iter().take(count) {
                        put(first + DocId::from(*place), chunk[usize::from(*place)]);
                    }
                    if count > 0 {
                        chunk.fill(0.0);
                    }
                    first += CHUNK as DocId;
                }
                SUMS.with(|place| place.replace(sums));
            }
        }
        matches
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_give_the_same() {
        for docs in [10, 1000] {
            for _ in 0..2 {
                let mut gather = Gather::new(4, docs);
                for (doc, value) in [(5, 1.0), (9, 0.5), (5, 0.25), (2, 0.125)] {
                    gather.add(doc, value);
                }
                gather.add_block(&[1, 5], |place, _| place as f32 + 1.0);
                let found = gather.matches(|sum| (sum > 0.2).then_some(sum * 2.0));
                assert_eq!((found.docs, found.scores), (vec![1, 5, 9], vec![2.0, 6.5, 1.0]));
            }
        }
    }
}
