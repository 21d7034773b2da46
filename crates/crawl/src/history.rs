//! Everything that a crawl did, read from its archive alone.
//!
//! No lock is taken and nothing is written, so it works while the crawl runs and on a disk that may only be read. What
//! the archive has is what happened: a visit is there as soon as it is archived, a moment before it is committed, and
//! whatever interrupts the crawl, it is committed in the end.

use std::path::{Path, PathBuf};

pub use osprey_archive::{Cursor, PassedOver};
use osprey_archive::{LogEntry, LogReader, Position};

use crate::metadata::{EventKind, Metadata};
use crate::{CrawlError, PictureRow, VisitRow};

/// Everything that a crawl did, in order.
pub struct History {
    log: LogReader,
    dir: PathBuf,
    last: Option<EventInfo>,
}

/// One thing that a crawl did.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// It fetched a URL, with or without success.
    Visit(Box<VisitRow>),
    /// It fetched a picture, with or without success.
    Picture(Box<PictureRow>),
}

/// What else is known of an event.
#[derive(Clone, Debug, PartialEq)]
pub struct EventInfo {
    /// What it was.
    pub kind: EventKind,
    /// The key of what was learned of the site when the page was read, if anything was.
    pub model: Option<String>,
    /// The metadata record that told of it.
    pub at: Position,
    /// The record of the answer; the row's `archived` may name an earlier one with the same body.
    pub answer: Option<Position>,
}

impl History {
    /// The history of the crawl in `data`, the folder that has `archive/` in it, from `from` on: the default is the
    /// beginning. A crawl that has not begun has an empty history, which may grow.
    pub fn open(data: &Path, from: Cursor) -> Result<Self, CrawlError> {
        let dir = data.join("archive");
        Ok(Self { log: LogReader::open(&dir, from), dir, last: None })
    }

    /// The next event; `None` if there is nothing more now. More may come later.
    pub fn next_event(&mut self) -> Result<Option<Event>, CrawlError> {
        while let Some(entry) = self.log.next_entry()? {
            match self.read(&entry) {
                Ok(Some(event)) => return Ok(Some(event)),
                Ok(None) => {}
                Err(reason) => {
                    let at = Cursor { file: entry.at.file, offset: entry.at.offset };
                    self.log.pass_over(PassedOver { at, reason });
                }
            }
        }
        Ok(None)
    }

    fn read(&mut self, entry: &LogEntry) -> Result<Option<Event>, String> {
        let Metadata { kind, model, visit, picture, .. } = Metadata::parse(&entry.metadata)?;
        let event = match (visit, picture) {
            (Some(mut row), None) => {
                row.archived = row.archived.or(entry.response);
                Event::Visit(row)
            }
            (None, Some(mut row)) => {
                row.archived = row.archived.or(entry.response);
                Event::Picture(row)
            }
            _ => return Ok(None),
        };
        self.last = Some(EventInfo { kind, model, at: entry.at, answer: entry.response });
        Ok(Some(event))
    }

    /// What else is known of the last event.
    pub fn last(&self) -> Option<&EventInfo> {
        self.last.as_ref()
    }

    /// Where to go on. It stays valid for as long as the archive exists.
    pub fn cursor(&self) -> Cursor {
        self.log.cursor()
    }

    /// Damaged and foreign records that were skipped: the first ten thousand.
    pub fn problems(&self) -> &[PassedOver] {
        self.log.passed_over()
    }

    /// How many records were skipped.
    pub fn problem_count(&self) -> u64 {
        self.log.passed_over_count()
    }

    /// Answers in the archive that nothing is said about: an archive of an older version or of another tool.
    pub fn untold(&self) -> u64 {
        self.log.bare()
    }

    /// The folder of the archive, for an [`ArchiveReader`](osprey_archive::ArchiveReader).
    pub fn archive_dir(&self) -> &Path {
        &self.dir
    }
}
