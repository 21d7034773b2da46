//! `verdicts`: what the judge `want` says of a page at the moment when it comes, compared with the truth.
//!
//! A crawl begins with no background and no learned site, and a policy learns from the verdicts of its first hundred
//! pages: how right are these? The crawl has the policy of the variant, the judge `want` and the first words of the topic.
//! Copies, dead links and redirects do not count. A variant says after how many pages the site is learned from what was
//! fetched, and everything judged again, as a collection does.
//!
//! | figure | |
//! | --- | --- |
//! | `precision_N`, `recall_N` | of the verdicts given on the last hundred pages (or less) up to page N |
//! | `reported_N` | relevant pages per wanted page among all pages up to N; 1 is true |
//! | `f1_N` | the harmonic mean of precision and recall over all pages up to N, as judged when they came |
//! | `average_precision_N` | of all pages up to N in the order of the worth that they had when they came |
//! | `f1_again`, `reported_again`, `average_precision_again` | of all pages, as judged at the end |
//!
//! Their words `wrong` and `missed` say of which templates the relevant pages that are not wanted are, and the wanted ones
//! that are not relevant.
//!
//! | key of a variant | |
//! | --- | --- |
//! | `words` | words given: the first of the topic's |
//! | `stages` | after how many visits the site is learned |

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use anyhow::Context;
use osprey_engine::{Control, CrawlOptions, Event, LearnOptions, Observer, Parts, Project, VisitRow};
use osprey_model::CanonicalUrl;
use osprey_steer::{JudgeKind, PageKinds, Subject};
use serde::Deserialize;

use super::{Cell, Findings, Measure, project};
use crate::{Corpus, Wanted, metrics};

/// Places at which figures are taken.
const PLACES: [usize; 6] = [50, 100, 200, 300, 500, 1000];
/// Pages that precision and recall are taken over.
const WINDOW: usize = 100;
/// Templates that are named.
const MOST_NAMED: usize = 6;

/// The parameters of a variant.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct With {
    words: usize,
    stages: Vec<u64>,
}

impl Default for With {
    fn default() -> Self {
        Self { words: 2, stages: Vec::new() }
    }
}

/// The measure.
#[derive(Clone, Copy, Debug)]
pub(super) struct VerdictsMeasure;

/// A verdict, and the truth.
#[derive(Clone, Debug)]
struct Verdict {
    worth: f32,
    is_relevant: bool,
    is_wanted: bool,
    template: String,
}

impl Measure for VerdictsMeasure {
    fn name(&self) -> &'static str {
        "verdicts"
    }

    fn run(&self, cell: &Cell<'_>) -> anyhow::Result<Findings> {
        let with: With = cell.variant.with.clone().try_into().context("variant.with")?;
        let wanted = cell.experiment.wanted_of(cell.entry);
        let truth = Truth { corpus: cell.corpus, wanted };
        let parts = parts(cell, &with, wanted)?;
        let budget = cell.budget(cell.corpus.totals(wanted, &cell.experiment.valid));
        let listener = Listener { truth, verdicts: Mutex::default() };
        let control = Control { stop: cell.stop, observer: &listener };
        let ends = with.stages.iter().copied().filter(|end| budget.is_none_or(|budget| *end < budget));
        let mut project = None;
        for end in ends.map(Some).chain([budget]) {
            let mut stage = parts.clone();
            stage.settings.budget.pages = end;
            let crawling = Project::assemble(cell.scratch, stage);
            crawling.crawl(&CrawlOptions::default(), control)?;
            if end != budget {
                // too few pages of any kind: the next stage has more
                let learned = crawling.learn(
                    &LearnOptions { crawled: true, ..LearnOptions::default() },
                    project::control(cell),
                );
                drop(learned);
            }
            project = Some(crawling);
        }
        let then = listener.verdicts.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut findings = figures(&then);
        let truth = Truth { corpus: cell.corpus, wanted };
        let visits = project.context("no crawl")?.visits()?;
        let again: Vec<Verdict> = visits.iter().filter_map(|visit| truth.verdict(visit)).collect();
        findings.figure("f1_again", f1(&again));
        findings.figure("reported_again", reported(&again));
        findings.figure("average_precision_again", average_precision(&again));
        findings.words.insert("wrong".to_owned(), named(&then, |it| it.is_relevant && !it.is_wanted));
        findings.words.insert("missed".to_owned(), named(&then, |it| !it.is_relevant && it.is_wanted));
        findings.words.extend(cell.corpus.topic.clone().map(|topic| ("topic".to_owned(), topic)));
        Ok(findings)
    }
}

/// A crawl for the first words of the topic, judged by the want.
fn parts(cell: &Cell<'_>, with: &With, wanted: &Wanted) -> anyhow::Result<Parts> {
    let pages = if wanted.page_type.is_some() { PageKinds::Items } else { PageKinds::All };
    let words = cell.corpus.subject.tags.iter().take(with.words).cloned().collect();
    let policy = cell.variant.policy.clone().context("`policy` is missing")?;
    let mut parts = project::sampling(cell, osprey_engine::Sampling::default());
    parts.structure.sample_pages = cell.experiment.sizes(cell.scale).sample_pages;
    parts.plan.policy = policy;
    parts.plan.subject = Subject { words, pages, ..Subject::default() };
    parts.judge = JudgeKind::Want { threshold: 0.5 };
    Ok(parts)
}

/// What is true of a visit.
struct Truth<'a> {
    corpus: &'a Corpus,
    wanted: &'a Wanted,
}

impl Truth<'_> {
    /// What was said of a visit; `None` if it brought no page, or one that was there before.
    fn verdict(&self, visit: &VisitRow) -> Option<Verdict> {
        let is_new = visit.is_page && visit.status == 200 && visit.duplicate_of.is_none();
        let url = CanonicalUrl::from_stored(&visit.url).ok().filter(|_| is_new)?;
        let truth = self.corpus.truth(&url);
        if truth.waste.is_some() || truth.duplicate_of.is_some() {
            return None;
        }
        Some(Verdict {
            worth: visit.relevance?,
            is_relevant: visit.relevant,
            is_wanted: self.wanted.includes(&truth, self.corpus.topic.as_deref()),
            template: truth.template,
        })
    }
}

/// Listens to a crawl.
struct Listener<'a> {
    truth: Truth<'a>,
    verdicts: Mutex<Vec<Verdict>>,
}

impl Observer for Listener<'_> {
    fn event(&self, event: &Event<'_>) {
        if let Event::Visit(visit) = event
            && let Some(verdict) = self.truth.verdict(visit)
            && let Ok(mut verdicts) = self.verdicts.lock()
        {
            verdicts.push(verdict);
        }
    }
}

fn figures(verdicts: &[Verdict]) -> Findings {
    let mut findings = Findings::default();
    for place in PLACES {
        let Some(so_far) = verdicts.get(..place) else { continue };
        let window = so_far.get(place.saturating_sub(WINDOW)..).unwrap_or_default();
        findings.figure(&format!("precision_{place}"), precision(window));
        findings.figure(&format!("recall_{place}"), recall(window));
        findings.figure(&format!("reported_{place}"), reported(so_far));
        findings.figure(&format!("f1_{place}"), f1(so_far));
        findings.figure(&format!("average_precision_{place}"), average_precision(so_far));
        findings.figure(&format!("wanted_{place}"), Some(count(so_far, |it| it.is_wanted)));
    }
    findings.figure("pages", Some(verdicts.len() as f64));
    findings
}

fn count(verdicts: &[Verdict], holds: fn(&Verdict) -> bool) -> f64 {
    verdicts.iter().filter(|verdict| holds(verdict)).count() as f64
}

fn precision(verdicts: &[Verdict]) -> Option<f64> {
    let relevant = count(verdicts, |it| it.is_relevant);
    (relevant > 0.0).then(|| count(verdicts, |it| it.is_relevant && it.is_wanted) / relevant)
}

fn recall(verdicts: &[Verdict]) -> Option<f64> {
    let wanted = count(verdicts, |it| it.is_wanted);
    (wanted > 0.0).then(|| count(verdicts, |it| it.is_relevant && it.is_wanted) / wanted)
}

fn reported(verdicts: &[Verdict]) -> Option<f64> {
    let wanted = count(verdicts, |it| it.is_wanted);
    (wanted > 0.0).then(|| count(verdicts, |it| it.is_relevant) / wanted)
}

/// 1 if nothing is wanted and nothing relevant.
fn f1(verdicts: &[Verdict]) -> Option<f64> {
    let sum = count(verdicts, |it| it.is_relevant) + count(verdicts, |it| it.is_wanted);
    let both = count(verdicts, |it| it.is_relevant && it.is_wanted);
    Some(if sum > 0.0 { 2.0 * both / sum } else { 1.0 }).filter(|_| !verdicts.is_empty())
}

fn average_precision(verdicts: &[Verdict]) -> Option<f64> {
    let mut ranked: Vec<&Verdict> = verdicts.iter().collect();
    // stable: of equals, those that were visited first
    ranked.sort_by(|a, b| b.worth.total_cmp(&a.worth));
    let hits: Vec<bool> = ranked.iter().map(|verdict| verdict.is_wanted).collect();
    let wanted = hits.iter().filter(|hit| **hit).count() as u64;
    metrics::average_precision(&hits, wanted)
}

/// The templates of some pages, the most frequent first.
fn named(verdicts: &[Verdict], holds: fn(&Verdict) -> bool) -> String {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for verdict in verdicts.iter().filter(|verdict| holds(verdict)) {
        *counts.entry(&verdict.template).or_default() += 1;
    }
    let mut counts: Vec<(&str, u64)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, pages)| std::cmp::Reverse(*pages));
    let named = counts.iter().take(MOST_NAMED).map(|(template, pages)| format!("{template} {pages}"));
    named.collect::<Vec<_>>().join(", ")
}
