//! `osprey crawl DIR`: starts or resumes a crawl and prints a report at its end.

use std::process::ExitCode;

use osprey_engine::{CrawlOptions, Overrides, Project, Report, counted, duration, grouped};

use crate::cli;
use crate::output::Output;
use crate::session::Session;

/// Fails, with the report, if nothing came because the start failed.
pub(super) fn run(args: &cli::Crawl, output: &Output) -> anyhow::Result<ExitCode> {
    let overrides = Overrides { policy: args.policy.clone(), budget: args.budget, time: None };
    let project = Project::open_with(&args.dir, &overrides)?;
    let session = Session::new(output)?;
    let options = CrawlOptions { revisit: args.revisit.map(|age| age.0) };
    let report = project.crawl(&options, session.control())?;
    output.result(&report, || text(&report))?;
    if !report.is_dead_start() {
        return Ok(ExitCode::SUCCESS);
    }
    report.start_failures.iter().for_each(|failure| output.complain(failure));
    Ok(ExitCode::FAILURE)
}

pub(super) fn text(report: &Report) -> String {
    let why = report.why_stopped();
    let skipped: Vec<String> =
        report.skipped.iter().map(|(reason, n)| format!("{reason} {}", grouped(*n))).collect();
    let skipped = if skipped.is_empty() { "none".to_owned() } else { skipped.join(", ") };
    let pictures = match report.pictures {
        0 => String::new(),
        pictures => format!(", pictures {}", grouped(pictures)),
    };
    let revisits = match &report.revisits {
        revisits if revisits.pages + revisits.pictures == 0 => String::new(),
        revisits => format!(
            "revisited {} and {}: {} changed, {} failed, {} waiting\n",
            counted(revisits.pages, "page"),
            counted(revisits.pictures, "picture"),
            grouped(revisits.changed),
            grouped(revisits.failed),
            grouped(revisits.waiting()),
        ),
    };
    let ways_on: String = report.ways_on().iter().map(|way| format!("  {way}\n")).collect();
    let ways_on = if ways_on.is_empty() { ways_on } else { format!("to fetch more:\n{ways_on}") };
    format!(
        "{} visited, {} of them in this run of {}: {why}\nrelevant {} (harvest ratio {:.3}), failed {}, waiting {}{pictures}\n{revisits}links skipped: {skipped}\n{ways_on}",
        counted(report.visited, "page"),
        grouped(report.this_run),
        duration(report.seconds),
        grouped(report.relevant),
        report.harvest_ratio,
        grouped(report.failed),
        grouped(report.frontier),
    )
}
