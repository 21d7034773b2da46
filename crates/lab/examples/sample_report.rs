//! Writes a sample report to the file that is named: one of every block, from made-up crawls.
//!
//! `cargo run -p osprey-lab --example sample_report -- report.html`

use std::process::ExitCode;
use std::time::Duration;
use std::{env, fs};

use osprey_lab::metrics::{
    BandPoint, Estimate, Fact, Point, TemplateId, Totals, band, detail_capture_ratio, entropy_of_templates,
    estimate, harvest_curve, harvest_ratio, harvest_windows, pages_per_relevant, paired_difference,
    target_scores, time_split,
};
use osprey_lab::report::{
    Axis, Bar, BarGroup, BarPlot, Block, Cell, Column, CurvePlot, Dot, Edge, GraphPlot, Mark, Node, Report,
    ScatterPlot, ScatterSeries, Section, Series, Table, report_to_text, to_html,
};
use osprey_model::PageType;

type Metric = fn(&[Fact]) -> Option<f64>;

const POLICIES: [(&str, f64); 5] =
    [("breadth-first", 0.09), ("best-first", 0.21), ("shark", 0.19), ("profile", 0.34), ("adaptive", 0.38)];
const CORPORA: [(&str, f64); 3] =
    [("photo (simulated)", 1.0), ("portal (simulated)", 0.7), ("forum-spirit", 1.2)];
const SEEDS: u64 = 5;
const VISITS: u64 = 10_000;
const TOTALS: Totals = Totals { pages: 40_000, wanted: 3_600, user_created: 0 };

fn main() -> ExitCode {
    let report = report();
    let Some(path) = env::args().nth(1) else {
        eprint!("{}", report_to_text(&report));
        return ExitCode::SUCCESS;
    };
    match fs::write(&path, to_html(&report)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{path}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Chance from a seed: what a made-up crawl needs, and no more (SplitMix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn crawl(skill: f64, seed: u64) -> Vec<Fact> {
    let mut dice = Dice(seed * 7919 + (skill * 1e6) as u64);
    let luck = 0.92 + 0.16 * dice.roll();
    let visit = |visit: u64| {
        let tiring = 1.0 - 0.45 * visit as f64 / VISITS as f64;
        let warming = (visit as f64 / 900.0).min(1.0) * 0.5 + 0.5;
        let wanted = dice.roll() < skill * luck * tiring * warming;
        let detail = wanted || dice.roll() < 0.4;
        Fact {
            wanted,
            page_type: if detail { PageType::Detail } else { PageType::List },
            template: TemplateId((dice.roll() * 6.0) as u32),
            relevance: if wanted { 0.6 } else { 0.1 },
            processing: Duration::from_micros(300 + (dice.roll() * 200.0) as u64),
            waiting: Duration::from_millis(40),
            ..Fact::default()
        }
    };
    (0..VISITS).map(visit).collect()
}

fn crawls(skill: f64) -> Vec<Vec<Fact>> {
    (0..SEEDS).map(|seed| crawl(skill, seed)).collect()
}

fn over_seeds(crawls: &[Vec<Fact>], metric: impl Fn(&[Fact]) -> Option<f64>) -> Option<Estimate> {
    estimate(&crawls.iter().filter_map(|crawl| metric(crawl)).collect::<Vec<_>>())
}

fn curves(title: &str, y: &str, curve: impl Fn(&[Fact]) -> Vec<Point>) -> Block {
    let line = |(name, skill): (&str, f64)| {
        let runs: Vec<Vec<Point>> = crawls(skill).iter().map(|crawl| curve(crawl)).collect();
        let points: Vec<BandPoint> = band(&runs);
        Series::new(name, points)
    };
    Block::Curves(CurvePlot {
        title: title.into(),
        x: Axis::linear("pages visited").reaching(0.0, VISITS as f64),
        y: Axis::linear(y),
        series: POLICIES.into_iter().map(line).collect(),
    })
}

fn report() -> Report {
    let about = "Every policy on the same ground, with the same judge and the same budget. The figures of this page are \
                 made up: it shows what a report can show.";
    Report {
        title: "All policies: a sample report".into(),
        about: vec![about.into()],
        facts: [
            ("build", "0.1.0 (a sample)"),
            ("scale", "small"),
            ("seeds", "0 to 4"),
            ("budget", "10,000 pages"),
            ("corpora", "photo, portal, forum-spirit"),
            ("simulated", "photo and portal are simulated; forum-spirit is real"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into(),
        sections: vec![harvest_section(), table_section(), structure_section(), statistics_section()],
    }
}

fn harvest_section() -> Section {
    let bars = |scale: f64| {
        let bar =
            |(name, skill): (&str, f64)| Bar::new(name, over_seeds(&crawls(skill * scale), harvest_ratio));
        POLICIES.into_iter().map(bar).collect()
    };
    let group = |(name, scale): (&str, f64)| BarGroup { name: name.into(), bars: bars(scale) };
    Section {
        title: "Harvest".into(),
        text: "The share of visited pages that are wanted: over the whole crawl so far, and in each stretch of 1,000 \
               pages. Bands and whiskers are 95 % confidence intervals over five seeds."
            .into(),
        blocks: vec![
            curves("Harvest ratio so far", "harvest ratio", |crawl| harvest_curve(crawl, 250)),
            curves("Harvest ratio of each 1,000 pages", "harvest ratio", |crawl| harvest_windows(crawl, 1000, 250)),
            Block::Bars(BarPlot {
                title: "Harvest ratio at the end".into(),
                axis: Axis::linear("harvest ratio"),
                groups: CORPORA.into_iter().map(group).collect(),
            }),
        ],
    }
}

fn table_section() -> Section {
    let high = |title: &str| Column { title: title.into(), mark: Mark::Highest };
    let low = |title: &str| Column { title: title.into(), mark: Mark::Lowest };
    let columns = [
        "policy".into(),
        high("harvest"),
        high("recall"),
        high("F"),
        high("detail capture"),
        high("entropy, bits"),
        low("pages per wanted page"),
        low("ms per page"),
    ];
    let mut table = Table::new("photo (simulated), budget 10,000 of 40,000 pages", columns);
    let base: Vec<f64> = crawls(POLICIES[0].1).iter().filter_map(|crawl| harvest_ratio(crawl)).collect();
    let mut differences = Vec::new();
    for (name, skill) in POLICIES {
        let crawls = crawls(skill);
        let metrics: [Metric; 7] = [
            harvest_ratio,
            |crawl| target_scores(crawl, TOTALS).recall,
            |crawl| target_scores(crawl, TOTALS).f,
            detail_capture_ratio,
            entropy_of_templates,
            pages_per_relevant,
            |crawl| time_split(crawl).processing_ms_per_page(),
        ];
        let cells = metrics.map(|metric| Cell::from(over_seeds(&crawls, metric)));
        table = table.row(std::iter::once(name.into()).chain(cells));
        let harvest: Vec<f64> = crawls.iter().filter_map(|crawl| harvest_ratio(crawl)).collect();
        differences.push(Bar::new(name, paired_difference(&harvest, &base)));
    }
    Section {
        title: "All measures".into(),
        text: "The best value of each column stands out.".into(),
        blocks: vec![
            Block::Table(table),
            Block::Bars(BarPlot {
                title: "Harvest ratio beyond breadth-first, paired by seed".into(),
                axis: Axis::linear("difference of harvest ratios"),
                groups: vec![BarGroup { name: String::new(), bars: differences }],
            }),
            Block::note("Recall is that of wanted pages; the corpus has 3,600 of them."),
        ],
    }
}

fn structure_section() -> Section {
    let node = |(name, kind, size): (&str, &str, f64)| Node { name: name.into(), kind: kind.into(), size };
    let nodes = [
        ("home", "list", 1.0),
        ("tag", "list", 220.0),
        ("group", "list", 90.0),
        ("photo", "detail", 610.0),
        ("set", "list", 140.0),
        ("profile", "profile", 260.0),
        ("contacts", "list", 120.0),
        ("help", "other", 14.0),
        ("登录 login", "other", 30.0),
    ];
    let edge = |(from, to, weight): (usize, usize, f64)| Edge { from, to, weight };
    let edges = [
        (0, 1, 12.0),
        (0, 3, 8.0),
        (0, 7, 2.0),
        (1, 3, 24.0),
        (1, 1, 6.0),
        (1, 5, 10.0),
        (2, 3, 18.0),
        (2, 5, 9.0),
        (3, 1, 9.0),
        (3, 5, 3.0),
        (3, 4, 2.0),
        (4, 3, 20.0),
        (5, 3, 15.0),
        (5, 6, 1.0),
        (5, 4, 5.0),
        (6, 5, 30.0),
        (3, 8, 1.0),
        (7, 0, 1.0),
        (5, 2, 3.0),
    ];
    Section {
        title: "Sitemap".into(),
        text: "Page types as the sample shows them. The area of a disc is the number of its pages, the width of an arrow \
               the links per page."
            .into(),
        blocks: vec![Block::Graph(GraphPlot {
            title: "Page types of photo (simulated)".into(),
            weight_title: "links per page".into(),
            nodes: nodes.into_iter().map(node).collect(),
            edges: edges.into_iter().map(edge).collect(),
        })],
    }
}

fn statistics_section() -> Section {
    let law = |name: &str, power: f64, seed: u64| {
        let mut dice = Dice(seed);
        let dot = |degree: f64| Dot::new(degree, 40_000.0 * degree.powf(-power) * (0.7 + 0.6 * dice.roll()));
        let degrees = (0..60).map(|step| 1.15_f64.powi(step).round());
        ScatterSeries { name: name.into(), dots: degrees.map(dot).filter(|dot| dot.y > 0.5).collect() }
    };
    Section {
        title: "World statistics".into(),
        text: "Worlds are simulated: this is how far they are like the real thing.".into(),
        blocks: vec![Block::Scatter(ScatterPlot {
            title: "In-degree distribution".into(),
            x: Axis::log("links to a page"),
            y: Axis::log("pages"),
            series: vec![law("photo (simulated)", 1.6, 1), law("forum-spirit (real)", 1.9, 2)],
        })],
    }
}
