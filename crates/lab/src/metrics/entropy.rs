//! Entropy: how diverse the pages of a crawl are.

use std::collections::BTreeMap;

use super::fact::{Fact, TemplateId};

/// `-sum p_t log2 p_t` over the share of each kind, in bits: Xu et al. 2018 equation 13. Counts of 0 add nothing;
/// `None` if all are.
pub(crate) fn entropy(counts: impl IntoIterator<Item = u64>) -> Option<f64> {
    let counts: Vec<u64> = counts.into_iter().filter(|&count| count > 0).collect();
    let total = counts.iter().sum::<u64>() as f64;
    let bits = |count: &u64| {
        let share = *count as f64 / total;
        share * -share.log2()
    };
    (!counts.is_empty()).then(|| counts.iter().map(bits).sum())
}

/// The entropy of the templates of a crawl, as in Xu et al. 2018, where page types are distinguished by URL pattern and
/// by eye and so are as fine as our templates.
pub(crate) fn entropy_of_templates(crawl: &[Fact]) -> Option<f64> {
    // in an ordered map: the sum's last bits depend on the order of its parts
    let mut counts = BTreeMap::<TemplateId, u64>::new();
    for fact in crawl {
        *counts.entry(fact.template).or_default() += 1;
    }
    entropy(counts.into_values())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn entropy_by_hand() {
        let check = |counts: &[u64], expect: Option<f64>| {
            assert_eq!(entropy(counts.iter().copied()), expect, "{counts:?}");
        };
        // 1/2 log2 2 + 1/4 log2 4 + 1/4 log2 4 = 1/2 + 1/2 + 1/2.
        check(&[2, 1, 1], Some(1.5));
        check(&[5, 5, 5, 5], Some(2.0));
        check(&[7], Some(0.0));
        check(&[0, 7, 0], Some(0.0));
        check(&[0], None);
        check(&[], None);
    }

    #[test]
    fn entropy_of_a_crawl() {
        // templates a a b c
        let crawl = [1, 1, 2, 3].map(|template| Fact { template: TemplateId(template), ..Fact::default() });
        assert_eq!(entropy_of_templates(&crawl), Some(1.5));
        assert_eq!(entropy_of_templates(&[]), None);
    }

    proptest! {
        #[test]
        fn entropy_is_largest_when_even(counts in prop::collection::vec(1_u64..1000, 1..20)) {
            let bits = entropy(counts.iter().copied()).unwrap_or(f64::NAN);
            prop_assert!(bits >= 0.0 && bits <= (counts.len() as f64).log2() + 1e-9, "{} bits", bits);
        }
    }
}
