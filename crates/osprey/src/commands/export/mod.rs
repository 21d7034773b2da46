//! `osprey export`: rows for other tools. What the crawl did comes from its store; pages and links are read again
//! from the archive, which is the only truth of what the Web said.

mod parquet;
mod rows;
mod table;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, bail};
use osprey_archive::{WaczInfo, WaczPage};
use osprey_crawl::Inspection;
use osprey_model::CanonicalUrl;
use serde_json::json;

use crate::cli::{Export, Format, UsageError, What};
use crate::output::Output;
use crate::project::Project;
use table::Sink;

pub(super) fn run(args: &Export, output: &Output) -> anyhow::Result<()> {
    let project = Project::open(&args.dir, |_| {})?;
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
    if !project.data().join("frontier").exists() {
        bail!(
            "{}: nothing crawled yet; start with: osprey crawl {}",
            project.data().display(),
            args.dir.display()
        );
    }
    let crawl = Inspection::open(&project.data(), &project.resolved.settings.frontier)?;
    let written = match (&args.out, format) {
        (Some(out), Format::Wacz) => wacz(&project, &crawl, out)?,
        (Some(out), format) => whole_file(out, |file| write_rows(args.what, format, &project, &crawl, file))?,
        (None, format) => {
            write_rows(args.what, format, &project, &crawl, Box::new(BufWriter::new(io::stdout())))?
        }
    };
    if args.what == What::Records && written == 0 {
        output.say("no records: this version does not extract any yet");
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

/// Writes beside the target and renames, so that a failure leaves no half file and the old one stays.
fn whole_file(
    out: &Path,
    write: impl FnOnce(Box<dyn Write + Send>) -> anyhow::Result<u64>,
) -> anyhow::Result<u64> {
    let name = out.file_name().with_context(|| format!("{}: not a file name", out.display()))?;
    let new = out.with_file_name(format!(".{}.new", name.to_string_lossy()));
    let result = File::create(&new)
        .with_context(|| format!("{}: cannot be made", new.display()))
        .and_then(|file| write(Box::new(BufWriter::new(file))))
        .and_then(|rows| {
            std::fs::rename(&new, out).with_context(|| format!("{}: cannot be written", out.display()))?;
            Ok(rows)
        });
    if result.is_err() {
        let _ = std::fs::remove_file(&new);
    }
    result
}

fn write_rows<'a>(
    what: What,
    format: Format,
    project: &Project,
    crawl: &Inspection,
    out: Box<dyn Write + Send + 'a>,
) -> anyhow::Result<u64> {
    let table = match what {
        What::Visits => rows::VISITS,
        What::Pages => rows::PAGES,
        What::Links => rows::LINKS,
        What::Records | What::Warc => rows::RECORDS,
    };
    let mut sink = Sink::new(format, table, out)?;
    for visit in crawl.visits() {
        let visit = visit?;
        match what {
            What::Visits => sink.row(&rows::visit(&visit))?,
            What::Pages => rows::page(crawl, &visit, project, &mut |row| sink.row(row))?,
            What::Links => rows::links(crawl, &visit, project, &mut |row| sink.row(row))?,
            What::Records | What::Warc => break,
        }
    }
    sink.finish()
}

/// The archive with its index and a list of the pages in it.
fn wacz(project: &Project, crawl: &Inspection, out: &Path) -> anyhow::Result<u64> {
    let mut pages = Vec::new();
    for visit in crawl.visits() {
        let visit = visit?;
        if visit.is_page && visit.archived.is_some() {
            let url = CanonicalUrl::from_stored(&visit.url)?;
            pages.push(WaczPage { url, title: visit.title, date: visit.fetched_at });
        }
    }
    let info = WaczInfo {
        title: project.title(),
        description: None,
        software: concat!("osprey/", env!("CARGO_PKG_VERSION")).to_owned(),
        // the same crawl gives the same file
        created: pages.iter().map(|page| page.date).max().unwrap_or_default(),
        main_page: project.resolved.settings.seeds.first().cloned(),
    };
    Ok(osprey_archive::export_wacz(&project.data().join("archive"), out, &info, pages)?.captures)
}
