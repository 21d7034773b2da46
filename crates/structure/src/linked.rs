//! Tests whether links of the same kinds lead to two groups of pages.
//!
//! Every page has one vote, divided among the kinds of link that lead to it: the Apaths, and for each Apath the groups
//! of the pages that contain it. Links between the two groups do not count, because the pages of any list link to each
//! other. Links from pages outside the sample do not count either, because their group is unknown.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use crate::features::PageShape;
use crate::inlinks::InLink;

/// A page's vote; whole numbers, so that sums do not depend on their order.
const VOTE: u64 = 1 << 20;

/// The group of each page, `None` for a page that is in none.
pub(crate) type Labels = [Option<usize>];

/// The pages of a sample by their addresses.
#[derive(Debug)]
pub(crate) struct Addresses(HashMap<u64, usize>);

impl Addresses {
    pub(crate) fn new(shapes: &[PageShape]) -> Self {
        let known = shapes.iter().enumerate().filter(|(_, shape)| shape.address() != 0);
        Self(known.map(|(page, shape)| (shape.address(), page)).collect())
    }

    /// The Apath of a link and the group that it comes from, if it counts.
    fn kind(&self, link: &InLink, labels: &Labels) -> Option<(u64, Option<usize>)> {
        match self.0.get(&link.from) {
            Some(&page) => Some((link.apath, labels.get(page).copied().flatten())),
            // The page that contains the link is unknown.
            None => (link.from == 0).then_some((link.apath, None)),
        }
    }
}

/// What the pages of a group say of the links that lead to them, by Apath and the group that the link comes from.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Votes(BTreeMap<(u64, Option<usize>), u64>);

impl Votes {
    /// Adds the vote of a page.
    pub(crate) fn add(&mut self, shape: &PageShape, addresses: &Addresses, labels: &Labels) {
        let kinds = shape.inlinks().iter().filter_map(|link| addresses.kind(link, labels));
        let mut kinds: Vec<(u64, Option<usize>)> = kinds.collect();
        kinds.sort_unstable();
        kinds.dedup();
        let apaths = kinds.chunk_by(|a, b| a.0 == b.0).count() as u64;
        for of_apath in kinds.chunk_by(|a, b| a.0 == b.0) {
            for &kind in of_apath {
                *self.0.entry(kind).or_default() += VOTE / apaths / of_apath.len() as u64;
            }
        }
    }

    pub(crate) fn join(&mut self, other: Self) {
        for (kind, votes) in other.0 {
            *self.0.entry(kind).or_default() += votes;
        }
    }

    /// By Apath, without links from groups that do not count.
    fn by_apath(&self, counts: &impl Fn(usize) -> bool) -> BTreeMap<u64, u64> {
        let mut votes = BTreeMap::new();
        for (&(apath, from), &vote) in &self.0 {
            if from.is_none_or(counts) {
                *votes.entry(apath).or_default() += vote;
            }
        }
        votes
    }

    /// How similar the links are that lead to two groups: a cosine; `None` if no link that counts leads to one of them.
    /// `counts` decides whether links from a group count.
    pub(crate) fn likeness(&self, other: &Self, counts: impl Fn(usize) -> bool) -> Option<f64> {
        let (mine, theirs) = (self.by_apath(&counts), other.by_apath(&counts));
        (!mine.is_empty() && !theirs.is_empty()).then(|| cosine(&mine, &theirs))
    }
}

fn cosine(a: &BTreeMap<u64, u64>, b: &BTreeMap<u64, u64>) -> f64 {
    let square = |votes: &BTreeMap<u64, u64>| votes.values().map(|&vote| (vote as f64).powi(2)).sum::<f64>();
    let dot: f64 = a.iter().filter_map(|(apath, &x)| b.get(apath).map(|&y| x as f64 * y as f64)).sum();
    let lengths = (square(a) * square(b)).sqrt();
    if lengths > 0.0 { dot / lengths } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page at an address, with links as Apath and address of origin.
    fn page(address: u64, links: &[(u64, u64)]) -> PageShape {
        PageShape::default().at(address).found_by(links.iter().map(|&(apath, from)| InLink { apath, from }))
    }

    #[test]
    fn cosines_by_hand() {
        let votes = |pairs: &[(u64, u64)]| pairs.iter().copied().collect::<BTreeMap<_, _>>();
        let check = |a: &[(u64, u64)], b: &[(u64, u64)], expect: f64| {
            assert_eq!(cosine(&votes(a), &votes(b)), expect, "{a:?} {b:?}");
        };
        check(&[(1, 3), (2, 4)], &[(2, 5)], 0.8);
        check(&[(1, 3)], &[(2, 1)], 0.0);
        check(&[(1, 3)], &[], 0.0);
    }

    #[test]
    fn links_between_the_groups_do_not_count() {
        // Pages 11 and 12 are the first pages of lists, 13 a second page that only 11 links to (and 99,
        // which is not in the sample); 14 links to the first.
        let shapes = [
            page(11, &[(7, 14)]),
            page(12, &[(7, 14), (8, 11)]),
            page(13, &[(9, 11), (9, 99)]),
            page(14, &[]),
        ];
        let labels = [Some(0), Some(0), Some(1), Some(2)];
        let addresses = Addresses::new(&shapes);
        let votes = |pages: &[usize]| {
            let mut votes = Votes::default();
            pages.iter().for_each(|&page| votes.add(&shapes[page], &addresses, &labels));
            votes
        };
        let (first, second) = (votes(&[0, 1]), votes(&[2]));
        assert_eq!(first.0.get(&(7, Some(2))), Some(&(VOTE + VOTE / 2)), "one whole vote, and half of one");
        assert_eq!(first.likeness(&second, |_| true), Some(0.0), "by links of other kinds");
        assert_eq!(first.likeness(&second, |from| from > 1), None, "nobody else links to the second page");
        assert_eq!(first.likeness(&first, |from| from > 1), Some(1.0));
    }
}
