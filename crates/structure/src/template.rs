//! Turns dense groups into templates: splits groups that are several templates, joins groups that are one, and attaches
//! outliers that fit a template.
//!
//! Two groups are joined if the smaller core is nearly contained in the larger, so that they differ in optional parts,
//! and if links of the same kinds lead to their pages ([`crate::linked`]). Either criterion alone misleads: the lists
//! of one theme have nearly the same cores, and one navigation bar leads to everything. Groups with different declared
//! marks, and groups at different places of the site ([`crate::heads`]), are never joined. For groups with the same declared marks, which most of the site does not have, weaker
//! evidence from links is enough. Without in-links nothing is joined.
//!
//! Finally every page is compared with the cores. An outlier goes to the group whose core it has; a page without the
//! declared marks of its group goes to a group that it fits, if there is one.
//!
//! The thresholds come from sweeps over four recorded sites at 200, 500 and 1,000 pages and over nine simulated ones;
//! the results are flat around all of them (`docs/structure.md` has the figures).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::cores::{Core, Parts, Tally, count_common, fitting, tallies};
use crate::dbscan::Forest;
use crate::features::PageShape;
use crate::heads::{HeadCounts, heads};
use crate::linked::{Addresses, Labels, Votes};
use crate::notes::ClusterNote;
use crate::split::split;

/// How much of two cores must be common (Jaccard).
const ALIKE: f64 = 0.6;
/// How much of the smaller core must be in the larger.
const WITHIN: f64 = 0.9;
/// How similar the in-links of two groups must be (cosine).
const SAME_LINKS: f64 = 0.7;
/// The same for groups that declare themselves by the same marks.
const SAME_LINKS_DECLARED: f64 = 0.4;
/// A mark that more of the sample has does not identify a template.
const COMMON_MARK: f64 = 0.5;
/// More groups than this are not compared with each other: that many are not a site's templates.
const MAX_GROUPS: usize = 2_000;

/// The template of each page, given dense groups; numbers have gaps.
pub(crate) fn templates(
    shapes: &[PageShape],
    dense: &Labels,
    count: usize,
    notes: &mut Vec<ClusterNote>,
) -> Vec<Option<usize>> {
    let mut labels = dense.to_vec();
    let count = split(shapes, &mut labels, count);
    if count > MAX_GROUPS {
        notes.push(ClusterNote::TooManyGroups { groups: count });
    } else {
        let forest = joined(groups(shapes, &labels, count));
        labels.iter_mut().flatten().for_each(|label| *label = forest.root(*label));
    }
    refit(shapes, &mut labels, count);
    labels
}

/// Attaches outliers, and moves pages that lack what their group declares itself by.
fn refit(shapes: &[PageShape], labels: &mut [Option<usize>], count: usize) {
    let cores: Vec<Core> = tallies(shapes, labels, count).iter().map(Tally::core).collect();
    for (shape, label) in shapes.iter().zip(labels) {
        let page = Parts::of(shape);
        let stays = label.and_then(|label| cores.get(label)).is_some_and(|core| core.admits(&page));
        if !stays {
            *label = fitting(&page, &cores).or(*label);
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Group {
    tally: Tally,
    votes: Votes,
    heads: HeadCounts,
}

fn groups(shapes: &[PageShape], labels: &Labels, count: usize) -> Vec<Group> {
    let addresses = Addresses::new(shapes);
    let tallies = tallies(shapes, labels, count).into_iter();
    let mut groups: Vec<Group> = tallies.map(|tally| Group { tally, ..Group::default() }).collect();
    for ((shape, label), head) in shapes.iter().zip(labels).zip(heads(shapes)) {
        if let Some(group) = label.and_then(|label| groups.get_mut(label)) {
            group.votes.add(shape, &addresses, labels);
            group.heads.add(head);
        }
    }
    groups
}

/// Joins the most similar pair, again and again, until no pair is similar enough. (Joining all similar pairs at once
/// makes chains: a group in the middle connects groups that are not similar.)
fn joined(groups: Vec<Group>) -> Forest {
    let mut joining = Joining::new(groups);
    for a in 0..joining.groups.len() {
        (0..a).for_each(|b| joining.compare(a, b));
    }
    while let Some(pair) = joining.pairs.pop() {
        if joining.ages[pair.a] == pair.ages.0 && joining.ages[pair.b] == pair.ages.1 {
            joining.join(pair.a, pair.b);
        }
    }
    joining.forest
}

/// Two groups that are similar enough. In heap order: the most similar first, then the lowest numbers.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    /// The bits of a positive number, which have its order.
    likeness: u64,
    order: Reverse<(usize, usize)>,
    a: usize,
    b: usize,
    /// When they were compared; a group that was joined since is another group.
    ages: (u32, u32),
}

struct Joining {
    groups: Vec<Group>,
    cores: Vec<Core>,
    ages: Vec<u32>,
    forest: Forest,
    pairs: BinaryHeap<Pair>,
    /// Marks on the trunk, over all groups.
    site: Tally,
}

impl Joining {
    fn new(groups: Vec<Group>) -> Self {
        let mut site = Tally::default();
        groups.iter().for_each(|group| site.join(group.tally.clone()));
        Self {
            cores: groups.iter().map(|group| group.tally.core()).collect(),
            ages: vec![0; groups.len()],
            forest: Forest::new(groups.len()),
            pairs: BinaryHeap::new(),
            site,
            groups,
        }
    }

    /// Remembers a pair if it is similar enough, the higher number first.
    fn compare(&mut self, a: usize, b: usize) {
        let likeness = self.likeness(a, b);
        if let Some(likeness) = likeness {
            let ages = (self.ages[a], self.ages[b]);
            self.pairs.push(Pair { likeness: likeness.to_bits(), order: Reverse((a, b)), a, b, ages });
        }
    }

    /// Joins `a` to `b`, the lower number.
    fn join(&mut self, a: usize, b: usize) {
        self.forest.join(a, b);
        let gone = std::mem::take(&mut self.groups[a]);
        self.groups[b].tally.join(gone.tally);
        self.groups[b].votes.join(gone.votes);
        self.groups[b].heads.join(gone.heads);
        self.cores[a] = Core::default();
        self.cores[b] = self.groups[b].tally.core();
        self.ages[a] += 1;
        self.ages[b] += 1;
        for other in (0..self.groups.len()).filter(|&other| other != b) {
            if self.groups[other].tally.pages > 0 {
                self.compare(b.max(other), b.min(other));
            }
        }
    }

    /// The Jaccard similarity of two cores, if they are one template.
    fn likeness(&self, a: usize, b: usize) -> Option<f64> {
        let (one, two) = (&self.cores[a], &self.cores[b]);
        let (small, large) = sorted_by_size(&one.parts, &two.parts);
        if (small.len() as f64) < ALIKE * large.len() as f64 || small.is_empty() {
            return None;
        }
        let both = count_common(large, small);
        let alike = both as f64 / (small.len() + large.len() - both) as f64;
        let within = both as f64 / small.len() as f64;
        if alike < ALIKE || within < WITHIN || self.declare_against_each_other(a, b) {
            return None;
        }
        if self.groups[a].heads.are_elsewhere(&self.groups[b].heads) {
            return None;
        }
        let enough = if self.declare_the_same(a, b) { SAME_LINKS_DECLARED } else { SAME_LINKS };
        let between = |from: usize| matches!(self.forest.root(from), root if root == a || root == b);
        let (mine, theirs) = (&self.groups[a].votes, &self.groups[b].votes);
        // If no other group links to one of them, their own links are used: a site may have only one template.
        let links =
            mine.likeness(theirs, |from| !between(from)).or_else(|| mine.likeness(theirs, |_| true))?;
        (links >= enough).then_some(alike)
    }

    fn declare_against_each_other(&self, a: usize, b: usize) -> bool {
        self.groups[a].tally.lacks(&self.cores[b].declared)
            && self.groups[b].tally.lacks(&self.cores[a].declared)
    }

    fn declare_the_same(&self, a: usize, b: usize) -> bool {
        let (one, two) = (&self.cores[a].declared, &self.cores[b].declared);
        let mut both = one.iter().filter(|mark| two.binary_search(mark).is_ok());
        both.any(|&mark| self.site.trunk_share(mark) <= COMMON_MARK)
    }
}

fn sorted_by_size<'a>(a: &'a [u64], b: &'a [u64]) -> (&'a [u64], &'a [u64]) {
    if a.len() <= b.len() { (a, b) } else { (b, a) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marks::Mark;

    /// Paths, marks of the trunk, Apaths that lead there.
    type Kind<'a> = (&'a [u64], &'a [u64], &'a [u64]);

    fn page((paths, marks, inlinks): Kind<'_>) -> PageShape {
        let marks = marks.iter().map(|&key| Mark { key, trunk: true });
        let shape = PageShape::new(paths.iter().map(|&path| (path, 1)), [], []);
        shape.marked(marks).found_by(inlinks.iter().copied())
    }

    /// Four pages each of two groups, and one outlier.
    fn check(first: Kind<'_>, second: Kind<'_>, outlier: &[u64], expect: [Option<usize>; 3]) {
        let mut shapes = vec![page(first); 4];
        shapes.extend(vec![page(second); 4]);
        shapes.push(page((outlier, &[], &[])));
        let mut labels = vec![Some(0); 4];
        labels.extend([Some(1); 4]);
        labels.push(None);
        let got = templates(&shapes, &labels, 2, &mut Vec::new());
        assert_eq!([got[0], got[4], got[8]], expect, "{first:?} {second:?} {outlier:?}");
    }

    #[test]
    fn groups_and_outliers_by_hand() {
        // The first core is within the second, the same links: one template, whose core is the common part.
        check(
            (&[1, 2, 3], &[], &[7]),
            (&[1, 2, 3, 4], &[], &[7]),
            &[1, 2, 3, 9],
            [Some(0), Some(0), Some(0)],
        );
        // Each has a path that the other lacks: 3 of 5 in common, 3 of 4 of the smaller within the larger.
        check((&[1, 2, 3, 5], &[], &[7]), (&[1, 2, 3, 4], &[], &[7]), &[9], [Some(0), Some(1), None]);
        // Different links, or no known links: two templates; the outlier has the larger core.
        check(
            (&[1, 2, 3], &[], &[7]),
            (&[1, 2, 3, 4], &[], &[8]),
            &[1, 2, 3, 4],
            [Some(0), Some(1), Some(1)],
        );
        check((&[1, 2, 3], &[], &[]), (&[1, 2, 3, 4], &[], &[]), &[1, 2, 3, 9], [Some(0), Some(1), Some(0)]);
        // The same links, but the first is a small part of the second.
        check((&[1, 2], &[], &[7]), (&[1, 2, 5, 6], &[], &[7]), &[1], [Some(0), Some(1), None]);
    }

    #[test]
    fn what_groups_declare_themselves_by() {
        let paths: Vec<u64> = (1..=20).collect();
        // Each by a mark of its own: never joined.
        check((&paths, &[70], &[7]), (&paths, &[71], &[7]), &paths, [Some(0), Some(1), None]);
        // One has a mark that the other has not: an optional part.
        check((&paths, &[70], &[7]), (&paths, &[70, 71], &[7]), &[9], [Some(0), Some(0), None]);
        // Half of the links are of the same kind, cosine 1/sqrt(2): enough with one mark of theirs.
        check((&paths, &[], &[7]), (&paths, &[], &[7, 8]), &[9], [Some(0), Some(0), None]);
        check((&paths, &[], &[7]), (&paths, &[], &[7, 8, 9]), &[9], [Some(0), Some(1), None]);
    }

    #[test]
    fn a_mark_of_their_own_makes_up_for_links() {
        let paths: Vec<u64> = (1..=20).collect();
        let others: Vec<u64> = (101..=120).collect();
        let mut shapes = vec![page((&paths, &[70], &[7])); 4];
        shapes.extend(vec![page((&paths, &[70], &[7, 8, 9])); 4]);
        shapes.extend(vec![page((&others, &[71], &[5])); 8]);
        let labels: Vec<Option<usize>> = (0..16).map(|page: usize| Some((page / 4).min(2))).collect();
        let got = templates(&shapes, &labels, 3, &mut Vec::new());
        assert_eq!([got[0], got[4], got[8]], [Some(0), Some(0), Some(2)]);
    }

    #[test]
    fn a_page_that_declares_itself_otherwise_moves() {
        let paths: Vec<u64> = (1..=20).collect();
        let mut shapes = vec![page((&paths, &[70], &[7])); 40];
        shapes.extend(vec![page((&paths, &[71], &[8])); 10]);
        // One page of the second kind was assigned to the first.
        let labels: Vec<Option<usize>> = (0..50).map(|page| Some(usize::from(page > 40))).collect();
        let got = templates(&shapes, &labels, 2, &mut Vec::new());
        assert_eq!([got[39], got[40], got[41]], [Some(0), Some(1), Some(1)]);
    }

    #[test]
    fn too_many_groups_are_not_joined() {
        let shapes: Vec<PageShape> = (0..2_001).map(|_| page((&[1, 2, 3], &[], &[7]))).collect();
        let labels: Vec<Option<usize>> = (0..2_001).map(Some).collect();
        let mut notes = Vec::new();
        templates(&shapes, &labels, 2_001, &mut notes);
        assert_eq!(notes, [ClusterNote::TooManyGroups { groups: 2_001 }]);
    }
}
