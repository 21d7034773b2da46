//! Policies: one file each. The seam is small: a policy is told of every fetched page and every failure, and
//! answers with operations on groups and links.
//!
//! The same visits in the same order give the same operations and the same state. That is what lets a crawl
//! resume from a snapshot plus a replay of the visits since, and lets every score be explained.

mod best_first;
mod breadth_first;

use osprey_model::{CanonicalUrl, LinkId};
use osprey_page::Page;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Judgement, Placing, Topic};

/// `[policy]` of `osprey.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum PolicyKind {
    /// First found, first fetched.
    BreadthFirst {},
    /// Links of pages that are close to the topic first.
    BestFirst {},
}

impl Default for PolicyKind {
    fn default() -> Self {
        Self::BreadthFirst {}
    }
}

impl PolicyKind {
    /// Every kind, for `--help` and for suggestions.
    pub const NAMES: [&'static str; 2] = ["breadth-first", "best-first"];

    /// The kind of that name with default parameters.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "breadth-first" => Some(Self::BreadthFirst {}),
            "best-first" => Some(Self::BestFirst {}),
            _ => None,
        }
    }

    /// A new policy for a topic.
    pub fn build(&self, topic: &Topic) -> Box<dyn Policy> {
        match self {
            Self::BreadthFirst {} => Box::new(breadth_first::BreadthFirst),
            Self::BestFirst {} => Box::new(best_first::BestFirst::new(topic.clone())),
        }
    }
}

/// A page that was fetched, understood and judged.
#[derive(Clone, Copy, Debug)]
pub struct Visit<'a> {
    /// The link that led here.
    pub id: LinkId,
    /// Hops from a seed.
    pub depth: u32,
    /// The page.
    pub page: &'a Page,
    /// What the judge said.
    pub judgement: Judgement,
}

/// Why a link that was leased brought nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause<'a> {
    /// An answer with an error status.
    Status(u16),
    /// No answer.
    Silence,
    /// Left alone when its turn came, for this reason: `robots`, `trap`, `scope`.
    Skipped(&'a str),
}

/// A link that was fetched in vain, or skipped when its turn came.
#[derive(Clone, Copy, Debug)]
pub struct Failure<'a> {
    /// The link.
    pub id: LinkId,
    /// Its URL.
    pub url: &'a CanonicalUrl,
    /// Hops from a seed.
    pub depth: u32,
    /// What went wrong.
    pub cause: Cause<'a>,
}

/// What is known of a waiting or fetched link when its score is to be explained.
#[derive(Clone, Copy, Debug)]
pub struct LinkFacts<'a> {
    /// Its score inside its group.
    pub own: f32,
    /// Hops from a seed.
    pub depth: u32,
    /// The signals kept when it was placed.
    pub parts: &'a [(String, f32)],
}

/// State that does not belong to this policy.
#[derive(Debug, Error)]
#[error("policy `{policy}`: its saved state cannot be read: {cause}")]
pub struct RestoreError {
    /// The policy.
    pub policy: &'static str,
    /// What the decoder says.
    pub cause: String,
}

/// Gives every waiting link a score.
pub trait Policy: Send {
    /// The name in configuration and exports.
    fn name(&self) -> &'static str;

    /// A page was fetched: place its links, move factors.
    fn on_page(&mut self, visit: &Visit<'_>, placing: &mut Placing);

    /// A link was fetched in vain, or skipped: learn from it, release what waited for it.
    fn on_failure(&mut self, _failure: &Failure<'_>, _placing: &mut Placing) {}

    /// In words, why a link stands where it stands.
    fn explain(&self, link: &LinkFacts<'_>) -> String;

    /// Whether it has state at all; one that has none need not be told again of past visits.
    fn learns(&self) -> bool {
        true
    }

    /// Everything the policy has learned.
    fn snapshot(&self) -> Vec<u8>;

    /// Takes up a snapshot of the same policy.
    fn restore(&mut self, snapshot: &[u8]) -> Result<(), RestoreError>;
}
