//! Crescenzi's clustering by link paths and description length (Crescenzi, Merialdo, Missier 2005), as far as seed 001
//! tells it.
//!
//! A page's schema is the set of its Apaths; the distance of two schemas is `|A xor B| / |A or B|`. First, schemas
//! nearer than the threshold to a class (whose schema is the union of its pages') join it, the most frequent schemas
//! first. Then two classes become one as long as that makes the description shorter. The description of a class of `n`
//! pages with schema `S` is `|S| * log2(paths of the site)` bits for the schema, and `n * H(c/n)` bits for each path
//! of it to say which pages have it, `c` of them. So a few pages that share paths with a large class end in that class:
//! what the seed says of this method. There are no outliers.

use std::collections::BTreeMap;

use crate::clustering::Clustering;
use crate::features::PageShape;

/// The authors' threshold, which the seed keeps.
pub const THRESHOLD: f64 = 0.2;

/// A path to the number of pages that have it.
type Counts = BTreeMap<u64, usize>;

#[derive(Clone, Debug, Default)]
struct Class {
    pages: Vec<usize>,
    paths: Counts,
}

impl Class {
    /// Of a schema without repetitions.
    fn distance(&self, schema: &[u64]) -> f64 {
        let both = schema.iter().filter(|path| self.paths.contains_key(path)).count();
        let either = self.paths.len() + schema.len() - both;
        if either == 0 { 0.0 } else { (either - both) as f64 / either as f64 }
    }

    fn join(&mut self, other: Self) {
        for (path, count) in other.paths {
            *self.paths.entry(path).or_default() += count;
        }
        self.pages.extend(other.pages);
    }

    fn bits(&self, per_path: f64) -> f64 {
        let pages = self.pages.len();
        self.paths.values().map(|&count| per_path + presence_bits(count, pages)).sum()
    }

    /// The bits of both classes in one.
    fn bits_with(&self, other: &Self, per_path: f64) -> f64 {
        let pages = self.pages.len() + other.pages.len();
        let bits = |count: usize| per_path + presence_bits(count, pages);
        let mine = self.paths.iter().map(|(path, count)| bits(count + other.paths.get(path).unwrap_or(&0)));
        let theirs = other.paths.iter().filter(|(path, _)| !self.paths.contains_key(path));
        mine.sum::<f64>() + theirs.map(|(_, &count)| bits(count)).sum::<f64>()
    }
}

/// `n * H(c/n)`.
fn presence_bits(count: usize, pages: usize) -> f64 {
    let part = |some: usize| if some == 0 { 0.0 } else { some as f64 * (pages as f64 / some as f64).log2() };
    part(count) + part(pages.saturating_sub(count))
}

/// Clusters pages by their Apaths.
pub fn mdl(shapes: &[PageShape], threshold: f64) -> Clustering {
    let classes = merged(near_classes(shapes, threshold));
    let mut of_page = vec![None; shapes.len()];
    for (number, class) in classes.iter().enumerate() {
        for &page in &class.pages {
            of_page[page] = Some(number);
        }
    }
    Clustering::from_groups(&of_page)
}

fn near_classes(shapes: &[PageShape], threshold: f64) -> Vec<Class> {
    let mut by_schema: BTreeMap<Vec<u64>, Vec<usize>> = BTreeMap::new();
    for (page, shape) in shapes.iter().enumerate() {
        let schema = shape.apaths().iter().map(|&(path, _)| path).collect();
        by_schema.entry(schema).or_default().push(page);
    }
    let mut schemas: Vec<(Vec<u64>, Vec<usize>)> = by_schema.into_iter().collect();
    // A stable sort: of equally frequent schemas the first by content stays first.
    schemas.sort_by_key(|(_, pages)| std::cmp::Reverse(pages.len()));
    let mut classes: Vec<Class> = Vec::new();
    for (schema, pages) in schemas {
        let distances = classes.iter().map(|class| class.distance(&schema)).enumerate();
        let nearest = distances.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|&(_, gap)| gap < threshold);
        let paths = schema.into_iter().map(|path| (path, pages.len())).collect();
        let class = Class { pages, paths };
        match nearest {
            Some((number, _)) => classes[number].join(class),
            None => classes.push(class),
        }
    }
    classes
}

/// Merges the best pair of each class in turn, small classes first, until no merge saves a bit.
fn merged(mut classes: Vec<Class>) -> Vec<Class> {
    let mut paths: Vec<u64> = classes.iter().flat_map(|class| class.paths.keys().copied()).collect();
    paths.sort_unstable();
    paths.dedup();
    let per_path = (paths.len().max(2) as f64).log2();
    let mut at = classes.len();
    let mut bits: Vec<f64> = classes.iter().map(|class| class.bits(per_path)).collect();
    let mut changed = false;
    while at > 0 {
        at -= 1;
        let saving = |other: usize| bits[at] + bits[other] - classes[at].bits_with(&classes[other], per_path);
        let savings = (0..classes.len()).filter(|&other| other != at).map(|other| (saving(other), other));
        let best = savings.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        if let Some((_, into)) = best.filter(|&(saving, _)| saving > 1e-9) {
            let class = classes.remove(at);
            bits.remove(at);
            let into = if into > at { into - 1 } else { into };
            classes[into].join(class);
            bits[into] = classes[into].bits(per_path);
            changed = true;
        }
        if at == 0 && std::mem::take(&mut changed) {
            at = classes.len();
        }
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes(pages: &[&[u64]]) -> Vec<PageShape> {
        pages.iter().map(|keys| PageShape::new([], keys.iter().map(|&key| (key, 1)), [])).collect()
    }

    #[test]
    fn distances_by_hand() {
        let class = Class { pages: vec![0], paths: [(1, 1), (2, 1), (3, 1)].into() };
        let check = |schema: &[u64], expect: f64| assert_eq!(class.distance(schema), expect, "{schema:?}");
        check(&[1, 2, 3], 0.0);
        check(&[1, 2, 4], 0.5);
        check(&[9], 1.0);
        assert_eq!(Class::default().distance(&[]), 0.0);
    }

    #[test]
    fn lengths_by_hand() {
        // One path that one page of two has: 2 * H(1/2) = 2 bits; one that all have: 0 bits.
        let class = Class { pages: vec![0, 1], paths: [(1, 1), (2, 2)].into() };
        assert_eq!(class.bits(3.0), 3.0 + 2.0 + 3.0);
        // With two more pages that have path 2 and path 5: 4 H(1/4), 4 H(1) and 4 H(1/2).
        let other = Class { pages: vec![2, 3], paths: [(2, 2), (5, 2)].into() };
        let quarter = 2.0 + 3.0 * (4.0_f64 / 3.0).log2();
        let both = class.bits_with(&other, 3.0);
        assert!((both - (9.0 + quarter + 4.0)).abs() < 1e-12);
        let mut joined = class.clone();
        joined.join(other);
        assert!((joined.bits(3.0) - both).abs() < 1e-12);
    }

    #[test]
    fn by_hand() {
        let check = |pages: &[&[u64]], expect: &[u32]| {
            let got: Vec<u32> = mdl(&shapes(pages), THRESHOLD).labels.into_iter().flatten().collect();
            assert_eq!(got, expect, "{pages:?}");
        };
        // Nothing in common: apart. (Joining would save no schema, and cost a bit a page and path.)
        check(&[&[1, 2], &[1, 2], &[1, 2], &[7, 8], &[7, 8]], &[0, 0, 0, 1, 1]);
        // 5 of 6 in common, distance 1/6: together.
        check(&[&[1, 2, 3, 4, 5], &[1, 2, 3, 4, 5, 6]], &[0, 0]);
        check(&[&[], &[]], &[0, 0]);
        check(&[], &[]);
    }
}
