//! Crawl steering: which pages are relevant, and which links to fetch next.
//!
//! - A [`Subject`] describes the topic: tags, terms, a node of a taxonomy, example pages.
//! - A [`Judge`] computes how relevant a fetched page is to the subject.
//! - A [`Policy`] decides in which order links are fetched. [`PolicyKind`] lists the policies.
//! - [`Placing`] is what a policy returns: operations on the crawl frontier.
//!
//! Judge and policy are independent, so every policy can be evaluated with the same judge. The crate does no I/O and
//! does not read the clock. Random numbers depend only on a random seed that the caller passes.

pub mod baselines;
pub mod cotag;
pub mod fcmrps;
mod fresh;
pub mod genre;
mod identity;
mod judge;
mod placing;
mod plan;
mod policy;
pub mod profiles;
mod subject;
pub mod taxonomy;
mod want;
mod wanted_clusters;
#[cfg(test)]
mod why;

pub use fresh::FreshLinks;
pub use identity::asks_the_same;
pub use judge::{Judge, JudgeKind, Judgement};
pub use placing::{Op, Part, Placing};
pub use plan::Plan;
pub use policy::{
    Cause, Failure, LinkFacts, Policy, PolicyKind, Repeat, RestoreError, SitemapVisit, UploaderStanding,
    Visit, uploaders,
};
pub use subject::{Example, Known, PageKinds, SteeringConfigError, Subject};
pub use want::{Background, BackgroundCounter, Want, Way, Worth};
#[cfg(test)]
pub(crate) use why::made_of;
