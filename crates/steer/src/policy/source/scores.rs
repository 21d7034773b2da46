//! The score of a cluster of pages (Xu et al. 2018, section 4.4).
//!
//! `Score(C) = Info(C) * Dsim(C) * Balance(C)` for user-created content (equation 11), `Score(C) = Info(C)` for pages
//! like an example. `Info = alpha * a + (1 - alpha) * h` with the authority and hub scores of the clusters (equations 7
//! to 9), normalised to length 1 after each step, as in HITS. During a crawl only Balance changes.

use std::collections::BTreeMap;

use osprey_structure::Cluster;

/// Steps after which the scores of a graph that swings are taken as they are.
const MAX_STEPS: usize = 1000;
/// A change of all scores together that no longer counts.
const STILL: f64 = 1e-12;

/// Links from cluster to cluster: equation 6. Links from or to pages outside all clusters are skipped.
pub(super) type Adjacency = BTreeMap<(Cluster, Cluster), f64>;

/// Authority and hub scores of clusters `0..n`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hits {
    authority: Vec<f64>,
    hub: Vec<f64>,
}

impl Hits {
    /// Equations 7 and 8 for clusters that weigh so much as hubs. With `targets`, authority is 1 on those and 0 elsewhere
    /// at each step.
    pub(super) fn of(links: &Adjacency, weights: &[f64], targets: Option<&[bool]>) -> Self {
        let clusters = weights.len();
        let links: Vec<(usize, usize, f64)> = links
            .iter()
            .filter_map(|((from, to), links)| Some(((*from)? as usize, (*to)? as usize, *links)))
            .filter(|(from, to, _)| *from < clusters && *to < clusters)
            .collect();
        let fixed =
            targets.map(|targets| targets.iter().map(|is| f64::from(u8::from(*is))).collect::<Vec<f64>>());
        let mut hits = Self {
            authority: fixed.clone().unwrap_or_else(|| vec![1.0; clusters]),
            hub: vec![0.0; clusters],
        };
        for _ in 0..MAX_STEPS {
            let next = hits.step(&links, weights, fixed.as_deref());
            let moved = distance(&hits.hub, &next.hub) + distance(&hits.authority, &next.authority);
            hits = next;
            if moved < STILL {
                break;
            }
        }
        hits
    }

    fn step(&self, links: &[(usize, usize, f64)], weights: &[f64], fixed: Option<&[f64]>) -> Self {
        let clusters = self.hub.len();
        let (mut hub, mut authority) = (vec![0.0; clusters], vec![0.0; clusters]);
        links.iter().for_each(|&(from, to, links)| hub[from] += links * weights[from] * self.authority[to]);
        normalise(&mut hub);
        match fixed {
            Some(fixed) => authority = fixed.to_vec(),
            None => {
                links.iter().for_each(|&(from, to, links)| authority[to] += links * hub[from]);
                normalise(&mut authority);
            }
        }
        Self { authority, hub }
    }

    /// Equation 9.
    pub(super) fn info(&self, alpha: f64) -> Vec<f64> {
        self.authority.iter().zip(&self.hub).map(|(a, h)| alpha * a + (1.0 - alpha) * h).collect()
    }
}

fn normalise(scores: &mut [f64]) {
    let length = scores.iter().map(|score| score * score).sum::<f64>().sqrt();
    if length > 0.0 {
        scores.iter_mut().for_each(|score| *score /= length);
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// `Balance(C) = 1 - r(C)`: the share of the crawl's `pages` that are not of the cluster.
pub(super) fn balance(of_cluster: u64, pages: u64) -> f64 {
    if pages == 0 { 1.0 } else { 1.0 - of_cluster as f64 / pages as f64 }
}

/// The factors of a cluster's score; those that are switched off, or have no part in the aim, are 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Worth {
    pub(super) info: f64,
    pub(super) dsim: f64,
    pub(super) balance: f64,
}

impl Worth {
    /// Equation 11.
    pub(super) fn score(self) -> f64 {
        self.info * self.dsim * self.balance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(got: &[f64], expect: &[f64]) {
        let close = got.len() == expect.len() && got.iter().zip(expect).all(|(a, b)| (a - b).abs() < 1e-6);
        assert!(close, "{got:?} {expect:?}");
    }

    /// Lists (1) link to threads (0) 30 times, threads to lists 10 times; both have nothing else.
    fn links() -> Adjacency {
        [((Some(1), Some(0)), 30.0), ((Some(0), Some(1)), 10.0), ((Some(1), None), 7.0)].into()
    }

    /// h = A a = (10 a1, 30 a0), a = A^T h = (30 h1, 10 h0): a0 grows by 900, a1 by 100 with each step, so that a goes
    /// to (1, 0) and h to (0, 1).
    #[test]
    fn equations_7_to_9_by_hand() {
        let scores = Hits::of(&links(), &[1.0; 2], None);
        check(&scores.authority, &[1.0, 0.0]);
        check(&scores.hub, &[0.0, 1.0]);
        check(&scores.info(0.8), &[0.8, 0.2]);
    }

    #[test]
    fn a_target_keeps_its_authority() {
        // whatever links to lists is a hub: threads
        let scores = Hits::of(&links(), &[1.0; 2], Some(&[false, true]));
        check(&scores.authority, &[0.0, 1.0]);
        check(&scores.hub, &[1.0, 0.0]);
        check(&scores.info(0.8), &[0.2, 0.8]);
        // two hubs of one target, with 30 and 40 links: h = (30, 40) / 50
        let hubs = [((Some(0), Some(2)), 30.0), ((Some(1), Some(2)), 40.0)].into();
        let targets = [false, false, true];
        check(&Hits::of(&hubs, &[1.0; 3], Some(&targets)).info(0.8), &[0.12, 0.16, 0.8]);
        // by page, with 1 and 40 pages: h = (30, 1) / sqrt(901)
        let length = 901_f64.sqrt();
        let per_page = Hits::of(&hubs, &[1.0, 1.0 / 40.0, 1.0], Some(&targets));
        check(&per_page.info(0.8), &[6.0 / length, 0.2 / length, 0.8]);
    }

    #[test]
    fn graphs_without_links_have_no_scores_and_swings_end() {
        check(&Hits::of(&Adjacency::new(), &[1.0; 2], None).info(0.5), &[0.0, 0.0]);
        let swing = [((Some(0), Some(1)), 1.0), ((Some(1), Some(0)), 1.0)].into();
        check(&Hits::of(&swing, &[1.0; 2], None).info(0.5), &[0.5f64.sqrt(), 0.5f64.sqrt()]);
        // numbers past the clusters are no links
        check(&Hits::of(&links(), &[1.0], None).info(0.5), &[0.0]);
    }

    #[test]
    fn equation_11_by_hand() {
        let check = |info: f64, dsim: f64, of_cluster: u64, pages: u64, expect: f64| {
            let got = Worth { info, dsim, balance: balance(of_cluster, pages) }.score();
            assert!((got - expect).abs() < 1e-12, "{got} {expect}");
        };
        check(0.8, 0.5, 0, 0, 0.4);
        check(0.8, 0.5, 3, 4, 0.1);
        check(0.8, 1.0, 3, 12, 0.6);
        check(0.8, 0.5, 4, 4, 0.0);
    }
}
