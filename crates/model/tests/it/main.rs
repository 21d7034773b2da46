//! URLs and robots rules compared with the conformance suites.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod corpus;
mod robots;
mod urls;
