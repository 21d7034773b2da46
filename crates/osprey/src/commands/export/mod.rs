//! `osprey export`: rows for other tools. What the crawl did comes from its store; pages and links are read again
//! from the archive, which is the only truth of what the Web said.

mod parquet;
mod rows;
mod table;

use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::bail;
use osprey_archive::{WaczInfo, WaczPage};
use osprey_crawl::Inspection;
use osprey_model::CanonicalUrl;
use serde_json::json;

use crate::cli::{Export, Format, UsageError, What};
use crate::output::{Output, whole_file};
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
    let crawl = Inspection::open(&project.data(), &project.resolved.settings.frontier, Inspection::PATIENCE)?;
    let written = match (&args.out, format) {
        (Some(out), Format::Wacz) => wacz(&project, &crawl, out)?,
        (Some(out), format) => whole_file(out, |file| write_rows(args.what, format, &project, &crawl, file))?,
        (None, format) => {
            write_rows(args.what, format, &project, &crawl, Box::new(BufWriter::new(io::stdout())))?
        }
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
        What::Pictures => rows::PICTURES,
        What::Records | What::Warc => rows::RECORDS,
    };
    let mut sink = Sink::new(format, table, out)?;
    let site = if matches!(what, What::Records | What::Links) { project.site()? } else { None };
    if what == What::Records {
        if let Some(site) = &site {
            for record in crawl.records(site, &project.resolved.settings.page_rules)? {
                sink.row(&serde_json::to_value(record?)?)?;
            }
        }
        return sink.finish();
    }
    if what == What::Pictures {
        for picture in crawl.pictures() {
            sink.row(&rows::picture(&picture?))?;
        }
        return sink.finish();
    }
    for visit in crawl.visits() {
        let visit = visit?;
        match what {
            What::Visits => sink.row(&rows::visit(&visit))?,
            What::Pages => {
                if let Some(page) = rows::read(crawl, &visit, project)? {
                    sink.row(&rows::page(&visit, &page))?;
                }
            }
            What::Links => {
                if let Some(page) = rows::read(crawl, &visit, project)? {
                    rows::links(&visit, &page, site.as_ref()).try_for_each(|row| sink.row(&row))?;
                }
            }
            What::Records | What::Pictures | What::Warc => break,
        }
    }
    sink.finish()
}

/// The archive with its index and a list of the pages in it.
fn wacz(project: &Project, crawl: &Inspection, out: &Path) -> anyhow::Result<u64> {
    if out.symlink_metadata().is_ok_and(|there| !there.is_file()) {
        bail!(UsageError(format!(
            "{}: is there and is no plain file; a WACZ needs one of its own",
            out.display()
        )));
    }
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
