//! What kinds of page a site has, learned from the structure of a few hundred of its pages.
//!
//! - [`PageShape`] is what is kept of a page: its bag of XPaths, its Apaths, its repetitive regions.
//! - [`InLinks`] says by links of which kinds a page was found, which our recipe asks for.
//! - [`cluster`] finds the kinds, by the recipe of Xu et al. 2018 or by ours; `baselines` has the two methods that the
//!   paper compares itself with.
//! - [`Classifier`] puts a new page to one of them, or to none.
//! - [`Navigation`] says to pages of which kind a link leads, by where it stands.
//!
//! No labels, no URL patterns, no texts. Nothing here reads a file, asks for the time or draws random numbers except
//! from a random seed, and the order of the pages does not change the result.

mod baselines;
mod classify;
mod cluster;
mod clustering;
mod cores;
mod dbscan;
mod density;
pub mod drp;
pub mod extract;
mod features;
mod fnv;
mod inlinks;
mod linked;
mod marks;
mod model;
mod navigation;
mod notes;
mod points;
pub mod site;
mod space;
mod split;
mod spread;
mod template;
pub mod types;

pub use baselines::irobot::{Irobot, irobot};
pub use baselines::mdl::mdl;
pub use classify::{Classified, Classifier, Evidence};
pub use cluster::{Recipe, cluster};
pub use clustering::Clustering;
pub use density::{K, MIN_PTS};
pub use features::{PageShape, Region};
pub use inlinks::{InLink, InLinks};
pub use marks::Mark;
pub use model::{ClassifierModel, Key, ModelCluster, ModelError, ModelPoint, Vote};
pub use navigation::{Cluster, Destinations, Kind, Level, LinkKind, Navigation};
pub use notes::ClusterNote;
pub use site::{Learner, Reading, Site, SiteModel, Sitemap, SitemapError};
pub use space::{Space, SparseVector, Weighting};
