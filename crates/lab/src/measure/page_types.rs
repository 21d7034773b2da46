//! `page-types`: how well page types are recognised, without labels and from a few examples.
//!
//! On one sample by Apath: labels for clusters, once with the true templates as clusters (is the labelling right?) and
//! once with learned ones (is the whole right?); rules from 3, 5 and 10 examples of each template, tested on the other
//! pages; rules from learned clusters; and the pairing of detail links with uploaders. Pages in no cluster have no
//! label and count as wrong.

mod uploaders;

use std::collections::{BTreeMap, BTreeSet};

use osprey_engine::Sampling;
use osprey_model::PageType;
use osprey_page::Page;
use osprey_structure::types::{ClusterFacts, PageTypes, PathStrings, Tolerance, label};
use osprey_structure::{Recipe, cluster};

use super::read::Reader;
use super::sample::Sample;
use super::{Cell, Findings, Measure};

/// Examples of each type that rules are learned from.
const EXAMPLES: [usize; 3] = [3, 5, 10];
/// Examples of each cluster.
const EXAMPLES_OF_CLUSTER: usize = 20;
/// Pages that a type must have beside its examples to be tried.
const FEWEST_TRIED: usize = 5;

/// The measure.
#[derive(Clone, Copy, Debug)]
pub(super) struct PageTypesMeasure;

impl Measure for PageTypesMeasure {
    fn name(&self) -> &'static str {
        "page-types"
    }

    fn run(&self, cell: &Cell<'_>) -> anyhow::Result<Findings> {
        let sample = Sample::take(cell, cell.usual_visits(), Sampling::Apath)?;
        let mut findings = Findings::default();
        findings.figure("pages", Some(sample.len() as f64));
        let templates = Groups::templates(&sample);
        let clustering = cluster(&sample.shapes, &Recipe::Osprey);
        let clusters = Groups { of_page: clustering.labels, count: clustering.clusters };
        findings.figure("templates", Some(templates.count as f64));
        findings.figure("clusters", Some(clusters.count as f64));
        labels("templates", &sample, &templates, &mut findings);
        labels("clusters", &sample, &clusters, &mut findings);
        for examples in EXAMPLES {
            let trial = Trial::new(&sample, &templates, examples, &Tolerance::STRICT);
            trial.note(&format!("from_{examples}"), &mut findings);
        }
        let trial = Trial::new(&sample, &clusters, EXAMPLES_OF_CLUSTER, &Tolerance::LEARNED);
        trial.note("from_clusters", &mut findings);
        uploaders::measure(cell, &Reader::new(cell)?, &sample, &mut findings);
        Ok(findings)
    }
}

/// The pages of a sample in groups.
struct Groups {
    of_page: Vec<Option<u32>>,
    count: usize,
}

impl Groups {
    fn templates(sample: &Sample) -> Self {
        let mut numbers: BTreeMap<(PageType, &str), u32> = BTreeMap::new();
        for truth in &sample.truth {
            let next = numbers.len() as u32;
            numbers.entry((truth.page_type, &truth.template)).or_insert(next);
        }
        let number = |place: usize| {
            let truth = sample.truth.get(place)?;
            numbers.get(&(truth.page_type, truth.template.as_str())).copied()
        };
        Self { of_page: (0..sample.len()).map(number).collect(), count: numbers.len() }
    }

    fn members(&self, group: usize) -> Vec<usize> {
        let is_in = |of_page: &Option<u32>| of_page.is_some_and(|own| own as usize == group);
        (0..self.of_page.len()).filter(|place| self.of_page.get(*place).is_some_and(is_in)).collect()
    }
}

/// Labels the groups, and notes which pages are labelled right.
fn labels(prefix: &str, sample: &Sample, groups: &Groups, findings: &mut Findings) {
    let facts = sample.facts.of_clusters(&groups.of_page, groups.count);
    let found = types_of_pages(&facts, groups);
    let truth: Vec<PageType> = sample.truth.iter().map(|truth| truth.page_type).collect();
    let pairs = || found.iter().zip(&truth);
    let right = pairs().filter(|(found, truth)| found.as_deref() == Some(truth.name())).count();
    findings.figure(&format!("{prefix}_right"), share(right, truth.len()));
    // what is neither list, detail nor profile is a matter of taste
    let of_three = || pairs().filter(|(_, truth)| **truth != PageType::Other);
    let right = of_three().filter(|(found, truth)| found.as_deref() == Some(truth.name())).count();
    findings.figure(&format!("{prefix}_right_but_other"), share(right, of_three().count()));
    for page_type in [PageType::List, PageType::Detail, PageType::Profile, PageType::Other] {
        let name = page_type.name();
        let both = pairs().filter(|(f, t)| f.as_deref() == Some(name) && **t == page_type).count();
        let called = found.iter().filter(|found| found.as_deref() == Some(name)).count();
        let are = truth.iter().filter(|truth| **truth == page_type).count();
        findings.figure(&format!("{prefix}_{name}_precision"), share(both, called));
        findings.figure(&format!("{prefix}_{name}_recall"), share(both, are));
    }
    let wordless = |facts: ClusterFacts| ClusterFacts { by_person: 0.0, by_subject: 0.0, ..facts };
    let facts: Vec<ClusterFacts> = facts.into_iter().map(wordless).collect();
    let found = types_of_pages(&facts, groups);
    let right =
        found.iter().zip(&truth).filter(|(found, truth)| found.as_deref() == Some(truth.name())).count();
    findings.figure(&format!("{prefix}_right_without_words"), share(right, truth.len()));
}

/// The label of each page's group, by name.
fn types_of_pages(facts: &[ClusterFacts], groups: &Groups) -> Vec<Option<String>> {
    let labels = label(facts);
    let of_group = |group: u32| labels.get(group as usize).map(|label| label.page_type.name().to_owned());
    groups.of_page.iter().map(|group| group.and_then(of_group)).collect()
}

/// The pages of a group, divided.
struct Lesson {
    name: String,
    examples: BTreeSet<usize>,
    others: Vec<usize>,
}

impl Lesson {
    /// Examples from all parts of the group. A learned cluster may be small and is used anyway; a person would give as
    /// many examples as requested.
    fn new(group: usize, members: Vec<usize>, examples: usize, tolerance: &Tolerance) -> Option<Self> {
        let many = members.len().saturating_sub(FEWEST_TRIED).min(examples);
        if many == 0 || (many < examples && *tolerance == Tolerance::STRICT) {
            return None;
        }
        let examples: BTreeSet<usize> =
            (0..many).filter_map(|n| members.get(n * members.len() / many).copied()).collect();
        let others = members.into_iter().filter(|place| !examples.contains(place)).collect();
        Some(Self { name: group.to_string(), examples, others })
    }
}

/// Rules learned from some pages and tried on others.
#[derive(Default)]
struct Trial {
    types: PageTypes,
    tried: usize,
    right: usize,
    /// Pages of which at least the page type was right.
    right_type: usize,
    unknown: usize,
    right_by_whole_sets: usize,
}

impl Trial {
    /// Learns each group that is large enough from some of its pages, and tries the others.
    fn new(sample: &Sample, groups: &Groups, examples: usize, tolerance: &Tolerance) -> Self {
        let lessons: Vec<Lesson> = (0..groups.count)
            .filter_map(|group| Lesson::new(group, groups.members(group), examples, tolerance))
            .collect();
        let teach = |lesson: &Lesson| {
            let pages = lesson.examples.iter().filter_map(|place| sample.page(*place));
            (lesson.name.clone(), pages.map(|page| PathStrings::of(&page)).collect())
        };
        let taught: Vec<(String, Vec<PathStrings>)> = lessons.iter().map(teach).collect();
        let mut trial = Self { types: PageTypes::learn(&taught, tolerance), ..Self::default() };
        let page_type = |place: usize| sample.truth.get(place).map(|truth| truth.page_type);
        let type_of = |lesson: &Lesson| most(lesson.others.iter().filter_map(|place| page_type(*place)));
        let types: BTreeMap<&str, Option<PageType>> =
            lessons.iter().map(|lesson| (lesson.name.as_str(), type_of(lesson))).collect();
        for lesson in &lessons {
            for &place in &lesson.others {
                let Some(page) = sample.page(place) else { continue };
                let has_type = |found: &str| types.get(found).copied().flatten() == page_type(place);
                trial.attempt(&page, &lesson.name, has_type);
            }
        }
        trial
    }

    fn attempt(&mut self, page: &Page, group: &str, has_type: impl Fn(&str) -> bool) {
        let found = self.types.classify(page);
        self.tried += 1;
        self.right += usize::from(found == Some(group));
        self.right_type += usize::from(found.is_some_and(has_type));
        self.unknown += usize::from(found.is_none());
        self.right_by_whole_sets += usize::from(self.types.classify_by_whole_sets(page) == Some(group));
    }

    fn note(&self, suffix: &str, findings: &mut Findings) {
        let types = &self.types.types;
        findings.figure(&format!("rules_right_{suffix}"), share(self.right, self.tried));
        findings.figure(&format!("rules_type_right_{suffix}"), share(self.right_type, self.tried));
        findings.figure(&format!("rules_unknown_{suffix}"), share(self.unknown, self.tried));
        findings.figure(&format!("whole_sets_right_{suffix}"), share(self.right_by_whole_sets, self.tried));
        let separated = || types.iter().filter(|rule| rule.confused_with.is_empty());
        let size: usize = separated().map(|rule| rule.separating.len()).sum();
        findings.figure(&format!("separating_size_{suffix}"), share(size, separated().count()));
        findings.figure(
            &format!("confused_types_{suffix}"),
            share(types.len() - separated().count(), types.len()),
        );
    }
}

/// The page type that most pages have.
fn most(types: impl Iterator<Item = PageType>) -> Option<PageType> {
    let mut counts: BTreeMap<PageType, usize> = BTreeMap::new();
    types.for_each(|page_type| *counts.entry(page_type).or_default() += 1);
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(page_type, _)| page_type)
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
