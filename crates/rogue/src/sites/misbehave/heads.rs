//! Status lines and headers that are invalid, endless, or too many.

use std::time::Duration;

use bytes::Bytes;

use crate::{Answer, Reply, SiteRequest, Step};

/// The pause between the bytes of a slow answer: shorter than any idle limit, so that only a limit on the total helps.
pub(super) const DRIP: Duration = Duration::from_millis(20);

/// Hops of `/redirect-chain` until `/good`.
const CHAIN: u32 = 50;

/// Sends these bytes and closes the connection.
pub(super) fn raw(text: &str) -> Answer {
    Answer::Script(vec![Step::text(text)])
}

pub(super) fn reset() -> Answer {
    Answer::Script(vec![Step::Reset])
}

pub(super) fn silence() -> Answer {
    Answer::Script(vec![Step::Stall])
}

pub(super) fn drip() -> Answer {
    let start = Step::text("HTTP/1.1 200 OK\r\nX-Drip: ");
    Answer::Script(vec![start, Step::Drip(Bytes::from_static(b"x"), DRIP)])
}

/// A head in which `bytes` are repeated forever.
pub(super) fn endless(bytes: &'static str) -> Answer {
    let start = Step::text("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Start: ");
    let line_end = if bytes.ends_with('\n') { "1\r\n" } else { "" };
    Answer::Script(vec![
        start,
        Step::text(line_end),
        Step::Repeat(Bytes::from_static(bytes.as_bytes()), u64::MAX),
    ])
}

/// A complete head with `count` lines, each with a different name.
pub(super) fn lines(count: u32) -> Answer {
    let head = (0..count).fold(Reply::html("flooded"), |reply, at| reply.with(format!("X-{at}"), "1"));
    head.into()
}

pub(super) fn long_line(len: usize) -> Answer {
    Reply::html("flooded").with("X-Long", "x".repeat(len)).into()
}

pub(super) fn binary() -> Answer {
    let bytes: Vec<u8> = (0..=255).cycle().skip(128).take(4096).collect();
    Answer::Script(vec![Step::Send(bytes.into())])
}

pub(super) fn endless_status() -> Answer {
    Answer::Script(vec![Step::text("HTTP/1.1 200 "), Step::Repeat(Bytes::from_static(b"O"), u64::MAX)])
}

/// `100 Continue` without end.
pub(super) fn endless_continues() -> Answer {
    let line = Bytes::from_static(b"HTTP/1.1 100 Continue\r\n\r\n");
    Answer::Script(vec![Step::Repeat(line, u64::MAX)])
}

/// `/redirect-chain` leads to `/redirect-chain/1`, and so on.
pub(super) fn chain(asked: &SiteRequest<'_>) -> Answer {
    let hop = asked.path.rsplit('/').next().and_then(|hop| hop.parse().ok()).unwrap_or(0);
    let to = if hop < CHAIN { format!("/redirect-chain/{}", hop + 1) } else { "/good".to_owned() };
    Reply::redirect(302, to).into()
}

pub(super) fn retry_after(value: &str) -> Answer {
    Reply::status(503).with("Retry-After", value).into()
}

/// Forty cookies of half a kilobyte, with new names for every path: a cookie jar without limits would send all of
/// them back.
pub(super) fn cookies(asked: &SiteRequest<'_>) -> Answer {
    let tag: String = asked.path.chars().filter(char::is_ascii_alphanumeric).collect();
    let cookie = |at: u32| format!("c{at}{tag}={}; Path=/; Max-Age=99999999999", "v".repeat(512));
    (0..40).fold(Reply::html("<p>cookies</p>"), |reply, at| reply.with("Set-Cookie", cookie(at))).into()
}

pub(super) fn cookie_lines(count: u32) -> Answer {
    let reply = Reply::html("<p>cookies</p>");
    (0..count).fold(reply, |reply, at| reply.with("Set-Cookie", format!("c{at}=1"))).into()
}
