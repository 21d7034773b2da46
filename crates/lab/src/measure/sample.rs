//! The sample of pages that a site is learned from, with what is true of each.
//!
//! It is the crawl that `osprey learn` does: by kinds of link, as seed 001 has it, or breadth-first, what the seed
//! compares itself with. Nothing of the truth goes into the choice of pages.

use std::path::Path;
use std::sync::Arc;

use anyhow::bail;
use osprey_crawl::{
    Budget, Crawl, Inspection, SAMPLE_ROUNDS, Settings, Steering, StepClock, Stop, run_steps,
    visits_for_pages,
};
use osprey_model::{CanonicalUrl, Response};
use osprey_page::read_page;
use osprey_steer::{JudgeKind, Known, Plan, PolicyKind, Subject};
use osprey_structure::types::SiteFacts;
use osprey_structure::{InLinks, PageShape};
use osprey_world::Truth;
use serde::{Deserialize, Serialize};

use super::Cell;

/// How pages are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Sampling {
    /// One link of every kind that a page has.
    #[default]
    #[serde(rename = "apath")]
    Apath,
    /// The same, in the order in which they are met: the seed's way.
    #[serde(rename = "apath-in-order")]
    ApathInOrder,
    /// All links in the order in which they are met.
    #[serde(rename = "bfs")]
    BreadthFirst,
}

/// Pages of a site, and all that is learned from.
pub(super) struct Sample {
    /// The pages as they came: parsed ones are many times as large.
    pub(super) pages: Vec<Response>,
    /// What is true of each page.
    pub(super) truth: Vec<Truth>,
    /// The shape of each page, with the links that lead there.
    pub(super) shapes: Vec<PageShape>,
    /// Facts about all of them.
    pub(super) facts: SiteFacts,
}

impl Sample {
    /// Takes a sample of so many pages, or of all there are, with the cell's seed.
    pub(super) fn take(cell: &Cell<'_>, most: usize, sampling: Sampling) -> anyhow::Result<Self> {
        let settings = Settings::recorded(cell.corpus.seeds.clone(), cell.corpus.scope.clone());
        let crawl = fetch(cell, cell.scratch, &settings, most as u64, sampling)?;
        let mut sample =
            Self { pages: Vec::new(), truth: Vec::new(), shapes: Vec::new(), facts: SiteFacts::default() };
        let (mut inlinks, mut urls) = (InLinks::default(), Vec::new());
        for found in crawl.pages()?.into_iter().take(most) {
            let Some(response) = crawl.response(&found.visit)? else { continue };
            let page = read_page(&response, &settings.page_rules);
            let asked = CanonicalUrl::from_stored(&found.asked)?;
            inlinks.visited(&page);
            sample.facts.visited(&page, &asked);
            sample.shapes.push(PageShape::of(&page).with_regions(&page));
            sample.truth.push(cell.corpus.truth(page.url()));
            sample.pages.push(response);
            urls.push([asked, page.url().clone()]);
        }
        let shapes = std::mem::take(&mut sample.shapes).into_iter().zip(&urls);
        sample.shapes = shapes.map(|(shape, urls)| shape.found_by(inlinks.links_to(urls))).collect();
        Ok(sample)
    }
}

/// Crawls in `folder` until there are enough pages.
pub(super) fn fetch(
    cell: &Cell<'_>,
    folder: &Path,
    settings: &Settings,
    pages: u64,
    sampling: Sampling,
) -> anyhow::Result<Inspection> {
    let policy = match sampling {
        Sampling::Apath => PolicyKind::Sample { seed: cell.seed, in_order: false },
        Sampling::ApathInOrder => PolicyKind::Sample { seed: cell.seed, in_order: true },
        Sampling::BreadthFirst => PolicyKind::BreadthFirst {},
    };
    let plan = Plan { policy, subject: Subject::default() };
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let look = || Inspection::open(folder, &settings.frontier, Inspection::PATIENCE);
    let mut visits = pages;
    for _ in 0..SAMPLE_ROUNDS {
        let clock = Arc::new(StepClock::default());
        let budget = Budget { pages: Some(visits), ..Budget::default() };
        let steering = Steering::of(&plan, &JudgeKind::None {}, &Known::default())?;
        let crawl = Crawl::open(folder, Settings { budget, ..settings.clone() }, steering, clock.clone())?;
        let report = run_steps(crawl, &cell.corpus.ground, runtime.handle(), &clock, cell.stop, &mut ())?;
        if report.stopped_by == Stop::Interrupt {
            bail!("interrupted");
        }
        let found = look()?.pages()?.len() as u64;
        match visits_for_pages(pages, found, &report) {
            Some(more) => visits = more,
            None => break,
        }
    }
    Ok(look()?)
}
