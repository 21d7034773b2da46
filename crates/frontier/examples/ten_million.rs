//! Prints how fast and how large a frontier is at ten million links.
//!
//! ```text
//! cargo run --release -p osprey-frontier --example ten_million -- DIR [links] [hosts] [groups]
//! ```
//! Adds links in pages of fifty, leases and settles, changes the factor of a group of 100,000 links, then exits
//! without closing, as `kill -9` would, and opens the frontier again in a second process. `groups` is the number of
//! groups that the links are spread over; 0 means one per page.

#![expect(clippy::print_stdout, reason = "figures are what it is for")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use osprey_frontier::{Commit, Frontier, FrontierError, Initial, NewLink, Options, Pick, Settle};
use osprey_model::{CanonicalUrl, GroupFactor, GroupId, LinkScore, Timestamp, UrlRules};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const PAGE: u32 = 50;
/// The group whose factor changes; its links are spread over all hosts.
const BIG_GROUP: GroupId = GroupId(u64::MAX);
const BIG_GROUP_LINKS: u32 = 100_000;

struct Shape {
    dir: PathBuf,
    links: u32,
    hosts: u32,
    groups: u32,
}

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let dir = PathBuf::from(arguments.next().ok_or("usage: ten_million DIR [links] [hosts] [groups]")?);
    let mut number = |default: u32| arguments.next().map_or(Ok(default), |text| text.parse());
    let shape = Shape { dir, links: number(10_000_000)?, hosts: number(1_000)?, groups: number(0)? };
    match std::env::var_os("OSPREY_REOPEN") {
        Some(_) => reopen(&shape),
        None => fill(&shape),
    }
}

fn options() -> Options {
    Options { host_delay: Duration::ZERO, ..Options::default() }
}

fn fill(shape: &Shape) -> Outcome<()> {
    if shape.dir.exists() {
        return Err(format!("{}: exists already", shape.dir.display()).into());
    }
    let mut frontier = Frontier::open(&shape.dir, &options())?;
    add(&mut frontier, shape)?;
    println!("memory after adding: {}", memory()?);
    lease(&mut frontier)?;
    factors(&mut frontier)?;
    println!("memory: {}", memory()?);
    let disk = disk(&shape.dir)?;
    println!("disk: {} MiB, {:.1} bytes a URL", disk >> 20, disk as f64 / f64::from(shape.links));
    println!("stats: {:?}", frontier.stats());

    // No close and no destructors: the disk holds what `kill -9` would leave.
    std::mem::forget(frontier);
    let me = std::env::current_exe()?;
    let reopening =
        std::process::Command::new(me).args(std::env::args_os().skip(1)).env("OSPREY_REOPEN", "1").spawn()?;
    drop(reopening);
    std::process::exit(0)
}

/// Measures how long opening takes, after the first process has ended.
fn reopen(shape: &Shape) -> Outcome<()> {
    let (mut frontier, start, waited) = loop {
        let (start, waited) = (Instant::now(), kept_waiting());
        match Frontier::open(&shape.dir, &options()) {
            Err(FrontierError::Locked { .. }) => std::thread::sleep(Duration::from_millis(10)),
            opened => break (opened?, start, waited),
        }
    };
    println!(
        "opened without having been closed in {:.2} s ({:.2} s of it kept waiting), memory: {}",
        start.elapsed().as_secs_f64(),
        kept_waiting().saturating_sub(waited).as_secs_f64(),
        memory()?
    );
    println!("stats: {:?}", frontier.stats());
    lease(&mut frontier)?;
    frontier.close()?;
    let disk = disk(&shape.dir)?;
    println!(
        "disk after closing: {} MiB, {:.1} bytes a URL",
        disk >> 20,
        disk as f64 / f64::from(shape.links)
    );
    Ok(())
}

fn add(frontier: &mut Frontier, shape: &Shape) -> Outcome<()> {
    let rules = UrlRules::default();
    let mut random = Random(88_172_645_463_325_252);
    let mut commits = Vec::new();
    let (mut in_commits, mut waiting) = (Duration::ZERO, Duration::ZERO);
    let start = Instant::now();
    for page in 0..shape.links / PAGE {
        let urls = page_urls(page, shape.hosts, &mut random, &rules)?;
        let group = match shape.groups {
            _ if page < BIG_GROUP_LINKS / PAGE => BIG_GROUP,
            0 => GroupId(u64::from(page)),
            groups => GroupId(u64::from(page % groups)),
        };
        let add = urls.iter().enumerate().map(|(n, url)| NewLink {
            url,
            group: match shape.groups {
                groups if groups > shape.links / PAGE => {
                    GroupId(u64::from(page * PAGE + n as u32) % u64::from(groups))
                }
                _ => group,
            },
            own: LinkScore::new(random.next() as f32 / u64::MAX as f32),
            payload: b"payload!",
            state: Initial::Waiting,
        });
        let add = add.collect();
        let commit =
            Commit { block: b"what is common to a page's links", add, now: now(), ..Commit::default() };
        let (began, waited) = (Instant::now(), kept_waiting());
        frontier.commit(&commit)?;
        let took = began.elapsed();
        in_commits += took;
        waiting += kept_waiting().saturating_sub(waited);
        commits.push(took);
    }
    let rate = |time: Duration| f64::from(shape.links) / time.as_secs_f64();
    println!(
        "added {} links: {:.0} a second in commits ({:.0} without being kept waiting), {:.0} with making the URLs",
        shape.links,
        rate(in_commits),
        rate(in_commits.saturating_sub(waiting)),
        rate(start.elapsed()),
    );
    print("commit of 50 links", commits);
    Ok(())
}

/// The links of one page: most lead to the page's own host, a few to others.
fn page_urls(page: u32, hosts: u32, random: &mut Random, rules: &UrlRules) -> Outcome<Vec<CanonicalUrl>> {
    let mut urls = Vec::with_capacity(PAGE as usize);
    for n in 0..PAGE {
        let host = if n % 10 == 9 { random.next() as u32 % hosts } else { page % hosts };
        let text = format!(
            "https://www.host-{host:04}.example/forum/{}/topic-{:x}/page-{page}-{n}.html",
            ["pictures", "travel", "machines", "gardens"][random.next() as usize % 4],
            random.next() as u32,
        );
        urls.push(CanonicalUrl::parse(&text, rules).map_err(|problem| problem.to_string())?);
    }
    Ok(urls)
}

fn lease(frontier: &mut Frontier) -> Outcome<()> {
    let (mut leases, mut settles) = (Vec::new(), Vec::new());
    for _ in 0..20_000 {
        let began = Instant::now();
        let pick = frontier.lease(now())?;
        leases.push(began.elapsed());
        let Pick::Leased(lease) = pick else { return Err(format!("nothing to lease: {pick:?}").into()) };
        let commit = Commit { settle: vec![(lease.id, Settle::Done)], now: now(), ..Commit::default() };
        let began = Instant::now();
        frontier.commit(&commit)?;
        settles.push(began.elapsed());
    }
    print("lease", leases);
    print("settle", settles);
    Ok(())
}

fn factors(frontier: &mut Frontier) -> Outcome<()> {
    let mut times = Vec::new();
    for n in 0..200 {
        let factor = if n % 10 == 9 { GroupFactor::Parked } else { GroupFactor::times(0.001 * n as f32) };
        let commit = Commit { factors: vec![(BIG_GROUP, factor)], now: now(), ..Commit::default() };
        let began = Instant::now();
        frontier.commit(&commit)?;
        times.push(began.elapsed());
    }
    print("new factor for a group of 100,000 links", times);
    Ok(())
}

fn print(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e6;
    println!(
        "{what}: p50 {:.1} us, p99 {:.1} us, p99.9 {:.1} us, most {:.1} us",
        at(0.5),
        at(0.99),
        at(0.999),
        at(1.0)
    );
}

fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Timestamp::EPOCH.after(since)
}

fn memory() -> Outcome<String> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or_default() >> 10
    };
    Ok(format!("{} MiB resident, {} MiB at most", line("VmRSS"), line("VmHWM")))
}

/// Bytes on disk, without the holes of sparse files.
fn disk(dir: &Path) -> Outcome<u64> {
    use std::os::unix::fs::MetadataExt;
    let mut total = 0;
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        // The store may delete files while this walks the folder.
        let Ok(metadata) = entry.metadata() else { continue };
        total += if metadata.is_dir() { disk(&entry.path())? } else { metadata.blocks() * 512 };
    }
    Ok(total)
}

/// How long this thread was ready to run but had no core. On a busy machine, this part of a duration says nothing
/// about the frontier.
fn kept_waiting() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split_whitespace().nth(1).and_then(|nanos| nanos.parse().ok());
    Duration::from_nanos(nanos.unwrap_or_default())
}

/// xorshift64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}
