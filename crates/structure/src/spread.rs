//! How much the pages of a cluster differ: `Dsim` of Xu et al. 2018, equation 10.
//!
//! `Dsim(C)` is the mean Euclidean distance of the cluster's pages to their centroid, in the space of equations 1 and
//! 2. Pages that users write differ, as users add and leave out what they like; pages that a site writes from a form do
//! not.

use crate::features::PageShape;
use crate::space::{Space, SparseVector, Weighting};

/// The spread of each cluster `0..clusters`; 0 for one without pages.
pub(crate) fn spreads(
    shapes: &[PageShape],
    labels: &[Option<u32>],
    clusters: usize,
    min_df: usize,
) -> Vec<f64> {
    let space = Space::fit(shapes, Weighting::TfIdf, min_df);
    let mut members: Vec<Vec<SparseVector>> = vec![Vec::new(); clusters];
    for (shape, label) in shapes.iter().zip(labels) {
        if let Some(members) = label.and_then(|label| members.get_mut(label as usize)) {
            members.push(space.project(shape));
        }
    }
    members.iter().map(|members| spread(members, space.features())).collect()
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

    /// Two pages of a cluster have only path 1 and only path 2, each on one of two pages: the vectors are (1, 0) and
    /// (0, 1), the centroid is (1/2, 1/2), both are sqrt(1/2) away.
    #[test]
    fn equation_10_by_hand() {
        let check = |pages: &[&[(u64, u32)]], labels: &[Option<u32>], expect: &[f64]| {
            let shapes: Vec<PageShape> = pages.iter().map(|page| shape(page)).collect();
            let got = spreads(&shapes, labels, expect.len(), 1);
            let close = got.iter().zip(expect).all(|(got, expect)| (got - expect).abs() < 1e-9);
            assert!(close && got.len() == expect.len(), "{got:?} {expect:?}");
        };
        check(&[&[(1, 1)], &[(2, 1)]], &[Some(0), Some(0)], &[0.5_f64.sqrt()]);
        // the same with another number of each: the weights of equation 2 add up to 1 all the same
        check(&[&[(1, 5)], &[(2, 1)]], &[Some(0), Some(0)], &[0.5_f64.sqrt()]);
        // pages that are alike have no spread, outliers count nowhere, a cluster may be empty
        check(&[&[(1, 2)], &[(1, 2)], &[(9, 1)]], &[Some(0), Some(0), None], &[0.0, 0.0]);
        // three of four at (1, 0), one at (0, 1): centroid (3/4, 1/4), distances sqrt(2)/4 and 3 sqrt(2)/4
        let (near, far) = (2_f64.sqrt() / 4.0, 3.0 * 2_f64.sqrt() / 4.0);
        let pages: [&[(u64, u32)]; 4] = [&[(1, 1)], &[(1, 1)], &[(1, 1)], &[(2, 1)]];
        check(&pages, &[Some(0); 4], &[(3.0 * near + far) / 4.0]);
    }
}
