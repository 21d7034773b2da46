//! The formulas of Chen et al. 2009: four predictions of what a link leads to, mixed.
//!
//! `R_PC` (equation 1), what the page around the link is about; `R_AT` (2 to 4), what its anchor says, or else what
//! stands around it; `R_URL` (5, 6), what the tokens of its URL say; `R_LT` (7), where it leads from here. `RS` (8) is
//! their weighted sum. `R'_PC` (9) judges fetched pages by the topic's whole description.
//!
//! Read by us: labels are compared in the language of the page, so that a page is not measured against words of a
//! language it is not in; equation 7 leaves open what a link is worth whose anchor speaks and whose page does not: γ2.

mod link_type;
mod relevance;
mod tokens;
mod unknown;
mod url;

pub use link_type::{Gammas, LinkType, Pair, Place};
pub(crate) use relevance::steps_left;
pub(crate) use relevance::title_cosine;
pub use relevance::{OpenPage, Prediction, RelevanceWeights, TopicRelevance};
pub use tokens::{Forms, TokenError, TokenTable};
pub(crate) use unknown::{FREQUENT, UnknownTokens};
pub use url::{UrlMatch, UrlTopic};
