//! The matches of a part of a query in a segment: documents in ascending order, each with a score.
//!
//! Queries are evaluated condition by condition, whole lists at a time, not document by document: visual words have
//! long lists (a common colour is in a third of all pictures), and walking those in parallel costs more than adding
//! them up in place. The price is memory for the matches of one path through the query.

use tantivy::DocId;

/// The numbers of conditions, with the contribution of each to a score.
pub(crate) type Parts = Vec<(usize, f32)>;

/// Documents, their scores, and the parts of the scores if requested.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Matches {
    pub(crate) docs: Vec<DocId>,
    pub(crate) scores: Vec<f32>,
    /// As long as `docs`, or empty.
    pub(crate) parts: Vec<Parts>,
    /// Matches that are not listed, because enough others are better.
    pub(crate) rest: Unlisted,
}

/// Matches of which only the number is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Unlisted {
    pub(crate) count: u64,
    /// A sample of them, from the whole segment.
    pub(crate) sample: Vec<DocId>,
}

impl Matches {
    /// Documents that match and have no score.
    pub(crate) fn unscored(docs: Vec<DocId>) -> Self {
        let scores = vec![0.0; docs.len()];
        Self { docs, scores, ..Self::default() }
    }

    /// The number of matches, listed or not.
    pub(crate) fn total(&self) -> u64 {
        self.len() as u64 + self.rest.count
    }

    /// Sets one condition as the source of all scores.
    pub(crate) fn with_parts(mut self, condition: usize) -> Self {
        let part = |score: &f32| if *score == 0.0 { Vec::new() } else { vec![(condition, *score)] };
        self.parts = self.scores.iter().map(part).collect();
        self
    }

    pub(crate) fn len(&self) -> usize {
        self.docs.len()
    }

    /// Keeps the documents for which `keep` returns true.
    pub(crate) fn retain(&mut self, keep: impl Fn(DocId) -> bool) {
        let mut kept = 0;
        for place in 0..self.docs.len() {
            if self.docs.get(place).is_some_and(|doc| keep(*doc)) {
                self.docs.swap(kept, place);
                self.scores.swap(kept, place);
                if !self.parts.is_empty() {
                    self.parts.swap(kept, place);
                }
                kept += 1;
            }
        }
        self.docs.truncate(kept);
        self.scores.truncate(kept);
        self.parts.truncate(kept);
    }

    /// The matches among `docs`, which are in ascending order.
    pub(crate) fn only(self, docs: &[DocId]) -> Self {
        /// The cost of a lookup, in steps through the list.
        const LOOK_UP: usize = 16;
        if docs.len() * LOOK_UP > self.len() {
            return self.and(&Self::unscored(docs.to_vec()));
        }
        let mut kept = Self::default();
        for doc in docs {
            if let Ok(place) = self.docs.binary_search(doc) {
                kept.push_from(&self, place);
            }
        }
        kept
    }

    fn push_from(&mut self, other: &Self, at: usize) {
        let (Some(doc), Some(score)) = (other.docs.get(at), other.scores.get(at)) else { return };
        self.docs.push(*doc);
        self.scores.push(*score);
        if !other.parts.is_empty() {
            self.parts.push(other.parts.get(at).cloned().unwrap_or_default());
        }
    }

    /// Adds the score of another match to that of the last document.
    fn add_to_last(&mut self, other: &Self, at: usize) {
        if let (Some(last), Some(score)) = (self.scores.last_mut(), other.scores.get(at)) {
            *last += score;
        }
        if let (Some(last), Some(parts)) = (self.parts.last_mut(), other.parts.get(at)) {
            last.extend(parts);
        }
    }

    /// The documents that both matched, with the sum of scores.
    pub(crate) fn and(&self, other: &Self) -> Self {
        if self.parts.is_empty() && other.parts.is_empty() {
            return self.and_plain(other);
        }
        let mut both = Self::default();
        self.walk(other, |mine, theirs| {
            if let (Some(mine), Some(theirs)) = (mine, theirs) {
                both.push_from(self, mine);
                both.add_to_last(other, theirs);
            }
        });
        both
    }

    /// The same without parts, for long lists.
    fn and_plain(&self, other: &Self) -> Self {
        let mut both = Self::default();
        let mut theirs = other.docs.iter().zip(&other.scores).peekable();
        for (doc, score) in self.docs.iter().zip(&self.scores) {
            while theirs.next_if(|(other, _)| *other < doc).is_some() {}
            if let Some((_, other)) = theirs.next_if(|(other, _)| *other == doc) {
                both.docs.push(*doc);
                both.scores.push(score + other);
            }
        }
        both
    }

    /// The documents that either matched, with the sum of the scores they have.
    pub(crate) fn or(&self, other: &Self) -> Self {
        let mut either = Self::default();
        self.walk(other, |mine, theirs| match (mine, theirs) {
            (Some(mine), theirs) => {
                either.push_from(self, mine);
                if let Some(theirs) = theirs {
                    either.add_to_last(other, theirs);
                }
            }
            (None, Some(theirs)) => either.push_from(other, theirs),
            (None, None) => {}
        });
        either
    }

    /// The documents that this matched, plus the score of the other where it matched too.
    pub(crate) fn maybe(&self, other: &Self) -> Self {
        let mut mine = Self::default();
        self.walk(other, |at, theirs| {
            if let Some(at) = at {
                mine.push_from(self, at);
                if let Some(theirs) = theirs {
                    mine.add_to_last(other, theirs);
                }
            }
        });
        mine
    }

    /// The documents that this matched and the other did not.
    pub(crate) fn without(&self, other: &Self) -> Self {
        let mut left = Self::default();
        self.walk(other, |mine, theirs| {
            if let (Some(mine), None) = (mine, theirs) {
                left.push_from(self, mine);
            }
        });
        left
    }

    /// Walks both lists in document order.
    fn walk(&self, other: &Self, mut each: impl FnMut(Option<usize>, Option<usize>)) {
        let (mut mine, mut theirs) = (0, 0);
        loop {
            match (self.docs.get(mine), other.docs.get(theirs)) {
                (Some(a), Some(b)) if a == b => {
                    each(Some(mine), Some(theirs));
                    (mine, theirs) = (mine + 1, theirs + 1);
                }
                (Some(a), Some(b)) if a > b => {
                    each(None, Some(theirs));
                    theirs += 1;
                }
                (Some(_), _) => {
                    each(Some(mine), None);
                    mine += 1;
                }
                (None, Some(_)) => {
                    each(None, Some(theirs));
                    theirs += 1;
                }
                (None, None) => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(docs: &[(DocId, f32)], condition: usize) -> Matches {
        let (docs, scores) = docs.iter().copied().unzip();
        Matches { docs, scores, ..Matches::default() }.with_parts(condition)
    }

    #[test]
    fn few_of_many_are_looked_up() {
        let all: Vec<(DocId, f32)> = (0..1000).map(|doc| (doc * 2, 1.0)).collect();
        let found = of(&all, 3).only(&[4, 5, 1998]);
        assert_eq!((found.docs, found.scores), (vec![4, 1998], vec![1.0, 1.0]));
        assert_eq!(found.parts, [[(3, 1.0)], [(3, 1.0)]]);
    }

    #[test]
    fn matches_combine_with_their_scores() {
        let (a, b) = (of(&[(1, 0.5), (3, 1.0), (7, 2.0)], 0), of(&[(0, 4.0), (3, 0.25), (9, 1.0)], 1));
        let check = |found: Matches, docs: &[DocId], scores: &[f32]| {
            assert_eq!((found.docs.as_slice(), found.scores.as_slice()), (docs, scores));
            let sums: Vec<f32> =
                found.parts.iter().map(|parts| parts.iter().map(|part| part.1).sum()).collect();
            assert_eq!(sums, scores);
        };
        check(a.and(&b), &[3], &[1.25]);
        check(a.or(&b), &[0, 1, 3, 7, 9], &[4.0, 0.5, 1.25, 2.0, 1.0]);
        check(a.maybe(&b), &[1, 3, 7], &[0.5, 1.25, 2.0]);
        check(a.without(&b), &[1, 7], &[0.5, 2.0]);
        check(a.clone().only(&[0, 3, 7]), &[3, 7], &[1.0, 2.0]);
        let mut odd = a.clone();
        odd.retain(|doc| doc != 3);
        check(odd, &[1, 7], &[0.5, 2.0]);
        let plain = |matches: &Matches| Matches { parts: Vec::new(), ..matches.clone() };
        assert_eq!(plain(&a).and(&plain(&b)), plain(&a.and(&b)));
        check(a.and(&Matches::default()), &[], &[]);
        check(Matches::default().or(&b), &b.docs, &b.scores);
    }
}
