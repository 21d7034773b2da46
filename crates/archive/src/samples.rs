//! Small responses for tests.

use std::time::Duration;

use bytes::Bytes;
use osprey_model::{CanonicalUrl, Headers, Response, Timestamp, UrlRules};

pub(crate) fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text, &UrlRules::default()).unwrap()
}

pub(crate) fn response(at: &str, body: &[u8]) -> Response {
    Response {
        url: url(at),
        status: 200,
        headers: Headers::from_iter([("Content-Type", "text/html; charset=utf-8")]),
        body: Bytes::copy_from_slice(body),
        fetched_at: Timestamp::from_millis(1_800_000_000_123),
        took: Duration::from_millis(12),
        truncated: false,
        body_end: Default::default(),
        ip: Some([192, 0, 2, 7].into()),
        request_head: Bytes::from_static(b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"),
        note: None,
    }
}
