//! The core of a cluster: what its pages have in common, and which cluster a page fits by that.
//!
//! The core is the set of paths and marks that most pages of the cluster have; the rest is optional or markup of users.
//! The marks that nearly all its pages have on the trunk (the outer elements) are the declaration of the cluster: a
//! page without them is of another type, however similar the rest is.

use hashbrown::HashMap;

use crate::features::PageShape;
use crate::linked::Labels;

/// The share of a cluster's pages that must have a part of its core.
const CORE_SHARE: f64 = 0.8;
/// The share of a cluster's pages that must have a mark for the cluster to be known by it.
const NEARLY_ALL: f64 = 0.95;
/// How much of a core a page must have to fit.
const FITS: f64 = 0.9;

/// A page as cores see it: fingerprints of its paths and marks, sorted.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    all: Vec<u64>,
    trunk: Vec<u64>,
}

impl Parts {
    pub(crate) fn of(shape: &PageShape) -> Self {
        let mut all: Vec<u64> = shape.xpaths().iter().map(|&(path, _)| path).collect();
        all.extend(shape.marks().iter().map(|mark| mark.key));
        all.sort_unstable();
        all.dedup();
        let trunk = shape.marks().iter().filter(|mark| mark.trunk).map(|mark| mark.key).collect();
        Self { all, trunk }
    }
}

/// What the pages of a cluster have in common; both lists are sorted.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Core {
    /// Paths and marks.
    pub(crate) parts: Vec<u64>,
    /// The marks that the cluster declares itself by.
    pub(crate) declared: Vec<u64>,
}

impl Core {
    /// Whether a page has what the cluster declares itself by.
    pub(crate) fn admits(&self, page: &Parts) -> bool {
        count_common(&page.trunk, &self.declared) == self.declared.len()
    }

    /// Whether another cluster declares all of what this one does, and more.
    pub(crate) fn declares_less_than(&self, other: &Self) -> bool {
        self.declared.len() < other.declared.len()
            && count_common(&other.declared, &self.declared) == self.declared.len()
    }

    /// Whether a page has nearly all of the core.
    fn fits(&self, page: &Parts) -> bool {
        !self.parts.is_empty()
            && self.admits(page)
            && count_common(&page.all, &self.parts) as f64 >= FITS * self.parts.len() as f64
    }
}

/// The cluster of whose core the page has nearly all; of several, the one with the largest core.
pub(crate) fn fitting(page: &Parts, cores: &[Core]) -> Option<usize> {
    let fitting = cores.iter().enumerate().filter(|(_, core)| core.fits(page));
    fitting.max_by(|a, b| a.1.parts.len().cmp(&b.1.parts.len()).then(b.0.cmp(&a.0))).map(|(group, _)| group)
}

/// How many pages have each part.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) pages: usize,
    parts: HashMap<u64, usize>,
    trunk: HashMap<u64, usize>,
}

impl Tally {
    pub(crate) fn add(&mut self, page: &Parts) {
        self.pages += 1;
        page.all.iter().for_each(|&part| *self.parts.entry(part).or_default() += 1);
        page.trunk.iter().for_each(|&mark| *self.trunk.entry(mark).or_default() += 1);
    }

    pub(crate) fn join(&mut self, other: Self) {
        self.pages += other.pages;
        other.parts.into_iter().for_each(|(part, pages)| *self.parts.entry(part).or_default() += pages);
        other.trunk.into_iter().for_each(|(mark, pages)| *self.trunk.entry(mark).or_default() += pages);
    }

    pub(crate) fn core(&self) -> Core {
        Core {
            parts: borne_by(&self.parts, CORE_SHARE, self.pages),
            declared: borne_by(&self.trunk, NEARLY_ALL, self.pages),
        }
    }

    /// The share of pages that have a mark on the trunk.
    pub(crate) fn trunk_share(&self, mark: u64) -> f64 {
        let pages = self.trunk.get(&mark).copied().unwrap_or_default();
        if self.pages == 0 { 0.0 } else { pages as f64 / self.pages as f64 }
    }

    /// Whether some of these marks are on nearly no page here.
    pub(crate) fn lacks(&self, declared: &[u64]) -> bool {
        declared.iter().any(|&mark| self.trunk_share(mark) <= 1.0 - NEARLY_ALL)
    }
}

/// What at least a share of the pages have, sorted.
fn borne_by(counts: &HashMap<u64, usize>, share: f64, pages: usize) -> Vec<u64> {
    let enough = share * pages as f64;
    let mut most: Vec<u64> =
        counts.iter().filter(|&(_, &count)| count as f64 >= enough).map(|(&part, _)| part).collect();
    most.sort_unstable();
    most
}

/// The tally of each group, empty where the group is.
pub(crate) fn tallies(shapes: &[PageShape], labels: &Labels, count: usize) -> Vec<Tally> {
    let mut tallies = vec![Tally::default(); count];
    for (shape, label) in shapes.iter().zip(labels) {
        if let Some(tally) = label.and_then(|label| tallies.get_mut(label)) {
            tally.add(&Parts::of(shape));
        }
    }
    tallies
}

/// How many of `few` are in `sorted`.
pub(crate) fn count_common(sorted: &[u64], few: &[u64]) -> usize {
    few.iter().filter(|part| sorted.binary_search(part).is_ok()).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marks::Mark;

    /// A page with paths, and marks on its trunk.
    fn page(paths: &[u64], marks: &[u64]) -> PageShape {
        let marks = marks.iter().map(|&key| Mark { key, trunk: true });
        PageShape::new(paths.iter().map(|&path| (path, 1)), [], []).marked(marks)
    }

    fn core(pages: &[PageShape]) -> Core {
        let mut tally = Tally::default();
        pages.iter().for_each(|page| tally.add(&Parts::of(page)));
        tally.core()
    }

    #[test]
    fn cores_by_hand() {
        let mut pages = vec![page(&[1, 2], &[70, 80]); 4];
        pages.push(page(&[1, 3], &[70]));
        // Path 2 and mark 80 are on four of five pages: part of the core, and too few to be known by.
        assert_eq!(core(&pages), Core { parts: vec![1, 2, 70, 80], declared: vec![70] });
        assert_eq!(core(&[]), Core::default());
    }

    #[test]
    fn what_is_declared_is_compared() {
        let check = |own: &[u64], other: &[u64], expect: bool| {
            let core = |declared: &[u64]| Core { parts: vec![], declared: declared.to_vec() };
            assert_eq!(core(own).declares_less_than(&core(other)), expect, "{own:?} {other:?}");
        };
        check(&[], &[70], true);
        check(&[70], &[70, 71], true);
        check(&[70], &[70], false);
        check(&[70, 71], &[70], false);
        check(&[70], &[71, 72], false);
    }

    #[test]
    fn a_page_fits_the_largest_core_that_admits_it() {
        let cores = [
            Core { parts: vec![1, 2, 3], declared: vec![] },
            Core { parts: (1..=10).collect(), declared: vec![] },
            Core { parts: (1..=10).chain([70]).collect(), declared: vec![70] },
            Core::default(),
        ];
        let check = |paths: &[u64], marks: &[u64], expect: Option<usize>| {
            assert_eq!(fitting(&Parts::of(&page(paths, marks)), &cores), expect, "{paths:?} {marks:?}");
        };
        check(&[1, 2, 3, 99], &[], Some(0));
        check(&[1, 2], &[], None);
        check(&[1, 2, 3, 4, 5, 6, 7, 8, 9], &[], Some(1));
        check(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], &[70], Some(2));
        check(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], &[71], Some(1));
    }
}
