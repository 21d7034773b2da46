//! A door for the fuzz targets to the parsers of what servers send; no part of what the crate offers.

use osprey_model::{BodyEnd, CanonicalUrl, Headers};

pub use crate::http1::fuzzing::{Head, chunks, head, head_in_pieces};

/// Removes the codings of a `Content-Encoding` line from `wire`, giving at most `max` bytes; or says why not.
pub fn decode(coding: &str, wire: &[u8], max: usize) -> Result<(Vec<u8>, BodyEnd), String> {
    let headers: Headers = [("Content-Encoding", coding)].into_iter().collect();
    let codings = crate::coding::codings(&headers)?;
    let decoded = crate::coding::decode(&codings, wire, max);
    Ok((decoded.body.into_owned(), decoded.end))
}

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
