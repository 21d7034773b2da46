//! What kinds of page a site has, learned from the structure of a few hundred of its pages.
//!
//! - [`Sampler`] says which pages to look at: one link of every kind that a page has.
//! - [`PageShape`] is what is kept of a page: its bag of XPaths, its Apaths, its repetitive regions.
//! - [`InLinks`] says by links of which kinds a page was found, which our recipe asks for.
//! - [`cluster`] finds the kinds, by the recipe of seed 001 or by ours; [`baselines`] has the two methods that the seed
//!   compares itself with.
//! - [`Classifier`] puts a new page to one of them, or to none.
//! - [`Navigation`] says to pages of which kind a link leads, by where it stands.
//!
//! No labels, no URL patterns, no texts. Nothing here reads a file, asks for the time or draws lots but from a seed, and
//! the order of the pages does not change the result.

pub mod baselines;
mod classify;
mod cluster;
mod clustering;
mod dbscan;
mod density;
mod features;
mod inlinks;
mod navigation;
mod points;
mod sample;
mod space;
mod template;

pub use baselines::irobot::{Irobot, irobot};
pub use baselines::mdl::mdl;
pub use classify::Classifier;
pub use cluster::{Recipe, cluster};
pub use clustering::Clustering;
pub use density::{K, MIN_PTS};
pub use features::{PageShape, Region};
pub use inlinks::InLinks;
pub use navigation::{Cluster, Destinations, Evidence, Kind, LinkKind, Navigation};
pub use sample::Sampler;
pub use space::{Space, SparseVector, Weighting};
