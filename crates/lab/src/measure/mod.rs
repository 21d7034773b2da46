//! The measures. An experiment names one [`Measure`]; each cell of the experiment runs it once.

mod clustering;
mod cotags;
mod crawl;
mod drp;
mod extraction;
mod judge;
mod known;
mod labels;
mod page_types;
mod path_strings;
mod pictures;
mod plain_words;
mod project;
mod read;
mod records;
mod same_crawl;
mod sample;
mod search;
mod stage_one;
mod statistics;
mod traps;
mod url_rates;
mod verdicts;
mod worth;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use self::clustering::ClusteringMeasure;
use self::cotags::CoTagsMeasure;
use self::crawl::CrawlMeasure;
use self::drp::DrpMeasure;
use self::extraction::ExtractionMeasure;
use self::judge::JudgeMeasure;
use self::page_types::PageTypesMeasure;
use self::path_strings::PathStringsMeasure;
pub(crate) use self::pictures::Studies;
use self::pictures::{PictureQueriesMeasure, PicturesMeasure, WordUseMeasure};
use self::records::RecordsMeasure;
use self::same_crawl::SameCrawlMeasure;
use self::search::{HintsMeasure, ResultsMeasure};
use self::statistics::StatisticsMeasure;
use self::traps::TrapsMeasure;
use self::verdicts::VerdictsMeasure;
use self::worth::WorthMeasure;
use crate::experiment::BudgetCount;
use crate::metrics::{Point, Totals};
use crate::{BudgetSize, Corpus, CorpusEntry, Experiment, Scale, Variant};

/// One cell of the grid.
#[derive(Clone, Copy, Debug)]
pub struct Cell<'a> {
    /// The experiment.
    pub experiment: &'a Experiment,
    /// The corpus as the experiment names it.
    pub entry: &'a CorpusEntry,
    /// The corpus, opened.
    pub corpus: &'a Corpus,
    /// The variant.
    pub variant: &'a Variant,
    /// The seed of the random number generator.
    pub random_seed: u64,
    /// How large the run is.
    pub scale: Scale,
    /// An empty folder for files, deleted afterwards.
    pub scratch: &'a Path,
    /// Set when the user interrupts the run.
    pub stop: &'a AtomicBool,
}

impl Cell<'_> {
    /// The number of visits, given what there is to find; `None` without a bound.
    pub fn budget(&self, totals: Totals) -> Option<u64> {
        match self.experiment.sizes(self.scale).budget {
            BudgetSize::Pages(pages) => Some(pages),
            BudgetSize::Share(share) => Some((totals.pages as f64 * share).ceil() as u64),
            BudgetSize::Count(BudgetCount::Wanted) => Some(totals.wanted.max(1)),
            BudgetSize::Count(BudgetCount::All) => None,
        }
    }

    /// About how many visits there are, the same for every random seed: what the places of curves are counted by.
    pub(crate) fn usual_visits(&self) -> u64 {
        let sizes = self.experiment.sizes(self.scale);
        let pages = self.entry.pages.unwrap_or(sizes.pages);
        match sizes.budget {
            BudgetSize::Pages(visits) => visits,
            BudgetSize::Share(share) => (pages as f64 * share) as u64,
            BudgetSize::Count(_) => pages,
        }
    }
}

/// A curve or a distribution.
pub type CurveData = Vec<(f64, f64)>;

/// The result of a measure. Maps are ordered, so equal findings are equal bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    /// Figures by name, without undefined ones.
    pub figures: BTreeMap<String, f64>,
    /// Curves by name.
    #[serde(default)]
    pub curves: BTreeMap<String, CurveData>,
    /// Words by name: the topic.
    #[serde(default)]
    pub words: BTreeMap<String, String>,
    /// Measured times. They differ from run to run, so they are kept apart from the figures.
    #[serde(default)]
    pub timings: BTreeMap<String, f64>,
}

impl Findings {
    /// Notes a figure, if it is defined.
    pub fn figure(&mut self, name: &str, value: Option<f64>) {
        if let Some(value) = value.filter(|value| value.is_finite()) {
            self.figures.insert(name.to_owned(), value);
        }
    }

    /// Notes a curve over visits.
    pub(crate) fn curve(&mut self, name: &str, points: &[Point]) {
        let points = points.iter().map(|point| (point.visited as f64, point.value)).collect();
        self.curves.insert(name.to_owned(), points);
    }
}

/// A kind of measurement.
pub trait Measure: Sync {
    /// Its name in experiments.
    fn name(&self) -> &'static str;

    /// Measures one cell. The same cell gives the same findings, timings aside.
    fn run(&self, cell: &Cell<'_>) -> anyhow::Result<Findings>;
}

/// All built-in measures.
pub const MEASURES: &[&dyn Measure] = &[
    &ClusteringMeasure,
    &CoTagsMeasure,
    &CrawlMeasure,
    &DrpMeasure,
    &ExtractionMeasure,
    &JudgeMeasure,
    &PageTypesMeasure,
    &PathStringsMeasure,
    &PictureQueriesMeasure,
    &PicturesMeasure,
    &RecordsMeasure,
    &HintsMeasure,
    &ResultsMeasure,
    &SameCrawlMeasure,
    &StatisticsMeasure,
    &TrapsMeasure,
    &VerdictsMeasure,
    &WordUseMeasure,
    &WorthMeasure,
];
