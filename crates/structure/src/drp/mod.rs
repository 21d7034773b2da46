//! Recognises detail pages: pages with one record and its description ("detail record pages", Zhang 2008, chapter III).
//!
//! [`DrpFeatures`] computes the features of a page, and [`Model`] classifies them with a decision tree
//! ([`osprey_c45`]). [`feature_pairs`] finds labels and their values, also for extraction. The features use no URL, no
//! site and no language.

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
