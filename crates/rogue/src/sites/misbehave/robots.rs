//! What hosts do instead of serving a robots.txt, one host each: `NAME.robots.test`.
//!
//! Every host has pages at `/`, `/public` and `/private`; if there are rules, they disallow `/private`.

use bytes::Bytes;

use super::heads;
use crate::{Answer, Bomb, Coding, Reply, SiteRequest, Step};

/// The meaning according to RFC 9309.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RobotsExpect {
    /// `/private` is disallowed, the rest is allowed.
    Rules,
    /// There is no file: everything is allowed.
    AllowAll,
    /// Nothing is allowed for now.
    Unreachable,
}

/// One way to serve robots.txt.
#[derive(Clone, Copy)]
pub struct RobotsCase {
    /// Its name; the host is [`RobotsCase::host`].
    pub name: &'static str,
    /// What it means.
    pub expect: RobotsExpect,
    serve: fn(&SiteRequest<'_>) -> Answer,
}

const DOMAIN: &str = ".robots.test";
const RULES: &str = "User-agent: *\nDisallow: /private\n";
/// Prefix of the hosts for redirects across hosts: `across-N.robots.test`.
const ACROSS: &str = "across-";

use RobotsExpect::{AllowAll, Rules, Unreachable};

const fn case(name: &'static str, expect: RobotsExpect, serve: fn(&SiteRequest<'_>) -> Answer) -> RobotsCase {
    RobotsCase { name, expect, serve }
}

impl RobotsCase {
    /// All of them.
    pub const ALL: &'static [Self] = &[
        case("good", Rules, |_| Reply::text(RULES).into()),
        case("status-401", AllowAll, |_| Reply::status(401).into()),
        case("status-403", AllowAll, |_| Reply::status(403).into()),
        case("status-404", AllowAll, |_| Reply::status(404).into()),
        case("status-410", AllowAll, |_| Reply::status(410).into()),
        case("status-429", Unreachable, |_| Reply::status(429).with("Retry-After", "1").into()),
        case("status-500", Unreachable, |_| Reply::status(500).into()),
        case("status-503", Unreachable, |_| Reply::status(503).into()),
        case("silence", Unreachable, |_| heads::silence()),
        case("drip", Unreachable, |_| heads::drip()),
        case("reset", Unreachable, |_| heads::reset()),
        case("garbage", Unreachable, |_| heads::binary()),
        case("chain-5", Rules, |asked| chain(asked, 5)),
        case("chain-6", AllowAll, |asked| chain(asked, 6)),
        case("chain-loop", AllowAll, |_| Reply::redirect(302, "/robots.txt").into()),
        case("across-5", Rules, |asked| across(asked, 5)),
        case("across-6", AllowAll, |asked| across(asked, 6)),
        case("cut", Unreachable, |_| broken_off(&format!("Content-Length: {}", RULES.len() + 500))),
        case("cut-chunks", Unreachable, |_| broken_off("Transfer-Encoding: chunked")),
        case("long", Rules, |_| long()),
        case("stump", Rules, |_| stump()),
        case("endless", Rules, |_| endless()),
        case("bomb", AllowAll, |_| bomb()),
        case("html", AllowAll, |_| Reply::html("<!doctype html><title>Welcome</title><p>A page.").into()),
    ];

    /// Its host.
    pub fn host(&self) -> String {
        format!("{}{DOMAIN}", self.name)
    }

    /// All host names that the cases use, for a client that must look them up.
    pub fn all_hosts() -> Vec<String> {
        let hops = (1..=6).flat_map(|hop| [5, 6].map(|of| format!("{ACROSS}{of}-{hop}{DOMAIN}")));
        Self::ALL.iter().map(Self::host).chain(hops).collect()
    }

    /// The case of a host.
    pub(super) fn of_host(host: &str) -> Option<&'static Self> {
        let label = host.strip_suffix(DOMAIN)?;
        let is_hop = |case: &Self| {
            case.name.starts_with(ACROSS)
                && label.strip_prefix(case.name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        Self::ALL.iter().find(|case| case.name == label || is_hop(case))
    }

    pub(super) fn answer(&self, asked: &SiteRequest<'_>) -> Answer {
        match asked.path {
            "/" => Reply::html("<a href=/public>public</a> <a href=/private>private</a>").into(),
            "/public" | "/private" => Reply::html(format!("<p>{}</p>", asked.path)).into(),
            _ => (self.serve)(asked),
        }
    }
}

impl std::fmt::Debug for RobotsCase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// The hop of a path: `/robots.txt` is 0, `/hop/3` is 3.
fn hop(asked: &SiteRequest<'_>) -> u32 {
    asked.path.strip_prefix("/hop/").and_then(|hop| hop.parse().ok()).unwrap_or(0)
}

/// Rules after this many redirects on the same host.
fn chain(asked: &SiteRequest<'_>, hops: u32) -> Answer {
    let hop = hop(asked);
    if hop >= hops {
        Reply::text(RULES).into()
    } else {
        Reply::redirect(301, format!("/hop/{}", hop + 1)).into()
    }
}

/// The same, each hop on another host.
fn across(asked: &SiteRequest<'_>, hops: u32) -> Answer {
    let hop = hop(asked);
    if hop >= hops {
        return Reply::text(RULES).into();
    }
    let (next, port) = (hop + 1, asked.local.port());
    Reply::redirect(307, format!("http://{ACROSS}{hops}-{next}{DOMAIN}:{port}/hop/{next}")).into()
}

/// More than the 500 KiB that are read; a rule after them does not count.
fn long() -> Answer {
    let filler = "# nothing to see here, and a lot of it\n".repeat(20_000);
    Reply::text(format!("{RULES}{filler}Disallow: /public\n")).into()
}

/// Complete lines, and then the connection ends before the file does: the missing part forbids everything.
fn broken_off(framing: &str) -> Answer {
    let text = if framing.ends_with("chunked") {
        format!("{:x}\r\n{RULES}\r\n", RULES.len())
    } else {
        RULES.to_owned()
    };
    Answer::Script(vec![Step::text(format!("HTTP/1.1 200 OK\r\n{framing}\r\n\r\n{text}"))])
}

/// More than the 500 KiB that are read, which end within a line: the rest of that line would forbid everything.
fn stump() -> Answer {
    let rule = "Disallow: /*.pdf$\n";
    let head = format!("{RULES}{}\n", "#".repeat((500 * 1024 - RULES.len() - 1 - 12) % rule.len()));
    let rules = rule.repeat((500 << 10) / rule.len() + 100);
    Reply::text(head + &rules).into()
}

fn endless() -> Answer {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n";
    let comment = Bytes::from_static(b"# and so on\n");
    Answer::Script(vec![Step::text(head), Step::text(RULES), Step::Repeat(comment, u64::MAX)])
}

fn bomb() -> Answer {
    match Bomb::new(Coding::Zstd, 1024) {
        Ok(bomb) => Reply::ok("text/plain", bomb.to_bytes()).with("Content-Encoding", "zstd").into(),
        Err(_) => Reply::status(500).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_belong_to_cases() {
        for host in RobotsCase::all_hosts() {
            let case = RobotsCase::of_host(&host).unwrap_or_else(|| panic!("{host} belongs to no case"));
            assert!(host.starts_with(case.name), "{host} is not {}", case.name);
        }
        assert!(RobotsCase::of_host("other.robots.test").is_none());
        assert!(RobotsCase::of_host("good.test").is_none());
    }
}
