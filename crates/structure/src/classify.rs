//! Assigns a page outside the sample to a cluster: k nearest neighbours with `k = minPts - 1`, as in Xu et al. 2018.
//!
//! A page is an outlier only if its neighbours say so, however far they are: pages of one template differ by more than
//! `eps` where users write a lot. A page that has no path of the sample has no neighbours. If paths count by presence,
//! two rules are added, as in the clustering of the sample ([`crate::cores`]): clusters that declare marks which the page
//! lacks are not candidates while there are others; and a page that has nearly the whole core of a cluster belongs to
//! that cluster, if its neighbours call it an outlier or are farther than `eps`.
//!
//! Two clusters can have the same paths and differ in marks only. Among candidates, the cluster that declares more of
//! the page's marks wins, whatever its number of pages. A page with the same paths as a page of the sample gets the
//! cluster of that page, so the pages of the sample are assigned to their own clusters.

use serde::{Deserialize, Serialize};

use crate::clustering::Clustering;
use crate::cores::{Core, Parts, fitting};
use crate::density::K;
use crate::features::PageShape;
use crate::model::{ClassifierModel, Vote};
use crate::points::{Near, Points};
use crate::space::{Space, Weighting};

/// What rounding may do to a distance that was written and read.
const SLACK: f64 = 1e-9;

/// What was found out about a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Classified {
    /// Its cluster; `None` for an outlier.
    pub cluster: Option<u32>,
    /// How far the nearest page of the sample is; infinite where the sample is empty.
    pub distance: f32,
    /// Why.
    pub by: Evidence,
}

/// Why a page belongs to a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Most of the nearest pages of the sample do.
    Neighbours,
    /// It has nearly everything that the pages of the cluster have in common.
    Core,
    /// It belongs to none.
    Nothing,
}

/// A sample and its clusters, ready to classify pages. It is stored as its [`ClassifierModel`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "ClassifierModel", into = "ClassifierModel")]
pub struct Classifier {
    model: ClassifierModel,
    space: Space,
    points: Points,
    /// For each point its number in the model.
    numbers: Vec<usize>,
    /// Of the clusters; empty where they do not matter.
    cores: Vec<Core>,
}

impl Classifier {
    /// Learns from a sample and the clustering of the same pages; pages without a label count as outliers.
    pub fn new(shapes: &[PageShape], clustering: &Clustering) -> Self {
        Self::from_model(ClassifierModel::learn(shapes, clustering))
    }

    /// The form that can be stored.
    pub fn model(&self) -> &ClassifierModel {
        &self.model
    }

    pub(crate) fn into_model(self) -> ClassifierModel {
        self.model
    }

    /// From a model that was checked.
    pub(crate) fn from_model(model: ClassifierModel) -> Self {
        let space = Space::from_frequencies(&model.frequencies(), model.weighting);
        let vector = |point: &crate::ModelPoint| {
            let counts = point.counts.iter().copied().chain(std::iter::repeat(1));
            let counts: Vec<(u32, u32)> = point.features.iter().copied().zip(counts).collect();
            space.vector(&counts)
        };
        let points = Points::new(model.points.iter().map(vector).collect());
        let mut numbers = vec![0; points.len()];
        for (number, &point) in points.of_page().iter().enumerate() {
            numbers[point] = number;
        }
        let cores = match model.weighting {
            Weighting::TfIdf => Vec::new(),
            Weighting::Presence => model.clusters.iter().map(Core::from).collect(),
        };
        Self { model, space, points, numbers, cores }
    }

    /// The page's cluster.
    pub fn classify(&self, shape: &PageShape) -> Classified {
        // Points are the pages of the sample collapsed: K of them are K pages at least.
        let vector = self.space.project(shape);
        let near = self.points.nearest(&vector, K);
        let distance = near.first().map_or(f64::INFINITY, |near| near.distance);
        let found = |cluster, by| Classified { cluster: Some(cluster), distance: distance as f32, by };
        let page = (!self.cores.is_empty()).then(|| Parts::of(shape));
        let far = self.model.eps.is_some_and(|eps| distance > eps + SLACK);
        let has_neighbours = !vector.coordinates().is_empty() || distance <= SLACK;
        let neighbours = || {
            let cluster = has_neighbours.then(|| self.by_neighbours(&near, page.as_ref())).flatten();
            cluster.map(|cluster| found(cluster, Evidence::Neighbours))
        };
        let core = || {
            let fits = page.as_ref().and_then(|page| fitting(page, &self.cores));
            fits.and_then(|cluster| u32::try_from(cluster).ok()).map(|cluster| found(cluster, Evidence::Core))
        };
        let nothing = Classified { cluster: None, distance: distance as f32, by: Evidence::Nothing };
        let first = if far { core().or_else(neighbours) } else { neighbours().or_else(core) };
        first.unwrap_or(nothing)
    }

    /// What the K nearest pages vote for. Where the page is a point of the sample, the clusters there decide.
    fn by_neighbours(&self, near: &[Near], page: Option<&Parts>) -> Option<u32> {
        let here: Vec<&[Vote]> =
            near.iter().take_while(|near| near.distance <= SLACK).map(|near| self.votes(near)).collect();
        let around = || near.iter().map(|near| self.votes(near)).collect::<Vec<_>>();
        self.elected(&here, page).or_else(|| self.elected(&around(), page))
    }

    /// The clusters of the pages of a point.
    fn votes(&self, near: &Near) -> &[Vote] {
        let point = self.numbers.get(near.point).and_then(|&number| self.model.points.get(number));
        point.map(|point| point.votes.as_slice()).unwrap_or_default()
    }

    /// The cluster with the most of K votes: where a point has pages of several clusters, each votes with its share.
    fn elected(&self, points: &[&[Vote]], page: Option<&Parts>) -> Option<u32> {
        let candidates = self.candidates(points, page);
        let admitted = |vote: &&Vote| vote.cluster.is_none_or(|cluster| candidates.contains(&cluster));
        let mut left = f64::from(K);
        let mut tally: Vec<(Option<u32>, f64)> = Vec::new();
        for votes in points {
            let pages: f64 = votes.iter().filter(admitted).map(|vote| f64::from(vote.pages)).sum();
            let weight = pages.min(left);
            left -= weight;
            for vote in votes.iter().filter(admitted).filter(|_| pages > 0.0) {
                let share = weight * f64::from(vote.pages) / pages;
                match tally.iter_mut().find(|(known, _)| *known == vote.cluster) {
                    Some((_, sum)) => *sum += share,
                    None => tally.push((vote.cluster, share)),
                }
            }
        }
        majority(&tally)
    }

    /// The clusters that a page can be assigned to, of those that have votes.
    fn candidates(&self, points: &[&[Vote]], page: Option<&Parts>) -> Vec<u32> {
        let mut clusters: Vec<u32> =
            points.iter().copied().flatten().filter_map(|vote| vote.cluster).collect();
        clusters.sort_unstable();
        clusters.dedup();
        let Some(page) = page else { return clusters };
        let core = |cluster: u32| self.cores.get(cluster as usize);
        clusters.retain(|&cluster| core(cluster).is_none_or(|core| core.admits(page)));
        let admitted: Vec<&Core> = clusters.iter().filter_map(|&cluster| core(cluster)).collect();
        let outdone = |own: &Core| admitted.iter().any(|other| own.declares_less_than(other));
        clusters.retain(|&cluster| !core(cluster).is_some_and(outdone));
        clusters
    }
}

/// The label with the most votes; of equal ones the first.
fn majority(tally: &[(Option<u32>, f64)]) -> Option<u32> {
    let most = tally.iter().map(|&(_, sum)| sum).fold(0.0, f64::max);
    tally.iter().find(|&&(_, sum)| sum >= most - SLACK).and_then(|&(label, _)| label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marks::Mark;

    fn shape(xpaths: &[u64]) -> PageShape {
        PageShape::new(xpaths.iter().map(|&key| (key, 1)), [], [])
    }

    fn marked(key: u64) -> PageShape {
        shape(&[1, 2]).marked([Mark { key, trunk: true }])
    }

    fn clustering(labels: Vec<Option<u32>>, clusters: usize) -> Clustering {
        let (eps, weighting) = (Some(0.9), Weighting::Presence);
        Clustering { labels, clusters, eps, weighting, ..Clustering::default() }
    }

    #[test]
    fn neighbours_vote() {
        let sample: Vec<PageShape> = [[1, 2]; 4].iter().chain(&[[7, 8]; 4]).map(|keys| shape(keys)).collect();
        let labels = [Some(0); 4].into_iter().chain([Some(1); 3]).chain([None]).collect();
        let classifier = Classifier::new(&sample, &clustering(labels, 2));
        let check = |keys: &[u64], expect: Option<u32>, distance: f32, by: Evidence| {
            let got = classifier.classify(&shape(keys));
            assert_eq!((got.cluster, got.by), (expect, by), "{keys:?}");
            assert!((got.distance - distance).abs() < 1e-3, "{got:?}");
        };
        check(&[1, 2], Some(0), 0.0, Evidence::Neighbours);
        check(&[7, 8, 99], Some(1), 0.0, Evidence::Neighbours);
        // sqrt(2 - 2 * sqrt(1/2)) = 0.765 from the first cluster.
        check(&[1], Some(0), 0.765, Evidence::Neighbours);
        check(&[99], None, 1.0, Evidence::Nothing);
        // Neighbours vote however far they are.
        let model = ClassifierModel { eps: Some(0.5), ..classifier.model.clone() };
        let got = Classifier { model, ..classifier.clone() }.classify(&shape(&[1]));
        assert_eq!((got.cluster, got.by), (Some(0), Evidence::Neighbours));
    }

    #[test]
    fn a_core_is_enough() {
        // Paths 5 to 16 are on four pages each of the second cluster, and only 3 and 4 on all of them.
        let second =
            |place: u64| shape(&[&[3, 4][..], &[5 + place % 4, 9 + place % 4, 13 + place % 4]].concat());
        let sample: Vec<PageShape> = (0..4).map(|_| shape(&[1, 2])).chain((0..16).map(second)).collect();
        let labels = (0..20).map(|place| Some(u32::from(place >= 4))).collect();
        let classifier = Classifier::new(&sample, &clustering(labels, 2));
        // Never more than three of a neighbour's five paths are there.
        let far = shape(&[3, 4, 5, 10, 15]);
        let got = Classifier {
            model: ClassifierModel { eps: Some(0.1), ..classifier.model.clone() },
            ..classifier
        };
        assert_eq!((got.classify(&far).cluster, got.classify(&far).by), (Some(1), Evidence::Core));
    }

    #[test]
    fn a_page_without_the_declared_marks_is_not_assigned() {
        let sample: Vec<PageShape> = (0..30).map(|place| marked(if place < 20 { 70 } else { 71 })).collect();
        let labels = (0..30).map(|place| Some(u32::from(place >= 20))).collect();
        let classifier = Classifier::new(&sample, &clustering(labels, 2));
        let check = |shape: &PageShape, expect: Option<u32>| {
            assert_eq!(classifier.classify(shape).cluster, expect, "{shape:?}");
        };
        // All pages are the same point.
        check(&marked(70), Some(0));
        check(&marked(71), Some(1));
        check(&marked(72), None);
    }

    /// Authors' pages declare `archive`, tags' pages `archive` and `tag`: a tag's page is admitted by both.
    #[test]
    fn a_page_goes_to_the_cluster_that_declares_most_of_its_marks() {
        let check = |authors: usize, tags: usize| {
            let page = |is_tag: bool| {
                let marks = [70].into_iter().chain(is_tag.then_some(71));
                shape(&[1, 2]).marked(marks.map(|key| Mark { key, trunk: true }))
            };
            let is_tag: Vec<bool> = (0..authors + tags).map(|place| place >= authors).collect();
            let sample: Vec<PageShape> = is_tag.iter().map(|&is_tag| page(is_tag)).collect();
            let labels = is_tag.iter().map(|&is_tag| Some(u32::from(is_tag))).collect();
            let classifier = Classifier::new(&sample, &clustering(labels, 2));
            let got = [false, true].map(|is_tag| classifier.classify(&page(is_tag)).cluster);
            assert_eq!(got, [Some(0), Some(1)], "{authors} {tags}");
        };
        check(42, 42);
        check(60, 5);
        check(5, 60);
    }

    /// A page of the first cluster lies among those of the second.
    #[test]
    fn a_page_of_the_sample_is_found_again() {
        let mut sample = vec![shape(&[1, 2, 3]); 4];
        sample.extend([shape(&[1, 2, 3, 7, 8]), shape(&[1, 7, 8])]);
        sample.extend(vec![shape(&[2, 7, 8, 3]); 4]);
        sample.extend(vec![shape(&[1, 7, 8, 3]); 4]);
        let labels: Vec<Option<u32>> = (0..14).map(|place| Some(u32::from(place >= 5))).collect();
        let classifier = Classifier::new(&sample, &clustering(labels, 2));
        assert_eq!(classifier.classify(&sample[4]).cluster, Some(0));
        assert_eq!(classifier.classify(&sample[5]).cluster, Some(1));
    }

    #[test]
    fn votes_are_counted() {
        let check = |votes: &[(Option<u32>, f64)], expect| assert_eq!(majority(votes), expect);
        check(&[(Some(4), 1.0), (None, 2.0)], None);
        check(&[(Some(4), 1.0), (Some(2), 1.0), (None, 1.0)], Some(4));
        check(&[(Some(4), 1.0), (Some(2), 2.0)], Some(2));
        check(&[], None);
    }

    #[test]
    fn an_empty_sample_classifies_nothing() {
        let empty = Classifier::new(&[], &Clustering::default());
        let got = empty.classify(&shape(&[1]));
        assert_eq!((got.cluster, got.distance, got.by), (None, f32::INFINITY, Evidence::Nothing));
    }
}
