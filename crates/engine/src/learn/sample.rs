//! The pages that a site is learned from: fetched by a small crawl in `data/sample/`, or taken from the project's
//! crawl.
//!
//! Sampling is a crawl with the policy `sample`: it obeys scope, robots and politeness, can be killed and resumed, and
//! the same random seed gives the same pages from a source that answers the same.

use std::path::{Path, PathBuf};

use osprey_archive::Damage;
use osprey_crawl::{Budget, PictureRules, Report, SAMPLE_ROUNDS, Steering, visits_for_pages};
use osprey_model::CanonicalUrl;
use osprey_page::Page;
use osprey_steer::{JudgeKind, Known, Plan, Subject};

use crate::captures::{Captures, PageVisit};
use crate::error::{Context, Error, Result};
use crate::observe::Control;
use crate::parts::Sampling;
use crate::project::Project;
use crate::run::{Run, dead_start};
use crate::words::{counted, grouped};

/// Says what a sample was drawn with, in its folder.
const DRAWN_WITH: &str = "drawn-with.txt";

impl Project {
    /// A sample of so many pages of the site, or of all that there are; what is missing of it is fetched.
    pub fn sample(&self, pages: u64, control: Control<'_>) -> Result<SampledPages> {
        let (data, report) = fetch(self, pages, control)?;
        let mut sampled = SampledPages::open(self, &data)?;
        let limit = self.most_requests(pages);
        if (sampled.len() as u64) < pages && report.requests >= limit {
            let (found, limit) = (grouped(sampled.len() as u64), grouped(limit));
            let note = format!(
                "sampled {found} of {}: {limit} requests were used, the limit; raise `structure.requests_per_page` for \
                 more",
                counted(pages, "page")
            );
            control.note(format!("note: {note}"));
            sampled.notes.push(note);
        }
        sampled.failure = dead_start(&report);
        sampled.cut_to(pages, self);
        Ok(sampled)
    }

    /// Requests that a sample of so many pages may take.
    pub(crate) fn most_requests(&self, pages: u64) -> u64 {
        pages.saturating_mul(self.resolved.structure.requests_per_page)
    }
}

/// Fetches what is missing of a sample; where it is, and how the last run ended. A sample without a page is forgotten first.
fn fetch(project: &Project, pages: u64, control: Control<'_>) -> Result<(PathBuf, Report)> {
    let data = project.layout().sample();
    if Captures::exist(&data) && SampledPages::open(project, &data)?.is_empty() {
        project.forget_sample()?;
    }
    let drawn = data.join(DRAWN_WITH);
    if !drawn.exists() {
        std::fs::create_dir_all(&data).with_context(|| format!("{}: cannot be created", data.display()))?;
        osprey_files::write_durably(&drawn, drawn_with(project))?;
    }
    let mut visits = visits_with_examples(project, &data, pages)?;
    for round in 0.. {
        let resolved = &project.resolved;
        let mut settings = resolved.settings.clone();
        settings.seeds.extend(resolved.structure.examples.iter().map(|(_, url)| url.clone()));
        settings.pictures = PictureRules::none();
        let requests = Some(project.most_requests(pages));
        settings.budget = Budget { pages: Some(visits), requests, ..settings.budget };
        let policy = resolved.structure.sampling.policy(resolved.random_seed);
        let plan = Plan { policy, subject: Subject::default() };
        let steering = Steering::of(&plan, &JudgeKind::None {}, &Known::default())?;
        let run = Run { says_time: round == 0, ..Run::aside(project, &data, settings, steering) };
        let report = run.run_whole(control)?;
        report.notices.iter().for_each(|notice| control.note(format!("note: {notice}")));
        let found = SampledPages::open(project, &data)?.len() as u64;
        // where a budget of bytes or seconds is used up, more visits would bring nothing
        match visits_for_pages(pages, found, &report).filter(|_| report.visited >= visits) {
            Some(more) if round + 1 < SAMPLE_ROUNDS => visits = more,
            _ => return Ok((data, report)),
        }
    }
    Err(Error::failed("no round of sampling was run"))
}

/// Visits for so many pages. A sample from before examples were named does not have them, and grows by them.
fn visits_with_examples(project: &Project, data: &Path, pages: u64) -> Result<u64> {
    let examples = &project.resolved.structure.examples;
    if examples.is_empty() || !Captures::exist(data) {
        return Ok(pages);
    }
    let sampled = SampledPages::open(project, data)?;
    let missing = examples.iter().filter(|(_, url)| !sampled.has(url)).count() as u64;
    let visited = sampled.len() as u64 + sampled.in_vain;
    Ok(if missing > 0 { pages.max(visited + missing) } else { pages })
}

/// What decides over a sample besides the site itself. Examples do not: those that it lacks are fetched.
fn drawn_with(project: &Project) -> String {
    let resolved = &project.resolved;
    let urls: Vec<&str> = resolved.settings.seeds.iter().map(CanonicalUrl::as_str).collect();
    let how = match resolved.structure.sampling {
        Sampling::Apath => "",
        Sampling::ApathInOrder => "sampling apath-in-order\n",
        Sampling::BreadthFirst => "sampling breadth-first\n",
    };
    format!("seed {}\n{how}{}\n", resolved.random_seed, urls.join("\n"))
}

fn is_drawn_otherwise(project: &Project, data: &Path) -> bool {
    let before = std::fs::read_to_string(data.join(DRAWN_WITH));
    // older versions wrote examples below the seeds
    before.is_ok_and(|before| !before.starts_with(&drawn_with(project)))
}

/// Pages in an archive, in the order in which they were fetched.
pub struct SampledPages {
    captures: Captures,
    pages: Vec<PageVisit>,
    /// Visits that returned no page, or one that was there before.
    pub(super) in_vain: u64,
    /// Why there is nothing, if the start failed.
    pub(super) failure: Option<String>,
    /// What should be known of it.
    pub(super) notes: Vec<String>,
}

impl SampledPages {
    /// Opens what was crawled in `data`.
    pub(super) fn open(project: &Project, data: &Path) -> Result<Self> {
        let captures = Captures::open(data, &project.resolved.settings)?;
        let (mut pages, visits) = captures.pages()?;
        let all = pages.len() as u64;
        let in_vain = visits - all;
        // the scope may have changed since
        let scope = &project.resolved.settings.scope;
        pages.retain(|page| {
            CanonicalUrl::from_stored(&page.visit.url).is_ok_and(|url| scope.check(&url).is_ok())
        });
        let mut notes = Vec::new();
        if let out @ 1.. = all - pages.len() as u64 {
            notes.push(format!("sampled pages outside the current scope: {out}"));
        }
        if is_drawn_otherwise(project, data) {
            notes.push(
                "the sample was taken with other seeds, another `crawl.random_seed` or another `structure.sampling`; use --again to take a new one"
                    .to_owned(),
            );
        }
        Ok(Self { captures, pages, in_vain, failure: None, notes })
    }

    /// Whether a page was asked for, or found.
    fn has(&self, url: &CanonicalUrl) -> bool {
        self.pages.iter().any(|page| page.visit.url == url.as_str() || page.asked == url.as_str())
    }

    /// Keeps so many pages, and examples that came later.
    pub(super) fn cut_to(&mut self, pages: u64, project: &Project) {
        let examples = &project.resolved.structure.examples;
        let mut place = 0;
        self.pages.retain(|page| {
            place += 1;
            let is = |url: &str| page.visit.url == url || page.asked == url;
            place <= pages || examples.iter().any(|(_, url)| is(url.as_str()))
        });
    }

    /// The records that could not be read, so far.
    pub(super) fn damage(&self) -> Damage {
        self.captures.damage()
    }

    /// An error if all that was read is damaged.
    pub(super) fn check_readable(&self) -> Result<()> {
        self.captures.check_readable()
    }

    /// How many pages there are.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// The `place`-th page, from the archive, and the address that led to it; `None` if the archive has lost it.
    pub fn page(&self, place: usize) -> Result<Option<(Page, CanonicalUrl)>> {
        let Some(PageVisit { visit, asked }) = self.pages.get(place) else { return Ok(None) };
        let Some(page) = self.captures.page(visit) else { return Ok(None) };
        let asked = CanonicalUrl::from_stored(asked).context("a stored URL")?;
        Ok(Some((page, asked)))
    }
}
