//! Learns the page types of a site from the HTML structure of a few hundred sample pages.
//!
//! Pages made from one template have nearly the same element paths (XPaths). Pages are clustered by these paths; each
//! cluster is a page type of the site, such as a thread, a user profile or a list.
//!
//! - [`PageShape`] is the summary of a page: its XPaths with counts, the paths of its links (Apaths), its repeated
//!   regions.
//! - [`InLinks`] records through which links each page was found. Osprey's own recipe needs it.
//! - [`cluster`] clusters the sample, with the recipe of Xu et al. 2018 or with Osprey's. `baselines` has the two
//!   methods that the paper compares with.
//! - [`Classifier`] assigns a new page to a cluster, or to none.
//! - [`Navigation`] predicts the cluster of the page that a link leads to, from the position of the link in its page.
//! - [`drp`] recognises detail pages, [`types`] labels clusters as list, detail, profile or other, [`extract`] reads
//!   records from pages, and [`site`] combines everything that was learned about a site.
//!
//! Clustering uses no labels, no URL patterns and no text. The crate reads no files and no clock, random numbers depend
//! only on a random seed, and the order of the pages does not change the result.

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
mod heads;
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
