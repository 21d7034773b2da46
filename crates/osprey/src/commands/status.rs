//! `osprey status DIR`: progress, harvest, frontier, hosts, errors.

use std::fmt::Write;
use std::path::Path;

use anyhow::Context;
use osprey_crawl::{CrawlError, Inspection, Tally};
use osprey_frontier::{FrontierError, HostInfo, Stats};
use serde::Serialize;

use crate::output::Output;
use crate::progress::{duration, grouped};
use crate::project::Project;

/// Hosts listed.
const HOSTS: usize = 20;

#[derive(Serialize)]
struct Status {
    running: bool,
    #[serde(flatten)]
    tally: Tally,
    harvest_ratio: f64,
    frontier: Counts,
    hosts: Vec<Host>,
}

#[derive(Serialize)]
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

#[derive(Serialize)]
struct Host {
    host: String,
    waiting: u64,
    fetched: u64,
    failed: u64,
}

pub(super) fn run(dir: &Path, output: &Output) -> anyhow::Result<()> {
    let project = Project::open(dir, |_| {})?;
    if !project.data().join("frontier").exists() {
        let nothing = serde_json::json!({ "running": false, "visited": 0 });
        return output
            .result(&nothing, || format!("nothing crawled yet; start with: osprey crawl {}", dir.display()));
    }
    match Inspection::open(&project.data(), &project.resolved.settings.frontier) {
        Ok(crawl) => {
            let status = Status::of(crawl.tally()?, &crawl.stats(), crawl.hosts());
            output.result(&status, || status.text(project.resolved.settings.budget.pages))
        }
        Err(CrawlError::Frontier(FrontierError::Locked { .. })) => running(&project, output),
        Err(error) => Err(error.into()),
    }
}

/// A running crawl owns its stores; it leaves a file for us once a second.
fn running(project: &Project, output: &Output) -> anyhow::Result<()> {
    let path = project.status_file();
    let text = std::fs::read(&path).with_context(|| {
        format!("{}: a crawl is running, but has not said how far it is yet", path.display())
    })?;
    let mut status: serde_json::Value = serde_json::from_slice(&text)?;
    if let Some(fields) = status.as_object_mut() {
        fields.insert("running".to_owned(), true.into());
    }
    output.result(&status, || {
        let n = |key: &str| grouped(status[key].as_u64().unwrap_or_default());
        let seconds = duration(status["seconds"].as_f64().unwrap_or_default());
        let (visited, relevant, failed) = (n("visited"), n("relevant"), n("failed"));
        format!(
            "a crawl is running since {seconds}\nvisited {visited}, relevant {relevant}, failed {failed}, waiting {}",
            n("frontier")
        )
    })
}

impl Status {
    fn of(tally: Tally, stats: &Stats, mut hosts: Vec<HostInfo>) -> Self {
        hosts.sort_by_key(|host| (std::cmp::Reverse(host.fetched + host.waiting), host.host.clone()));
        Self {
            running: false,
            harvest_ratio: tally.harvest_ratio(),
            tally,
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
            hosts: hosts.into_iter().take(HOSTS).map(Host::of).collect(),
        }
    }

    fn text(&self, budget: Option<u64>) -> String {
        let mut text = String::new();
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
        let _ = writeln!(text, "failed    {}", grouped(tally.failed));
        let _ = writeln!(text, "bytes     {}", grouped(tally.bytes));
        let _ = writeln!(
            text,
            "of these  {} duplicates, {} near duplicates, {} redirects, {} cut at a limit",
            grouped(tally.duplicates),
            grouped(tally.near_duplicates),
            grouped(tally.redirects),
            grouped(tally.cut)
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
        let statuses = tally.statuses.iter().map(|(status, n)| (status.to_string(), *n)).collect();
        let _ = writeln!(text, "statuses  {}", list(statuses));
        let _ = writeln!(text, "errors    {}", list(tally.errors.clone().into_iter().collect()));
        let _ = writeln!(text, "skipped   {}", list(tally.skipped.clone().into_iter().collect()));
        let _ = writeln!(text, "hosts     {}", grouped(frontier.hosts));
        for host in &self.hosts {
            let (fetched, waiting) = (grouped(host.fetched), grouped(host.waiting));
            let _ = writeln!(text, "  {:<40} {fetched:>9} fetched {waiting:>9} waiting", host.host);
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
        }
    }
}
