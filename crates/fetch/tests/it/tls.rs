//! TLS and HTTP/2 on loopback, with certificates made for the occasion.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use bytes::Bytes;
use osprey_fetch::{FetchOptions, HttpSource};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::support;
use crate::support::{answered, failed, fetch, options, run};

/// What an HTTP/2 server does with the requests of a connection.
#[derive(Clone, Copy, PartialEq)]
enum Behaviour {
    Answer,
    /// Answers the first request, then says goodbye.
    GoAwayAfterOne,
}

struct Server {
    port: u16,
    pem: String,
    connections: Arc<AtomicUsize>,
}

/// A server for `a.example` that offers `protocols`; HTTP/2 connections behave as `behaviours` say, in their order.
async fn start(protocols: &[&str], behaviours: &'static [Behaviour]) -> Server {
    let made = rcgen::generate_simple_self_signed(["a.example".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    config.alpn_protocols = protocols.iter().map(|p| p.as_bytes().to_vec()).collect();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = connections.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let number = counted.fetch_add(1, SeqCst);
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(stream) = acceptor.accept(stream).await else { return };
                if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                    serve_http2(stream, behaviours.get(number).copied().unwrap_or(Behaviour::Answer)).await;
                } else {
                    serve_http1(stream).await;
                }
            });
        }
    });
    Server { port, pem: made.cert.pem(), connections }
}

async fn serve_http2(stream: impl AsyncReadExt + AsyncWriteExt + Unpin, manner: Behaviour) {
    let mut connection = h2::server::handshake(stream).await.unwrap();
    let mut answered = 0;
    while let Some(Ok((request, mut respond))) = connection.accept().await {
        let agent = request.headers()["user-agent"].to_str().unwrap();
        let body = format!("{} {agent}", request.uri());
        let response = http::Response::builder().header("X-Two", "2").body(()).unwrap();
        let mut send = respond.send_response(response, false).unwrap();
        send.send_data(Bytes::from(body), true).unwrap();
        answered += 1;
        if manner == Behaviour::GoAwayAfterOne && answered == 1 {
            connection.graceful_shutdown();
        }
    }
}

async fn serve_http1(mut stream: impl AsyncReadExt + AsyncWriteExt + Unpin) {
    loop {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            if stream.read_buf(&mut head).await.unwrap_or(0) == 0 {
                return;
            }
        }
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none";
        if stream.write_all(answer.as_bytes()).await.is_err() || stream.flush().await.is_err() {
            return;
        }
    }
}

fn trusting(server: &Server) -> FetchOptions {
    let hosts = HashMap::from([
        ("a.example".to_owned(), vec!["127.0.0.1".parse().unwrap()]),
        ("b.example".to_owned(), vec!["127.0.0.1".parse().unwrap()]),
    ]);
    FetchOptions { hosts, extra_roots: vec![server.pem.clone().into_bytes()], ..options() }
}

#[test]
fn http2_by_alpn_on_one_connection() {
    run(async {
        let server = start(&["h2", "http/1.1"], &[]).await;
        let source = Arc::new(HttpSource::new(trusting(&server)).unwrap());
        let port = server.port;
        let tasks: Vec<_> = (0..20)
            .map(|n| {
                let source = source.clone();
                tokio::spawn(async move { fetch(&source, &format!("https://a.example:{port}/{n}")).await })
            })
            .collect();
        for (n, task) in tasks.into_iter().enumerate() {
            let answer = answered(task.await.unwrap());
            assert_eq!(answer.body, format!("https://a.example:{port}/{n} osprey-test"));
            assert_eq!(answer.headers.get("x-two"), Some("2"));
            assert_eq!(answer.ip.unwrap().to_string(), "127.0.0.1");
        }
        assert_eq!(server.connections.load(SeqCst), 1);
        let counts = source.counts();
        assert_eq!((counts.connections_opened, counts.connections_reused), (1, 19));
    });
}

#[test]
fn http1_where_http2_is_not_spoken_or_not_wanted() {
    run(async {
        let server = start(&["http/1.1"], &[]).await;
        let source = HttpSource::new(trusting(&server)).unwrap();
        for _ in 0..3 {
            let answer = answered(fetch(&source, &format!("https://a.example:{}/", server.port)).await);
            assert_eq!(answer.body, "one");
        }
        assert_eq!(server.connections.load(SeqCst), 1);

        let server = start(&["h2", "http/1.1"], &[]).await;
        let source = HttpSource::new(FetchOptions { http2: false, ..trusting(&server) }).unwrap();
        let answer = answered(fetch(&source, &format!("https://a.example:{}/", server.port)).await);
        assert_eq!(answer.body, "one");
    });
}

#[test]
fn streams_that_were_not_looked_at_are_sent_again() {
    let check = |behaviours: &'static [Behaviour], fetches: usize, connections: usize, last: &str| {
        run(async {
            let server = start(&["h2", "http/1.1"], behaviours).await;
            let source = HttpSource::new(trusting(&server)).unwrap();
            let url = format!("https://a.example:{}/", server.port);
            let mut body = Bytes::new();
            for _ in 0..fetches {
                body = answered(fetch(&source, &url).await).body;
            }
            assert_eq!(String::from_utf8_lossy(&body).replace(&url, "URL"), last);
            assert_eq!(server.connections.load(SeqCst), connections);
        });
    };
    check(&[Behaviour::GoAwayAfterOne], 3, 2, "URL osprey-test");
}

#[test]
fn certificates_are_checked() {
    run(async {
        let server = start(&["h2"], &[]).await;
        let check = async |options: FetchOptions, host: &str, expect: &str| {
            let source = HttpSource::new(options).unwrap();
            let failure = failed(fetch(&source, &format!("https://{host}:{}/", server.port)).await);
            assert!(failure.starts_with(expect), "{failure}");
            assert_eq!(source.counts().connections_open, 0);
        };
        let distrusting = FetchOptions { extra_roots: Vec::new(), ..trusting(&server) };
        check(distrusting, "a.example", "tls: `a.example`: invalid peer certificate: UnknownIssuer").await;
        let expect = "tls: `b.example`: invalid peer certificate: certificate not valid for name";
        check(trusting(&server), "b.example", expect).await;
    });
}

#[test]
fn a_server_that_speaks_no_tls() {
    let server =
        support::Server::start(vec![vec![support::say("HTTP/1.1 400 Plain\r\n\r\n"), support::Hold]]);
    let url = format!("https://127.0.0.1:{}/", server.address.port());
    let failure = run(async { failed(fetch(&HttpSource::new(options()).unwrap(), &url).await) });
    assert!(failure.starts_with("tls: `127.0.0.1`: "), "{failure}");
}
