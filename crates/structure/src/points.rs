//! Pages as points in one space: equal pages share a point, and neighbours are found without comparing all points.
//!
//! Sites repeat themselves, so many pages are the same point; a point has the weight of its pages. Neighbours are found
//! through pivots, points that are far from each other, ideally one in every template. The distances of all points to
//! all pivots are known, and by the triangle inequality two points whose distances to some pivot differ by more than
//! `eps` are farther apart than `eps`. Each point is in the cell of its nearest pivot, sorted by that distance, so that
//! a query examines few cells and few of their points. This is exact. Inverted lists by XPath would not help: the
//! navigation and the footer are on every page, and the lists of such paths contain the whole sample.

use crate::space::SparseVector;

/// Pivots that are chosen, fewer if there are fewer points.
const PIVOTS: usize = 64;
/// What rounding may do to a difference of distances.
const SLACK: f64 = 1e-9;

/// A point near a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Near {
    pub(crate) distance: f64,
    pub(crate) point: usize,
    pub(crate) weight: u32,
}

/// Distinct vectors in the order of their content, so that nothing depends on the order of the pages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Points {
    vectors: Vec<SparseVector>,
    weights: Vec<u32>,
    of_page: Vec<usize>,
    /// For each point its distances to the pivots.
    gaps: Vec<[f64; PIVOTS]>,
    pivots: Vec<SparseVector>,
    /// For each pivot the points that are nearest to it, by distance.
    cells: Vec<Vec<(f64, usize)>>,
}

impl Points {
    /// For each page the number of its vector among the distinct ones, in the order of their content.
    pub(crate) fn collapse(pages: Vec<SparseVector>) -> Vec<usize> {
        Self::without_pivots(pages).of_page
    }

    pub(crate) fn new(pages: Vec<SparseVector>) -> Self {
        let mut points = Self::without_pivots(pages);
        points.choose_pivots();
        points
    }

    fn without_pivots(pages: Vec<SparseVector>) -> Self {
        let mut order: Vec<usize> = (0..pages.len()).collect();
        let mut pages: Vec<Option<SparseVector>> = pages.into_iter().map(Some).collect();
        order.sort_by(|&a, &b| match (&pages[a], &pages[b]) {
            (Some(a), Some(b)) => a.order(b),
            _ => std::cmp::Ordering::Equal,
        });
        let mut points = Self { of_page: vec![0; pages.len()], ..Self::default() };
        for page in order {
            let Some(vector) = pages[page].take() else { continue };
            match (points.vectors.last(), points.weights.last_mut()) {
                (Some(last), Some(weight)) if *last == vector => *weight += 1,
                _ => {
                    points.vectors.push(vector);
                    points.weights.push(1);
                }
            }
            points.of_page[page] = points.vectors.len() - 1;
        }
        points
    }

    /// Farthest first: each pivot is the point that is farthest from those chosen before.
    fn choose_pivots(&mut self) {
        self.gaps = vec![[0.0; PIVOTS]; self.vectors.len()];
        let mut nearest = vec![f64::INFINITY; self.vectors.len()];
        let mut next = (!self.vectors.is_empty()).then_some(0);
        while let Some(pivot) = next.filter(|_| self.pivots.len() < PIVOTS) {
            let (number, pivot) = (self.pivots.len(), self.vectors[pivot].clone());
            for (point, vector) in self.vectors.iter().enumerate() {
                let gap = vector.distance(&pivot);
                self.gaps[point][number] = gap;
                nearest[point] = nearest[point].min(gap);
            }
            self.pivots.push(pivot);
            let farthest = nearest.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
            next = farthest.filter(|&(_, &gap)| gap > 0.0).map(|(point, _)| point);
        }
        self.cells = vec![Vec::new(); self.pivots.len()];
        for (point, gaps) in self.gaps.iter().enumerate() {
            let gaps = gaps.iter().take(self.pivots.len()).enumerate();
            if let Some((cell, &gap)) = gaps.min_by(|a, b| a.1.total_cmp(b.1)) {
                self.cells[cell].push((gap, point));
            }
        }
        for cell in &mut self.cells {
            cell.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.vectors.len()
    }

    /// How many pages are at this point.
    pub(crate) fn weight(&self, point: usize) -> u32 {
        self.weights[point]
    }

    /// The point of each page.
    pub(crate) fn of_page(&self) -> &[usize] {
        &self.of_page
    }

    pub(crate) fn distance(&self, a: usize, b: usize) -> f64 {
        self.vectors[a].distance(&self.vectors[b])
    }

    fn may_be_within(a: &[f64; PIVOTS], b: &[f64; PIVOTS], eps: f64) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() <= eps + SLACK)
    }

    /// All points that may be within `eps` of `point`, itself included.
    pub(crate) fn candidates(&self, point: usize, eps: f64) -> impl Iterator<Item = usize> {
        let here = &self.gaps[point];
        let window = move |(cell, &gap): (&'_ Vec<(f64, usize)>, &f64)| {
            let from = cell.partition_point(|&(other, _)| other < gap - eps - SLACK);
            let to = cell.partition_point(|&(other, _)| other <= gap + eps + SLACK);
            from..to
        };
        let windows = self.cells.iter().zip(here).map(move |pair| (pair.0, window(pair)));
        windows
            .flat_map(|(cell, window)| cell.get(window).unwrap_or_default())
            .map(|&(_, other)| other)
            .filter(move |&other| Self::may_be_within(here, &self.gaps[other], eps))
    }

    /// The distance to the `k`-th nearest page other than the page itself; `None` if there are fewer pages.
    pub(crate) fn kth_distance(&self, point: usize, k: u32) -> Option<f64> {
        // The page itself is the first.
        let near = self.nearest_to(&self.vectors[point], &self.gaps[point], k + 1);
        let enough = near.iter().map(|near| near.weight).sum::<u32>() > k;
        near.last().filter(|_| enough).map(|near| near.distance)
    }

    /// The nearest points that together have `pages` pages (fewer if there are fewer), nearest first; of points at the
    /// same distance the first by content.
    pub(crate) fn nearest(&self, query: &SparseVector, pages: u32) -> Vec<Near> {
        let mut gaps = [0.0; PIVOTS];
        for (gap, pivot) in gaps.iter_mut().zip(&self.pivots) {
            *gap = query.distance(pivot);
        }
        self.nearest_to(query, &gaps, pages)
    }

    /// The nearest cells first, since they soon give a small bound for the others.
    fn nearest_to(&self, query: &SparseVector, gaps: &[f64; PIVOTS], pages: u32) -> Vec<Near> {
        let mut found = Nearest { pages, near: Vec::new(), bound: f64::INFINITY };
        let mut cells: Vec<(&Vec<(f64, usize)>, f64)> = self.cells.iter().zip(gaps.iter().copied()).collect();
        cells.sort_by(|a, b| a.1.total_cmp(&b.1));
        for (cell, gap) in cells {
            let from = cell.partition_point(|&(other, _)| other < gap - found.bound - SLACK);
            for &(other, point) in cell.iter().skip(from) {
                if other > gap + found.bound + SLACK {
                    break;
                }
                if Self::may_be_within(gaps, &self.gaps[point], found.bound) {
                    let distance = self.vectors[point].distance(query);
                    found.offer(Near { distance, point, weight: self.weights[point] });
                }
            }
        }
        found.near
    }
}

/// The nearest so far.
struct Nearest {
    pages: u32,
    near: Vec<Near>,
    /// Points farther away are not needed.
    bound: f64,
}

impl Nearest {
    fn offer(&mut self, near: Near) {
        if near.distance > self.bound {
            return;
        }
        let before = |other: &Near| {
            other.distance.total_cmp(&near.distance).then(other.point.cmp(&near.point)).is_lt()
        };
        let place = self.near.partition_point(before);
        self.near.insert(place, near);
        let mut pages = 0_u32;
        let enough = self.near.iter().position(|near| {
            pages = pages.saturating_add(near.weight);
            pages >= self.pages
        });
        if let Some(last) = enough {
            self.near.truncate(last + 1);
            self.bound = self.near.last().map_or(f64::INFINITY, |near| near.distance);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::space::tests::vector;

    #[test]
    fn equal_pages_are_one_point() {
        let points = Points::new(vec![vector(&[(1, 1.0)]), vector(&[(0, 1.0)]), vector(&[(1, 1.0)])]);
        assert_eq!((points.len(), points.of_page()), (2, &[1, 0, 1][..]));
        assert_eq!((points.weight(0), points.weight(1)), (1, 2));
        assert_eq!(points.kth_distance(1, 1), Some(0.0), "the other page of the same point");
        assert_eq!(points.kth_distance(1, 2), Some(2_f64.sqrt()));
        assert_eq!(points.kth_distance(1, 3), None);
    }

    proptest! {
        #[test]
        fn neighbours_equal_those_of_a_full_search(
            places in prop::collection::vec((0_u8..20, 0_u8..20, 0_u8..4), 1..60),
            eps in 0.0..15.0_f64,
            pages in 1_u32..6,
        ) {
            let vectors = places.iter().map(|&(x, y, z)| {
                vector(&[(0, f64::from(x)), (3, f64::from(y)), (4, f64::from(z))])
            });
            let points = Points::new(vectors.collect());
            for point in 0..points.len() {
                let all = |other: &usize| points.distance(point, *other) <= eps;
                let expect: Vec<usize> = (0..points.len()).filter(all).collect();
                let mut got: Vec<usize> = points.candidates(point, eps).filter(all).collect();
                got.sort_unstable();
                prop_assert_eq!(got, expect);

                let mut full: Vec<(f64, usize)> =
                    (0..points.len()).map(|other| (points.distance(point, other), other)).collect();
                full.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                let near = points.nearest(&points.vectors[point], pages);
                for (near, full) in near.iter().zip(&full) {
                    prop_assert_eq!((near.distance, near.point), *full);
                }
                let sum: u32 = near.iter().map(|near| near.weight).sum();
                prop_assert!(sum >= pages.min(places.len() as u32));
            }
        }
    }
}
