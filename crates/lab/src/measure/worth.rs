//! `worth`: pages of a breadth-first crawl are judged with the want, and compared with the truth.
//!
//! The site is learned from a sample; then everything that a breadth-first crawl visits is judged by [`Want`] and, beside
//! it, by the judges of the papers that the words can be given to. A variant says how many of the topic's words are
//! given, and how many pages are rated, by the truth: half of them the best pages, half those that the want is most unsure
//! of, as `osprey rate` asks.
//!
//! | figure | |
//! | --- | --- |
//! | `average_precision` | of the pages in the order of their worth |
//! | `tags`, `terms`, `tags_of_kind`, `terms_of_kind` | the same of the papers' judges, alone and with the judge `page-type` |
//! | `best_judge` | the best of these |
//! | `reported` | pages of which the worth is at least one half, per wanted page: 1 is true |
//!
//! | key of a variant | |
//! | --- | --- |
//! | `words` | words given: the first of the topic's |
//! | `ratings` | pages rated |

use std::sync::Arc;

use anyhow::Context;
use osprey_engine::Sampling;
use osprey_model::{CanonicalUrl, PageType};
use osprey_page::Page;
use osprey_steer::{
    Background, BackgroundCounter, Example, Judge, JudgeKind, Known, PageKinds, Subject, Want,
};
use osprey_structure::{Reading, Site};
use osprey_text::PageWords;
use serde::Deserialize;

use super::read::Reader;
use super::{Cell, Findings, Measure, project};
use crate::metrics;

/// Pages that are known before anything is judged, as the product knows them.
const KNOWN_PAGES: usize = 2_000;

/// Pages that are visited at most: worlds of video have lists without end.
const MOST_PAGES: u64 = 12_000;

/// The parameters of a variant.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct With {
    words: usize,
    ratings: usize,
}

impl Default for With {
    fn default() -> Self {
        Self { words: 3, ratings: 0 }
    }
}

/// The measure.
#[derive(Clone, Copy, Debug)]
pub(super) struct WorthMeasure;

/// A page that was visited.
struct Visited {
    page: Arc<Page>,
    reading: Reading,
    is_wanted: bool,
}

impl Measure for WorthMeasure {
    fn name(&self) -> &'static str {
        "worth"
    }

    fn run(&self, cell: &Cell<'_>) -> anyhow::Result<Findings> {
        let with: With = cell.variant.with.clone().try_into().context("variant.with")?;
        let (site, pages) = visited(cell)?;
        let mut subject = Subject { pages: project::page_kinds(cell), ..Subject::default() };
        let tags = cell.corpus.subject.tags.iter();
        subject.words = tags.take(with.words).cloned().collect();
        let known = Known { background: Some(Arc::new(background(&pages))), ..Known::default() };
        let first = Want::new(&subject, &known)?;
        let known = Known { rated: rate(&first, &pages, with.ratings).into(), ..known };
        let want = Want::new(&subject, &known)?;
        let worth = |visited: &Visited| want.worth(&visited.page, Some(&visited.reading)).value;
        let scored: Vec<(f32, bool)> = pages.iter().map(|page| (worth(page), page.is_wanted)).collect();
        let mut findings = Findings::default();
        findings.figure("average_precision", average_precision(&scored));
        let wanted = pages.iter().filter(|page| page.is_wanted).count();
        let reported = scored.iter().filter(|(worth, _)| *worth >= 0.5).count();
        findings.figure("reported", (wanted > 0).then(|| reported as f64 / wanted as f64));
        findings.figure("wanted", Some(wanted as f64));
        findings.figure("pages", Some(pages.len() as f64));
        let judges = paper_judges(&subject, &site, &pages)?;
        let best = judges.iter().filter_map(|(_, found)| *found).fold(0.0, f64::max);
        judges.into_iter().for_each(|(name, found)| findings.figure(name, found));
        findings.figure("best_judge", Some(best));
        findings.words.extend(cell.corpus.topic.clone().map(|topic| ("topic".to_owned(), topic)));
        Ok(findings)
    }
}

/// All pages of a crawl to the end, in the order of their visits.
fn visited(cell: &Cell<'_>) -> anyhow::Result<(Arc<Site>, Vec<Visited>)> {
    let mut parts = project::sampling(cell, Sampling::default());
    parts.structure.sample_pages = cell.experiment.sizes(cell.scale).sample_pages;
    let site = project::site(cell, &parts)?;
    parts.settings.budget.pages = Some(MOST_PAGES);
    let known = Known { site: Some(Arc::clone(&site)), ..Known::default() };
    let project = project::crawl(cell, &cell.scratch.join("visited"), parts, &known, &())?;
    let (reader, wanted) = (Reader::new(cell)?, cell.experiment.wanted_of(cell.entry));
    let mut pages = Vec::new();
    for url in project.fetched_pages()? {
        let url = CanonicalUrl::from_stored(&url)?;
        let Some(response) = reader.read_here(&url) else { continue };
        let page = reader.parse(&response);
        let is_wanted = wanted.includes(&cell.corpus.truth(&url), cell.corpus.topic.as_deref());
        pages.push(Visited { reading: site.read(&page), page: Arc::new(page), is_wanted });
    }
    Ok((site, pages))
}

fn background(pages: &[Visited]) -> Background {
    let step = pages.len().div_ceil(KNOWN_PAGES).max(1);
    let mut counter = BackgroundCounter::default();
    pages.iter().step_by(step).for_each(|visited| counter.count(&visited.page, false));
    let mut background = counter.finish();
    let kept = pages.iter().step_by(step);
    kept.for_each(|visited| background.keep(&visited.page, Some(&visited.reading), false));
    background
}

/// What a person would say of so many pages.
fn rate(want: &Want, pages: &[Visited], most: usize) -> Vec<Example> {
    let mut ranked: Vec<(f32, &Visited)> =
        pages.iter().map(|page| (want.worth(&page.page, Some(&page.reading)).value, page)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (best, rest) = ranked.split_at((most / 2).min(ranked.len()));
    let mut unsure: Vec<&(f32, &Visited)> = rest.iter().collect();
    unsure.sort_by(|a, b| (a.0 - 0.5).abs().total_cmp(&(b.0 - 0.5).abs()));
    let asked = best.iter().chain(unsure.into_iter().take(most - best.len()));
    let example = |(_, visited): &(f32, &Visited)| Example {
        page: Arc::clone(&visited.page),
        is_wanted: visited.is_wanted,
    };
    asked.map(example).collect()
}

/// The judges of the papers that words can be given to.
fn paper_judges(
    subject: &Subject,
    site: &Arc<Site>,
    pages: &[Visited],
) -> anyhow::Result<Vec<(&'static str, Option<f64>)>> {
    let subject = Subject { tags: subject.words.clone(), words: Vec::new(), ..subject.clone() };
    let known = Known { site: Some(Arc::clone(site)), ..Known::default() };
    let of_kind = |judge: JudgeKind| match subject.pages {
        PageKinds::All => judge,
        _ => JudgeKind::All { of: vec![judge, JudgeKind::PageType { types: vec![PageType::Detail] }] },
    };
    let (tags, terms) = (JudgeKind::Tags { threshold: 0.0 }, JudgeKind::Terms { threshold: 0.1 });
    let kinds = [
        ("tags", tags.clone()),
        ("terms", terms.clone()),
        ("tags_of_kind", of_kind(tags)),
        ("terms_of_kind", of_kind(terms)),
    ];
    let mut found = Vec::new();
    for (name, kind) in kinds {
        let judge = Judge::new(&kind, &subject, &known)?;
        let scored: Vec<(f32, bool)> = pages
            .iter()
            .map(|page| {
                let judgement = judge.judge(&page.page, &PageWords::default(), Some(&page.reading));
                (judgement.relevance.unwrap_or(0.0), page.is_wanted)
            })
            .collect();
        found.push((name, average_precision(&scored)));
    }
    Ok(found)
}

fn average_precision(scored: &[(f32, bool)]) -> Option<f64> {
    let mut ranked: Vec<&(f32, bool)> = scored.iter().collect();
    // stable: of equals, those that were visited first
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let hits: Vec<bool> = ranked.iter().map(|(_, is_wanted)| *is_wanted).collect();
    let wanted = hits.iter().filter(|hit| **hit).count() as u64;
    metrics::average_precision(&hits, wanted)
}
