//! Several policies on one site, with the same want, judge and budget.
//!
//! Every policy has a crawl of its own in `data/compare/POLICY/`, which goes page by page on a stepped clock, as over a
//! recording: what it does depends on what the site answers and on nothing else, and it can be put aside between two visits.
//! So the policies take turns, a few visits each, and [`Pages`] answers them all: a page that one of them has had is at
//! hand for the others, and the site sees one crawler, with one request at a time.

mod contestant;
mod pages;
mod report;

use osprey_crawl::{Settings, Stop};
use osprey_steer::JudgeKind;

use crate::error::{Error, Result};
use crate::observe::Control;
use crate::project::Project;
use crate::run::announce;
use crate::words::{counted, duration};
use contestant::{Contestant, TurnEnd};
use pages::Pages;
pub use report::{ComparedPolicy, Comparison, RelevantAt};

/// Visits of a turn.
const TURN: u64 = 25;
/// What takes less is not worth a word.
const LONG: f64 = 60.0;

/// What is compared.
#[derive(Clone, Debug, Default)]
pub struct CompareOptions {
    /// The policies, by their names.
    pub policies: Vec<String>,
    /// Pages for each; those of the configuration if there is none.
    pub budget: Option<u64>,
}

/// Why a comparison is over.
enum Over {
    /// Every policy has had its budget, or found nothing more.
    Done,
    /// The user has asked to stop.
    Stopped,
    /// The site cannot be asked for now.
    Unavailable(String),
}

impl Project {
    /// Crawls the same site with several policies, in turns, until each has had its budget. It goes on where the last run
    /// ended.
    pub fn compare(&self, options: &CompareOptions, control: Control<'_>) -> Result<Comparison> {
        self.check_comparison(options)?;
        self.resolved.notices.iter().for_each(|notice| control.note(notice));
        announce(self, control);
        // whatever a policy lacks is said before anything is fetched
        let projects =
            options.policies.iter().map(|name| self.with_policy(name)).collect::<Result<Vec<_>>>()?;
        let budget = self.comparison_budget(options)?;
        for project in &projects {
            project.check_policy()?;
        }
        let mut contestants = Vec::new();
        for (project, name) in projects.iter().zip(&options.policies) {
            contestants.push(Contestant::open(project, name, budget, control)?);
        }
        let mut pages = Pages::open(self, control)?;
        if let Some(time) = estimate(&self.resolved.settings, &contestants, budget, pages.at_hand()) {
            control.estimate(time);
        }
        let over = take_turns(&mut contestants, &mut pages, budget, control);
        control.end();
        let (over, requests, fetched) = (over?, pages.requests(), pages.fetched()?);
        pages.close()?;
        let mut compared = Vec::new();
        for contestant in contestants {
            let own = fetched.as_ref().map(|all| all.get(&contestant.name).copied().unwrap_or_default());
            compared.push(contestant.close(budget, own, control)?);
        }
        let comparison = Comparison::new(self, budget, compared, requests, over);
        comparison.save()?;
        Ok(comparison)
    }

    /// What can be said without looking at a policy.
    fn check_comparison(&self, options: &CompareOptions) -> Result<()> {
        let usage = |text: &str| Error::Usage(text.to_owned());
        if options.policies.is_empty() {
            return Err(usage("`--policies` is empty; name the policies to compare: `--policies a,b`"));
        }
        for (n, name) in options.policies.iter().enumerate() {
            if options.policies.iter().take(n).any(|other| other == name) {
                return Err(Error::Usage(format!("`--policies` names `{name}` twice")));
            }
        }
        if matches!(self.resolved.judge(), JudgeKind::None {}) {
            return Err(usage(
                "a comparison counts relevant pages, and nothing says which are: set `judge.kind`, or `topic.tags`",
            ));
        }
        Ok(())
    }

    fn comparison_budget(&self, options: &CompareOptions) -> Result<u64> {
        let usage = |text: &str| Error::Usage(text.to_owned());
        match options.budget.or(self.budget()) {
            Some(0) => Err(usage("`--budget` is 0; give the number of pages that each policy may fetch")),
            Some(budget) => Ok(budget),
            None => {
                Err(usage("no budget: give `--budget N`, the number of pages that each policy may fetch"))
            }
        }
    }

    /// The same project with another policy.
    fn with_policy(&self, name: &str) -> Result<Self> {
        let resolved = self.resolved.with_policy(name)?;
        let (layout, overrides) = (self.layout.clone(), self.overrides.clone());
        Ok(Self { layout, resolved, has_file: self.has_file, overrides })
    }

    /// Whether its policy and judge have what they need, examples to be fetched aside.
    fn check_policy(&self) -> Result<()> {
        let in_policy = |error: Error| match error {
            Error::Usage(text) => Error::Usage(format!("policy `{}`: {text}", self.policy())),
            error => error,
        };
        let known = self.known().map_err(in_policy)?;
        let subject = self.resolved.subject();
        if !self.resolved.takes_examples()
            || (subject.examples.is_empty() && subject.counter_examples.is_empty())
        {
            self.resolved.steering(&known).map_err(|error| in_policy(Error::Usage(error.to_string())))?;
        }
        Ok(())
    }
}

/// Lets the policies have their visits, a few at a time.
fn take_turns(
    contestants: &mut [Contestant],
    pages: &mut Pages,
    budget: u64,
    control: Control<'_>,
) -> Result<Over> {
    let total = budget * contestants.len() as u64;
    loop {
        let mut is_over = true;
        for n in 0..contestants.len() {
            let done: u64 = contestants.iter().map(Contestant::done).sum();
            let Some(contestant) = contestants.get_mut(n).filter(|contestant| !contestant.is_over()) else {
                continue;
            };
            let others = done - contestant.done();
            match contestant.turn(TURN, pages, control, |own| control.work("pages", others + own, total))? {
                TurnEnd::Over => {}
                TurnEnd::Visits => is_over = false,
                TurnEnd::Stopped => return Ok(Over::Stopped),
                TurnEnd::Unavailable(why) => return Ok(Over::Unavailable(why)),
            }
            pages.save();
        }
        if is_over {
            return Ok(Over::Done);
        }
    }
}

/// How long it will take on a live site: between all fetching the same pages and each fetching others.
fn estimate(settings: &Settings, contestants: &[Contestant], budget: u64, at_hand: u64) -> Option<String> {
    let delay = settings.frontier.host_delay.as_secs_f64();
    let left = contestants.iter().map(|contestant| budget.saturating_sub(contestant.done()));
    let most = left.clone().sum::<u64>();
    let least = left.max().unwrap_or_default().saturating_sub(at_hand);
    let seconds = |pages: u64| pages as f64 * delay;
    if !settings.is_live || seconds(most) < LONG {
        return None;
    }
    Some(format!(
        "{}, {} each, one request at a time with {} between two: {} if they want the same pages, {} if each wants \
         others",
        match contestants.len() {
            1 => "1 policy".to_owned(),
            n => format!("{n} policies"),
        },
        counted(budget, "page"),
        duration(delay),
        match seconds(least) {
            short if short < LONG => "under a minute".to_owned(),
            long => format!("about {}", duration(long)),
        },
        duration(seconds(most)),
    ))
}

impl Over {
    fn stop(&self) -> Option<Stop> {
        match self {
            Self::Done => None,
            Self::Stopped | Self::Unavailable(_) => Some(Stop::Interrupt),
        }
    }
}
