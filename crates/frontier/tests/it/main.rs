//! The frontier against a model, and in scenarios.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod model;
mod scenarios;
