//! Nothing of ours reaches an address that is not of the public Web: not by any spelling, not by a name, not by a
//! redirect, and not by a name that changes its mind.
//!
//! A real listener on loopback is the witness: what is refused must not even connect.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use osprey_fetch::{FetchOptions, HttpSource, Timeouts};
use osprey_model::robots::Robots;
use osprey_model::{CanonicalUrl, Exchange, FailureKind, Permitted, Request, Source, UrlRules};
use osprey_rogue::{Answer, Listen, Reply, Server, SiteRequest};
use tokio::runtime::Builder;

const LOCALHOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// Public by every table, and nowhere: an address of this kind is never routed (RFC 2765).
const NOWHERE: &str = "::ffff:0:8.8.8.8";

fn options(hosts: &[(&str, &[IpAddr])]) -> FetchOptions {
    let second = Duration::from_secs(1);
    FetchOptions {
        timeouts: Timeouts {
            connect: second,
            first_byte: second,
            idle: second,
            whole: 2 * second,
            ..Timeouts::default()
        },
        hosts: hosts.iter().map(|(name, ips)| ((*name).to_owned(), ips.to_vec())).collect::<HashMap<_, _>>(),
        ..FetchOptions::default()
    }
}

fn permit(text: &str) -> Permitted {
    let url = CanonicalUrl::parse(text, &UrlRules::default()).unwrap_or_else(|e| panic!("{text}: {e}"));
    Robots::allow_all().permit(&url).unwrap()
}

fn fetch(source: &HttpSource, target: Permitted) -> Exchange {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(source.fetch(Request::new(target)))
}

fn kind(exchange: &Exchange) -> Result<u16, FailureKind> {
    match exchange {
        Exchange::Answered(response) => Ok(response.status),
        Exchange::Failed(failure) => Err(failure.kind),
    }
}

/// A listener on all loopback addresses, of both kinds where the machine has both.
struct Witness(Vec<Server>);

impl Witness {
    fn new() -> Self {
        let site = |_: &SiteRequest<'_>| Answer::from(Reply::html("reached"));
        let v4 = Listen::new().address([0, 0, 0, 0]).start(site).unwrap();
        let v6 = Listen::new().address([0_u16, 0, 0, 0, 0, 0, 0, 1]).port(v4.addr().port()).start(site);
        Self([Some(v4), v6.ok()].into_iter().flatten().collect())
    }

    fn port(&self) -> u16 {
        self.0[0].addr().port()
    }

    fn connections(&self) -> u64 {
        self.0.iter().map(Server::connections).sum()
    }
}

/// Spellings of hosts that end up at this machine or its neighbours.
const SPELLINGS: &[&str] = &[
    "127.0.0.1",
    "127.0.0.2",
    "127.255.255.254",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7F.0.0.1",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "127.0.0.1.",
    "①②⑦.⓪.⓪.①",
    "127。0。0。1",
    "%31%32%37.0.0.1",
    "user:pass@127.0.0.1",
    "example.com@127.0.0.1",
    "0",
    "0.0.0.0",
    "0x0",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "169.254.169.254",
    "0xa9fea9fe",
    "100.64.0.1",
    "168.63.129.16",
    "100.100.100.200",
    "192.0.0.192",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:7f00:0001]",
    "[::127.0.0.1]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::a00:1]",
    "[64:ff9b:1::1]",
    "[2002:7f00:1::]",
    "[2002:c0a8:1::1]",
    "[2001:0:808:808::80ff:fffe]",
    "[2620::5efe:7f00:1]",
    "[2620::200:5efe:a00:1]",
    "[fe80::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[fec0::1]",
    "[ff02::1]",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "inside.test",
    "INSIDE.test.",
    "mapped.test",
    "many.test",
];

fn private_names() -> Vec<(&'static str, Vec<IpAddr>)> {
    let ip = |text: &str| text.parse::<IpAddr>().unwrap();
    vec![
        ("localhost", vec![LOCALHOST]),
        ("inside.test", vec![LOCALHOST]),
        ("mapped.test", vec![ip("::ffff:127.0.0.1")]),
        ("many.test", vec![LOCALHOST, ip("10.0.0.1"), ip("::1"), ip("fe80::1")]),
    ]
}

#[test]
fn no_spelling_of_a_private_address_is_connected_to() {
    let witness = Witness::new();
    let names = private_names();
    let hosts: Vec<_> = names.iter().map(|(name, ips)| (*name, ips.as_slice())).collect();
    let source = HttpSource::new(options(&hosts)).unwrap();
    for scheme in ["http", "https"] {
        for spelling in SPELLINGS {
            let url = format!("{scheme}://{spelling}:{}/", witness.port());
            let exchange = fetch(&source, permit(&url));
            assert_eq!(kind(&exchange), Err(FailureKind::Refused), "{url}: {exchange:?}");
        }
    }
    assert_eq!(witness.connections(), 0);
}

#[test]
fn a_redirect_leads_nowhere_private() {
    let witness = Witness::new();
    let to = format!("http://2130706433:{}/inside", witness.port());
    let public =
        Server::start(move |_: &SiteRequest<'_>| Answer::from(Reply::redirect(302, to.clone()))).unwrap();
    // Stands for a server of the public Web, which loopback can't be.
    let outside = HttpSource::new(FetchOptions { allow_private: true, ..options(&[]) }).unwrap();
    let Exchange::Answered(answer) = fetch(&outside, permit(&public.url("/"))) else { panic!("no answer") };
    assert_eq!(answer.status, 302);
    assert_eq!(witness.connections(), 0, "redirects are answers, not followed");
    let target = answer.url.join(answer.location().unwrap(), &UrlRules::default()).unwrap();
    let source = HttpSource::new(options(&[])).unwrap();
    assert_eq!(kind(&fetch(&source, permit(target.as_str()))), Err(FailureKind::Refused));
    assert_eq!(witness.connections(), 0);
}

#[test]
fn robots_txt_is_guarded_as_well() {
    let witness = Witness::new();
    let source = HttpSource::new(options(&[("inside.test", &[LOCALHOST])])).unwrap();
    let target = Permitted::robots_txt(permit(&format!("http://inside.test:{}/", witness.port())).url());
    assert_eq!(kind(&fetch(&source, target)), Err(FailureKind::Refused));
    assert_eq!(witness.connections(), 0);
}

#[test]
fn addresses_are_let_through_when_that_is_wanted() {
    let witness = Witness::new();
    let names = private_names();
    let hosts: Vec<_> = names.iter().map(|(name, ips)| (*name, ips.as_slice())).collect();
    let source = HttpSource::new(FetchOptions { allow_private: true, ..options(&hosts) }).unwrap();
    for spelling in
        ["127.0.0.1", "127.1", "0x7f000001", "127.9.9.9", "localhost", "INSIDE.test.", "many.test"]
    {
        let url = format!("http://{spelling}:{}/", witness.port());
        let exchange = fetch(&source, permit(&url));
        assert_eq!(kind(&exchange), Ok(200), "{url}: {exchange:?}");
    }
    assert!(witness.connections() > 0);
}

#[test]
fn a_private_address_among_public_ones_is_not_fallen_back_to() {
    let witness = Witness::new();
    let source = HttpSource::new(options(&[("mixed.test", &[NOWHERE.parse().unwrap(), LOCALHOST])])).unwrap();
    let exchange = fetch(&source, permit(&format!("http://mixed.test:{}/", witness.port())));
    assert!(
        matches!(kind(&exchange), Err(FailureKind::Connect | FailureKind::Timeout)),
        "the public address goes nowhere: {exchange:?}"
    );
    assert_eq!(witness.connections(), 0);
}

#[test]
fn credentials_of_a_url_are_not_sent() {
    let server = Server::start(|_: &SiteRequest<'_>| Answer::from(Reply::html("x"))).unwrap();
    let source = HttpSource::new(FetchOptions { allow_private: true, ..options(&[]) }).unwrap();
    let exchange = fetch(&source, permit(&format!("http://me:secret@{}/", server.addr())));
    assert_eq!(kind(&exchange), Ok(200));
    let arrival = &server.log()[0];
    assert_eq!(arrival.host, server.addr().to_string());
    assert_eq!(arrival.headers.get("authorization"), None);
    assert!(arrival.headers.iter().all(|(_, value)| !value.contains("secret")));
}
