//! Precision and sum of information, as in Chen et al. 2009: a judge that is independent of the policy rates each page,
//! because on the open Web the number of relevant pages is unknown.

use serde::{Deserialize, Serialize};

use super::fact::Fact;
use super::ratio;

/// Pages whose relevance is above a threshold over visited pages: Chen et al. 2009 equation 10 ("a page is a relevant
/// page if its R'PC is *greater* than a certain threshold").
pub(crate) fn precision_rate(crawl: &[Fact], threshold: f32) -> Option<f64> {
    ratio(relevant(crawl, threshold), crawl.len())
}

/// The sum of the relevance of all visited pages: Chen et al. 2009 equation 11.
pub(crate) fn sum_of_information(crawl: &[Fact]) -> f64 {
    crawl.iter().map(|fact| f64::from(fact.relevance)).sum()
}

/// A stretch of consecutive visits, and all that was gathered up to its end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Portion {
    /// Visits up to its end.
    pub(crate) visited: u64,
    /// Relevant pages in it.
    pub(crate) relevant: u64,
    /// Sum of information in it.
    pub(crate) information: f64,
    /// Relevant pages up to its end.
    pub(crate) relevant_so_far: u64,
    /// Sum of information up to its end.
    pub(crate) information_so_far: f64,
}

/// The crawl cut into stretches of `size` visits (Chen et al. 2009 section 5.3.1: 500 each; figures 7-16 plot the
/// totals). The last one may be shorter.
pub(crate) fn portions(crawl: &[Fact], size: usize, threshold: f32) -> Vec<Portion> {
    let (mut visited, mut relevant_so_far, mut information_so_far) = (0, 0, 0.0);
    let portion = |stretch: &[Fact]| {
        let relevant = relevant(stretch, threshold) as u64;
        let information = sum_of_information(stretch);
        visited += stretch.len() as u64;
        relevant_so_far += relevant;
        information_so_far += information;
        Portion { visited, relevant, information, relevant_so_far, information_so_far }
    };
    crawl.chunks(size.max(1)).map(portion).collect()
}

fn relevant(crawl: &[Fact], threshold: f32) -> usize {
    crawl.iter().filter(|fact| fact.relevance > threshold).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn crawl(relevance: &[f32]) -> Vec<Fact> {
        relevance.iter().map(|&relevance| Fact { relevance, ..Fact::default() }).collect()
    }

    #[test]
    fn precision_by_hand() {
        let facts = crawl(&[0.5, 0.25, 0.75, 0.0]);
        // above 0.25: two of four; the page at the threshold is not above it.
        assert_eq!(precision_rate(&facts, 0.25), Some(0.5));
        assert_eq!(precision_rate(&facts, 1.0), Some(0.0));
        assert_eq!(precision_rate(&[], 0.25), None);
    }

    #[test]
    fn information_by_hand() {
        // 0.5 + 0.25 + 0.75
        assert_eq!(sum_of_information(&crawl(&[0.5, 0.25, 0.75, 0.0])), 1.5);
        assert_eq!(sum_of_information(&[]), 0.0);
    }

    #[test]
    fn portions_by_hand() {
        let portions = portions(&crawl(&[0.5, 0.25, 0.75]), 2, 0.3);
        let expect = [
            Portion {
                visited: 2,
                relevant: 1,
                information: 0.75,
                relevant_so_far: 1,
                information_so_far: 0.75,
            },
            Portion {
                visited: 3,
                relevant: 1,
                information: 0.75,
                relevant_so_far: 2,
                information_so_far: 1.5,
            },
        ];
        assert_eq!(portions, expect);
        assert!(super::portions(&[], 0, 0.3).is_empty());
    }

    proptest! {
        #[test]
        fn the_last_portion_holds_the_totals(
            relevance in prop::collection::vec(0.0_f32..=1.0, 1..100), size in 0_usize..20, threshold in 0.0_f32..=1.0,
        ) {
            let facts = crawl(&relevance);
            let portions = portions(&facts, size, threshold);
            let last = portions.last().copied().expect("a crawl of at least one page");
            prop_assert_eq!(last.visited, facts.len() as u64);
            prop_assert_eq!(Some(last.relevant_so_far as f64 / facts.len() as f64), precision_rate(&facts, threshold));
            prop_assert!((last.information_so_far - sum_of_information(&facts)).abs() < 1e-6);
        }
    }
}
