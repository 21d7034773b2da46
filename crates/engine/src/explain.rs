//! Why a URL was fetched, is waiting, or was skipped.

use std::fmt::Write;

use osprey_crawl::{Crawl, RevisitOutcome, Revisits, Skip, Standing, SystemClock, VisitRow};
use osprey_frontier::{HostInfo, LinkState};
use osprey_model::{CanonicalUrl, Clock, GroupFactor, Timestamp};
use osprey_steer::{LinkFacts, Policy};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::config::stored_policy;
use crate::error::{Error, Result};
use crate::example_pages::ExamplePages;
use crate::live::Running;
use crate::project::Project;
use crate::status::health;
use crate::words::{counted, duration};

/// What is said of links that were skipped when they were found.
const NOT_STORED: &str =
    "; links to it that were found before are not stored: `osprey restore` finds them again";

/// Why a URL is in its state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// The URL.
    pub url: String,
    /// `fetched`, `failed`, `waiting`, `parked`, `leased`, `skipped` or `unknown`.
    pub state: String,
    /// In words.
    pub words: String,
    /// What robots.txt says of it; `None` if it was never fetched.
    pub robots: Option<String>,
    /// In numbers.
    pub details: Value,
    /// What the revisits of it found; `None` if there were none.
    #[serde(default)]
    pub revisits: Option<Revisits>,
}

impl Project {
    /// Why a URL was fetched, is waiting, or was skipped. If a crawl is running, it answers.
    pub fn explain(&self, url: &str) -> Result<Explanation> {
        let url = CanonicalUrl::parse(url, &self.resolved.settings.page_rules.url)
            .map_err(|problem| Error::url(url, problem))?;
        if let Some(mut running) = Running::find(self.layout())? {
            return running.explain(&url);
        }
        let settings = &self.resolved.settings;
        let crawl = self.stores()?;
        let standing = crawl.standing(&url, settings)?;
        let robots = crawl.robots_verdict(&url, &settings.agent)?;
        let revisits = crawl.revisits(&url)?;
        // the policy that gave the scores, which need not be the one configured today
        let (identity, _, state) = crawl.policy_snapshot()?;
        let known = ExamplePages::of(self).known_already()?;
        let policy = match stored_policy(&identity, &state, &known) {
            Some(policy) => policy,
            None => self.resolved.steering(&known)?.into_policy(),
        };
        Ok(explanation(&url, &standing, robots, revisits, &*policy))
    }
}

/// The same for a running crawl, called on its own thread.
pub(crate) fn explain_running(crawl: &Crawl, url: &CanonicalUrl) -> Result<Explanation> {
    let (standing, robots) = (crawl.standing(url)?, crawl.robots_verdict(url)?);
    Ok(explanation(url, &standing, robots, crawl.revisits(url)?, crawl.policy()))
}

fn explanation(
    url: &CanonicalUrl,
    standing: &Standing,
    robots: Option<String>,
    revisits: Option<Revisits>,
    policy: &dyn Policy,
) -> Explanation {
    let (state, mut words, details) = tell(standing, policy, SystemClock::default().now());
    if let Some(revisits) = &revisits {
        let _ = writeln!(words, "{}", revisited(revisits));
    }
    if let Some(robots) = &robots {
        // writing to a String cannot fail
        let _ = writeln!(words, "robots.txt: {robots}");
    }
    for remark in policy.remarks() {
        let _ = writeln!(words, "note: {remark}");
    }
    let (url, words) = (url.to_string(), words.trim_end().to_owned());
    Explanation { url, state: state.to_owned(), words, robots, details, revisits }
}

/// `revisited 3 times, 1 of them found a change; last at 2026-11-18T08:00:00Z: unchanged`
fn revisited(revisits: &Revisits) -> String {
    let Revisits { times, changes, last_at, last } = revisits;
    let last = match last {
        RevisitOutcome::Unchanged => "unchanged",
        RevisitOutcome::Changed => "changed",
        RevisitOutcome::Failed => "failed",
    };
    format!(
        "revisited {}, {changes} of them found a change; last at {last_at}: {last}",
        counted(*times, "time")
    )
}

/// State, words and numbers.
fn tell(standing: &Standing, policy: &dyn Policy, now: Timestamp) -> (&'static str, String, Value) {
    match standing {
        Standing::Visited(row) => (if row.is_failure() { "failed" } else { "fetched" }, fetched(row), json!(row)),
        Standing::Refused(skip, words) => {
            let later = if *skip == Skip::Trap { NOT_STORED } else { "" };
            let words = format!("skipped ({}): {words}{later}\n", skip.name());
            ("skipped", words, json!({ "reason": skip.name() }))
        }
        Standing::Unknown => (
            "unknown",
            "in scope, but not in the frontier: no fetched page links to it, or only pages past the depth limit, marked \
             nofollow or repeating others, or places of pages whose links led to copies (`osprey status` names them; \
             `crawl.keep` and `osprey restore` open them again), or the frontier was full\n".to_owned(),
            Value::Null,
        ),
        Standing::Known(link) => {
            let info = &link.info;
            let (state, mut words) = match (link.dropped(), info.state) {
                (Some(skip), _) => {
                    let why = link.trap.as_ref().map(|words| format!(": {words}")).unwrap_or_default();
                    ("skipped", format!("skipped ({}) just before it would have been fetched{why}\n", skip.name()))
                }
                (None, LinkState::Waiting) => match info.priority {
                    None => ("parked", "waits, parked with its group\n".to_owned()),
                    Some(priority) => ("waiting", format!("waits with priority {priority:.4}\n")),
                },
                (None, LinkState::Leased) => ("leased", "was in flight when the crawl stopped; will be fetched again\n".to_owned()),
                (None, _) => ("failed", "given up\n".to_owned()),
            };
            let parts = &link.note.parts;
            let factor = match info.factor {
                GroupFactor::Times(factor) => Some(factor.get()),
                GroupFactor::Parked => None,
            };
            let (own, depth, group) = (info.own.get(), link.block.depth, info.group);
            let facts = LinkFacts { group, factor, own, depth, parts };
            let _ = writeln!(words, "{}: {}", policy.name(), policy.explain(&facts));
            found(&mut words, link.block.parent.as_deref(), link.block.depth, &link.note.apath, &link.note.anchor);
            if let Some(host) = link.host.as_ref().filter(|_| info.state == LinkState::Waiting) {
                words += &patience(host, info.retry_at, now);
            }
            let details = json!({
                "host": link.host.as_ref().map(|host| json!({
                    "next_at": host.next_at, "delay": host.delay.as_secs_f64(), "health": health(host),
                })),
                "retry_at": info.retry_at,
                "priority": info.priority, "own": info.own, "group": info.group.0, "depth": link.block.depth,
                "parent": link.block.parent, "apath": link.note.apath, "anchor": link.note.anchor,
                "parts": parts.iter().map(|(name, value)| (name.clone(), json!(value))).collect::<serde_json::Map<_, _>>(),
                "attempts": info.attempts,
            });
            (state, words, details)
        }
    }
}

/// When a waiting link's host is ready, and why not now.
fn patience(host: &HostInfo, retry_at: Option<Timestamp>, now: Timestamp) -> String {
    let wait = |at: Timestamp| duration(at.since(now).as_secs_f64());
    let mut words = String::new();
    if let Some(at) = retry_at.filter(|at| *at > now) {
        words += &format!("will be tried again in {}\n", wait(at));
    }
    let delay = duration(host.delay.as_secs_f64());
    words += &match host.next_at > now {
        true => format!("its host is ready again in {} (delay {delay})\n", wait(host.next_at)),
        false => {
            format!("its host is ready now (delay {delay}); links with higher priority go first\n")
        }
    };
    let health = health(host);
    if !health.is_empty() {
        words += &format!("its host: {health}\n");
    }
    words
}

fn fetched(row: &VisitRow) -> String {
    let mut words = String::new();
    // writing to a String cannot fail
    let _ =
        writeln!(words, "visit {} at {}: status {}, {} bytes", row.n, row.fetched_at, row.status, row.bytes);
    let parts: Vec<String> = row.why.iter().map(|(name, value)| format!("{name} {value:.4}")).collect();
    let _ = writeln!(words, "{}: score {:.4} ({})", row.policy, row.score, parts.join(", "));
    found(&mut words, row.parent.as_deref(), row.depth, row.apath.as_deref().unwrap_or_default(), "");
    if let Some(relevance) = row.relevance {
        let _ = writeln!(
            words,
            "judged {}: {relevance:.4}",
            if row.relevant { "relevant" } else { "not relevant" }
        );
    }
    if row.final_url != row.url {
        let _ = writeln!(words, "redirects to {}", row.final_url);
    }
    if let Some(original) = &row.duplicate_of {
        let _ = writeln!(words, "repeats {original}: its links were not followed");
    }
    if let Some(n) = row.near_duplicate_of {
        let _ = writeln!(words, "nearly repeats visit {n}");
    }
    for note in &row.notes {
        let _ = writeln!(words, "note: {note}");
    }
    words
}

fn found(words: &mut String, parent: Option<&str>, depth: u32, apath: &str, anchor: &str) {
    let _ = match parent {
        None => writeln!(words, "a seed"),
        Some(parent) if apath.is_empty() => {
            writeln!(words, "found at depth {depth} by a redirect from {parent}")
        }
        Some(parent) => {
            let anchor = if anchor.is_empty() { String::new() } else { format!(" as \"{anchor}\"") };
            writeln!(words, "found at depth {depth} on {parent}{anchor}, at {apath}")
        }
    };
}
