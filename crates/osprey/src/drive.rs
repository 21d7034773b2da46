//! Runs a crawl of a project's source in a folder: what `crawl` and `learn` have in common.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use osprey_archive::Replay;
use osprey_crawl::{Crawl, Report, Settings, Steering, StepClock, SystemClock, Watch, run_live, run_steps};
use osprey_fetch::{FetchOptions, HttpSource};
use osprey_model::Source;
use thiserror::Error;

use crate::cli::UsageError;
use crate::config::SourceKind;
use crate::cookies::CookieFile;
use crate::output::Output;
use crate::progress::{Watcher, grouped};
use crate::project::{Project, STATUS_FILE};

/// Threads that move bytes between sockets and page workers; the rest of the machine is for those.
const FETCH_THREADS: usize = 1;
/// Damage in a recording that is told of.
const MAX_PROBLEMS: usize = 5;

/// Somebody pressed Ctrl-C before there was a result.
#[derive(Debug, Error)]
#[error("interrupted; the same command goes on")]
pub(crate) struct Interrupted;

/// A crawl to run.
pub(crate) struct Drive<'a> {
    pub(crate) project: &'a Project,
    /// Where its frontier and archive are.
    pub(crate) data: &'a Path,
    pub(crate) settings: Settings,
    pub(crate) steering: Steering,
    /// Pages older than this are fetched again.
    pub(crate) revisit: Option<Duration>,
}

impl Drive<'_> {
    /// Starts or resumes the crawl, until it ends or `stop` is set.
    pub(crate) fn run(self, stop: &AtomicBool, output: &Output) -> anyhow::Result<Report> {
        self.run_watched(stop, output, &mut ())
    }

    /// The same, with somebody who watches.
    pub(crate) fn run_watched(
        self,
        stop: &AtomicBool,
        output: &Output,
        watch: &mut dyn Watch,
    ) -> anyhow::Result<Report> {
        match &self.project.resolved.source {
            SourceKind::Replay { path, options } => {
                if !path.exists() {
                    bail!(UsageError(format!("[source] path: {}: not found", path.display())));
                }
                let replay = Replay::open(path, options).context("[source] path")?;
                for noted in replay.problems().iter().take(MAX_PROBLEMS) {
                    output.say(format!("note: {noted}"));
                }
                output
                    .detail(|| format!("{}: {} URLs recorded", path.display(), grouped(replay.len() as u64)));
                self.steps(&replay, stop, output, watch)
            }
            SourceKind::Http(options) => self.web(options, stop, output, watch),
            SourceKind::World(world) => self.steps(world, stop, output, watch),
        }
    }

    /// What answers always the same is crawled one page at a time: same corpus, seed and configuration, same order.
    fn steps<S: Source>(
        self,
        source: &S,
        stop: &AtomicBool,
        output: &Output,
        watch: &mut dyn Watch,
    ) -> anyhow::Result<Report> {
        let clock = Arc::new(StepClock::default());
        let crawl = Crawl::open(self.data, self.settings, self.steering, clock.clone())?;
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        let mut watcher = Watcher::new(output, self.data.join(STATUS_FILE), watch);
        let report = run_steps(crawl, source, runtime.handle(), &clock, stop, &mut watcher);
        watcher.finish();
        Ok(report?)
    }

    /// The live Web is crawled with many requests in flight.
    fn web(
        self,
        options: &FetchOptions,
        stop: &AtomicBool,
        output: &Output,
        watch: &mut dyn Watch,
    ) -> anyhow::Result<Report> {
        let cookies = CookieFile::of(self.project);
        let options = FetchOptions { cookies: cookies.load(self.project)?, ..options.clone() };
        let source = Arc::new(HttpSource::new(options)?);
        let clock = Arc::new(SystemClock::default());
        let mut crawl = Crawl::open(self.data, self.settings, self.steering, clock)?;
        if let Some(age) = self.revisit {
            let links = crawl.revisit(age)?;
            output.say(format!("{} URLs will be fetched again", grouped(links)));
        }
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(FETCH_THREADS).enable_all().build()?;
        let keeper = Arc::clone(&source);
        let mut watcher = Watcher::new(output, self.data.join(STATUS_FILE), watch);
        watcher.each_second(move || cookies.save(keeper.cookies()));
        let report = run_live(crawl, &source, runtime.handle(), stop, &mut watcher);
        watcher.finish();
        // requests that were given up must not hold the process
        runtime.shutdown_background();
        Ok(report?)
    }
}

/// Says what should be known of a project's source before it is used.
pub(crate) fn announce(project: &Project, output: &Output) {
    if let SourceKind::World(world) = &project.resolved.source {
        output.say(format!("simulated world `{}`: figures from it are simulated", world.kind()));
    }
}

/// The first Ctrl-C (or SIGTERM) finishes what is in flight and commits; the second one leaves at once, which is
/// safe too.
pub(crate) fn stop_on_signal(output: &Output) -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let (flag, output) = (Arc::clone(&stop), *output);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        output.say("stopping: finishing what is in flight (once more to leave at once)");
    })
    .context("cannot listen for signals")?;
    Ok(stop)
}
