//! `crawl`: crawls the corpus with the policy of the variant, one page at a time, and computes every crawl metric.
//!
//! The engine runs the crawl as `osprey crawl` does, with a simulated clock. The truth decides what each visit found.
//! Every fetch costs one visit of the budget, including dead links and redirects. A page found under two URLs counts
//! once.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use osprey_engine::{AnySource, Event, Observer, SourceKind, VisitRow};
use osprey_model::{CanonicalUrl, Exchange, Request, Source};
use osprey_steer::{Example, JudgeKind};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;

use super::known::known_and_drawn;
use super::project::{USUAL_THRESHOLD, crawl, crawling};
use super::stage_one::expand;
use super::url_rates::UrlRates;
use super::{Cell, Findings, Measure};
use crate::metrics::{self, Fact, Portion, TemplateId, Totals};
use crate::{Corpus, CorpusSource, Wanted};

/// Points of a curve, about.
const POINTS: usize = 50;
/// The share of wanted pages whose cost is measured (de Assis et al. 2009).
const MOST: f64 = 0.9;
/// Pages in a window of the sliding harvest ratio, as a share of the crawl.
const WINDOW: usize = 10;

/// Visits that a crawl has for each page, where only pages are counted: on no site more than every second link is dead.
const VISITS_PER_PAGE: u64 = 3;

/// The template of visits that returned no page.
const NOTHING: &str = "nothing";

/// What a variant may say of the crawl itself.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct With {
    /// Begin where a person who knows the site would, and fetch what that person would. Without such lists nothing is
    /// measured.
    expert: bool,
}

/// The measure.
#[derive(Clone, Copy, Debug)]
pub(super) struct CrawlMeasure;

impl Measure for CrawlMeasure {
    fn name(&self) -> &'static str {
        "crawl"
    }

    fn run(&self, cell: &Cell<'_>) -> anyhow::Result<Findings> {
        let wanted = cell.experiment.wanted_of(cell.entry);
        let mut totals = cell.corpus.totals(wanted, &cell.experiment.valid);
        if totals.wanted == 0 && !cell.corpus.is_simulated() {
            bail!("no page is wanted (`{wanted}`): is the topic right?");
        }
        let with: With = cell.variant.with.clone().try_into().context("variant.with")?;
        let mut parts = crawling(cell)?;
        if with.expert {
            let Some((start, scope)) = cell.corpus.expert()? else { return Ok(Findings::default()) };
            (parts.settings.seeds, parts.settings.scope) = (start, scope);
        }
        let (mut known, drawn) = known_and_drawn(cell, &parts)?;
        let expanded = expand(cell, &mut parts, &mut known)?;
        // what was given need not be found, by any variant
        let given = drawn.iter().filter(|example| example.is_wanted).count() as u64;
        totals.wanted = totals.wanted.saturating_sub(given);
        let budget = cell.budget(totals);
        let pages_only = cell.experiment.sizes(cell.scale).pages_only;
        let visits =
            if pages_only { budget.map(|pages| pages.saturating_mul(VISITS_PER_PAGE)) } else { budget };
        parts.settings.budget.pages = visits;
        let source = Timed { source: cell.corpus.source.clone(), spent: Arc::default() };
        let listener = Listener(Mutex::new(Scribe::new(cell, wanted, &drawn, &source)));
        parts.source = SourceKind::Custom(AnySource::new(source));
        crawl(cell, cell.scratch, parts, &known, &listener)?;
        let mut scribe = listener.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        if pages_only {
            scribe.keep_pages(budget);
        }
        let visits = if cell.corpus.is_simulated() { cell.usual_visits() } else { scribe.facts.len() as u64 };
        let mut findings = figures(&scribe.facts, totals, visits as usize);
        ceiling_figures(&mut findings, &scribe.facts, totals, budget);
        judge_figures(&mut findings, cell.experiment.judge.as_ref(), &scribe, visits as usize);
        if known.site.is_some() {
            findings.figure("typeless", scribe.typeless_share());
        }
        scribe.urls.report(&mut findings);
        findings.words.insert("templates".to_owned(), scribe.most_visited());
        let topic = expanded.or_else(|| cell.corpus.topic.clone());
        findings.words.extend(topic.map(|topic| ("topic".to_owned(), topic)));
        Ok(findings)
    }
}

/// A source with a watch: what it takes to answer is the web's time, not the crawler's.
struct Timed {
    source: CorpusSource,
    spent: Arc<Mutex<Spent>>,
}

/// Time since the last look.
#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    /// Time spent on generating answers, which no real crawler does.
    answering: Duration,
    /// What the servers would have taken.
    waiting: Duration,
}

impl Source for Timed {
    async fn fetch(&self, request: Request) -> Exchange {
        let began = Instant::now();
        let exchange = self.source.fetch(request).await;
        if let Ok(mut spent) = self.spent.lock() {
            spent.answering += began.elapsed();
            if let Exchange::Answered(response) = &exchange {
                spent.waiting += response.took;
            }
        }
        exchange
    }
}

/// Records the truth about every visit.
struct Scribe<'a> {
    /// Example pages, which are not counted, by their bare addresses.
    given: FxHashSet<String>,
    corpus: &'a Corpus,
    wanted: &'a Wanted,
    valid: &'a [Wanted],
    spent: Arc<Mutex<Spent>>,
    facts: Vec<Fact>,
    templates: FxHashMap<String, u32>,
    /// Visits of each template, and of each kind of visit that returned nothing.
    went_to: FxHashMap<String, u64>,
    /// Pages that have been counted, under any URL.
    counted: FxHashSet<String>,
    /// The judge's verdict on every page that it saw, and the truth.
    judged: Vec<(f32, bool)>,
    /// Pages, and those of no cluster.
    pages: u64,
    typeless: u64,
    /// What the URLs of wanted pages say.
    urls: UrlRates,
    last: Instant,
}

impl<'a> Scribe<'a> {
    fn new(cell: &Cell<'a>, wanted: &'a Wanted, drawn: &[Example], source: &Timed) -> Self {
        Self {
            given: drawn.iter().map(|example| bare(example.page.url().as_str()).to_owned()).collect(),
            corpus: cell.corpus,
            wanted,
            valid: &cell.experiment.valid,
            spent: Arc::clone(&source.spent),
            facts: Vec::new(),
            templates: FxHashMap::default(),
            went_to: FxHashMap::default(),
            counted: FxHashSet::default(),
            judged: Vec::new(),
            pages: 0,
            typeless: 0,
            urls: UrlRates::of(&cell.corpus.subject),
            last: Instant::now(),
        }
    }

    fn template(&mut self, name: &str) -> TemplateId {
        if let Some(id) = self.templates.get(name) {
            return TemplateId(*id);
        }
        let id = self.templates.len() as u32;
        self.templates.insert(name.to_owned(), id);
        TemplateId(id)
    }

    /// Drops visits that returned no page, and those after the first `most` pages.
    fn keep_pages(&mut self, most: Option<u64>) {
        self.facts.retain(|fact| fact.is_page);
        self.facts.truncate(most.map_or(usize::MAX, |most| most as usize));
    }

    /// The share of pages that belong to no cluster.
    fn typeless_share(&self) -> Option<f64> {
        (self.pages > 0).then(|| self.typeless as f64 / self.pages as f64)
    }

    /// Where the budget went: templates, and why visits returned nothing, the most frequent first.
    fn most_visited(&self) -> String {
        let mut counts: Vec<(&str, u64)> =
            self.went_to.iter().map(|(name, visits)| (name.as_str(), *visits)).collect();
        counts.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        counts.iter().map(|(name, visits)| format!("{name} {visits}")).collect::<Vec<_>>().join(", ")
    }

    fn went_to(&mut self, name: &str) {
        *self.went_to.entry(name.to_owned()).or_default() += 1;
    }

    /// What a visit found, by the truth. A visit that returned no page, or one that was already counted, is none of the
    /// kinds.
    fn fact(&mut self, visit: &VisitRow) -> Fact {
        let is_page = visit.status == 200 && visit.is_page;
        self.pages += u64::from(is_page);
        self.typeless += u64::from(is_page && visit.cluster.is_none());
        let nothing = Fact { is_page, template: self.template(NOTHING), ..Fact::default() };
        let Ok(url) = CanonicalUrl::from_stored(&visit.url) else { return nothing };
        let truth = self.corpus.truth(&url);
        let is_valid = |valid: &Wanted| valid.includes(&truth, self.corpus.topic.as_deref());
        let user_created = is_page && self.valid.iter().any(is_valid);
        let nothing = Fact { user_created, ..nothing };
        if !is_page || truth.waste.is_some() {
            let why = truth.waste.clone().unwrap_or_else(|| format!("status {}", visit.status));
            self.went_to(&format!("({why})"));
            return nothing;
        }
        let original = truth.duplicate_of.as_deref().unwrap_or(&visit.url);
        if [original, &visit.url].into_iter().any(|url| self.given.contains(bare(url))) {
            self.went_to("(given as an example)");
            return nothing;
        }
        let wanted = self.wanted.includes(&truth, self.corpus.topic.as_deref());
        self.judged.extend(visit.relevance.map(|relevance| (relevance, wanted)));
        let nothing = Fact { relevance: visit.relevance.unwrap_or(0.0), user_created: false, ..nothing };
        // the same page under two URLs: by the truth where it knows, by the bytes where it does not
        let page = match (&truth.duplicate_of, self.corpus.is_simulated()) {
            (Some(original), _) => original.clone(),
            (None, true) => visit.url.clone(),
            (None, false) => visit.digest.clone().unwrap_or_else(|| visit.url.clone()),
        };
        if !self.counted.insert(page) {
            self.went_to(&format!("({} again)", truth.template));
            return Fact { copy: user_created, ..nothing };
        }
        if wanted {
            self.urls.add(&visit.url);
        }
        self.went_to(&truth.template);
        let (page_type, template) = (truth.page_type, self.template(&truth.template));
        Fact { wanted, user_created, page_type, template, ..nothing }
    }
}

/// An address without its last slash: recordings answer for both.
fn bare(url: &str) -> &str {
    url.strip_suffix('/').unwrap_or(url)
}

/// Listens to a crawl, whichever thread tells.
struct Listener<'a>(Mutex<Scribe<'a>>);

impl Observer for Listener<'_> {
    fn event(&self, event: &Event<'_>) {
        if let (Event::Visit(visit), Ok(mut scribe)) = (event, self.0.lock()) {
            scribe.visit(visit);
        }
    }
}

impl Scribe<'_> {
    fn visit(&mut self, visit: &VisitRow) {
        let since = self.last.elapsed();
        let spent = self.spent.lock().map(|mut spent| std::mem::take(&mut *spent)).unwrap_or_default();
        let mut fact = self.fact(visit);
        fact.processing = since.saturating_sub(spent.answering);
        fact.waiting = spent.waiting;
        self.facts.push(fact);
        // the time for looking up the truth is not counted
        self.last = Instant::now();
    }
}

/// Every metric of a crawl of about so many visits.
fn figures(facts: &[Fact], totals: Totals, visits: usize) -> Findings {
    let mut findings = Findings::default();
    let every = visits.div_ceil(POINTS).max(1);
    let valid = metrics::valid_scores(facts, totals);
    let target = metrics::target_scores(facts, totals);
    let count = |holds: fn(&Fact) -> bool| Some(facts.iter().filter(|fact| holds(fact)).count() as f64);
    for (name, value) in [
        ("visited", Some(facts.len() as f64)),
        ("found", count(|fact| fact.wanted)),
        ("corpus_pages", Some(totals.pages as f64)),
        ("corpus_wanted", Some(totals.wanted as f64)),
        ("harvest_ratio", metrics::harvest_ratio(facts)),
        ("late_harvest_ratio", metrics::harvest_ratio(facts.get(facts.len() / 2..).unwrap_or_default())),
        ("recall", target.recall),
        ("f", target.f),
        ("detail_capture_ratio", metrics::detail_capture_ratio(facts)),
        ("detail_harvest_ratio", metrics::detail_harvest_ratio(facts)),
        ("valid_ratio", metrics::valid_ratio_by_template(facts)),
        ("valid_ratio_strict", valid.precision),
        ("valid_recall", valid.recall),
        ("valid_f", valid.f),
        ("entropy", metrics::entropy_of_templates(facts)),
        ("pages_per_wanted", metrics::pages_per_relevant(facts)),
        ("share_for_90", metrics::visited_share(facts, MOST, Totals::counted(facts))),
        ("found_at_10", metrics::found_share(facts, 0.10)),
        ("found_at_30", metrics::found_share(facts, 0.30)),
        ("information", Some(metrics::sum_of_information(facts))),
    ] {
        findings.figure(name, value);
    }
    findings.curve("harvest", &metrics::harvest_curve(facts, every));
    let window = (visits / WINDOW).max(1);
    findings.curve("harvest_window", &metrics::harvest_windows(facts, window, every));
    findings.curve("recall", &metrics::recall_curve(facts, totals, every));
    findings.curve("detail_capture", &metrics::detail_capture_curve(facts, every));
    findings.curve("detail_harvest", &metrics::detail_harvest_curve(facts, every));
    let time = metrics::time_split(facts);
    let mut timing = |name: &str, value: Option<f64>| {
        findings.timings.extend(value.map(|value| (name.to_owned(), value)));
    };
    timing("processing_ms_per_page", time.processing_ms_per_page());
    timing("processing_seconds", Some(time.processing.as_secs_f64()));
    timing("waiting_seconds", Some(time.waiting.as_secs_f64()));
    findings
}

/// What was found beside what could have been: at the end, and on the way at places that every crawl with a large enough
/// budget passes, so that one crawl answers for smaller budgets too.
fn ceiling_figures(findings: &mut Findings, facts: &[Fact], totals: Totals, budget: Option<u64>) {
    let end = budget.unwrap_or(facts.len() as u64);
    let within = |visits: u64| budget.is_none_or(|budget| visits <= budget).then_some(visits);
    let share = |share: f64| within((totals.pages as f64 * share).ceil() as u64);
    findings.figure("ceiling", metrics::ceiling(totals, end));
    findings.figure("harvest_over_ceiling", metrics::harvest_over_ceiling(facts, totals, end));
    for (name, of_pages) in [
        ("harvest_over_ceiling_at_5", 0.05),
        ("harvest_over_ceiling_at_10", 0.10),
        ("harvest_over_ceiling_at_25", 0.25),
    ] {
        let at = |visits| metrics::harvest_over_ceiling(facts, totals, visits);
        findings.figure(name, share(of_pages).and_then(at));
    }
    let recall = |visits| metrics::recall_after(facts, totals, visits);
    findings.figure("recall_at_wanted", within(totals.wanted).and_then(recall));
    findings.figure("recall_at_quarter", share(0.25).and_then(recall));
    findings.figure("recall_area", metrics::recall_area(facts, totals, end));
}

/// How well the judge knew, and what it made of the crawl.
fn judge_figures(findings: &mut Findings, judge: Option<&JudgeKind>, scribe: &Scribe<'_>, visits: usize) {
    let threshold = match judge {
        Some(
            JudgeKind::Tags { threshold }
            | JudgeKind::Terms { threshold }
            | JudgeKind::Taxonomy { threshold, .. }
            | JudgeKind::Genre { threshold, .. }
            | JudgeKind::Model { threshold, .. }
            | JudgeKind::Want { threshold },
        ) => *threshold,
        _ => USUAL_THRESHOLD,
    };
    findings.figure("precision", metrics::precision_rate(&scribe.facts, threshold));
    let portions = metrics::portions(&scribe.facts, visits.div_ceil(POINTS).max(1), threshold);
    let total = |value: fn(&Portion) -> f64| {
        portions.iter().map(|portion| (portion.visited as f64, value(portion))).collect()
    };
    findings.curves.insert("relevant".to_owned(), total(|portion| portion.relevant_so_far as f64));
    findings.curves.insert("information".to_owned(), total(|portion| portion.information_so_far));
    let relevant = scribe.judged.iter().filter(|(_, wanted)| *wanted).count() as u64;
    let sweep = metrics::threshold_sweep(&scribe.judged, relevant, &metrics::even_thresholds(20));
    let best = metrics::best_threshold(&sweep).filter(|_| relevant > 0);
    findings.figure("judge_f1", best.map(|best| best.f1));
    let mut ranked = scribe.judged.clone();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let hits: Vec<bool> = ranked.into_iter().map(|(_, wanted)| wanted).collect();
    findings.figure("p20", metrics::precision_at(&hits, 20).filter(|_| !hits.is_empty()));
    findings.figure("judge_threshold", best.map(|best| f64::from(best.threshold)));
    let sweep = sweep.iter().map(|at| (f64::from(at.threshold), at.f1)).collect();
    findings.curves.insert("f1_by_threshold".to_owned(), sweep);
}

#[cfg(test)]
mod tests {
    use osprey_model::PageType;

    use super::*;

    #[test]
    fn a_crawl_is_counted_by_hand() {
        let page = |wanted, page_type, user_created| Fact {
            is_page: true,
            wanted,
            page_type,
            user_created,
            ..Fact::default()
        };
        let facts = [
            page(true, PageType::Detail, true),
            page(false, PageType::List, false),
            page(true, PageType::Detail, true),
            page(false, PageType::Profile, true),
        ];
        let findings = figures(&facts, Totals { pages: 20, wanted: 8, user_created: 12 }, 4);
        let figure = |name: &str| findings.figures.get(name).copied();
        assert_eq!(figure("harvest_ratio"), Some(0.5));
        assert_eq!(figure("recall"), Some(0.25));
        assert_eq!(figure("valid_ratio"), Some(0.75));
        assert_eq!(figure("valid_recall"), Some(0.25));
        assert_eq!(figure("pages_per_wanted"), Some(2.0));
        assert_eq!(findings.curves["harvest"].last(), Some(&(4.0, 0.5)));
    }
}
