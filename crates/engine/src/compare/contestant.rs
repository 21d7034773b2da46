//! One policy of a comparison: a crawl of its own that is put aside between its turns.

use std::sync::Arc;
use std::time::Duration;

use osprey_crawl::{Budget, Crawl, Halt, PictureRules, Settings, StepClock, Stepwise, Stop, VisitRow, Watch};
use xxhash_rust::xxh3::xxh3_64;

use super::pages::{Given, Pages};
use super::report::ComparedPolicy;
use crate::error::{Context, Error, Result};
use crate::example_pages::ExamplePages;
use crate::observe::{Control, Event};
use crate::project::{Project, delete_folder};

/// The file that tells what a crawl was begun for.
const WANT: &str = "want.txt";

/// A policy and its crawl.
pub(super) struct Contestant {
    pub(super) name: String,
    crawl: Stepwise,
    budget: u64,
    /// Why its crawl is over, once it is.
    ended: Option<Stop>,
}

/// How a turn ended.
pub(super) enum TurnEnd {
    /// With its visits.
    Visits,
    /// With the end of the crawl.
    Over,
    /// The user has asked to stop.
    Stopped,
    /// The site cannot be asked for now.
    Unavailable(String),
}

impl Contestant {
    /// Opens the crawl of a policy, new or old. One that was begun for another want is begun again: its pages are there.
    pub(super) fn open(project: &Project, name: &str, budget: u64, control: Control<'_>) -> Result<Self> {
        let known = ExamplePages::of(project).known(control)?;
        let settings = settings(&project.resolved.settings, budget);
        let data = project.layout().comparison().join(name);
        let want = want(project, &settings, &project.resolved.identity(&known));
        let (file, is_old) = (data.join(WANT), data.exists());
        if is_old && std::fs::read_to_string(&file).ok().as_deref() != Some(want.as_str()) {
            control.note(format!("note: what is wanted has changed: policy `{name}` begins again"));
            delete_folder(&data)?;
        }
        std::fs::create_dir_all(&data).with_context(|| format!("{}", data.display()))?;
        osprey_files::write_durably(&file, &want)?;
        let clock = Arc::new(StepClock::default());
        let steering = project.resolved.steering(&known)?;
        let crawl = Stepwise::new(Crawl::open(&data, settings, steering, clock.clone())?, clock);
        // with a smaller budget than before, the first visits of then are what counts
        let ended = (crawl.crawl().tally().visited > budget).then_some(Stop::Budget);
        Ok(Self { name: name.to_owned(), crawl, budget, ended })
    }

    /// Visits over all runs.
    pub(super) fn done(&self) -> u64 {
        self.crawl.crawl().tally().visited.min(self.budget)
    }

    /// Whether it wants no more turns.
    pub(super) fn is_over(&self) -> bool {
        self.ended.is_some()
    }

    /// Lets it have so many visits more; `progress` hears of each.
    pub(super) fn turn(
        &mut self,
        visits: u64,
        pages: &mut Pages,
        control: Control<'_>,
        progress: impl Fn(u64),
    ) -> Result<TurnEnd> {
        let mut refusal: Option<Result<TurnEnd>> = None;
        let mut watcher = Watcher { control, progress };
        let to = self.done() + visits;
        let name = self.name.as_str();
        let mut fetch = |ask| {
            let given = match control.is_stopped() {
                true => Ok(Given::Stopped),
                false => pages.answer(ask, name, control.stop),
            };
            refusal = Some(match given {
                Ok(Given::Exchange(exchange)) => return Some(exchange),
                Ok(Given::Stopped) => Ok(TurnEnd::Stopped),
                Ok(Given::Unavailable(why)) => Ok(TurnEnd::Unavailable(why)),
                Err(error) => Err(error),
            });
            None
        };
        // the budget of its crawl ends it, once its last visit is in
        match self.crawl.run_to(
            to.min(self.budget) + u64::from(to > self.budget),
            &mut fetch,
            &mut watcher,
        )? {
            Halt::Visits => Ok(TurnEnd::Visits),
            Halt::Unanswered => refusal.unwrap_or(Ok(TurnEnd::Stopped)),
            Halt::End(reason) => {
                self.ended = Some(reason);
                Ok(TurnEnd::Over)
            }
        }
    }

    /// Closes its stores. `fetched` of its pages were fetched for it.
    pub(super) fn close(
        self,
        budget: u64,
        fetched: Option<u64>,
        control: Control<'_>,
    ) -> Result<ComparedPolicy> {
        let rows = self.crawl.crawl().visits().collect::<Result<Vec<VisitRow>, _>>().map_err(Error::from);
        let (name, ended) = (self.name, self.ended);
        let report = self.crawl.finish(ended.unwrap_or(Stop::Interrupt))?;
        report.notices.iter().for_each(|notice| control.note(format!("note: policy `{name}`: {notice}")));
        if ended.is_some() && !report.has_page {
            let failures = report.start_failures.iter();
            failures.for_each(|failure| control.note(format!("note: policy `{name}`: start URL {failure}")));
        }
        Ok(ComparedPolicy::new(name, &rows?, budget, fetched, report.frontier, ended))
    }
}

/// Tells of visits.
struct Watcher<'a, F> {
    control: Control<'a>,
    progress: F,
}

impl<F: Fn(u64)> Watch for Watcher<'_, F> {
    fn visit(&mut self, visit: &VisitRow) {
        self.control.observer.event(&Event::Visit(visit));
        (self.progress)(visit.n);
    }
}

/// The crawl of a policy: to it, whatever is behind is a recording.
fn settings(settings: &Settings, budget: u64) -> Settings {
    let mut own = settings.clone();
    own.is_live = false;
    own.max_attempts = 1;
    // each is to have the same number of visits
    own.stop_below = None;
    own.look_at = None;
    own.concurrency = 1;
    own.pictures = PictureRules::none();
    (own.frontier.host_delay, own.frontier.ip_delay) = (Duration::ZERO, Duration::ZERO);
    own.budget = Budget { pages: Some(budget), time: None, bytes: None, ..settings.budget.clone() };
    own
}

/// What a crawl is begun for: with another one it would have gone another way.
fn want(project: &Project, settings: &Settings, identity: &str) -> String {
    let Settings { seeds, scope, budget, obey_robots, obey_nofollow, sitemaps, .. } = settings;
    let text =
        format!("{identity} {seeds:?} {scope:?} {:?} {obey_robots} {obey_nofollow} {sitemaps}", budget.depth);
    let source = match &project.resolved.source {
        crate::source::SourceKind::Http(_) => String::new(),
        other => format!("{other:?}"),
    };
    format!("{:016x}\n", xxh3_64(format!("{text} {source}").as_bytes()))
}
