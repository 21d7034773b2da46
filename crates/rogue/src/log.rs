//! The log of requests: every request in full, or only a tally by host for servers that receive millions.
//!
//! A request counts from the moment its head is complete, and is open until its answer was passed to the network or
//! the connection has ended. So an interval here is never longer than the one that the client observed.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use osprey_model::{Headers, Timestamp};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::SiteRequest;

/// One request, as it arrived.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// When its head was complete, by a monotonic clock.
    pub at: Instant,
    /// The same by the wall clock, for comparison with other logs.
    pub wall: Timestamp,
    /// The `Host` header or `:authority`.
    pub host: String,
    /// Path and query.
    pub path: String,
    /// The client's end.
    pub peer: SocketAddr,
    /// The address that the client connected to.
    pub local: SocketAddr,
    /// The header lines.
    pub headers: Headers,
}

/// The requests that one host (or one address) received.
#[derive(Clone, Copy, Debug)]
pub struct HostTally {
    /// Requests.
    pub requests: u64,
    /// The shortest time from one request's arrival to the next one's.
    pub min_interval: Option<Duration>,
    /// The maximum number of requests open at the same time.
    pub max_open: u32,
    last: Instant,
    open: u32,
}

impl HostTally {
    fn new(at: Instant) -> Self {
        Self { requests: 0, min_interval: None, max_open: 0, last: at, open: 0 }
    }

    fn begin(&mut self, at: Instant) {
        if self.requests > 0 {
            let interval = at.saturating_duration_since(self.last);
            self.min_interval = Some(self.min_interval.map_or(interval, |min| min.min(interval)));
        }
        self.requests += 1;
        self.last = at;
        self.open += 1;
        self.max_open = self.max_open.max(self.open);
    }
}

/// Totals of all requests.
#[derive(Clone, Debug, Default)]
pub struct RequestTally {
    /// Requests.
    pub requests: u64,
    /// First and last arrival.
    pub span: Option<(Instant, Instant)>,
    hosts: FxHashMap<String, HostTally>,
    addresses: FxHashMap<IpAddr, HostTally>,
    urls: FxHashSet<u64>,
}

impl RequestTally {
    /// Tallies by `Host` header, in no particular order.
    pub fn hosts(&self) -> impl Iterator<Item = (&str, &HostTally)> {
        self.hosts.iter().map(|(host, tally)| (host.as_str(), tally))
    }

    /// Tallies by the address that clients connected to, in no particular order.
    pub fn addresses(&self) -> impl Iterator<Item = (IpAddr, &HostTally)> {
        self.addresses.iter().map(|(address, tally)| (*address, tally))
    }

    /// The tally of one host.
    pub fn host(&self, host: &str) -> Option<&HostTally> {
        self.hosts.get(host)
    }

    /// Number of different URLs requested.
    pub fn distinct_urls(&self) -> usize {
        self.urls.len()
    }

    /// Seconds from the first arrival to the last.
    pub fn seconds(&self) -> f64 {
        self.span.map_or(0.0, |(first, last)| last.saturating_duration_since(first).as_secs_f64())
    }

    /// The totals as JSON, for a report.
    pub fn to_json(&self) -> Value {
        let seconds = self.seconds();
        let rate = if seconds > 0.0 { self.requests as f64 / seconds } else { 0.0 };
        json!({
            "requests": self.requests,
            "distinct_urls": self.distinct_urls(),
            "seconds": round(seconds),
            "requests_per_second": round(rate),
            "hosts": clocks(self.hosts.values()),
            "addresses": clocks(self.addresses.values()),
        })
    }

    fn begin(&mut self, asked: &SiteRequest<'_>, at: Instant) {
        self.requests += 1;
        self.span = Some((self.span.map_or(at, |(first, _)| first), at));
        match self.hosts.get_mut(asked.host) {
            Some(host) => host.begin(at),
            None => self.hosts.entry(asked.host.to_owned()).or_insert(HostTally::new(at)).begin(at),
        }
        self.addresses.entry(asked.local.ip()).or_insert(HostTally::new(at)).begin(at);
        let host = xxh3_64_with_seed(asked.host.as_bytes(), 0);
        self.urls.insert(xxh3_64_with_seed(asked.path.as_bytes(), host));
    }

    fn end(&mut self, host: &str, address: IpAddr) {
        let tallies = [self.hosts.get_mut(host), self.addresses.get_mut(&address)];
        for tally in tallies.into_iter().flatten() {
            tally.open = tally.open.saturating_sub(1);
        }
    }
}

fn clocks<'a>(tallies: impl Iterator<Item = &'a HostTally>) -> Value {
    let (mut count, mut max_open, mut most, mut intervals) = (0_u64, 0, 0, Vec::new());
    for tally in tallies {
        count += 1;
        max_open = max_open.max(tally.max_open);
        most = most.max(tally.requests);
        intervals.extend(tally.min_interval);
    }
    intervals.sort_unstable();
    let millis = |at: Option<&Duration>| at.map(|interval| round(interval.as_secs_f64() * 1000.0));
    json!({
        "count": count,
        "max_requests": most,
        "max_open": max_open,
        "min_interval_ms": millis(intervals.first()),
        "median_min_interval_ms": millis(intervals.get(intervals.len() / 2)),
    })
}

fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// The server's records. The lock is held only for a few lookups: one thread accepts all requests, and readers are
/// rare.
pub(crate) struct Ledger {
    pages: Mutex<Pages>,
}

#[derive(Default)]
struct Pages {
    tally: RequestTally,
    arrivals: Option<Vec<Arrival>>,
    file: Option<BufWriter<File>>,
    connections: u64,
}

impl std::fmt::Debug for Ledger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ledger").field("requests", &self.lock().tally.requests).finish_non_exhaustive()
    }
}

/// A request that is being answered; it is open until this is dropped.
pub(crate) struct Open<'a> {
    ledger: &'a Ledger,
    host: String,
    address: IpAddr,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.ledger.lock().tally.end(&self.host, self.address);
    }
}

impl Ledger {
    pub(crate) fn new(keep_arrivals: bool, file: Option<&Path>) -> io::Result<Self> {
        let file = file.map(File::create).transpose()?.map(BufWriter::new);
        let arrivals = keep_arrivals.then(Vec::new);
        Ok(Self { pages: Mutex::new(Pages { arrivals, file, ..Pages::default() }) })
    }

    fn lock(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn connected(&self) {
        self.lock().connections += 1;
    }

    pub(crate) fn begin(&self, asked: &SiteRequest<'_>) -> Open<'_> {
        let (at, wall) = (Instant::now(), wall_clock());
        let mut pages = self.lock();
        pages.tally.begin(asked, at);
        if let Some(arrivals) = &mut pages.arrivals {
            arrivals.push(Arrival {
                at,
                wall,
                host: asked.host.to_owned(),
                path: asked.path.to_owned(),
                peer: asked.peer,
                local: asked.local,
                headers: asked.lines.iter().copied().collect(),
            });
        }
        if let Some(file) = &mut pages.file {
            // A full disk ends the log, not the server.
            if writeln!(file, "{}\t{}\t{}\t{}", wall.as_millis(), asked.local.ip(), asked.host, asked.path)
                .is_err()
            {
                pages.file = None;
            }
        }
        Open { ledger: self, host: asked.host.to_owned(), address: asked.local.ip() }
    }

    pub(crate) fn arrivals(&self) -> Vec<Arrival> {
        self.lock().arrivals.clone().unwrap_or_default()
    }

    pub(crate) fn tally(&self) -> RequestTally {
        self.lock().tally.clone()
    }

    pub(crate) fn connections(&self) -> u64 {
        self.lock().connections
    }

    pub(crate) fn flush(&self) -> io::Result<()> {
        self.lock().file.as_mut().map_or(Ok(()), Write::flush)
    }
}

fn wall_clock() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_and_open_requests_are_kept_by_host() {
        let end: SocketAddr = "127.0.0.1:80".parse().unwrap();
        let asked = |host, path| SiteRequest { host, path, peer: end, local: end, lines: &[] };
        let start = Instant::now();
        let mut tally = RequestTally::default();
        for (millis, host, path) in [(0, "a", "/"), (5, "b", "/"), (30, "a", "/1"), (40, "a", "/1")] {
            tally.begin(&asked(host, path), start + Duration::from_millis(millis));
            if path == "/" {
                tally.end(host, end.ip());
            }
        }
        let a = tally.host("a").unwrap();
        assert_eq!((a.requests, a.min_interval, a.max_open), (3, Some(Duration::from_millis(10)), 2));
        let b = tally.host("b").unwrap();
        assert_eq!((b.requests, b.min_interval, b.max_open), (1, None, 1));
        assert_eq!(tally.distinct_urls(), 3);
        let json = tally.to_json();
        assert_eq!(json["requests"], 4);
        assert_eq!(json["hosts"]["min_interval_ms"], 10.0);
        assert_eq!(json["addresses"]["min_interval_ms"], 5.0);
    }
}
