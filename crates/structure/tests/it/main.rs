//! What is learned of a site.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod bad_input;
mod drp;
mod golden;
mod page_types;
mod properties;
mod records;
