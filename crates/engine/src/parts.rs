//! A project that a program assembles, instead of reading it from a file.
//!
//! It works in a folder like any other: what it crawls, learns and indexes is there, and the next run resumes. Only
//! `osprey.toml` is missing: learned extraction rules stay beside the model and are read from there, unless the program
//! gives its own.

use std::path::Path;

use osprey_crawl::Settings;
use osprey_model::{CanonicalUrl, PageType};
use osprey_steer::{JudgeKind, Plan, PolicyKind};
use osprey_structure::Recipe;
use osprey_structure::site::{ClassifyBy, ExtractRules};
use serde::{Deserialize, Serialize};

use crate::config::Resolved;
use crate::layout::Layout;
use crate::project::{Overrides, Project};
use crate::source::SourceKind;

/// The contents of a project's file, as values.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Settings of the crawl.
    pub settings: Settings,
    /// Where pages come from.
    pub source: SourceKind,
    /// The policy and the subject.
    pub plan: Plan,
    /// What counts as relevant.
    pub judge: JudgeKind,
    /// How the site is learned.
    pub structure: StructureOptions,
    /// Extraction rules; the learned ones if empty.
    pub extract: ExtractRules,
    /// Seed of the random number generator.
    pub random_seed: u64,
}

/// How a site is learned.
#[derive(Clone, Debug, PartialEq)]
pub struct StructureOptions {
    /// How pages are clustered.
    pub variant: Recipe,
    /// How the sampled pages are chosen.
    pub sampling: Sampling,
    /// How the type of a page is found.
    pub classify: ClassifyBy,
    /// Number of sampled pages.
    pub sample_pages: u64,
    /// Requests that a sample may take for each of its pages.
    pub requests_per_page: u64,
    /// Pages whose type is known.
    pub examples: Vec<(PageType, CanonicalUrl)>,
}

/// How the pages of a sample are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sampling {
    /// One link of every kind that a page has.
    #[default]
    #[serde(rename = "apath")]
    Apath,
    /// The same, in the order in which links are met.
    #[serde(rename = "apath-in-order")]
    ApathInOrder,
    /// All links in the order in which they are met.
    #[serde(rename = "breadth-first", alias = "bfs")]
    BreadthFirst,
}

impl Sampling {
    /// The policy of the crawl that takes the sample.
    pub(crate) fn policy(self, random_seed: u64) -> PolicyKind {
        match self {
            Self::Apath => PolicyKind::Sample { random_seed, in_order: false },
            Self::ApathInOrder => PolicyKind::Sample { random_seed, in_order: true },
            Self::BreadthFirst => PolicyKind::BreadthFirst {},
        }
    }
}

impl Project {
    /// A project of these parts that works in `dir`.
    pub fn assemble(dir: impl AsRef<Path>, parts: Parts) -> Self {
        let layout = Layout::of(dir.as_ref());
        let resolved = Resolved::of_parts(parts, layout.dir());
        Self { layout, resolved, has_file: false, overrides: Overrides::default() }
    }
}
