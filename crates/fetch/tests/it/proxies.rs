//! Requests through an HTTP and a SOCKS 5 proxy on loopback; and the guard, with and without them.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use osprey_fetch::{FetchOptions, HttpSource};
use osprey_model::Source;

use crate::support::*;

fn through(proxy: &str) -> FetchOptions {
    FetchOptions { proxy: Some(proxy.parse().unwrap()), ..options() }
}

/// A SOCKS 5 proxy for one connection, which it makes to `target` whatever it is asked for. Tells what was asked.
fn socks(target: &Server, login: Option<(&'static str, &'static str)>) -> (u16, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (tell, told) = channel();
    let address = target.address;
    thread::spawn(move || {
        let mut client = listener.accept().unwrap().0;
        let mut read = |length: usize| {
            let mut bytes = vec![0; length];
            client.read_exact(&mut bytes).unwrap();
            bytes
        };
        let greeting = read(2);
        let methods = read(greeting[1].into());
        let chosen = if login.is_some() { 2 } else { 0 };
        assert!(methods.contains(&chosen));
        let mut out = client.try_clone().unwrap();
        out.write_all(&[5, chosen]).unwrap();
        let mut read = |length: usize| {
            let mut bytes = vec![0; length];
            client.read_exact(&mut bytes).unwrap();
            bytes
        };
        if let Some((user, password)) = login {
            let length = usize::from(read(2)[1]);
            let given_user = read(length);
            let length = usize::from(read(1)[0]);
            let accepted = given_user == user.as_bytes() && read(length) == password.as_bytes();
            out.write_all(&[1, u8::from(!accepted)]).unwrap();
            if !accepted {
                return;
            }
        }
        let asked = match read(4)[3] {
            1 => format!("{:?}", read(4)),
            _ => {
                let length = usize::from(read(1)[0]);
                String::from_utf8(read(length)).unwrap()
            }
        };
        let port = u16::from_be_bytes(read(2).try_into().unwrap());
        tell.send(format!("{asked} {port}")).unwrap();
        out.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).unwrap();
        join(client, TcpStream::connect(address).unwrap());
    });
    (port, told)
}

/// Copies both ways until both are done.
fn join(mut a: TcpStream, mut b: TcpStream) {
    let (mut a2, mut b2) = (a.try_clone().unwrap(), b.try_clone().unwrap());
    thread::spawn(move || std::io::copy(&mut b2, &mut a2));
    let _ = std::io::copy(&mut a, &mut b);
}

#[test]
fn http_proxies_get_whole_urls() {
    let proxy = Server::start(vec![[page("one"), page("two")].concat()]);
    let options = through(&format!("http://user:pass@{}", proxy.address));
    run(async {
        let source = HttpSource::new(options).unwrap();
        let one = answered(fetch(&source, "http://a.example/x?y").await);
        // Another origin, the same connection to the proxy.
        let two = answered(fetch(&source, "http://b.example:81/").await);
        assert_eq!((&one.body[..], &two.body[..]), (&b"one"[..], &b"two"[..]));
        assert_eq!((one.ip, source.counts().connections_opened), (None, 1));
        // The login goes to the proxy, not into the archive.
        let archived = String::from_utf8(one.request_head.to_vec()).unwrap();
        assert!(archived.starts_with("GET /x?y HTTP/1.1\r\nHost: a.example\r\n"), "{archived}");
        assert!(!archived.contains("Proxy-Authorization"), "{archived}");
        assert_eq!(source.locate(&url("http://a.example/").host_key()).await, None);
    });
    let heard = proxy.heard();
    assert!(heard[0].starts_with("GET http://a.example/x?y HTTP/1.1\r\n"), "{}", heard[0]);
    assert!(heard[0].contains("\r\nProxy-Authorization: Basic dXNlcjpwYXNz\r\n"), "{}", heard[0]);
    assert!(heard[1].starts_with("GET http://b.example:81/ HTTP/1.1\r\n"), "{}", heard[1]);
}

#[test]
fn http_proxies_that_give_no_tunnel() {
    let check = |answer: &str, expect: &str| {
        let proxy = Server::start(vec![vec![Hear, say(answer)]]);
        let options = through(&format!("http://{}", proxy.address));
        let failure =
            run(async { failed(fetch(&HttpSource::new(options).unwrap(), "https://a.example/").await) });
        assert_eq!(failure, format!("connect: proxy `http://{}`: {expect}", proxy.address));
        assert!(proxy.heard()[0].starts_with("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n"));
    };
    check("HTTP/1.1 407 Who\r\n\r\n", "it requires a user name and a password (status 407)");
    check("HTTP/1.1 502 Bad\r\n\r\n", "no tunnel to `a.example:443` (status 502)");
    check("what\r\n\r\n", "the response is not HTTP");
    check("", "connection closed");
}

#[test]
fn socks_proxies() {
    let check = |scheme: &str, login: Option<(&'static str, &'static str)>, expect: &str| {
        let server = Server::start(vec![page("hello")]);
        let (port, told) = socks(&server, login);
        let at = login.map(|(user, password)| format!("{user}:{password}@")).unwrap_or_default();
        let mut options = through(&format!("{scheme}://{at}127.0.0.1:{port}"));
        options.hosts = HashMap::from([("a.example".to_owned(), vec!["8.8.4.4".parse().unwrap()])]);
        options.allow_private = false;
        let answer =
            run(async { answered(fetch(&HttpSource::new(options).unwrap(), "http://a.example:81/").await) });
        assert_eq!(answer.body, "hello");
        let asked = told.recv().unwrap();
        assert_eq!(asked, expect, "{scheme}");
        let ip = answer.ip.map(|ip| ip.to_string());
        assert_eq!(ip.as_deref(), (scheme == "socks5").then_some("8.8.4.4"));
    };
    check("socks5", None, "[8, 8, 4, 4] 81");
    check("socks5h", None, "a.example 81");
    check("socks5h", Some(("u", "p")), "a.example 81");
}

#[test]
fn a_wrong_login_is_reported() {
    let server = Server::start(vec![]);
    let (port, _told) = socks(&server, Some(("u", "p")));
    let options = through(&format!("socks5h://u:x@127.0.0.1:{port}"));
    let failure = run(async { failed(fetch(&HttpSource::new(options).unwrap(), "http://a.example/").await) });
    let expect = format!("connect: proxy `socks5h://127.0.0.1:{port}`: user name or password not accepted");
    assert_eq!(failure, expect);
}

#[test]
fn private_targets_are_refused_before_anything_is_sent() {
    let server = Server::start(vec![page("secret"), page("secret")]);
    let port = server.address.port();
    let check = |options: FetchOptions, url: &str, expect: &str| {
        let failure = run(async { failed(fetch(&HttpSource::new(options).unwrap(), url).await) });
        assert_eq!(failure, expect, "{url}");
    };
    let hosts = HashMap::from([("inside.example".to_owned(), vec!["127.0.0.1".parse().unwrap()])]);
    let guarded = || FetchOptions { allow_private: false, hosts: hosts.clone(), ..options() };
    let lets = "set `fetch.allow_private` to allow it";
    let literal = format!("refused: `127.0.0.1`: loopback address; {lets}");
    check(guarded(), &format!("http://127.0.0.1:{port}/"), &literal);
    check(guarded(), &format!("http://0x7f.1:{port}/"), &literal);
    let mapped = format!("refused: `[::ffff:7f00:1]`: loopback address; {lets}");
    check(guarded(), &format!("http://[::ffff:127.0.0.1]:{port}/"), &mapped);
    let named = format!("refused: `inside.example` at `127.0.0.1`: loopback address; {lets}");
    check(guarded(), &format!("http://inside.example:{port}/"), &named);
    let proxied =
        FetchOptions { proxy: Some(format!("http://127.0.0.1:{port}").parse().unwrap()), ..guarded() };
    check(proxied, "http://10.0.0.1/", &format!("refused: `10.0.0.1`: private address; {lets}"));
    assert_eq!(server.heard(), Vec::<String>::new());
}

#[test]
fn names_of_the_users_own_table() {
    let server = Server::start(vec![page("hello")]);
    let hosts = HashMap::from([("a.example".to_owned(), vec!["127.0.0.1".parse().unwrap()])]);
    run(async {
        let source = HttpSource::new(FetchOptions { hosts, ..options() }).unwrap();
        let target = format!("http://a.example:{}/", server.address.port());
        assert_eq!(answered(fetch(&source, &target).await).body, "hello");
        let located = source.locate(&url(&target).host_key()).await;
        assert_eq!(located.map(|ip| ip.to_string()).as_deref(), Some("127.0.0.1"));
        assert_eq!(source.counts().dns_lookups, 0);
    });
}

#[test]
fn nobody_listens() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let failure = run(async {
        failed(fetch(&HttpSource::new(options()).unwrap(), &format!("http://127.0.0.1:{port}/")).await)
    });
    assert_eq!(failure, format!("connect: `127.0.0.1:{port}`: connection refused"));
}
