//! Groups of pages that are one template after all, and outliers that have a template too.
//!
//! The core of a group are the paths that most of its pages have; the rest is optional or the users' own markup. Two
//! groups are joined if their cores are alike and if links of the same kinds lead to their pages. Either alone misleads:
//! the lists of one theme have nearly the same cores, and one navigation bar leads to everything. Without in-links
//! nothing is joined. Then a page outside all groups goes to the group whose core it has, nearly whole; of several, to
//! the one with the largest core.
//!
//! The thresholds are from a sweep over four recorded sites, at 300, 600 and 1,000 pages; results are flat around them
//! (alike 0.5-0.6, links 0.5-0.8).

use std::collections::BTreeMap;

use crate::clustering::Clustering;
use crate::dbscan::Forest;
use crate::features::PageShape;
use crate::space::Space;

/// The share of a group's pages that must have a path of its core.
const CORE_SHARE: f64 = 0.8;
/// How much of two cores must be common (Jaccard).
const ALIKE: f64 = 0.6;
/// How alike the in-links of two groups must be (cosine).
const SAME_LINKS: f64 = 0.7;
/// How much of a core an outlier must have.
const CONTAINED: f64 = 0.9;
/// More groups than this are not compared with each other: that many are not a site's templates.
const MAX_GROUPS: usize = 500;
/// A page's vote about in-links, shared by its Apaths; whole numbers, so that sums do not depend on their order.
const VOTE: u64 = 1 << 20;

#[derive(Clone, Debug, Default)]
struct Group {
    pages: usize,
    paths: BTreeMap<u64, usize>,
    inlinks: BTreeMap<u64, u64>,
}

impl Group {
    fn add(&mut self, shape: &PageShape, space: &Space) {
        self.pages += 1;
        for &(path, _) in shape.xpaths().iter().filter(|&&(path, _)| space.has(path)) {
            *self.paths.entry(path).or_default() += 1;
        }
        for &apath in shape.inlinks() {
            *self.inlinks.entry(apath).or_default() += VOTE / shape.inlinks().len() as u64;
        }
    }

    fn join(&mut self, other: Self) {
        self.pages += other.pages;
        for (path, pages) in other.paths {
            *self.paths.entry(path).or_default() += pages;
        }
        for (apath, votes) in other.inlinks {
            *self.inlinks.entry(apath).or_default() += votes;
        }
    }

    /// Sorted.
    fn core(&self) -> Vec<u64> {
        let enough = CORE_SHARE * self.pages as f64;
        self.paths.iter().filter(|&(_, &pages)| pages as f64 >= enough).map(|(&path, _)| path).collect()
    }
}

/// The group of each page after joining and attaching; numbers as those of `dense`, with gaps.
pub(crate) fn join_and_attach(shapes: &[PageShape], dense: &Clustering, space: &Space) -> Vec<Option<usize>> {
    let mut labels: Vec<Option<usize>> =
        dense.labels.iter().map(|label| label.map(|label| label as usize)).collect();
    let forest = joined(groups(shapes, &labels, dense.clusters, space));
    labels.iter_mut().flatten().for_each(|label| *label = forest.root(*label));
    let cores = cores(shapes, &labels, dense.clusters, space);
    for (shape, label) in shapes.iter().zip(&mut labels).filter(|(_, label)| label.is_none()) {
        *label = fitting(shape, &cores);
    }
    labels
}

/// The core of each group, empty where the group is.
pub(crate) fn cores(
    shapes: &[PageShape],
    labels: &[Option<usize>],
    count: usize,
    space: &Space,
) -> Vec<Vec<u64>> {
    groups(shapes, labels, count, space).iter().map(Group::core).collect()
}

fn groups(shapes: &[PageShape], labels: &[Option<usize>], count: usize, space: &Space) -> Vec<Group> {
    let mut groups = vec![Group::default(); count];
    for (shape, label) in shapes.iter().zip(labels) {
        if let Some(group) = label.and_then(|label| groups.get_mut(label)) {
            group.add(shape, space);
        }
    }
    groups
}

/// Joins the most alike pair, and again with what came out of it, until no pair is alike enough. (Joining all alike
/// pairs at once makes chains: through a group in the middle, groups that are not alike.)
fn joined(mut groups: Vec<Group>) -> Forest {
    let mut forest = Forest::new(groups.len());
    if groups.len() > MAX_GROUPS {
        return forest;
    }
    let mut cores: Vec<Vec<u64>> = groups.iter().map(Group::core).collect();
    // For each group how alike it is to those before it; a group that was joined to another is like none.
    let mut likeness: Vec<Vec<f64>> = Vec::new();
    for a in 0..groups.len() {
        likeness.push((0..a).map(|b| alike(&groups, &cores, a, b)).collect());
    }
    while let Some((a, b)) = most_alike(&likeness) {
        forest.join(a, b);
        let gone = std::mem::take(&mut groups[a]);
        groups[b].join(gone);
        cores[b] = groups[b].core();
        for other in (0..groups.len()).filter(|&other| other != a && other != b) {
            let live = groups[other].pages > 0;
            likeness[b.max(other)][b.min(other)] = if live { alike(&groups, &cores, b, other) } else { 0.0 };
            likeness[a.max(other)][a.min(other)] = 0.0;
        }
        likeness[a][b] = 0.0;
    }
    forest
}

/// The Jaccard similarity of two cores; 0 if it is not enough, or if other links lead there.
fn alike(groups: &[Group], cores: &[Vec<u64>], a: usize, b: usize) -> f64 {
    let alike = jaccard(&cores[a], &cores[b]);
    let same = alike >= ALIKE && cosine(&groups[a].inlinks, &groups[b].inlinks) >= SAME_LINKS;
    if same { alike } else { 0.0 }
}

/// The first of the most alike pairs, the higher number first.
fn most_alike(likeness: &[Vec<f64>]) -> Option<(usize, usize)> {
    let rows = likeness.iter().enumerate();
    let pairs = rows.flat_map(|(a, row)| row.iter().enumerate().map(move |(b, &alike)| (alike, a, b)));
    let best = pairs
        .filter(|&(alike, ..)| alike > 0.0)
        .reduce(|best, pair| if pair.0 > best.0 { pair } else { best });
    best.map(|(_, a, b)| (a, b))
}

/// The group whose core the page has, nearly whole; of several, that with the largest core.
pub(crate) fn fitting(shape: &PageShape, cores: &[Vec<u64>]) -> Option<usize> {
    let paths: Vec<u64> = shape.xpaths().iter().map(|&(path, _)| path).collect();
    let fits =
        |core: &Vec<u64>| !core.is_empty() && common(&paths, core) as f64 >= CONTAINED * core.len() as f64;
    let fitting = cores.iter().enumerate().filter(|(_, core)| fits(core));
    fitting.max_by(|a, b| a.1.len().cmp(&b.1.len()).then(b.0.cmp(&a.0))).map(|(group, _)| group)
}

/// How many of `few` are in `sorted`.
fn common(sorted: &[u64], few: &[u64]) -> usize {
    few.iter().filter(|path| sorted.binary_search(path).is_ok()).count()
}

fn jaccard(a: &[u64], b: &[u64]) -> f64 {
    let both = common(a, b);
    let either = a.len() + b.len() - both;
    if either == 0 { 0.0 } else { both as f64 / either as f64 }
}

/// 0 where one is empty.
fn cosine(a: &BTreeMap<u64, u64>, b: &BTreeMap<u64, u64>) -> f64 {
    let square = |votes: &BTreeMap<u64, u64>| votes.values().map(|&vote| (vote as f64).powi(2)).sum::<f64>();
    let dot: f64 = a.iter().filter_map(|(apath, &x)| b.get(apath).map(|&y| x as f64 * y as f64)).sum();
    let lengths = (square(a) * square(b)).sqrt();
    if lengths > 0.0 { dot / lengths } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Weighting;

    fn shape(paths: &[u64], inlinks: &[u64]) -> PageShape {
        PageShape::new(paths.iter().map(|&path| (path, 1)), [], []).found_by(inlinks.iter().copied())
    }

    #[test]
    fn likeness_by_hand() {
        assert_eq!(jaccard(&[1, 2, 3], &[2, 3, 4, 5]), 0.4);
        assert_eq!(jaccard(&[], &[]), 0.0);
        let votes = |pairs: &[(u64, u64)]| pairs.iter().copied().collect::<BTreeMap<_, _>>();
        assert_eq!(cosine(&votes(&[(1, 3), (2, 4)]), &votes(&[(2, 5)])), 0.8);
        assert_eq!(cosine(&votes(&[(1, 3)]), &votes(&[])), 0.0);
    }

    /// Two pages each of two groups, and one page of none.
    fn check(first: (&[u64], &[u64]), second: (&[u64], &[u64]), outlier: &[u64], expect: [Option<usize>; 3]) {
        let pages = [first, first, second, second, (outlier, &[])];
        let shapes: Vec<PageShape> = pages.iter().map(|(paths, inlinks)| shape(paths, inlinks)).collect();
        let labels = vec![Some(0), Some(0), Some(1), Some(1), None];
        let dense = Clustering { labels, clusters: 2, ..Clustering::default() };
        let space = Space::fit(&shapes, Weighting::Presence, 1);
        let got = join_and_attach(&shapes, &dense, &space);
        assert_eq!([got[0], got[2], got[4]], expect, "{first:?} {second:?} {outlier:?}");
    }

    #[test]
    fn groups_and_outliers_by_hand() {
        // Cores 3 of 4 alike, the same links: one template, whose core is the common part.
        check((&[1, 2, 3], &[7]), (&[1, 2, 3, 4], &[7]), &[1, 2, 3, 9], [Some(0), Some(0), Some(0)]);
        // Other links, and nobody knows of links: two templates; the outlier has the larger core.
        check((&[1, 2, 3], &[7]), (&[1, 2, 3, 4], &[8]), &[1, 2, 3, 4, 9], [Some(0), Some(1), Some(1)]);
        check((&[1, 2, 3], &[]), (&[1, 2, 3, 4], &[]), &[1, 2, 3, 9], [Some(0), Some(1), Some(0)]);
        // The same links, but 1 of 5 alike.
        check((&[1, 2, 3], &[7]), (&[1, 5, 6], &[7]), &[1, 2], [Some(0), Some(1), None]);
    }
}
