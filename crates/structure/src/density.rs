//! Chooses `eps` from the distances of pages to their K-th neighbours.

use crate::points::Points;

/// Pages that make a dense region: DBSCAN's `minPts`, as in Xu et al. 2018.
pub const MIN_PTS: u32 = 4;
/// Which nearest neighbour's distance is used.
pub const K: u32 = MIN_PTS - 1;
/// Bins per feature in a sample of 1,000 pages.
const W: f64 = 4.8;
/// The histogram has at most this many bins.
const MAX_BINS: usize = 1 << 22;

/// For each point its K-dist and the number of its pages. Empty for a sample of K pages or fewer.
pub(crate) fn k_distances(points: &Points, k: u32) -> Vec<(f64, u32)> {
    let at = |point| points.kth_distance(point, k).map(|distance| (distance, points.weight(point)));
    (0..points.len()).filter_map(at).collect()
}

/// The rule of Xu et al. 2018. The K-dist of all pages in a histogram of `w * features` bins, `w = 4.8 * pages / 1000`,
/// from 0 to the largest; from small to large, the first bin with fewer than `min_pts` pages once more than half of all
/// pages are in it or below. The paper does not say which edge of the bin is its "X-axis value": here it is the upper
/// one, which is never zero unless all distances are.
pub(crate) fn eps_by_histogram(distances: &[(f64, u32)], features: usize, min_pts: u32) -> f64 {
    let pages: u64 = distances.iter().map(|&(_, weight)| u64::from(weight)).sum();
    let largest = distances.iter().map(|&(distance, _)| distance).fold(0.0, f64::max);
    let bins = (W * pages as f64 / 1000.0 * features as f64).round().clamp(1.0, MAX_BINS as f64) as usize;
    if largest <= 0.0 {
        return 0.0;
    }
    let width = largest / bins as f64;
    let mut histogram = vec![0_u64; bins];
    for &(distance, weight) in distances {
        histogram[((distance / width) as usize).min(bins - 1)] += u64::from(weight);
    }
    let mut below = 0;
    for (bin, &size) in histogram.iter().enumerate() {
        below += size;
        if size < u64::from(min_pts) && 2 * below > pages {
            return (bin + 1) as f64 * width;
        }
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_of_xu_et_al_2018_by_hand() {
        let check = |distances: &[(f64, u32)], features: usize, expect: f64| {
            let got = eps_by_histogram(distances, features, 4);
            assert!((got - expect).abs() < 1e-12, "{distances:?}: {got}");
        };
        // 1,000 pages, 2 features: 9.6, so 10 bins of width 0.1 up to 1.0. Bin 1 is the first with fewer than 4 pages,
        // but only 400 lie at or below it; bin 3 is small too, and 700 lie below.
        check(&[(0.05, 400), (0.25, 300), (0.35, 3), (0.45, 290), (1.0, 7)], 2, 0.4);
        // No small bin after the half: the largest.
        check(&[(0.5, 100), (1.0, 900)], 1, 1.0);
        check(&[(0.0, 7)], 3, 0.0);
        check(&[], 3, 0.0);
    }

    #[test]
    fn distances_by_hand() {
        use crate::space::tests::vector;
        let places = [1.0, 1.0, 2.0, 4.0, 8.0];
        let points = Points::new(places.iter().map(|&x| vector(&[(0, x)])).collect());
        // From 1: 0, 1, 3; from 2: 1, 1, 2; from 4: 2, 3, 3; from 8: 4, 6, 7.
        assert_eq!(k_distances(&points, 3), [(3.0, 2), (2.0, 1), (3.0, 1), (7.0, 1)]);
        assert_eq!(k_distances(&points, 5), []);
    }
}
