//! The crawl on small sites that misbehave in one way each.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod adoption;
mod again;
mod history;
mod live;
mod pictures;
mod politeness;
mod rejudge;
mod restore;
mod site;
mod steps;
mod traps;
