//! Requests to servers that behave and misbehave.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod dns;
mod guard;
mod http1;
mod misbehave;
mod proxies;
mod retries;
mod support;
mod tls;
