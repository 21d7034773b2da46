//! Experiments, from definition to report.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod expert;
mod page_types;
mod pictures;
mod product;
mod runs;
mod small;
mod structure;
mod traps;
