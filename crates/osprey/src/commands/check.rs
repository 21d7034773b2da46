//! `osprey check DIR`: says what of a project is damaged, and what to run for it.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use osprey_engine::{CheckReport, counted};

use crate::output::Output;
use crate::session::Session;

/// Exit status 0 if all is whole, 1 if something is damaged.
pub(super) fn run(dir: &Path, output: &Output) -> anyhow::Result<ExitCode> {
    let session = Session::new(output)?;
    let report = osprey_engine::check(dir, session.control())?;
    output.result(&report, || text(&report))?;
    Ok(if report.is_whole() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn text(report: &CheckReport) -> String {
    let mut text = String::new();
    // writing to a String cannot fail
    for fault in &report.faults {
        let _ = writeln!(text, "{}: {}: {}\n    {}", fault.part, fault.file, fault.what, fault.remedy);
    }
    for note in &report.notes {
        let _ = writeln!(text, "note: {note}");
    }
    for skipped in &report.skipped {
        let _ = writeln!(text, "not checked: {skipped}");
    }
    let read =
        format!("{} in {}", counted(report.records, "intact record"), counted(report.files, "WARC file"));
    let _ = match report.faults.len() {
        0 => writeln!(text, "nothing is damaged: {read}"),
        faults => writeln!(text, "{}: {read}, {} damaged", counted(faults as u64, "fault"), report.damaged),
    };
    text
}
