//! `osprey crawl DIR`: starts or resumes, and ends with a report.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use osprey_crawl::{Report, Stop, Watch};

use crate::cli;
use crate::drive::{Drive, announce, stop_on_signal};
use crate::given::GivenPages;
use crate::output::Output;
use crate::progress::{duration, grouped};
use crate::project::Project;

pub(super) fn run(args: &cli::Crawl, output: &Output) -> anyhow::Result<()> {
    let project =
        Project::open(&args.dir, |config| config.override_crawl(args.policy.as_deref(), args.budget))?;
    let stop = stop_on_signal(output)?;
    let report = crawl(&project, args.revisit.map(|age| age.0), &stop, output, &mut ())?;
    output.result(&report, || text(&report))
}

/// Starts or resumes the crawl of a project, for somebody who watches.
pub(crate) fn crawl(
    project: &Project,
    revisit: Option<Duration>,
    stop: &AtomicBool,
    output: &Output,
    watch: &mut dyn Watch,
) -> anyhow::Result<Report> {
    project.resolved.notices.iter().for_each(|notice| output.say(notice));
    announce(project, output);
    let known = GivenPages::of(project).known(stop, output)?;
    let drive = Drive {
        project,
        data: &project.data(),
        settings: project.resolved.settings.clone(),
        steering: project.resolved.steering(&known)?,
        revisit,
    };
    let report = drive.run_watched(stop, output, watch)?;
    report.notices.iter().for_each(|notice| output.say(format!("note: {notice}")));
    Ok(report)
}

fn text(report: &Report) -> String {
    let why = match report.stopped_by {
        Stop::Budget => "the budget is used up",
        Stop::Empty => "nothing is left to fetch",
        Stop::Interrupt => "interrupted; run the same command to go on",
    };
    let skipped: Vec<String> =
        report.skipped.iter().map(|(reason, n)| format!("{reason} {}", grouped(*n))).collect();
    let skipped = if skipped.is_empty() { "none".to_owned() } else { skipped.join(", ") };
    let pictures = match report.pictures {
        0 => String::new(),
        pictures => format!(", pictures {}", grouped(pictures)),
    };
    format!(
        "{} pages visited, {} of them in this run of {}: {why}\nrelevant {} (harvest ratio {:.3}), failed {}, waiting {}{pictures}\nlinks left alone: {skipped}\n",
        grouped(report.visited),
        grouped(report.this_run),
        duration(report.seconds),
        grouped(report.relevant),
        report.harvest_ratio,
        grouped(report.failed),
        grouped(report.frontier),
    )
}
