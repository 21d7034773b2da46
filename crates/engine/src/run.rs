//! Runs a crawl of a project's source in a folder: what `crawl`, `learn` and the small crawls of named pages share.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use osprey_archive::{Replay, ReplayOptions};
use osprey_crawl::{
    Crawl, Report, Settings, Steering, StepClock, Stop, SystemClock, VisitRow, Watch, run_live, run_steps,
};
use osprey_fetch::{FetchOptions, HttpSource};
use osprey_model::{Clock, Source};
use osprey_steer::Known;
use tracing::{debug, info};

use crate::cookies::CookieFile;
use crate::error::{Context, Error, Result};
use crate::estimate::estimate;
use crate::example_pages::ExamplePages;
use crate::live::Monitor;
use crate::notify::Notifier;
use crate::observe::{Control, Event};
use crate::project::Project;
use crate::ratings::NewRatings;
use crate::rejudge;
use crate::shared_clocks;
use crate::source::SourceKind;
use crate::stages::Looks;
use crate::words::grouped;

/// Threads that move bytes between sockets and page workers; the rest of the machine is for those.
const FETCH_THREADS: usize = 1;
/// Damage in a recording that is told of.
const MAX_PROBLEMS: usize = 5;
/// How often an observer is told the state of a crawl.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);
/// How often cookies are saved.
const COOKIES_EVERY: Duration = Duration::from_secs(1);

/// How a crawl is run.
#[derive(Clone, Debug, Default)]
pub struct CrawlOptions {
    /// Pages that were last fetched longer ago than this are fetched again (live crawls only).
    pub revisit: Option<Duration>,
}

impl Project {
    /// Starts or resumes the crawl, until a budget is used up, nothing is left, or the caller asks to stop.
    pub fn crawl(&self, options: &CrawlOptions, control: Control<'_>) -> Result<Report> {
        self.announce_crawl(options, control);
        self.in_stages(Looks::IfAsked, control, |project, look| {
            // before they are read: what comes meanwhile is new
            let ratings = NewRatings::of(project)?;
            let known = ExamplePages::of(project).known(control)?;
            let run = Run { revisit: options.revisit, ratings, ..project.main_run(&known)? };
            run_main(run.up_to(look), control)
        })
    }

    /// The same without a word before it, up to the next look.
    pub(crate) fn crawl_stage(&self, look: Option<u64>, control: Control<'_>) -> Result<Report> {
        let ratings = NewRatings::of(self)?;
        let known = ExamplePages::of(self).known(control)?;
        let run = Run { says_time: false, ratings, ..self.main_run(&known)? };
        run_main(run.up_to(look), control)
    }

    fn crawl_from(
        &self,
        known: &Known,
        options: &CrawlOptions,
        look: Option<u64>,
        control: Control<'_>,
    ) -> Result<Report> {
        let run = Run { revisit: options.revisit, ..self.main_run(known)? };
        run_main(run.up_to(look), control)
    }

    /// The same with what the caller says is known beforehand, instead of what the project has learned and was given.
    pub fn crawl_knowing(
        &self,
        known: &Known,
        options: &CrawlOptions,
        control: Control<'_>,
    ) -> Result<Report> {
        self.announce_crawl(options, control);
        if known.site.is_some() {
            return self.crawl_from(known, options, None, control);
        }
        self.in_stages(Looks::IfAsked, control, |project, look| {
            let known = project.grown(known)?;
            project.crawl_from(&known, options, look, control)
        })
    }

    pub(crate) fn announce_crawl(&self, options: &CrawlOptions, control: Control<'_>) {
        self.resolved.notices.iter().for_each(|notice| control.note(notice));
        announce(self, control);
        if options.revisit.is_some() && !self.resolved.settings.is_live {
            control.note("note: `--revisit` applies to live crawls only; a recording never changes");
        }
    }

    /// The project's own crawl.
    fn main_run(&self, known: &Known) -> Result<Run<'_>> {
        Ok(Run {
            project: self,
            data: self.layout().data(),
            settings: self.resolved.settings.clone(),
            steering: self.resolved.steering(known)?,
            revisit: None,
            ratings: None,
            is_main: true,
            says_time: true,
        })
    }
}

/// Runs a project's own crawl, and tells of it.
fn run_main(run: Run<'_>, control: Control<'_>) -> Result<Report> {
    let project = run.project;
    run.steering.judge_notes().iter().for_each(|note| control.note(format!("note: {note}")));
    info!(target: "osprey::crawl", dir = %project.layout().dir().display(), policy = %project.policy(), "crawl begins");
    let report = run.run(control)?;
    info!(
        target: "osprey::crawl", visited = report.visited, relevant = report.relevant, failed = report.failed,
        this_run = report.this_run, waiting = report.frontier, stopped_by = ?report.stopped_by, "crawl ends"
    );
    report.notices.iter().for_each(|notice| control.note(format!("note: {notice}")));
    if !report.is_dead_start() {
        let failures = report.start_failures.iter();
        failures.for_each(|failure| control.note(format!("note: start URL {failure}")));
    }
    Ok(report)
}

/// Why a crawl got nothing, in words; `None` if it got something, or that cannot be said.
pub(crate) fn dead_start(report: &Report) -> Option<String> {
    let failures: Vec<String> = report.start_failures.iter().map(ToString::to_string).collect();
    report.is_dead_start().then(|| failures.join("; "))
}

/// Says what should be known of a project's source before it is used.
pub(crate) fn announce(project: &Project, control: Control<'_>) {
    if let SourceKind::World(world) = &project.resolved.source {
        control.note(format!("simulated world `{}`: figures from it are simulated", world.kind()));
    }
}

/// A crawl to run.
pub(crate) struct Run<'a> {
    pub(crate) project: &'a Project,
    /// Where its frontier and archive are.
    pub(crate) data: &'a Path,
    pub(crate) settings: Settings,
    pub(crate) steering: Steering,
    /// Pages older than this are fetched again.
    pub(crate) revisit: Option<Duration>,
    /// What the user says of pages meanwhile.
    pub(crate) ratings: Option<NewRatings>,
    /// Whether to say how long it will take.
    pub(crate) says_time: bool,
    /// Whether it is the project's crawl, which others may ask, and not a small one for some other work.
    pub(crate) is_main: bool,
}

impl<'a> Run<'a> {
    /// A small crawl for some other work, which is done when it ends.
    pub(crate) fn aside(
        project: &'a Project,
        data: &'a Path,
        settings: Settings,
        steering: Steering,
    ) -> Self {
        // what it brings is not what the project's crawl is to bring
        let settings = Settings { stop_below: None, look_at: None, ..settings };
        Self {
            project,
            data,
            settings,
            steering,
            revisit: None,
            ratings: None,
            says_time: false,
            is_main: false,
        }
    }

    /// Up to the next look.
    fn up_to(mut self, look: Option<u64>) -> Self {
        self.settings.look_at = look;
        self
    }

    /// Starts or resumes the crawl; an error if it was stopped.
    pub(crate) fn run_whole(self, control: Control<'_>) -> Result<Report> {
        let report = self.run(control)?;
        if report.stopped_by == Stop::Interrupt { Err(Error::Interrupted) } else { Ok(report) }
    }

    /// Starts or resumes the crawl, until it ends or is stopped.
    pub(crate) fn run(self, control: Control<'_>) -> Result<Report> {
        match &self.project.resolved.source {
            SourceKind::Replay { path, options } => {
                let replay = open_replay(path, options, control)?;
                self.steps(&replay, control)
            }
            SourceKind::Http(options) => self.web(options, control),
            SourceKind::World(world) => self.steps(world, control),
            SourceKind::Custom(source) => self.steps(source, control),
        }
    }

    /// What answers always the same is crawled one page at a time: same corpus, random seed and
    /// configuration, same order.
    fn steps<S: Source>(mut self, source: &S, control: Control<'_>) -> Result<Report> {
        let clock = Arc::new(StepClock::default());
        let runtime = tokio::runtime::Builder::new_current_thread().build().context("threads")?;
        let (project, is_main, ratings) = (self.project, self.is_main, self.ratings.take());
        let crawl = self.open(clock.clone(), control)?;
        watched(project, is_main, ratings, control, None, |stop, watch| {
            Ok(run_steps(crawl, source, runtime.handle(), &clock, stop, watch)?)
        })
    }

    /// Opens the crawl, and says so if everything had to be judged again.
    fn open(self, clock: Arc<dyn Clock>, control: Control<'_>) -> Result<Crawl> {
        let crawl = rejudge::open(self.data, self.settings, self.steering, clock, false, control)?;
        if let Some(rejudged) = crawl.rejudged() {
            rejudge::say(rejudged, control);
        }
        Ok(crawl)
    }

    /// The live Web is crawled with many requests in flight.
    fn web(mut self, options: &FetchOptions, control: Control<'_>) -> Result<Report> {
        let cookies = CookieFile::of(self.project);
        let options =
            FetchOptions { cookies: cookies.load(self.project, &options.cookies)?, ..options.clone() };
        let source = Arc::new(HttpSource::new(options).context("[fetch]")?);
        let clock = Arc::new(SystemClock::default());
        let (project, is_main, ratings) = (self.project, self.is_main, self.ratings.take());
        let revisit = self.revisit;
        let says_time = self.says_time;
        let mut crawl = self.open(clock, control)?;
        if project.resolved.shares_clocks
            && let Some(clocks) = shared_clocks::open()
        {
            crawl.share_clocks(clocks);
        }
        if let Some(age) = revisit {
            let links = crawl.revisit(age)?;
            control.note(format!("{} URLs will be fetched again", grouped(links)));
        }
        if let Some(time) = estimate(&crawl.settings(), crawl.tally()).filter(|_| says_time) {
            control.estimate(time);
        }
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(FETCH_THREADS).enable_all().build();
        let runtime = runtime.context("threads")?;
        let keep: Keep<'_> = Box::new(|| cookies.save(source.cookies()));
        let report = watched(project, is_main, ratings, control, Some(keep), |stop, watch| {
            Ok(run_live(crawl, &source, runtime.handle(), stop, watch)?)
        });
        // requests that were given up must not hold the process
        runtime.shutdown_background();
        report
    }
}

/// Opens a recording, and says what is wrong with it.
pub(crate) fn open_replay(path: &Path, options: &ReplayOptions, control: Control<'_>) -> Result<Replay> {
    if !path.exists() {
        return Err(Error::Usage(format!("[source] path: {}: not found", path.display())));
    }
    let replay = Replay::open(path, options).context("[source] path")?;
    for problem in replay.problems().iter().take(MAX_PROBLEMS) {
        control.note(format!("note: {problem}"));
    }
    control.detail(format!("{}: {} URLs recorded", path.display(), grouped(replay.len() as u64)));
    Ok(replay)
}

/// Saves what a running crawl would lose.
type Keep<'a> = Box<dyn Fn() + 'a>;

/// Runs a crawl with all of its observers.
fn watched(
    project: &Project,
    is_main: bool,
    ratings: Option<NewRatings>,
    control: Control<'_>,
    keep: Option<Keep<'_>>,
    run: impl FnOnce(&AtomicBool, &mut dyn Watch) -> Result<Report>,
) -> Result<Report> {
    let now = Instant::now();
    let notifier = Notifier::of(project).filter(|_| is_main);
    let watcher = Watcher { control, monitor: None, notifier, ratings, drawn: now, keep, kept: now };
    let (report, notifier) = if is_main {
        Monitor::run(project, control, |monitor| {
            Watcher { monitor: Some(monitor), ..watcher }.watch(|watch| run(control.stop, watch))
        })
    } else {
        watcher.watch(|watch| run(control.stop, watch))
    };
    control.end();
    let goes_on = report.as_ref().is_ok_and(|report| report.stopped_by == Stop::Look);
    if let Some(notifier) = notifier.filter(|_| !goes_on) {
        notifier.end(&report, control);
    }
    report
}

/// Passes events to all observers of a crawl.
struct Watcher<'a, 'm, 'w> {
    control: Control<'a>,
    /// Answers those who ask from outside.
    monitor: Option<&'m mut Monitor<'w>>,
    /// Tells of its end and of what is remarkable.
    notifier: Option<Notifier>,
    /// What the user says of pages meanwhile.
    ratings: Option<NewRatings>,
    drawn: Instant,
    keep: Option<Keep<'a>>,
    kept: Instant,
}

impl Watcher<'_, '_, '_> {
    fn watch(
        mut self,
        run: impl FnOnce(&mut dyn Watch) -> Result<Report>,
    ) -> (Result<Report>, Option<Notifier>) {
        let report = run(&mut self);
        if let Some(keep) = &self.keep {
            keep();
        }
        (report, self.notifier)
    }
}

impl Watch for Watcher<'_, '_, '_> {
    fn visit(&mut self, visit: &VisitRow) {
        let VisitRow { n, url, status, bytes, score, relevant, .. } = visit;
        debug!(target: "osprey::crawl", n, status, bytes, score, relevant, url, "visit");
        self.control.observer.event(&Event::Visit(visit));
        if let Some(monitor) = &mut self.monitor {
            monitor.visit(visit);
        }
        if let Some(notifier) = &mut self.notifier {
            notifier.visit(visit.relevant && !visit.is_revisit);
        }
    }

    fn idle(&mut self, crawl: &mut Crawl) {
        if self.control.observer.wants_progress() && self.drawn.elapsed() >= PROGRESS_EVERY {
            self.drawn = Instant::now();
            self.control.observer.event(&Event::Crawl(&crawl.progress()));
        }
        if let Some(keep) = self.keep.as_ref().filter(|_| self.kept.elapsed() >= COOKIES_EVERY) {
            self.kept = Instant::now();
            keep();
        }
        if let Some(ratings) = &mut self.ratings {
            ratings.look(crawl);
        }
        let began = Instant::now();
        if let Some(monitor) = &mut self.monitor {
            monitor.idle(crawl); // here a crawl is paused
        }
        if let Some(notifier) = &mut self.notifier {
            notifier.pass(began.elapsed());
            notifier.look(crawl);
        }
    }
}
