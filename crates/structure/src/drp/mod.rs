//! Detail record pages (Zhang 2008, chapter III): pages with one record and its description.
//!
//! [`DrpFeatures`] is what a page is told by, [`Model`] tells, [`osprey_c45`] grows its tree. [`feature_pairs`] finds
//! labels and what they describe, for extraction too. No URL, no site and no language is known to any of it.

mod feature_pairs;
mod features;
mod labelled;
mod model;
mod outline;
mod words;

pub use feature_pairs::{FeaturePair, feature_pairs};
pub use features::{DrpFeatures, FeatureSet};
pub use labelled::LabelledPage;
pub use model::{Model, Verdict};
