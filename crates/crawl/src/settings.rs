//! Everything a crawl needs to know, resolved and checked: nothing downstream parses again.

use std::time::Duration;

use osprey_archive::WriterOptions;
use osprey_model::{CanonicalUrl, Scope};
use osprey_page::PageRules;

use crate::PictureRules;

/// When to stop.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// URLs fetched for the first time, redirects and error pages included: each costs a request.
    pub pages: Option<u64>,
    /// Requests of all kinds: pages, tries, pictures, robots.txt.
    pub requests: Option<u64>,
    /// URLs fetched again in one run, which count nowhere else.
    pub revisits: Option<u64>,
    /// Body bytes.
    pub bytes: Option<u64>,
    /// Time spent crawling, over all runs.
    pub time: Option<Duration>,
    /// Hops from a seed.
    pub depth: Option<u32>,
}

/// When a URL, or a pattern of URLs, is taken for a trap.
#[derive(Clone, Debug)]
pub struct TrapRules {
    /// Path segments a URL may have.
    pub max_segments: usize,
    /// Query parameters a URL may have.
    pub max_params: usize,
    /// How often a run of path segments may follow itself.
    pub max_repeats: usize,
    /// A pattern is judged by its last so many visits ...
    pub window: u32,
    /// ... and closed if fewer than this share of them found something new.
    pub min_yield: f32,
    /// Visits a single pattern may have.
    pub pattern_budget: u64,
    /// What this lets pass is never taken for a trap.
    pub keep: Option<Scope>,
}

impl Default for TrapRules {
    fn default() -> Self {
        let (max_segments, max_params, max_repeats) = (24, 24, 3);
        let (window, min_yield) = (64, 0.03);
        Self {
            max_segments,
            max_params,
            max_repeats,
            window,
            min_yield,
            pattern_budget: u64::MAX,
            keep: None,
        }
    }
}

/// A resolved crawl configuration.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where to begin.
    pub seeds: Vec<CanonicalUrl>,
    /// What may be touched.
    pub scope: Scope,
    /// When to stop.
    pub budget: Budget,
    /// The crawl ends when the share of relevant pages has been below this for a while.
    pub stop_below: Option<f64>,
    /// A run ends after this visit, so that whoever runs the crawl can look at what there is and go on: [`crate::Stop::Look`].
    pub look_at: Option<u64>,
    /// Which pictures of pages are fetched.
    pub pictures: PictureRules,
    /// How pages are read.
    pub page_rules: PageRules,
    /// The user agent, for robots rules.
    pub agent: String,
    /// Whether robots.txt and meta robots bind us.
    pub obey_robots: bool,
    /// Whether to skip links marked `rel=nofollow`.
    pub obey_nofollow: bool,
    /// Redirects in a row that are followed.
    pub max_redirects: u32,
    /// Requests for one URL before it is given up.
    pub max_attempts: u32,
    /// Wait before the second attempt; doubles with each further one. Rests of hosts are counted in it, too.
    pub backoff: Duration,
    /// Whether there are real hosts behind the source, who struggle and recover and share addresses. A recording
    /// answers always what it answered once, and needs no politeness.
    pub is_live: bool,
    /// A live crawl ends when nothing can be fetched for longer than this.
    pub max_idle: Duration,
    /// The same as long as no page has come at all: who starts a crawl waits for it.
    pub start_patience: Duration,
    /// Whether the sitemaps that robots.txt names are read.
    pub sitemaps: bool,
    /// Trap detection.
    pub traps: TrapRules,
    /// Visits between two snapshots of the policy's state.
    pub snapshot_every: u64,
    /// Requests in flight, live mode.
    pub concurrency: usize,
    /// Number of threads that parse pages, in live mode.
    pub page_workers: usize,
    /// The durable queue.
    pub frontier: osprey_frontier::Options,
    /// The archive.
    pub archive: WriterOptions,
}

impl Settings {
    /// The usual settings for a web that answers at once and always the same: a recording, a simulated site. It needs
    /// no politeness, and the order of visits should depend on scores alone.
    pub fn recorded(seeds: Vec<CanonicalUrl>, scope: Scope) -> Self {
        let mut frontier = osprey_frontier::Options::default();
        (frontier.host_delay, frontier.ip_delay) = (Duration::ZERO, Duration::ZERO);
        Self {
            seeds,
            scope,
            budget: Budget::default(),
            stop_below: None,
            look_at: None,
            pictures: PictureRules::none(),
            page_rules: PageRules::default(),
            agent: "osprey".to_owned(),
            obey_robots: true,
            obey_nofollow: true,
            max_redirects: 5,
            max_attempts: 1,
            backoff: Duration::from_secs(1),
            is_live: false,
            max_idle: Duration::from_secs(3600),
            start_patience: Duration::MAX,
            sitemaps: false,
            traps: TrapRules::default(),
            snapshot_every: 1000,
            concurrency: 1,
            page_workers: 1,
            frontier,
            archive: WriterOptions::default(),
        }
    }
}
