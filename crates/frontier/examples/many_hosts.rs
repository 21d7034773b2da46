//! Prints what hosts cost: the memory of idle hosts, and the time of requests to addresses that thousands of hosts
//! share.
//!
//! ```text
//! cargo run --release -p osprey-frontier --example many_hosts -- DIR [hosts] [links a host] [addresses]
//! ```
//! Adds hosts with a few links each, assigns them to addresses, then leases and settles links and asks the frontier
//! when the next one is ready. The clock is stepped, so nothing waits. Run again on the same folder, it only opens
//! the frontier: the memory it prints then contains nothing left over from adding.

#![expect(clippy::print_stdout, reason = "figures are what it is for")]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use osprey_frontier::{Commit, Frontier, Initial, NewLink, Options, Pick, Settle};
use osprey_model::{CanonicalUrl, GroupId, HostKey, LinkScore, Timestamp, UrlRules};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const TURNS: usize = 20_000;
const IDLES: usize = 1_000;

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let dir = PathBuf::from(arguments.next().ok_or("usage: many_hosts DIR [hosts] [links] [addresses]")?);
    let mut number = |default: u32| arguments.next().map_or(Ok(default), |text| text.parse());
    let (hosts, links, addresses) = (number(100_000)?, number(5)?, number(10)?);
    let (before, began, is_new) = (resident()?, Instant::now(), !dir.exists());
    let mut frontier = Frontier::open(&dir, &Options::default())?;
    if !is_new {
        println!("opened in {:.2} s: {}", began.elapsed().as_secs_f64(), per_host(before, hosts)?);
        println!("{:?}", frontier.stats());
        return Ok(());
    }
    add(&mut frontier, hosts, links)?;
    println!("{hosts} hosts of {links} links: {}", per_host(before, hosts)?);
    let keys: Vec<HostKey> = frontier.hosts().map(|info| info.host).collect();
    for (n, key) in (0_u32..).zip(&keys) {
        frontier.locate(key, Some((0x0A00_0000 + n % addresses).to_be_bytes().into()));
    }
    frontier.sync()?;
    drop(keys);
    println!("at {addresses} addresses: {}", per_host(before, hosts)?);
    turns(&mut frontier)?;
    println!("after {TURNS} turns: {}", per_host(before, hosts)?);
    frontier.close()?;
    Ok(())
}

fn add(frontier: &mut Frontier, hosts: u32, links: u32) -> Outcome<()> {
    let rules = UrlRules::default();
    for host in 0..hosts {
        let texts = (0..links).map(|n| format!("https://www.host-{host:06}.example/forum/topic-{n}.html"));
        let urls = texts.map(|text| CanonicalUrl::parse(&text, &rules)).collect::<Result<Vec<_>, _>>();
        let urls = urls.map_err(|problem| problem.to_string())?;
        let add = urls.iter().zip(0..).map(|(url, n)| NewLink {
            url,
            group: GroupId(u64::from(host % 1000)),
            own: LinkScore::new((url.fingerprint() % 1000) as f32 + n as f32),
            payload: b"payload!",
            state: Initial::Waiting,
        });
        let add = add.collect();
        frontier.commit(&Commit { block: b"what is common to a page's links", add, ..Commit::default() })?;
    }
    Ok(())
}

/// Leases the next link and settles it 100 ms later; when none is ready, moves the clock to when one is.
fn turns(frontier: &mut Frontier) -> Outcome<()> {
    let mut now = Timestamp::from_millis(1_000_000);
    let (mut leases, mut settles, mut idles) = (Vec::new(), Vec::new(), Vec::new());
    let mut open = Vec::new();
    while leases.len() < TURNS {
        let began = Instant::now();
        let pick = frontier.lease(now)?;
        let took = began.elapsed();
        match pick {
            Pick::Leased(lease) => {
                leases.push(took);
                open.push(lease.id);
                continue;
            }
            Pick::Wait { until } => now = until.max(now.after(Duration::from_millis(100))),
            _ => now = now.after(Duration::from_millis(100)),
        }
        let is_settled = !open.is_empty();
        for id in open.drain(..) {
            let commit = Commit { settle: vec![(id, Settle::Done)], now, ..Commit::default() };
            let began = Instant::now();
            frontier.commit(&commit)?;
            settles.push(began.elapsed());
        }
        if is_settled && idles.len() < IDLES {
            let began = Instant::now();
            let idle = frontier.idle(now);
            idles.push(began.elapsed());
            if idles.len() == IDLES {
                println!("{idle:?}");
            }
        }
    }
    print("lease", leases);
    print("settle", settles);
    print("idle", idles);
    Ok(())
}

fn print(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |share: f64| {
        let index = (times.len().saturating_sub(1) as f64 * share) as usize;
        times.get(index).copied().unwrap_or_default().as_secs_f64() * 1e6
    };
    println!("{what}: p50 {:.1} us, p99 {:.1} us, most {:.1} us", at(0.5), at(0.99), at(1.0));
}

fn per_host(before: u64, hosts: u32) -> Outcome<String> {
    let grown = resident()?.saturating_sub(before);
    Ok(format!("{} MiB, {} bytes a host", grown >> 20, grown / u64::from(hosts)))
}

fn resident() -> Outcome<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap_or_default();
    Ok(line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or_default() << 10)
}
