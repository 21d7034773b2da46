//! The lab runs experiments: it compares crawl policies, clusterings, extraction rules and search on the same corpora.
//!
//! An [`Experiment`] is a TOML file. It names corpora (simulated worlds, recordings of real sites, picture sets),
//! variants (policies with their parameters), a judge, budgets, the number of random seeds, and the figures that the
//! report shows. The [`Runner`] runs every cell of the grid corpus x variant x random seed on all cores. A cell runs
//! one [`Measure`], which the experiment names. The runner stores the result of each cell, so an interrupted run can be
//! resumed. [`summarise`] computes means and confidence intervals over the random seeds and makes a
//! [`Report`](osprey_charts::Report).
//!
//! The runner does not depend on policies or metrics. A new experiment is a new file in `lab/experiments`; a new kind
//! of measurement is a new [`Measure`].

mod corpus;
mod expectation;
mod experiment;
mod measure;
mod metrics;
mod registry;
mod report;
mod runner;
mod serve;
mod summary;

pub use corpus::{Corpus, CorpusError, CorpusSource, Pictures};
pub use expectation::{ClaimBy, Expectation};
pub use experiment::{
    BudgetSize, CorpusEntry, Experiment, ExperimentError, Scale, ScaleSpec, Show, Variant, Wanted,
};
pub use measure::{Cell, CurveData, Findings, MEASURES, Measure};
pub use metrics::Totals;
pub use registry::{ExperimentRegistry, RegistryError};
pub use report::{ExperimentReport, build_of_program};
pub use runner::{CellResult, Progress, Run, Runner, RunnerError};
pub use serve::WorldServer;
pub use summary::summarise;

/// A fingerprint of bytes, for keys and records.
fn fingerprint(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(bytes)
}
