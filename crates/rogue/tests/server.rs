//! The servers themselves, tested over plain sockets.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use osprey_rogue::{
    Answer, Channel, Files, Listen, Misbehaviour, Record, Reply, Rogues, Server, SiteRequest, Step,
};

/// Sends a request with `Connection: close`, and reads the whole answer.
fn ask(addr: SocketAddr, host: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(addr).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn answers_are_logged_by_host() {
    let site = Files::new().with("/", Reply::html("all")).on("b.test", "/", Reply::html("b"));
    let server = Server::start(site).unwrap();
    assert!(ask(server.addr(), "a.test", "/").ends_with("\r\n\r\nall"));
    assert!(ask(server.addr(), "b.test:80", "/").ends_with("\r\n\r\nb"));
    assert!(ask(server.addr(), "a.test", "/none").starts_with("HTTP/1.1 404 "));
    let log = server.log();
    let seen: Vec<_> = log.iter().map(|arrival| (arrival.host.as_str(), arrival.path.as_str())).collect();
    assert_eq!(seen, [("a.test", "/"), ("b.test:80", "/"), ("a.test", "/none")]);
    assert!(log.is_sorted_by_key(|arrival| arrival.at));
    assert_eq!(log[0].headers.get("connection"), Some("close"));
    let tally = server.finish().unwrap();
    assert_eq!((tally.requests, tally.distinct_urls()), (3, 3));
    assert_eq!(tally.host("a.test").unwrap().requests, 2);
    assert_eq!(tally.host("a.test").unwrap().max_open, 1);
}

#[test]
fn a_connection_takes_many_requests() {
    let server = Server::start(Files::new().with("/", Reply::text("x"))).unwrap();
    let mut stream = TcpStream::connect(server.addr()).unwrap();
    let one = Reply::text("x").encode();
    for _ in 0..3 {
        // Two at once: the second waits in the buffer.
        stream.write_all(b"GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n").unwrap();
        let mut answer = vec![0; one.len() * 2];
        stream.read_exact(&mut answer).unwrap();
        assert_eq!(answer, one.repeat(2));
    }
    assert_eq!((server.log().len(), server.connections()), (6, 1));
}

#[test]
fn one_listener_has_many_addresses() {
    let site = |asked: &SiteRequest<'_>| Answer::from(Reply::text(asked.local.ip().to_string()));
    let server = Listen::new().address([0, 0, 0, 0]).record(Record::Tally).start(site).unwrap();
    for address in ["127.0.0.1", "127.1.2.3", "127.200.0.7"] {
        let addr = SocketAddr::new(address.parse().unwrap(), server.addr().port());
        assert!(ask(addr, "x", "/").ends_with(address));
    }
    assert_eq!(server.tally().addresses().count(), 3);
    assert!(server.log().is_empty());
}

#[test]
fn a_dropped_server_closes_all_connections() {
    let script = vec![Step::text("HTTP/1.1 200 OK\r\n"), Step::Stall];
    let server = Server::start(Files::new().with("/", Answer::Script(script))).unwrap();
    let mut stream = TcpStream::connect(server.addr()).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let mut start = [0; 17];
    stream.read_exact(&mut start).unwrap();
    let addr = server.addr();
    drop(server);
    let rest = stream.read(&mut start);
    assert!(matches!(&rest, Ok(0)) || rest.is_err_and(|e| e.kind() == ErrorKind::ConnectionReset));
    assert!(TcpStream::connect(addr).is_err());
}

#[test]
fn steps_do_what_they_say() {
    let check = |steps: Vec<Step>, expect: Result<&[u8], ErrorKind>| {
        let server = Server::start(Files::new().with("/", Answer::Script(steps))).unwrap();
        let mut stream = TcpStream::connect(server.addr()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        let end = stream.read_to_end(&mut answer).map_err(|e| e.kind());
        assert_eq!(end.map(|_| answer.as_slice()), expect);
    };
    check(vec![Step::text("a"), Step::Repeat("bc".into(), 3), Step::text("d")], Ok(b"abcbcbcd"));
    check(vec![Step::Repeat("x".into(), 100_000)], Ok(&[b'x'; 100_000]));
    check(vec![], Ok(b""));
    check(vec![Step::Reset], Err(ErrorKind::ConnectionReset));
}

#[test]
fn every_channel_is_open_but_the_closed_one() {
    let rogues = Rogues::start().unwrap();
    for misbehaviour in Misbehaviour::ALL {
        let url = rogues.url(misbehaviour);
        let addr = url.split("://").nth(1).and_then(|rest| rest.split('/').next()).unwrap();
        let is_open = TcpStream::connect(addr).is_ok();
        assert_eq!(is_open, misbehaviour.channel != Channel::Closed, "{url}");
        assert!(url.ends_with(&misbehaviour.path()), "{url}");
    }
}

#[test]
fn requests_that_are_not_http_are_refused() {
    let server = Server::start(Files::new()).unwrap();
    let mut stream = TcpStream::connect(server.addr()).unwrap();
    stream.write_all(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert!(server.log().is_empty());
    assert_eq!(server.connections(), 1);
}
