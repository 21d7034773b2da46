//! The state of a crawl, as the API sends it and the pages show it, and the orders that a crawl takes.
//!
//! The API promises these shapes, whatever the engine does: [`CrawlView::of`] is the one place that translates. The server
//! talks to a crawl of another process through its socket, so that crawl looks like one of its own except for `external`.

use std::collections::BTreeMap;

use osprey_engine::{
    Activity, CrawlState, Fetched, HostStatus, Overrides, Overview, PageTypeCount, PastWant, Result, Service,
};
use serde::{Deserialize, Serialize};

/// An order to a crawl.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase", tag = "order", deny_unknown_fields)]
pub(crate) enum Order {
    /// Start or continue.
    Start {
        /// Instead of the configured policy.
        #[serde(default)]
        policy: Option<String>,
        /// Pages over all runs, instead of the configured number.
        #[serde(default)]
        budget: Option<u64>,
    },
    /// Fetch nothing until resumed.
    Pause {},
    /// Continue a paused crawl.
    Resume {},
    /// End the run; the next one continues where it ended.
    Stop {},
    /// Index the fetched pages.
    Index {},
}

impl Order {
    /// Carries out the order.
    pub(crate) fn apply(self, project: &Service) -> Result<()> {
        match self {
            Self::Start { policy, budget } => project.start(&Overrides { policy, budget, time: None }),
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
pub(crate) enum ProjectState {
    /// Nothing.
    #[default]
    Idle,
    /// A crawl is running.
    Crawling,
    /// A crawl is paused.
    Paused,
    /// A crawl is stopping: it finishes the requests in flight.
    Stopping,
    /// The index is being updated.
    Indexing,
}

impl ProjectState {
    /// The name in the API and on pages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Crawling => "crawling",
            Self::Paused => "paused",
            Self::Stopping => "stopping",
            Self::Indexing => "indexing",
        }
    }

    /// The name in the API's old field `doing`.
    pub(crate) fn old_name(self) -> &'static str {
        match self {
            Self::Idle => "rests",
            Self::Crawling => "crawls",
            Self::Paused => "paused",
            Self::Stopping => "stopping",
            Self::Indexing => "indexes",
        }
    }

    fn of(activity: Activity) -> Self {
        match activity {
            Activity::Idle | Activity::Crawl(CrawlState::Idle) => Self::Idle,
            Activity::Crawl(CrawlState::Crawling) => Self::Crawling,
            Activity::Crawl(CrawlState::Paused) => Self::Paused,
            Activity::Crawl(CrawlState::Stopping) => Self::Stopping,
            Activity::Indexing => Self::Indexing,
        }
    }
}

/// The state of a crawl.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct CrawlView {
    /// What the project is doing.
    pub(crate) state: ProjectState,
    /// The same, under the names of earlier versions.
    pub(crate) doing: &'static str,
    /// Whether another process crawls.
    pub(crate) external: bool,
    /// How the last run ended, or what is wrong.
    pub(crate) message: Option<String>,
    /// The configured policy, or that of the run.
    pub(crate) policy: String,
    /// All policies.
    pub(crate) policies: &'static [&'static str],
    /// Pages over all runs.
    pub(crate) budget: Option<u64>,
    /// URLs fetched.
    pub(crate) visited: u64,
    /// Relevant ones among them.
    pub(crate) relevant: u64,
    /// Failed ones among them.
    pub(crate) failed: u64,
    /// `relevant / visited`.
    pub(crate) harvest_ratio: f64,
    /// Pictures fetched.
    pub(crate) pictures: u64,
    /// Bytes fetched.
    pub(crate) bytes: u64,
    /// Pages per second, recent.
    pub(crate) rate: f64,
    /// Links that wait.
    pub(crate) waiting: u64,
    /// Links waiting in parked groups.
    pub(crate) parked: u64,
    /// What the crawl waits for, as text.
    pub(crate) waits_for: Option<String>,
    /// What is to be expected of the links that wait, as text, if that can be said.
    pub(crate) left: Option<String>,
    /// What was counted before the want changed, oldest first.
    pub(crate) past_wants: Vec<PastWantView>,
    /// Documents in the index.
    pub(crate) documents: u64,
    /// Failures by kind.
    pub(crate) errors: BTreeMap<String, u64>,
    /// Links skipped, by reason.
    pub(crate) skipped: BTreeMap<String, u64>,
    /// Hosts in trouble first, then the largest.
    pub(crate) hosts: Vec<HostView>,
    /// Visits by type of page.
    pub(crate) page_types: Vec<PageTypeCount>,
    /// Visits and relevant pages over time.
    pub(crate) curve: Vec<(u64, u64)>,
    /// The last visits, newest first.
    pub(crate) recent: Vec<Fetched>,
}

/// A want that is no more, and what was counted under it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct PastWantView {
    /// When it changed.
    pub(crate) until: String,
    /// URLs fetched by then.
    pub(crate) visited: u64,
    /// Relevant ones among them.
    pub(crate) relevant: u64,
}

/// A host.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct HostView {
    pub(crate) host: String,
    /// Links that wait.
    pub(crate) waiting: u64,
    /// Pages fetched.
    pub(crate) fetched: u64,
    /// Failed ones among them.
    pub(crate) failed: u64,
    /// Seconds between two requests.
    pub(crate) delay: f64,
    /// What is wrong with it, as text; empty if nothing.
    pub(crate) health: String,
}

impl PastWantView {
    fn of(past: &PastWant) -> Self {
        Self { until: past.until.to_string(), visited: past.visited, relevant: past.relevant }
    }
}

impl From<HostStatus> for HostView {
    fn from(HostStatus { host, waiting, fetched, failed, delay, health, .. }: HostStatus) -> Self {
        Self { host, waiting, fetched, failed, delay, health }
    }
}

impl CrawlView {
    /// The state of a project's crawl now. Blocks, for seconds if the process that crawls does not answer.
    pub(crate) fn of(project: &Service) -> Self {
        let Overview { activity, is_ours, message, status, documents } = project.overview();
        let is_waiting = status.idle.is_some_and(|idle| idle.is_waiting());
        let state = ProjectState::of(activity);
        Self {
            state,
            doing: state.old_name(),
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
            left: status.outlook.map(|outlook| outlook.to_string()),
            past_wants: status.past_wants.iter().map(PastWantView::of).collect(),
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
