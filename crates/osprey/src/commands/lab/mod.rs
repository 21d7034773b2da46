//! `osprey lab`: experiments, and the simulated webs that they are done on.

mod same_crawl;
pub(super) mod serve;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use osprey_charts::{report_to_text, to_html};
use osprey_lab::{Experiment, MEASURES, Measure, Run, Runner, Shelf, Told, summarise};
use osprey_model::{CanonicalUrl, UrlRules};
use osprey_world::{Nastiness, Options, Truth, World};
use serde::Serialize;
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use crate::cli::{self, LabRun, LabTruth, UsageError, WorldArgs};
use crate::output::{Output, write_whole};
use crate::session::Session;

/// Where recordings are.
const DATA: &str = "OSPREY_DATA";

pub(super) fn run(command: &cli::Lab, output: &Output) -> anyhow::Result<()> {
    match command {
        cli::Lab::List(args) => list(&shelf(args.experiments.as_deref())?, output),
        cli::Lab::Run(args) => run_all(args, output),
        cli::Lab::Serve(args) => serve::run(args, output),
        cli::Lab::Truth(args) => truth(args, output),
    }
}

/// What is built in, and what the user adds.
fn shelf(folder: Option<&Path>) -> anyhow::Result<Shelf> {
    let mut shelf = Shelf::shipped()?;
    if let Some(folder) = folder {
        shelf.add_folder(folder).map_err(|error| UsageError(error.to_string()))?;
    }
    Ok(shelf)
}

fn list(shelf: &Shelf, output: &Output) -> anyhow::Result<()> {
    let row = |experiment: &Experiment| {
        let corpora: Vec<&str> = experiment.corpora.iter().map(|corpus| corpus.name.as_str()).collect();
        let variants: Vec<&str> = experiment.variants.iter().map(|variant| variant.name.as_str()).collect();
        json!({
            "name": experiment.name, "about": experiment.headline(), "repeats": experiment.repeats,
            "measure": experiment.measure, "corpora": corpora, "variants": variants,
        })
    };
    let rows: Vec<Value> = shelf.experiments().map(row).collect();
    let text = || {
        let width = shelf.experiments().map(|e| e.name.len()).max().unwrap_or(0);
        let line = |e: &Experiment| {
            let repeats = if e.repeats.is_empty() { String::new() } else { format!(" [{}]", e.repeats) };
            format!(
                "{:width$}  {}{repeats}\n",
                e.name,
                e.headline().split_whitespace().collect::<Vec<_>>().join(" ")
            )
        };
        shelf.experiments().map(line).collect()
    };
    output.result(&json!({ "experiments": rows }), text)
}

fn run_all(args: &LabRun, output: &Output) -> anyhow::Result<()> {
    let shelf = shelf(args.experiments.as_deref())?;
    let mut experiments: Vec<&Experiment> = Vec::new();
    for name in &args.names {
        match name.as_str() {
            "all" => experiments.extend(shelf.experiments()),
            name if experiments.iter().any(|experiment| experiment.name == name) => {}
            name => experiments.push(shelf.experiment(name).map_err(|error| UsageError(error.to_string()))?),
        }
    }
    let session = Session::new(output)?;
    let data = std::env::var_os(DATA).map(PathBuf::from);
    if let Some(data) = data.as_ref().filter(|data| !data.is_dir()) {
        bail!(UsageError(format!("{DATA}: {}: no such folder", data.display())));
    }
    let build = build()?;
    let measures: Vec<&dyn Measure> = MEASURES.iter().copied().chain([&same_crawl::SameCrawl as _]).collect();
    let runner = Runner {
        shelf: &shelf,
        measures: &measures,
        scale: args.scale,
        seed: args.seed,
        out: &args.out,
        data: data.as_deref(),
        jobs: args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)),
        build: &build,
        stop: session.stop(),
    };
    let mut done = Vec::new();
    for experiment in experiments {
        let (one, text) = run_one(&runner, experiment, output)?;
        done.push(one);
        // each when it is done: the next one may take hours
        if !output.json {
            output.text(&text)?;
        }
    }
    if output.json { output.result(&json!({ "experiments": done }), String::new) } else { Ok(()) }
}

/// The version and a fingerprint of the program: another build measures anew.
fn build() -> anyhow::Result<String> {
    let program = std::env::current_exe().and_then(std::fs::read).context("the program cannot be read")?;
    Ok(format!("{} ({:016x})", env!("CARGO_PKG_VERSION"), xxh3_64(&program)))
}

/// What a run leaves behind.
#[derive(Serialize)]
struct Done {
    name: String,
    /// The HTML report.
    report: PathBuf,
    left_out: Vec<(String, String)>,
    /// Mean figures by corpus and variant.
    figures: Value,
}

fn run_one(runner: &Runner<'_>, experiment: &Experiment, output: &Output) -> anyhow::Result<(Done, String)> {
    let bar = ProgressBar::new(0).with_style(
        ProgressStyle::with_template("{prefix} [{bar:30}] {pos}/{len} {msg}")?.progress_chars("=> "),
    );
    if !output.shows_progress() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    bar.set_prefix(experiment.name.clone());
    let tell = |told: Told<'_>| match told {
        Told::Begin { cells, done, .. } => {
            bar.set_length(cells as u64);
            if done > 0 {
                output.say(format!("{}: {done} of {cells} cells were done before", experiment.name));
            }
        }
        Told::LeftOut { corpus, why } => {
            output.say(format!("{}: {corpus} is left out: {why}", experiment.name))
        }
        Told::Cell { corpus, variant, seed } => {
            bar.inc(1);
            bar.set_message(format!("{corpus}, {variant}, seed {seed}"));
        }
    };
    let run = runner.run(experiment, &tell)?;
    bar.finish_and_clear();
    let report = summarise(&run);
    let folder = runner.out.join(&experiment.name);
    let path = folder.join("report.html");
    write_whole(&path, to_html(&report).as_bytes())?;
    write_whole(&folder.join("report.json"), &serde_json::to_vec_pretty(&report)?)?;
    write_whole(&folder.join("results.json"), &serde_json::to_vec_pretty(&results(&run))?)?;
    write_whole(&folder.join("timings.json"), &serde_json::to_vec_pretty(&timings(&run))?)?;
    let text = format!("{}\n{}report: {}\n", report_to_text(&report), timing_lines(&run), path.display());
    let figures = means(&run, |cell| &cell.findings.figures);
    let done = Done { name: experiment.name.clone(), report: path, left_out: run.left_out, figures };
    Ok((done, text))
}

/// The run without what a clock measured: the same for the same build, scale and seed.
fn results(run: &Run) -> Run {
    let mut run = run.clone();
    run.cells.iter_mut().for_each(|cell| cell.findings.timings.clear());
    run
}

fn timings(run: &Run) -> Value {
    means(run, |cell| &cell.findings.timings)
}

fn timing_lines(run: &Run) -> String {
    let mut text = String::new();
    for (corpus, variants) in timings(run).as_object().into_iter().flatten() {
        for (variant, figures) in variants.as_object().into_iter().flatten() {
            let Some(ms) = figures.get("processing_ms_per_page").and_then(Value::as_f64) else { continue };
            text.push_str(&format!("{corpus}, {variant}: {ms:.2} ms of processing per page\n"));
        }
    }
    text
}

/// Means over seeds, by corpus, variant and name.
fn means(run: &Run, of: fn(&osprey_lab::Found) -> &BTreeMap<String, f64>) -> Value {
    let mut values: BTreeMap<[&str; 3], Vec<f64>> = BTreeMap::new();
    for cell in &run.cells {
        for (name, value) in of(cell) {
            values.entry([&cell.corpus, &cell.variant, name]).or_default().push(*value);
        }
    }
    let mut tree = json!({});
    for ([corpus, variant, name], values) in values {
        tree[corpus][variant][name] = json!(values.iter().sum::<f64>() / values.len() as f64);
    }
    tree
}

/// The world that the command line names.
fn world(args: &WorldArgs, domain: &str) -> anyhow::Result<World> {
    let nastiness = if args.tame { Nastiness::none() } else { Nastiness::default() };
    let domain = args.domain.as_deref().unwrap_or(domain).to_owned();
    let options = Options { seed: args.seed, pages: args.pages, domain, nastiness };
    World::new(args.kind, &options).map_err(|error| UsageError(error.to_string()).into())
}

/// One URL and what is true of it.
#[derive(Serialize)]
struct Known {
    url: String,
    #[serde(flatten)]
    truth: Truth,
}

fn truth(args: &LabTruth, output: &Output) -> anyhow::Result<()> {
    let world = world(&args.world, "example")?;
    let urls: Vec<String> = if args.urls.is_empty() { world.pages().collect() } else { args.urls.clone() };
    let mut known = Vec::with_capacity(urls.len());
    for url in urls {
        let parsed = CanonicalUrl::parse(&url, &UrlRules::default()).with_context(|| format!("`{url}`"))?;
        let truth = world.truth(&parsed);
        let truth = truth.ok_or_else(|| UsageError(format!("`{url}`: no host of this world")))?;
        known.push(Known { url, truth });
    }
    let text = || {
        let line = |known: &Known| {
            let Known { url, truth } = known;
            let made = if truth.user_created { "user-created" } else { "-" };
            let rest = truth.waste.as_deref().or(truth.duplicate_of.as_deref()).unwrap_or("-");
            let topics = if truth.topics.is_empty() { "-".to_owned() } else { truth.topics.join(",") };
            format!("{url}\t{}\t{}\t{made}\t{topics}\t{rest}\n", truth.page_type, truth.template)
        };
        known.iter().map(line).collect()
    };
    output.result(&json!({ "pages": known }), text)
}
