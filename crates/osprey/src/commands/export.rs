//! `osprey export`: rows for other tools, and the archive.

use std::io::{self, BufWriter};

use anyhow::bail;
use osprey_engine::{ExportFormat, ExportWhat, Exported, Project, damage_line};
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
    if args.best.is_some() && !matches!(args.what, What::Visits | What::Pages) {
        bail!(UsageError("`--best` goes with `--what visits` or `--what pages`".to_owned()));
    }
    let what = match args.what {
        What::Visits => ExportWhat::Visits,
        What::Pages => ExportWhat::Pages,
        What::Links => ExportWhat::Links,
        What::Pictures => ExportWhat::Pictures,
        What::Uploaders => ExportWhat::Uploaders,
        What::Items => ExportWhat::Items,
        What::Records | What::Warc => ExportWhat::Records,
    };
    let form = match format {
        Format::Jsonl | Format::Wacz => ExportFormat::Jsonl,
        Format::Csv => ExportFormat::Csv,
        Format::Parquet => ExportFormat::Parquet,
    };
    let Exported { rows: written, damage } = match &args.out {
        Some(out) if format == Format::Wacz => project.export_wacz(out)?,
        Some(out) => project.export_file(what, form, args.best, out)?,
        None => project.export(what, form, args.best, Box::new(BufWriter::new(io::stdout())))?,
    };
    if args.what == What::Items && written == 0 {
        output.say(
            "no items: no record has comments; rules for `comment` find them, and `osprey learn` writes them",
        );
    }
    if args.what == What::Records && written == 0 {
        output.say(
            "no records: no page is of a type that `[extract]` has rules for; `osprey learn` finds types and writes rules",
        );
    }
    // rows may be on standard output: what is missing of them is said beside
    if let Some(line) = damage_line(&damage, &args.dir).filter(|_| !output.json) {
        output.say(line);
    }
    let value = || {
        json!({
            "rows": written, "out": &args.out, "format": format.name(), "damaged_count": damage.count,
            "damaged": damage.records,
        })
    };
    match &args.out {
        None => Ok(()),
        Some(out) => output.result(&value(), || {
            format!(
                "{}: {written} {}",
                out.display(),
                if format == Format::Wacz { "captures" } else { "rows" }
            )
        }),
    }
}
