//! From a host to the addresses that may be connected to.
//!
//! Answers come from the user's own table, from `/etc/hosts`, or from DNS by the system's configuration or the
//! user's name servers, and are kept as long as DNS says, within bounds. One look-up per name is under way at a time; if the exchange that
//! began it is dropped, the next one waiting takes over. Addresses are sorted, IPv4 first, so that all requests to
//! a host go to the same one as long as it answers: hosts on one address share its politeness.
//!
//! The guard is asked each time, of the address, not of the name.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{ConnectionConfig, LookupIpStrategy, NameServerConfig, ResolverConfig};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use osprey_model::FailureKind;
use tokio::sync::OnceCell;
use tokio::time::Instant;

use crate::counts::Tally;
use crate::fault::Fault;
use crate::generations::Generations;
use crate::guard::refusal;
use crate::options::FetchOptions;

const MAX_NAMES: usize = 65_536;
const MAX_ADDRESSES: usize = 16;
const SHORTEST_TTL: Duration = Duration::from_secs(60);
const LONGEST_TTL: Duration = Duration::from_secs(3600);
const NEGATIVE_TTL: Duration = Duration::from_secs(30);

/// What DNS said of a name, and until when it holds.
#[derive(Debug)]
struct Answer {
    found: Result<Arc<[IpAddr]>, Arc<str>>,
    until: Instant,
}

/// Empty while the look-up is under way.
type Slot = Arc<OnceCell<Answer>>;

/// The resolver of one fetcher.
pub(crate) struct Resolver {
    allow_private: bool,
    hosts: HashMap<Box<str>, Arc<[IpAddr]>>,
    names: Mutex<Generations<Slot>>,
    /// Or why names can't be looked up on this machine.
    dns: Result<TokioResolver, String>,
    tally: Arc<Tally>,
}

impl Resolver {
    pub(crate) fn new(options: &FetchOptions, tally: Arc<Tally>) -> Self {
        let hosts = options.hosts.iter();
        Self {
            allow_private: options.allow_private,
            hosts: hosts.map(|(name, ips)| (name.to_ascii_lowercase().into(), sorted(ips))).collect(),
            names: Mutex::new(Generations::new(MAX_NAMES)),
            dns: dns(&options.name_servers),
            tally,
        }
    }

    /// The addresses of `host` (as in a URL) that may be connected to, in the order to try; never empty.
    pub(crate) async fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, Fault> {
        let found = self.unguarded(host).await?;
        self.guarded(host, &found)
    }

    /// The same without the guard: for the user's own proxy.
    pub(crate) async fn unguarded(&self, host: &str) -> Result<Arc<[IpAddr]>, Fault> {
        let found = match literal(host) {
            Some(ip) => Arc::from([ip]),
            None => match self.hosts.get(host) {
                Some(addresses) => Arc::clone(addresses),
                None => self.look_up(host).await?,
            },
        };
        if found.is_empty() {
            return Err(Fault::new(FailureKind::Dns, format!("`{host}`: no address")));
        }
        Ok(found)
    }

    /// Leaves out what the guard refuses.
    fn guarded(&self, host: &str, found: &[IpAddr]) -> Result<Vec<IpAddr>, Fault> {
        let allowed = |ip: &&IpAddr| self.allow_private || refusal(**ip).is_none();
        let addresses: Vec<IpAddr> = found.iter().filter(allowed).copied().collect();
        match found.first().filter(|_| addresses.is_empty()) {
            Some(&ip) => Err(refused(host, ip)),
            None => Ok(addresses),
        }
    }

    /// Checks a host that someone else resolves: all that can be checked is an address in its place.
    pub(crate) fn check_literal(&self, host: &str) -> Result<(), Fault> {
        match literal(host) {
            Some(ip) => self.guarded(host, &[ip]).map(|_| ()),
            None => Ok(()),
        }
    }

    async fn look_up(&self, name: &str) -> Result<Arc<[IpAddr]>, Fault> {
        let now = Instant::now();
        let slot = {
            let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
            let is_stale = |slot: &Slot| slot.get().is_some_and(|answer| answer.until <= now);
            let (slot, made) = names.get_or(name, is_stale, Slot::default);
            if !made {
                self.tally.dns_hits.fetch_add(1, Relaxed);
            }
            slot
        };
        let answer = slot.get_or_init(|| self.ask(name)).await;
        answer.found.clone().map_err(|words| Fault::new(FailureKind::Dns, format!("`{name}`: {words}")))
    }

    async fn ask(&self, name: &str) -> Answer {
        let resolver = match &self.dns {
            Ok(resolver) => resolver,
            Err(words) => return no_answer(words),
        };
        self.tally.dns_lookups.fetch_add(1, Relaxed);
        // The final dot keeps the machine's search domains out; single words are what those are for.
        let full = if name.contains('.') { format!("{name}.") } else { name.to_owned() };
        match resolver.lookup_ip(full.as_str()).await {
            Ok(found) => {
                let ttl = found.valid_until().saturating_duration_since(std::time::Instant::now());
                let addresses: Vec<IpAddr> = found.iter().collect();
                let until = Instant::now() + ttl.clamp(SHORTEST_TTL, LONGEST_TTL);
                Answer { found: Ok(sorted(&addresses)), until }
            }
            Err(error) if error.is_nx_domain() => no_answer("no such name"),
            Err(error) if error.is_no_records_found() => no_answer("the name has no address"),
            Err(error) => no_answer(&error.to_string()),
        }
    }
}

fn no_answer(words: &str) -> Answer {
    Answer { found: Err(words.into()), until: Instant::now() + NEGATIVE_TTL }
}

fn refused(host: &str, ip: IpAddr) -> Fault {
    let reason = refusal(ip).unwrap_or("refused");
    let subject = if literal(host) == Some(ip) { format!("`{host}`") } else { format!("`{host}` at `{ip}`") };
    let message = format!("{subject}: {reason} address; set `fetch.allow_private` to allow it");
    Fault::new(FailureKind::Refused, message)
}

/// The address that stands in the place of a name.
pub(crate) fn literal(host: &str) -> Option<IpAddr> {
    match host.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']')?.parse().ok().map(IpAddr::V6),
        None => host.parse().ok().map(IpAddr::V4),
    }
}

fn sorted(addresses: &[IpAddr]) -> Arc<[IpAddr]> {
    let mut addresses = addresses.to_vec();
    // `IpAddr` orders IPv4 before IPv6, then by number.
    addresses.sort_unstable();
    addresses.dedup();
    addresses.truncate(MAX_ADDRESSES);
    addresses.into()
}

/// A resolver that asks `name_servers`, or those of this machine's configuration if there are none.
fn dns(name_servers: &[SocketAddr]) -> Result<TokioResolver, String> {
    let words = |error: hickory_resolver::net::NetError| format!("this machine's DNS settings: {error}");
    let mut builder = if name_servers.is_empty() {
        TokioResolver::builder_tokio().map_err(words)?
    } else {
        let servers = name_servers.iter().copied().map(name_server).collect();
        let config = ResolverConfig::from_parts(None, Vec::new(), servers);
        TokioResolver::builder_with_config(config, TokioRuntimeProvider::default())
    };
    let options = builder.options_mut();
    options.cache_size = 0;
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    options.timeout = Duration::from_secs(3);
    options.attempts = 2;
    builder.build().map_err(words)
}

fn name_server(address: SocketAddr) -> NameServerConfig {
    let mut connections = vec![ConnectionConfig::udp(), ConnectionConfig::tcp()];
    for connection in &mut connections {
        connection.port = address.port();
    }
    NameServerConfig::new(address.ip(), true, connections)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolver(allow_private: bool, name: &str, ips: &[&str]) -> Resolver {
        let ips = ips.iter().map(|ip| ip.parse().unwrap()).collect();
        let hosts = HashMap::from([(name.to_owned(), ips)]);
        Resolver::new(&FetchOptions { hosts, allow_private, ..Default::default() }, Arc::default())
    }

    fn ask(resolver: &Resolver, host: &str) -> Result<String, String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let words = |ips: Vec<IpAddr>| ips.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let found = runtime.block_on(resolver.addresses(host));
        found.map(words).map_err(|fault| format!("{}: {}", fault.kind, fault.message))
    }

    #[test]
    fn sorts_and_guards() {
        let check = |ips: &[&str], expect: Result<&str, &str>| {
            let found = ask(&resolver(false, "a.example", ips), "a.example");
            assert_eq!(found.as_deref().map_err(|e| e.as_str()), expect, "{ips:?}");
        };
        check(&["9.9.9.9", "2606::1", "8.8.8.8", "9.9.9.9"], Ok("8.8.8.8 9.9.9.9 2606::1"));
        check(&["10.0.0.1", "8.8.8.8"], Ok("8.8.8.8"));
        let message =
            "refused: `a.example` at `10.0.0.1`: private address; set `fetch.allow_private` to allow it";
        check(&["10.0.0.1", "fe80::1"], Err(message));
        check(&[], Err("dns: `a.example`: no address"));
    }

    #[test]
    fn literal_addresses() {
        let check = |allow: bool, host: &str, expect: Result<&str, &str>| {
            let found = ask(&resolver(allow, "-", &[]), host);
            assert_eq!(found.as_deref().map_err(|e| e.as_str()), expect, "{host}");
        };
        check(true, "127.0.0.1", Ok("127.0.0.1"));
        check(true, "[::1]", Ok("::1"));
        let message = "refused: `[::1]`: loopback address; set `fetch.allow_private` to allow it";
        check(false, "[::1]", Err(message));
        check(false, "8.8.8.8", Ok("8.8.8.8"));
    }

    #[test]
    fn answers_are_kept_also_bad_ones() {
        let mut resolver = resolver(false, "-", &[]);
        resolver.dns = Err("no DNS here".to_owned());
        for hits in 0..3 {
            assert_eq!(ask(&resolver, "a.example"), Err("dns: `a.example`: no DNS here".to_owned()));
            assert_eq!(resolver.tally.counts().dns_cache_hits, hits);
        }
    }
}
