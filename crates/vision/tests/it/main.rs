//! Pictures, hostile and real.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod hostile;
mod photographs;
mod stable;
