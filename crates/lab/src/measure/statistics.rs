//! `statistics`: describes a corpus, to compare simulated worlds with real sites.
//!
//! It visits the pages of the corpus breadth-first from the seeds, up to a limit, without a policy and without an
//! archive. Degrees, depths, sizes and words are those that the crawler sees.

use std::collections::{BTreeMap, VecDeque};

use osprey_model::robots::Robots;
use osprey_model::{CanonicalUrl, Exchange, Request, Source};
use osprey_page::{Page, PageRules, Rel, is_page, read_page};
use rustc_hash::{FxHashMap, FxHashSet};

use super::plain_words::each_word;
use super::{Cell, CurveData, Findings, Measure};
use crate::fingerprint;
use crate::metrics::entropy;

/// Pages that are looked at, at most.
const MAX_PAGES: usize = 20_000;
/// Places along the growth of the vocabulary.
const GROWTH_STEPS: usize = 12;

/// The measure.
#[derive(Clone, Copy, Debug)]
pub(super) struct StatisticsMeasure;

impl Measure for StatisticsMeasure {
    fn name(&self) -> &'static str {
        "statistics"
    }

    fn run(&self, cell: &Cell<'_>) -> anyhow::Result<Findings> {
        let wanted = cell.experiment.wanted_of(cell.entry);
        let totals = cell.corpus.totals(wanted, &cell.experiment.valid);
        let budget = cell.budget(totals).map_or(MAX_PAGES, |pages| (pages as usize).min(MAX_PAGES));
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        let mut walk = Walk::new(cell);
        while walk.fetched < budget
            && let Some((url, depth)) = walk.queue.pop_front()
        {
            // a walk ignores robots.txt: there is no server that could mind
            let Some(target) = Robots::allow_all().permit(&url) else { continue };
            let exchange = runtime.block_on(cell.corpus.source.fetch(Request::new(target)));
            walk.take(cell, &url, depth, exchange);
        }
        let mut findings = walk.findings();
        findings.figure("corpus_pages", Some(totals.pages as f64));
        findings
            .figure("wanted_share", (totals.pages > 0).then(|| totals.wanted as f64 / totals.pages as f64));
        Ok(findings)
    }
}

/// What the walk found.
struct Walk {
    queue: VecDeque<(CanonicalUrl, u32)>,
    known: FxHashSet<CanonicalUrl>,
    rules: PageRules,
    fetched: usize,
    failed: usize,
    redirects: usize,
    wanted: usize,
    duplicates: usize,
    out_degrees: Vec<usize>,
    in_degrees: FxHashMap<CanonicalUrl, usize>,
    depths: Vec<u32>,
    bytes: Vec<usize>,
    text_words: Vec<usize>,
    links_outside: usize,
    links: usize,
    templates: BTreeMap<String, u64>,
    types: BTreeMap<&'static str, u64>,
    vocabulary: FxHashMap<String, u64>,
    /// Words read, and different ones among them, after every page.
    growth: Vec<(u64, u64)>,
    words: u64,
    tags: FxHashMap<String, u64>,
    shapes: FxHashSet<u64>,
    bodies: FxHashSet<u64>,
}

impl Walk {
    fn new(cell: &Cell<'_>) -> Self {
        let queue = cell.corpus.seeds.iter().map(|seed| (seed.clone(), 0)).collect();
        Self {
            queue,
            known: cell.corpus.seeds.iter().cloned().collect(),
            rules: PageRules::default(),
            fetched: 0,
            failed: 0,
            redirects: 0,
            wanted: 0,
            duplicates: 0,
            out_degrees: Vec::new(),
            in_degrees: FxHashMap::default(),
            depths: Vec::new(),
            bytes: Vec::new(),
            text_words: Vec::new(),
            links_outside: 0,
            links: 0,
            templates: BTreeMap::new(),
            types: BTreeMap::new(),
            vocabulary: FxHashMap::default(),
            growth: Vec::new(),
            words: 0,
            tags: FxHashMap::default(),
            shapes: FxHashSet::default(),
            bodies: FxHashSet::default(),
        }
    }

    fn take(&mut self, cell: &Cell<'_>, url: &CanonicalUrl, depth: u32, exchange: Exchange) {
        self.fetched += 1;
        let Exchange::Answered(response) = exchange else {
            self.failed += 1;
            return;
        };
        if let Some(to) = response.location() {
            self.redirects += 1;
            if let Ok(to) = url.join(to, &self.rules.url) {
                self.add(cell, to, depth);
            }
            return;
        }
        if !is_page(&response) {
            self.failed += usize::from(response.status >= 400);
            return;
        }
        let page = read_page(&response, &self.rules);
        self.note_truth(cell, url, fingerprint(&response.body));
        self.depths.push(depth);
        self.bytes.push(response.body.len());
        self.note_words(&page);
        self.note_links(cell, &page, depth);
    }

    fn note_truth(&mut self, cell: &Cell<'_>, url: &CanonicalUrl, body: u64) {
        let truth = cell.corpus.truth(url);
        let wanted = cell.experiment.wanted_of(cell.entry);
        let is_copy = !self.bodies.insert(body) || truth.duplicate_of.is_some();
        self.duplicates += usize::from(is_copy);
        self.wanted += usize::from(!is_copy && wanted.includes(&truth, cell.corpus.topic.as_deref()));
        *self.types.entry(truth.page_type.name()).or_default() += 1;
        *self.templates.entry(truth.template).or_default() += 1;
    }

    fn note_words(&mut self, page: &Page) {
        let before = self.words;
        each_word(page.text(), |word| {
            self.words += 1;
            match self.vocabulary.get_mut(word) {
                Some(count) => *count += 1,
                None => {
                    self.vocabulary.insert(word.to_owned(), 1);
                }
            }
        });
        self.text_words.push((self.words - before) as usize);
        self.growth.push((self.words, self.vocabulary.len() as u64));
        let mut shape: Vec<u64> = page.xpaths().map(|counted| page.xpath_key(counted.id)).collect();
        shape.sort_unstable();
        let bytes: Vec<u8> = shape.iter().flat_map(|key| key.to_le_bytes()).collect();
        self.shapes.insert(fingerprint(&bytes));
    }

    fn note_links(&mut self, cell: &Cell<'_>, page: &Page, depth: u32) {
        let mut targets = FxHashSet::default();
        for link in page.links() {
            self.links += 1;
            if cell.corpus.scope.check(&link.url).is_err() {
                self.links_outside += 1;
                continue;
            }
            if link.rel.contains(Rel::TAG) {
                *self.tags.entry(page.anchor(link).to_lowercase()).or_default() += 1;
            }
            if targets.insert(link.url.clone()) {
                *self.in_degrees.entry(link.url.clone()).or_default() += 1;
                self.add(cell, link.url.clone(), depth + 1);
            }
        }
        self.out_degrees.push(targets.len());
    }

    fn add(&mut self, cell: &Cell<'_>, url: CanonicalUrl, depth: u32) {
        if cell.corpus.scope.check(&url).is_ok() && self.known.insert(url.clone()) {
            self.queue.push_back((url, depth));
        }
    }

    fn findings(mut self) -> Findings {
        let mut findings = Findings::default();
        let pages = self.depths.len();
        let share = |part: usize, whole: usize| (whole > 0).then(|| part as f64 / whole as f64);
        let mut in_degrees: Vec<usize> = self.in_degrees.into_values().collect();
        let mut depths: Vec<usize> = self.depths.iter().map(|depth| *depth as usize).collect();
        let mut counts: Vec<u64> = self.vocabulary.into_values().collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let mut tags: Vec<u64> = self.tags.into_values().collect();
        tags.sort_unstable_by(|a, b| b.cmp(a));
        for (name, value) in [
            ("fetched", Some(self.fetched as f64)),
            ("pages", Some(pages as f64)),
            ("failed_share", share(self.failed, self.fetched)),
            ("redirect_share", share(self.redirects, self.fetched)),
            ("duplicate_share", share(self.duplicates, pages)),
            ("wanted_by_breadth_first", share(self.wanted, self.fetched)),
            ("templates", Some(self.templates.len() as f64)),
            ("template_entropy", entropy(self.templates.into_values())),
            ("shapes_per_100_pages", share(self.shapes.len() * 100, pages)),
            ("links_outside_share", share(self.links_outside, self.links)),
            ("depth_max", depths.iter().max().map(|depth| *depth as f64)),
            ("depth_median", quantile(&mut depths, 0.5)),
            ("out_degree_median", quantile(&mut self.out_degrees, 0.5)),
            ("out_degree_p90", quantile(&mut self.out_degrees, 0.9)),
            ("in_degree_median", quantile(&mut in_degrees, 0.5)),
            ("in_degree_p99", quantile(&mut in_degrees, 0.99)),
            ("page_kb_median", quantile(&mut self.bytes, 0.5).map(|bytes| bytes / 1000.0)),
            ("page_kb_p90", quantile(&mut self.bytes, 0.9).map(|bytes| bytes / 1000.0)),
            ("words_median", quantile(&mut self.text_words, 0.5)),
            ("words_p90", quantile(&mut self.text_words, 0.9)),
            ("vocabulary", Some(counts.len() as f64)),
            ("heaps_exponent", heaps(&self.growth)),
            ("zipf_exponent", zipf(&counts)),
            ("different_tags", Some(tags.len() as f64)),
            ("tag_zipf_exponent", zipf(&tags)),
        ] {
            findings.figure(name, value);
        }
        for (name, count) in self.types {
            findings.figure(&format!("share_{name}"), share(count as usize, pages));
        }
        findings.curves.insert("out_degree".to_owned(), at_least(&self.out_degrees));
        findings.curves.insert("in_degree".to_owned(), at_least(&in_degrees));
        findings.curves.insert("page_bytes".to_owned(), at_least(&self.bytes));
        findings.curves.insert("words_on_a_page".to_owned(), at_least(&self.text_words));
        let tags: Vec<usize> = tags.iter().map(|count| *count as usize).collect();
        findings.curves.insert("tag_use".to_owned(), at_least(&tags));
        findings.curves.insert("pages_by_depth".to_owned(), by_depth(&depths));
        findings
    }
}

fn quantile(values: &mut [usize], share: f64) -> Option<f64> {
    values.sort_unstable();
    let last = values.len().checked_sub(1)?;
    values.get((last as f64 * share).round() as usize).map(|value| *value as f64)
}

/// For each value the share of values that reach it, at about forty places.
fn at_least(values: &[usize]) -> CurveData {
    let mut values: Vec<usize> = values.iter().copied().filter(|value| *value > 0).collect();
    values.sort_unstable();
    let all = values.len();
    let Some(&top) = values.last() else { return Vec::new() };
    let mut curve: CurveData = Vec::new();
    let mut at = 1.0_f64;
    while at <= top as f64 {
        let value = at.round();
        let reach = all - values.partition_point(|other| (*other as f64) < value);
        if curve.last().is_none_or(|(last, _)| *last < value) {
            curve.push((value, reach as f64 / all as f64));
        }
        at = (at * 1.25).max(at + 1.0);
    }
    curve
}

fn by_depth(depths: &[usize]) -> CurveData {
    let top = depths.iter().max().copied().unwrap_or(0).min(60);
    let share = |depth: usize| {
        depths.iter().filter(|other| **other == depth).count() as f64 / depths.len().max(1) as f64
    };
    (0..=top).map(|depth| (depth as f64, share(depth))).collect()
}

/// The slope of the logarithm of `y` over that of `x`, by least squares.
fn slope(points: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let logs: Vec<(f64, f64)> = points.map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = logs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let above: f64 = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    let below: f64 = logs.iter().map(|p| (p.0 - x).powi(2)).sum();
    (logs.len() > 2 && below > 0.0).then(|| above / below)
}

/// How the vocabulary grows with the text: Heaps' exponent.
fn heaps(growth: &[(u64, u64)]) -> Option<f64> {
    let step = (growth.len() / GROWTH_STEPS).max(1);
    slope(
        growth
            .iter()
            .step_by(step)
            .filter(|(words, _)| *words > 0)
            .map(|(words, seen)| (*words as f64, *seen as f64)),
    )
}

/// How use falls with rank, over the first thousand: Zipf's exponent.
fn zipf(counts: &[u64]) -> Option<f64> {
    // ranks in equal steps of their logarithm: otherwise only the tail would count
    let ranks = std::iter::successors(Some(1.0_f64), |rank| Some((rank * 1.3).max(rank + 1.0)));
    let ranks = ranks.map(|rank| rank as usize).take_while(|rank| *rank <= counts.len().min(1000));
    slope(ranks.filter_map(|rank| Some((rank as f64, *counts.get(rank - 1)? as f64)))).map(|slope| -slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_of_made_up_laws_come_out() {
        let counts: Vec<u64> = (1..=500_u64).map(|rank| 1_000_000 / rank).collect();
        assert!((zipf(&counts).unwrap() - 1.0).abs() < 0.01);
        let growth: Vec<(u64, u64)> = (1..=100_u64).map(|n| (n * n * 100, n * 10)).collect();
        assert!((heaps(&growth).unwrap() - 0.5).abs() < 0.01);
        assert_eq!(zipf(&[5, 4]), None);
    }

    #[test]
    fn distributions_start_at_one_and_fall() {
        assert_eq!(at_least(&[1, 1, 2, 4]), [(1.0, 1.0), (2.0, 0.5), (3.0, 0.25), (4.0, 0.25)]);
        assert_eq!(at_least(&[0, 0]), []);
        assert_eq!(quantile(&mut [3, 1, 2], 0.5), Some(2.0));
        assert_eq!(by_depth(&[0, 1, 1, 3]), [(0.0, 0.25), (1.0, 0.5), (2.0, 0.0), (3.0, 0.25)]);
    }
}
