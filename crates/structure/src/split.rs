//! Splits groups of pages that are several templates with the same paths.
//!
//! DBSCAN compares paths, and the lists of one theme have the same paths. Two parts of a group are two templates if
//! marks and links agree: every page of each part has a mark on its trunk that no page of the other has, and links of
//! different kinds lead to them. Either criterion alone misleads: a theme also writes the category of a post on its
//! `body`, and popular pages are linked from more places. A mark that only one part has (`paged`) shows an optional
//! part.

use std::collections::BTreeMap;

use crate::density::MIN_PTS;
use crate::features::PageShape;
use crate::linked::{Addresses, Votes};

/// The share of the other pages that must have marks of their own.
const DECLARED: f64 = 0.9;
/// Links are of other kinds if their cosine is no more.
const OTHER_LINKS: f64 = 0.4;
/// Marks of one group that are tried, the most frequent first.
const MAX_TRIED: usize = 64;

/// The places, within one group, of the pages that have a mark on their trunk; ascending.
type Bearers = BTreeMap<u64, Vec<usize>>;

/// Splits groups until none can be split. New groups get new numbers; returns how many there are then.
pub(crate) fn split(shapes: &[PageShape], labels: &mut [Option<usize>], count: usize) -> usize {
    let addresses = Addresses::new(shapes);
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (page, label) in labels.iter().enumerate() {
        if let Some(group) = label.and_then(|label| groups.get_mut(label)) {
            group.push(page);
        }
    }
    let mut at = 0;
    while let Some(pages) = groups.get(at) {
        let parting = Parting { shapes, addresses: &addresses, labels, group: at, pages };
        let Some((with, without)) = parting.best() else {
            at += 1;
            continue;
        };
        let number = groups.len();
        with.iter().for_each(|&page| labels[page] = Some(number));
        groups.push(with);
        // The rest is looked at once more.
        groups[at] = without;
    }
    groups.len()
}

/// A group that may fall apart.
struct Parting<'a> {
    shapes: &'a [PageShape],
    addresses: &'a Addresses,
    labels: &'a [Option<usize>],
    group: usize,
    pages: &'a [usize],
}

impl Parting<'_> {
    /// The pages with the mark that separates best, and those without it.
    fn best(&self) -> Option<(Vec<usize>, Vec<usize>)> {
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
        let (_, with) = best?;
        let (inside, outside): (Vec<_>, Vec<_>) =
            self.pages.iter().enumerate().partition(|(place, _)| with.binary_search(place).is_ok());
        let pages = |part: Vec<(usize, &usize)>| part.into_iter().map(|(_, &page)| page).collect();
        Some((pages(inside), pages(outside)))
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

    /// How alike the links to the two parts are; those from within the group do not count.
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
        // Tags and months: each says what it is, and other links lead there.
        check([&[1, 2], &[1, 3]], [8, 9], 2);
        // Two categories: each says which, but links of one kind lead there.
        check([&[1, 2], &[1, 3]], [8, 8], 1);
        // The second pages of a list: they say so, the first pages have nothing to say.
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
