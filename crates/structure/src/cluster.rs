//! Clusters page shapes into page types, by one of two recipes.
//!
//! The recipe of Xu et al. 2018 ([`Recipe::Dbscan2018`]) splits real sites too much. Osprey's recipe
//! ([`Recipe::Osprey`]) addresses the three causes:
//! - pages of one template differ in the number of posts: each path counts once per page ([`Weighting::Presence`]);
//! - near-identical pages pull `eps` towards zero: the histogram counts every distinct point once;
//! - optional parts (tags, pagination, an empty list) form dense groups: groups whose pages share the core of their
//!   template and are reached by the same kinds of link are joined ([`crate::template`]).
//!
//! Paths alone cannot separate different lists of one theme, which have the same paths. Osprey's recipe separates them
//! by the classes that the theme writes on the outer elements and by the links that lead to the pages
//! ([`crate::split`]).

use serde::{Deserialize, Serialize};

use crate::classify::Classifier;
use crate::clustering::Clustering;
use crate::dbscan::dbscan;
use crate::density::{K, MIN_PTS, eps_by_histogram, k_distances};
use crate::features::PageShape;
use crate::notes::ClusterNote;
use crate::points::Points;
use crate::space::{Space, Weighting};
use crate::template;

/// Pages that are clustered at most; the others are assigned to the clusters found. Comparing pages costs the square of
/// their number if they are all different.
const MAX_SAMPLE: usize = 20_000;

/// `eps` is never larger in Osprey's recipe: where pages hardly differ, or differ a lot, the histogram is useless, and
/// its largest distance may join everything. A cosine of 0.92; results are the same for anything between 0.3 and 0.5.
const FARTHEST: f64 = 0.4;

/// How pages are clustered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Recipe {
    /// As in Xu et al. 2018, section 4.2.
    #[serde(rename = "dbscan-2018", alias = "seed")]
    Dbscan2018,
    /// Osprey's. It needs to know how pages were found ([`PageShape::found_by`]); without that no groups are joined.
    #[default]
    Osprey,
}

/// The kinds of page in a sample.
pub fn cluster(shapes: &[PageShape], recipe: &Recipe) -> Clustering {
    if shapes.len() > MAX_SAMPLE {
        cluster_some(shapes, recipe, MAX_SAMPLE)
    } else {
        cluster_all(shapes, recipe)
    }
}

/// Clusters the given number of pages and classifies the others. Which pages these are depends on fingerprints of their
/// URLs, so the choice does not change with their order.
fn cluster_some(shapes: &[PageShape], recipe: &Recipe, used: usize) -> Clustering {
    let mut order: Vec<usize> = (0..shapes.len()).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (&shapes[a], &shapes[b]);
        a.address().cmp(&b.address()).then_with(|| a.xpaths().cmp(b.xpaths()))
    });
    let chosen: Vec<usize> = order.into_iter().take(used).collect();
    let sample: Vec<PageShape> = chosen.iter().map(|&page| shapes[page].clone()).collect();
    let mut clustering = cluster_all(&sample, recipe);
    let classifier = Classifier::new(&sample, &clustering);
    let mut known: Vec<Option<Option<u32>>> = vec![None; shapes.len()];
    for (&page, label) in chosen.iter().zip(&clustering.labels) {
        known[page] = Some(*label);
    }
    let label = |(shape, known): (&PageShape, Option<Option<u32>>)| {
        let label = known.unwrap_or_else(|| classifier.classify(shape).cluster);
        label.map(|label| label as usize)
    };
    let labels: Vec<Option<usize>> = shapes.iter().zip(known).map(label).collect();
    let Clustering { labels, clusters, .. } = Clustering::from_groups(&labels);
    clustering.notes.push(ClusterNote::SampleCut { used, pages: shapes.len() });
    Clustering { labels, clusters, ..clustering }
}

/// The dense groups of Xu et al. 2018, whatever recipe the clusters are of: what its equation 10 is about.
pub(crate) fn dense_groups(
    shapes: &[PageShape],
    recipe: &Recipe,
    clustering: &Clustering,
) -> Vec<Option<u32>> {
    match recipe {
        Recipe::Dbscan2018 => clustering.labels.clone(),
        Recipe::Osprey => cluster(shapes, &Recipe::Dbscan2018).labels,
    }
}

fn cluster_all(shapes: &[PageShape], recipe: &Recipe) -> Clustering {
    let weighting = match recipe {
        Recipe::Dbscan2018 => Weighting::TfIdf,
        Recipe::Osprey => Weighting::Presence,
    };
    let space = Space::fit(shapes, weighting, MIN_PTS as usize);
    let points = Points::new(shapes.iter().map(|shape| space.project(shape)).collect());
    let mut distances = k_distances(&points, K);
    let eps = match recipe {
        Recipe::Dbscan2018 => eps_by_histogram(&distances, space.features(), MIN_PTS),
        Recipe::Osprey => {
            distances.iter_mut().for_each(|(_, pages)| *pages = 1);
            eps_by_histogram(&distances, space.features(), MIN_PTS).min(FARTHEST)
        }
    };
    let groups = dbscan(&points, eps, MIN_PTS);
    let of_page: Vec<Option<usize>> =
        points.of_page().iter().map(|&point| groups.get(point).copied().flatten()).collect();
    let mut notes = notes_before(shapes, &space, &points);
    let dense = Clustering::from_groups(&of_page);
    let mut clustering = match recipe {
        Recipe::Dbscan2018 => dense,
        Recipe::Osprey => {
            if !shapes.is_empty() && shapes.iter().all(|shape| shape.inlinks().is_empty()) {
                notes.push(ClusterNote::NoInLinks);
            }
            let labels: Vec<Option<usize>> =
                dense.labels.iter().map(|label| label.map(|label| label as usize)).collect();
            let templates = template::templates(shapes, &labels, dense.clusters, &mut notes);
            Clustering::from_groups(&templates)
        }
    };
    notes.extend(notes_after(&clustering));
    clustering.notes = ClusterNote::worth_telling(notes);
    Clustering { eps: Some(eps), weighting, ..clustering }
}

/// What is wrong with a sample.
fn notes_before(shapes: &[PageShape], space: &Space, points: &Points) -> Vec<ClusterNote> {
    let pages = shapes.len();
    if pages < MIN_PTS as usize {
        return vec![ClusterNote::TooFewPages { pages }];
    }
    let mut notes = Vec::new();
    let empty = shapes.iter().filter(|shape| shape.xpaths().is_empty()).count();
    if empty > 0 {
        notes.push(ClusterNote::EmptyPages { pages: empty });
    }
    if space.features() == 0 {
        notes.push(ClusterNote::NothingCommon);
    } else if points.len() == 1 {
        notes.push(ClusterNote::AllAlike);
    }
    notes
}

/// What is wrong with a result, given that there were enough pages.
fn notes_after(clustering: &Clustering) -> Option<ClusterNote> {
    let (pages, outliers) = (clustering.labels.len(), clustering.outliers());
    if pages < MIN_PTS as usize {
        return None;
    }
    match clustering.clusters {
        0 => Some(ClusterNote::NoType),
        _ if 2 * outliers > pages => Some(ClusterNote::MostlyOutliers { outliers, pages }),
        1 => Some(ClusterNote::OneType),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(paths: &[u64]) -> PageShape {
        PageShape::new(paths.iter().map(|&path| (path, 1)), [], []).found_by([7])
    }

    #[test]
    fn what_could_not_be_learned() {
        let check = |shapes: &[PageShape], expect: &[ClusterNote]| {
            assert_eq!(cluster(shapes, &Recipe::Osprey).notes, expect, "{shapes:?}");
        };
        check(&[], &[ClusterNote::TooFewPages { pages: 0 }]);
        check(&[page(&[1]), page(&[1]), page(&[2])], &[ClusterNote::TooFewPages { pages: 3 }]);
        check(&[page(&[1]).found_by([0_u64; 0])], &[ClusterNote::TooFewPages { pages: 1 }]);
        check(&vec![page(&[1, 2]); 6], &[ClusterNote::AllAlike, ClusterNote::OneType]);
        let empty = [ClusterNote::EmptyPages { pages: 5 }, ClusterNote::NothingCommon, ClusterNote::OneType];
        check(&vec![page(&[]); 5], &empty);
        let two: Vec<PageShape> = (0..8).map(|i| if i < 4 { page(&[1, 2]) } else { page(&[7, 8]) }).collect();
        check(&two, &[]);
        let unknown: Vec<PageShape> = two.iter().map(|shape| shape.clone().found_by([0_u64; 0])).collect();
        check(&unknown, &[ClusterNote::NoInLinks]);
    }

    #[test]
    fn the_rest_of_a_large_sample_is_classified() {
        let shapes: Vec<PageShape> =
            (0..60).map(|i| if i % 3 == 0 { page(&[1, 2, 3]) } else { page(&[7, 8, 9]) }.at(i)).collect();
        let cut = cluster_some(&shapes, &Recipe::Osprey, 30);
        let whole = cluster_all(&shapes, &Recipe::Osprey);
        assert_eq!(cut.labels, whole.labels);
        assert_eq!(cut.notes, [ClusterNote::SampleCut { used: 30, pages: 60 }]);
    }
}
