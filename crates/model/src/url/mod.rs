//! Canonical URLs: one spelling per resource, so that comparing strings tells whether a URL is known.
//!
//! A URL is parsed as browsers do (WHATWG, by the `url` crate) and then converted to one form:
//!
//! - only `http` and `https`; user name, password and fragment are dropped;
//! - the default port, dot segments and an empty query are removed; host names become lower-case punycode and
//!   lose the final dot of a fully qualified name (both spellings reach the same server in practice);
//! - percent-encoding: hexadecimal digits are upper case, unreserved characters are decoded, and characters that
//!   RFC 3986 does not allow (`[ ] ^ | { }` ...) and a `%` that does not begin an escape are encoded;
//! - query parameters keep their order; those named in [`UrlRules::drop_params`] are removed, even if they are in
//!   the path (`/page;jsessionid=1`).
//!
//! What is *not* done, because it can merge different resources: sorting parameters, collapsing `//`, removing
//! `index.html` or a final slash, lower-casing paths, decoding reserved characters.
//!
//! Rejected although browsers accept them: hosts longer than DNS allows or with an empty label, and URLs longer than
//! [`UrlRules::max_length`].
//!
//! A page has some hundred links, so most do not go through the full parser: see [`UrlBase`].

mod base;
mod canonical;
mod host;
mod plain;
mod rules;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

pub use base::{QueryEncoding, UrlBase};
pub use host::HostKey;
pub use rules::UrlRules;

pub(crate) use canonical::push_normalised;

/// Why a text is not a URL that Osprey can follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UrlProblem {
    /// It is not a URL.
    #[error("not a URL")]
    Invalid,
    /// A scheme other than http and https.
    #[error("scheme is not http or https")]
    Scheme,
    /// Longer than [`UrlRules::max_length`].
    #[error("longer than the limit for URLs")]
    TooLong,
}

/// An absolute http(s) URL in canonical form. Cheap to clone; compared, ordered and hashed by its text.
///
/// ```
/// use osprey_model::{CanonicalUrl, UrlRules};
///
/// let rules = UrlRules::default();
/// let page = CanonicalUrl::parse("HTTP://Example.ORG:80/forum/./index.html#top", &rules)?;
/// assert_eq!(page.as_str(), "http://example.org/forum/index.html");
/// let link = page.join("topic?id=7&utm_source=feed", &rules)?;
/// assert_eq!(link.path_and_query(), "/forum/topic?id=7");
/// # Ok::<(), osprey_model::UrlProblem>(())
/// ```
#[derive(Clone)]
pub struct CanonicalUrl {
    text: Arc<str>,
    /// Where the query's `?` is, or the length of the text.
    query_at: u32,
    /// Where the host ends: before the port's colon or the path's slash.
    host_end: u16,
    /// Length of `:port`, 0 without a port.
    port_len: u8,
}

impl CanonicalUrl {
    /// Parses an absolute URL.
    pub fn parse(text: &str, rules: &UrlRules) -> Result<Self, UrlProblem> {
        base::resolve(None, text, rules)
    }

    /// Resolves a reference found on the page with this URL. For many references of one page, use a [`UrlBase`].
    pub fn join(&self, reference: &str, rules: &UrlRules) -> Result<Self, UrlProblem> {
        UrlBase::new(self).join(reference, rules)
    }

    /// Reads a URL that was canonical when it was stored. Checks its structure and finds its parts, but changes
    /// nothing: a URL stored under older rules stays as it is.
    pub fn from_stored(text: &str) -> Result<Self, UrlProblem> {
        Self::with_parts(text).ok_or(UrlProblem::Invalid)
    }

    fn with_parts(text: &str) -> Option<Self> {
        if !text.bytes().all(|b| b.is_ascii_graphic() && b != b'#') {
            return None;
        }
        let host_start = scheme_len(text)? + 3;
        let path_at = host_start + text.get(host_start..)?.find('/')?;
        let authority = text.get(host_start..path_at)?;
        let host_len = match (authority.rfind(':'), authority.ends_with(']')) {
            (Some(colon), false) => colon,
            _ => authority.len(),
        };
        let port = authority.get(host_len..)?;
        let digits = port.strip_prefix(':').unwrap_or("0");
        let is_number = digits.bytes().all(|b| b.is_ascii_digit()) && digits.parse::<u16>().is_ok();
        if host_len == 0 || !is_number || authority.contains('@') {
            return None;
        }
        let query_at = text.get(path_at..)?.find('?').map_or(text.len(), |at| path_at + at);
        Self::assemble(text.into(), host_start + host_len, path_at, query_at)
    }

    /// Assembles a URL; `None` if an offset does not fit its integer type.
    fn assemble(text: Arc<str>, host_end: usize, path_at: usize, query_at: usize) -> Option<Self> {
        Some(Self {
            query_at: query_at.try_into().ok()?,
            host_end: host_end.try_into().ok()?,
            port_len: path_at.checked_sub(host_end)?.try_into().ok()?,
            text,
        })
    }

    /// The whole URL.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// A stable 64-bit fingerprint of the text (XXH3), which frontiers store.
    pub fn fingerprint(&self) -> u64 {
        xxhash_rust::xxh3::xxh3_64(self.text.as_bytes())
    }

    /// `http` or `https`.
    pub fn scheme(&self) -> &str {
        if self.is_https() { "https" } else { "http" }
    }

    /// The host without port: a name, an IPv4 address, or an IPv6 address in brackets.
    pub fn host(&self) -> &str {
        self.slice(self.host_start(), self.host_end.into())
    }

    /// The port to connect to.
    pub fn port(&self) -> u16 {
        let default = if self.is_https() { 443 } else { 80 };
        self.slice(usize::from(self.host_end) + 1, self.path_at()).parse().unwrap_or(default)
    }

    /// `host[:port]`, the port only if it is not the scheme's own: the text of [`CanonicalUrl::host_key`].
    pub fn authority(&self) -> &str {
        self.slice(self.host_start(), self.path_at())
    }

    /// The path, from the first slash.
    pub fn path(&self) -> &str {
        self.slice(self.path_at(), self.query_at())
    }

    /// The query, without the question mark.
    pub fn query(&self) -> Option<&str> {
        self.text.get(self.query_at() + 1..)
    }

    /// Path and query: the part that robots rules apply to.
    pub fn path_and_query(&self) -> &str {
        self.slice(self.path_at(), self.text.len())
    }

    /// `scheme://host[:port]`: the unit that a robots.txt applies to.
    pub fn origin(&self) -> &str {
        self.slice(0, self.path_at())
    }

    /// The URL up to the last slash of its path, which relative references start from.
    pub fn directory(&self) -> &str {
        let end = self.path().rfind('/').map_or(self.query_at(), |slash| self.path_at() + slash + 1);
        self.slice(0, end)
    }

    /// The host key, which names the queue of this URL. `http` and `https` of one host share it.
    pub fn host_key(&self) -> HostKey {
        HostKey::from_authority(self.authority())
    }

    /// Whether its host is a name under a known public suffix: true for `example.org`, false for `node.js` and for
    /// addresses.
    pub fn has_public_suffix(&self) -> bool {
        host::has_public_suffix(self.host())
    }

    /// The registrable domain (`example.co.uk`); the host itself for addresses, single names and public suffixes.
    pub fn registrable_domain(&self) -> &str {
        host::registrable_domain(self.host())
    }

    /// `/robots.txt` at the same origin.
    pub fn robots_txt(&self) -> Self {
        let text: Arc<str> = format!("{}/robots.txt", self.origin()).into();
        // A host and eleven letters: the length always fits.
        let query_at = u32::try_from(text.len()).unwrap_or(u32::MAX);
        Self { text, query_at, ..*self }
    }

    fn is_https(&self) -> bool {
        self.text.as_bytes().get(4) == Some(&b's')
    }

    fn host_start(&self) -> usize {
        if self.is_https() { 8 } else { 7 }
    }

    fn path_at(&self) -> usize {
        usize::from(self.host_end) + usize::from(self.port_len)
    }

    fn query_at(&self) -> usize {
        self.query_at as usize
    }

    /// The text is ASCII and the offsets are within it, so the fallback is never used.
    fn slice(&self, from: usize, to: usize) -> &str {
        self.text.get(from..to).unwrap_or("")
    }
}

/// Length of the scheme if `text` begins with `http://` or `https://`, in lower case.
fn scheme_len(text: &str) -> Option<usize> {
    if text.starts_with("https://") {
        Some(5)
    } else if text.starts_with("http://") {
        Some(4)
    } else {
        None
    }
}

impl PartialEq for CanonicalUrl {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for CanonicalUrl {}

impl PartialOrd for CanonicalUrl {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for CanonicalUrl {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.text.cmp(&other.text)
    }
}

impl Hash for CanonicalUrl {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl AsRef<str> for CanonicalUrl {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for CanonicalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for CanonicalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.text)
    }
}

impl Serialize for CanonicalUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for CanonicalUrl {
    /// Does not canonicalise: the text was canonical when it was written. See [`CanonicalUrl::from_stored`].
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::from_stored(&text).map_err(|problem| serde::de::Error::custom(format!("`{text}`: {problem}")))
    }
}

#[cfg(test)]
mod tests;
