//! Quality of a ranked list: precision at k and average precision. A list is given as one `bool` a result, best first.

/// Hits among the first `k` results over `k` (P@k: the P@20 of de Assis et al. 2009, the P@10 of the picture
/// experiments). A list shorter than `k` scores less. `None` for a `k` of 0.
pub(crate) fn precision_at(hits: &[bool], k: usize) -> Option<f64> {
    super::ratio(hits.iter().take(k).filter(|&&hit| hit).count(), k)
}

/// Hits among the first `k` results over the results shown there: Zhang 2008 section VII.4.1, where short lists do not
/// score less ("divided by the number of results in the same page"). `None` for an empty list.
pub(crate) fn first_page_precision(hits: &[bool], k: usize) -> Option<f64> {
    super::ratio(hits.iter().take(k).filter(|&&hit| hit).count(), hits.len().min(k))
}

/// The mean, over all relevant items, of the precision at the place where each is found; those that are not found add
/// 0. `relevant` is how many there are. `None` if there are none.
pub(crate) fn average_precision(hits: &[bool], relevant: u64) -> Option<f64> {
    if relevant == 0 {
        return None;
    }
    let (mut found, mut sum) = (0_u64, 0.0);
    for (place, &hit) in (1_u64..).zip(hits) {
        if hit {
            found += 1;
            sum += found as f64 / place as f64;
        }
    }
    Some(sum / relevant as f64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn list(picture: &str) -> Vec<bool> {
        picture.chars().map(|c| c == 'x').collect()
    }

    #[test]
    fn precision_by_hand() {
        let check = |picture: &str, k: usize, strict: Option<f64>, shown: Option<f64>| {
            assert_eq!(precision_at(&list(picture), k), strict, "P@{k} of `{picture}`");
            assert_eq!(first_page_precision(&list(picture), k), shown, "first {k} of `{picture}`");
        };
        check("x.xx", 2, Some(0.5), Some(0.5));
        check("x.xx", 4, Some(0.75), Some(0.75));
        // three hits in a list of four, ten places.
        check("x.xx", 10, Some(0.3), Some(0.75));
        check("", 10, Some(0.0), None);
        check("x", 0, None, None);
    }

    #[test]
    fn average_precision_by_hand() {
        let check = |picture: &str, relevant: u64, expect: Option<f64>| {
            assert_eq!(average_precision(&list(picture), relevant), expect, "`{picture}` of {relevant}");
        };
        // (1/1 + 2/4) / 2
        check("x..x", 2, Some(0.75));
        // the same with two more that are never found.
        check("x..x", 4, Some(0.375));
        check("xx", 2, Some(1.0));
        check("..", 2, Some(0.0));
        check("", 2, Some(0.0));
        check("..", 0, None);
    }

    proptest! {
        #[test]
        fn within_bounds_and_best_when_sorted(hits in prop::collection::vec(any::<bool>(), 1..60), k in 1_usize..80) {
            let relevant = hits.iter().filter(|&&hit| hit).count() as u64;
            let mut sorted = hits.clone();
            sorted.sort_by(|a, b| b.cmp(a));
            prop_assert!(precision_at(&hits, k) <= precision_at(&sorted, k));
            if let Some(average) = average_precision(&hits, relevant) {
                prop_assert!((0.0..=1.0).contains(&average));
                prop_assert_eq!(average_precision(&sorted, relevant), Some(1.0));
            }
        }
    }
}
