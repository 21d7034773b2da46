//! Pages compared with the standard and with another parser, and hostile pages.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod encodings;
mod hostile;
mod html5lib;
mod oracle;
mod pages;
mod properties;
mod sitemaps;
