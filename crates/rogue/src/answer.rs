//! A request and its answer: well-formed, as raw bytes, or as a fault of HTTP/2.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;

/// A request whose head has arrived.
#[derive(Clone, Copy, Debug)]
pub struct SiteRequest<'a> {
    /// The `Host` header (or `:authority`) as sent; empty if there was none.
    pub host: &'a str,
    /// Path and query as sent.
    pub path: &'a str,
    /// The client's end.
    pub peer: SocketAddr,
    /// The server's end: with a listener on all addresses, this tells which one the client connected to.
    pub local: SocketAddr,
    pub(crate) lines: &'a [(&'a str, &'a str)],
}

impl<'a> SiteRequest<'a> {
    /// The first header of that name.
    pub fn header(&self, name: &str) -> Option<&'a str> {
        self.lines.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| *value)
    }

    /// The host without its port.
    pub fn host_name(&self) -> &'a str {
        match self.host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
            _ => self.host,
        }
    }
}

/// A web site: takes a request and returns an answer. It runs on the server's thread, so it must not block.
pub trait Site: Send + Sync + 'static {
    /// Answers one request.
    fn answer(&self, asked: &SiteRequest<'_>) -> Answer;
}

impl<F: Fn(&SiteRequest<'_>) -> Answer + Send + Sync + 'static> Site for F {
    fn answer(&self, asked: &SiteRequest<'_>) -> Answer {
        self(asked)
    }
}

impl<S: Site + ?Sized> Site for std::sync::Arc<S> {
    fn answer(&self, asked: &SiteRequest<'_>) -> Answer {
        (**self).answer(asked)
    }
}

/// How to answer a request.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A well-formed answer, over HTTP/1.1 or HTTP/2.
    Reply(Reply),
    /// The same after a delay.
    Late(Duration, Reply),
    /// Raw HTTP/1.1 bytes, exactly as written here; the connection is closed at the end.
    Script(Vec<Step>),
    /// Something only HTTP/2 can do wrong. Over HTTP/1.1 it is a 505.
    Http2(Http2Fault),
}

impl From<Reply> for Answer {
    fn from(reply: Reply) -> Self {
        Self::Reply(reply)
    }
}

/// One step of a raw answer.
#[derive(Clone, Debug)]
pub enum Step {
    /// Sends these bytes.
    Send(Bytes),
    /// Sends these bytes this many times; `u64::MAX` means forever.
    Repeat(Bytes, u64),
    /// Sends these bytes repeatedly, with a pause before each.
    Drip(Bytes, Duration),
    /// Sends nothing for this long.
    Wait(Duration),
    /// Sends nothing more, until the client closes the connection.
    Stall,
    /// Resets the connection (TCP RST) instead of closing it.
    Reset,
}

impl Step {
    /// Sends a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Send(Bytes::from(text.into()))
    }
}

/// A fault of HTTP/2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Http2Fault {
    /// RST_STREAM instead of an answer.
    Reset,
    /// RST_STREAM (REFUSED_STREAM), every time, which invites the client to try again.
    Refuse,
    /// RST_STREAM in the middle of the body.
    ResetInBody,
    /// GOAWAY (ENHANCE_YOUR_CALM) instead of an answer.
    GoAway,
    /// The connection is closed instead of an answer.
    Vanish,
    /// RST_STREAM (HTTP_1_1_REQUIRED) instead of an answer.
    WantHttp1,
    /// No answer at all, on a connection that stays open.
    Silence,
    /// An answer whose body never ends.
    EndlessBody,
    /// An answer with a megabyte of header lines.
    HeaderFlood,
}

/// A well-formed answer. `Content-Length` is added.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// The status code.
    pub status: u16,
    /// Header lines.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Bytes,
}

impl Reply {
    /// An answer without body and headers.
    pub fn status(status: u16) -> Self {
        Self { status, ..Self::default() }
    }

    /// 200 with a media type and a body.
    pub fn ok(media_type: &str, body: impl Into<Bytes>) -> Self {
        Self { body: body.into(), ..Self::status(200) }.with("Content-Type", media_type)
    }

    /// 200 with a page.
    pub fn html(body: impl Into<String>) -> Self {
        Self::ok("text/html; charset=utf-8", body.into())
    }

    /// 200 with plain text.
    pub fn text(body: impl Into<String>) -> Self {
        Self::ok("text/plain; charset=utf-8", body.into())
    }

    /// A redirect.
    pub fn redirect(status: u16, to: impl Into<String>) -> Self {
        Self::status(status).with("Location", to)
    }

    /// Adds a header line.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The bytes of the answer in HTTP/1.1, on a connection that stays open.
    pub fn encode(&self) -> Vec<u8> {
        let lines: usize = self.headers.iter().map(|(name, value)| name.len() + value.len() + 4).sum();
        let mut out = Vec::with_capacity(64 + lines + self.body.len());
        let reason = if self.status == 200 { "OK" } else { "Other" };
        push(&mut out, &["HTTP/1.1 ", &self.status.to_string(), " ", reason, "\r\n"]);
        for (name, value) in &self.headers {
            push(&mut out, &[name, ": ", value, "\r\n"]);
        }
        if self.status != 304 && self.status != 204 {
            push(&mut out, &["Content-Length: ", &self.body.len().to_string(), "\r\n"]);
        }
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(&self.body);
        out
    }
}

fn push(out: &mut Vec<u8>, parts: &[&str]) {
    for part in parts {
        out.extend_from_slice(part.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_http() {
        let check =
            |reply: Reply, expect: &str| assert_eq!(String::from_utf8(reply.encode()).unwrap(), expect);
        check(
            Reply::text("hello"),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 5\r\n\r\nhello",
        );
        check(Reply::status(304), "HTTP/1.1 304 Other\r\n\r\n");
        check(Reply::redirect(301, "/b"), "HTTP/1.1 301 Other\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n");
    }

    #[test]
    fn host_names_lose_the_port() {
        let check = |host: &str, expect: &str| {
            let end = "127.0.0.1:1".parse().unwrap();
            let asked = SiteRequest { host, path: "/", peer: end, local: end, lines: &[] };
            assert_eq!(asked.host_name(), expect);
        };
        check("a.test:8080", "a.test");
        check("a.test", "a.test");
        check("[::1]:80", "[::1]");
        check("[::1]", "[::1]");
    }
}
