//! The cluster of a page that was not in the sample: k nearest neighbours, `k = minPts - 1` as in the seed.
//!
//! A page is an outlier if most of its neighbours are, or if the nearest is farther than the clustering's `eps`. Where
//! paths count by presence, an outlier that has nearly the whole core of a cluster belongs there all the same, as it
//! does when the sample is clustered ([`crate::template`]).

use crate::clustering::Clustering;
use crate::density::{K, MIN_PTS};
use crate::features::PageShape;
use crate::points::Points;
use crate::space::{Space, Weighting};
use crate::template;

/// A sample and its clusters, ready to be asked.
#[derive(Clone, Debug)]
pub struct Classifier {
    space: Space,
    points: Points,
    /// Of each point.
    labels: Vec<Option<u32>>,
    eps: Option<f64>,
    /// The cores of the clusters; empty where they do not matter.
    cores: Vec<Vec<u64>>,
}

impl Classifier {
    /// Learns from a sample and the clustering of the same pages; pages without a label count as outliers.
    pub fn new(shapes: &[PageShape], clustering: &Clustering) -> Self {
        let space = Space::fit(shapes, clustering.weighting, MIN_PTS as usize);
        let points = Points::new(shapes.iter().map(|shape| space.project(shape)).collect());
        let mut votes: Vec<Vec<Option<u32>>> = vec![Vec::new(); points.len()];
        for (page, &point) in points.of_page().iter().enumerate() {
            votes[point].push(clustering.labels.get(page).copied().flatten());
        }
        // A baseline may have put pages of the same vector apart: the most frequent label stands for the point.
        let labels =
            votes.into_iter().map(|votes| majority(votes.into_iter().map(|vote| (vote, 1)))).collect();
        let cores = match clustering.weighting {
            Weighting::TfIdf => Vec::new(),
            Weighting::Presence => {
                let groups: Vec<Option<usize>> =
                    clustering.labels.iter().map(|label| label.map(|label| label as usize)).collect();
                template::cores(shapes, &groups, clustering.clusters, &space)
            }
        };
        Self { space, points, labels, eps: clustering.eps, cores }
    }

    /// The page's cluster; `None` for an outlier.
    pub fn classify(&self, shape: &PageShape) -> Option<u32> {
        self.by_neighbours(shape)
            .or_else(|| template::fitting(shape, &self.cores).and_then(|cluster| u32::try_from(cluster).ok()))
    }

    fn by_neighbours(&self, shape: &PageShape) -> Option<u32> {
        let near = self.points.nearest(&self.space.project(shape), K);
        if near.first().zip(self.eps).is_some_and(|(nearest, eps)| nearest.distance > eps) {
            return None;
        }
        let mut left = K;
        majority(near.iter().map(|near| {
            let weight = near.weight.min(left);
            left -= weight;
            (self.labels.get(near.point).copied().flatten(), weight)
        }))
    }
}

/// The label with the most votes; of equal ones the first.
fn majority(votes: impl Iterator<Item = (Option<u32>, u32)>) -> Option<u32> {
    let mut tally: Vec<(Option<u32>, u32)> = Vec::new();
    for (label, weight) in votes {
        match tally.iter_mut().find(|(known, _)| *known == label) {
            Some((_, sum)) => *sum += weight,
            None => tally.push((label, weight)),
        }
    }
    let most = tally.iter().map(|&(_, sum)| sum).max()?;
    tally.into_iter().find(|&(_, sum)| sum == most).and_then(|(label, _)| label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Weighting;

    fn shape(xpaths: &[u64]) -> PageShape {
        PageShape::new(xpaths.iter().map(|&key| (key, 1)), [], [])
    }

    #[test]
    fn neighbours_vote() {
        let sample: Vec<PageShape> = [[1, 2]; 4].iter().chain(&[[7, 8]; 4]).map(|keys| shape(keys)).collect();
        let labels = [Some(0); 4].into_iter().chain([Some(1); 3]).chain([None]).collect();
        let clustering = Clustering { labels, clusters: 2, eps: Some(0.9), weighting: Weighting::Presence };
        let classifier = Classifier::new(&sample, &clustering);
        let check = |keys: &[u64], expect: Option<u32>| assert_eq!(classifier.classify(&shape(keys)), expect);
        check(&[1, 2], Some(0));
        check(&[7, 8, 99], Some(1));
        // sqrt(2 - 2 * sqrt(1/2)) = 0.77 from the first cluster.
        check(&[1], Some(0));
        // sqrt(2 - 2 * 1/2) = 1 from both.
        check(&[1, 7], None);
        check(&[99], None);
        // Far from the second cluster among so much else, but its core is there.
        let much: Vec<u64> = (7..90).collect();
        check(&much, Some(1));
    }

    #[test]
    fn votes_are_counted() {
        let check =
            |votes: &[(Option<u32>, u32)], expect| assert_eq!(majority(votes.iter().copied()), expect);
        check(&[(Some(4), 1), (None, 2)], None);
        check(&[(Some(4), 1), (Some(2), 1), (None, 1)], Some(4));
        check(&[(Some(4), 1), (Some(2), 1), (Some(2), 1)], Some(2));
        check(&[], None);
    }

    #[test]
    fn nothing_learned_nothing_said() {
        let empty = Classifier::new(&[], &Clustering::default());
        assert_eq!(empty.classify(&shape(&[1])), None);
    }
}
