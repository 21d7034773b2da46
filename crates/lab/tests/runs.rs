//! Whole runs of small experiments: repeatable byte for byte, resumable, honest about what is left out.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use osprey_lab::report::to_html;
use osprey_lab::{
    Cell, CrawlMeasure, Experiment, Findings, Measure, Run, Runner, RunnerError, Scale, Shelf, Told,
    summarise,
};

const SMALL: &str = r#"
    about = "Small."
    policies = ["breadth-first", "best-first"]
    baseline = "breadth-first"
    wanted = { page_type = "detail", on_topic = true }
    scale.small = { pages = 200, budget = 60, seeds = 2 }
    [[corpus]]
    world = "photo"
    [[corpus]]
    recording = "dh-answers"
    terms = ["text"]
    [[expect]]
    figure = "harvest_ratio"
    better = "best-first"
    than = "breadth-first"
    says = "focus pays"
"#;

struct Lab<'a> {
    measures: &'a [&'a dyn Measure],
    out: &'a Path,
    jobs: usize,
}

impl Lab<'_> {
    fn run(&self, experiment: &Experiment, told: &(dyn Fn(Told<'_>) + Sync)) -> Result<Run, RunnerError> {
        let (shelf, stop) = (Shelf::shipped().unwrap(), AtomicBool::new(false));
        let runner = Runner {
            shelf: &shelf,
            measures: self.measures,
            scale: Scale::Small,
            seed: 1,
            out: self.out,
            data: None,
            jobs: self.jobs,
            build: "test",
            stop: &stop,
        };
        runner.run(experiment, told)
    }
}

/// A run without what a clock measured.
fn timeless(mut run: Run) -> Run {
    run.cells.iter_mut().for_each(|cell| cell.findings.timings.clear());
    run
}

#[test]
fn two_runs_are_the_same_bytes_and_a_third_reads_what_is_there() {
    let experiment = Experiment::parse("small", SMALL).unwrap();
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let measures: &[&dyn Measure] = &[&CrawlMeasure];
    let run = |out: &Path, jobs| Lab { measures, out, jobs }.run(&experiment, &|_| {}).unwrap();
    let (one, two) = (run(first.path(), 1), run(second.path(), 3));
    assert_eq!(one.cells.len(), 4);
    assert_eq!(to_html(&summarise(&one)), to_html(&summarise(&two)));
    assert_eq!(
        serde_json::to_string(&timeless(one.clone())).unwrap(),
        serde_json::to_string(&timeless(two)).unwrap()
    );
    let done = AtomicUsize::new(0);
    let again = Lab { measures, out: first.path(), jobs: 1 }
        .run(&experiment, &|told| {
            if let Told::Begin { done: before, .. } = told {
                done.store(before, Ordering::Relaxed);
            }
        })
        .unwrap();
    assert_eq!((done.into_inner(), again), (4, one));
}

#[test]
fn what_is_left_out_is_said_and_the_seeds_findings_are_judged() {
    let experiment = Experiment::parse("small", SMALL).unwrap();
    let out = tempfile::tempdir().unwrap();
    let heard = Mutex::new(Vec::new());
    let run = Lab { measures: &[&CrawlMeasure], out: out.path(), jobs: 2 }
        .run(&experiment, &|told| {
            if let Told::LeftOut { corpus, why } = told {
                heard.lock().unwrap().push(format!("{corpus}: {why}"));
            }
        })
        .unwrap();
    assert_eq!(
        heard.into_inner().unwrap(),
        ["dh-answers: OSPREY_DATA is not set: the folder with the recordings"]
    );
    let html = to_html(&summarise(&run));
    for part in
        ["photo (simulated)", "Left out", "OSPREY_DATA is not set", "focus pays", "Against breadth-first"]
    {
        assert!(html.contains(part), "{part}");
    }
}

/// Fails on the second seed, the first time.
struct Stumbles(AtomicUsize);

impl Measure for Stumbles {
    fn name(&self) -> &'static str {
        "crawl"
    }

    fn run(&self, cell: &Cell<'_>) -> anyhow::Result<Findings> {
        let runs = self.0.fetch_add(1, Ordering::Relaxed);
        anyhow::ensure!(cell.seed != 2 || runs > 1, "stumbled");
        let mut findings = Findings::default();
        findings.figure("runs", Some(runs as f64));
        Ok(findings)
    }
}

#[test]
fn a_failed_cell_is_named_and_what_was_done_is_not_done_again() {
    let text = "about = \"x\"\npolicies = [\"breadth-first\"]\nscale.small = { pages = 200, seeds = 3 }\n[[corpus]]\nworld = \"forum\"\n";
    let experiment = Experiment::parse("stumbling", text).unwrap();
    let (out, stumbles) = (tempfile::tempdir().unwrap(), Stumbles(AtomicUsize::new(0)));
    let measures: &[&dyn Measure] = &[&stumbles];
    let lab = Lab { measures, out: out.path(), jobs: 1 };
    let error = lab.run(&experiment, &|_| {}).unwrap_err().to_string();
    assert_eq!(error, "experiment `stumbling`: forum, breadth-first, seed 2: stumbled");
    let run = lab.run(&experiment, &|_| {}).unwrap();
    let runs: Vec<f64> = run.cells.iter().map(|cell| cell.findings.figures["runs"]).collect();
    assert_eq!(runs, [0.0, 2.0, 3.0]);
}

#[test]
fn a_measure_that_is_not_there_is_named() {
    let text = "about = \"x\"\nmeasure = \"taste\"\n[[corpus]]\nworld = \"forum\"\n";
    let experiment = Experiment::parse("tasting", text).unwrap();
    let out = tempfile::tempdir().unwrap();
    let error =
        Lab { measures: &[&CrawlMeasure], out: out.path(), jobs: 1 }.run(&experiment, &|_| {}).unwrap_err();
    assert_eq!(error.to_string(), "experiment `tasting`: no measure `taste`; there are crawl");
}
