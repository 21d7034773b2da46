//! Effort: how many visits what was found has cost (de Assis et al. 2009 section 4.3).

use super::fact::{Fact, Totals};

/// The number of visits after which at least `share` (0..=1) of `relevant` wanted pages were found; `None` if the crawl
/// never came that far, or if there is nothing to find.
pub(crate) fn pages_needed(crawl: &[Fact], share: f64, relevant: u64) -> Option<u64> {
    if relevant == 0 {
        return None;
    }
    // A hair below, so that 90 % of 10 pages are 9 and not, by the rounding of 0.9 * 10, perhaps 10.
    let goal = share * relevant as f64 - 1e-9;
    if goal <= 0.0 {
        return Some(0);
    }
    let mut found = 0_u64;
    for (visited, fact) in (1..).zip(crawl) {
        found += u64::from(fact.wanted);
        if found as f64 >= goal {
            return Some(visited);
        }
    }
    None
}

/// The same as a share of the pages there are: de Assis et al. 2009's "90 % of the relevant pages within 65 % of the
/// visits". With [`Totals::counted`] both shares are of the crawl itself, as in de Assis et al. 2009, whose crawls
/// visit everything.
pub(crate) fn visited_share(crawl: &[Fact], share: f64, totals: Totals) -> Option<f64> {
    let needed = pages_needed(crawl, share, totals.wanted)?;
    (totals.pages > 0).then(|| needed as f64 / totals.pages as f64)
}

/// The share of what a crawl found that it had found after this share of its visits: how early it found it.
pub(crate) fn found_share(crawl: &[Fact], share: f64) -> Option<f64> {
    let visits = (crawl.len() as f64 * share).ceil() as usize;
    let count = |facts: &[Fact]| facts.iter().filter(|fact| fact.wanted).count();
    super::ratio(count(crawl.get(..visits).unwrap_or(crawl)), count(crawl))
}

/// Visited pages per wanted page found: de Assis et al. 2009 table 5. `None` if none was found.
pub(crate) fn pages_per_relevant(crawl: &[Fact]) -> Option<f64> {
    let found = crawl.iter().filter(|fact| fact.wanted).count();
    super::ratio(crawl.len(), found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fact::tests::crawl;
    use super::*;

    #[test]
    fn visits_for_a_share() {
        let check = |picture: &str, share: f64, relevant: u64, expect: Option<u64>| {
            assert_eq!(
                pages_needed(&crawl(picture), share, relevant),
                expect,
                "{share} of {relevant} in `{picture}`"
            );
        };
        // 4 to find: half of them, 2, after the third visit; three quarters after the sixth; all never.
        check("x.x..x..", 0.5, 4, Some(3));
        check("x.x..x..", 0.75, 4, Some(6));
        check("x.x..x..", 1.0, 4, None);
        // 90 % of 10 are 9.
        check("xxxxxxxxx.x", 0.9, 10, Some(9));
        check("x", 0.0, 1, Some(0));
        check("..", 0.5, 0, None);
        check("", 0.5, 3, None);
    }

    #[test]
    fn share_of_the_pages() {
        let facts = crawl("x.x..x..");
        // of the crawl itself: 90 % of 3 needs all 3, found at visit 6 of 8.
        assert_eq!(visited_share(&facts, 0.9, Totals::counted(&facts)), Some(0.75));
        assert_eq!(visited_share(&[], 0.9, Totals::default()), None);
    }

    #[test]
    fn what_is_found_early() {
        // 3 in all; 1 in the first two visits, 2 in the first four
        let facts = crawl("x.x..x..");
        assert_eq!(found_share(&facts, 0.25), Some(1.0 / 3.0));
        assert_eq!(found_share(&facts, 0.5), Some(2.0 / 3.0));
        assert_eq!(found_share(&facts, 2.0), Some(1.0));
        assert_eq!(found_share(&crawl(".."), 0.5), None);
    }

    #[test]
    fn cost_of_a_page() {
        // 8 visits for 3 pages.
        assert_eq!(pages_per_relevant(&crawl("x.x..x..")), Some(8.0 / 3.0));
        assert_eq!(pages_per_relevant(&crawl("..")), None);
        assert_eq!(pages_per_relevant(&[]), None);
    }

    proptest! {
        #[test]
        fn more_costs_no_less(picture in "[x.]{1,100}", a in 0.0_f64..=1.0, b in 0.0_f64..=1.0) {
            let facts = crawl(&picture);
            let totals = Totals::counted(&facts);
            let need = |share| pages_needed(&facts, share, totals.wanted);
            if totals.wanted > 0 {
                prop_assert!(need(a.min(b)) <= need(a.max(b)));
                prop_assert!(need(1.0).is_some_and(|visits| visits <= totals.pages));
                prop_assert!(visited_share(&facts, a, totals).is_some_and(|share| (0.0..=1.0).contains(&share)));
            }
        }
    }
}
