//! Which URLs a crawl may request: one check for links, start URLs and redirects.
//!
//! A scope is a shape around the start URLs, narrowed by patterns. Shapes are hash lookups; patterns are regular
//! expressions with linear running time, searched in the whole URL. So the cost of a check depends only on the
//! project's patterns, never on a page. Scopes are strict: `host` means this host and port, not its `www.` sibling;
//! `prefix` also requires the same origin.

use std::collections::{HashMap, HashSet};
use std::fmt;

use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{CanonicalUrl, HostKey};

/// The maximum size of a compiled pattern in bytes.
const PATTERN_SIZE: usize = 1 << 20;

/// The shape of a scope, relative to the start URLs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScopeKind {
    /// The hosts of the start URLs.
    #[default]
    Host,
    /// The registrable domains of the start URLs.
    Domain,
    /// URLs that begin with the directory of a start URL.
    Prefix,
    /// All URLs.
    Any,
}

impl fmt::Display for ScopeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Host => "host",
            Self::Domain => "domain",
            Self::Prefix => "prefix",
            Self::Any => "any",
        })
    }
}

/// A pattern that is not a valid regular expression.
#[derive(Debug, Error)]
#[error("`{pattern}`: not a regular expression: {cause}")]
pub struct ScopeError {
    /// The pattern as written.
    pub pattern: String,
    /// The regex engine's message.
    pub cause: String,
}

/// Why a URL is out of scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScopeRefusal {
    /// It is outside the shape.
    Outside(ScopeKind),
    /// No `allow` pattern matches.
    NotAllowed,
    /// This `deny` pattern matches.
    Denied(String),
}

impl fmt::Display for ScopeRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside(ScopeKind::Host) => f.write_str("on none of the seeds' hosts (scope `host`)"),
            Self::Outside(ScopeKind::Domain) => f.write_str("in none of the seeds' domains (scope `domain`)"),
            Self::Outside(ScopeKind::Prefix) => {
                f.write_str("under none of the seeds' directories (scope `prefix`)")
            }
            Self::Outside(ScopeKind::Any) => f.write_str("outside of scope `any`"),
            Self::NotAllowed => f.write_str("matches no `allow` pattern"),
            Self::Denied(pattern) => write!(f, "matches the `deny` pattern `{pattern}`"),
        }
    }
}

/// A scope ready for use.
#[derive(Clone, Debug)]
pub struct Scope {
    shape: Shape,
    allow: Vec<Regex>,
    deny: Vec<Regex>,
}

#[derive(Clone, Debug)]
enum Shape {
    Hosts(HashSet<HostKey>),
    Domains(HashSet<Box<str>>),
    /// Directories by origin, both as text of URLs.
    Prefixes(HashMap<Box<str>, Vec<Box<str>>>),
    Any,
}

impl Shape {
    fn new(kind: ScopeKind, seeds: &[CanonicalUrl]) -> Self {
        match kind {
            ScopeKind::Host => Self::Hosts(seeds.iter().map(CanonicalUrl::host_key).collect()),
            ScopeKind::Domain => Self::Domains(seeds.iter().map(|s| s.registrable_domain().into()).collect()),
            ScopeKind::Prefix => {
                let mut prefixes: HashMap<Box<str>, Vec<Box<str>>> = HashMap::new();
                for seed in seeds {
                    prefixes.entry(seed.origin().into()).or_default().push(seed.directory().into());
                }
                Self::Prefixes(prefixes)
            }
            ScopeKind::Any => Self::Any,
        }
    }

    fn kind(&self) -> ScopeKind {
        match self {
            Self::Hosts(_) => ScopeKind::Host,
            Self::Domains(_) => ScopeKind::Domain,
            Self::Prefixes(_) => ScopeKind::Prefix,
            Self::Any => ScopeKind::Any,
        }
    }

    fn reaches(&self, url: &CanonicalUrl) -> bool {
        match self {
            Self::Hosts(hosts) => hosts.contains(url.authority()),
            Self::Domains(domains) => domains.contains(url.registrable_domain()),
            Self::Prefixes(prefixes) => prefixes
                .get(url.origin())
                .is_some_and(|under| under.iter().any(|prefix| url.as_str().starts_with(&**prefix))),
            Self::Any => true,
        }
    }
}

impl Scope {
    /// Builds a scope around `seeds`, narrowed by patterns: a URL must match at least one `allow` (if there are any)
    /// and no `deny`.
    pub fn new(
        kind: ScopeKind,
        seeds: &[CanonicalUrl],
        allow: &[String],
        deny: &[String],
    ) -> Result<Self, ScopeError> {
        Ok(Self { shape: Shape::new(kind, seeds), allow: compile(allow)?, deny: compile(deny)? })
    }

    /// The shape of the scope.
    pub fn kind(&self) -> ScopeKind {
        self.shape.kind()
    }

    /// `Ok` if the crawl may touch `url`.
    pub fn check(&self, url: &CanonicalUrl) -> Result<(), ScopeRefusal> {
        if !self.shape.reaches(url) {
            return Err(ScopeRefusal::Outside(self.kind()));
        }
        if !self.allow.is_empty() && !self.allow.iter().any(|pattern| pattern.is_match(url.as_str())) {
            return Err(ScopeRefusal::NotAllowed);
        }
        match self.deny.iter().find(|pattern| pattern.is_match(url.as_str())) {
            Some(pattern) => Err(ScopeRefusal::Denied(pattern.as_str().to_owned())),
            None => Ok(()),
        }
    }
}

fn compile(patterns: &[String]) -> Result<Vec<Regex>, ScopeError> {
    let build = |pattern: &String| {
        let regex = RegexBuilder::new(pattern).size_limit(PATTERN_SIZE).dfa_size_limit(PATTERN_SIZE).build();
        regex.map_err(|error| ScopeError { pattern: pattern.clone(), cause: plain_cause(&error) })
    };
    patterns.iter().map(build).collect()
}

/// The regex engine's message without the drawing of the pattern: a message of ours has one line.
fn plain_cause(error: &regex::Error) -> String {
    match error {
        regex::Error::CompiledTooBig(limit) => format!("needs more than {limit} bytes"),
        other => {
            let text = other.to_string();
            let last = text.lines().last().unwrap_or("");
            last.strip_prefix("error: ").unwrap_or(last).to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::UrlRules;

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text, &UrlRules::default()).unwrap()
    }

    fn scope(kind: ScopeKind, seed: &str, allow: &[&str], deny: &[&str]) -> Scope {
        let owned = |patterns: &[&str]| patterns.iter().map(|p| (*p).to_owned()).collect::<Vec<_>>();
        Scope::new(kind, &[url(seed)], &owned(allow), &owned(deny)).unwrap()
    }

    #[test]
    fn shapes() {
        let check = |kind: ScopeKind, seed: &str, inside: &[&str], outside: &[&str]| {
            let scope = scope(kind, seed, &[], &[]);
            for text in inside {
                assert_eq!(scope.check(&url(text)), Ok(()), "{kind} {seed} {text}");
            }
            for text in outside {
                assert_eq!(scope.check(&url(text)), Err(ScopeRefusal::Outside(kind)), "{kind} {seed} {text}");
            }
        };
        check(
            ScopeKind::Host,
            "https://www.a.com/x",
            &["http://www.a.com/", "https://www.a.com/y"],
            &["http://a.com/", "http://www.a.com:81/", "http://www.a.com.evil.org/"],
        );
        check(
            ScopeKind::Domain,
            "https://www.a.co.uk/x",
            &["http://a.co.uk/", "https://b.a.co.uk:81/y"],
            &["http://b.co.uk/", "http://aa.co.uk/", "http://a.co.uk.evil.org/"],
        );
        check(
            ScopeKind::Domain,
            "http://10.0.0.1/",
            &["https://10.0.0.1/"],
            &["http://10.0.0.2/", "http://1.0.0.1/"],
        );
        check(
            ScopeKind::Prefix,
            "https://a.com/x/index.html?q",
            &["https://a.com/x/", "https://a.com/x/y/z"],
            &["https://a.com/x", "https://a.com/xy/", "http://a.com/x/", "https://a.com.evil.org/x/"],
        );
        check(ScopeKind::Any, "https://a.com/", &["http://b.org/"], &[]);
    }

    #[test]
    fn patterns_refine() {
        let scope = scope(ScopeKind::Host, "http://a.com/", &["/t/[0-9]+$", r"\?page="], &["page=13"]);
        assert_eq!(scope.check(&url("http://a.com/t/12")), Ok(()));
        assert_eq!(scope.check(&url("http://a.com/?page=1")), Ok(()));
        assert_eq!(scope.check(&url("http://a.com/t/x")), Err(ScopeRefusal::NotAllowed));
        let denied = scope.check(&url("http://a.com/?page=13")).unwrap_err();
        assert_eq!(denied.to_string(), "matches the `deny` pattern `page=13`");
        assert_eq!(scope.check(&url("http://b.com/t/12")), Err(ScopeRefusal::Outside(ScopeKind::Host)));
    }

    #[test]
    fn unusable_patterns_say_why() {
        let check = |pattern: &str, message: &str| {
            let error = Scope::new(ScopeKind::Any, &[], &[], &[pattern.to_owned()]).unwrap_err();
            assert_eq!(error.to_string(), message);
        };
        check("a(b", "`a(b`: not a regular expression: unclosed group");
        check(r"\w{5000}", r"`\w{5000}`: not a regular expression: needs more than 1048576 bytes");
    }
}
