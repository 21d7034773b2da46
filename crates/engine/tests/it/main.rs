//! Projects as a program uses them: through the library alone.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod assemble;
mod feedback;
mod live;
mod old_project;
mod ratings;
mod rejudge;
mod support;
