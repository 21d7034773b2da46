//! Harvest ratio: the share of visited pages that are wanted, over the whole crawl and over parts of it.

use super::fact::{Fact, Point, cumulative};
use super::ratio;

/// Wanted pages over visited pages: Zhang & Nasraoui 2009 equation 7, Zhang 2008 equation 22 (and Xu et al. 2018's
/// harvest rate).
pub(crate) fn harvest_ratio(crawl: &[Fact]) -> Option<f64> {
    ratio(crawl.iter().filter(|fact| fact.wanted).count(), crawl.len())
}

/// The harvest ratio of the first `every`, `2 * every`, ... visits, and of all of them (Zhang & Nasraoui 2009, figures
/// 10-13: "the cumulative harvest ratio on 1000 pages, 2000 pages, ...").
pub(crate) fn harvest_curve(crawl: &[Fact], every: usize) -> Vec<Point> {
    cumulative(crawl, every, |fact| f64::from(u8::from(fact.wanted)), |found, visited| found / visited as f64)
}

/// The harvest ratio of a window of `width` visits that slides by `step` (Zhang & Nasraoui 2009, figures 16 and 17:
/// robustness). With `step == width` the windows do not overlap, as in the paper. Each point is at the window's last
/// visit; a crawl shorter than one window has none.
pub(crate) fn harvest_windows(crawl: &[Fact], width: usize, step: usize) -> Vec<Point> {
    let (width, step) = (width.max(1), step.max(1));
    let mut before = Vec::with_capacity(crawl.len() + 1);
    let mut found = 0_u64;
    before.push(found);
    for fact in crawl {
        found += u64::from(fact.wanted);
        before.push(found);
    }
    before
        .iter()
        .zip(before.iter().enumerate().skip(width))
        .step_by(step)
        .map(|(start, (visited, end))| Point {
            visited: visited as u64,
            value: (end - start) as f64 / width as f64,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fact::tests::crawl;
    use super::*;

    fn pairs(points: Vec<Point>) -> Vec<(u64, f64)> {
        points.into_iter().map(|point| (point.visited, point.value)).collect()
    }

    #[test]
    fn ratio_of_the_whole() {
        // N_r = 3, N_a = 4: 3 / 4.
        assert_eq!(harvest_ratio(&crawl("xx.x")), Some(0.75));
        assert_eq!(harvest_ratio(&crawl("..")), Some(0.0));
        assert_eq!(harvest_ratio(&[]), None);
    }

    #[test]
    fn curve_is_cumulative() {
        // 2 of 2, 2 of 4, 3 of 5.
        assert_eq!(pairs(harvest_curve(&crawl("xx..x"), 2)), [(2, 1.0), (4, 0.5), (5, 0.6)]);
        assert!(harvest_curve(&[], 2).is_empty());
    }

    #[test]
    fn windows_slide() {
        // side by side: [xx] [..] [x.]
        assert_eq!(pairs(harvest_windows(&crawl("xx..x."), 2, 2)), [(2, 1.0), (4, 0.0), (6, 0.5)]);
        // by one: [xx.] [x..] [..x]
        assert_eq!(
            pairs(harvest_windows(&crawl("xx..x"), 3, 1)),
            [(3, 2.0 / 3.0), (4, 1.0 / 3.0), (5, 1.0 / 3.0)]
        );
        assert!(harvest_windows(&crawl("xx"), 3, 1).is_empty(), "no full window");
        assert!(harvest_windows(&[], 1, 1).is_empty());
        assert_eq!(harvest_windows(&crawl("x."), 0, 0).len(), 2, "nothing counts as one");
    }

    proptest! {
        #[test]
        fn curves_stay_within_bounds_and_end_at_the_ratio(
            picture in "[x.]{1,200}", every in 0_usize..50, width in 0_usize..50,
        ) {
            let facts = crawl(&picture);
            let curve = harvest_curve(&facts, every);
            prop_assert_eq!(curve.last().map(|point| point.value), harvest_ratio(&facts));
            let windows = harvest_windows(&facts, width, every);
            prop_assert!(curve.iter().chain(&windows).all(|point| (0.0..=1.0).contains(&point.value)));
            prop_assert!(curve.is_sorted_by(|a, b| a.visited < b.visited));
        }

        #[test]
        fn windows_side_by_side_cover_the_whole(picture in "[x.]{60}", width in prop::sample::select(vec![1_usize, 2, 3, 5, 12, 60])) {
            let facts = crawl(&picture);
            let found: f64 = harvest_windows(&facts, width, width).iter().map(|point| point.value * width as f64).sum();
            prop_assert!((found / 60.0 - harvest_ratio(&facts).unwrap_or(-1.0)).abs() < 1e-9);
        }
    }
}
