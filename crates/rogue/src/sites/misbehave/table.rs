//! The table: name, connection, expectation, and the function that does it.

use osprey_model::FailureKind::{Connect, Protocol, Timeout, Tls};

use super::Channel::{Closed, Closing, Expired, Http, Http2, Https, Mute, PlainText, SelfSigned, WrongName};
use super::Expect::{Answered, Broken, Cut, Failed, Late};
use super::{Channel, Expect, Misbehaviour, bodies, heads};
use crate::{Answer, Coding, Flood, Http2Fault, Reply, SiteRequest};

const fn on(
    channel: Channel,
    name: &'static str,
    expect: Expect,
    answer: fn(&SiteRequest<'_>) -> Answer,
) -> Misbehaviour {
    Misbehaviour { name, channel, expect, answer }
}

const fn http(name: &'static str, expect: Expect, answer: fn(&SiteRequest<'_>) -> Answer) -> Misbehaviour {
    on(Http, name, expect, answer)
}

pub(super) const ALL: &[Misbehaviour] = &[
    // bodies that expand
    http("bomb-gzip", Cut(200), |_| bodies::bomb(Coding::Gzip)),
    http("bomb-deflate", Cut(200), |_| bodies::bomb(Coding::Deflate)),
    http("bomb-br", Cut(200), |_| bodies::bomb(Coding::Brotli)),
    http("bomb-zstd", Cut(200), |_| bodies::bomb(Coding::Zstd)),
    http("bomb-window", Broken(200), |_| bodies::huge_window()),
    http("bomb-twice", Cut(200), |_| bodies::bomb_in_gzip()),
    http("coding-garbage", Answered(200), |_| bodies::garbage("gzip")),
    http("coding-unknown", Answered(200), |_| bodies::garbage("rot13")),
    http("coding-cut", Broken(200), |_| bodies::cut_gzip()),
    http("coding-many", Answered(200), |_| bodies::many_codings()),
    // bodies that do not match their framing
    http("close-in-body", Broken(200), |_| bodies::close_in_body()),
    http("reset-in-body", Broken(200), |_| bodies::reset_in_body()),
    http("stall-in-body", Late(200), |_| bodies::stall_in_body()),
    http("drip-body", Late(200), |_| bodies::drip()),
    http("length-too-long", Broken(200), |_| bodies::length_too_long()),
    http("length-too-short", Answered(200), |_| bodies::length_too_short()),
    http("length-smuggled", Answered(200), |_| bodies::smuggled()),
    http("length-twice", Failed(Protocol), |_| bodies::with_length("5\r\nContent-Length: 9")),
    http("length-negative", Answered(200), |_| bodies::with_length("-5")),
    http("length-enormous", Answered(200), |_| bodies::with_length("99999999999999999999999")),
    http("length-exabytes", Cut(200), |_| bodies::exabytes()),
    http("body-endless", Cut(200), |_| bodies::endless()),
    http("chunks-endless", Cut(200), |_| bodies::endless_chunks()),
    http("chunks-of-one", Late(200), |_| bodies::dripped_chunks()),
    http("chunk-size-garbage", Broken(200), |_| bodies::chunked("zz\r\nhello\r\n0\r\n\r\n")),
    http("chunk-size-enormous", Broken(200), |_| bodies::chunked("fffffffffffffffff\r\nhello")),
    http("chunk-extension-endless", Broken(200), |_| bodies::endless_extension()),
    http("trailers-endless", Broken(200), |_| bodies::endless_trailers()),
    http("links-100000", Answered(200), |_| bodies::links().into()),
    // heads
    http("close-at-once", Failed(Protocol), |_| heads::raw("")),
    http("reset-at-once", Failed(Protocol), |_| heads::reset()),
    http("close-in-head", Failed(Protocol), |_| heads::raw("HTTP/1.1 200 OK\r\nContent-Le")),
    http("silence", Failed(Timeout), |_| heads::silence()),
    http("drip-head", Failed(Timeout), |_| heads::drip()),
    http("header-lines-endless", Failed(Protocol), |_| heads::endless("X-Flood: 1\r\n")),
    http("header-line-endless", Failed(Protocol), |_| heads::endless("x")),
    http("header-lines-20000", Failed(Protocol), |_| heads::lines(20_000)),
    http("header-line-1-mib", Failed(Protocol), |_| heads::long_line(1 << 20)),
    http("header-garbage", Failed(Protocol), |_| heads::raw("HTTP/1.1 200 OK\r\n\0\x01: \x02\r\n\r\n")),
    http("status-binary", Failed(Protocol), |_| heads::binary()),
    http("status-endless", Failed(Protocol), |_| heads::endless_status()),
    http("status-http09", Failed(Protocol), |_| heads::raw("<html>no head at all</html>")),
    http("status-version", Failed(Protocol), |_| heads::raw("HTTP/9.9 abc\r\n\r\n")),
    http("status-letters", Failed(Protocol), |_| heads::raw("HTTP/1.1 abc OK\r\n\r\n")),
    http("status-000", Failed(Protocol), |_| heads::raw("HTTP/1.1 000 No\r\nContent-Length: 0\r\n\r\n")),
    http("status-999", Answered(999), |_| Reply::status(999).into()),
    http("status-1xx-endless", Failed(Protocol), |_| heads::endless_continues()),
    http("status-101", Failed(Protocol), |_| {
        heads::raw("HTTP/1.1 101 Go\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")
    }),
    // well-formed, but useless
    http("redirect-loop", Answered(302), |_| Reply::redirect(302, "/redirect-loop").into()),
    http("redirect-chain", Answered(302), heads::chain),
    http("redirect-garbage", Answered(302), |_| Reply::redirect(302, "http://[::bad").into()),
    http("redirect-scheme", Answered(302), |_| Reply::redirect(302, "file:///etc/passwd").into()),
    http("redirect-credentials", Answered(302), |_| {
        Reply::redirect(302, "http://me:pass@good.test/good").into()
    }),
    http("redirect-nowhere", Answered(302), |_| Reply::status(302).into()),
    http("429-storm", Answered(429), |_| Reply::status(429).with("Retry-After", "1").into()),
    http("retry-after-9999", Answered(503), |_| heads::retry_after("Fri, 31 Dec 9999 23:59:59 GMT")),
    http("retry-after-enormous", Answered(503), |_| heads::retry_after("99999999999999999999999")),
    http("retry-after-garbage", Answered(503), |_| heads::retry_after("-1; soon")),
    http("set-cookie-flood", Answered(200), heads::cookies),
    http("set-cookie-20000", Failed(Protocol), |_| heads::cookie_lines(20_000)),
    // HTTP/2
    on(Http2, "h2-reset", Failed(Protocol), |_| Answer::Http2(Http2Fault::Reset)),
    on(Http2, "h2-refuse", Failed(Protocol), |_| Answer::Http2(Http2Fault::Refuse)),
    on(Http2, "h2-reset-in-body", Broken(200), |_| Answer::Http2(Http2Fault::ResetInBody)),
    on(Http2, "h2-goaway", Failed(Protocol), |_| Answer::Http2(Http2Fault::GoAway)),
    on(Http2, "h2-vanish", Failed(Protocol), |_| Answer::Http2(Http2Fault::Vanish)),
    on(Http2, "h2-silence", Failed(Timeout), |_| Answer::Http2(Http2Fault::Silence)),
    on(Http2, "h2-body-endless", Cut(200), |_| Answer::Http2(Http2Fault::EndlessBody)),
    on(Http2, "h2-header-flood", Failed(Protocol), |_| Answer::Http2(Http2Fault::HeaderFlood)),
    on(Channel::Flood(Flood::Garbage), "h2-garbage", Failed(Protocol), good),
    on(Channel::Flood(Flood::Continuations), "h2-continuations", Failed(Protocol), good),
    on(Channel::Flood(Flood::Pings), "h2-pings", Failed(Timeout), good),
    on(Channel::Flood(Flood::Settings), "h2-settings", Failed(Timeout), good),
    on(Channel::Flood(Flood::EmptyData), "h2-empty-data", Broken(200), good),
    on(Channel::Flood(Flood::EarlyHints), "h2-early-hints", Failed(Protocol), good),
    // TLS, and what comes before it
    on(Https, "tls-reset-in-body", Broken(200), |_| bodies::reset_in_body()),
    on(SelfSigned, "tls-self-signed", Failed(Tls), good),
    on(WrongName, "tls-wrong-name", Failed(Tls), good),
    on(Expired, "tls-expired", Failed(Tls), good),
    on(PlainText, "tls-plain-text", Failed(Tls), good),
    on(Mute, "tls-stall", Failed(Timeout), good),
    on(Closing, "tls-close", Failed(Tls), good),
    on(Closed, "port-closed", Failed(Connect), good),
];

/// For faults of the connection: the answer itself is good.
fn good(_: &SiteRequest<'_>) -> Answer {
    Reply::html("<p>this should not be seen</p>").into()
}
