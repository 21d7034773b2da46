//! Page types: list, detail, profile, other.
//!
//! Three questions, each with its answer here:
//! - Of which type is this page? [`PageTypes`], learned from a few example pages of each type by their characteristic
//!   path strings (Zhang & Nasraoui 2009, section 4.3).
//! - Of which type is a cluster that nobody named? [`label`], from [`ClusterFacts`]: what its pages hold, and who links
//!   to whom.
//! - Who uploaded what a list page shows? [`pairs`], from the blocks that detail and profile links stand in together.

mod characteristic;
mod classifier;
mod facts;
mod label;
mod pairing;
mod separate;
mod sighting;
mod words;

pub use characteristic::{KnownPath, PathStrings, Tolerance};
pub use classifier::{PageTypes, TypeRule};
pub use facts::{ClusterFacts, SiteFacts};
pub use label::{Label, label};
pub use pairing::{Pairing, pairs, pairs_by_structure};
