//! DBSCAN over collapsed points: dense regions become clusters, points in none are outliers.
//!
//! A point is a core if at least `min_pts` pages, including its own, are within `eps`; cores within `eps` of each other
//! are one cluster. The original assigns a border point to the first cluster that reaches it. Here it goes to its
//! nearest core, so the order of the pages does not matter. Neighbour lists are not stored: in one dense cluster they
//! would be as large as the square of the sample.

use crate::points::Points;

/// The group of each point; groups are numbered with gaps, `None` is an outlier.
pub(crate) fn dbscan(points: &Points, eps: f64, min_pts: u32) -> Vec<Option<usize>> {
    let core: Vec<bool> = (0..points.len()).map(|point| is_core(points, point, eps, min_pts)).collect();
    let mut forest = Forest::new(points.len());
    for point in (0..points.len()).filter(|&point| core[point]) {
        for other in points.candidates(point, eps).filter(|&other| other > point && core[other]) {
            // Most pairs of a dense region are joined already through others: no need to measure them.
            if forest.root(point) != forest.root(other) && points.distance(point, other) <= eps {
                forest.join(point, other);
            }
        }
    }
    let group = |point: usize| {
        if core[point] {
            return Some(forest.root(point));
        }
        let cores = points.candidates(point, eps).filter(|&other| core[other]);
        let near = cores.map(|other| (points.distance(point, other), other)).filter(|near| near.0 <= eps);
        near.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|(_, other)| forest.root(other))
    };
    (0..points.len()).map(group).collect()
}

fn is_core(points: &Points, point: usize, eps: f64, min_pts: u32) -> bool {
    let mut pages = points.weight(point);
    let mut others = points.candidates(point, eps).filter(|&other| other != point);
    while pages < min_pts {
        let Some(other) = others.next() else { return false };
        if points.distance(point, other) <= eps {
            pages = pages.saturating_add(points.weight(other));
        }
    }
    true
}

/// Union-find; the lowest point of a tree is its root.
pub(crate) struct Forest(Vec<usize>);

impl Forest {
    pub(crate) fn new(points: usize) -> Self {
        Self((0..points).collect())
    }

    pub(crate) fn root(&self, mut point: usize) -> usize {
        while self.0[point] != point {
            point = self.0[point];
        }
        point
    }

    pub(crate) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        let root = a.min(b);
        for mut point in [a, b] {
            while self.0[point] != root {
                point = std::mem::replace(&mut self.0[point], root);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::clustering::Clustering;
    use crate::space::tests::vector;

    fn labels(places: &[f64], eps: f64, min_pts: u32) -> Vec<Option<u32>> {
        let points = Points::new(places.iter().map(|&x| vector(&[(0, x)])).collect());
        let groups = dbscan(&points, eps, min_pts);
        let of_page: Vec<_> = points.of_page().iter().map(|&point| groups[point]).collect();
        Clustering::from_groups(&of_page).labels
    }

    #[test]
    fn by_hand() {
        let check = |places: &[f64], eps: f64, expect: &[i32]| {
            let got = labels(places, eps, 4);
            let expect: Vec<Option<u32>> = expect.iter().map(|&label| u32::try_from(label).ok()).collect();
            assert_eq!(got, expect, "{places:?}");
        };
        check(&[1.0, 2.0, 3.0, 4.0, 9.0], 1.0, &[-1, -1, -1, -1, -1]);
        // 2 and 3 have four pages within 2, and reach 1 and 4; 9 is alone.
        check(&[1.0, 2.0, 3.0, 4.0, 9.0], 2.0, &[0, 0, 0, 0, -1]);
        // Four equal pages are dense by themselves, three are not.
        check(&[5.0, 5.0, 5.0, 5.0, 8.0, 8.0, 8.0], 1.0, &[0, 0, 0, 0, -1, -1, -1]);
        // 3 has three pages within 2, so it is not a core; both clusters reach it, and 4.7 is nearer than 1.2.
        let places = [-0.5, 0.0, 0.5, 1.2, 3.0, 4.7, 5.4, 6.0, 6.5];
        check(&places, 2.0, &[1, 1, 1, 1, 0, 0, 0, 0, 0]);
        check(&[], 1.0, &[]);
    }

    /// The textbook's way, with all neighbours by a full search; border points by the nearest core.
    fn naive(places: &[f64], eps: f64, min_pts: usize) -> Vec<Option<usize>> {
        let near = |i: usize| (0..places.len()).filter(move |&j| (places[i] - places[j]).abs() <= eps);
        let core: Vec<bool> = (0..places.len()).map(|i| near(i).count() >= min_pts).collect();
        let mut label = vec![None; places.len()];
        for seed in 0..places.len() {
            if !core[seed] || label[seed].is_some() {
                continue;
            }
            let mut open = vec![seed];
            while let Some(i) = open.pop() {
                if label[i].is_none() {
                    label[i] = Some(seed);
                    open.extend(near(i).filter(|&j| core[j]));
                }
            }
        }
        let nearest = |i: usize| {
            let cores = near(i).filter(|&j| core[j]);
            cores.min_by(|&a, &b| {
                let by_place = places[a].total_cmp(&places[b]);
                (places[i] - places[a]).abs().total_cmp(&(places[i] - places[b]).abs()).then(by_place)
            })
        };
        (0..places.len())
            .map(|i| if core[i] { label[i] } else { nearest(i).and_then(|j| label[j]) })
            .collect()
    }

    proptest! {
        #[test]
        fn the_same_as_the_naive_way(
            places in prop::collection::vec(1_u8..60, 0..80),
            eps in 0_u8..6,
            min_pts in 1_u32..7,
        ) {
            let places: Vec<f64> = places.into_iter().map(f64::from).collect();
            let got = labels(&places, f64::from(eps), min_pts);
            let expect = naive(&places, f64::from(eps), min_pts as usize);
            for i in 0..places.len() {
                prop_assert_eq!(got[i].is_some(), expect[i].is_some());
                for j in 0..i {
                    prop_assert_eq!(got[i] == got[j], expect[i] == expect[j], "{} {}", i, j);
                }
            }
        }
    }
}
