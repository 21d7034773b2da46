//! `osprey lab`: experiments, and the simulated webs that they run on.

pub(super) mod serve;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use osprey_lab::{
    Experiment, ExperimentRegistry, ExperimentReport, MEASURES, Progress, Runner, build_of_program,
};
use osprey_model::{CanonicalUrl, UrlRules};
use osprey_world::{Nastiness, Options, Truth, World};
use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::{self, LabRun, LabTruth, UsageError, WorldArgs};
use crate::output::Output;
use crate::session::Session;

/// Where recordings are.
const DATA: &str = "OSPREY_DATA";

pub(super) fn run(command: &cli::Lab, output: &Output) -> anyhow::Result<()> {
    match command {
        cli::Lab::List(args) => list(&registry(args.experiments.as_deref())?, output),
        cli::Lab::Run(args) => run_all(args, output),
        cli::Lab::Serve(args) => serve::run(args, output),
        cli::Lab::Truth(args) => truth(args, output),
    }
}

/// What is built in, and what the user adds.
fn registry(folder: Option<&Path>) -> anyhow::Result<ExperimentRegistry> {
    let mut registry = ExperimentRegistry::shipped()?;
    if let Some(folder) = folder {
        registry.add_folder(folder).map_err(|error| UsageError(error.to_string()))?;
    }
    Ok(registry)
}

fn list(registry: &ExperimentRegistry, output: &Output) -> anyhow::Result<()> {
    let row = |experiment: &Experiment| {
        let corpora: Vec<&str> = experiment.corpora.iter().map(|corpus| corpus.name.as_str()).collect();
        let variants: Vec<&str> = experiment.variants.iter().map(|variant| variant.name.as_str()).collect();
        json!({
            "name": experiment.name, "about": experiment.headline(), "repeats": experiment.repeats,
            "measure": experiment.measure, "corpora": corpora, "variants": variants,
        })
    };
    let rows: Vec<Value> = registry.experiments().map(row).collect();
    let text = || {
        let width = registry.experiments().map(|e| e.name.len()).max().unwrap_or(0);
        let line = |e: &Experiment| {
            let repeats = if e.repeats.is_empty() { String::new() } else { format!(" [{}]", e.repeats) };
            format!(
                "{:width$}  {}{repeats}\n",
                e.name,
                e.headline().split_whitespace().collect::<Vec<_>>().join(" ")
            )
        };
        registry.experiments().map(line).collect()
    };
    output.result(&json!({ "experiments": rows }), text)
}

fn run_all(args: &LabRun, output: &Output) -> anyhow::Result<()> {
    let registry = registry(args.experiments.as_deref())?;
    let mut experiments: Vec<&Experiment> = Vec::new();
    for name in &args.names {
        match name.as_str() {
            "all" => experiments.extend(registry.experiments()),
            name if experiments.iter().any(|experiment| experiment.name == name) => {}
            name => {
                experiments.push(registry.experiment(name).map_err(|error| UsageError(error.to_string()))?)
            }
        }
    }
    let session = Session::new(output)?;
    let data = std::env::var_os(DATA).map(PathBuf::from);
    if let Some(data) = data.as_ref().filter(|data| !data.is_dir()) {
        bail!(UsageError(format!("{DATA}: {}: no such folder", data.display())));
    }
    let build = build_of_program().context("the program cannot be read")?;
    let runner = Runner {
        registry: &registry,
        measures: MEASURES,
        scale: args.scale,
        random_seed: args.random_seed,
        out: &args.out,
        data: data.as_deref(),
        jobs: args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)),
        build: &build,
        stop: session.stop(),
    };
    let mut done = Vec::new();
    for experiment in experiments {
        let one = run_one(&runner, experiment, output)?;
        // each when it is done: the next one may take hours
        if !output.json {
            output.text(&one.text)?;
        }
        done.push(one);
    }
    if output.json { output.result(&json!({ "experiments": done }), String::new) } else { Ok(()) }
}

/// Runs an experiment and shows how far it has come.
fn run_one(
    runner: &Runner<'_>,
    experiment: &Experiment,
    output: &Output,
) -> anyhow::Result<ExperimentReport> {
    let bar = ProgressBar::new(0).with_style(
        ProgressStyle::with_template("{prefix} [{bar:30}] {pos}/{len} {msg}")?.progress_chars("=> "),
    );
    if !output.shows_progress() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    bar.set_prefix(experiment.name.clone());
    let tell = |told: Progress<'_>| match told {
        Progress::Begin { cells, done, .. } => {
            bar.set_length(cells as u64);
            if done > 0 {
                output.say(format!("{}: resuming, {done} of {cells} cells are done", experiment.name));
            }
        }
        Progress::LeftOut { corpus, why } => {
            output.say(format!("{}: {corpus} skipped: {why}", experiment.name))
        }
        Progress::Cell { corpus, variant, random_seed } => {
            bar.inc(1);
            bar.set_message(format!("{corpus}, {variant}, random seed {random_seed}"));
        }
    };
    let reported = runner.report(experiment, &tell)?;
    bar.finish_and_clear();
    Ok(reported)
}

/// The world that the command line names.
fn world(args: &WorldArgs, domain: &str) -> anyhow::Result<World> {
    let nastiness = if args.tame { Nastiness::none() } else { Nastiness::default() };
    let domain = args.domain.as_deref().unwrap_or(domain).to_owned();
    let (random_seed, pages) = (args.random_seed, args.pages);
    let options = Options { random_seed, pages, domain, nastiness, ..Options::default() };
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
