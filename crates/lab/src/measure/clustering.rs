//! `clustering`: how well a method groups the pages of a site into page types (Xu et al. 2018, section 5.2, table 2 and
//! figure 5).
//!
//! A variant is a method (`osprey`, `dbscan-2018`, `mdl`, `irobot`), a sample size and a way to sample. Types with
//! fewer than `minPts` pages in the sample are left out, and a page that the method assigns to no cluster counts as a
//! cluster of its own, as in Xu et al. 2018. The truth is used twice: by template, which is what a clustering by
//! structure can see, and by page type, which is coarser. F takes for each type its best cluster; `micro_f_of_clusters`
//! is the other reading of Xu et al. 2018: for each cluster its best type, weighted by the cluster's size.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::Context;
use osprey_engine::Sampling;
use osprey_structure::{
    Classifier, Clustering, Irobot, MIN_PTS, PageShape, Recipe, Space, cluster, irobot, mdl,
};
use osprey_world::Truth;
use serde::Deserialize;

use super::sample::Sample;
use super::{Cell, Findings, Measure};
use crate::metrics::{Averages, Labelled, f_over_clusters, f_over_types, precision, purity};

/// The number of folds: three are learned from, one is classified.
const FOLDS: usize = 4;
/// Crescenzi's threshold.
const MDL_THRESHOLD: f64 = 0.2;

/// The measure.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClusteringMeasure;

/// How pages are clustered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Method {
    #[default]
    Osprey,
    #[serde(rename = "dbscan-2018", alias = "seed")]
    Dbscan2018,
    Mdl,
    Irobot,
}

impl Method {
    fn cluster(self, shapes: &[PageShape]) -> Clustering {
        match self {
            Self::Osprey => cluster(shapes, &Recipe::Osprey),
            Self::Dbscan2018 => cluster(shapes, &Recipe::Dbscan2018),
            Self::Mdl => mdl(shapes, MDL_THRESHOLD),
            Self::Irobot => irobot(shapes, &Irobot::default()),
        }
    }
}

/// The parameters of a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct With {
    method: Method,
    sample: u64,
    sampling: Sampling,
}

impl Default for With {
    fn default() -> Self {
        Self { method: Method::default(), sample: 1_000, sampling: Sampling::Apath }
    }
}

impl Measure for ClusteringMeasure {
    fn name(&self) -> &'static str {
        "clustering"
    }

    fn run(&self, cell: &Cell<'_>) -> anyhow::Result<Findings> {
        let with: With = toml::Value::Table(cell.variant.with.clone())
            .try_into()
            .with_context(|| format!("variant `{}`", cell.variant.name))?;
        let sample = Sample::take(cell, with.sample, with.sampling)?;
        Ok(measure(&sample.shapes, &sample.truth, with.method))
    }
}

fn measure(shapes: &[PageShape], truth: &[Truth], method: Method) -> Findings {
    let start = Instant::now();
    let clustering = method.cluster(shapes);
    let classifier = Classifier::new(shapes, &clustering);
    let learned = start.elapsed();
    let start = Instant::now();
    shapes.iter().for_each(|shape| {
        classifier.classify(shape);
    });
    let asked = start.elapsed();

    let mut findings = Findings::default();
    let space = Space::fit(shapes, clustering.weighting, MIN_PTS as usize);
    findings.figure("pages", Some(shapes.len() as f64));
    findings.figure("xpaths", Some(space.features() as f64));
    findings.figure("clusters", Some(clustering.clusters as f64));
    findings.figure("outliers", Some(clustering.outliers() as f64));
    let templates = Annotation::new(truth.iter().map(|truth| truth.template.as_str()));
    let folds = Fold::all(shapes, &templates.folds(), method);
    templates.note(&mut findings, "", &clustering, &folds);
    let types = Annotation::new(truth.iter().map(|truth| truth.page_type.name()));
    types.note(&mut findings, "_by_type", &clustering, &folds);
    findings.timings.insert("learn_ms".to_owned(), learned.as_secs_f64() * 1e3);
    if !shapes.is_empty() {
        let each = asked.as_secs_f64() * 1e6 / shapes.len() as f64;
        findings.timings.insert("classify_us_per_page".to_owned(), each);
    }
    findings
}

/// A quarter of a sample, classified by what was learned from the rest.
struct Fold {
    /// Places and clusters of the pages that were learned from.
    train: Vec<(usize, Option<u32>)>,
    /// The same for those that were classified.
    test: Vec<(usize, Option<u32>)>,
}

impl Fold {
    /// One for each fold, given the fold of each page.
    fn all(shapes: &[PageShape], of_page: &[usize], method: Method) -> Vec<Self> {
        (0..FOLDS).map(|fold| Self::new(shapes, of_page, method, fold)).collect()
    }

    fn new(shapes: &[PageShape], of_page: &[usize], method: Method, fold: usize) -> Self {
        let (test, train): (Vec<usize>, Vec<usize>) =
            (0..shapes.len()).partition(|&place| of_page.get(place) == Some(&fold));
        let known: Vec<PageShape> = train.iter().filter_map(|&place| shapes.get(place).cloned()).collect();
        let clustering = method.cluster(&known);
        let classifier = Classifier::new(&known, &clustering);
        let asked = test.into_iter().filter_map(|place| Some((place, shapes.get(place)?)));
        Self {
            test: asked.map(|(place, shape)| (place, classifier.classify(shape).cluster)).collect(),
            train: train.into_iter().zip(clustering.labels).collect(),
        }
    }
}

/// The truth about each page, by number; `None` for types that are too rare to be found.
struct Annotation {
    labels: Vec<Option<u32>>,
    types: usize,
}

impl Annotation {
    fn new<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Self {
        let mut pages: BTreeMap<&str, u32> = BTreeMap::new();
        names.clone().for_each(|name| *pages.entry(name).or_default() += 1);
        pages.retain(|_, pages| *pages >= MIN_PTS);
        let numbers: BTreeMap<&str, u32> = pages.into_keys().zip(0..).collect();
        Self { labels: names.map(|name| numbers.get(name).copied()).collect(), types: numbers.len() }
    }

    /// The fold of each page: every fold has a quarter of the pages of each type (Xu et al. 2018: stratified).
    fn folds(&self) -> Vec<usize> {
        let mut met: BTreeMap<Option<u32>, usize> = BTreeMap::new();
        let mut next = |label: &Option<u32>| {
            let count = met.entry(*label).or_default();
            *count += 1;
            (*count - 1) % FOLDS
        };
        self.labels.iter().map(&mut next).collect()
    }

    fn labelled(&self, place: usize, cluster: Option<u32>) -> Labelled {
        Labelled { cluster, truth: self.labels.get(place).copied().flatten() }
    }

    fn note(&self, findings: &mut Findings, suffix: &str, clustering: &Clustering, folds: &[Fold]) {
        let pages: Vec<Labelled> = clustering
            .labels
            .iter()
            .enumerate()
            .map(|(place, &cluster)| self.labelled(place, cluster))
            .collect();
        let rare = self.labels.iter().filter(|label| label.is_none()).count();
        let f = f_over_types(&pages);
        let precision = self.precision(folds);
        for (name, value) in [
            ("types", Some(self.types as f64)),
            ("annotated_outliers", Some(rare as f64)),
            ("purity", purity(&pages)),
            ("micro_f", f.map(|f| f.micro)),
            ("macro_f", f.map(|f| f.macro_)),
            ("micro_f_of_clusters", f_over_clusters(&pages).map(|f| f.micro)),
            ("precision", precision.map(|precision| precision.micro)),
            ("macro_precision", precision.map(|precision| precision.macro_)),
        ] {
            findings.figure(&format!("{name}{suffix}"), value);
        }
    }

    /// Over all folds, whose clusters are different ones though their numbers are the same.
    fn precision(&self, folds: &[Fold]) -> Option<Averages> {
        let (mut train, mut test) = (Vec::new(), Vec::new());
        for (number, fold) in (0_u32..).zip(folds) {
            let apart = |&(place, cluster): &(usize, Option<u32>)| {
                self.labelled(place, cluster.map(|cluster| cluster * FOLDS as u32 + number))
            };
            train.extend(fold.train.iter().map(apart));
            test.extend(fold.test.iter().map(apart));
        }
        precision(&train, &test)
    }
}

#[cfg(test)]
mod tests {
    use osprey_model::PageType;

    use super::*;

    /// Pages of two templates that look different, of one type; and one page of a third.
    fn pages() -> (Vec<PageShape>, Vec<Truth>) {
        let page = |place: u64| {
            let (template, paths) = match place {
                0..12 => ("thread", [1, 2, 3]),
                12..20 => ("board", [7, 8, 9]),
                _ => ("about", [20, 21, 22]),
            };
            let truth =
                Truth { page_type: PageType::List, template: template.to_owned(), ..Truth::default() };
            (PageShape::new(paths.map(|path| (path, 1)), [], []).found_by([paths[0]]), truth)
        };
        (0..21).map(page).unzip()
    }

    #[test]
    fn figures_by_hand() {
        let (shapes, truth) = pages();
        let findings = measure(&shapes, &truth, Method::Osprey);
        let check = |name: &str, expect: f64| {
            let got = findings.figures.get(name).copied();
            assert!(got.is_some_and(|got| (got - expect).abs() < 1e-12), "{name}: {got:?}");
        };
        check("pages", 21.0);
        check("xpaths", 6.0);
        check("types", 2.0);
        check("annotated_outliers", 1.0);
        check("clusters", 2.0);
        check("outliers", 1.0);
        check("purity", 1.0);
        check("micro_f", 1.0);
        check("precision", 1.0);
        // One type in clusters of 12, 8 and 1: the best has precision 1 and recall 12/21, F 24/33.
        check("types_by_type", 1.0);
        check("micro_f_by_type", 24.0 / 33.0);
        // The page that is similar to no other is in no cluster: 20 of 21 are right.
        check("precision_by_type", 20.0 / 21.0);
    }

    #[test]
    fn folds_have_a_quarter_of_each_type() {
        // types with fewer than four pages are one
        let types = ["a", "a", "b", "a", "b", "a", "b", "b", "a", "c"];
        assert_eq!(Annotation::new(types.into_iter()).folds(), [0, 1, 0, 2, 1, 3, 2, 3, 0, 0]);
    }

    #[test]
    fn parameters_are_read() {
        let check = |text: &str, expect: With| {
            let table: toml::Table = text.parse().expect("TOML");
            assert_eq!(toml::Value::Table(table).try_into::<With>().expect("parameters"), expect);
        };
        check("", With::default());
        check(
            "method = \"mdl\"\nsample = 200\nsampling = \"bfs\"",
            With { method: Method::Mdl, sample: 200, sampling: Sampling::BreadthFirst },
        );
        let table: toml::Table = "methods = \"mdl\"".parse().expect("TOML");
        assert!(toml::Value::Table(table).try_into::<With>().is_err());
    }
}
