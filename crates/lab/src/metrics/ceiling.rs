//! What a crawl found, beside what any crawl could have found with the same number of visits.
//!
//! A crawl that ends before its budget has found what it found: the rest of the budget counts as visits without a find.

use super::fact::{Fact, Totals};

/// The highest harvest ratio with so many visits: with more visits than wanted pages not every visit can find one.
pub(crate) fn ceiling(totals: Totals, visits: u64) -> Option<f64> {
    (visits > 0 && totals.wanted > 0).then(|| totals.wanted.min(visits) as f64 / visits as f64)
}

/// The harvest ratio of the first visits, over its ceiling: 1 is perfect, whether there is much or little to find.
pub(crate) fn harvest_over_ceiling(crawl: &[Fact], totals: Totals, visits: u64) -> Option<f64> {
    let most = totals.wanted.min(visits);
    (most > 0).then(|| found(crawl, visits) as f64 / most as f64)
}

/// The recall of the first visits.
pub(crate) fn recall_after(crawl: &[Fact], totals: Totals, visits: u64) -> Option<f64> {
    (totals.wanted > 0).then(|| found(crawl, visits) as f64 / totals.wanted as f64)
}

/// The area under the recall curve up to so many visits, as a share of the whole: the mean recall after each of them.
pub(crate) fn recall_area(crawl: &[Fact], totals: Totals, visits: u64) -> Option<f64> {
    if totals.wanted == 0 || visits == 0 {
        return None;
    }
    // a page that is found at a visit counts from then on
    let counts = crawl.iter().zip(0..visits).filter(|(fact, _)| fact.wanted).map(|(_, visit)| visits - visit);
    Some(counts.sum::<u64>() as f64 / (totals.wanted as f64 * visits as f64))
}

fn found(crawl: &[Fact], visits: u64) -> usize {
    crawl.iter().zip(0..visits).filter(|(fact, _)| fact.wanted).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fact::tests::crawl;
    use super::*;

    fn totals(wanted: u64) -> Totals {
        Totals { wanted, pages: 20, ..Totals::default() }
    }

    #[test]
    fn ceilings_by_hand() {
        // 4 wanted: the first 2 visits can all find one, of 8 visits only half
        assert_eq!(ceiling(totals(4), 2), Some(1.0));
        assert_eq!(ceiling(totals(4), 8), Some(0.5));
        assert_eq!((ceiling(totals(0), 8), ceiling(totals(4), 0)), (None, None));
        let found = crawl("x.xx....");
        assert_eq!(harvest_over_ceiling(&found, totals(4), 2), Some(0.5));
        assert_eq!(harvest_over_ceiling(&found, totals(4), 8), Some(0.75));
        assert_eq!(harvest_over_ceiling(&found, totals(4), 100), Some(0.75), "the crawl ended early");
        assert_eq!(harvest_over_ceiling(&found, totals(0), 8), None);
    }

    #[test]
    fn recall_at_a_point_and_on_the_way() {
        let found = crawl("x.xx");
        assert_eq!(recall_after(&found, totals(4), 2), Some(0.25));
        assert_eq!(recall_after(&found, totals(4), 4), Some(0.75));
        // 1/4, 1/4, 2/4, 3/4: the mean is 7/16
        assert_eq!(recall_area(&found, totals(4), 4), Some(7.0 / 16.0));
        // four more visits without a find: 7/16 and 3/4, each half of the time
        assert_eq!(recall_area(&found, totals(4), 8), Some((7.0 / 16.0 + 0.75) / 2.0));
        // what comes after the budget does not count
        assert_eq!(recall_area(&found, totals(4), 1), Some(0.25));
        assert_eq!((recall_area(&found, totals(0), 4), recall_area(&found, totals(4), 0)), (None, None));
    }

    proptest! {
        #[test]
        fn the_area_is_the_mean_of_the_recalls(picture in "[x.]{0,60}", visits in 1_u64..80) {
            let found = crawl(&picture);
            let totals = totals(60);
            let recalls = (1..=visits).filter_map(|visit| recall_after(&found, totals, visit));
            let mean = recalls.sum::<f64>() / visits as f64;
            let area = recall_area(&found, totals, visits).unwrap_or(-1.0);
            prop_assert!((area - mean).abs() < 1e-9, "{area} {mean}");
        }
    }
}
