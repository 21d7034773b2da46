//! The vector space of the pages: which XPaths count, their weights, and the distance of two pages.
//!
//! [`Weighting::TfIdf`] has the weights of Xu et al. 2018 (equations 1 and 2): `log(tf + 1) * log(|D| / df + 1)`,
//! divided by their sum. XPaths on fewer than `minPts` pages are dropped, and the distance is Euclidean.
//! [`Weighting::Presence`] is Osprey's: each path counts once, all paths have equal weight, and the vector has length
//! 1, so the distance is `sqrt(2 - 2 cos)`. The idf of the paper gives rare paths large weights, but rare paths within
//! a template are mostly markup of users; and dividing by the sum brings long pages closer together than short ones.

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

use crate::features::PageShape;

/// How the paths of a page are weighted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weighting {
    /// As in Xu et al. 2018.
    #[default]
    TfIdf,
    /// Which paths a page has, not how often.
    Presence,
}

/// Coordinates by feature number, ascending; zeros are left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseVector(Vec<(u32, f64)>);

impl SparseVector {
    /// The coordinates.
    pub(crate) fn coordinates(&self) -> &[(u32, f64)] {
        &self.0
    }

    /// Euclidean distance.
    pub fn distance(&self, other: &Self) -> f64 {
        let (mut a, mut b) = (self.0.as_slice(), other.0.as_slice());
        let mut sum = 0.0;
        loop {
            let gap = match (a, b) {
                ([(i, x), rest_a @ ..], [(j, y), rest_b @ ..]) => {
                    if i <= j {
                        a = rest_a;
                    }
                    if j <= i {
                        b = rest_b;
                    }
                    match i.cmp(j) {
                        std::cmp::Ordering::Less => *x,
                        std::cmp::Ordering::Equal => x - y,
                        std::cmp::Ordering::Greater => *y,
                    }
                }
                (rest, []) | ([], rest) => {
                    let tail: f64 = rest.iter().map(|&(_, x)| x * x).sum();
                    return (sum + tail).sqrt();
                }
            };
            sum += gap * gap;
        }
    }

    /// An order by content, to put equal vectors together and to number points independently of the input's order.
    pub(crate) fn order(&self, other: &Self) -> std::cmp::Ordering {
        let pairs = self.0.iter().zip(&other.0);
        let mut differing = pairs.map(|(a, b)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        differing.find(|order| order.is_ne()).unwrap_or_else(|| self.0.len().cmp(&other.0.len()))
    }

    fn divided(mut self, by: f64) -> Self {
        if by > 0.0 {
            self.0.iter_mut().for_each(|(_, value)| *value /= by);
        }
        self
    }
}

/// The features of a sample and their weights.
#[derive(Clone, Debug)]
pub struct Space {
    weighting: Weighting,
    /// XPath key to feature number.
    numbers: HashMap<u64, u32>,
    /// Of each feature.
    weights: Vec<f64>,
}

/// How many pages of a sample there are, and how many have each of the XPaths that count; sorted by key.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Frequencies {
    pub(crate) pages: usize,
    pub(crate) paths: Vec<(u64, usize)>,
}

impl Frequencies {
    pub(crate) fn of<'a>(shapes: impl IntoIterator<Item = &'a PageShape>, min_df: usize) -> Self {
        let mut df: HashMap<u64, usize> = HashMap::new();
        let mut pages = 0_usize;
        for shape in shapes {
            pages += 1;
            for &(key, _) in shape.xpaths() {
                *df.entry(key).or_default() += 1;
            }
        }
        let mut paths: Vec<(u64, usize)> = df.into_iter().filter(|&(_, df)| df >= min_df).collect();
        paths.sort_unstable();
        Self { pages, paths }
    }
}

impl Space {
    /// Learns the features of a sample: the XPaths that at least `min_df` of its pages have.
    pub fn fit<'a>(
        shapes: impl IntoIterator<Item = &'a PageShape>,
        weighting: Weighting,
        min_df: usize,
    ) -> Self {
        Self::from_frequencies(&Frequencies::of(shapes, min_df), weighting)
    }

    pub(crate) fn from_frequencies(frequencies: &Frequencies, weighting: Weighting) -> Self {
        let weight = |df: usize| match weighting {
            Weighting::TfIdf => (frequencies.pages as f64 / df.max(1) as f64 + 1.0).ln(),
            Weighting::Presence => 1.0,
        };
        Self {
            weighting,
            numbers: (0_u32..).zip(&frequencies.paths).map(|(number, &(key, _))| (key, number)).collect(),
            weights: frequencies.paths.iter().map(|&(_, df)| weight(df)).collect(),
        }
    }

    /// How many features there are.
    pub fn features(&self) -> usize {
        self.weights.len()
    }

    /// The features of a page by number, ascending, and how often it has them.
    pub(crate) fn counts(&self, shape: &PageShape) -> Vec<(u32, u32)> {
        // Keys are sorted in the shape and numbered in the same order, so the numbers ascend.
        let known = shape.xpaths().iter();
        known.filter_map(|&(key, count)| self.numbers.get(&key).map(|&number| (number, count))).collect()
    }

    /// A page as a point; the origin if it has none of the features.
    pub fn project(&self, shape: &PageShape) -> SparseVector {
        self.vector(&self.counts(shape))
    }

    /// The point of a page that has these features; numbers ascend.
    pub(crate) fn vector(&self, counts: &[(u32, u32)]) -> SparseVector {
        let coordinate = |&(number, count): &(u32, u32)| {
            let weight = self.weights.get(number as usize)?;
            let tf = match self.weighting {
                Weighting::TfIdf => (f64::from(count) + 1.0).ln(),
                Weighting::Presence => 1.0,
            };
            Some((number, tf * weight))
        };
        let vector = SparseVector(counts.iter().filter_map(coordinate).collect());
        let length = match self.weighting {
            Weighting::TfIdf => vector.0.iter().map(|&(_, value)| value).sum(),
            Weighting::Presence => vector.0.iter().map(|&(_, value)| value * value).sum::<f64>().sqrt(),
        };
        vector.divided(length)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(crate) fn vector(coordinates: &[(u32, f64)]) -> SparseVector {
        SparseVector(coordinates.to_vec())
    }

    fn shape(xpaths: &[(u64, u32)]) -> PageShape {
        PageShape::new(xpaths.iter().copied(), [], [])
    }

    fn check(got: &SparseVector, expect: &[(u32, f64)]) {
        let close = |(a, b): (&(u32, f64), &(u32, f64))| a.0 == b.0 && (a.1 - b.1).abs() < 1e-12;
        assert!(got.0.len() == expect.len() && got.0.iter().zip(expect).all(close), "{got:?}");
    }

    /// Four pages; path 1 is in all, path 2 in two, path 3 in one.
    fn sample() -> [PageShape; 4] {
        [shape(&[(1, 1), (2, 3)]), shape(&[(1, 1), (2, 1)]), shape(&[(1, 2)]), shape(&[(1, 1), (3, 1)])]
    }

    #[test]
    fn equations_1_and_2_by_hand() {
        let space = Space::fit(&sample(), Weighting::TfIdf, 2);
        assert_eq!(space.features(), 2, "path 3 is too rare");
        // Path 1: ln(1 + 1) * ln(4/4 + 1) = ln 2 * ln 2; path 2: ln(3 + 1) * ln(4/2 + 1) = 2 ln 2 * ln 3.
        let (one, two) = (2_f64.ln(), 2.0 * 3_f64.ln());
        check(&space.project(&sample()[0]), &[(0, one / (one + two)), (1, two / (one + two))]);
        check(&space.project(&sample()[2]), &[(0, 1.0)]);
        check(&space.project(&shape(&[(7, 4)])), &[]);
    }

    #[test]
    fn presence_by_hand() {
        let space = Space::fit(&sample(), Weighting::Presence, 2);
        check(&space.project(&sample()[0]), &[(0, 0.5_f64.sqrt()), (1, 0.5_f64.sqrt())]);
        check(&space.project(&sample()[3]), &[(0, 1.0)]);
    }

    #[test]
    fn distances_by_hand() {
        let check = |a: &[(u32, f64)], b: &[(u32, f64)], expect: f64| {
            assert!((vector(a).distance(&vector(b)) - expect).abs() < 1e-12, "{a:?} {b:?}");
        };
        check(&[(0, 3.0)], &[(1, 4.0)], 5.0);
        check(&[(0, 3.0), (2, 1.0)], &[(0, 1.0), (2, 1.0)], 2.0);
        check(&[], &[(5, 2.0)], 2.0);
        check(&[], &[], 0.0);
    }

    proptest! {
        #[test]
        fn vectors_have_their_length(
            bags in prop::collection::vec(prop::collection::vec((0_u64..9, 1_u32..50), 1..9), 1..9),
        ) {
            let shapes: Vec<PageShape> = bags.iter().map(|bag| shape(bag)).collect();
            for shape in &shapes {
                let l1 = Space::fit(&shapes, Weighting::TfIdf, 1).project(shape);
                let l2 = Space::fit(&shapes, Weighting::Presence, 1).project(shape);
                prop_assert!((l1.0.iter().map(|&(_, x)| x).sum::<f64>() - 1.0).abs() < 1e-9);
                prop_assert!((l2.distance(&SparseVector::default()) - 1.0).abs() < 1e-9);
            }
        }
    }
}
