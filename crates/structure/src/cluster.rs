//! From shapes to clusters, by one of two recipes.
//!
//! The seed's recipe over-splits on real sites, for three reasons, each with its remedy in ours:
//! - pages of one template differ by the number of their posts: a path counts once ([`Weighting::Presence`]);
//! - near-identical pages pull `eps` towards zero: the histogram counts every distinct point once;
//! - optional parts (tags, pagination, an empty list) make dense groups of their own: groups whose pages share most of
//!   their paths and are reached by the same kinds of link are joined ([`crate::template`]).

use crate::clustering::Clustering;
use crate::dbscan::dbscan;
use crate::density::{K, MIN_PTS, eps_by_histogram, k_distances};
use crate::features::PageShape;
use crate::points::Points;
use crate::space::{Space, Weighting};
use crate::template;

/// How pages are clustered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Recipe {
    /// As in seed 001, section 4.2.
    Seed,
    /// Ours. It wants to know how pages were found ([`PageShape::found_by`]); without that no groups are joined.
    #[default]
    Osprey,
}

/// The kinds of page in a sample.
pub fn cluster(shapes: &[PageShape], recipe: &Recipe) -> Clustering {
    match recipe {
        Recipe::Seed => seed(shapes),
        Recipe::Osprey => osprey(shapes),
    }
}

fn seed(shapes: &[PageShape]) -> Clustering {
    let weighting = Weighting::TfIdf;
    let space = Space::fit(shapes, weighting, MIN_PTS as usize);
    let points = Points::new(shapes.iter().map(|shape| space.project(shape)).collect());
    let eps = eps_by_histogram(&k_distances(&points, K), space.features(), MIN_PTS);
    let groups = dbscan(&points, eps, MIN_PTS);
    of_points(&points, &groups, eps, weighting)
}

fn osprey(shapes: &[PageShape]) -> Clustering {
    let weighting = Weighting::Presence;
    let space = Space::fit(shapes, weighting, MIN_PTS as usize);
    let points = Points::new(shapes.iter().map(|shape| space.project(shape)).collect());
    let each_once: Vec<(f64, u32)> =
        k_distances(&points, K).into_iter().map(|(distance, _)| (distance, 1)).collect();
    let eps = eps_by_histogram(&each_once, space.features(), MIN_PTS);
    let groups = dbscan(&points, eps, MIN_PTS);
    let dense = of_points(&points, &groups, eps, weighting);
    let labels = template::join_and_attach(shapes, &dense, &space);
    Clustering { eps: Some(eps), weighting, ..Clustering::from_groups(&labels) }
}

fn of_points(points: &Points, groups: &[Option<usize>], eps: f64, weighting: Weighting) -> Clustering {
    let of_page: Vec<Option<usize>> =
        points.of_page().iter().map(|&point| groups.get(point).copied().flatten()).collect();
    Clustering { eps: Some(eps), weighting, ..Clustering::from_groups(&of_page) }
}
