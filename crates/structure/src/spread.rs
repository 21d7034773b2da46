//! How much the pages of a cluster differ: `Dsim` of Xu et al. 2018, equation 10.
//!
//! `Dsim(C)` is the mean Euclidean distance of the cluster's pages to their centroid, in the space of equations 1 and
//! 2. Pages that users write differ, as users add and leave out what they like; pages that a site writes from a form do
//! not.
//!
//! The clusters of the paper are dense groups. Where a recipe makes one cluster of several of them, or of pages that are in
//! none, its spread is the mean over its pages of the spread of their dense groups: otherwise a cluster of many templates
//! would seem to be as varied as can be, and `Dsim` is a factor of a cluster's score. A cluster that has hardly a page in
//! a dense group is as varied as the site.

use std::collections::BTreeMap;

use crate::clustering::Clustering;
use crate::density::MIN_PTS;
use crate::features::PageShape;
use crate::space::{Space, SparseVector, Weighting};

/// The spread of each cluster, given the dense group of each page.
pub(crate) fn spreads(shapes: &[PageShape], clustering: &Clustering, dense: &[Option<u32>]) -> Vec<f64> {
    let space = Space::fit(shapes, Weighting::TfIdf, MIN_PTS as usize);
    let mut groups: BTreeMap<(u32, u32), Vec<SparseVector>> = BTreeMap::new();
    for (shape, place) in shapes.iter().zip(clustering.labels.iter().zip(dense)) {
        if let (Some(label), Some(group)) = place {
            groups.entry((*label, *group)).or_default().push(space.project(shape));
        }
    }
    let mut sums = vec![Sum::default(); clustering.clusters];
    for ((label, _), members) in &groups {
        if let Some(sum) = sums.get_mut(*label as usize) {
            sum.spread += spread(members, space.features()) * members.len() as f64;
            sum.pages += members.len();
        }
    }
    let of_site = sums.iter().fold(Sum::default(), |all, sum| Sum {
        spread: all.spread + sum.spread,
        pages: all.pages + sum.pages,
    });
    let mean = |sum: &Sum| if sum.pages < MIN_PTS as usize { of_site.mean() } else { sum.mean() };
    sums.iter().map(mean).collect()
}

/// The spreads of pages, added up.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    spread: f64,
    pages: usize,
}

impl Sum {
    fn mean(self) -> f64 {
        if self.pages > 0 { self.spread / self.pages as f64 } else { 0.0 }
    }
}

/// Equation 10.
fn spread(members: &[SparseVector], features: usize) -> f64 {
    if members.is_empty() {
        return 0.0;
    }
    let count = members.len() as f64;
    let mut centroid = vec![0.0; features];
    for (feature, value) in members.iter().flat_map(SparseVector::coordinates) {
        if let Some(sum) = centroid.get_mut(*feature as usize) {
            *sum += value / count;
        }
    }
    let length: f64 = centroid.iter().map(|x| x * x).sum();
    // |v - m|^2 = |m|^2 + sum of (v_i - m_i)^2 - m_i^2 over the coordinates that v has
    let distance = |vector: &SparseVector| {
        let here = vector.coordinates().iter().map(|&(feature, value)| {
            let middle = centroid.get(feature as usize).copied().unwrap_or_default();
            (value - middle) * (value - middle) - middle * middle
        });
        (length + here.sum::<f64>()).max(0.0).sqrt()
    };
    members.iter().map(distance).sum::<f64>() / count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(xpaths: &[(u64, u32)]) -> PageShape {
        PageShape::new(xpaths.iter().copied(), [], [])
    }

    fn check(pages: &[u64], labels: &[u32], dense: &[Option<u32>], expect: &[f64]) {
        let shapes: Vec<PageShape> = pages.iter().map(|&path| shape(&[(path, 1)])).collect();
        let labels = labels.iter().map(|&label| Some(label)).collect();
        let clustering = Clustering { labels, clusters: expect.len(), ..Clustering::default() };
        let got = spreads(&shapes, &clustering, dense);
        let close = got.iter().zip(expect).all(|(got, expect)| (got - expect).abs() < 1e-9);
        assert!(close && got.len() == expect.len(), "{got:?} {expect:?}");
    }

    /// Four pages have only path 1, four only path 2: the vectors are (1, 0) and (0, 1), the centroid is (1/2, 1/2), and
    /// all are sqrt(1/2) away.
    #[test]
    fn equation_10_by_hand() {
        let pages = [1, 1, 1, 1, 2, 2, 2, 2];
        check(&pages, &[0; 8], &[Some(0); 8], &[0.5_f64.sqrt()]);
        // identical pages have no spread
        check(&[1; 4], &[0; 4], &[Some(0); 4], &[0.0]);
        // twelve of sixteen at (1, 0), four at (0, 1): centroid (3/4, 1/4), distances sqrt(2)/4 and 3 sqrt(2)/4
        let (near, far) = (2_f64.sqrt() / 4.0, 3.0 * 2_f64.sqrt() / 4.0);
        let pages: Vec<u64> = (0..16).map(|page| 1 + u64::from(page >= 12)).collect();
        check(&pages, &[0; 16], &[Some(0); 16], &[(3.0 * near + far) / 4.0]);
    }

    /// Dense groups that were joined are measured apart: here each has no spread, however different they are.
    #[test]
    fn a_cluster_of_two_groups() {
        let pages = [1, 1, 1, 1, 2, 2, 2, 2];
        let groups: Vec<Option<u32>> = (0..8).map(|page| Some(page / 4)).collect();
        check(&pages, &[0; 8], &groups, &[0.0]);
        // a cluster without dense groups is as varied as the site
        let labels: Vec<u32> = (0..12).map(|page| page / 8).collect();
        let groups: Vec<Option<u32>> = (0..12).map(|page| (page < 8).then_some(0)).collect();
        let pages = [&pages[..], &[1, 2, 1, 2]].concat();
        check(&pages, &labels, &groups, &[0.5_f64.sqrt(); 2]);
        check(&pages, &labels, &[None; 12], &[0.0; 2]);
    }
}
