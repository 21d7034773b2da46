//! Purity, F and precision of page clusters against page types (Xu et al. 2018 section 5.2).
//!
//! As in Xu et al. 2018, pages whose type is an annotation outlier are left out, and a page that the clustering left
//! out counts as a cluster of its own. Xu et al. 2018 call purity and F "well-known" and give no formula for them; the
//! literature's F takes for each *type* its best cluster, while Xu et al. 2018's words ("weighted by cluster size") fit
//! an F that takes for each *cluster* its best type. Both are here; a report must say which one it shows.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::coverage::f_measure;
use super::ratio;

/// A page as a clustering and as the truth labelled it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Labelled {
    /// The cluster; `None` for an outlier, which is then alone.
    pub(crate) cluster: Option<u32>,
    /// The page type or template; `None` for an annotation outlier, which is left out.
    pub(crate) truth: Option<u32>,
}

/// The same measure averaged in two ways.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Averages {
    /// Weighted by size.
    pub(crate) micro: f64,
    /// Each the same.
    #[serde(rename = "macro")]
    pub(crate) macro_: f64,
}

/// A cluster by number, or an outlier by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cluster {
    Numbered(u32),
    Alone(usize),
}

/// How many pages each cluster, each type and each pair of them has. Ordered, so that sums and ties come out the same.
#[derive(Default)]
struct Table {
    pages: usize,
    by_cluster: BTreeMap<Cluster, BTreeMap<u32, usize>>,
    by_type: BTreeMap<u32, usize>,
}

impl Table {
    fn new(pages: &[Labelled]) -> Self {
        let mut table = Self::default();
        for (place, page) in pages.iter().enumerate() {
            let Some(truth) = page.truth else { continue };
            let cluster = page.cluster.map_or(Cluster::Alone(place), Cluster::Numbered);
            *table.by_cluster.entry(cluster).or_default().entry(truth).or_default() += 1;
            *table.by_type.entry(truth).or_default() += 1;
            table.pages += 1;
        }
        table
    }

    /// F of a cluster taken for a type: precision `both / cluster`, recall `both / type`.
    fn f(&self, both: usize, cluster: usize, truth: u32) -> f64 {
        let of_type = self.by_type.get(&truth).copied().unwrap_or_default();
        match (ratio(both, cluster), ratio(both, of_type)) {
            (Some(precision), Some(recall)) => f_measure(precision, recall),
            _ => 0.0,
        }
    }
}

/// The share of pages that are of their cluster's most frequent type: `1/N sum_i max_j |C_i ∩ T_j|`.
pub(crate) fn purity(pages: &[Labelled]) -> Option<f64> {
    let table = Table::new(pages);
    let most = table.by_cluster.values().filter_map(|types| types.values().max()).sum();
    ratio(most, table.pages)
}

/// For each type the F of the cluster that fits it best; micro is weighted by the type's size.
pub(crate) fn f_over_types(pages: &[Labelled]) -> Option<Averages> {
    let table = Table::new(pages);
    let mut best: BTreeMap<u32, f64> = BTreeMap::new();
    for types in table.by_cluster.values() {
        let size = types.values().sum();
        for (&truth, &both) in types {
            let f = table.f(both, size, truth);
            best.entry(truth).and_modify(|old| *old = old.max(f)).or_insert(f);
        }
    }
    averages(best.into_iter().map(|(truth, f)| (f, table.by_type.get(&truth).copied().unwrap_or_default())))
}

/// For each cluster the F of the type that fits it best; micro is weighted by the cluster's size.
pub(crate) fn f_over_clusters(pages: &[Labelled]) -> Option<Averages> {
    let table = Table::new(pages);
    averages(table.by_cluster.values().map(|types| {
        let size = types.values().sum();
        let best = types.iter().map(|(&truth, &both)| table.f(both, size, truth)).fold(0.0, f64::max);
        (best, size)
    }))
}

/// How well clusters learned on `train` label the pages of `test`: Xu et al. 2018's micro- and macro-precision. Each
/// cluster stands for the type that most of its training pages have (the lowest number on a tie). A test page in a
/// cluster that training never saw, or in none, is wrong.
pub(crate) fn precision(train: &[Labelled], test: &[Labelled]) -> Option<Averages> {
    let learned = Table::new(train);
    let meaning = |cluster: &Cluster| match cluster {
        Cluster::Alone(_) => None,
        Cluster::Numbered(_) => {
            let types = learned.by_cluster.get(cluster)?;
            types.iter().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0))).map(|(&truth, _)| truth)
        }
    };
    let tested = Table::new(test);
    averages(tested.by_cluster.iter().map(|(cluster, types)| {
        let size: usize = types.values().sum();
        let right = meaning(cluster).and_then(|truth| types.get(&truth)).copied().unwrap_or_default();
        (ratio(right, size).unwrap_or_default(), size)
    }))
}

fn averages(values: impl Iterator<Item = (f64, usize)>) -> Option<Averages> {
    let (mut weighted, mut plain, mut weight, mut count) = (0.0, 0.0, 0_usize, 0_usize);
    for (value, size) in values {
        weighted += value * size as f64;
        plain += value;
        weight += size;
        count += 1;
    }
    (weight > 0).then(|| Averages { micro: weighted / weight as f64, macro_: plain / count as f64 })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Pages as `cluster:type`, `-` for none of either.
    fn pages(picture: &str) -> Vec<Labelled> {
        let page = |pair: &str| {
            let (cluster, truth) = pair.split_once(':').expect("cluster:type");
            Labelled { cluster: cluster.parse().ok(), truth: truth.parse().ok() }
        };
        picture.split_whitespace().map(page).collect()
    }

    /// Cluster 1 holds three of type 1 and one of type 2; cluster 2 holds two of type 2; one page of type 1 is an
    /// outlier of the clustering and one page an outlier of the truth.
    const MIXED: &str = "1:1 1:1 1:1 1:2 2:2 2:2 -:1 1:-";

    fn close(got: Option<Averages>, micro: f64, macro_: f64) {
        let got = got.expect("pages");
        assert!((got.micro - micro).abs() < 1e-12 && (got.macro_ - macro_).abs() < 1e-12, "{got:?}");
    }

    #[test]
    fn purity_by_hand() {
        // 3 + 2 + 1 of 7 pages.
        assert_eq!(purity(&pages(MIXED)), Some(6.0 / 7.0));
        assert_eq!(purity(&pages("-:1 -:1 -:2")), Some(1.0), "single pages are pure");
        assert_eq!(purity(&pages("1:-")), None);
        assert_eq!(purity(&[]), None);
    }

    #[test]
    fn f_over_types_by_hand() {
        // type 1 (4 pages): cluster 1 has P = 3/4, R = 3/4, F = 3/4; the outlier has P = 1, R = 1/4, F = 2/5.
        // type 2 (3 pages): cluster 1 has P = 1/4, R = 1/3; cluster 2 has P = 1, R = 2/3, F = 4/5.
        // micro: (4 * 3/4 + 3 * 4/5) / 7 = 5.4 / 7; macro: (3/4 + 4/5) / 2 = 0.775.
        close(f_over_types(&pages(MIXED)), 5.4 / 7.0, 0.775);
        assert_eq!(f_over_types(&[]), None);
    }

    #[test]
    fn f_over_clusters_by_hand() {
        // cluster 1 (4 pages): 3/4; cluster 2 (2 pages): 4/5; the outlier (1 page): 2/5.
        // micro: (4 * 3/4 + 2 * 4/5 + 2/5) / 7 = 5 / 7; macro: (3/4 + 4/5 + 2/5) / 3 = 0.65.
        close(f_over_clusters(&pages(MIXED)), 5.0 / 7.0, 0.65);
        assert_eq!(f_over_clusters(&pages("2:-")), None);
    }

    #[test]
    fn precision_by_hand() {
        let train = pages("1:1 1:1 1:2 2:2");
        // cluster 1 means type 1: 2 of 3; cluster 2 means type 2: 1 of 1; cluster 3 is unknown: 0 of 1; none: 0 of 1.
        // micro: 3 / 6; macro: (2/3 + 1 + 0 + 0) / 4 = 5/12.
        close(precision(&train, &pages("1:1 1:1 1:2 2:2 3:1 -:2")), 0.5, 5.0 / 12.0);
        // 5 and 7 are equally frequent in training: the lower number wins, whatever the order.
        close(precision(&pages("1:7 1:5"), &pages("1:5")), 1.0, 1.0);
        close(precision(&[], &pages("1:5")), 0.0, 0.0);
        assert_eq!(precision(&train, &[]), None);
    }

    proptest! {
        #[test]
        fn a_perfect_clustering_is_perfect(types in prop::collection::vec(0_u32..5, 1..50)) {
            let pages: Vec<Labelled> =
                types.iter().map(|&label| Labelled { cluster: Some(label + 10), truth: Some(label) }).collect();
            prop_assert_eq!(purity(&pages), Some(1.0));
            for perfect in [f_over_types(&pages), f_over_clusters(&pages), precision(&pages, &pages)] {
                prop_assert_eq!(perfect, Some(Averages { micro: 1.0, macro_: 1.0 }));
            }
        }

        #[test]
        fn all_stay_within_bounds(
            labels in prop::collection::vec((prop::option::of(0_u32..4), prop::option::of(0_u32..4)), 0..50),
        ) {
            let pages: Vec<Labelled> =
                labels.iter().map(|&(cluster, truth)| Labelled { cluster, truth }).collect();
            let all = [f_over_types(&pages), f_over_clusters(&pages), precision(&pages, &pages)];
            for Averages { micro, macro_ } in all.into_iter().flatten() {
                prop_assert!((0.0..=1.0 + 1e-12).contains(&micro) && (0.0..=1.0 + 1e-12).contains(&macro_));
            }
            prop_assert!(purity(&pages).is_none_or(|purity| (0.0..=1.0).contains(&purity)));
        }
    }
}
