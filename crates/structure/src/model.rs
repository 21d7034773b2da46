//! The stored form of a classifier: the data to build it again, without derived values.
//!
//! All numbers except `eps` are whole numbers, so a classifier that is read back gives the same answers. XPaths and
//! marks are fingerprints, written as 16 hexadecimal digits; they contain no text of the pages. Invalid files are an
//! error, not a panic.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

use crate::classify::Classifier;
use crate::clustering::Clustering;
use crate::cores::{Core, Tally, tallies};
use crate::density::MIN_PTS;
use crate::features::PageShape;
use crate::points::Points;
use crate::space::{Frequencies, Space, Weighting};

/// The fingerprint of an XPath or a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub u64);

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let key = (text.len() == 16).then(|| u64::from_str_radix(&text, 16).ok()).flatten();
        key.map(Self).ok_or_else(|| D::Error::custom(format!("key `{text}`: expected 16 hexadecimal digits")))
    }
}

/// A stored classifier that cannot be one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// Features are out of order, or one is repeated.
    #[error("feature `{0}`: expected features in ascending order")]
    Order(Key),
    /// A point of features that there are not, or out of order.
    #[error("point {point}: feature number `{feature}`: expected ascending numbers below {features}")]
    Feature {
        /// Which point.
        point: usize,
        /// The invalid feature.
        feature: u32,
        /// How many features there are.
        features: usize,
    },
    /// Counts that do not belong to features.
    #[error("point {point}: `{counts}` counts: expected none, or one for each of {features} features")]
    Counts {
        /// Which point.
        point: usize,
        /// How many it has.
        counts: usize,
        /// How many features it has.
        features: usize,
    },
    /// A cluster that there is not.
    #[error("point {point}: cluster `{cluster}`: there are {clusters}")]
    Cluster {
        /// Which point.
        point: usize,
        /// The invalid cluster.
        cluster: u32,
        /// How many there are.
        clusters: usize,
    },
}

/// A classifier in a form that can be stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassifierModel {
    /// How paths are weighted.
    pub weighting: Weighting,
    /// Farther pages are outliers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eps: Option<f64>,
    /// Pages of the sample.
    pub pages: usize,
    /// XPaths with the number of pages that have them, ascending.
    pub features: Vec<(Key, usize)>,
    /// The clusters by number.
    pub clusters: Vec<ModelCluster>,
    /// The pages of the sample, equal ones collapsed.
    pub points: Vec<ModelPoint>,
}

/// What the pages of a cluster have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelCluster {
    /// Paths and marks that most of them have.
    pub core: Vec<Key>,
    /// The marks that it declares itself by.
    pub declared: Vec<Key>,
}

/// Pages with the same features.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelPoint {
    /// Numbers of features, ascending.
    pub features: Vec<u32>,
    /// How often each feature occurs; empty where only presence counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<u32>,
    /// The clusters of its pages.
    pub votes: Vec<Vote>,
}

/// Pages of a point that belong to the same cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vote {
    /// How many pages.
    pub pages: u32,
    /// The cluster; none for outliers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<u32>,
}

impl ClassifierModel {
    /// Learns from a sample and the clustering of the same pages; pages without a label count as outliers.
    pub fn learn(shapes: &[PageShape], clustering: &Clustering) -> Self {
        let weighting = clustering.weighting;
        let frequencies = Frequencies::of(shapes, MIN_PTS as usize);
        let space = Space::from_frequencies(&frequencies, weighting);
        let clusters = match weighting {
            Weighting::TfIdf => vec![ModelCluster::default(); clustering.clusters],
            Weighting::Presence => {
                let labels: Vec<Option<usize>> =
                    clustering.labels.iter().map(|label| label.map(|label| label as usize)).collect();
                let tallies = tallies(shapes, &labels, clustering.clusters);
                tallies.iter().map(Tally::core).map(ModelCluster::from).collect()
            }
        };
        Self {
            weighting,
            eps: clustering.eps,
            pages: frequencies.pages,
            points: points(shapes, clustering, &space),
            features: frequencies.paths.into_iter().map(|(key, df)| (Key(key), df)).collect(),
            clusters,
        }
    }

    pub(crate) fn check(&self) -> Result<(), ModelError> {
        if let Some(pair) = self.features.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
            return Err(ModelError::Order(pair[1].0));
        }
        self.points.iter().enumerate().try_for_each(|(number, point)| self.check_point(number, point))
    }

    fn check_point(&self, number: usize, point: &ModelPoint) -> Result<(), ModelError> {
        let features = self.features.len();
        let out_of_order = point.features.windows(2).find(|pair| pair[0] >= pair[1]).map(|pair| pair[1]);
        let unknown = point.features.iter().copied().find(|&feature| feature as usize >= features);
        if let Some(feature) = out_of_order.or(unknown) {
            return Err(ModelError::Feature { point: number, feature, features });
        }
        let (counts, features) = (point.counts.len(), point.features.len());
        if counts != 0 && counts != features {
            return Err(ModelError::Counts { point: number, counts, features });
        }
        let clusters = self.clusters.len();
        let mut named = point.votes.iter().filter_map(|vote| vote.cluster);
        match named.find(|&cluster| cluster as usize >= clusters) {
            Some(cluster) => Err(ModelError::Cluster { point: number, cluster, clusters }),
            None => Ok(()),
        }
    }

    pub(crate) fn frequencies(&self) -> Frequencies {
        let paths = self.features.iter().map(|&(key, df)| (key.0, df)).collect();
        Frequencies { pages: self.pages, paths }
    }
}

/// The points of a sample, in the order of their vectors, with the labels of their pages.
fn points(shapes: &[PageShape], clustering: &Clustering, space: &Space) -> Vec<ModelPoint> {
    let counts: Vec<Vec<(u32, u32)>> = shapes.iter().map(|shape| space.counts(shape)).collect();
    let places = Points::collapse(counts.iter().map(|counts| space.vector(counts)).collect());
    let mut points: Vec<ModelPoint> = Vec::new();
    points.resize(places.iter().max().map_or(0, |last| last + 1), ModelPoint::default());
    for ((page, &place), counts) in places.iter().enumerate().zip(&counts) {
        let Some(point) = points.get_mut(place) else { continue };
        if point.votes.is_empty() {
            point.features = counts.iter().map(|&(feature, _)| feature).collect();
            if clustering.weighting == Weighting::TfIdf {
                point.counts = counts.iter().map(|&(_, count)| count).collect();
            }
        }
        let cluster = clustering.labels.get(page).copied().flatten();
        match point.votes.iter_mut().find(|vote| vote.cluster == cluster) {
            Some(vote) => vote.pages = vote.pages.saturating_add(1),
            None => point.votes.push(Vote { pages: 1, cluster }),
        }
    }
    // The most pages first, then the lower cluster, so that the order of the pages does not matter.
    let order = |vote: &Vote| (std::cmp::Reverse(vote.pages), vote.cluster.is_none(), vote.cluster);
    points.iter_mut().for_each(|point| point.votes.sort_by_key(order));
    points
}

impl From<Core> for ModelCluster {
    fn from(core: Core) -> Self {
        let keys = |keys: Vec<u64>| keys.into_iter().map(Key).collect();
        Self { core: keys(core.parts), declared: keys(core.declared) }
    }
}

impl From<&ModelCluster> for Core {
    fn from(cluster: &ModelCluster) -> Self {
        let sorted = |keys: &[Key]| {
            let mut keys: Vec<u64> = keys.iter().map(|key| key.0).collect();
            keys.sort_unstable();
            keys
        };
        Self { parts: sorted(&cluster.core), declared: sorted(&cluster.declared) }
    }
}

impl TryFrom<ClassifierModel> for Classifier {
    type Error = ModelError;

    fn try_from(model: ClassifierModel) -> Result<Self, ModelError> {
        model.check()?;
        Ok(Self::from_model(model))
    }
}

impl From<Classifier> for ClassifierModel {
    fn from(classifier: Classifier) -> Self {
        classifier.into_model()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(paths: &[(u64, u32)]) -> PageShape {
        PageShape::new(paths.iter().copied(), [], [])
    }

    fn model(weighting: Weighting) -> ClassifierModel {
        let mut shapes = vec![shape(&[(1, 2), (3, 1)]); 3];
        shapes.push(shape(&[(1, 2), (3, 1), (9, 1)]));
        let labels = vec![Some(0), Some(0), None, Some(0)];
        let clustering =
            Clustering { labels, clusters: 1, eps: Some(0.5), weighting, ..Clustering::default() };
        ClassifierModel::learn(&shapes, &clustering)
    }

    #[test]
    fn a_model_by_hand() {
        let votes = vec![Vote { pages: 3, cluster: Some(0) }, Vote { pages: 1, cluster: None }];
        let expect = ClassifierModel {
            weighting: Weighting::Presence,
            eps: Some(0.5),
            pages: 4,
            features: vec![(Key(1), 4), (Key(3), 4)],
            clusters: vec![ModelCluster { core: vec![Key(1), Key(3)], declared: vec![] }],
            points: vec![ModelPoint { features: vec![0, 1], counts: vec![], votes }],
        };
        assert_eq!(model(Weighting::Presence), expect);
        assert_eq!(model(Weighting::TfIdf).points[0].counts, [2, 1]);
    }

    #[test]
    fn models_are_readable() {
        let text = serde_json::to_string(&model(Weighting::Presence)).expect("JSON");
        let expect = "{\"weighting\":\"presence\",\"eps\":0.5,\"pages\":4,\
                      \"features\":[[\"0000000000000001\",4],[\"0000000000000003\",4]],\
                      \"clusters\":[{\"core\":[\"0000000000000001\",\"0000000000000003\"],\"declared\":[]}],\
                      \"points\":[{\"features\":[0,1],\"votes\":[{\"pages\":3,\"cluster\":0},{\"pages\":1}]}]}";
        assert_eq!(text, expect);
    }

    #[test]
    fn invalid_references_are_refused() {
        let check = |change: fn(&mut ClassifierModel), expect: &str| {
            let mut model = model(Weighting::Presence);
            change(&mut model);
            let error = Classifier::try_from(model).expect_err("no classifier");
            assert_eq!(error.to_string(), expect);
        };
        check(
            |model| model.features.reverse(),
            "feature `0000000000000001`: expected features in ascending order",
        );
        check(
            |model| model.points[0].features = vec![0, 7],
            "point 0: feature number `7`: expected ascending numbers below 2",
        );
        check(
            |model| model.points[0].features = vec![1, 1],
            "point 0: feature number `1`: expected ascending numbers below 2",
        );
        check(
            |model| model.points[0].counts = vec![4],
            "point 0: `1` counts: expected none, or one for each of 2 features",
        );
        check(|model| model.clusters.clear(), "point 0: cluster `0`: there are 0");
        let error = serde_json::from_str::<Key>("\"12\"").expect_err("too short");
        assert!(error.to_string().starts_with("key `12`: expected 16 hexadecimal digits"), "{error}");
    }
}
