//! `osprey crawl DIR`: starts or resumes, and ends with a report.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use osprey_archive::Replay;
use osprey_crawl::{Crawl, Report, StepClock, Stop, SystemClock, run_live, run_steps};
use osprey_fetch::{FetchOptions, HttpSource};
use osprey_model::Source;
use osprey_steer::PolicyKind;

use crate::cli::{self, UsageError};
use crate::config::SourceKind;
use crate::cookies::CookieFile;
use crate::output::Output;
use crate::progress::{Watcher, duration, grouped};
use crate::project::Project;

/// Threads that move bytes between sockets and page workers; the rest of the machine is for those.
const FETCH_THREADS: usize = 1;
/// Damage in a recording that is told of.
const MAX_PROBLEMS: usize = 5;

pub(super) fn run(args: &cli::Crawl, output: &Output) -> anyhow::Result<()> {
    let project = Project::open(&args.dir, |config| {
        if let Some(policy) = args.policy.as_deref().and_then(PolicyKind::named) {
            config.policy = policy;
        }
        config.crawl.budget_pages = args.budget.or(config.crawl.budget_pages);
    })?;
    project.resolved.notices.iter().for_each(|notice| output.say(notice));
    let stop = stop_on_signal(output)?;
    let report = match &project.resolved.source {
        SourceKind::Replay { path, options } => {
            if !path.exists() {
                bail!(UsageError(format!("[source] path: {}: not found", path.display())));
            }
            let replay = Replay::open(path, options).context("[source] path")?;
            for noted in replay.problems().iter().take(MAX_PROBLEMS) {
                output.say(format!("note: {noted}"));
            }
            output.detail(|| format!("{}: {} URLs recorded", path.display(), grouped(replay.len() as u64)));
            crawl(&project, &replay, &stop, output)?
        }
        SourceKind::Http(options) => {
            crawl_web(&project, options, args.revisit.map(|age| age.0), &stop, output)?
        }
        SourceKind::World(world) => {
            output.say(format!("simulated world `{}`: figures from it are simulated", world.kind()));
            crawl(&project, world, &stop, output)?
        }
    };
    report.notices.iter().for_each(|notice| output.say(format!("note: {notice}")));
    output.result(&report, || text(&report))
}

/// What answers always the same is crawled one page at a time: same corpus, seed and configuration, same order.
fn crawl<S: Source>(
    project: &Project,
    source: &S,
    stop: &AtomicBool,
    output: &Output,
) -> anyhow::Result<Report> {
    let clock = Arc::new(StepClock::default());
    let settings = project.resolved.settings.clone();
    let crawl = Crawl::open(&project.data(), settings, project.resolved.steering(), clock.clone())?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let mut watcher = Watcher::new(output, project.status_file());
    let report = run_steps(crawl, source, runtime.handle(), &clock, stop, &mut watcher);
    watcher.finish();
    Ok(report?)
}

/// The live Web is crawled with many requests in flight.
fn crawl_web(
    project: &Project,
    options: &FetchOptions,
    revisit: Option<Duration>,
    stop: &AtomicBool,
    output: &Output,
) -> anyhow::Result<Report> {
    let cookies = CookieFile::of(project);
    let options = FetchOptions { cookies: cookies.load(project)?, ..options.clone() };
    let source = Arc::new(HttpSource::new(options)?);
    let settings = project.resolved.settings.clone();
    let steering = project.resolved.steering();
    let mut crawl = Crawl::open(&project.data(), settings, steering, Arc::new(SystemClock::default()))?;
    if let Some(age) = revisit {
        let links = crawl.revisit(age)?;
        output.say(format!("{} URLs will be fetched again", grouped(links)));
    }
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(FETCH_THREADS).enable_all().build()?;
    let keeper = Arc::clone(&source);
    let mut watcher = Watcher::new(output, project.status_file());
    watcher.each_second(move || cookies.save(keeper.cookies()));
    let report = run_live(crawl, &source, runtime.handle(), stop, &mut watcher);
    watcher.finish();
    // requests that were given up must not hold the process
    runtime.shutdown_background();
    Ok(report?)
}

/// The first Ctrl-C (or SIGTERM) finishes what is in flight and commits; the second one leaves at once, which is
/// safe too.
pub(super) fn stop_on_signal(output: &Output) -> anyhow::Result<Arc<AtomicBool>> {
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

fn text(report: &Report) -> String {
    let why = match report.stopped_by {
        Stop::Budget => "the budget is used up",
        Stop::Empty => "nothing is left to fetch",
        Stop::Interrupt => "interrupted; run the same command to go on",
    };
    let skipped: Vec<String> =
        report.skipped.iter().map(|(reason, n)| format!("{reason} {}", grouped(*n))).collect();
    let skipped = if skipped.is_empty() { "none".to_owned() } else { skipped.join(", ") };
    format!(
        "{} pages visited, {} of them in this run of {}: {why}\nrelevant {} (harvest ratio {:.3}), failed {}, waiting {}\nlinks left alone: {skipped}\n",
        grouped(report.visited),
        grouped(report.this_run),
        duration(report.seconds),
        grouped(report.relevant),
        report.harvest_ratio,
        grouped(report.failed),
        grouped(report.frontier),
    )
}
