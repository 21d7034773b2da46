//! What all requests share.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use maud::Markup;
use osprey_index::{Hit, Results};
use osprey_vision::Codebook;
use tokio::sync::Semaphore;

use crate::examples::Examples;
use crate::kept::Kept;
use crate::metrics::Metrics;
use crate::project::{Project, Trouble};
use crate::security::Guard;

/// How the server is to be.
#[derive(Clone, Debug)]
pub struct Options {
    /// Who does not know it is let in from this machine only.
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

/// Codebooks whose swatches are kept.
const CODEBOOKS: usize = 32;

/// Markup by codebook.
type Swatches = Mutex<BTreeMap<u64, Arc<str>>>;

/// Shared by all requests.
pub(crate) struct App {
    projects: BTreeMap<String, Arc<dyn Project>>,
    pub(crate) options: Options,
    pub(crate) guard: Guard,
    pub(crate) metrics: Metrics,
    pub(crate) examples: Examples,
    /// Results of searches, and documents that are like one.
    pub(crate) found: Kept<Results>,
    pub(crate) alike: Kept<Vec<Hit>>,
    swatches: Swatches,
    /// Places for work that keeps a core busy: without a bound every search would wait for all others.
    places: Arc<Semaphore>,
}

impl App {
    pub(crate) fn new(projects: Vec<Arc<dyn Project>>, options: Options) -> std::io::Result<Self> {
        Ok(Self {
            projects: projects.into_iter().map(|project| (project.name().to_owned(), project)).collect(),
            guard: Guard::new(options.token.clone())?,
            metrics: Metrics::default(),
            examples: Examples::default(),
            found: Kept::default(),
            alike: Kept::default(),
            swatches: Swatches::default(),
            places: Arc::new(Semaphore::new(options.workers.max(1))),
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
    pub(crate) fn projects(&self) -> impl Iterator<Item = &Arc<dyn Project>> {
        self.projects.values()
    }

    /// A project by its name.
    pub(crate) fn project(&self, name: &str) -> Result<Arc<dyn Project>, Trouble> {
        let missing = || Trouble::Missing(format!("there is no project `{name}` here"));
        self.projects.get(name).cloned().ok_or_else(missing)
    }

    /// Asks a project something, on a thread that may wait.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        name: &str,
        question: impl FnOnce(&dyn Project) -> Result<T, Trouble> + Send + 'static,
    ) -> Result<T, Trouble> {
        let project = self.project(name)?;
        self.work(move || question(&*project)).await
    }

    /// Does work that blocks or takes a core, on a thread for that. A panic in it is a bug of ours that one request pays
    /// for, not the server.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Trouble> + Send + 'static,
    ) -> Result<T, Trouble> {
        let place = Arc::clone(&self.places).acquire_owned().await;
        let done = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(place);
            done
        });
        done.await.unwrap_or_else(|_| {
            Err(Trouble::Failed("Osprey failed at this request; please report its address".to_owned()))
        })
    }
}
