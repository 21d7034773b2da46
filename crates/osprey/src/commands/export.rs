//! `osprey export`: rows for other tools, and the archive.

use std::io::{self, BufWriter};

use anyhow::bail;
use osprey_engine::{ExportFormat, ExportWhat, Project};
use serde_json::json;

use crate::cli::{Export, Format, UsageError, What};
use crate::output::Output;

pub(super) fn run(args: &Export, output: &Output) -> anyhow::Result<()> {
    let project = Project::open(&args.dir)?;
    let format = args.format.unwrap_or(if args.what == What::Warc { Format::Wacz } else { Format::Jsonl });
    if (format == Format::Wacz) != (args.what == What::Warc) {
        bail!(UsageError("`--format wacz` goes with `--what warc`, and only with it".to_owned()));
    }
    if args.out.is_none() && (output.json || matches!(format, Format::Parquet | Format::Wacz)) {
        bail!(UsageError(format!(
            "--format {} needs `--out FILE`{}",
            format.name(),
            if output.json { " with --json" } else { "" }
        )));
    }
    let what = match args.what {
        What::Visits => ExportWhat::Visits,
        What::Pages => ExportWhat::Pages,
        What::Links => ExportWhat::Links,
        What::Pictures => ExportWhat::Pictures,
        What::Records | What::Warc => ExportWhat::Records,
    };
    let form = match format {
        Format::Jsonl | Format::Wacz => ExportFormat::Jsonl,
        Format::Csv => ExportFormat::Csv,
        Format::Parquet => ExportFormat::Parquet,
    };
    let written = match &args.out {
        Some(out) if format == Format::Wacz => project.export_wacz(out)?,
        Some(out) => project.export_file(what, form, out)?,
        None => project.export(what, form, Box::new(BufWriter::new(io::stdout())))?,
    };
    if args.what == What::Records && written == 0 {
        output.say(
            "no records: no page is of a type that `[extract]` has rules for; `osprey learn` finds types and writes rules",
        );
    }
    match &args.out {
        None => Ok(()),
        Some(out) => output.result(&json!({ "rows": written, "out": out, "format": format.name() }), || {
            format!(
                "{}: {written} {}",
                out.display(),
                if format == Format::Wacz { "captures" } else { "rows" }
            )
        }),
    }
}
