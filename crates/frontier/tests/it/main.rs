//! The frontier compared with a model, and in scenarios.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod model;
mod scenarios;
