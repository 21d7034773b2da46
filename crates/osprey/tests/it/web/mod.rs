//! Projects that crawl servers of ours on loopback.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStderr, Stdio};
use std::time::{Duration, Instant};

use osprey_rogue::{Arrival, Server};
use serde_json::Value;

pub(crate) use crate::project::{Project, TestRng, fails_with, osprey};

/// A live project that begins at `seeds`; `crawl` and `fetch` are further lines of those sections. Waits are short, so
/// that tests are.
pub(crate) fn live(seeds: &[String], crawl: &str, fetch: &str) -> Project {
    let unless = |lines: &str, key: &str, line: &str| {
        if lines.contains(key) { String::new() } else { line.to_owned() }
    };
    let patience = unless(crawl, "max_idle_seconds", "max_idle_seconds = 20\n");
    let backoff = unless(fetch, "backoff_ms", "backoff_ms = 20\n");
    // a port that one test has left may be the next one's
    let clocks = unless(fetch, "share_clocks", "share_clocks = false\n");
    Project::new(&format!(
        "[crawl]\nseeds = {seeds:?}\nscope = \"any\"\n{patience}{crawl}\n[source]\nkind = \"http\"\n\
         [fetch]\nuser_agent = \"osprey-test/0.1 (+mailto:test@example.org)\"\nallow_private = true\n{backoff}{clocks}{fetch}\n"
    ))
}

/// Status by path, of all visits.
pub(crate) fn statuses(project: &Project) -> BTreeMap<String, u64> {
    let rows = project.rows("visits");
    rows.iter().map(|row| (path(row["url"].as_str().unwrap()), row["status"].as_u64().unwrap())).collect()
}

/// What follows the authority.
pub(crate) fn path(url: &str) -> String {
    let rest = url.split_once("://").unwrap().1;
    rest[rest.find('/').unwrap()..].to_owned()
}

/// The visit of a path.
pub(crate) fn visit(project: &Project, wanted: &str) -> Value {
    let mut rows = project.rows("visits").into_iter();
    rows.find(|row| path(row["url"].as_str().unwrap()) == wanted).unwrap_or(Value::Null)
}

/// The shortest time between two arrivals with the same key.
pub(crate) fn shortest_interval<K: Ord>(
    arrivals: &[Arrival],
    key: impl Fn(&Arrival) -> K,
) -> (Option<Duration>, usize) {
    let mut last: BTreeMap<K, Instant> = BTreeMap::new();
    let mut shortest: Option<Duration> = None;
    let mut arrivals: Vec<&Arrival> = arrivals.iter().collect();
    arrivals.sort_by_key(|arrival| arrival.at);
    for arrival in &arrivals {
        if let Some(before) = last.insert(key(arrival), arrival.at) {
            let interval = arrival.at - before;
            shortest = Some(shortest.map_or(interval, |least| least.min(interval)));
        }
    }
    (shortest, arrivals.len())
}

/// Paths that arrived, in order.
pub(crate) fn asked(server: &Server) -> Vec<String> {
    server.log().into_iter().map(|arrival| arrival.path).collect()
}

/// A crawl that runs.
pub(crate) struct Running {
    pub(crate) child: Child,
    lines: BufReader<ChildStderr>,
}

impl Running {
    pub(crate) fn start(project: &Project) -> Self {
        let mut command = osprey();
        command.arg("crawl").arg(project.path()).arg("-v").stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap());
        Self { child, lines }
    }

    /// Waits until so many visits more were told; false if the crawl ended before.
    pub(crate) fn wait_for(&mut self, visits: u64) -> bool {
        let mut line = String::new();
        let mut told = 0;
        while told < visits {
            line.clear();
            if self.lines.read_line(&mut line).unwrap() == 0 {
                return false;
            }
            told += u64::from(line.contains(" http://") || line.contains(" https://"));
        }
        true
    }

    /// Kills it, whatever it is doing.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for its end; what it still said, and whether it succeeded.
    pub(crate) fn end(mut self) -> (String, bool) {
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.lines, &mut rest).unwrap();
        (rest, self.child.wait().unwrap().success())
    }

    pub(crate) fn signal(&self, name: &str) {
        let status = std::process::Command::new("kill").args([name, &self.child.id().to_string()]).status();
        assert!(status.unwrap().success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}
