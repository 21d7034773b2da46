//! Archives on real and hostile input.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod corpora;
mod damage;
mod hostile;
mod replay;
mod samples;
