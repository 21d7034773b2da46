//! Rows for other tools: what a crawl fetched, in order. Pages and links are read again from the archive, the only
//! record of the responses. Damaged records are left out, named and counted.

mod parquet;
mod rows;
mod table;

use std::io::{self, Write};
use std::path::Path;

use osprey_archive::{Damage, WaczInfo, WaczPage};
use osprey_crawl::VisitRow;
use osprey_model::CanonicalUrl;

use crate::best_pages::BestFew;
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
    /// One row per comment, answer or review of a record, in the order of the page.
    Items,
    /// One row per link on each page.
    Links,
    /// One row per fetched picture.
    Pictures,
    /// One row per uploader: inner, inter, rank; the best first.
    Uploaders,
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

/// What an export wrote.
#[derive(Clone, Debug, Default)]
pub struct Exported {
    /// Rows; of a WACZ, captures.
    pub rows: u64,
    /// Records of the archive that are damaged and were left out.
    pub damage: Damage,
}

/// All visits in order, or the best pages.
fn chosen<'a>(
    captures: &'a Captures,
    best: Option<usize>,
) -> Result<Box<dyn Iterator<Item = Result<VisitRow>> + 'a>> {
    let Some(most) = best else { return Ok(Box::new(captures.visits()?)) };
    let mut ranked = BestFew::new(most);
    for visit in captures.pages()?.0 {
        if let Some(relevance) = visit.visit.relevance {
            ranked.put(relevance, visit.visit);
        }
    }
    Ok(Box::new(ranked.into_best_first().map(|(_, visit)| Ok(visit))))
}

impl Project {
    /// Writes rows. Works while a crawl runs: what is there at this moment is exported. With `best` only so many of the
    /// most relevant pages, best first.
    pub fn export(
        &self,
        what: ExportWhat,
        format: ExportFormat,
        best: Option<usize>,
        out: Box<dyn Write + Send + '_>,
    ) -> Result<Exported> {
        if best.is_some() && !matches!(what, ExportWhat::Visits | ExportWhat::Pages) {
            return Err(Error::Usage(
                "the best are visits or pages: other rows have no relevance".to_owned(),
            ));
        }
        let captures = Captures::open(self.layout().data(), &self.resolved.settings)?;
        let columns = match what {
            ExportWhat::Visits => rows::VISITS,
            ExportWhat::Pages => rows::PAGES,
            ExportWhat::Links => rows::LINKS,
            ExportWhat::Pictures => rows::PICTURES,
            ExportWhat::Records => rows::RECORDS,
            ExportWhat::Items => rows::ITEMS,
            ExportWhat::Uploaders => rows::UPLOADERS,
        };
        let mut sink = Sink::new(format, columns, out).context("export")?;
        let mut row = |row: &serde_json::Value| sink.row(row).context("export");
        let mut damage = None;
        match what {
            ExportWhat::Records | ExportWhat::Items => {
                if let Some(site) = &self.site()? {
                    let mut written = Ok(());
                    captures.records(site, |_, record| {
                        if written.is_ok() {
                            written = match what {
                                ExportWhat::Items => rows::items(&record).try_for_each(|item| row(&item)),
                                _ => serde_json::to_value(record)
                                    .context("record")
                                    .and_then(|record| row(&record)),
                            };
                        }
                    })?;
                    written?;
                }
            }
            ExportWhat::Uploaders => {
                let uploaders = self.uploaders()?;
                damage = Some(uploaders.damage);
                for uploader in uploaders.ranked {
                    row(&serde_json::to_value(uploader).context("uploader")?)?;
                }
            }
            ExportWhat::Pictures => {
                for picture in captures.pictures()? {
                    row(&rows::picture(&picture?))?;
                }
            }
            ExportWhat::Visits => {
                for visit in chosen(&captures, best)? {
                    row(&rows::visit(&visit?))?;
                }
            }
            ExportWhat::Pages => {
                for visit in chosen(&captures, best)? {
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
        let rows = sink.finish().context("export")?;
        // pages without a record are not read, so no row says nothing of them
        if rows == 0 && !matches!(what, ExportWhat::Records | ExportWhat::Items | ExportWhat::Uploaders) {
            captures.check_readable()?;
        }
        Ok(Exported { rows, damage: damage.unwrap_or_else(|| captures.damage()) })
    }

    /// Writes rows into a file, which is replaced as a whole or not at all.
    pub fn export_file(
        &self,
        what: ExportWhat,
        format: ExportFormat,
        best: Option<usize>,
        out: &Path,
    ) -> Result<Exported> {
        osprey_files::write_durably_with(out, |file| self.export(what, format, best, Box::new(Through(file))))
    }

    /// Writes the archive with its index and a list of the pages in it as a WACZ file.
    pub fn export_wacz(&self, out: &Path) -> Result<Exported> {
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
        let summary = osprey_archive::export_wacz(&self.layout().archive(), out, &info, pages)?;
        Ok(Exported { rows: summary.captures, damage: summary.damage })
    }
}

/// A borrowed writer.
struct Through<'a>(&'a mut (dyn Write + Send));

impl Write for Through<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
