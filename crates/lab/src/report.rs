//! Runs an experiment and writes its report: `report.html` and `report.json` for people, `results.json` with
//! every cell, `timings.json` with what a clock measured. The first three are the same for the same build, scale and
//! random seed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use osprey_charts::{report_to_text, to_html};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{CellResult, Experiment, Progress, Run, Runner, RunnerError, fingerprint, summarise};

/// The version and a fingerprint of the running program. Another build does not reuse stored results.
pub fn build_of_program() -> io::Result<String> {
    let program = env::current_exe().and_then(fs::read)?;
    Ok(format!("{} ({:016x})", env!("CARGO_PKG_VERSION"), fingerprint(&program)))
}

/// The report of an experiment.
#[derive(Clone, Debug, Serialize)]
pub struct ExperimentReport {
    /// The experiment.
    pub name: String,
    /// The HTML report.
    pub report: PathBuf,
    /// Corpora that were skipped, and why.
    pub left_out: Vec<(String, String)>,
    /// Mean figures by corpus and variant.
    pub figures: Value,
    /// The report for a terminal.
    #[serde(skip)]
    pub text: String,
}

impl Runner<'_> {
    /// Runs an experiment and writes its report into its folder.
    pub fn report(
        &self,
        experiment: &Experiment,
        tell: &(dyn Fn(Progress<'_>) + Sync),
    ) -> Result<ExperimentReport, RunnerError> {
        let run = self.run(experiment, tell)?;
        let report = summarise(&run);
        let folder = self.out.join(&experiment.name);
        let path = folder.join("report.html");
        write(&path, to_html(&report).as_bytes())?;
        write_json(&folder.join("report.json"), &report)?;
        write_json(&folder.join("results.json"), &without_timings(&run))?;
        write_json(&folder.join("timings.json"), &timings(&run))?;
        let text = format!("{}\n{}report: {}\n", report_to_text(&report), timing_lines(&run), path.display());
        let figures = means(&run, |cell| &cell.findings.figures);
        Ok(ExperimentReport {
            name: experiment.name.clone(),
            report: path,
            left_out: run.left_out,
            figures,
            text,
        })
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), RunnerError> {
    osprey_files::write_durably(path, bytes)
        .map_err(|error| RunnerError::File { path: path.to_owned(), cause: error.source })
}

fn write_json(path: &Path, value: &impl Serialize) -> Result<(), RunnerError> {
    let failed = |cause: serde_json::Error| RunnerError::File { path: path.to_owned(), cause: cause.into() };
    write(path, &serde_json::to_vec_pretty(value).map_err(failed)?)
}

/// The run without what a clock measured.
fn without_timings(run: &Run) -> Run {
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

/// Means over random seeds, by corpus, variant and name.
fn means(run: &Run, of: fn(&CellResult) -> &BTreeMap<String, f64>) -> Value {
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
