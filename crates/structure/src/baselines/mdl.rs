//! Crescenzi's clustering by link paths and description length (Crescenzi, Merialdo, Missier 2005), as far as Xu et al.
//! 2018 describe it.
//!
//! A page's schema is the set of its Apaths; the distance of two schemas is `|A xor B| / |A or B|`. First, schemas
//! nearer than the threshold to a class (whose schema is the union of its pages') join it, the most frequent schemas
//! first. Then two classes become one as long as that makes the description shorter. The description of a class of `n`
//! pages with schema `S` is `|S| * log2(paths of the site)` bits for the schema, and `n * H(c/n)` bits for each path
//! of it to say which pages have it, `c` of them. So a few pages that share paths with a large class end in that class:
//! what Xu et al. 2018 say of this method. There are no outliers.

use std::collections::BTreeMap;

use crate::clustering::Clustering;
use crate::features::PageShape;

/// Classes that are compared with each other; smaller ones join one of these or stay as they are.
const MAX_CLASSES: usize = 2_000;
/// What rounding may do to a number of bits.
const SLACK: f64 = 1e-9;

/// A set of paths by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Set(Vec<u64>);

impl Set {
    fn new(numbers: impl Iterator<Item = u32>, paths: usize) -> Self {
        let mut set = Self(vec![0; paths.div_ceil(64)]);
        for number in numbers {
            if let Some(word) = set.0.get_mut(number as usize / 64) {
                *word |= 1 << (number % 64);
            }
        }
        set
    }

    fn common(&self, other: &Self) -> usize {
        self.0.iter().zip(&other.0).map(|(a, b)| (a & b).count_ones() as usize).sum()
    }

    fn has(&self, number: u32) -> bool {
        self.0.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }
}

/// Pages with the number of those that have each path; paths ascend.
#[derive(Clone, Debug, Default)]
struct Class {
    pages: Vec<usize>,
    paths: Vec<(u32, usize)>,
    set: Set,
}

impl Class {
    fn new(schema: &[u32], pages: Vec<usize>, paths: usize) -> Self {
        let set = Set::new(schema.iter().copied(), paths);
        Self { paths: schema.iter().map(|&path| (path, pages.len())).collect(), pages, set }
    }

    /// `|A xor B| / |A or B|`.
    fn distance(&self, other: &Self) -> f64 {
        let both = self.set.common(&other.set);
        let either = self.paths.len() + other.paths.len() - both;
        if either == 0 { 0.0 } else { (either - both) as f64 / either as f64 }
    }

    /// A lower bound without a comparison: schemas of different sizes differ by at least that much.
    fn least_distance(&self, other: &Self) -> f64 {
        let (small, large) =
            (self.paths.len().min(other.paths.len()), self.paths.len().max(other.paths.len()));
        if large == 0 { 0.0 } else { (large - small) as f64 / large as f64 }
    }

    fn join(&mut self, other: Self) {
        self.pages.extend(other.pages);
        self.set.0.iter_mut().zip(&other.set.0).for_each(|(mine, theirs)| *mine |= theirs);
        self.paths.extend(other.paths);
        self.paths.sort_unstable();
        self.paths.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
    }
}

/// The costs of a site, in bits: to name a path, and to say which pages have it.
struct Prices {
    per_path: f64,
    /// `x * log2(x)`, up to the number of pages.
    x_log_x: Vec<f64>,
}

impl Prices {
    fn new(paths: usize, pages: usize) -> Self {
        let x_log_x = |x: usize| if x == 0 { 0.0 } else { x as f64 * (x as f64).log2() };
        Self { per_path: (paths.max(2) as f64).log2(), x_log_x: (0..=pages).map(x_log_x).collect() }
    }

    /// A path that some of the pages have: its name, and `n * H(c/n)`.
    fn of_path(&self, count: usize, pages: usize) -> f64 {
        let part = |x: usize| self.x_log_x.get(x).copied().unwrap_or_default();
        self.per_path + part(pages) - part(count) - part(pages.saturating_sub(count))
    }

    fn of_class(&self, class: &Class) -> f64 {
        class.paths.iter().map(|&(_, count)| self.of_path(count, class.pages.len())).sum()
    }

    /// Both classes in one.
    fn of_both(&self, one: &Class, two: &Class) -> f64 {
        let pages = one.pages.len() + two.pages.len();
        let mut theirs = two.paths.as_slice();
        let mut bits = 0.0;
        for &(path, count) in &one.paths {
            let behind = theirs.partition_point(|&(other, _)| other < path);
            theirs = theirs.get(behind..).unwrap_or_default();
            let more = theirs.first().filter(|(other, _)| *other == path).map_or(0, |&(_, count)| count);
            bits += self.of_path(count + more, pages);
        }
        let only = two.paths.iter().filter(|(path, _)| !one.set.has(*path));
        bits + only.map(|&(_, count)| self.of_path(count, pages)).sum::<f64>()
    }
}

/// Clusters pages by their Apaths.
pub fn mdl(shapes: &[PageShape], threshold: f64) -> Clustering {
    let mut paths: Vec<u64> = shapes.iter().flat_map(|shape| shape.apaths()).map(|&(path, _)| path).collect();
    paths.sort_unstable();
    paths.dedup();
    let prices = Prices::new(paths.len(), shapes.len());
    let classes = merged(near_classes(shapes, &paths, threshold), &prices, MAX_CLASSES);
    let mut of_page = vec![None; shapes.len()];
    for (number, class) in classes.iter().enumerate() {
        for &page in &class.pages {
            of_page[page] = Some(number);
        }
    }
    Clustering::from_groups(&of_page)
}

/// Schemas near to each other; `paths` are those of the site, sorted.
fn near_classes(shapes: &[PageShape], paths: &[u64], threshold: f64) -> Vec<Class> {
    let number = |path: &u64| paths.binary_search(path).ok().and_then(|place| u32::try_from(place).ok());
    let mut by_schema: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
    for (page, shape) in shapes.iter().enumerate() {
        let schema = shape.apaths().iter().filter_map(|(path, _)| number(path)).collect();
        by_schema.entry(schema).or_default().push(page);
    }
    let mut schemas: Vec<(Vec<u32>, Vec<usize>)> = by_schema.into_iter().collect();
    // A stable sort: of equally frequent schemas the first by content stays first.
    schemas.sort_by_key(|(_, pages)| std::cmp::Reverse(pages.len()));
    let mut classes: Vec<Class> = Vec::new();
    for (schema, pages) in schemas {
        let class = Class::new(&schema, pages, paths.len());
        let near = classes.iter().enumerate().filter(|(_, other)| class.least_distance(other) < threshold);
        let distances = near.map(|(number, other)| (number, other.distance(&class)));
        let nearest = distances.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|&(_, gap)| gap < threshold);
        match nearest {
            Some((number, _)) => classes[number].join(class),
            None => classes.push(class),
        }
    }
    classes
}

/// Merges the best pair of each class in turn, small classes first, until no merge saves a bit.
fn merged(mut classes: Vec<Class>, prices: &Prices, most: usize) -> Vec<Class> {
    // The sort is stable, and below the bound the order stays as it is.
    let mut rest = Vec::new();
    if classes.len() > most {
        classes.sort_by_key(|class| std::cmp::Reverse(class.pages.len()));
        rest = classes.split_off(most);
    }
    let mut bits: Vec<f64> = classes.iter().map(|class| prices.of_class(class)).collect();
    let mut at = classes.len();
    let mut changed = false;
    while at > 0 {
        at -= 1;
        if let Some(into) = best_merge(&classes[at], bits[at], &classes, &bits, Some(at), prices) {
            let class = classes.remove(at);
            bits.remove(at);
            let into = if into > at { into - 1 } else { into };
            classes[into].join(class);
            bits[into] = prices.of_class(&classes[into]);
            changed = true;
        }
        if at == 0 && std::mem::take(&mut changed) {
            at = classes.len();
        }
    }
    let mut alone = Vec::new();
    for class in rest {
        match best_merge(&class, prices.of_class(&class), &classes, &bits, None, prices) {
            Some(into) => {
                classes[into].join(class);
                bits[into] = prices.of_class(&classes[into]);
            }
            None => alone.push(class),
        }
    }
    classes.extend(alone);
    classes
}

/// The class that a class is best merged with, if that saves anything; the first of equally good ones. A merge saves at
/// most the names of the common paths, since saying which pages have a path never gets cheaper: that bound alone rules
/// out most pairs.
fn best_merge(
    class: &Class,
    own: f64,
    classes: &[Class],
    bits: &[f64],
    itself: Option<usize>,
    prices: &Prices,
) -> Option<usize> {
    let mut best: Option<(f64, usize)> = None;
    for (number, (other, other_bits)) in classes.iter().zip(bits).enumerate() {
        let least = best.map_or(SLACK, |(saving, _)| saving);
        let at_most = prices.per_path * class.set.common(&other.set) as f64;
        if itself == Some(number) || at_most + SLACK < least {
            continue;
        }
        let saving = own + other_bits - prices.of_both(class, other);
        if saving > least {
            best = Some((saving, number));
        }
    }
    best.map(|(_, number)| number)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The authors' threshold, which Xu et al. 2018 keep.
    const THRESHOLD: f64 = 0.2;

    fn shapes(pages: &[&[u64]]) -> Vec<PageShape> {
        pages.iter().map(|keys| PageShape::new([], keys.iter().map(|&key| (key, 1)), [])).collect()
    }

    fn class(schema: &[u32], pages: &[usize]) -> Class {
        Class::new(schema, pages.to_vec(), 10)
    }

    #[test]
    fn distances_by_hand() {
        let check = |schema: &[u32], expect: f64| {
            let (one, two) = (class(&[1, 2, 3], &[0]), class(schema, &[1]));
            assert_eq!(one.distance(&two), expect, "{schema:?}");
            assert!(one.least_distance(&two) <= expect);
        };
        check(&[1, 2, 3], 0.0);
        check(&[1, 2, 4], 0.5);
        check(&[9], 1.0);
        assert_eq!(Class::default().distance(&Class::default()), 0.0);
    }

    #[test]
    fn lengths_by_hand() {
        let prices = Prices::new(8, 4);
        // One path that one page of two has: 3 bits for its name, 2 * H(1/2) = 2 bits; one that both have: 3 bits.
        let mut one = class(&[1, 2], &[0]);
        one.join(class(&[2], &[1]));
        assert_eq!(one.paths, [(1, 1), (2, 2)]);
        assert_eq!(prices.of_class(&one), 3.0 + 2.0 + 3.0);
        // With two more pages that have path 2 and path 5: 4 H(1/4), 4 H(1) and 4 H(1/2).
        let two = class(&[2, 5], &[2, 3]);
        let quarter = 2.0 + 3.0 * (4.0_f64 / 3.0).log2();
        let both = prices.of_both(&one, &two);
        assert!((both - (9.0 + quarter + 4.0)).abs() < 1e-12);
        one.join(two);
        assert!((prices.of_class(&one) - both).abs() < 1e-12);
    }

    #[test]
    fn by_hand() {
        let check = |pages: &[&[u64]], expect: &[u32]| {
            let got: Vec<u32> = mdl(&shapes(pages), THRESHOLD).labels.into_iter().flatten().collect();
            assert_eq!(got, expect, "{pages:?}");
        };
        // Nothing in common: not merged. (Joining would save no schema, and cost a bit per page and path.)
        check(&[&[1, 2], &[1, 2], &[1, 2], &[7, 8], &[7, 8]], &[0, 0, 0, 1, 1]);
        // 5 of 6 in common, distance 1/6: together.
        check(&[&[1, 2, 3, 4, 5], &[1, 2, 3, 4, 5, 6]], &[0, 0]);
        check(&[&[], &[]], &[0, 0]);
        check(&[], &[]);
    }

    #[test]
    fn past_the_bound_small_classes_join_what_there_is() {
        let kinds: Vec<Class> = vec![
            class(&[1, 2, 3], &[0, 1]),
            class(&[7, 8], &[2, 3]),
            class(&[1, 2, 3, 4], &[4]),
            class(&[9], &[5]),
        ];
        let classes = merged(kinds, &Prices::new(10, 6), 2);
        let mut pages: Vec<Vec<usize>> = classes.into_iter().map(|class| class.pages).collect();
        pages.iter_mut().for_each(|pages| pages.sort_unstable());
        assert_eq!(pages, [vec![0, 1, 4], vec![2, 3], vec![5]]);
    }

    /// The same without bounds and short cuts.
    fn plain(shapes: &[PageShape], threshold: f64) -> Clustering {
        let mut paths: Vec<u64> = shapes.iter().flat_map(|shape| shape.apaths()).map(|pair| pair.0).collect();
        paths.sort_unstable();
        paths.dedup();
        let prices = Prices::new(paths.len(), shapes.len());
        let mut classes = near_classes(shapes, &paths, threshold);
        let mut at = classes.len();
        let mut changed = false;
        while at > 0 {
            at -= 1;
            let saving = |other: usize| {
                let (one, two) = (&classes[at], &classes[other]);
                prices.of_class(one) + prices.of_class(two) - prices.of_both(one, two)
            };
            let savings = (0..classes.len()).filter(|&other| other != at).map(|other| (saving(other), other));
            let best = savings.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
            if let Some((_, into)) = best.filter(|&(saving, _)| saving > SLACK) {
                let class = classes.remove(at);
                classes[if into > at { into - 1 } else { into }].join(class);
                changed = true;
            }
            if at == 0 && std::mem::take(&mut changed) {
                at = classes.len();
            }
        }
        let mut of_page = vec![None; shapes.len()];
        for (number, class) in classes.iter().enumerate() {
            class.pages.iter().for_each(|&page| of_page[page] = Some(number));
        }
        Clustering::from_groups(&of_page)
    }

    proptest! {
        #[test]
        fn short_cuts_change_nothing(
            pages in prop::collection::vec(prop::collection::vec(0_u64..12, 0..9), 0..40),
        ) {
            let pages: Vec<&[u64]> = pages.iter().map(Vec::as_slice).collect();
            let shapes = shapes(&pages);
            prop_assert_eq!(mdl(&shapes, THRESHOLD), plain(&shapes, THRESHOLD));
        }
    }
}
