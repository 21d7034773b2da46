//! `judge`: judges every page of a corpus by terms or by examples, and compares with the truth; there is no crawl.
//!
//! De Assis et al. 2009 measure F1 over all pages of the hosts that they crawl, at every threshold. The order of the
//! pages does not matter for that, so pages are read one after the other. Pages that were given as examples do not
//! count, because the judge has seen them.
//!
//! The keys of a variant:
//!
//! | key | |
//! | --- | --- |
//! | `by` | `terms`, or `examples` for the support vector machine |
//! | `one_set` | genre and content terms taken for one set |
//! | `idf` | terms weighed by how rare they are on the pages of the corpus, equation 4 |
//! | `genre`, `content` | the share of the terms that is used, the first of each set |
//! | `first_form` | terms in their first form only, as de Assis et al. 2009 print them |
//! | `url` | URL terms used too |
//! | `join` | `mean` or `least` of genre and content |
//! | `generated` | terms from example pages (algorithm 2): `frequency`, or `background`, against other pages |
//! | `terms` | how many are generated of each set |

use anyhow::Context;
use osprey_model::CanonicalUrl;
use osprey_steer::baselines::{PageModel, SvmRules};
use osprey_steer::genre::{
    GenreScorer, HowMany, Join, Mix, Proposal, Ranking, RarityCounter, Role, TermSet, TermTable, generate,
};
use osprey_steer::{Example, Known};
use osprey_text::Words;
use rustc_hash::FxHashSet;
use serde::Deserialize;

use super::known::{examples, examples_of};
use super::read::Reader;
use super::{Cell, Findings, Measure};
use crate::{Wanted, metrics};

/// The threshold of the judge `genre` and of the judge `model`, if not set.
const USUAL: (f32, f32) = (0.47, 0.5);

/// The parameters of a variant.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct With {
    by: By,
    one_set: bool,
    idf: bool,
    genre: f64,
    content: f64,
    first_form: bool,
    url: bool,
    join: Join,
    generated: Option<Generated>,
    terms: usize,
}

impl Default for With {
    fn default() -> Self {
        Self {
            by: By::Terms,
            one_set: false,
            idf: false,
            genre: 1.0,
            content: 1.0,
            first_form: false,
            url: false,
            join: Join::Mean,
            generated: None,
            terms: 40,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum By {
    Terms,
    Examples,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Generated {
    Frequency,
    Background,
}

/// A page that is judged.
struct Candidate {
    url: CanonicalUrl,
    words: Words,
    wanted: bool,
    /// Of the wanted kind, and on the topic, each by itself.
    is_of_kind: bool,
    is_on_topic: bool,
}

/// The measure.
#[derive(Clone, Copy, Debug)]
pub(super) struct JudgeMeasure;

impl Measure for JudgeMeasure {
    fn name(&self) -> &'static str {
        "judge"
    }

    fn run(&self, cell: &Cell<'_>) -> anyhow::Result<Findings> {
        let with: With = cell.variant.with.clone().try_into().context("variant.with")?;
        let known = Known { examples: examples(cell, None)?, ..Known::default() };
        let of_kind = if with.generated.is_some() { of_kind(cell)? } else { Vec::new() };
        let given = known.examples.iter().chain(&of_kind);
        let pages = candidates(cell, &given.map(|example| example.page.url().clone()).collect())?;
        let (usual, scored): (f32, Vec<(f32, bool)>) = match with.by {
            By::Examples => {
                let model = PageModel::learn(&known, &SvmRules::default())?;
                (USUAL.1, pages.iter().map(|page| (model.score(&page.words), page.wanted)).collect())
            }
            By::Terms => {
                let scorer = scorer(cell, &with, [&known.examples, &of_kind], &pages)?;
                let score = |page: &Candidate| scorer.score(&page.words, page.url.as_str()).total;
                (USUAL.0, pages.iter().map(|page| (score(page), page.wanted)).collect())
            }
        };
        let mut findings = findings(cell, &scored, usual);
        four_ways(&mut findings, &pages, &scored);
        Ok(findings)
    }
}

/// All pages of the corpus but the examples, each once.
fn candidates(cell: &Cell<'_>, seen: &FxHashSet<CanonicalUrl>) -> anyhow::Result<Vec<Candidate>> {
    let wanted = cell.experiment.wanted_of(cell.entry);
    let reader = Reader::new(cell)?;
    let mut pages = Vec::new();
    for url in cell.corpus.urls() {
        let truth = cell.corpus.truth(&url);
        let counts = truth.waste.is_none() && truth.duplicate_of.is_none() && !seen.contains(&url);
        if !counts || cell.corpus.scope.check(&url).is_err() {
            continue;
        }
        let Some(response) = reader.read_here(&url) else { continue };
        let page = reader.parse(&response);
        let words = Words::of(page.text(), page.lang());
        let topic = cell.corpus.topic.as_deref();
        pages.push(Candidate {
            url,
            words,
            wanted: wanted.includes(&truth, topic),
            is_of_kind: Wanted { on_topic: false, ..wanted.clone() }.includes(&truth, topic),
            is_on_topic: Wanted { on_topic: true, ..Wanted::default() }.includes(&truth, topic),
        });
    }
    Ok(pages)
}

/// The sets of terms of a variant.
fn scorer(
    cell: &Cell<'_>,
    with: &With,
    examples: [&[Example]; 2],
    pages: &[Candidate],
) -> anyhow::Result<GenreScorer> {
    let subject = &cell.corpus.subject;
    let (genre, content) = match with.generated {
        None => (subject.genre_terms.clone(), subject.content_terms.clone()),
        Some(how) => proposed(how, with.terms, examples),
    };
    let set = |role: Role, terms: &[String], share: f64| {
        let most = (terms.len() as f64 * share).round() as usize;
        let form = |term: &String| match with.first_form {
            true => term.split('|').next().unwrap_or_default().to_owned(),
            false => term.clone(),
        };
        TermSet::new(role, terms.iter().take(most).map(form))
    };
    let mut genre = set(Role::Genre, &genre, with.genre)?;
    let mut content = set(Role::Content, &content, with.content)?;
    let url = set(Role::Url, &subject.url_terms, if with.url { 1.0 } else { 0.0 })?;
    if with.idf {
        let mut counter = RarityCounter::new([&genre, &content]);
        pages.iter().for_each(|page| counter.add(&page.words));
        let rarity = counter.finish();
        [&mut genre, &mut content].into_iter().for_each(|set| rarity.weigh(set));
    }
    let (genre, content) = match with.one_set {
        true => (genre.joined(content), TermSet::default()),
        false => (genre, content),
    };
    Ok(GenreScorer::new(genre, content, url, Mix { join: with.join, ..Mix::default() })?)
}

/// Pages of the wanted kind, whatever their topic, and others.
fn of_kind(cell: &Cell<'_>) -> anyhow::Result<Vec<Example>> {
    let wanted = Wanted { on_topic: false, ..cell.experiment.wanted_of(cell.entry).clone() };
    examples_of(cell, &wanted, cell.experiment.sizes(cell.scale).examples as usize, None)
}

/// Algorithm 2: genre terms from pages of the kind, content terms from wanted pages.
fn proposed(
    how: Generated,
    terms: usize,
    [examples, of_kind]: [&[Example]; 2],
) -> (Vec<String>, Vec<String>) {
    fn texts(examples: &[Example], is_wanted: bool) -> Vec<&str> {
        let pages = examples.iter().filter(|example| example.is_wanted == is_wanted);
        pages.map(|example| example.page.text()).collect()
    }
    let background = TermTable::of(texts(of_kind, false));
    let ranking = match how {
        Generated::Frequency => Ranking::Frequency,
        Generated::Background => Ranking::Against(&background),
    };
    let how_many = HowMany { genre: terms, content: terms };
    let found = generate(&texts(of_kind, true), &texts(examples, true), how_many, ranking);
    let words = |proposals: Vec<Proposal>| proposals.into_iter().map(|proposal| proposal.text).collect();
    (words(found.genre), words(found.content))
}

/// Pages that an expert looks at in table 6 of de Assis et al. 2009.
const BEST: usize = 65;

/// What the best pages are: wanted, of the kind only, on the topic only, or neither (tables 6 and 11 to 13).
fn four_ways(findings: &mut Findings, pages: &[Candidate], scored: &[(f32, bool)]) {
    let mut ranked: Vec<(f32, &Candidate)> = scored.iter().map(|(score, _)| *score).zip(pages).collect();
    // stable: of equals, those that come first in the corpus
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let hits: Vec<bool> = ranked.iter().map(|(_, page)| page.wanted).collect();
    findings.figure("p20", metrics::precision_at(&hits, 20));
    findings.figure("p65", metrics::precision_at(&hits, BEST));
    let share = |is: fn(&Candidate) -> bool| {
        let found: Vec<bool> = ranked.iter().map(|(_, page)| !page.wanted && is(page)).collect();
        metrics::precision_at(&found, BEST)
    };
    findings.figure("kind_only_65", share(|page| page.is_of_kind));
    findings.figure("topic_only_65", share(|page| page.is_on_topic && !page.is_of_kind));
    findings.figure("neither_65", share(|page| !page.is_on_topic && !page.is_of_kind));
}

fn findings(cell: &Cell<'_>, scored: &[(f32, bool)], usual: f32) -> Findings {
    let mut findings = Findings::default();
    let relevant = scored.iter().filter(|(_, wanted)| *wanted).count() as u64;
    let sweep = metrics::threshold_sweep(scored, relevant, &metrics::even_thresholds(100));
    let best = metrics::best_threshold(&sweep);
    findings.figure("f1", best.map(|best| best.f1));
    findings.figure("threshold", best.map(|best| f64::from(best.threshold)));
    findings.figure("precision", best.and_then(|best| best.precision));
    findings.figure("recall", best.map(|best| best.recall));
    let at_usual = metrics::threshold_sweep(scored, relevant, &[usual]);
    findings.figure("f1_usual", at_usual.first().map(|at| at.f1));
    findings.figure("pages", Some(scored.len() as f64));
    findings.figure("wanted", Some(relevant as f64));
    let curve = sweep.iter().map(|at| (f64::from(at.threshold), at.f1)).collect();
    findings.curves.insert("f1_by_threshold".to_owned(), curve);
    findings.words.extend(cell.corpus.topic.clone().map(|topic| ("topic".to_owned(), topic)));
    findings
}
