//! One fetch is one request at the server. Only a connection that had answered before and then proves dead lets a
//! request be sent again, once; over HTTP/2 only if the server said so itself, and never if it asked for calm.

use osprey_fetch::{FetchOptions, HttpSource};
use osprey_rogue::{
    Answer, Authority, Flood, Http2Fault, Identity, Listen, Reply, Server, SiteRequest, Step,
};

use crate::support::{answered, failed, fetch, options, run};

/// An HTTP/2 server (HTTP/1.1 for those who want it) where `/good` is good and the rest has the fault.
fn start(fault: Http2Fault) -> (Server, HttpSource) {
    let authority = Authority::new().unwrap();
    let tls = authority.server_config(Identity::Trusted, &["h2", "http/1.1"]).unwrap();
    let site = move |asked: &SiteRequest<'_>| match asked.path {
        "/good" => Reply::html("good").into(),
        _ => Answer::Http2(fault),
    };
    let server = Listen::new().tls(tls).start(site).unwrap();
    let extra_roots = vec![authority.root_pem().into_bytes()];
    (server, HttpSource::new(FetchOptions { extra_roots, ..options() }).unwrap())
}

fn arrivals(server: &Server, path: &str) -> usize {
    server.log().iter().filter(|arrival| arrival.path == path).count()
}

#[test]
fn a_fresh_connection_is_never_insisted_on() {
    let check = |fault: Http2Fault| {
        let (server, source) = start(fault);
        let words = run(async { failed(fetch(&source, &server.url("/")).await) });
        assert!(words.starts_with("protocol: no answer: "), "{fault:?}: {words}");
        assert_eq!((arrivals(&server, "/"), server.connections()), (1, 1), "{fault:?}");
        assert_eq!(source.counts().retries, 0, "{fault:?}");
    };
    check(Http2Fault::Refuse);
    check(Http2Fault::GoAway);
    check(Http2Fault::Vanish);
    check(Http2Fault::Reset);
}

#[test]
fn nor_is_one_that_breaks_under_the_request() {
    let check = |fault: Http2Fault| {
        let (server, source) = start(fault);
        run(async {
            answered(fetch(&source, &server.url("/good")).await);
            failed(fetch(&source, &server.url("/")).await);
            answered(fetch(&source, &server.url("/good")).await);
        });
        assert_eq!((arrivals(&server, "/"), source.counts().retries), (1, 0), "{fault:?}");
    };
    check(Http2Fault::Vanish);
    check(Http2Fault::GoAway);
    check(Http2Fault::Refuse);
    check(Http2Fault::Reset);
}

#[test]
fn a_kept_connection_that_the_server_leaves_is_replaced() {
    let authority = Authority::new().unwrap();
    let tls = authority.server_config(Identity::Trusted, &["h2"]).unwrap();
    let site = |_: &SiteRequest<'_>| Answer::from(Reply::status(404));
    let server = Listen::new().flood(tls, Flood::Farewell).start(site).unwrap();
    let extra_roots = vec![authority.root_pem().into_bytes()];
    let source = HttpSource::new(FetchOptions { extra_roots, ..options() }).unwrap();
    run(async {
        for _ in 0..3 {
            assert_eq!(answered(fetch(&source, &server.url("/")).await).status, 200);
        }
    });
    assert_eq!((server.connections(), source.counts().retries), (3, 2));
}

/// Requests that share a connection which has not answered yet: none of them is proof of anything.
#[test]
fn many_failures_at_once_prove_nothing() {
    let (server, source) = start(Http2Fault::Vanish);
    let urls: Vec<_> = (0..20).map(|at| server.url(&format!("/{at}"))).collect();
    run(async {
        let mut tasks = tokio::task::JoinSet::new();
        let source = std::sync::Arc::new(source);
        for url in urls {
            let source = source.clone();
            tasks.spawn(async move { failed(fetch(&source, &url).await) });
        }
        tasks.join_all().await;
    });
    for at in 0..20 {
        assert!(arrivals(&server, &format!("/{at}")) <= 1, "{at}");
    }
}

#[test]
fn a_server_that_wants_http1_gets_it_next_time() {
    let (server, source) = start(Http2Fault::WantHttp1);
    run(async {
        let first = failed(fetch(&source, &server.url("/")).await);
        assert_eq!(first, "protocol: no answer: stream reset (endpoint requires HTTP/1.1)");
        assert_eq!(arrivals(&server, "/"), 1);
        let second = answered(fetch(&source, &server.url("/good")).await);
        // HTTP/2 has no spelling of header names.
        assert!(second.headers.iter().any(|(name, _)| name == "Content-Length"), "{:?}", second.headers);
    });
}

#[test]
fn http1_is_as_modest() {
    let site = |asked: &SiteRequest<'_>| match asked.path {
        "/good" => Reply::html("good").into(),
        _ => Answer::Script(vec![Step::Send("".into())]),
    };
    let check = |paths: &[&str], expect: usize| {
        let server = Server::start(site).unwrap();
        let source = HttpSource::new(options()).unwrap();
        run(async {
            for path in paths {
                fetch(&source, &server.url(path)).await;
            }
        });
        assert_eq!(arrivals(&server, "/"), expect, "{paths:?}");
    };
    check(&["/"], 1);
    check(&["/good", "/"], 2);
    check(&["/good", "/", "/"], 3);
}
