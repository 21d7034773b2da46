//! The status of a crawl: one shape, whether it runs in this process, in another one, or not at all.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::ops::{Deref, DerefMut};
use std::path::Path;

use osprey_crawl::{
    ClosedPattern, CrawlError, Idle, Inspection, Outlook, PastWant, SystemClock, Tally, VisitRow,
};
use osprey_frontier::{HostInfo, Stats};
use osprey_model::{Clock, Timestamp};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::captures::Captures;
use crate::error::{Context, Error, Result};
use crate::live::Running;
use crate::project::Project;
use crate::ratings::RatingFigures;
use crate::words::duration;

/// Hosts listed.
const HOSTS: usize = 20;

/// What a project's crawl is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CrawlState {
    /// Nothing.
    #[default]
    Idle,
    /// It fetches.
    Crawling,
    /// It fetches nothing until it is resumed.
    Paused,
    /// It is ending: what is in flight is taken in.
    Stopping,
}

/// The state of a crawl.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Status {
    /// Whether a process is crawling.
    pub running: bool,
    /// What it does.
    pub state: CrawlState,
    /// The process that crawls.
    pub process: Option<u32>,
    /// The policy of the run.
    pub policy: String,
    /// Pages over all runs, at most.
    pub budget: Option<u64>,
    /// Counts over all runs.
    #[serde(flatten)]
    pub tally: Tally,
    /// `relevant / visited`.
    pub harvest_ratio: f64,
    /// What was counted before the want changed, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub past_wants: Vec<PastWant>,
    /// Pages per second, recent, of a crawl that runs.
    pub rate: Option<f64>,
    /// What is to be expected of the links that wait, if that can be said.
    pub outlook: Option<Outlook>,
    /// What a crawl waits for, in words.
    pub waits_for: Option<String>,
    /// The same in numbers.
    pub idle: Option<Idle>,
    /// Links by state.
    pub frontier: LinkCounts,
    /// Hosts in trouble first, then the largest.
    pub hosts: Vec<HostStatus>,
    /// URLs that are not fetched any more, since they brought nothing new.
    pub closed: Vec<ClosedPattern>,
    /// What the user's ratings say of the judge; `None` if there are none.
    pub ratings: Option<RatingFigures>,
    /// What was fetched along the way.
    #[serde(flatten)]
    pub course: Course,
}

/// Links of a frontier, by state.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LinkCounts {
    /// All.
    pub known: u64,
    /// Ready or waiting for their host.
    pub waiting: u64,
    /// Waiting in a group that the policy has parked.
    pub parked: u64,
    /// In flight.
    pub leased: u64,
    /// Fetched.
    pub done: u64,
    /// Given up.
    pub failed: u64,
    /// Dropped when their turn came.
    pub dropped: u64,
    /// Hosts.
    pub hosts: u64,
}

/// A host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostStatus {
    /// Its name.
    pub host: String,
    /// Links that wait.
    pub waiting: u64,
    /// Pages fetched.
    pub fetched: u64,
    /// Of these, in vain.
    pub failed: u64,
    /// Requests under way.
    pub in_flight: u64,
    /// Where it is.
    pub address: Option<IpAddr>,
    /// Seconds between two requests.
    pub delay: f64,
    /// When it may be asked again, if not now.
    pub next_at: Option<Timestamp>,
    /// How it does, in words; empty if well.
    pub health: String,
}

/// What was fetched along the way: the harvest's curve, page types, the last visits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Course {
    /// Visits and relevant pages, from the start.
    pub curve: Vec<(u64, u64)>,
    /// Visits by type of page.
    pub page_types: Vec<PageTypeCount>,
    /// The last visits, newest first.
    pub recent: Vec<Fetched>,
}

/// Visits of a type of page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PageTypeCount {
    /// Its name.
    pub name: String,
    /// Pages fetched.
    pub fetched: u64,
    /// Of these, worth it.
    pub relevant: u64,
    /// Links that wait and are expected to lead to such pages; `None` if that cannot be said.
    pub waiting: Option<u64>,
}

/// A visit, for a list of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fetched {
    /// Its number.
    pub n: u64,
    /// What was fetched.
    pub url: String,
    /// The page's title.
    pub title: Option<String>,
    /// The status; 0 where there was no answer.
    pub status: u16,
    /// The type of page.
    pub page_type: Option<String>,
    /// Whether it was worth it.
    pub relevant: bool,
    /// The link's score.
    pub score: f32,
    /// What the score is made of.
    pub why: BTreeMap<String, f32>,
    /// Whether the user called it good; `None` if it is not rated.
    pub good: Option<bool>,
}

impl Fetched {
    /// What a list shows of a visit.
    pub fn of(row: &VisitRow) -> Self {
        Self {
            n: row.n,
            url: row.url.clone(),
            title: row.title.clone(),
            status: row.status,
            page_type: row.page_type.clone(),
            relevant: row.relevant,
            score: row.score,
            why: row.why.clone(),
            good: None,
        }
    }
}

impl Project {
    /// The state of the crawl. One that runs is asked; of one that does not, the course is left out.
    pub fn status(&self) -> Result<Status> {
        Ok(Status { ratings: self.rating_figures()?, ..self.status_of_crawl()? })
    }

    fn status_of_crawl(&self) -> Result<Status> {
        if let Some(mut running) = Running::find(self.layout())? {
            return match running.status() {
                // its process is stopped, or its disk hangs: the archive still says what it did
                Err(Error::Busy(why)) => self.status_by_archive(why),
                answered => answered,
            };
        }
        let status = match self.stores() {
            Ok(mut stores) => self.status_at_rest(&mut stores)?,
            Err(Error::Crawl(CrawlError::Nothing(_))) => Status::default(),
            Err(error) => return Err(error),
        };
        Ok(self.planned(status))
    }

    /// The state of a crawl that does not answer, as far as its archive shows.
    fn status_by_archive(&self, why: String) -> Result<Status> {
        let captures = Captures::open(self.layout().data(), &self.resolved.settings)?;
        let mut tally = Tally::default();
        for visit in captures.visits()? {
            let visit = visit?;
            tally.bytes += visit.bytes;
            tally.status(visit.status);
            if visit.is_revisit {
                tally.revisits.pages += 1;
                continue;
            }
            tally.visited += 1;
            tally.relevant += u64::from(visit.relevant);
            tally.failed += u64::from(visit.is_failure());
        }
        let harvest_ratio = tally.harvest_ratio();
        let state = CrawlState::Crawling;
        let status = Status { running: true, state, harvest_ratio, tally, ..Status::default() };
        Ok(self.planned(Status { waits_for: Some(why), ..status }))
    }

    /// The same of stores that are open already.
    pub(crate) fn status_at_rest(&self, stores: &mut Inspection) -> Result<Status> {
        let mut status = Status::of(stores.tally()?, &stores.stats(), stores.hosts());
        let noun = self.resolved.group_noun(&self.known_so_far()?);
        status.waits_for(stores.idle(SystemClock::default().now(), noun));
        status.closed = stores.closed_patterns()?;
        status.outlook = stores.outlook()?;
        status.past_wants = stores.past_wants()?;
        Ok(status)
    }

    /// A status with what the configuration says of the next run.
    pub(crate) fn planned(&self, status: Status) -> Status {
        Status { policy: self.resolved.policy_name(), budget: self.budget(), ..status }
    }

    /// The stores of a crawl that does not run. The store of a frontier takes a lock and writes when it is opened: where
    /// nothing may be written, a copy is looked at.
    pub(crate) fn stores(&self) -> Result<Stores> {
        let options = &self.resolved.settings.frontier;
        match Inspection::open(self.layout().data(), options, Inspection::PATIENCE) {
            Err(error) if error.is_read_only() => {
                let folder = self.copied_frontier()?;
                let stores = Inspection::open(folder.path(), options, Inspection::PATIENCE)?;
                Ok(Stores { stores, _copy: Some(folder) })
            }
            opened => Ok(Stores { stores: opened?, _copy: None }),
        }
    }

    /// A folder with a copy of the frontier, for as long as it is kept.
    pub(crate) fn copied_frontier(&self) -> Result<TempDir> {
        let folder = tempfile::tempdir().context("a folder for a copy of the frontier")?;
        copy(&self.layout().frontier(), &folder.path().join("frontier"))
            .with_context(|| format!("{}: cannot be copied", self.layout().frontier().display()))?;
        Ok(folder)
    }
}

/// The stores of a crawl, opened to look, or a copy of them.
pub(crate) struct Stores {
    stores: Inspection,
    _copy: Option<TempDir>,
}

impl Deref for Stores {
    type Target = Inspection;

    fn deref(&self) -> &Inspection {
        &self.stores
    }
}

impl DerefMut for Stores {
    fn deref_mut(&mut self) -> &mut Inspection {
        &mut self.stores
    }
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let (entry, to) = (entry?, to.to_owned());
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            // not `fs::copy`: what may only be read would be so in the copy, too
            std::io::copy(&mut std::fs::File::open(entry.path())?, &mut std::fs::File::create(target)?)?;
        }
    }
    Ok(())
}

impl Status {
    /// From what a crawl knows of itself.
    pub(crate) fn of(tally: Tally, stats: &Stats, hosts: Vec<HostInfo>) -> Self {
        Self {
            harvest_ratio: tally.harvest_ratio(),
            tally,
            frontier: LinkCounts {
                known: stats.known,
                waiting: stats.waiting.saturating_sub(stats.parked),
                parked: stats.parked,
                leased: stats.leased,
                done: stats.done,
                failed: stats.failed,
                dropped: stats.dropped,
                hosts: stats.hosts,
            },
            hosts: listed(hosts).into_iter().map(HostStatus::of).collect(),
            ..Self::default()
        }
    }

    /// What it waits for; a crawl that does not run waits for nothing unless it would.
    pub(crate) fn waits_for(&mut self, idle: Idle) {
        self.waits_for = Some(idle.to_string()).filter(|_| self.running || idle.is_waiting());
        self.idle = Some(idle);
    }
}

/// Hosts in trouble first: they are what one looks for. There may be very many, and a crawl that runs is asked every second.
fn listed(mut hosts: Vec<HostInfo>) -> Vec<HostInfo> {
    let is_slow = |host: &HostInfo| {
        host.resting_until.is_some() || host.pace.streak > 0 || !host.pace.slowdown.is_zero()
    };
    let order = |a: &HostInfo, b: &HostInfo| {
        let size = |host: &HostInfo| host.fetched + host.waiting;
        is_slow(b)
            .cmp(&is_slow(a))
            .then_with(|| size(b).cmp(&size(a)))
            .then_with(|| a.host.as_str().cmp(b.host.as_str()))
    };
    if hosts.len() > HOSTS {
        hosts.select_nth_unstable_by(HOSTS, order);
        hosts.truncate(HOSTS);
    }
    hosts.sort_by(order);
    hosts
}

impl HostStatus {
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

/// What is unusual about a host.
pub(crate) fn health(info: &HostInfo) -> String {
    let pace = &info.pace;
    let mut words = Vec::new();
    if pace.streak > 0 {
        words.push(format!("failed {} times in a row", pace.streak));
    }
    if let Some(until) = info.resting_until {
        words.push(format!("backing off until {until}"));
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

    /// A crawl that runs is asked by other processes.
    #[test]
    fn a_status_reads_back() {
        let mut tally = Tally::default();
        tally.status(200);
        tally.error("timeout");
        let mut status = Status { running: true, ..Status::of(tally, &Stats::default(), Vec::new()) };
        status.rate = Some(1.5);
        status.waits_for(Idle { delayed_hosts: 3, next_in: Some(0.5), ..Idle::default() });
        status.course.curve = vec![(0, 0), (7, 3)];
        let text = serde_json::to_string(&status).unwrap();
        let read: Status = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
        assert!(text.contains("\"waits_for\":\"3 hosts in delay, next in 0.5 s\""), "{text}");
    }
}
