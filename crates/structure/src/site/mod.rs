//! A site as a whole: what was learned of it ([`SiteModel`], by a [`Learner`]), what a person made of that
//! ([`Sitemap`]), and both together ready to read pages with ([`Site`]).

mod learner;
mod model;
mod reading;
mod second_look;
mod sitemap;

pub use learner::Learner;
pub use model::{ClusterInfo, MODEL_VERSION, SampledPage, SiteModel};
pub(crate) use reading::leads_to;
pub use reading::{ExtractRules, Reading, Site};
pub use second_look::SecondLook;
pub use sitemap::{Sitemap, SitemapEntry, SitemapError};
