//! Names, from a name server that lies and counts: how often it is asked, and that the address which was checked is
//! the one that is connected to.
//!
//! A look-up is two questions, for IPv4 and for IPv6 addresses. The clock is moved by hand between exchanges.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use osprey_fetch::{FetchOptions, HttpSource};
use osprey_model::Source;
use osprey_rogue::{Answer, Dns, Listen, Reply, Server, SiteRequest};

use crate::support;
use crate::support::{answered, failed, fetch, options, run};

/// Public by every table, and nowhere: an address of this kind is never routed (RFC 2765).
const NOWHERE: &str = "::ffff:0:8.8.8.8";

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

/// A server on all of loopback.
fn witness() -> Server {
    let site = |_: &SiteRequest<'_>| Answer::from(Reply::html("reached"));
    Listen::new().address([0, 0, 0, 0]).start(site).unwrap()
}

/// Each exchange on a connection of its own, so that each needs an address.
fn source(dns: &Dns, allow_private: bool) -> HttpSource {
    let name_servers = vec![dns.addr()];
    let options = FetchOptions { name_servers, allow_private, max_idle_connections: 0, ..options() };
    HttpSource::new(options).unwrap()
}

async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

#[test]
fn a_hundred_at_once_ask_once() {
    let dns = Dns::start(|_, _| vec![ip("127.0.0.1")]).unwrap();
    let server = witness();
    let source = Arc::new(source(&dns, true));
    let url = server.url_at("many.test", "/");
    run(async {
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..100 {
            let (source, url) = (source.clone(), url.clone());
            tasks.spawn(async move { answered(fetch(&source, &url).await).status });
        }
        assert_eq!(tasks.join_all().await, [200; 100]);
    });
    assert_eq!(dns.asked(), ["many.test"; 2]);
    assert_eq!((source.counts().dns_lookups, source.counts().dns_cache_hits), (1, 99));
}

/// Look-ups until two fetches have been made, so many seconds apart.
#[test]
fn answers_are_kept_for_a_decent_time() {
    let server = witness();
    let check = |ttl: u32, seconds: u64, expect: usize| {
        let dns = Dns::start_with_ttl(ttl, |_, _| vec![ip("127.0.0.1")]).unwrap();
        let source = source(&dns, true);
        run(async {
            answered(fetch(&source, &server.url_at("a.test", "/")).await);
            pass(Duration::from_secs(seconds)).await;
            answered(fetch(&source, &server.url_at("a.test", "/")).await);
        });
        assert_eq!(dns.asked().len(), 2 * expect, "{ttl} {seconds}");
    };
    // Zero is taken for a minute,
    check(0, 50, 1);
    check(0, 61, 2);
    // what is between a minute and an hour as it is,
    check(600, 590, 1);
    check(600, 601, 2);
    // and more for an hour.
    check(86_400, 3590, 1);
    check(86_400, 3601, 2);
}

#[test]
fn missing_addresses_are_cached_briefly() {
    let check = |seconds: u64, expect: u64| {
        let dns = Dns::start(|_, _| Vec::new()).unwrap();
        let source = source(&dns, true);
        run(async {
            for _ in 0..3 {
                let words = failed(fetch(&source, "http://none.test/").await);
                assert_eq!(words, "dns: `none.test`: the name has no address");
            }
            assert_eq!(source.counts().dns_lookups, 1);
            let asked = dns.asked().len();
            pass(Duration::from_secs(seconds)).await;
            failed(fetch(&source, "http://none.test/").await);
            assert_eq!(source.counts().dns_lookups, expect, "{seconds}");
            assert_eq!(dns.asked().len(), asked * expect as usize, "{seconds}");
        });
    };
    check(20, 1);
    check(31, 2);
}

/// The name is public when it is first asked for and private from then on.
#[test]
fn a_name_that_changes_its_mind_gets_nothing() {
    let server = witness();
    let dns = Dns::start(|_, before| vec![ip(if before < 2 { NOWHERE } else { "127.0.0.1" })]).unwrap();
    let source = source(&dns, false);
    let url = support::url(&server.url_at("rebind.test", "/"));
    run(async {
        for _ in 0..2 {
            // As long as the first answer holds, whatever the server said of its time to live.
            assert_eq!(source.locate(&url.host_key()).await, Some(ip(NOWHERE)));
            pass(Duration::from_secs(1)).await;
        }
        assert_eq!(dns.asked().len(), 2);
        pass(Duration::from_secs(3600)).await;
        assert_eq!(source.locate(&url.host_key()).await, None);
        let words = failed(fetch(&source, url.as_str()).await);
        assert!(words.starts_with("refused: `rebind.test` at `127.0.0.1`: loopback address"), "{words}");
        assert_eq!(dns.asked().len(), 4);
    });
    assert_eq!(server.connections(), 0);
}

/// A different address for each question: the one that came first was checked, and it is the one connected to.
#[test]
fn what_was_checked_is_connected_to() {
    let server = witness();
    let dns = Dns::start(|_, before| vec![IpAddr::from([127, 0, 0, before as u8 + 2])]).unwrap();
    let source = source(&dns, true);
    let url = server.url_at("turning.test", "/");
    run(async {
        for _ in 0..3 {
            let response = answered(fetch(&source, &url).await);
            let arrival = server.log().pop().unwrap();
            assert_eq!(response.ip, Some(arrival.local.ip()));
            assert!(["127.0.0.2", "127.0.0.3"].map(ip).contains(&arrival.local.ip()), "{arrival:?}");
        }
    });
    assert_eq!(dns.asked().len(), 2);
    let addresses: std::collections::BTreeSet<_> =
        server.log().iter().map(|arrival| arrival.local.ip()).collect();
    assert_eq!(addresses.len(), 1);
}
