//! What is worth fetching: topics, judges and policies. No I/O, no clock, random numbers only from a random seed that
//! the caller passes.
//!
//! A [`Judge`] says how relevant a fetched page is; a [`Policy`] says how soon its links are worth a visit.
//! They do not know of each other, so that every policy can be measured by the same judge.

pub mod baselines;
pub mod cotag;
pub mod fcmrps;
pub mod genre;
mod judge;
mod placing;
mod plan;
mod policy;
pub mod profiles;
mod subject;
pub mod taxonomy;
mod wanted_clusters;
#[cfg(test)]
mod why;

pub use judge::{Judge, JudgeKind, Judgement};
pub use placing::{Op, Part, Placing};
pub use plan::Plan;
pub use policy::{Cause, Failure, LinkFacts, Policy, PolicyKind, Repeat, RestoreError, SitemapVisit, Visit};
pub use subject::{Example, Known, SteeringConfigError, Subject};
#[cfg(test)]
pub(crate) use why::made_of;
