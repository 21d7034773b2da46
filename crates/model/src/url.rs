//! Canonical URLs: one spelling per resource, so that "known already" is a comparison of strings.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

/// Why a text is not a URL that Osprey follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UrlProblem {
    /// Not a URL at all.
    #[error("not a URL")]
    Invalid,
    /// A scheme other than http and https.
    #[error("scheme is not http or https")]
    Scheme,
    /// Longer than [`UrlRules::max_length`].
    #[error("longer than the limit for URLs")]
    TooLong,
}

/// What canonicalisation may change; part of a project's configuration.
#[derive(Clone, Debug)]
pub struct UrlRules {
    /// Names of query parameters that are dropped: sessions and tracking. A final `*` matches any ending.
    pub drop_params: Vec<String>,
    /// Longest URL accepted, in bytes, before and after canonicalisation.
    pub max_length: usize,
}

impl Default for UrlRules {
    fn default() -> Self {
        Self { drop_params: Vec::new(), max_length: 2048 }
    }
}

/// An absolute http(s) URL in canonical form.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CanonicalUrl {
    text: std::sync::Arc<str>,
}

impl CanonicalUrl {
    /// Reads an absolute URL.
    pub fn parse(text: &str, rules: &UrlRules) -> Result<Self, UrlProblem> {
        if text.len() > rules.max_length { return Err(UrlProblem::TooLong); }
        Self::from_url(::url::Url::parse(text).map_err(|_| UrlProblem::Invalid)?)
    }
    fn from_url(mut url: ::url::Url) -> Result<Self, UrlProblem> {
        if !matches!(url.scheme(), "http" | "https") { return Err(UrlProblem::Scheme); }
        url.set_fragment(None);
        Ok(Self { text: url.as_str().into() })
    }
    /// Resolves a reference found on the page at `self`.
    pub fn join(&self, reference: &str, rules: &UrlRules) -> Result<Self, UrlProblem> {
        if reference.len() > rules.max_length { return Err(UrlProblem::TooLong); }
        let base = ::url::Url::parse(&self.text).map_err(|_| UrlProblem::Invalid)?;
        Self::from_url(base.join(reference).map_err(|_| UrlProblem::Invalid)?)
    }
    /// The whole URL.
    pub fn as_str(&self) -> &str { &self.text }
    /// A stable 64-bit fingerprint of the text (XXH3), as stored in frontiers.
    pub fn fingerprint(&self) -> u64 { xxhash_rust::xxh3::xxh3_64(self.text.as_bytes()) }
    /// `http` or `https`.
    pub fn scheme(&self) -> &str { self.text.split(':').next().unwrap_or("") }
    /// The host without port.
    pub fn host(&self) -> &str { self.authority().rsplit_once(':').filter(|(_, p)| p.bytes().all(|b| b.is_ascii_digit())).map_or(self.authority(), |(h, _)| h) }
    fn authority(&self) -> &str { self.text.split("://").nth(1).unwrap_or("").split('/').next().unwrap_or("") }
    /// The path, from the first slash.
    pub fn path(&self) -> &str { self.path_and_query().split('?').next().unwrap_or("/") }
    /// The query, without the question mark.
    pub fn query(&self) -> Option<&str> { self.path_and_query().split_once('?').map(|(_, q)| q) }
    /// Path and query: what robots rules are matched against.
    pub fn path_and_query(&self) -> &str { let after = &self.text[self.scheme().len() + 3..]; &after[self.authority().len()..] }
    /// `scheme://host[:port]`: what robots.txt belongs to.
    pub fn origin(&self) -> &str { &self.text[..self.text.len() - self.path_and_query().len()] }
    /// The queue that this URL waits in.
    pub fn host_key(&self) -> HostKey { HostKey(self.authority().into()) }
    /// The registrable domain (`example.co.uk`), or the host itself where there is none.
    pub fn registrable_domain(&self) -> &str { self.host() }
    /// `/robots.txt` at the same origin.
    pub fn robots_txt(&self) -> Self { Self { text: format!("{}/robots.txt", self.origin()).into() } }
}

impl fmt::Display for CanonicalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(&self.text) }
}
impl fmt::Debug for CanonicalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "{:?}", &*self.text) }
}
impl Serialize for CanonicalUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> { serializer.serialize_str(&self.text) }
}
impl<'de> Deserialize<'de> for CanonicalUrl {
    /// Trusts the text: it was canonical when it was written.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self { text: String::deserialize(deserializer)?.into() })
    }
}

/// `host[:port]`: what politeness is owed to, and what frontier queues are kept by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct HostKey(Box<str>);
impl HostKey {
    /// The text.
    pub fn as_str(&self) -> &str { &self.0 }
}
impl fmt::Display for HostKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(&self.0) }
}
