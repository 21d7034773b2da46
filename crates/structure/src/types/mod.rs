//! Page types: list, detail, profile, other.
//!
//! - [`PageTypes`] recognises the type of a page. It learns characteristic path strings from a few example pages of
//!   each type (Zhang & Nasraoui 2009, section 4.3).
//! - [`label`] gives a type to a cluster, from [`ClusterFacts`]: what its pages contain, and which pages link to them.
//! - [`pairs`] finds who uploaded the items on a list page, from the blocks that contain both a detail and a profile
//!   link.

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
