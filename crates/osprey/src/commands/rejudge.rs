//! `osprey rejudge DIR`: judges everything that was crawled again, and scores what waits again.

use std::fmt::Write;
use std::path::Path;

use osprey_engine::{Project, RejudgeReport, counted, damage_line, duration, grouped};

use crate::output::Output;
use crate::session::Session;

pub(super) fn run(dir: &Path, output: &Output) -> anyhow::Result<()> {
    let project = Project::open(dir)?;
    let session = Session::new(output)?;
    let report = project.rejudge(session.control())?;
    output.result(&report, || text(&report, dir))
}

fn text(report: &RejudgeReport, dir: &Path) -> String {
    let rejudged = &report.rejudged;
    let mut text = format!(
        "{} judged again in {} ({} pages/s): {} of {} relevant (was {}), {} changed\n{} rescored",
        counted(rejudged.pages, "page"),
        duration(rejudged.seconds),
        grouped(report.pages_per_second as u64),
        grouped(rejudged.relevant),
        grouped(rejudged.visited),
        grouped(rejudged.relevant_before),
        counted(rejudged.changed, "verdict"),
        counted(rejudged.rescored, "waiting link"),
    );
    // writing to a String cannot fail
    if rejudged.found > 0 {
        let _ = write!(text, ", {} added", counted(rejudged.found, "link"));
    }
    text.push('\n');
    if rejudged.unread > 0 {
        let unread = counted(rejudged.unread, "page");
        let _ = writeln!(text, "{unread} could not be read back from the archive and keep their verdicts");
    }
    if let Some(line) = damage_line(&report.damage, dir) {
        let _ = writeln!(text, "{line}");
    }
    let _ = writeln!(text, "update the search index with: osprey index {}", dir.display());
    text
}
