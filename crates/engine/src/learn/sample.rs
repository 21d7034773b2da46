//! The pages that a site is learned from: fetched by a small crawl in `data/sample/`, or taken from the project's
//! crawl.
//!
//! Sampling is a crawl with the policy `sample`: it obeys scope, robots and politeness, can be killed and resumed, and
//! the same random seed gives the same pages from a source that answers the same.

use std::path::{Path, PathBuf};

use osprey_crawl::{Budget, PictureRules, SAMPLE_ROUNDS, Steering, visits_for_pages};
use osprey_model::CanonicalUrl;
use osprey_page::Page;
use osprey_steer::{JudgeKind, Known, Plan, Subject};

use crate::captures::{Captures, PageVisit};
use crate::error::{Context, Result};
use crate::observe::Control;
use crate::project::Project;
use crate::run::Run;

/// Says what a sample was drawn with, in its folder.
const DRAWN_WITH: &str = "drawn-with.txt";

impl Project {
    /// A sample of so many pages of the site, or of all that there are; what is missing of it is fetched.
    pub fn sample(&self, pages: u64, control: Control<'_>) -> Result<SampledPages> {
        let data = fetch(self, pages, control)?;
        let mut sampled = SampledPages::open(self, &data)?;
        sampled.pages.truncate(usize::try_from(pages).unwrap_or(usize::MAX));
        Ok(sampled)
    }
}

/// Fetches what is missing of a sample; where it is.
fn fetch(project: &Project, pages: u64, control: Control<'_>) -> Result<PathBuf> {
    let data = project.layout().sample();
    let drawn = data.join(DRAWN_WITH);
    if !drawn.exists() {
        std::fs::create_dir_all(&data).with_context(|| format!("{}: cannot be created", data.display()))?;
        osprey_files::write_durably(&drawn, drawn_with(project))?;
    }
    let mut visits = pages;
    for _ in 0..SAMPLE_ROUNDS {
        let resolved = &project.resolved;
        let mut settings = resolved.settings.clone();
        settings.seeds.extend(resolved.structure.examples.iter().map(|(_, url)| url.clone()));
        settings.pictures = PictureRules::none();
        settings.budget = Budget { pages: Some(visits), ..settings.budget };
        let policy = resolved.structure.sampling.policy(resolved.random_seed);
        let plan = Plan { policy, subject: Subject::default() };
        let steering = Steering::of(&plan, &JudgeKind::None {}, &Known::default())?;
        let report = Run::aside(project, &data, settings, steering).run_whole(control)?;
        report.notices.iter().for_each(|notice| control.note(format!("note: {notice}")));
        let found = SampledPages::open(project, &data)?.len() as u64;
        // where a budget of bytes or seconds is used up, more visits would bring nothing
        match visits_for_pages(pages, found, &report).filter(|_| report.visited >= visits) {
            Some(more) => visits = more,
            None => break,
        }
    }
    Ok(data)
}

/// What decides over a sample besides the site itself.
fn drawn_with(project: &Project) -> String {
    let resolved = &project.resolved;
    let urls = resolved.settings.seeds.iter().chain(resolved.structure.examples.iter().map(|(_, url)| url));
    let urls: Vec<&str> = urls.map(CanonicalUrl::as_str).collect();
    format!("seed {}\n{}\n", resolved.random_seed, urls.join("\n"))
}

fn is_drawn_otherwise(project: &Project, data: &Path) -> bool {
    let before = std::fs::read_to_string(data.join(DRAWN_WITH));
    before.is_ok_and(|before| before != drawn_with(project))
}

/// Pages in an archive, in the order in which they were fetched.
pub struct SampledPages {
    captures: Captures,
    pages: Vec<PageVisit>,
    /// Visits that brought no page, or one that was there before.
    pub(super) in_vain: u64,
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
                "the sample was taken with other seeds or another `crawl.random_seed`; use --again to take a new one"
                    .to_owned(),
            );
        }
        Ok(Self { captures, pages, in_vain, notes })
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
