//! The learned site: the stored model ([`SiteModel`], made by a [`Learner`]), the sitemap that a person can edit
//! ([`Sitemap`]), and both together, ready to classify pages ([`Site`]).

mod learner;
mod model;
mod reading;
mod rule_proposer;
mod sitemap;

pub use learner::Learner;
pub use model::{ClusterInfo, MODEL_VERSION, SampledPage, SiteModel, UnusedExamples};
pub(crate) use reading::leads_to;
pub use reading::{ClassifyBy, ExtractRules, Reading, Site};
pub use rule_proposer::RuleProposer;
pub use sitemap::{Sitemap, SitemapEntry, SitemapError};
