//! What a cluster of pages is worth (seed 001, section 4.4).
//!
//! `Score(C) = Info(C) * Dsim(C) * Balance(C)` when user-created content is wanted (equation 11), `Score(C) = Info(C)`
//! when pages like an example are. `Info = alpha * a + (1 - alpha) * h` with the authority and hub scores of the clusters
//! (equations 7 to 9), which are brought to length 1 after each step, as HITS does.

use std::collections::BTreeMap;

use osprey_structure::Cluster;

/// Steps after which the scores of a graph that swings are taken as they are.
const MAX_STEPS: usize = 1000;
/// A change of all scores together that no longer counts.
const STILL: f64 = 1e-12;

/// Authority and hub scores of clusters `0..n`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hits {
    pub(super) authority: Vec<f64>,
    pub(super) hub: Vec<f64>,
}

/// Links from cluster to cluster: equation 6, without the pages outside all clusters.
pub(super) type Adjacency = BTreeMap<(Cluster, Cluster), f64>;

/// Equations 7 and 8. With `targets`, authority is 1 on those and 0 elsewhere at each step.
pub(super) fn hits(links: &Adjacency, clusters: usize, targets: Option<&[bool]>) -> Hits {
    let links: Vec<(usize, usize, f64)> = links
        .iter()
        .filter_map(|((from, to), links)| Some(((*from)? as usize, (*to)? as usize, *links)))
        .filter(|(from, to, _)| *from < clusters && *to < clusters)
        .collect();
    let fixed = targets.map(|targets| targets.iter().map(|is| f64::from(u8::from(*is))).collect::<Vec<f64>>());
    let mut authority = fixed.clone().unwrap_or_else(|| vec![1.0; clusters]);
    let mut hub = vec![0.0; clusters];
    for _ in 0..MAX_STEPS {
        let mut new_hub = vec![0.0; clusters];
        links.iter().for_each(|(from, to, links)| new_hub[*from] += links * authority[*to]);
        normalise(&mut new_hub);
        let mut new_authority = vec![0.0; clusters];
        match &fixed {
            Some(fixed) => new_authority.clone_from(fixed),
            None => links.iter().for_each(|(from, to, links)| new_authority[*to] += links * new_hub[*from]),
        }
        if fixed.is_none() {
            normalise(&mut new_authority);
        }
        let moved = distance(&hub, &new_hub) + distance(&authority, &new_authority);
        (hub, authority) = (new_hub, new_authority);
        if moved < STILL {
            break;
        }
    }
    Hits { authority, hub }
}

impl Hits {
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
        let scores = hits(&links(), 2, None);
        check(&scores.authority, &[1.0, 0.0]);
        check(&scores.hub, &[0.0, 1.0]);
        check(&scores.info(0.8), &[0.8, 0.2]);
    }

    #[test]
    fn a_target_keeps_its_authority() {
        // whatever links to lists is a hub: threads
        let scores = hits(&links(), 2, Some(&[false, true]));
        check(&scores.authority, &[0.0, 1.0]);
        check(&scores.hub, &[1.0, 0.0]);
        check(&scores.info(0.8), &[0.2, 0.8]);
    }

    #[test]
    fn graphs_without_links_have_no_scores_and_swings_end() {
        check(&hits(&Adjacency::new(), 2, None).info(0.5), &[0.0, 0.0]);
        let swing = [((Some(0), Some(1)), 1.0), ((Some(1), Some(0)), 1.0)].into();
        check(&hits(&swing, 2, None).info(0.5), &[0.5f64.sqrt(), 0.5f64.sqrt()]);
    }
}
