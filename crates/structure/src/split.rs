//! Splits groups of pages that are several templates with the same paths.
//!
//! DBSCAN compares paths, and the lists of one theme have the same paths. Two parts of a group are two templates if
//! marks and links agree: every page of each part has a mark on its trunk that no page of the other has, and links of
//! different kinds lead to them. Either criterion alone misleads: a theme also writes the category of a post on its
//! `body`, and popular pages are linked from more places. A mark that only one part has (`paged`) shows an optional
//! part.
//!
//! Or paths and addresses agree: the pages of one part are all at one place ([`crate::heads`]) where none of the other
//! part is, and most of one part have a path that hardly any of the other has. So profiles and the threads that show
//! everything that a profile does are told apart.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use crate::density::MIN_PTS;
use crate::features::PageShape;
use crate::heads::heads;
use crate::linked::{Addresses, Votes};

/// The share of the other pages that must have marks of their own.
const DECLARED: f64 = 0.9;
/// Links are of different kinds if their cosine is at most this.
const OTHER_LINKS: f64 = 0.4;
/// Marks of one group that are tried, the most frequent first.
const MAX_TRIED: usize = 64;

/// A path tells two parts apart if at least this share of one part has it ...
const MOST: f64 = 0.8;
/// ... and at most this share of the other.
const HARDLY_ANY: f64 = 0.05;

/// The places, within one group, of the pages that have a mark on their trunk; ascending.
type Bearers = BTreeMap<u64, Vec<usize>>;

/// Splits groups until none can be split. New groups get new numbers; returns how many there are then.
pub(crate) fn split(shapes: &[PageShape], labels: &mut [Option<usize>], count: usize) -> usize {
    let addresses = Addresses::new(shapes);
    let heads = heads(shapes);
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (page, label) in labels.iter().enumerate() {
        if let Some(group) = label.and_then(|label| groups.get_mut(label)) {
            group.push(page);
        }
    }
    let mut at = 0;
    while let Some(pages) = groups.get(at) {
        let parting = Parting { shapes, addresses: &addresses, heads: &heads, labels, group: at, pages };
        let Some((with, without)) = parting.by_marks().or_else(|| parting.by_heads()) else {
            at += 1;
            continue;
        };
        let number = groups.len();
        with.iter().for_each(|&page| labels[page] = Some(number));
        groups.push(with);
        // The remaining pages are examined again.
        groups[at] = without;
    }
    groups.len()
}

/// A group that may be split.
struct Parting<'a> {
    shapes: &'a [PageShape],
    addresses: &'a Addresses,
    heads: &'a [u64],
    labels: &'a [Option<usize>],
    group: usize,
    pages: &'a [usize],
}

impl Parting<'_> {
    /// The pages with the mark that separates best, and those without it.
    fn by_marks(&self) -> Option<(Vec<usize>, Vec<usize>)> {
        let bearers = self.bearers();
        let mut best: Option<(f64, &[usize])> = None;
        for with in self.to_try(&bearers) {
            if !self.others_declare_themselves(with, &bearers) {
                continue;
            }
            let Some(likeness) = self.likeness(with) else { continue };
            if likeness <= OTHER_LINKS && best.is_none_or(|(least, _)| likeness < least) {
                best = Some((likeness, with));
            }
        }
        best.map(|(_, with)| self.parts(with))
    }

    /// The pages at these places, and the others.
    fn parts(&self, with: &[usize]) -> (Vec<usize>, Vec<usize>) {
        let (inside, outside): (Vec<_>, Vec<_>) =
            self.pages.iter().enumerate().partition(|(place, _)| with.binary_search(place).is_ok());
        let pages = |part: Vec<(usize, &usize)>| part.into_iter().map(|(_, &page)| page).collect();
        (pages(inside), pages(outside))
    }

    /// The pages with one head, and those with others, if paths tell them apart; the most frequent head first.
    fn by_heads(&self) -> Option<(Vec<usize>, Vec<usize>)> {
        let mut bearers = Bearers::new();
        for (place, &page) in self.pages.iter().enumerate() {
            bearers.entry(self.heads.get(page).copied().unwrap_or_default()).or_default().push(place);
        }
        bearers.retain(|_, places| places.len() >= MIN_PTS as usize);
        self.to_try(&bearers).into_iter().map(|with| self.parts(with)).find(|(a, b)| self.differ(a, b))
    }

    /// Whether most of one part have a path that hardly any of the other has.
    fn differ(&self, one: &[usize], two: &[usize]) -> bool {
        let mut counts: HashMap<u64, [usize; 2]> = HashMap::new();
        for (side, part) in [one, two].into_iter().enumerate() {
            for (path, _) in part.iter().flat_map(|&page| self.shapes[page].xpaths()) {
                counts.entry(*path).or_default()[side] += 1;
            }
        }
        counts.into_values().any(|[a, b]| {
            let (a, b) = (a as f64 / one.len() as f64, b as f64 / two.len() as f64);
            a.max(b) >= MOST && a.min(b) <= HARDLY_ANY
        })
    }

    /// Marks that enough pages bear.
    fn bearers(&self) -> Bearers {
        let mut bearers = Bearers::new();
        for (place, &page) in self.pages.iter().enumerate() {
            for mark in self.shapes[page].marks().iter().filter(|mark| mark.trunk) {
                bearers.entry(mark.key).or_default().push(place);
            }
        }
        bearers.retain(|_, places| places.len() >= MIN_PTS as usize);
        bearers
    }

    /// The bearers of marks that leave enough pages without; the most first, of equally many the lower key.
    fn to_try<'b>(&self, bearers: &'b Bearers) -> Vec<&'b [usize]> {
        let most = self.pages.len().saturating_sub(MIN_PTS as usize);
        let mut tried: Vec<&[usize]> =
            bearers.values().map(Vec::as_slice).filter(|places| places.len() <= most).collect();
        tried.sort_by_key(|places| std::cmp::Reverse(places.len()));
        tried.truncate(MAX_TRIED);
        tried
    }

    /// Whether the pages without a mark have marks that no page with it has.
    fn others_declare_themselves(&self, with: &[usize], bearers: &Bearers) -> bool {
        let mut declared = vec![false; self.pages.len()];
        let bears = |place: &usize| with.binary_search(place).is_ok();
        for places in bearers.values().filter(|places| !places.iter().any(bears)) {
            places.iter().for_each(|&place| declared[place] = true);
        }
        let declared = declared.into_iter().filter(|declared| *declared).count();
        declared as f64 >= DECLARED * (self.pages.len() - with.len()) as f64
    }

    /// How similar the links to the two parts are; those from within the group do not count.
    fn likeness(&self, with: &[usize]) -> Option<f64> {
        let (mut inside, mut outside) = (Votes::default(), Votes::default());
        for (place, &page) in self.pages.iter().enumerate() {
            let part = if with.binary_search(&place).is_ok() { &mut inside } else { &mut outside };
            part.add(&self.shapes[page], self.addresses, self.labels);
        }
        inside.likeness(&outside, |from| from != self.group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marks::Mark;

    /// Six pages in each part of one group; marks of the parts, and Apaths that lead there.
    fn check(marks: [&[u64]; 2], apaths: [u64; 2], expect: usize) {
        let page = |part: usize| {
            let marks = marks[part].iter().map(|&key| Mark { key, trunk: true });
            PageShape::default().marked(marks).found_by([apaths[part]])
        };
        let shapes: Vec<PageShape> = (0..12).map(|place| page(place / 6)).collect();
        let mut labels = vec![Some(0); 12];
        assert_eq!(split(&shapes, &mut labels, 1), expect, "{marks:?} {apaths:?}");
        assert_eq!(labels[0] == labels[6], expect == 1);
        assert!(labels[..6].iter().all(|label| *label == labels[0]), "{labels:?}");
    }

    #[test]
    fn by_hand() {
        // Tags and months: each declares what it is, and different links lead there.
        check([&[1, 2], &[1, 3]], [8, 9], 2);
        // Two categories: each declares which, but links of one kind lead there.
        check([&[1, 2], &[1, 3]], [8, 8], 1);
        // The second pages of a list declare it, the first pages declare nothing.
        check([&[1], &[1, 3]], [8, 9], 1);
        check([&[], &[]], [8, 9], 1);
    }

    #[test]
    fn marks_inside_of_a_page_do_not_split() {
        let page = |key: u64| PageShape::default().marked([Mark { key, trunk: false }]).found_by([key]);
        let shapes: Vec<PageShape> = (0..12).map(|place| page(1 + place / 6)).collect();
        assert_eq!(split(&shapes, &mut [Some(0); 12], 1), 1);
    }
}
