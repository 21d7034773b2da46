//! The cookie jar of a project (RFC 6265), bounded, and written as JSON so that a resumed crawl goes on in its
//! sessions.
//!
//! A crawler is not a browser: `SameSite` and `HttpOnly` protect users from scripts and are ignored. What protects one
//! site from another is kept: no cookies for public suffixes or foreign domains, `Secure` and the name prefixes
//! hold. As long as the jar is empty, asking it costs one load.

mod date;
mod jar;
mod line;

pub(crate) use jar::Jar;
