//! HTTP/1.1 over loopback: answers, ways to break off, connections kept and dead.

use std::time::Duration;

use osprey_fetch::{Cookies, FetchOptions, HttpSource, MediaFilter, Timeouts};
use osprey_model::{Exchange, Permitted, Request, Source, Validators};

use crate::support::*;

/// One exchange with a server that says `answer` and then goes on with `then`.
fn exchange(options: FetchOptions, answer: &str, then: Vec<Step>) -> Exchange {
    let server = Server::start(vec![[vec![Hear, say(answer)], then].concat()]);
    run(async { fetch(&HttpSource::new(options).unwrap(), &server.url("/x")).await })
}

/// Status, body, truncated and note of an answer; kind and message of a failure.
fn show(exchange: Exchange) -> String {
    match exchange {
        Exchange::Answered(answer) => {
            let body = String::from_utf8_lossy(&answer.body).into_owned();
            let note = answer.note.unwrap_or_default();
            format!("{} {body:?} {} {note}", answer.status, if answer.truncated { "cut" } else { "whole" })
        }
        failure => failed(failure),
    }
}

#[test]
fn answers() {
    let check = |answer: &str, expect: &str| {
        assert_eq!(show(exchange(options(), answer, vec![])).trim_end(), expect, "{answer:?}");
    };
    check("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "200 \"hello\" whole");
    check("HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno", "404 \"no\" whole");
    check("HTTP/1.1 302 Go\r\nLocation: /y\r\nContent-Length: 0\r\n\r\n", "302 \"\" whole");
    check("HTTP/1.0 200 OK\r\n\r\nold", "200 \"old\" whole");
    check("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "200 \"abc\" whole");
    check("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", "200 \"x\" whole");
    check("HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n", "304 \"\" whole");
    check("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhello", "200 \"he\" whole");
}

#[test]
fn broken_answers() {
    let check = |answer: &str, expect: &str| {
        assert_eq!(show(exchange(options(), answer, vec![])), expect, "{answer:.100}");
    };
    check(
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello",
        "200 \"hello\" cut body ended early: connection closed 4 bytes before the end",
    );
    check(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        "200 \"hel\" cut body ended early: connection closed before the last chunk",
    );
    check(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhello",
        "200 \"hel\" cut body ended early: chunk of another length than announced",
    );
    check("", "protocol: no answer: connection closed");
    check("HTTP/1.1 200 OK\r\nA: b\r\n", "protocol: connection closed within the head");
    check("SSH-2.0-OpenSSH\r\n", "protocol: the response is not HTTP");
    check("HTTP/1.1 101 Switch\r\n\r\n", "protocol: the server switched protocols unasked");
    let flood = format!("HTTP/1.1 200 OK\r\n{}\r\n", "A: b\r\n".repeat(300));
    check(&flood, "protocol: more than 256 header lines");
    let long = format!("HTTP/1.1 200 OK\r\nA: {}\r\n\r\n", "x".repeat(70 << 10));
    check(&long, "protocol: head of more than 65536 bytes");
    check(&"HTTP/1.1 100 Continue\r\n\r\n".repeat(20), "protocol: too many interim responses");
}

#[test]
fn time_limits() {
    let soon = Duration::from_millis(100);
    let usual = Timeouts::default();
    let check = |timeouts: Timeouts, answer: &str, then: Step, expect: &str| {
        let options = FetchOptions { timeouts, ..options() };
        let shown = show(exchange(options, answer, vec![then]));
        assert!(shown.ends_with(expect), "{answer:?}: {shown:.300}");
    };
    let first_byte = Timeouts { first_byte: soon, ..usual };
    check(first_byte, "", Hold, "timeout: no answer within 0.1 s");
    check(first_byte, "HTTP/1.1 200 OK\r\nA: ", Hold, "timeout: no answer within 0.1 s");
    let idle = Timeouts { idle: soon, ..usual };
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello";
    check(idle, answer, Hold, "200 \"hello\" cut body timed out: nothing came for 0.1 s");
    // A server that always has something to send, but hardly any of it body: only the whole limit ends it.
    let whole = Timeouts { whole: soon * 5, ..usual };
    let answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let piece = format!("1;{}\r\nb\r\n", "x".repeat(4000)).into_bytes();
    check(whole, answer, Flood(piece), "cut body timed out: not complete within 0.5 s");
    // One that sends a byte now and then, before any other limit passes.
    let slow = Timeouts { grace: soon, min_rate: 1000, ..usual };
    let words = "slow: slower than 1000 bytes a second after 0.1 s";
    check(slow, answer, Hold, words);
    check(slow, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", Hold, words);
    check(slow, "HTTP/1.1 200 OK\r\nA: ", Hold, words);
    check(Timeouts { first_byte: soon * 3, ..slow }, "", Hold, "timeout: no answer within 0.3 s");
    check(Timeouts { min_rate: 0, idle: soon * 3, ..slow }, answer, Hold, "nothing came for 0.3 s");
}

#[test]
fn bodies_are_cut_at_the_limit() {
    let check = |answer: &str, then: Vec<Step>, expect: &str| {
        let options = FetchOptions { max_body: 5, ..options() };
        assert_eq!(show(exchange(options, answer, then)).trim_end(), expect, "{answer:?}");
    };
    check("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", vec![], "200 \"hello\" whole");
    check("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello!", vec![], "200 \"hello\" cut");
    check("HTTP/1.1 200 OK\r\n\r\nhello", vec![], "200 \"hello\" whole");
    check("HTTP/1.1 200 OK\r\n\r\nhello", vec![Flood(b"more".to_vec())], "200 \"hello\" cut");
    check(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        vec![],
        "200 \"hello\" whole",
    );
    check(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        vec![Flood(b"1\r\nx\r\n".to_vec())],
        "200 \"hello\" cut",
    );
}

#[test]
fn keeps_lines_as_they_came() {
    let answer = b"HTTP/1.1 200 OK\r\nX-b: 1\r\nSET-Cookie: a=1\r\nx-A: \xe4\r\nSet-Cookie: b=2\r\n\r\n";
    let server = Server::start(vec![vec![Hear, say(answer)]]);
    let response =
        run(async { answered(fetch(&HttpSource::new(options()).unwrap(), &server.url("/")).await) });
    let lines: Vec<_> = response.headers.iter().collect();
    assert_eq!(lines, [("X-b", "1"), ("SET-Cookie", "a=1"), ("x-A", "ä"), ("Set-Cookie", "b=2")]);
    assert_eq!(response.ip.unwrap().to_string(), "127.0.0.1");
    assert_eq!(server.heard(), [String::from_utf8(response.request_head.to_vec()).unwrap()]);
}

#[test]
fn connections_are_kept() {
    let server = Server::start(vec![[page("one"), page("two"), page("three")].concat()]);
    run(async {
        let source = HttpSource::new(options()).unwrap();
        for body in ["one", "two", "three"] {
            assert_eq!(answered(fetch(&source, &server.url("/")).await).body, body);
        }
        let counts = source.counts();
        assert_eq!(
            (counts.connections_opened, counts.connections_reused, counts.connections_open),
            (1, 2, 1)
        );
    });
}

#[test]
fn connections_that_end_unclearly_are_not_kept() {
    let check = |answer: &str| {
        let server = Server::start(vec![vec![Hear, say(answer), Hold], page("two")]);
        run(async {
            let source = HttpSource::new(options()).unwrap();
            answered(fetch(&source, &server.url("/")).await);
            assert_eq!(answered(fetch(&source, &server.url("/")).await).body, "two", "{answer}");
            assert_eq!(source.counts().connections_opened, 2, "{answer}");
        });
    };
    check("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 3\r\n\r\none");
    check("HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\none");
    check("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\noneHTTP/1.1 200 OK\r\n");
    check("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
}

#[test]
fn a_dead_connection_is_replaced_unseen() {
    // The first connection ends after one answer without saying so.
    let server = Server::start(vec![page("one"), page("two")]);
    run(async {
        let source = HttpSource::new(options()).unwrap();
        assert_eq!(answered(fetch(&source, &server.url("/")).await).body, "one");
        assert_eq!(answered(fetch(&source, &server.url("/")).await).body, "two");
        assert_eq!(source.counts().connections_opened, 2);
    });
    // The second request is heard, and then the connection ends: sent again once, and only once.
    let server = Server::start(vec![[page("one"), vec![Hear]].concat(), vec![Hear]]);
    run(async {
        let source = HttpSource::new(options()).unwrap();
        assert_eq!(answered(fetch(&source, &server.url("/")).await).body, "one");
        let failure = failed(fetch(&source, &server.url("/")).await);
        assert_eq!(failure, "protocol: no answer: connection closed");
        assert_eq!((server.heard().len(), source.counts().retries), (3, 1));
    });
}

#[test]
fn a_farewell_is_not_taken_for_an_answer() {
    // Said after the second request was sent, but about the wait before it.
    let farewell = say("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    let server = Server::start(vec![[page("one"), vec![Hear, farewell.clone()]].concat(), page("two")]);
    run(async {
        let source = HttpSource::new(options()).unwrap();
        assert_eq!(answered(fetch(&source, &server.url("/")).await).body, "one");
        assert_eq!(answered(fetch(&source, &server.url("/")).await).body, "two");
    });
    // On a fresh connection it is an answer like others.
    let server = Server::start(vec![vec![Hear, farewell]]);
    run(async {
        let source = HttpSource::new(options()).unwrap();
        assert_eq!(answered(fetch(&source, &server.url("/")).await).status, 408);
    });
}

#[test]
fn small_bodies_that_are_not_wanted_are_passed() {
    let unwanted = "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 3\r\n\r\nabc";
    let server = Server::start(vec![[vec![Hear, say(unwanted)], page("two")].concat()]);
    run(async {
        let accept = MediaFilter::new(["text/html"]).unwrap();
        let source = HttpSource::new(FetchOptions { accept, ..options() }).unwrap();
        assert_eq!(answered(fetch(&source, &server.url("/")).await).body, "");
        answered(fetch(&source, &server.url("/")).await);
        assert_eq!(source.counts().connections_opened, 1);
    });
}

#[test]
fn idle_connections_are_bounded() {
    let servers: Vec<_> = (0..4).map(|_| Server::start(vec![[page("x"), vec![Hold]].concat()])).collect();
    run(async {
        let source = HttpSource::new(FetchOptions { max_idle_connections: 2, ..options() }).unwrap();
        for server in &servers {
            answered(fetch(&source, &server.url("/")).await);
        }
        assert_eq!(source.counts().connections_open, 2);
    });
}

#[test]
fn a_dropped_fetch_closes_its_connection() {
    let server = Server::start(vec![vec![Hear, Hold]]);
    run(async {
        let source = HttpSource::new(options()).unwrap();
        let url = server.url("/");
        let mut fetching = Box::pin(fetch(&source, &url));
        while server.heard().is_empty() {
            let step = std::time::Duration::from_millis(1);
            assert!(tokio::time::timeout(step, &mut fetching).await.is_err());
        }
        assert_eq!(source.counts().connections_open, 1);
        drop(fetching);
        assert_eq!(source.counts().connections_open, 0);
    });
}

#[test]
fn conditional_requests_and_referrers() {
    let server = Server::start(vec![vec![Hear, say("HTTP/1.1 304 Not Modified\r\n\r\n")]]);
    let response = run(async {
        let mut request = Request::new(permitted(&server.url("/x")));
        request.validators = Validators {
            etag: Some("W/\"1\"".into()),
            last_modified: Some("Sun, 06 Nov 1994 08:49:37 GMT".into()),
        };
        request.referrer = Some(url(&server.url("/from?a=b")));
        answered(HttpSource::new(options()).unwrap().fetch(request).await)
    });
    assert_eq!(response.status, 304);
    let head = server.heard().remove(0);
    for line in [
        "GET /x HTTP/1.1\r\n",
        "\r\nUser-Agent: osprey-test\r\n",
        "\r\nIf-None-Match: W/\"1\"\r\n",
        "\r\nIf-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n",
        &format!("\r\nReferer: {}\r\n", server.url("/from?a=b")),
    ] {
        assert!(head.contains(line), "{line:?} in {head:?}");
    }
}

#[test]
fn media_types_that_are_not_accepted() {
    let check = |target: &dyn Fn(&Server) -> Permitted, lines: &str, body: &str, expect: &str| {
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n{lines}\r\n{body}", body.len());
        let server = Server::start(vec![vec![Hear, say(answer), Hold]]);
        let accept = MediaFilter::new(["text/html", "image/*"]).unwrap();
        let source = HttpSource::new(FetchOptions { accept, ..options() }).unwrap();
        let shown = run(async { show(source.fetch(Request::new(target(&server))).await) });
        assert_eq!(shown.trim_end(), expect, "{lines}");
    };
    let page = |server: &Server| permitted(&server.url("/x"));
    check(&page, "Content-Type: text/html\r\n", "hi", "200 \"hi\" whole");
    let refused = "200 \"\" cut media type `video/mp4` not accepted";
    check(&page, "Content-Type: video/mp4\r\n", "hi", refused);
    check(&page, "", "<html><p>hi", "200 \"<html><p>hi\" whole");
    check(&page, "", "%PDF-1.4", "200 \"\" cut media type `application/pdf` not accepted");
    let robots = |server: &Server| Permitted::robots_txt(&url(&server.url("/x")));
    check(&robots, "Content-Type: text/plain\r\n", "User-agent: *", "200 \"User-agent: *\" whole");
}

#[test]
fn cookies_come_back() {
    let setting = |line: &str| {
        vec![Hear, say(format!("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nSet-Cookie: {line}\r\n\r\n"))]
    };
    let cookie = |head: &String| {
        head.lines().find_map(|line| line.strip_prefix("Cookie: ")).unwrap_or_default().to_owned()
    };
    let server = Server::start(vec![[setting("a=1; Path=/"), setting("b=2")].concat(), page(""), page("")]);
    run(async {
        let source = HttpSource::new(options()).unwrap();
        answered(fetch(&source, &server.url("/")).await);
        answered(fetch(&source, &server.url("/x/y")).await);
        let jar = source.cookies().unwrap();
        let source = HttpSource::new(FetchOptions { cookies: Cookies::Restored(jar), ..options() }).unwrap();
        answered(fetch(&source, &server.url("/x/z")).await);
        let source = HttpSource::new(FetchOptions { cookies: Cookies::Off, ..options() }).unwrap();
        answered(fetch(&source, &server.url("/")).await);
        assert_eq!(source.cookies(), None);
    });
    let sent: Vec<_> = server.heard().iter().map(cookie).collect();
    assert_eq!(sent, ["", "a=1", "b=2; a=1", ""]);
}
