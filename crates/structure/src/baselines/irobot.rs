//! iRobot's clustering by repetitive regions (Cai et al. 2008), as far as Xu et al. 2018 describe it.
//!
//! A page is the set of its repetitive regions: similar children of one element, at least `min_depth` elements deep,
//! and at least `min_r` of the children. Pages whose sets, as vectors of length 1, are no farther apart than
//! `min_epsilon` are linked, and linked pages are one cluster (single linkage). Xu et al. 2018 give the parameters and
//! their values but not their exact meaning; this is our interpretation. There are no outliers: a page that is similar
//! to no other is a cluster of its own.

use crate::clustering::Clustering;
use crate::dbscan::dbscan;
use crate::features::PageShape;
use crate::points::Points;
use crate::space::{Space, Weighting};

/// The parameters; the default is Xu et al. 2018's choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Irobot {
    /// Regions nearer to the root do not count.
    pub min_depth: u32,
    /// The share of an element's children that must be similar.
    pub min_r: f64,
    /// Pages up to this distance are linked.
    pub min_epsilon: f64,
}

impl Default for Irobot {
    fn default() -> Self {
        Self { min_depth: 3, min_r: 0.3, min_epsilon: 0.5 }
    }
}

/// Clusters pages by their repetitive regions.
pub fn irobot(shapes: &[PageShape], parameters: &Irobot) -> Clustering {
    let by_regions: Vec<PageShape> = shapes.iter().map(|shape| kept(shape, parameters)).collect();
    let space = Space::fit(&by_regions, Weighting::Presence, 1);
    let points = Points::new(by_regions.iter().map(|shape| space.project(shape)).collect());
    // Single linkage up to a distance is DBSCAN where one page is dense.
    let groups = dbscan(&points, parameters.min_epsilon, 1);
    let of_page: Vec<_> = points.of_page().iter().map(|&point| groups[point]).collect();
    Clustering::from_groups(&of_page)
}

/// The regions that count, in the place of XPaths.
fn kept(shape: &PageShape, parameters: &Irobot) -> PageShape {
    let regions = shape.regions().iter().filter(|region| {
        region.depth >= parameters.min_depth
            && f64::from(region.alike) >= parameters.min_r * f64::from(region.children)
    });
    PageShape::new(regions.map(|region| (region.key, 1)), [], [])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::Region;

    fn shape(keys: &[u64]) -> PageShape {
        let region = |&key: &u64| Region { key, depth: 5, alike: 4, children: 8 };
        PageShape::new([], [], keys.iter().map(region))
    }

    #[test]
    fn by_hand() {
        let check = |pages: &[&[u64]], expect: &[u32]| {
            let shapes: Vec<PageShape> = pages.iter().map(|keys| shape(keys)).collect();
            let got: Vec<u32> = irobot(&shapes, &Irobot::default()).labels.into_iter().flatten().collect();
            assert_eq!(got, expect, "{pages:?}");
        };
        // 7 of 8 regions in common: cos = 7/sqrt(56) = 0.935, distance 0.36.
        check(&[&[1, 2, 3, 4, 5, 6, 7], &[1, 2, 3, 4, 5, 6, 7, 8], &[20]], &[0, 0, 1]);
        // 3 of 4: cos = 3/sqrt(12) = 0.866, distance 0.518.
        check(&[&[1, 2, 3], &[1, 2, 3], &[1, 2, 3, 4]], &[0, 0, 1]);
        check(&[&[], &[], &[1]], &[0, 0, 1]);
    }

    #[test]
    fn shallow_and_small_regions_do_not_count() {
        let with =
            |region: Region| irobot(&[shape(&[1]), PageShape::new([], [], [region])], &Irobot::default());
        let region = Region { key: 1, depth: 3, alike: 3, children: 10 };
        assert_eq!(with(region).clusters, 1);
        assert_eq!(with(Region { depth: 2, ..region }).clusters, 2);
        assert_eq!(with(Region { alike: 2, ..region }).clusters, 2);
    }
}
