//! `same-crawl`: checks that crawling a world in memory and crawling it over HTTP gives the same crawl. This is why the
//! lab can measure without sockets.
//!
//! The world is served on loopback and fetched through a proxy, so that URLs are the same: once page by page (same
//! visits, same order, same bytes), and once with many requests in flight (same set of pages, if the budget covers them
//! all).

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{anyhow, bail};
use osprey_engine::{AnySource, Event, FetchOptions, HttpSource, Observer, Parts, SourceKind};
use osprey_model::{CanonicalUrl, Exchange, FailureKind, FetchFailure, Request, Source, Timestamp};
use osprey_world::World;

use super::known::known;
use super::project::{crawl, crawling};
use super::{Cell, Findings, Measure};
use crate::{CorpusSource, WorldServer};

/// A world with more visits per page than this counts as endless.
const FAR: u64 = 20;
/// Requests in flight of the crawl that has many.
const MANY: usize = 16;
/// How long that crawl waits for an answer before it ends.
const MAX_IDLE: Duration = Duration::from_secs(60);

/// The measure.
#[derive(Clone, Copy, Debug)]
pub(super) struct SameCrawlMeasure;

/// The parts of a visit that must be equal.
type Visit = (String, u16, Option<String>);

/// The visits of a crawl.
#[derive(Default)]
struct Visits(Mutex<Vec<Visit>>);

impl Observer for Visits {
    fn event(&self, event: &Event<'_>) {
        if let (Event::Visit(visit), Ok(mut visits)) = (event, self.0.lock()) {
            visits.push((visit.url.clone(), visit.status, visit.digest.clone()));
        }
    }
}

impl Measure for SameCrawlMeasure {
    fn name(&self) -> &'static str {
        "same-crawl"
    }

    fn run(&self, cell: &Cell<'_>) -> anyhow::Result<Findings> {
        let CorpusSource::World(world) = &cell.corpus.source else { bail!("`same-crawl` needs a world") };
        let totals = cell.corpus.totals(cell.experiment.wanted_of(cell.entry), &cell.experiment.valid);
        let far = Some(totals.pages * FAR);
        let mut parts = crawling(cell)?;
        parts.settings.budget.pages = cell.budget(totals).or(far);
        let memory = visits(cell, "memory", parts.clone())?;
        let server = WorldServer::start(world.clone(), 0, false)?;
        let options = FetchOptions {
            proxy: Some(format!("http://{}", server.addr()).parse().map_err(|error| anyhow!("{error}"))?),
            allow_private: true,
            ..FetchOptions::default()
        };
        let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let source = Arc::new(HttpSource::new(options.clone())?);
        let by_steps = OverHttp { source, runtime: threads.handle().clone() };
        let by_steps = SourceKind::Custom(AnySource::new(by_steps));
        let steps = visits(cell, "steps", Parts { source: by_steps, ..parts.clone() })?;
        threads.shutdown_background();
        parts.source = SourceKind::Http(Box::new(options));
        let settings = &mut parts.settings;
        settings.budget.pages = far;
        (settings.concurrency, settings.max_idle) = (MANY, MAX_IDLE);
        (settings.frontier.host_concurrency, settings.frontier.ip_concurrency) = (MANY as _, MANY as _);
        let live = visits(cell, "live", parts)?;
        Ok(compare(world, &memory, &steps, &live))
    }
}

/// Crawls in a folder of its own.
fn visits(cell: &Cell<'_>, folder: &str, parts: Parts) -> anyhow::Result<Vec<Visit>> {
    let (known, visits) = (known(cell, &parts)?, Visits::default());
    crawl(cell, &cell.scratch.join(folder), parts, &known, &visits)?;
    Ok(visits.0.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// HTTP uses sockets, which need a runtime with a reactor.
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

/// The pages that were found, each under its canonical URL: which of two duplicates is found first depends on timing.
fn pages(world: &World, visits: &[Visit]) -> BTreeSet<String> {
    let page = |(url, status, _): &Visit| {
        let truth = world.truth(&CanonicalUrl::from_stored(url).ok()?)?;
        (*status == 200 && truth.waste.is_none()).then(|| truth.duplicate_of.unwrap_or_else(|| url.clone()))
    };
    visits.iter().filter_map(page).collect()
}
