//! One HTTP exchange as plain data, and the trait [`Source`] that provides it.
//!
//! The Web is not an error: a 404, a truncated body and a timeout are values of [`Exchange`]. A [`Request`] can only
//! be made from a [`Permitted`] URL, and only robots rules make those: code that ignores robots.txt does not compile.

use std::fmt;
use std::future::Future;
use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;

use crate::{CanonicalUrl, HostKey, MediaType, Timestamp};

/// A URL that the host's robots rules (or the user, by switching them off) allow us to request. Only
/// [`crate::robots::Robots::permit`] and [`Permitted::robots_txt`] make one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permitted {
    url: CanonicalUrl,
    /// Whether it is requested as a robots.txt, which needs no permission wherever it redirects to.
    is_robots: bool,
}

impl Permitted {
    /// Only for the robots rules.
    pub(crate) fn by_rules(url: CanonicalUrl) -> Self {
        Self { url, is_robots: false }
    }

    /// The one file that needs no permission: `/robots.txt` at the origin of `url`.
    pub fn robots_txt(url: &CanonicalUrl) -> Self {
        Self { url: url.robots_txt(), is_robots: true }
    }

    /// The target of a redirect of a robots.txt; `None` for any other request, because its redirects need a
    /// permission.
    pub fn robots_redirect(&self, to: CanonicalUrl) -> Option<Self> {
        self.is_robots.then_some(Self { url: to, is_robots: true })
    }

    /// Whether it was requested as a robots.txt.
    pub fn is_robots(&self) -> bool {
        self.is_robots
    }

    /// The URL.
    pub fn url(&self) -> &CanonicalUrl {
        &self.url
    }
}

/// One request to make.
#[derive(Clone, Debug)]
pub struct Request {
    /// The URL to fetch.
    pub target: Permitted,
    /// The page the link was found on.
    pub referrer: Option<CanonicalUrl>,
    /// Validators of the previous answer, with which the server may reply that nothing has changed.
    pub validators: Validators,
    /// Whether the body is read whatever its media type, as for a sitemap.
    pub takes_all: bool,
}

/// The values that make a request conditional, as the server wrote them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validators {
    /// `ETag`, sent back as `If-None-Match`.
    pub etag: Option<String>,
    /// `Last-Modified`, sent back as `If-Modified-Since`.
    pub last_modified: Option<String>,
}

impl Validators {
    /// The validators in an answer's headers.
    pub fn of(headers: &Headers) -> Self {
        let value = |name| headers.get(name).map(str::to_owned);
        Self { etag: value("etag"), last_modified: value("last-modified") }
    }
}

impl Request {
    /// A plain request for `target`.
    pub fn new(target: Permitted) -> Self {
        Self { target, referrer: None, validators: Validators::default(), takes_all: false }
    }
}

/// Header lines in their original order and spelling; lookups ignore case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, String)>);

impl Headers {
    /// Appends a line.
    pub fn push(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.0.push((name.into(), value.into()));
    }

    /// The first value of that name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }

    /// All lines in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(n, v)| (n.as_str(), v.as_str()))
    }

    /// Number of lines.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Headers {
    fn from_iter<T: IntoIterator<Item = (N, V)>>(lines: T) -> Self {
        Self(lines.into_iter().map(|(n, v)| (n.into(), v.into())).collect())
    }
}

/// A server's answer.
#[derive(Clone, Debug)]
pub struct Response {
    /// The URL that was requested.
    pub url: CanonicalUrl,
    /// The status code.
    pub status: u16,
    /// Response header lines.
    pub headers: Headers,
    /// The body without its content codings, bounded by the fetcher.
    pub body: Bytes,
    /// When the exchange began.
    pub fetched_at: Timestamp,
    /// The duration of the exchange.
    pub took: Duration,
    /// Whether the end of the body is missing, for any reason.
    pub truncated: bool,
    /// How the body ended: [`BodyEnd::Whole`] unless [`Response::truncated`] is set.
    pub body_end: BodyEnd,
    /// The server's address, if there was one.
    pub ip: Option<IpAddr>,
    /// The request as sent (request line and header lines), for the archive; empty if it was not kept.
    pub request_head: Bytes,
    /// A remark for reports, such as `not in the recording`.
    pub note: Option<String>,
}

impl Response {
    /// The media type the server declared.
    pub fn media_type(&self) -> Option<MediaType<'_>> {
        self.headers.get("content-type").and_then(MediaType::parse)
    }

    /// The media type of the body: the declared one, unless it is missing, vague or contradicted by the bytes.
    pub fn effective_media_type(&self) -> Option<MediaType<'_>> {
        let prefix = self.body.get(..MediaType::SNIFF_BYTES).unwrap_or(&self.body);
        MediaType::effective(self.headers.get("content-type"), prefix)
    }

    /// The target of a redirect, as written; `None` if this is not a redirect.
    pub fn location(&self) -> Option<&str> {
        matches!(self.status, 301 | 302 | 303 | 307 | 308).then(|| self.headers.get("location")).flatten()
    }
}

/// How a body ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BodyEnd {
    /// Complete.
    #[default]
    Whole,
    /// Cut at our size limit, on the wire or after decoding.
    Limit,
    /// The connection ended early, or the framing was invalid.
    Early,
    /// A time limit was reached.
    Late,
    /// Its content coding could not be decoded to the end.
    Damaged,
    /// It was not read, because the media type is not wanted.
    Unwanted,
}

impl BodyEnd {
    /// Whether a later attempt may get more of the body.
    pub fn is_transient(self) -> bool {
        matches!(self, Self::Early | Self::Late)
    }
}

/// Why there was no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureKind {
    /// The name could not be resolved.
    Dns,
    /// No connection could be made.
    Connect,
    /// The TLS handshake failed.
    Tls,
    /// A time limit was reached.
    Timeout,
    /// The response arrived too slowly.
    Slow,
    /// The connection broke, or the answer was not valid HTTP.
    Protocol,
    /// Rejected by one of our guards (private address, too many redirects).
    Refused,
    /// The recording could not be read.
    Recording,
    /// An error in Osprey itself.
    Internal,
}

impl FailureKind {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dns => "dns",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Timeout => "timeout",
            Self::Slow => "slow",
            Self::Protocol => "protocol",
            Self::Refused => "refused",
            Self::Recording => "recording",
            Self::Internal => "internal",
        }
    }

    /// The kind with that name.
    pub fn named(name: &str) -> Option<Self> {
        let all = [
            Self::Dns,
            Self::Connect,
            Self::Tls,
            Self::Timeout,
            Self::Slow,
            Self::Protocol,
            Self::Refused,
            Self::Recording,
            Self::Internal,
        ];
        all.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether it concerns the host rather than one URL.
    pub fn is_of_host(self) -> bool {
        matches!(self, Self::Dns | Self::Connect | Self::Tls | Self::Timeout | Self::Slow | Self::Protocol)
    }

    /// Whether a time limit was the cause, so that the request took as long as any may.
    pub fn is_late(self) -> bool {
        matches!(self, Self::Timeout | Self::Slow)
    }

    /// Whether a later attempt can succeed.
    pub fn is_transient(self) -> bool {
        matches!(self, Self::Dns | Self::Connect | Self::Timeout | Self::Slow | Self::Protocol)
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An exchange without an answer.
#[derive(Clone, Debug)]
pub struct FetchFailure {
    /// What was requested.
    pub url: CanonicalUrl,
    /// The kind of failure.
    pub kind: FailureKind,
    /// The cause, as a message.
    pub message: String,
    /// When it failed.
    pub at: Timestamp,
}

/// The result of a request.
#[derive(Clone, Debug)]
pub enum Exchange {
    /// The server answered, with any status.
    Answered(Response),
    /// It did not answer.
    Failed(FetchFailure),
}

/// Where pages come from: the live Web, a recording or a simulated web. Callers cannot tell which.
///
/// A redirect is an answer; a source does not follow it. A source never panics and never waits without a limit.
pub trait Source: Send + Sync + 'static {
    /// Makes one request.
    fn fetch(&self, request: Request) -> impl Future<Output = Exchange> + Send;

    /// The address that requests to `host` will go to, if the source has addresses: hosts on one address share its
    /// limits. Opens no connection. `None` if there is no address, or none that may be contacted.
    fn locate(&self, _host: &HostKey) -> impl Future<Output = Option<IpAddr>> + Send {
        std::future::ready(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_ignore_case_and_keep_order() {
        let headers: Headers = [("B", "1"), ("a", "2"), ("b", "3")].into_iter().collect();
        assert_eq!(headers.get("b"), Some("1"));
        assert_eq!(headers.iter().map(|(n, _)| n).collect::<Vec<_>>(), ["B", "a", "b"]);
    }
}
