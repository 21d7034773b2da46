//! A door for the fuzz targets to the parsers of what servers send; no part of what the crate offers.

use osprey_model::CanonicalUrl;

pub use crate::http1::fuzzing::{Head, head, head_in_pieces};

/// What `Set-Cookie` lines of an answer from `url` make the next request there send; and the jar as JSON.
pub fn cookies<'a>(url: &CanonicalUrl, lines: impl Iterator<Item = &'a str>) -> (Option<String>, String) {
    let jar = crate::cookies::Jar::default();
    jar.take(url, lines, 0);
    (jar.header_for(url, 0), jar.to_json())
}

/// The same of a jar that was read from JSON.
pub fn restored_cookies(url: &CanonicalUrl, json: &str) -> Option<(Option<String>, String)> {
    let jar = crate::cookies::Jar::from_json(json).ok()?;
    Some((jar.header_for(url, 0), jar.to_json()))
}
