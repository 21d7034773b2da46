//! `same-crawl`: a world crawled in memory and the same world crawled over HTTP have to be the same crawl.
//!
//! It is what entitles the lab to measure without sockets. The world is served on loopback and asked through a proxy,
//! so that URLs are the same; once page by page (the same visits in the same order, the same bytes), once with many
//! requests in flight (the same set of pages, if the budget holds them all).

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use osprey_crawl::{Budget, Crawl, Settings, Steering, SystemClock, VisitRow, Watch, run_live};
use osprey_fetch::{FetchOptions, HttpSource};
use osprey_lab::{Cell, Findings, Ground, Measure, WorldServer, steps_crawl};
use osprey_model::{CanonicalUrl, Exchange, FailureKind, FetchFailure, Request, Source, Timestamp};
use osprey_steer::{JudgeKind, Known, Plan};
use osprey_world::World;

/// Visits per page of a world after which it is taken for endless.
const FAR: u64 = 20;

/// The measure.
pub(super) struct SameCrawl;

/// What of a visit has to be the same.
#[derive(Default)]
struct Visits(Vec<(String, u16, Option<String>)>);

impl Watch for Visits {
    fn visit(&mut self, visit: &VisitRow) {
        self.0.push((visit.url.clone(), visit.status, visit.digest.clone()));
    }
}

impl Measure for SameCrawl {
    fn name(&self) -> &'static str {
        "same-crawl"
    }

    fn run(&self, cell: &Cell<'_>) -> anyhow::Result<Findings> {
        let Ground::World(world) = &cell.corpus.ground else { bail!("`same-crawl` needs a world") };
        let totals = cell.corpus.totals(cell.experiment.wanted_of(cell.entry), &cell.experiment.valid);
        let budget = cell.budget(totals).or(Some(totals.pages * FAR));
        let folder = |name: &str| cell.scratch.join(name);
        let (mut memory, mut steps, mut live) = (Visits::default(), Visits::default(), Visits::default());
        let at = |folder: &'_ Path| anyhow::Ok(std::fs::create_dir_all(folder)?);
        let [in_memory, by_steps, at_once] = ["memory", "steps", "live"].map(folder);
        [&in_memory, &by_steps, &at_once].into_iter().try_for_each(|path| at(path))?;
        steps_crawl(&Cell { scratch: &in_memory, ..*cell }, budget, &cell.corpus.ground, &mut memory)?;
        let server = WorldServer::start(world.clone(), 0, false)?;
        let source = Arc::new(HttpSource::new(FetchOptions {
            proxy: Some(format!("http://{}", server.addr()).parse().map_err(|error| anyhow!("{error}"))?),
            allow_private: true,
            ..FetchOptions::default()
        })?);
        let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let http = OverHttp { source: Arc::clone(&source), runtime: threads.handle().clone() };
        steps_crawl(&Cell { scratch: &by_steps, ..*cell }, budget, &http, &mut steps)?;
        crawl_live(cell, totals.pages * FAR, &at_once, &source, threads.handle(), &mut live)?;
        threads.shutdown_background();
        Ok(compare(world, &memory.0, &steps.0, &live.0))
    }
}

/// HTTP has sockets, which want a runtime with a reactor whoever asks.
struct OverHttp {
    source: Arc<HttpSource>,
    runtime: tokio::runtime::Handle,
}

impl Source for OverHttp {
    async fn fetch(&self, request: Request) -> Exchange {
        let (source, url) = (Arc::clone(&self.source), request.target.url().clone());
        let asked = self.runtime.spawn(async move { source.fetch(request).await });
        asked.await.unwrap_or_else(|error| {
            Exchange::Failed(FetchFailure {
                url,
                kind: FailureKind::Internal,
                message: error.to_string(),
                at: Timestamp::from_millis(0),
            })
        })
    }
}

fn crawl_live(
    cell: &Cell<'_>,
    most: u64,
    folder: &Path,
    source: &Arc<HttpSource>,
    runtime: &tokio::runtime::Handle,
    visits: &mut Visits,
) -> anyhow::Result<()> {
    let corpus = cell.corpus;
    let policy = cell.variant.policy.clone().context("a policy is needed")?;
    let plan = Plan { policy, subject: corpus.subject.clone() };
    let mut settings = Settings::recorded(corpus.seeds.clone(), corpus.scope.clone());
    settings.budget = Budget { pages: Some(most), ..Budget::default() };
    (settings.concurrency, settings.frontier.host_concurrency) = (16, 16);
    (settings.frontier.ip_concurrency, settings.max_idle) = (16, Duration::from_secs(60));
    let steering = Steering::of(&plan, &JudgeKind::None {}, &Known::default())?;
    let crawl = Crawl::open(folder, settings, steering, Arc::new(SystemClock::default()))?;
    run_live(crawl, source, runtime, cell.stop, visits)?;
    Ok(())
}

type Visit = (String, u16, Option<String>);

fn compare(world: &World, memory: &[Visit], steps: &[Visit], live: &[Visit]) -> Findings {
    let mut findings = Findings::default();
    let same = memory.iter().zip(steps).take_while(|(a, b)| a == b).count();
    let longer = memory.len().max(steps.len()).max(1);
    let missed = pages(world, memory).difference(&pages(world, live)).count();
    for (name, value) in [
        ("visits_in_memory", memory.len() as f64),
        ("visits_over_http", steps.len() as f64),
        ("same_visits_share", same as f64 / longer as f64),
        ("visits_live", live.len() as f64),
        ("pages_missed_live", missed as f64),
    ] {
        findings.figure(name, Some(value));
    }
    findings
}

/// The pages that were met, each under the URL that counts: which of two duplicates is met first is a matter of time.
fn pages(world: &World, visits: &[Visit]) -> BTreeSet<String> {
    let page = |(url, status, _): &Visit| {
        let truth = world.truth(&CanonicalUrl::from_stored(url).ok()?)?;
        (*status == 200 && truth.waste.is_none()).then(|| truth.duplicate_of.unwrap_or_else(|| url.clone()))
    };
    visits.iter().filter_map(page).collect()
}
