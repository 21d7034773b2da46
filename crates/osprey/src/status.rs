//! How a crawl stands: one shape for a crawl that runs (which leaves it in a file), one that rests, and one that has not
//! begun.

use std::fmt::Write;
use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

use osprey_crawl::{Idle, Tally};
use osprey_frontier::{HostInfo, Stats};
use osprey_model::Timestamp;
use serde::{Deserialize, Serialize};

use crate::progress::{duration, grouped};

/// Hosts listed.
const HOSTS: usize = 20;

/// What `status --json` prints.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Status {
    pub(crate) running: bool,
    #[serde(flatten)]
    tally: Tally,
    harvest_ratio: f64,
    /// Pages per second, lately, of a crawl that runs.
    rate: Option<f64>,
    /// What a crawl that runs waits for, in words and in numbers.
    waits_for: Option<String>,
    idle: Option<Idle>,
    frontier: Counts,
    hosts: Vec<Host>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Counts {
    known: u64,
    waiting: u64,
    parked: u64,
    leased: u64,
    done: u64,
    failed: u64,
    dropped: u64,
    hosts: u64,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Host {
    host: String,
    waiting: u64,
    fetched: u64,
    failed: u64,
    in_flight: u64,
    address: Option<IpAddr>,
    /// Seconds between two requests.
    delay: f64,
    /// When it may be asked again, if not now.
    next_at: Option<Timestamp>,
    /// How it does, in words; empty if well.
    health: String,
}

impl Status {
    /// What the next run would wait for.
    pub(crate) fn at_rest(&mut self, idle: Idle) {
        self.waits_for = Some(idle.to_string()).filter(|_| idle.is_waiting());
        self.idle = Some(idle);
    }

    /// How a crawl that runs does at this moment.
    pub(crate) fn now(&mut self, rate: f64, idle: Idle) {
        self.rate = Some(rate);
        self.waits_for = Some(idle.to_string());
        self.idle = Some(idle);
    }

    pub(crate) fn of(tally: Tally, stats: &Stats, mut hosts: Vec<HostInfo>) -> Self {
        // there may be very many, and a crawl that runs does this every second
        let order = |a: &HostInfo, b: &HostInfo| {
            let size = |host: &HostInfo| host.fetched + host.waiting;
            size(b).cmp(&size(a)).then_with(|| a.host.as_str().cmp(b.host.as_str()))
        };
        if hosts.len() > HOSTS {
            hosts.select_nth_unstable_by(HOSTS, order);
            hosts.truncate(HOSTS);
        }
        hosts.sort_by(order);
        Self {
            running: false,
            harvest_ratio: tally.harvest_ratio(),
            tally,
            rate: None,
            waits_for: None,
            idle: None,
            frontier: Counts {
                known: stats.known,
                waiting: stats.waiting - stats.parked,
                parked: stats.parked,
                leased: stats.leased,
                done: stats.done,
                failed: stats.failed,
                dropped: stats.dropped,
                hosts: stats.hosts,
            },
            hosts: hosts.into_iter().map(Host::of).collect(),
        }
    }

    pub(crate) fn text(&self, budget: Option<u64>) -> String {
        let mut text = if self.running { "a crawl is running\n".to_owned() } else { String::new() };
        let (tally, frontier) = (&self.tally, &self.frontier);
        let of = budget.map(|budget| format!(" of {}", grouped(budget))).unwrap_or_default();
        // writing to a String cannot fail
        let _ = writeln!(
            text,
            "visited   {}{of} in {}",
            grouped(tally.visited),
            duration(tally.active_ms as f64 / 1e3)
        );
        let _ =
            writeln!(text, "relevant  {} (harvest ratio {:.3})", grouped(tally.relevant), self.harvest_ratio);
        let _ = writeln!(text, "failed    {}, tried again {}", grouped(tally.failed), grouped(tally.retried));
        if let Some(rate) = self.rate {
            let mean = tally.visited as f64 / (tally.active_ms as f64 / 1e3).max(0.001);
            let _ = writeln!(text, "rate      {rate:.1} pages/s now, {mean:.1} on average");
        }
        if let Some(waits_for) = &self.waits_for {
            let _ = writeln!(text, "waits for {waits_for}");
        }
        let _ = writeln!(text, "bytes     {}", grouped(tally.bytes));
        let pictures = &tally.pictures;
        if pictures.found > 0 {
            let _ = writeln!(
                text,
                "pictures  {} fetched ({} copies, {} bytes), {} failed, {} waiting, {} left alone",
                grouped(pictures.fetched - pictures.failed),
                grouped(pictures.duplicates),
                grouped(pictures.bytes),
                grouped(pictures.failed),
                grouped(pictures.waiting()),
                grouped(pictures.dropped),
            );
        }
        let _ = writeln!(
            text,
            "of these  {} duplicates, {} near duplicates, {} redirects, {} cut at a limit, {} unchanged",
            grouped(tally.duplicates),
            grouped(tally.near_duplicates),
            grouped(tally.redirects),
            grouped(tally.cut),
            grouped(tally.unchanged)
        );
        let _ = writeln!(
            text,
            "frontier  {} known: {} waiting, {} parked, {} done, {} failed, {} dropped",
            grouped(frontier.known),
            grouped(frontier.waiting),
            grouped(frontier.parked),
            grouped(frontier.done),
            grouped(frontier.failed),
            grouped(frontier.dropped)
        );
        let list = |counts: Vec<(String, u64)>| match counts.is_empty() {
            true => "none".to_owned(),
            false => counts
                .iter()
                .map(|(name, n)| format!("{name} {}", grouped(*n)))
                .collect::<Vec<_>>()
                .join(", "),
        };
        let _ = writeln!(text, "statuses  {}", list(tally.statuses.clone().into_iter().collect()));
        let _ = writeln!(text, "errors    {}", list(tally.errors.clone().into_iter().collect()));
        let _ = writeln!(text, "skipped   {}", list(tally.skipped.clone().into_iter().collect()));
        let _ = writeln!(text, "hosts     {}", grouped(frontier.hosts));
        for host in &self.hosts {
            let (fetched, waiting) = (grouped(host.fetched), grouped(host.waiting));
            let health = if host.health.is_empty() { String::new() } else { format!("  {}", host.health) };
            let _ = writeln!(text, "  {:<40} {fetched:>9} fetched {waiting:>9} waiting{health}", host.host);
        }
        text
    }
}

impl Host {
    fn of(info: HostInfo) -> Self {
        Self {
            host: info.host.to_string(),
            waiting: info.waiting,
            fetched: info.fetched,
            failed: info.failed,
            in_flight: info.leased,
            address: info.ip,
            delay: (info.delay.as_secs_f64() * 100.0).round() / 100.0,
            next_at: Some(info.next_at).filter(|at| *at > Timestamp::EPOCH),
            health: health(&info),
        }
    }
}

/// Whether a running crawl has written its status within such a time: it does every second.
pub(crate) fn is_fresh(file: &Path, within: Duration) -> bool {
    let written = std::fs::metadata(file).and_then(|data| data.modified());
    // a clock that was set back makes no crawl old
    written.is_ok_and(|at| at.elapsed().unwrap_or_default() < within)
}

/// What is unusual about a host.
pub(crate) fn health(info: &HostInfo) -> String {
    let pace = &info.pace;
    let mut words = Vec::new();
    if pace.streak > 0 {
        words.push(format!("failed {} times in a row", pace.streak));
    }
    if let Some(until) = info.resting_until {
        words.push(format!("rests until {until}"));
    }
    if !pace.slowdown.is_zero() {
        words.push(format!("slowed down to one request in {}", duration(pace.slowdown.as_secs_f64())));
    }
    if let Some(delay) = pace.crawl_delay {
        words.push(format!("asks for {} between requests", duration(delay.as_secs_f64())));
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A crawl that runs leaves its status in a file, and another process reads it.
    #[test]
    fn a_status_reads_back() {
        let mut tally = Tally::default();
        tally.status(200);
        tally.error("timeout");
        let mut status = Status::of(tally, &Stats::default(), Vec::new());
        status.now(1.5, Idle { delayed_hosts: 3, next_in: Some(0.5), ..Idle::default() });
        let text = serde_json::to_string(&status).unwrap();
        let read: Status = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
        assert!(text.contains("\"waits_for\":\"3 hosts in delay, next in 0.5 s\""), "{text}");
    }
}
