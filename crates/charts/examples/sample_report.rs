//! Writes one of everything that charts can draw, from made-up figures, for human inspection: `report.html` and
//! `graph.svg` in the given folder, and the text for a terminal to stderr.
//!
//! `cargo run -p osprey-charts --example sample_report -- FOLDER`

use std::path::PathBuf;
use std::{env, fs, io};

use osprey_charts::{
    Axis, Bar, BarGroup, BarPlot, Block, Cell, Column, CurvePlot, CurvePoint, Edge, Estimate, GraphPlot,
    Mark, Node, Report, Section, Series, Table, report_to_text, to_html,
};

const POLICIES: [(&str, f64); 5] =
    [("breadth-first", 0.09), ("best-first", 0.21), ("shark", 0.19), ("profile", 0.34), ("adaptive", 0.38)];
const CORPORA: [(&str, f64); 3] =
    [("photo (simulated)", 1.0), ("portal (simulated)", 0.7), ("forum-spirit", 1.2)];

fn main() -> io::Result<()> {
    let folder = PathBuf::from(env::args().nth(1).unwrap_or_else(|| ".".to_owned()));
    let report = report();
    eprint!("{}", report_to_text(&report));
    fs::write(folder.join("report.html"), to_html(&report))?;
    fs::write(folder.join("graph.svg"), graph().to_svg())
}

/// A measure that wobbles on its way up to `end`.
fn wobbling(end: f64, visits: f64) -> Estimate {
    let mean = end * (1.0 - (-visits / 1500.0).exp()) * (1.0 + 0.06 * (visits / 700.0 + end * 40.0).sin());
    Estimate { mean, half: Some(0.05 * end + 0.01) }
}

fn curves(title: &str, x: Axis, y: Axis) -> Block {
    let line = |(name, end): (&str, f64)| {
        let visits = (1..=40).map(|step| f64::from(step) * 250.0);
        Series::new(name, visits.map(|visits| CurvePoint::new(visits, wobbling(end, visits))))
    };
    Block::Curves(CurvePlot { title: title.into(), x, y, series: POLICIES.into_iter().map(line).collect() })
}

fn bars(title: &str, corpora: &[(&str, f64)], less: f64) -> Block {
    let bar = |(name, end): (&str, f64), by: f64| {
        Bar::new(name, Some(Estimate { mean: end * by - less, half: Some(0.02 + end * 0.1) }))
    };
    let group = |&(name, by): &(&str, f64)| BarGroup {
        name: name.into(),
        bars: POLICIES.into_iter().map(|policy| bar(policy, by)).collect(),
    };
    let groups = corpora.iter().map(group).collect();
    Block::Bars(BarPlot { title: title.into(), axis: Axis::linear("harvest ratio"), groups })
}

fn table() -> Block {
    let columns = [
        Column::from("policy"),
        ("harvest", Mark::Highest).into(),
        ("pages per wanted page", Mark::Lowest).into(),
        "ms per page".into(),
    ];
    let mut table = Table::new("photo (simulated), budget 10,000 of 40,000 pages", columns);
    for (name, end) in POLICIES {
        let harvest = Estimate { mean: end, half: Some(end * 0.07) };
        table = table.row([name.into(), harvest.into(), (1.0 / end).into(), Cell::Missing]);
    }
    Block::Table(table)
}

fn report() -> Report {
    let fact = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let section =
        |title: &str, text: &str, blocks| Section { title: title.into(), text: text.into(), blocks };
    Report {
        title: "All policies: a sample report".into(),
        about: vec!["The figures of this page are made up: it shows what a report can show.".into()],
        facts: [
            ("build", "0.1.0 (a sample)"),
            ("scale", "small"),
            ("random seeds", "0 to 4"),
            ("corpora", "photo and portal, which are simulated, and forum-spirit, which was recorded from a real site"),
        ]
        .map(fact)
        .into(),
        sections: vec![
            section(
                "Harvest",
                "The share of visited pages that are wanted. Bands and whiskers are 95 % confidence intervals.",
                vec![
                    curves("Harvest ratio so far", Axis::linear("pages visited"), Axis::linear("harvest ratio")),
                    curves("The same, by factors", Axis::log("pages visited"), Axis::log("harvest ratio")),
                    bars("Harvest ratio at the end", &CORPORA, 0.0),
                ],
            ),
            section("All measures", "The best value of each column stands out.", vec![table()]),
            section(
                "Differences",
                "",
                vec![bars("Beyond shark", &[("", 1.0)], 0.19), Block::note("Recall is that of wanted pages.")],
            ),
        ],
    }
}

fn graph() -> GraphPlot {
    let nodes = [
        ("home", "list", 1.0),
        ("tag", "list", 220.0),
        ("group", "list", 90.0),
        ("photo", "detail", 610.0),
        ("set", "list", 140.0),
        ("profile", "profile", 260.0),
        ("help", "other", 14.0),
        ("登录 login", "other", 30.0),
    ];
    let edges = [
        (0, 1, 12.0),
        (0, 3, 8.0),
        (1, 3, 24.0),
        (1, 1, 6.0),
        (2, 5, 9.0),
        (3, 1, 9.0),
        (3, 4, 2.0),
        (4, 3, 20.0),
        (5, 3, 15.0),
        (5, 2, 3.0),
        (3, 7, 1.0),
        (6, 0, 1.0),
    ];
    let node = |(name, kind, size): (&str, &str, f64)| Node { name: name.into(), kind: kind.into(), size };
    GraphPlot {
        title: "Page types of photo (simulated)".into(),
        nodes: nodes.map(node).into(),
        edges: edges.map(|(from, to, weight)| Edge { from, to, weight }).into(),
    }
}
