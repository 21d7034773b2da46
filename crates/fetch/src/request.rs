//! The head of a request: what is sent, and what the archive keeps of it.
//!
//! One text in HTTP/1.1's form serves both; HTTP/2 translates it. Nothing from the Web gets into it that could end
//! a line.

use bytes::Bytes;
use osprey_model::{CanonicalUrl, Request};

use crate::proxy::Proxy;

/// Pages and pictures first, but nothing is refused.
const ACCEPT: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,image/*;q=0.8,*/*;q=0.7";
/// Old proxies and servers without TLS garble what they don't know; browsers are as careful.
const ENCODINGS_PLAIN: &str = "gzip, deflate";
const ENCODINGS_TLS: &str = "gzip, deflate, br, zstd";
/// A longer validator is not worth a conditional request.
const MAX_VALIDATOR: usize = 1024;

/// A request ready to be sent.
pub(crate) struct RequestHead {
    /// As the server gets it: for the archive, and for the wire.
    text: String,
    /// Where the header lines begin.
    lines_at: usize,
}

impl RequestHead {
    pub(crate) fn new(request: &Request, user_agent: &str, cookies: Option<&str>) -> Self {
        let url = request.target.url();
        let is_tls = url.scheme() == "https";
        let encodings = if is_tls { ENCODINGS_TLS } else { ENCODINGS_PLAIN };
        let mut text = String::with_capacity(url.as_str().len() + user_agent.len() + 320);
        for part in ["GET ", url.path_and_query(), " HTTP/1.1\r\n"] {
            text.push_str(part);
        }
        let lines_at = text.len();
        let mut line = |name: &str, value: &str| {
            for part in [name, ": ", value, "\r\n"] {
                text.push_str(part);
            }
        };
        line("Host", url.authority());
        line("User-Agent", user_agent);
        line("Accept", ACCEPT);
        line("Accept-Encoding", encodings);
        if let Some(referrer) = request.referrer.as_ref().and_then(|from| referrer(from, url)) {
            line("Referer", &referrer);
        }
        if let Some(cookies) = cookies {
            line("Cookie", cookies);
        }
        let validators = &request.validators;
        for (name, value) in
            [("If-None-Match", &validators.etag), ("If-Modified-Since", &validators.last_modified)]
        {
            if let Some(value) = value.as_deref().filter(|value| is_sendable(value)) {
                line(name, value);
            }
        }
        text.push_str("\r\n");
        Self { text, lines_at }
    }

    /// A request that brings a body of so many bytes, over a connection that ends with it.
    pub(crate) fn of_post(url: &CanonicalUrl, user_agent: &str, media_type: &str, length: usize) -> Self {
        let start = format!("POST {} HTTP/1.1\r\n", url.path_and_query());
        let lines_at = start.len();
        let text = format!(
            "{start}Host: {}\r\nUser-Agent: {user_agent}\r\nAccept: */*\r\nContent-Type: {media_type}\r\n\
             Content-Length: {length}\r\nConnection: close\r\n\r\n",
            url.authority()
        );
        Self { text, lines_at }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The form for an HTTP proxy: the whole URL, and the login. Never archived.
    pub(crate) fn for_proxy(&self, url: &CanonicalUrl, proxy: &Proxy) -> String {
        let lines = self.text.get(self.lines_at..).unwrap_or_default();
        let login = match proxy.authorization() {
            Some(authorization) => format!("Proxy-Authorization: {authorization}\r\n"),
            None => String::new(),
        };
        let method = self.text.split(' ').next().unwrap_or("GET");
        format!("{method} {url} HTTP/1.1\r\n{login}{lines}")
    }

    pub(crate) fn into_bytes(self) -> Bytes {
        self.text.into()
    }
}

/// Whether a text may be in a header line.
pub(crate) fn is_sendable(value: &str) -> bool {
    let plain = |b: u8| b == b'\t' || (b' '..=b'~').contains(&b);
    !value.is_empty() && value.len() <= MAX_VALIDATOR && value.bytes().all(plain)
}

/// What browsers send by default: the page to its own origin, else only the origin, and nothing from https to http.
fn referrer(from: &CanonicalUrl, to: &CanonicalUrl) -> Option<String> {
    if from.scheme() == "https" && to.scheme() == "http" {
        None
    } else if from.origin() == to.origin() {
        Some(from.as_str().to_owned())
    } else {
        Some(format!("{}/", from.origin()))
    }
}

#[cfg(test)]
mod tests {
    use osprey_model::robots::Robots;
    use osprey_model::{UrlRules, Validators};

    use super::*;

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text, &UrlRules::default()).unwrap()
    }

    fn request(text: &str) -> Request {
        Request::new(Robots::allow_all().permit(&url(text)).unwrap())
    }

    #[test]
    fn writes_the_head() {
        let mut request = request("https://u:p@a.example:444/x?y=1#z");
        request.validators = Validators { etag: Some("\"e\"".into()), last_modified: Some("a\r\nb".into()) };
        let head = RequestHead::new(&request, "osprey/1", Some("a=b"));
        let expect = format!(
            "GET /x?y=1 HTTP/1.1\r\nHost: a.example:444\r\nUser-Agent: osprey/1\r\nAccept: {ACCEPT}\r\n\
             Accept-Encoding: gzip, deflate, br, zstd\r\nCookie: a=b\r\nIf-None-Match: \"e\"\r\n\r\n"
        );
        assert_eq!(head.as_str(), expect);
        let proxy = "http://u:p@h:1".parse().unwrap();
        let start =
            "GET https://a.example:444/x?y=1 HTTP/1.1\r\nProxy-Authorization: Basic dTpw\r\nHost: a.ex";
        assert!(head.for_proxy(request.target.url(), &proxy).starts_with(start));
    }

    #[test]
    fn tells_where_it_comes_from() {
        let check = |from: &str, to: &str, expect: Option<&str>| {
            assert_eq!(referrer(&url(from), &url(to)).as_deref(), expect, "{from} {to}");
        };
        check("http://a.example/x#y", "http://a.example/z", Some("http://a.example/x"));
        check("http://a.example/x", "http://b.example/", Some("http://a.example/"));
        check("http://a.example/x", "https://a.example/", Some("http://a.example/"));
        check("https://a.example/x", "http://a.example/", None);
    }
}
