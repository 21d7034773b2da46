//! Rows for other tools: what a crawl fetched, in order. Pages and links are read again from the archive, the only
//! record of the responses.

mod parquet;
mod rows;
mod table;

use std::io::{self, Write};
use std::path::Path;

use osprey_archive::{WaczInfo, WaczPage};
use osprey_model::CanonicalUrl;

use crate::captures::Captures;
use crate::error::{Context, Error, Result};
use crate::project::Project;
use table::Sink;

/// What is exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportWhat {
    /// One row per fetched URL, in visit order.
    Visits,
    /// One row per page: title, language, text.
    Pages,
    /// What was extracted from detail and profile pages.
    Records,
    /// One row per link on each page.
    Links,
    /// One row per fetched picture.
    Pictures,
}

/// The form of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// One JSON object a line.
    Jsonl,
    /// Comma-separated values.
    Csv,
    /// Apache Parquet.
    Parquet,
}

impl Project {
    /// Writes rows; how many there were. Works while a crawl runs: what is there at this moment is exported.
    pub fn export(
        &self,
        what: ExportWhat,
        format: ExportFormat,
        out: Box<dyn Write + Send + '_>,
    ) -> Result<u64> {
        let captures = Captures::open(self.layout().data(), &self.resolved.settings)?;
        let columns = match what {
            ExportWhat::Visits => rows::VISITS,
            ExportWhat::Pages => rows::PAGES,
            ExportWhat::Links => rows::LINKS,
            ExportWhat::Pictures => rows::PICTURES,
            ExportWhat::Records => rows::RECORDS,
        };
        let mut sink = Sink::new(format, columns, out).context("export")?;
        let mut row = |row: &serde_json::Value| sink.row(row).context("export");
        match what {
            ExportWhat::Records => {
                if let Some(site) = &self.site()? {
                    let mut written = Ok(());
                    captures.records(site, |_, record| {
                        if written.is_ok() {
                            written = serde_json::to_value(record)
                                .context("record")
                                .and_then(|record| row(&record));
                        }
                    })?;
                    written?;
                }
            }
            ExportWhat::Pictures => {
                for picture in captures.pictures()? {
                    row(&rows::picture(&picture?))?;
                }
            }
            ExportWhat::Visits => {
                for visit in captures.visits()? {
                    row(&rows::visit(&visit?))?;
                }
            }
            ExportWhat::Pages => {
                for visit in captures.visits()? {
                    let visit = visit?;
                    if let Some(page) = captures.page(&visit) {
                        row(&rows::page(&visit, &page))?;
                    }
                }
            }
            ExportWhat::Links => {
                let site = self.site()?;
                for visit in captures.visits()? {
                    let visit = visit?;
                    if let Some(page) = captures.page(&visit) {
                        rows::links(&visit, &page, site.as_ref()).try_for_each(|link| row(&link))?;
                    }
                }
            }
        }
        sink.finish().context("export")
    }

    /// Writes rows into a file, which is replaced as a whole or not at all.
    pub fn export_file(&self, what: ExportWhat, format: ExportFormat, out: &Path) -> Result<u64> {
        osprey_files::write_durably_with(out, |file| self.export(what, format, Box::new(Through(file))))
    }

    /// Writes the archive with its index and a list of the pages in it as a WACZ file; how many captures it has.
    pub fn export_wacz(&self, out: &Path) -> Result<u64> {
        if out.symlink_metadata().is_ok_and(|there| !there.is_file()) {
            return Err(Error::Usage(format!(
                "{}: exists and is not a regular file; write the WACZ to another path",
                out.display()
            )));
        }
        let captures = Captures::open(self.layout().data(), &self.resolved.settings)?;
        let mut pages = Vec::new();
        for visit in captures.visits()? {
            let visit = visit?;
            if visit.is_page && visit.archived.is_some() {
                let url = CanonicalUrl::from_stored(&visit.url).context("a stored URL")?;
                pages.push(WaczPage { url, title: visit.title, date: visit.fetched_at });
            }
        }
        let info = WaczInfo {
            title: self.title(),
            description: None,
            software: concat!("osprey/", env!("CARGO_PKG_VERSION")).to_owned(),
            // the same crawl gives the same file
            created: pages.iter().map(|page| page.date).max().unwrap_or_default(),
            main_page: self.resolved.settings.seeds.first().cloned(),
        };
        Ok(osprey_archive::export_wacz(&self.layout().archive(), out, &info, pages)?.captures)
    }
}

/// A writer that is somebody else's.
struct Through<'a>(&'a mut (dyn Write + Send));

impl Write for Through<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
