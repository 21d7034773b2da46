//! How much of what there is was found, and how cleanly: Xu et al. 2018's two tasks.
//!
//! Crawling for user-created content is judged by valid ratio, recall and F; crawling for a target page type by
//! harvest rate, recall and F. The formulas are the same; what counts as found differs.

use serde::{Deserialize, Serialize};

use super::fact::{Fact, Point, Totals, cumulative};
use super::ratio;

/// The three figures of one crawl.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scores {
    /// Found over visited: valid ratio, or harvest rate. `None` if nothing was visited.
    pub(crate) precision: Option<f64>,
    /// Found over what there is. `None` if there is nothing.
    pub(crate) recall: Option<f64>,
    /// Their harmonic mean. `None` if one of them is.
    pub(crate) f: Option<f64>,
}

impl Scores {
    fn new(found: usize, visited: usize, total: u64) -> Self {
        let (precision, recall) = (ratio(found, visited), recall(found as u64, total));
        Self { precision, recall, f: precision.zip(recall).map(|(p, r)| f_measure(p, r)) }
    }
}

/// Valid ratio, recall and F of a crawl for user-created content: Xu et al. 2018 section 5.3, with the valid ratio in
/// the place of precision. The paper counts crawled pages: a visit without a page (a dead link, a redirect) is neither
/// valid nor invalid; a repeated page or a soft 404 is invalid.
pub(crate) fn valid_scores(crawl: &[Fact], totals: Totals) -> Scores {
    let found = crawl.iter().filter(|fact| fact.user_created).count();
    let pages = crawl.iter().filter(|fact| fact.is_page).count();
    Scores::new(found, pages, totals.user_created)
}

/// The valid ratio as Xu et al. 2018 counts, whose annotators label templates: a second copy of a thread is a thread.
pub(crate) fn valid_ratio_by_template(crawl: &[Fact]) -> Option<f64> {
    let valid = crawl.iter().filter(|fact| fact.user_created || fact.copy).count();
    let pages = crawl.iter().filter(|fact| fact.is_page).count();
    (pages > 0).then(|| valid as f64 / pages as f64)
}

/// Harvest rate, recall and F of a crawl for wanted pages: Xu et al. 2018 section 5.4, with the harvest rate in the
/// place of precision. With a budget of as many visits as there are targets the three are equal.
pub(crate) fn target_scores(crawl: &[Fact], totals: Totals) -> Scores {
    let found = crawl.iter().filter(|fact| fact.wanted).count();
    Scores::new(found, crawl.len(), totals.wanted)
}

/// Found over what there is: Xu et al. 2018 section 5.3, Zhang 2008 equation 23, de Assis et al. 2009 equation 7.
pub(crate) fn recall(found: u64, total: u64) -> Option<f64> {
    (total > 0).then(|| found as f64 / total as f64)
}

/// How the recall of wanted pages grows (Xu et al. 2018 figure 7): one point every `every` visits and one at the end.
/// Empty if there is nothing to find.
pub(crate) fn recall_curve(crawl: &[Fact], totals: Totals, every: usize) -> Vec<Point> {
    if totals.wanted == 0 {
        return Vec::new();
    }
    cumulative(crawl, every, |fact| f64::from(u8::from(fact.wanted)), |found, _| found / totals.wanted as f64)
}

/// The harmonic mean of precision and recall: de Assis et al. 2009 equation 8, and Xu et al. 2018 with its own kinds of
/// precision. It is 0 where both are.
pub(crate) fn f_measure(precision: f64, recall: f64) -> f64 {
    if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fact::tests::crawl;
    use super::*;

    fn check(found: usize, visited: usize, total: u64, expect: (Option<f64>, Option<f64>, Option<f64>)) {
        let facts = crawl(&format!("{}{}", "x".repeat(found), ".".repeat(visited - found)));
        let scores = target_scores(&facts, Totals { wanted: total, ..Totals::default() });
        assert_eq!(
            (scores.precision, scores.recall, scores.f),
            expect,
            "{found} of {visited}, {total} in all"
        );
        let users: Vec<Fact> =
            facts.iter().map(|fact| Fact { user_created: fact.wanted, wanted: false, ..*fact }).collect();
        assert_eq!(valid_scores(&users, Totals { user_created: total, ..Totals::default() }), scores);
    }

    #[test]
    fn scores_by_hand() {
        // 3 of 4 visits, of 6 in all: P = 3/4, R = 1/2, F = 2 * 3/8 / (5/4) = 3/5.
        check(3, 4, 6, (Some(0.75), Some(0.5), Some(0.6)));
        // a budget of as many visits as there are targets: all three are equal.
        check(3, 4, 4, (Some(0.75), Some(0.75), Some(0.75)));
        check(0, 4, 6, (Some(0.0), Some(0.0), Some(0.0)));
        check(0, 4, 0, (Some(0.0), None, None));
        check(0, 0, 6, (None, Some(0.0), None));
    }

    #[test]
    fn visits_without_a_page_are_not_invalid() {
        let fact = |is_page, user_created| Fact { is_page, user_created, ..Fact::default() };
        let crawl = [fact(true, true), fact(false, false), fact(true, false)];
        let scores = valid_scores(&crawl, Totals { user_created: 4, ..Totals::default() });
        assert_eq!((scores.precision, scores.recall), (Some(0.5), Some(0.25)));
    }

    #[test]
    fn f_of_the_table_of_xu_et_al_2018() {
        // Xu et al. 2018 table 3, ASP: VR 0.9988 and recall 0.3187 give F 0.4832 (Xu et al. 2018 round to 0.4833); Xu
        // et al. 2018 table 4, TPM on YouTube's detail pages: 0.994 and 0.752 give 0.856.
        assert!((f_measure(0.9988, 0.3187) - 0.4833).abs() < 2e-4);
        assert!((f_measure(0.994, 0.752) - 0.856).abs() < 5e-4);
        assert_eq!(f_measure(0.0, 0.0), 0.0);
    }

    #[test]
    fn recall_grows_to_its_end() {
        // 4 to find: after 2 visits 1, after 4 visits 2, after 5 visits 3.
        let totals = Totals { wanted: 4, ..Totals::default() };
        let points = recall_curve(&crawl("x..xx"), totals, 2);
        let pairs: Vec<(u64, f64)> = points.iter().map(|point| (point.visited, point.value)).collect();
        assert_eq!(pairs, [(2, 0.25), (4, 0.5), (5, 0.75)]);
        assert!(recall_curve(&crawl("..."), Totals::default(), 1).is_empty());
    }

    proptest! {
        #[test]
        fn scores_stay_within_bounds(picture in "[x.]{0,100}", unseen in 0_u64..100) {
            let facts = crawl(&picture);
            let totals = Totals { wanted: Totals::counted(&facts).wanted + unseen, ..Totals::default() };
            let scores = target_scores(&facts, totals);
            for value in [scores.precision, scores.recall, scores.f].into_iter().flatten() {
                prop_assert!((0.0..=1.0).contains(&value));
            }
            if let Some(last) = recall_curve(&facts, totals, 7).last() {
                prop_assert_eq!(Some(last.value), scores.recall);
            }
        }

        #[test]
        fn f_is_between_its_parts(p in 0.0_f64..=1.0, r in 0.0_f64..=1.0) {
            let f = f_measure(p, r);
            prop_assert!(p.min(r) - 1e-12 <= f && f <= p.max(r) + 1e-12);
        }
    }
}
