//! Projects as a program uses them: through the library alone.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod live;
mod old_project;
mod support;
