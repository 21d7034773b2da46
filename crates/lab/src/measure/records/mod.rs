//! `records`: learns a site from detail pages, as `osprey learn` does and without labels, and reads a record from each
//! of them. The truth is a table of the fields of every page that somebody else has published.
//!
//! The fields of a record have names of their own. So each field of the truth is looked for twice: under a name that a
//! person would look under ([`score::is_called`]), and under the name that fits its values best. The first tells whether
//! values are found and named, the second whether they are found.
//!
//! The pages of such a set do not link to each other, and nothing links to them. With `lists = true` in a variant the
//! sample also has pages that a site would have: lists that link to them by their names, twenty on each.

mod lists;
mod score;

use std::convert::Infallible;

use anyhow::Context;
use osprey_model::{CanonicalUrl, PageType};
use osprey_page::Page;
use osprey_structure::site::RuleProposer;
use osprey_structure::{Learner, Recipe, Site};
use rustc_hash::FxHashSet;

use self::score::{FieldScores, Score, named_values};
use super::labels::{read, recording};
use super::{Cell, Findings, Measure};

/// The measure.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordsMeasure;

impl Measure for RecordsMeasure {
    fn name(&self) -> &'static str {
        "records"
    }

    fn run(&self, cell: &Cell<'_>) -> anyhow::Result<Findings> {
        let (wanted, topic) = (cell.experiment.wanted_of(cell.entry), cell.corpus.topic.as_deref());
        let recording = recording(cell)?;
        let fits = |url: &&CanonicalUrl| wanted.includes(&cell.corpus.truth(url), topic);
        let mut urls: Vec<&CanonicalUrl> = recording.urls().filter(fits).collect();
        urls.sort_by_key(|url| url.as_str());
        let mut bodies = FxHashSet::default();
        let pages: Vec<Page> = urls.into_iter().filter_map(|url| read(recording, url, &mut bodies)).collect();
        let has_lists = cell.variant.with.get("lists").and_then(toml::Value::as_bool).unwrap_or(false);
        let mut sample = pages.clone();
        if has_lists {
            sample.extend(lists::of(&pages, |page| score::title(recording.fields(page.url())?)));
        }
        let site = learn(&sample)?;
        let (mut details, mut scores) = (0_usize, FieldScores::default());
        let mut fields = 0;
        for page in &pages {
            let reading = site.read(page);
            details += usize::from(reading.page_type == PageType::Detail);
            let truth = recording.fields(page.url()).with_context(|| format!("{}: no truth", page.url()))?;
            let record = reading.record.as_ref().map(named_values).unwrap_or_default();
            fields += record.len();
            scores.add(truth, record);
        }
        let share = |part: usize| (!pages.is_empty()).then(|| part as f64 / pages.len() as f64);
        let mut findings = Findings::default();
        findings.figure("pages", Some(pages.len() as f64));
        findings.figure("detail_share", share(details));
        findings.figure("fields_a_page", share(fields));
        note(&scores, &mut findings);
        Ok(findings)
    }
}

/// What `osprey learn` makes of the pages.
fn learn(pages: &[Page]) -> anyhow::Result<Site> {
    let mut learner = Learner::default();
    pages.iter().for_each(|page| learner.visited(page, page.url()));
    let mut model = learner.finish(&Recipe::default());
    let sitemap = model.sitemap();
    let page = |place: usize| Ok::<_, Infallible>(pages.get(place).cloned());
    let look = RuleProposer::new(&model, &sitemap, page)?;
    model.page_types = look.page_types.clone();
    Ok(Site::new(model, sitemap, &look.rules())?)
}

/// The title, and how well the other fields are found.
fn note(scores: &FieldScores, findings: &mut Findings) {
    let (mut named, mut best) = (Score::default(), Score::default());
    for (field, found) in scores.fields() {
        if found.is_title {
            findings.figure("title_f1", found.as_title.f1());
            continue;
        }
        named = named.with(found.named.1);
        best = best.with(found.best.1);
        let told = |(name, score): &(String, Score)| match score.f1() {
            Some(f1) if !name.is_empty() => format!("{f1:.2} {name}"),
            _ => "none".to_owned(),
        };
        findings.words.insert(field, format!("{}, best {}", told(&found.named), told(&found.best)));
    }
    findings.figure("named_f1", named.f1());
    findings.figure("best_f1", best.f1());
    findings.figure("best_precision", best.precision());
    findings.figure("best_recall", best.recall());
}
