//! A project that a program puts together, instead of a file.
//!
//! It works in a folder as any other: what it crawls, learns and indexes is there, and the next run goes on. Only
//! `osprey.toml` is missing, so nothing is written into it: the extraction rules that are learned stay beside the model and
//! are read from there, unless the program has brought its own.

use std::path::Path;

use osprey_crawl::Settings;
use osprey_model::{CanonicalUrl, PageType};
use osprey_steer::{JudgeKind, Plan, PolicyKind};
use osprey_structure::Recipe;
use osprey_structure::site::ExtractRules;
use serde::{Deserialize, Serialize};

use crate::config::Resolved;
use crate::layout::Layout;
use crate::project::Project;
use crate::source::SourceKind;

/// Everything that a project's file says, as values.
#[derive(Clone, Debug)]
pub struct Parts {
    /// How is crawled.
    pub settings: Settings,
    /// Where pages come from.
    pub source: SourceKind,
    /// The policy, and what is wanted.
    pub plan: Plan,
    /// What counts as relevant.
    pub judge: JudgeKind,
    /// How the site is learned.
    pub structure: StructureOptions,
    /// How records are read; without a rule, as was learned.
    pub extract: ExtractRules,
    /// For everything that draws lots.
    pub random_seed: u64,
}

/// How a site is learned.
#[derive(Clone, Debug, PartialEq)]
pub struct StructureOptions {
    /// How pages are clustered.
    pub variant: Recipe,
    /// How the pages are chosen that are learned from.
    pub sampling: Sampling,
    /// So many pages are learned from.
    pub sample_pages: u64,
    /// Pages whose type is known.
    pub examples: Vec<(PageType, CanonicalUrl)>,
}

/// How the pages of a sample are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sampling {
    /// One link of every kind that a page has.
    #[serde(rename = "apath")]
    Apath,
    /// The same, in the order in which links are met.
    #[serde(rename = "apath-in-order")]
    ApathInOrder,
    /// All links in the order in which they are met.
    #[serde(rename = "bfs")]
    BreadthFirst,
}

impl Sampling {
    /// What belongs to a recipe.
    pub fn of(recipe: Recipe) -> Self {
        if recipe == Recipe::Dbscan2018 { Self::ApathInOrder } else { Self::Apath }
    }

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
        Self { layout, resolved, has_file: false }
    }
}
