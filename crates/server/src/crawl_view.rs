//! How a crawl stands, as the API sends it and the pages show it, and what can be asked of it.
//!
//! These shapes are ours to keep stable, whatever the engine does: [`CrawlView::of`] is the one place where the one becomes
//! the other. A crawl of another process is asked through its socket, so it looks like one of ours but for `external`.

use std::collections::BTreeMap;

use osprey_engine::{
    Activity, CrawlState, Fetched, HostStatus, Overrides, Overview, PageTypeCount, Result, Service,
};
use serde::{Deserialize, Serialize};

/// What a person asks of a crawl.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase", tag = "order", deny_unknown_fields)]
pub(crate) enum Order {
    /// Begin or go on.
    Start {
        /// Instead of the configured policy.
        #[serde(default)]
        policy: Option<String>,
        /// Pages over all runs, instead of the configured number.
        #[serde(default)]
        budget: Option<u64>,
    },
    /// Ask for nothing until resumed.
    Pause {},
    /// Go on.
    Resume {},
    /// End the run; the next one goes on where it ended.
    Stop {},
    /// Make what was fetched searchable.
    Index {},
}

impl Order {
    /// Does what is asked.
    pub(crate) fn apply(self, project: &Service) -> Result<()> {
        match self {
            Self::Start { policy, budget } => project.start(&Overrides { policy, budget }),
            Self::Pause {} => project.pause(),
            Self::Resume {} => project.resume(),
            Self::Stop {} => project.stop(),
            Self::Index {} => project.index(),
        }
    }
}

/// What a project is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Doing {
    /// Nothing.
    #[default]
    Rests,
    /// It crawls.
    Crawls,
    /// A crawl is paused.
    Paused,
    /// A crawl is ending: what is in flight is taken in.
    Stopping,
    /// It indexes.
    Indexes,
}

impl Doing {
    /// As it is written in the API.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Rests => "rests",
            Self::Crawls => "crawls",
            Self::Paused => "paused",
            Self::Stopping => "stopping",
            Self::Indexes => "indexes",
        }
    }

    fn of(activity: Activity) -> Self {
        match activity {
            Activity::Idle | Activity::Crawl(CrawlState::Idle) => Self::Rests,
            Activity::Crawl(CrawlState::Crawling) => Self::Crawls,
            Activity::Crawl(CrawlState::Paused) => Self::Paused,
            Activity::Crawl(CrawlState::Stopping) => Self::Stopping,
            Activity::Indexing => Self::Indexes,
        }
    }
}

/// How a crawl stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct CrawlView {
    /// What goes on.
    pub(crate) doing: Doing,
    /// Whether another process crawls.
    pub(crate) external: bool,
    /// How the last thing ended, or what is wrong.
    pub(crate) message: Option<String>,
    /// The configured policy, or that of the run.
    pub(crate) policy: String,
    /// Policies there are.
    pub(crate) policies: &'static [&'static str],
    /// Pages over all runs.
    pub(crate) budget: Option<u64>,
    /// URLs fetched.
    pub(crate) visited: u64,
    /// Of these, worth it.
    pub(crate) relevant: u64,
    /// Of these, in vain.
    pub(crate) failed: u64,
    /// `relevant / visited`.
    pub(crate) harvest_ratio: f64,
    /// Pictures fetched.
    pub(crate) pictures: u64,
    /// Bytes fetched.
    pub(crate) bytes: u64,
    /// Pages per second, lately.
    pub(crate) rate: f64,
    /// Links that wait.
    pub(crate) waiting: u64,
    /// Links that wait with a parked group.
    pub(crate) parked: u64,
    /// What is waited for, in words.
    pub(crate) waits_for: Option<String>,
    /// Documents in the index.
    pub(crate) documents: u64,
    /// Failures by kind.
    pub(crate) errors: BTreeMap<String, u64>,
    /// Links left alone, by reason.
    pub(crate) skipped: BTreeMap<String, u64>,
    /// Hosts in trouble first, then the largest.
    pub(crate) hosts: Vec<HostView>,
    /// Visits by type of page.
    pub(crate) page_types: Vec<PageTypeCount>,
    /// Visits and relevant pages, along the way.
    pub(crate) curve: Vec<(u64, u64)>,
    /// The last visits, newest first.
    pub(crate) recent: Vec<Fetched>,
}

/// A host.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct HostView {
    pub(crate) host: String,
    /// Links that wait.
    pub(crate) waiting: u64,
    /// Pages fetched.
    pub(crate) fetched: u64,
    /// Of these, in vain.
    pub(crate) failed: u64,
    /// Seconds between two requests.
    pub(crate) delay: f64,
    /// How it does, in words; empty if well.
    pub(crate) health: String,
}

impl From<HostStatus> for HostView {
    fn from(HostStatus { host, waiting, fetched, failed, delay, health, .. }: HostStatus) -> Self {
        Self { host, waiting, fetched, failed, delay, health }
    }
}

impl CrawlView {
    /// How the crawl of a project stands now. Blocks, for seconds if the process that crawls does not answer.
    pub(crate) fn of(project: &Service) -> Self {
        let Overview { activity, is_ours, message, status, documents } = project.overview();
        let is_waiting = status.idle.is_some_and(|idle| idle.is_waiting());
        Self {
            doing: Doing::of(activity),
            external: matches!(activity, Activity::Crawl(_)) && !is_ours,
            message,
            // where nothing can be crawled there is nothing to choose
            policies: if status.policy.is_empty() { &[] } else { Service::POLICIES },
            policy: status.policy,
            budget: status.budget,
            visited: status.tally.visited,
            relevant: status.tally.relevant,
            failed: status.tally.failed,
            harvest_ratio: status.harvest_ratio,
            pictures: status.tally.pictures.fetched,
            bytes: status.tally.bytes,
            rate: status.rate.unwrap_or(0.0),
            waiting: status.frontier.waiting,
            parked: status.frontier.parked,
            waits_for: status.waits_for.filter(|_| is_waiting),
            documents,
            errors: status.tally.errors,
            skipped: status.tally.skipped,
            hosts: status.hosts.into_iter().map(HostView::from).collect(),
            page_types: status.course.page_types,
            curve: status.course.curve,
            recent: status.course.recent,
        }
    }
}
