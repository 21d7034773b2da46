//! Where the pages of a comparison come from.
//!
//! Every policy asks here, and of a live site each page is requested once: what the project has archived is answered from
//! there, and everything else is fetched by one crawl, in `data/compare/pages/`, that asks the site one request at a time.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use osprey_archive::{Replay, ReplayOptions, SlashRule};
use osprey_crawl::{Ask, Crawl, OnDemand, Steering, Supply, SystemClock, settings_on_demand};
use osprey_fetch::{FetchOptions, HttpSource};
use osprey_model::{Exchange, Scope, ScopeKind, Source};
use osprey_steer::{JudgeKind, Known, Plan, PolicyKind, Subject};
use rustc_hash::FxHashMap;
use tokio::runtime::Runtime;

use crate::cookies::CookieFile;
use crate::error::{Context, Error, Result};
use crate::observe::Control;
use crate::project::Project;
use crate::run::open_replay;
use crate::shared_clocks;
use crate::source::{AnySource, SourceKind};
use crate::words::counted;

/// From this status on an answer of earlier says more about that day than about the page.
const PASSING: u16 = 500;

/// Where pages come from.
pub(super) enum Pages {
    /// A live site.
    Live(Box<LivePages>),
    /// What answers always the same.
    Recorded { source: AnySource, runtime: Runtime },
}

/// The pages of a live site.
pub(super) struct LivePages {
    /// What the project has archived.
    earlier: Vec<Replay>,
    fetcher: OnDemand<HttpSource>,
    source: Arc<HttpSource>,
    cookies: CookieFile,
    runtime: Runtime,
}

/// What came of asking.
pub(super) enum Given {
    /// This.
    Exchange(Exchange),
    /// The user has asked to stop.
    Stopped,
    /// The site cannot be asked for now, in words.
    Unavailable(String),
}

impl Pages {
    /// Opens the source of a project.
    pub(super) fn open(project: &Project, control: Control<'_>) -> Result<Self> {
        let recorded = |source| {
            let runtime = tokio::runtime::Builder::new_current_thread().build().context("threads")?;
            Ok(Self::Recorded { source, runtime })
        };
        match &project.resolved.source {
            SourceKind::Http(options) => {
                Ok(Self::Live(Box::new(LivePages::open(project, options, control)?)))
            }
            SourceKind::Replay { path, options } => {
                recorded(AnySource::new(open_replay(path, options, control)?))
            }
            SourceKind::World(world) => recorded(AnySource::new(world.clone())),
            SourceKind::Custom(source) => recorded(source.clone()),
        }
    }

    /// The answer to what a policy asks for.
    pub(super) fn answer(&mut self, ask: Ask, policy: &str, stop: &AtomicBool) -> Result<Given> {
        match self {
            Self::Recorded { source, runtime } => {
                Ok(Given::Exchange(runtime.block_on(source.fetch(ask.request))))
            }
            Self::Live(pages) => pages.answer(&ask, policy, stop),
        }
    }

    /// Pages that the project has archived before.
    pub(super) fn at_hand(&self) -> u64 {
        match self {
            Self::Live(pages) => {
                let fetched = pages.fetcher.crawl().tally().visited;
                fetched + pages.earlier.iter().map(|replay| replay.len() as u64).sum::<u64>()
            }
            Self::Recorded { .. } => 0,
        }
    }

    /// Requests that were made to a live site, over all runs.
    pub(super) fn requests(&self) -> Option<u64> {
        match self {
            Self::Live(pages) => Some(pages.fetcher.crawl().tally().requests),
            Self::Recorded { .. } => None,
        }
    }

    /// Pages of a live site that were fetched for each policy first, over all runs.
    pub(super) fn fetched(&self) -> Result<Option<FxHashMap<String, u64>>> {
        let Self::Live(pages) = self else { return Ok(None) };
        let mut fetched = FxHashMap::default();
        for row in pages.fetcher.crawl().visits() {
            for (whom, _) in row?.why.into_iter().filter(|(name, _)| PolicyKind::named(name).is_some()) {
                *fetched.entry(whom).or_default() += 1;
            }
        }
        Ok(Some(fetched))
    }

    /// Keeps what a kill would lose.
    pub(super) fn save(&self) {
        if let Self::Live(pages) = self {
            pages.cookies.save(pages.source.cookies());
        }
    }

    /// Closes the stores.
    pub(super) fn close(self) -> Result<()> {
        self.save();
        if let Self::Live(pages) = self {
            pages.fetcher.finish()?;
            // requests that were given up must not hold the process
            pages.runtime.shutdown_background();
        }
        Ok(())
    }
}

impl LivePages {
    fn open(project: &Project, options: &FetchOptions, control: Control<'_>) -> Result<Self> {
        let cookies = CookieFile::of(project);
        let options = FetchOptions { cookies: cookies.load(project, &options.cookies)?, ..options.clone() };
        let earlier = earlier(project, &options);
        let known: usize = earlier.iter().map(Replay::len).sum();
        if known > 0 {
            control.note(format!(
                "{} of the project's archive will not be fetched again",
                counted(known as u64, "page")
            ));
        }
        let settings = &project.resolved.settings;
        let anywhere = Scope::new(ScopeKind::Any, &settings.seeds, &[], &[]);
        let anywhere = anywhere.map_err(|error| Error::failed(error.to_string()))?;
        let mut settings = settings_on_demand(settings, anywhere);
        // start URLs are tried again at every start if they failed
        settings.seeds.retain(|seed| !earlier.iter().any(|replay| replay.contains(seed)));
        let plan = Plan { policy: PolicyKind::BreadthFirst {}, subject: Subject::default() };
        let steering = Steering::of(&plan, &JudgeKind::None {}, &Known::default())?;
        let data = project.layout().comparison().join("pages");
        let source = Arc::new(HttpSource::new(options).context("[fetch]")?);
        let mut crawl = Crawl::open(&data, settings, steering, Arc::new(SystemClock::default()))?;
        if project.resolved.shares_clocks
            && let Some(clocks) = shared_clocks::open()
        {
            crawl.share_clocks(clocks);
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.context("threads")?;
        let fetcher = OnDemand::new(crawl, Arc::clone(&source), runtime.handle().clone());
        Ok(Self { earlier, fetcher, source, cookies, runtime })
    }

    fn answer(&mut self, ask: &Ask, policy: &str, stop: &AtomicBool) -> Result<Given> {
        let url = ask.request.target.url();
        if let Some(exchange) = self.fetcher.stored(ask)? {
            return Ok(Given::Exchange(exchange));
        }
        let recorded = self.earlier.iter().find(|replay| replay.contains(url));
        if let Some(Exchange::Answered(response)) = recorded.map(|replay| replay.get(url))
            && response.status < PASSING
            && response.status != 429
        {
            return Ok(Given::Exchange(Exchange::Answered(response)));
        }
        Ok(match self.fetcher.fetch(ask, policy, stop)? {
            Supply::Exchange(exchange) => Given::Exchange(*exchange),
            Supply::Stopped => Given::Stopped,
            Supply::Unavailable(why) => Given::Unavailable(why),
        })
    }
}

/// What the project has archived, in the order in which it is asked.
fn earlier(project: &Project, options: &FetchOptions) -> Vec<Replay> {
    let layout = project.layout();
    let crawls = [layout.sample(), layout.example_pages()].into_iter().chain(layout.tag_crawls());
    let archives = crawls.map(|crawl| crawl.join("archive"));
    let folders: Vec<PathBuf> = [layout.archive()].into_iter().chain(archives).collect();
    let options = ReplayOptions {
        url_rules: project.resolved.settings.page_rules.url.clone(),
        max_body: options.max_body,
        slash: SlashRule::Exact,
        ..ReplayOptions::default()
    };
    // a folder that is not there or has nothing in it is no recording
    folders.iter().filter_map(|folder| Replay::open(folder, &options).ok()).collect()
}
