//! `osprey crawl DIR`: starts or resumes a crawl and prints a report at its end.

use osprey_engine::{CrawlOptions, Overrides, Project, Report, Stop, counted, duration, grouped};

use crate::cli;
use crate::output::Output;
use crate::session::Session;

pub(super) fn run(args: &cli::Crawl, output: &Output) -> anyhow::Result<()> {
    let overrides = Overrides { policy: args.policy.clone(), budget: args.budget };
    let project = Project::open_with(&args.dir, &overrides)?;
    let session = Session::new(output)?;
    let options = CrawlOptions { revisit: args.revisit.map(|age| age.0) };
    let report = project.crawl(&options, session.control())?;
    output.result(&report, || text(&report))
}

fn text(report: &Report) -> String {
    let why = match report.stopped_by {
        Stop::Budget => "the budget is used up",
        Stop::Empty => "no links left to fetch",
        Stop::Interrupt => "interrupted; run the same command to resume",
    };
    let skipped: Vec<String> =
        report.skipped.iter().map(|(reason, n)| format!("{reason} {}", grouped(*n))).collect();
    let skipped = if skipped.is_empty() { "none".to_owned() } else { skipped.join(", ") };
    let pictures = match report.pictures {
        0 => String::new(),
        pictures => format!(", pictures {}", grouped(pictures)),
    };
    format!(
        "{} visited, {} of them in this run of {}: {why}\nrelevant {} (harvest ratio {:.3}), failed {}, waiting {}{pictures}\nlinks skipped: {skipped}\n",
        counted(report.visited, "page"),
        grouped(report.this_run),
        duration(report.seconds),
        grouped(report.relevant),
        report.harvest_ratio,
        grouped(report.failed),
        grouped(report.frontier),
    )
}
