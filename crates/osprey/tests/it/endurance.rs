//! A live crawl that is killed, met by every misbehaviour there is, and run for long: nothing is lost, nothing grows.
//!
//! `OSPREY_SOAK_SECONDS` sets the length of the soak: 10 by default, 600 for the long form.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use osprey_rogue::{Channel, Expect, Flaky, Misbehaviour, Plain, Rates, Rogues, Server};

use crate::web::{Running, TestRng, live, path};

const PAGES: u64 = 400;
const KILLS: u64 = 100;
const CONCURRENCY: u64 = 8;

#[test]
fn a_hundred_kills_of_a_live_crawl_lose_nothing() {
    let mut rng = TestRng(3);
    let mut kills = 0;
    let mut crawls = 0;
    while kills < KILLS {
        let server = Server::start(Plain::new(20 + crawls, PAGES)).unwrap();
        let fetch =
            format!("host_delay_ms = 0\nconcurrency = {CONCURRENCY}\nhost_concurrency = {CONCURRENCY}");
        let project = live(&[server.url("/")], "snapshot_every = 7", &fetch);
        let mut kills_here = 0;
        loop {
            let mut running = Running::start(&project);
            if !running.wait_for(1 + rng.below(20)) {
                assert!(running.end().1, "after {kills_here} kills");
                break;
            }
            // the kill falls anywhere: into requests, pages being read, archive, commit
            (0..rng.below(600_000)).for_each(|i| {
                std::hint::black_box(i);
            });
            running.kill();
            kills_here += 1;
        }
        let visited: Vec<String> = project.visited().iter().map(|url| path(url)).collect();
        let set: BTreeSet<String> = visited.iter().cloned().collect();
        let all: BTreeSet<String> = (0..PAGES).map(Plain::path).collect();
        assert_eq!(set, all, "after {kills_here} kills");
        assert_eq!(visited.len(), set.len(), "a page has two visits");
        let archived = project.archived();
        assert!(project.visited().iter().all(|url| archived.contains(url)), "a visit is not in the archive");
        // nothing is fetched twice except what was in flight
        let mut asked: BTreeMap<String, u64> = BTreeMap::new();
        server.log().into_iter().for_each(|arrival| *asked.entry(arrival.path).or_default() += 1);
        let again: u64 = asked.values().map(|times| times - 1).sum();
        assert!(again <= kills_here * CONCURRENCY, "{again} requests made again, {kills_here} kills");
        kills += kills_here;
        crawls += 1;
    }
    eprintln!("{kills} kills of {crawls} live crawls of {PAGES} pages");
}

/// A field of /proc/PID/status in KiB.
fn memory(running: &Running, field: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", running.child.id())).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(field));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
}

fn descriptors(running: &Running) -> usize {
    std::fs::read_dir(format!("/proc/{}/fd", running.child.id())).map_or(0, Iterator::count)
}

/// Every misbehaviour of the table, on its channel, between good pages: each is classified and counted, memory stays
/// within bounds, and the good pages come.
///
/// On a machine with much else to do, an answer may come after the short time-outs of the first crawl. If time-outs are
/// all that is wrong, everything is met once more, with patience.
#[test]
fn every_misbehaviour_is_survived() {
    let wrong = meet_every_misbehaviour(1);
    if !wrong.is_empty() && wrong.iter().all(|row| row.contains("timeout") || row.contains(" within ")) {
        let wrong = meet_every_misbehaviour(10);
        assert!(wrong.is_empty(), "with patience: {wrong:#?}");
    } else {
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}

/// What is wrong with the visits of a crawl that meets them all, with time-outs of a few seconds times `patience`.
fn meet_every_misbehaviour(patience: u64) -> Vec<String> {
    let rogues = Rogues::start().unwrap();
    // a host that does nothing but fail rests: plain ones each get a name of their own
    let own_name = |name: &str, url: String| url.replace("127.0.0.1", &format!("{name}.test"));
    let url_of = |misbehaviour: &Misbehaviour| match misbehaviour.channel {
        Channel::Http => own_name(misbehaviour.name, rogues.url(misbehaviour)),
        _ => rogues.url(misbehaviour),
    };
    // and so do the good pages: over HTTP/2 a name is a connection, which misbehaviours end for all that share it
    let good_names = ["http.good", "https.good", "http2.good"];
    let channels = [Channel::Http, Channel::Https, Channel::Http2];
    let good: Vec<String> = good_names
        .iter()
        .zip(channels)
        .map(|(name, channel)| own_name(name, rogues.good_url(channel)))
        .collect();
    let seeds: Vec<String> = good.iter().cloned().chain(Misbehaviour::ALL.iter().map(url_of)).collect();
    let names = Misbehaviour::ALL.iter().map(|misbehaviour| misbehaviour.name).chain(good_names);
    let hosts: String = names.map(|name| format!("\"{name}.test\" = \"127.0.0.1\"\n")).collect();
    let limits = [("connect", 2000), ("first_byte", 2000), ("idle", 1500)];
    let limits = limits.map(|(name, ms)| format!("{name}_timeout_ms = {}\n", ms * patience));
    let fetch = format!(
        "host_delay_ms = 0\nconcurrency = 16\nhost_concurrency = 16\nmax_attempts = 1\nobey_robots = false\n\
         max_body_bytes = 1000000\nca_file = \"root.pem\"\nbackoff_ms = 1\n{}timeout_ms = {}\n[fetch.hosts]\n{hosts}",
        limits.concat(),
        6000 * patience,
    );
    let project = live(&seeds, "max_depth = 0", &fetch);
    std::fs::write(project.path().join("root.pem"), rogues.root_pem()).unwrap();
    let mut running = Running::start(&project);
    let mut peak = 0;
    while running.wait_for(1) {
        peak = peak.max(memory(&running, "VmHWM"));
    }
    let (rest, success) = running.end();
    assert!(success, "{rest}");
    assert!(peak < 400 << 10, "{peak} KiB");
    let rows = project.rows("visits");
    let rows: BTreeMap<&str, _> = rows.iter().map(|row| (row["url"].as_str().unwrap(), row)).collect();
    let mut wrong = Vec::new();
    let mut waiting = 0;
    for misbehaviour in Misbehaviour::ALL {
        let Some(row) = rows.get(url_of(misbehaviour).as_str()) else {
            // who asks for a day gets it
            let may_wait =
                misbehaviour.channel != Channel::Http || misbehaviour.name.starts_with("retry-after");
            assert!(may_wait, "{misbehaviour:?} was not fetched");
            waiting += 1;
            continue;
        };
        let (status, notes) = (row["status"].as_u64().unwrap(), row["notes"].to_string());
        // requests share a connection there, and so its end
        if misbehaviour.channel == Channel::Http2
            && (notes.contains("protocol: ") || notes.contains("ended early"))
        {
            continue;
        }
        let is_right = match misbehaviour.expect {
            Expect::Answered(expect) => status == u64::from(expect),
            Expect::Cut(expect) => {
                status == u64::from(expect)
                    && row["bytes"].as_u64().unwrap() <= 1_000_000
                    && notes.contains("cut")
            }
            Expect::Broken(expect) | Expect::Late(expect) => {
                status == u64::from(expect) && notes.contains("body ")
            }
            Expect::Failed(kind) => status == 0 && notes.contains(kind.name()),
        };
        if !is_right {
            wrong.push(format!("{misbehaviour:?}: {row}"));
        }
    }
    assert!(waiting <= 12, "{waiting} were not fetched: {}", project.json("status", &[]));
    for url in good {
        let row = rows.get(url.as_str());
        if !row.is_some_and(|row| row["status"] == 200) {
            wrong.push(format!("{url}: {row:?}"));
        }
    }
    eprintln!("{} misbehaviours, {waiting} left waiting, {peak} KiB at most", Misbehaviour::ALL.len());
    wrong
}

/// A site that fails at every turn, for as long as wanted: memory and descriptors do not grow.
#[test]
fn a_soak_stays_flat() {
    let seconds: u64 = std::env::var("OSPREY_SOAK_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(10);
    let rates = Rates {
        server_error: 20,
        too_many: 2,
        reset: 20,
        cut: 20,
        delay: 50,
        delay_by: Duration::from_millis(50),
    };
    let server = Server::start(Flaky::new(Plain::new(9, 100_000_000), 5, rates)).unwrap();
    let fetch = "host_delay_ms = 0\nconcurrency = 32\nhost_concurrency = 32\nbackoff_ms = 1";
    let crawl = format!("budget_seconds = {seconds}\nmax_depth = 1000");
    let project = live(&[server.url("/")], &crawl, fetch);
    let mut running = Running::start(&project);
    let mut samples: Vec<(u64, usize)> = Vec::new();
    while running.wait_for(100) {
        samples.push((memory(&running, "VmRSS"), descriptors(&running)));
    }
    let (rest, success) = running.end();
    assert!(success, "{rest}");
    samples.retain(|(memory, _)| *memory > 0);
    let (early, late) = samples.split_at(samples.len() / 2);
    let most = |samples: &[(u64, usize)]| {
        let memory = samples.iter().map(|(memory, _)| *memory).max().unwrap_or(0);
        (memory, samples.iter().map(|(_, descriptors)| *descriptors).max().unwrap_or(0))
    };
    let ((early_memory, early_files), (late_memory, late_files)) = (most(early), most(late));
    eprintln!(
        "{} pages in {seconds} s: {early_memory} KiB and {early_files} descriptors in the first half, {late_memory} KiB and \
         {late_files} in the second",
        samples.len() * 100
    );
    assert!(samples.len() >= 10, "{} samples: {rest}", samples.len());
    let status = project.json("status", &[]);
    let worked = status["active_ms"].as_u64().unwrap();
    assert!(worked >= seconds * 1000, "it worked to the end: {status}");
    // the frontier grows by a few dozen bytes a URL, and a store's caches fill up to their bounds
    assert!(late_memory <= early_memory * 13 / 10 + (24 << 10), "{early_memory} KiB, then {late_memory} KiB");
    assert!(late_files <= early_files + 40, "{early_files} descriptors, then {late_files}");
    assert!(status["errors"].as_object().unwrap().len() >= 2, "faults were met: {status}");
}
