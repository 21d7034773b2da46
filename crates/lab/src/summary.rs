//! Turns the cells of a run into a report: means over random seeds with 95 % intervals, paired differences by random
//! seed, and whether the claims of the papers hold here.
//!
//! The same cells give the same report, byte for byte. So measured times are not part of it; they are in the terminal
//! output and in `timings.json`.

use std::collections::{BTreeMap, BTreeSet};

use osprey_charts::{
    Axis, Bar, BarGroup, BarPlot, Block, Cell, Column, CurvePlot, CurvePoint, Mark, Report, Section, Series,
    Table,
};
use osprey_world::Nastiness;

use crate::metrics::{Estimate, Point, band, estimate, paired_difference};
use crate::runner::{CellResult, Run};
use crate::{ClaimBy, Expectation, Experiment, Show};

/// Figures of which less is better.
const LOWER_IS_BETTER: &[&str] = &["pages_per_wanted", "share_for_90"];
/// Figures that describe a corpus or a run; no value is better than another.
const NEITHER: &[&str] = &[
    "visited",
    "corpus_pages",
    "corpus_wanted",
    "ceiling",
    "judge_threshold",
    "pages",
    "xpaths",
    "types",
    "clusters",
    "annotated_outliers",
    "outliers",
    "queries",
    "words_of_a_picture",
    "words_used",
    "results_5",
];

/// The report of a run.
pub fn summarise(run: &Run) -> Report {
    let experiment = &run.experiment;
    let grid = Grid { run };
    let mut sections = Vec::new();
    sections.extend([ClaimBy::Paper, ClaimBy::Ours].into_iter().filter_map(|by| grid.expectations(by)));
    let show = if experiment.show.is_empty() { grid.everything() } else { experiment.show.clone() };
    sections.extend(show.iter().map(|show| grid.section(show)));
    if let Some(baseline) = &experiment.baseline {
        sections.extend(grid.differences(baseline, &show));
    }
    sections.push(grid.corpora_and_topics());
    if !run.left_out.is_empty() {
        let blocks =
            run.left_out.iter().map(|(corpus, why)| Block::note(format!("{corpus}: {why}"))).collect();
        sections.push(Section { title: "Left out".to_owned(), text: String::new(), blocks });
    }
    let about =
        experiment.about.split("\n\n").map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    Report { title: experiment.name.clone(), about: about.collect(), facts: facts(run), sections }
}

fn facts(run: &Run) -> Vec<(String, String)> {
    let experiment = &run.experiment;
    let sizes = experiment.sizes(run.scale);
    let list = |simulated: bool| {
        let names: BTreeSet<&str> = run
            .cells
            .iter()
            .filter(|cell| cell.simulated == simulated)
            .map(|cell| cell.corpus.as_str())
            .collect();
        names.into_iter().collect::<Vec<_>>().join(", ")
    };
    let variants = experiment.variants.iter().map(|variant| match &variant.policy {
        Some(policy) if variant.with.is_empty() => format!("{}: {}", variant.name, json(policy)),
        _ => format!("{}: {}", variant.name, json(&variant.with)),
    });
    let mut facts = vec![
        ("repeats", experiment.repeats.clone()),
        ("simulated", list(true)),
        ("recorded from real sites", list(false)),
        ("scale", run.scale.to_string()),
        ("budget", json(&sizes.budget)),
        ("pages of a world", sizes.pages.to_string()),
        (
            "random seeds",
            format!(
                "{} to {} (recordings: {})",
                run.random_seed,
                run.random_seed + sizes.random_seeds - 1,
                if sizes.draws > 1 { format!("{} runs", sizes.draws) } else { "one run".to_owned() }
            ),
        ),
        ("judge", experiment.judge.as_ref().map_or_else(String::new, json)),
        ("variants", variants.collect::<Vec<_>>().join("; ")),
        ("build", run.build.clone()),
    ];
    facts.retain(|(_, value)| !value.is_empty());
    facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// As written to a file.
fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default().trim_matches('"').to_owned()
}

impl From<Estimate> for osprey_charts::Estimate {
    fn from(Estimate { mean, half, .. }: Estimate) -> Self {
        Self { mean, half }
    }
}

impl From<Estimate> for Cell {
    fn from(estimate: Estimate) -> Self {
        Self::Estimate(estimate.into())
    }
}

/// A run as rows of corpora, variants and random seeds.
struct Grid<'a> {
    run: &'a Run,
}

impl<'a> Grid<'a> {
    fn experiment(&self) -> &'a Experiment {
        &self.run.experiment
    }

    /// The corpora that were run.
    fn corpora(&self) -> impl Iterator<Item = &'a str> {
        let run = self.run;
        let names = run.experiment.corpora.iter().map(|corpus| corpus.name.as_str());
        names.filter(move |name| run.cells.iter().any(|cell| cell.corpus == *name))
    }

    /// A corpus as it is called in tables.
    fn title(&self, corpus: &str) -> String {
        let simulated = self.run.cells.iter().any(|cell| cell.corpus == corpus && cell.simulated);
        if simulated { format!("{corpus} (simulated)") } else { corpus.to_owned() }
    }

    fn cells(&self, corpus: &str, variant: &str) -> impl Iterator<Item = &'a CellResult> {
        let run = self.run;
        let is = move |cell: &&CellResult| cell.corpus == corpus && cell.variant == variant;
        run.cells.iter().filter(is).collect::<Vec<_>>().into_iter()
    }

    /// A figure of every random seed.
    fn values(&self, corpus: &str, variant: &str, figure: &str) -> Vec<f64> {
        self.cells(corpus, variant).filter_map(|cell| cell.findings.figures.get(figure).copied()).collect()
    }

    /// A figure of a variant, by random seed.
    fn by_seed(&self, corpus: &str, variant: &str, figure: &str) -> BTreeMap<u64, f64> {
        let cells = self.cells(corpus, variant);
        cells.filter_map(|cell| Some((cell.random_seed, *cell.findings.figures.get(figure)?))).collect()
    }

    /// By how much a figure of one variant exceeds that of another, in pairs of the same random seed.
    fn difference(&self, corpus: &str, variant: &str, other: &str, figure: &str) -> Option<Estimate> {
        paired(self.by_seed(corpus, variant, figure), &self.by_seed(corpus, other, figure), 1.0)
    }

    /// What a claim is about: a difference, or the figure itself.
    fn measured(&self, corpus: &str, claim: &Expectation) -> Option<Estimate> {
        let Expectation { better, figure, .. } = claim;
        let other = match (&claim.than, &claim.than_figure) {
            (Some(than), _) => self.by_seed(corpus, than, figure),
            (_, Some(other)) => self.by_seed(corpus, better, other),
            _ => return self.estimate(corpus, better, figure),
        };
        paired(self.by_seed(corpus, better, figure), &other, claim.times.unwrap_or(1.0))
    }

    fn estimate(&self, corpus: &str, variant: &str, figure: &str) -> Option<Estimate> {
        estimate(&self.values(corpus, variant, figure))
    }

    /// Every figure and every curve.
    fn everything(&self) -> Vec<Show> {
        let names = |of: fn(&CellResult) -> Vec<&String>| -> BTreeSet<String> {
            self.run.cells.iter().flat_map(of).cloned().collect()
        };
        let table = names(|cell| cell.findings.figures.keys().collect()).into_iter().collect();
        let curves = names(|cell| cell.findings.curves.keys().collect()).into_iter();
        let curves = curves.map(|curve| Show { curve: Some(curve), ..Show::default() });
        std::iter::once(Show { table, ..Show::default() }).chain(curves).collect()
    }

    fn section(&self, show: &Show) -> Section {
        let mut blocks = Vec::new();
        let mut title = show.title.clone();
        let mut named = |name: &str| {
            if title.is_empty() {
                title = words(name);
            }
        };
        if !show.table.is_empty() {
            named("Figures");
            blocks.push(Block::Table(self.table(&show.table)));
        }
        if let Some(curve) = &show.curve {
            named(curve);
            blocks.extend(self.corpora().map(|corpus| self.curves(corpus, curve)));
        }
        if let Some(figure) = &show.bars {
            named(figure);
            blocks.push(Block::Bars(self.bars(figure)));
        }
        if let Some(curve) = &show.log_log {
            named(curve);
            let sides = [(true, "simulated"), (false, "recorded from real sites")];
            blocks.extend(sides.into_iter().filter_map(|(side, name)| self.log_log(curve, side, name)));
        }
        Section { title, text: String::new(), blocks }
    }

    /// A row for each corpus and variant.
    fn table(&self, figures: &[String]) -> Table {
        let mark = |figure: &str| match figure {
            _ if self.experiment().variants.len() < 2 || self.corpora().count() > 1 => Mark::None,
            _ if NEITHER.contains(&figure) => Mark::None,
            _ if LOWER_IS_BETTER.contains(&figure) => Mark::Lowest,
            _ => Mark::Highest,
        };
        let heads = ["corpus", "variant"].into_iter().map(Column::from);
        let columns = heads.chain(figures.iter().map(|f| Column { title: words(f), mark: mark(f) }));
        let mut table =
            Table::new("mean over random seeds, with half the width of the 95 % interval", columns);
        for corpus in self.corpora() {
            for variant in &self.experiment().variants {
                let cells = figures.iter().map(|f| Cell::from(self.estimate(corpus, &variant.name, f)));
                let heads = [Cell::from(self.title(corpus)), Cell::from(variant.name.as_str())];
                table = table.row(heads.into_iter().chain(cells));
            }
        }
        table
    }

    fn curves(&self, corpus: &'a str, curve: &str) -> Block {
        let series = self.experiment().variants.iter().map(|variant| {
            let runs: Vec<Vec<Point>> = self
                .cells(corpus, &variant.name)
                .filter_map(|cell| cell.findings.curves.get(curve))
                .map(|points| {
                    points.iter().map(|&(x, value)| Point { visited: (x * SCALE) as u64, value }).collect()
                })
                .collect();
            let points = band(&runs).into_iter();
            let points = points.map(|point| CurvePoint::new(point.visited as f64 / SCALE, point.estimate));
            Series::new(variant.name.as_str(), points)
        });
        let (y, x) = axes(curve);
        let series = series.collect();
        let (x, y) = (Axis::linear(x), Axis::linear(y));
        Block::Curves(CurvePlot { title: self.title(corpus), x, y, series })
    }

    fn bars(&self, figure: &str) -> BarPlot {
        let group = |corpus: &'a str| {
            let bar = |variant: &crate::Variant| {
                Bar::new(variant.name.as_str(), self.estimate(corpus, &variant.name, figure))
            };
            BarGroup { name: self.title(corpus), bars: self.experiment().variants.iter().map(bar).collect() }
        };
        let groups = self.corpora().map(group).collect();
        BarPlot { title: words(figure), axis: Axis::linear(words(figure)), groups }
    }

    /// The distribution of each corpus and variant, for the first random seed: simulated ones separate from the others.
    fn log_log(&self, curve: &str, simulated: bool, title: &str) -> Option<Block> {
        let many = self.experiment().variants.len() > 1;
        let of = |corpus: &'a str, variant: &'a str| {
            let is = |cell: &&CellResult| cell.simulated == simulated;
            let cell = self.cells(corpus, variant).find(is)?;
            let points = cell.findings.curves.get(curve).filter(|points| !points.is_empty())?;
            let name = match (many, self.corpora().count() > 1) {
                (false, _) => corpus.to_owned(),
                (true, false) => variant.to_owned(),
                (true, true) => format!("{corpus}, {variant}"),
            };
            Some(Series::new(name, points.iter().map(|&(x, y)| CurvePoint::new(x, y))))
        };
        let variants = || self.experiment().variants.iter().map(|variant| variant.name.as_str());
        let series: Vec<Series> = self
            .corpora()
            .flat_map(|corpus| variants().filter_map(move |variant| of(corpus, variant)))
            .collect();
        let (y, x) = match curve.contains("_by_") {
            true => axes(curve),
            false => ("share with at least so many".to_owned(), words(curve)),
        };
        let (x, y) = (Axis::log(x), Axis::log(y));
        (!series.is_empty()).then(|| Block::Curves(CurvePlot { title: title.to_owned(), x, y, series }))
    }

    /// How the others compare with the baseline, in pairs of the same corpus and random seed.
    fn differences(&self, baseline: &str, show: &[Show]) -> Option<Section> {
        let figures: Vec<&String> = show
            .iter()
            .flat_map(|show| &show.table)
            .filter(|figure| !NEITHER.contains(&figure.as_str()))
            .collect();
        let others: Vec<&str> = self
            .experiment()
            .variants
            .iter()
            .map(|v| v.name.as_str())
            .filter(|name| *name != baseline)
            .collect();
        if figures.is_empty() || others.is_empty() {
            return None;
        }
        let columns = ["corpus", "variant"].into_iter().map(Column::from);
        let mut table = Table::new(
            format!("difference to {baseline}, in pairs of the same corpus and random seed"),
            columns.chain(figures.iter().map(|figure| Column::from(words(figure)))),
        );
        for corpus in self.corpora() {
            for variant in &others {
                let difference =
                    |figure: &&String| Cell::from(self.difference(corpus, variant, baseline, figure));
                let heads = [Cell::from(self.title(corpus)), Cell::from(*variant)];
                table = table.row(heads.into_iter().chain(figures.iter().map(difference)));
            }
        }
        let title = format!("Against {baseline}");
        Some(Section { title, text: String::new(), blocks: vec![Block::Table(table)] })
    }

    /// The wanted pages and topics of each corpus.
    fn corpora_and_topics(&self) -> Section {
        let mut table = Table::new(
            "wanted pages and topics of each corpus",
            ["corpus", "wanted", "topics by random seed", "nastiness"],
        );
        for entry in
            self.experiment().corpora.iter().filter(|entry| self.corpora().any(|name| name == entry.name))
        {
            let topics: BTreeMap<u64, &str> = self
                .run
                .cells
                .iter()
                .filter(|cell| cell.corpus == entry.name)
                .filter_map(|cell| Some((cell.random_seed, cell.findings.words.get("topic")?.as_str())))
                .collect();
            let topics = topics.into_values().collect::<Vec<_>>().join(", ");
            let usual = entry.nastiness == Nastiness::default() || entry.world.is_none();
            table = table.row([
                self.title(&entry.name).into(),
                self.experiment().wanted_of(entry).to_string().into(),
                topics.into(),
                if usual { "default".to_owned() } else { json(&entry.nastiness) }.into(),
            ]);
        }
        Section {
            title: "Corpora and topics".to_owned(),
            text: String::new(),
            blocks: vec![Block::Table(table)],
        }
    }

    /// Whether what the paper found holds here, and, apart from it, what we claim.
    fn expectations(&self, by: ClaimBy) -> Option<Section> {
        let mut claims = self.experiment().expectations.iter().filter(|claim| claim.by == by).peekable();
        claims.peek()?;
        let (title, caption, column) = match by {
            ClaimBy::Paper => {
                ("Findings of the paper", "what the paper found, and what this run found", "paper")
            }
            ClaimBy::Ours => (
                "Claims of our own",
                "what we claim, which no paper says, and what this run found",
                "our own claim",
            ),
        };
        let mut table = Table::new(caption, [column, "corpus", "measured", "verdict"]);
        for claim in claims {
            if claim.not_comparable.is_some() {
                let cells = [claim.title(), String::new(), String::new(), claim.verdict(None)];
                table = table.row(cells.map(Cell::from));
                continue;
            }
            let meant =
                |corpus: &&str| claim.corpora.is_empty() || claim.corpora.iter().any(|name| name == corpus);
            for corpus in self.corpora().filter(meant) {
                let measured = self.measured(corpus, claim);
                let verdict = claim.verdict(measured);
                let cells =
                    [claim.title().into(), self.title(corpus).into(), measured.into(), verdict.into()];
                table = table.row(cells);
            }
        }
        Some(Section { title: title.to_owned(), text: String::new(), blocks: vec![Block::Table(table)] })
    }
}

/// By how much the first exceeds so many times the second, in pairs of the same random seed.
fn paired(ours: BTreeMap<u64, f64>, theirs: &BTreeMap<u64, f64>, times: f64) -> Option<Estimate> {
    let pairs = ours.into_iter().filter_map(|(seed, value)| Some((value, times * theirs.get(&seed)?)));
    let (ours, theirs): (Vec<f64>, Vec<f64>) = pairs.unzip();
    paired_difference(&ours, &theirs)
}

/// Thresholds are fractions and curves count in whole numbers: they are drawn in thousandths.
const SCALE: f64 = 1000.0;

/// The axis labels of a curve, vertical first: `this_by_that`, or something over the visits.
fn axes(curve: &str) -> (String, String) {
    let (y, x) = curve.rsplit_once("_by_").unwrap_or((curve, "pages visited"));
    (words(y), words(x))
}

/// A name as people write it.
fn words(name: &str) -> String {
    name.replace('_', " ")
}
