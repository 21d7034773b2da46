//! The state that all requests share.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use maud::Markup;
use osprey_engine::{Error, Result, Service};
use osprey_index::{Hit, Results};
use osprey_vision::Codebook;
use tokio::sync::Semaphore;

use crate::cache::ResultCache;
use crate::crawl_view::CrawlView;
use crate::examples::Examples;
use crate::metrics::Metrics;
use crate::pages::item::AlikeKey;
use crate::search::SearchKey;
use crate::security::Guard;

/// How the server is to be.
#[derive(Clone, Debug)]
pub struct Options {
    /// Without it, only clients on this machine are accepted.
    pub token: Option<String>,
    /// Where `osprey lab run` left its reports.
    pub lab: Option<PathBuf>,
    /// Requests that are worked on at a time; the others wait.
    pub workers: usize,
    /// How long a request may take in all.
    pub patience: Duration,
    /// Bytes of a picture that is searched with.
    pub upload_bytes: usize,
    /// Connections at a time.
    pub connections: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            token: None,
            lab: None,
            workers: std::thread::available_parallelism().map_or(2, usize::from),
            patience: Duration::from_secs(30),
            upload_bytes: 20 << 20,
            connections: 1024,
        }
    }
}

/// Maximum number of event streams: each belongs to an open page of a browser.
const STREAMS: usize = 64;
/// Codebooks whose swatches are kept.
const CODEBOOKS: usize = 32;

/// Markup by codebook.
type Swatches = Mutex<BTreeMap<u64, Arc<str>>>;

/// Shared by all requests.
pub(crate) struct App {
    projects: BTreeMap<String, Arc<Service>>,
    pub(crate) options: Options,
    pub(crate) guard: Guard,
    pub(crate) metrics: Metrics,
    pub(crate) examples: Examples,
    /// Results of searches, and documents that are like one.
    pub(crate) results: ResultCache<SearchKey, Results>,
    pub(crate) alike: ResultCache<AlikeKey, Vec<Hit>>,
    swatches: Swatches,
    /// Places for work that keeps a core busy: without a bound every search would wait for all others.
    places: Arc<Semaphore>,
    /// Places for questions to crawls: another process may take seconds to answer, and no search should wait for that.
    crawl_places: Arc<Semaphore>,
    /// Places for event streams, which stay open: they must leave connections for other clients.
    pub(crate) streams: Arc<Semaphore>,
}

impl App {
    pub(crate) fn new(projects: Vec<Arc<Service>>, options: Options) -> std::io::Result<Self> {
        let places = || Arc::new(Semaphore::new(options.workers.max(1)));
        Ok(Self {
            projects: projects.into_iter().map(|project| (project.name().to_owned(), project)).collect(),
            guard: Guard::new(options.token.clone())?,
            metrics: Metrics::default(),
            examples: Examples::default(),
            results: ResultCache::default(),
            alike: ResultCache::default(),
            swatches: Swatches::default(),
            places: places(),
            crawl_places: places(),
            streams: Arc::new(Semaphore::new(STREAMS.min(options.connections / 2))),
            options,
        })
    }

    /// The swatches of a codebook, drawn once: they are the larger part of a page of results.
    pub(crate) fn swatches(&self, codebook: &Codebook, draw: impl FnOnce(&Codebook) -> Markup) -> Arc<str> {
        let mut drawn = self.swatches.lock().unwrap_or_else(PoisonError::into_inner);
        if drawn.len() > CODEBOOKS {
            drawn.clear();
        }
        let made = drawn.entry(codebook.id()).or_insert_with(|| draw(codebook).into_string().into());
        Arc::clone(made)
    }

    /// All projects, by name.
    pub(crate) fn projects(&self) -> impl Iterator<Item = &Arc<Service>> {
        self.projects.values()
    }

    /// A project by its name.
    pub(crate) fn project(&self, name: &str) -> Result<Arc<Service>> {
        let missing = || Error::NotFound(format!("unknown project `{name}`"));
        self.projects.get(name).cloned().ok_or_else(missing)
    }

    /// Asks a project something, on a thread that may wait.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        name: &str,
        question: impl FnOnce(&Service) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let project = self.project(name)?;
        self.work(move || question(&project)).await
    }

    /// Does work that blocks or takes a core, on a thread for that.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        in_place_of(&self.places, work).await
    }

    /// The state of a project's crawl.
    pub(crate) async fn crawl(&self, project: &Arc<Service>) -> Result<CrawlView> {
        let project = Arc::clone(project);
        self.ask_crawls(move || Ok(CrawlView::of(&project))).await
    }

    /// Asks crawls something, which may be of other processes.
    pub(crate) async fn ask_crawls<T: Send + 'static>(
        &self,
        question: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        in_place_of(&self.crawl_places, question).await
    }
}

/// Blocks a thread for that, when there is a place. A panic is a bug of ours that one request pays for, not the server.
async fn in_place_of<T: Send + 'static>(
    places: &Arc<Semaphore>,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let place = Arc::clone(places).acquire_owned().await;
    let done = tokio::task::spawn_blocking(move || {
        let done = work();
        drop(place);
        done
    });
    done.await.unwrap_or_else(|_| {
        Err(Error::Failed("Osprey failed at this request; please report its address".to_owned()))
    })
}
