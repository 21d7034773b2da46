//! The formulas of Chen et al. 2009: four predictions of the relevance of the page behind a link, and their weighted
//! sum.
//!
//! `R_PC` (equation 1) is the relevance of the page that contains the link; `R_AT` (2 to 4) that of the anchor text, or
//! of the text around it; `R_URL` (5, 6) that of the tokens of the URL; `R_LT` (7) depends on where the link leads
//! relative to its page. `RS` (8) is their weighted sum. `R'_PC` (9) judges fetched pages by the whole description of
//! the topic.
//!
//! Interpretations: labels are compared in the language of the page. Equation 7 does not define the value of a link
//! whose anchor matches and whose page does not; here it is γ2.

mod link_type;
mod relevance;
mod tokens;
mod unknown;
mod url;

pub use link_type::{Gammas, LinkType, PageLocation, Pair};
pub(crate) use relevance::steps_left;
pub(crate) use relevance::title_cosine;
pub use relevance::{OpenPage, Prediction, RelevanceWeights, TopicRelevance};
pub use tokens::{Forms, TokenError, TokenTable};
pub(crate) use unknown::{FREQUENT, UnknownTokens};
pub use url::{UrlMatch, UrlTopic};
