//! The lab: every policy on the same ground, today and after every change.
//!
//! An [`Experiment`] is a file: corpora, variants (policies with their parameters), a judge, budgets, how many random
//! seeds, and what to show. Its grid of cells (corpus x variant x random seed) is run by the [`Runner`] on all cores;
//! what a cell measures is one [`Measure`], chosen by name; findings are stored cell by cell, so that a run that was
//! interrupted goes on; [`summarise`] puts them together over the random seeds into a
//! [`Report`](osprey_charts::Report).
//!
//! The runner knows nothing of policies or metrics: a new experiment is a new file in `lab/experiments`, a new kind of
//! measurement is one more [`Measure`].

mod corpus;
mod experiment;
mod measure;
mod metrics;
mod registry;
mod report;
mod runner;
mod serve;
mod summary;

pub use corpus::{Corpus, CorpusError, Ground, Pictures};
pub use experiment::{
    BudgetSize, CorpusEntry, Expectation, Experiment, ExperimentError, Scale, ScaleSpec, Show, Variant,
    Wanted,
};
pub use measure::{Cell, CurveData, Findings, MEASURES, Measure};
pub use metrics::Totals;
pub use registry::{ExperimentRegistry, RegistryError};
pub use report::{Reported, build_of_program};
pub use runner::{Found, Progress, Run, Runner, RunnerError};
pub use serve::WorldServer;
pub use summary::summarise;

/// A fingerprint of bytes, for keys and records.
fn fingerprint(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(bytes)
}
