//! Rebuilds a lost or damaged frontier from the archive alone.
//!
//! The new frontier is built beside the old one, from the seeds and then everything in the archive, in order, as after
//! a kill; when it is complete it replaces the old one, which is kept under another name. The report lists what the
//! archive does not contain; nothing is guessed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use osprey_archive::{Cursor, Damage, LogItem, LogReader, Position};
use osprey_frontier::Frontier;
use osprey_model::{Clock, counted};
use rustc_hash::FxHashSet;

use crate::adopt::Adopted;
use crate::metadata::Metadata;
use crate::open::has_archive;
use crate::{Crawl, CrawlError, Settings, Steering};

/// What was restored.
#[derive(Clone, Debug, Default)]
pub struct Restored {
    /// Visits.
    pub visits: u64,
    /// Pictures.
    pub pictures: u64,
    /// Origins whose robots rules are known again.
    pub robots: u64,
    /// Links that wait.
    pub waiting: u64,
    /// Visits and pictures that were made of answers which the archive says nothing about.
    pub inferred: u64,
    /// Records of the archive that could not be used.
    pub damage: Damage,
    /// Where the frontier of before is now, if there was one.
    pub old_frontier: Option<PathBuf>,
    /// In words, what could not be known.
    pub unknown: Vec<String>,
}

/// Rebuilds the frontier in `data` from the archive beside it. Fails, with everything as it was, if a crawl is running or
/// there is no archive.
pub fn restore(
    data: &Path,
    settings: Settings,
    steering: Steering,
    clock: Arc<dyn Clock>,
) -> Result<Restored, CrawlError> {
    let (old, new) = (data.join("frontier"), data.join("frontier.new"));
    Frontier::check_free(&old)?;
    Frontier::check_free(&new)?;
    if !has_archive(data)? {
        return Err(CrawlError::NoArchive(data.to_owned()));
    }
    if new.exists() {
        fs::remove_dir_all(&new).map_err(failed(&new))?; // of an attempt that did not end
    }
    let mut crawl = Crawl::open_stores(data, &new, settings, steering, clock)?;
    crawl.ledger.add_seeds(&crawl.settings.seeds)?;
    let restored = crawl.rebuild()?;
    crawl.ledger.close()?;
    let old_frontier = put_aside(data, &old)?;
    fs::rename(&new, &old).map_err(failed(&new))?;
    fs::File::open(data).and_then(|dir| dir.sync_all()).map_err(failed(data))?;
    Ok(Restored { old_frontier, ..restored })
}

impl Crawl {
    /// Adopts the whole archive.
    fn rebuild(&mut self) -> Result<Restored, CrawlError> {
        let dir = self.ledger.archive_reader().dir().to_owned();
        let told = told_elsewhere(&dir)?;
        let mut log = LogReader::telling_bare(&dir, Cursor::default());
        let mut adopted = Adopted::default();
        let (mut visits, mut pictures) = (Vec::new(), Vec::new());
        loop {
            let item = match log.next_item()? {
                Some(item) => item,
                // the last answer of all, if nothing is said of it
                None => match log.pending().filter(|at| at.end() > self.ledger.archived()) {
                    Some(at) => LogItem::Bare(at),
                    None => break,
                },
            };
            match item {
                LogItem::Entry(entry) => self.adopt(&mut log, &entry, &mut adopted)?,
                LogItem::Bare(at) if told.contains(&(at.file, at.offset)) => {
                    self.ledger.pass_archived(at.end())
                }
                LogItem::Bare(at) => {
                    let before = (self.tally.visit_rows(), self.tally.picture_rows());
                    self.infer(at, &mut adopted)?;
                    self.ledger.pass_archived(at.end());
                    visits.extend(before.0 + 1..=self.tally.visit_rows());
                    pictures.extend(before.1 + 1..=self.tally.picture_rows());
                }
            }
        }
        self.ledger.tell_archive(&visits, &pictures)?;
        self.ledger.settle_archive(&self.tally, &self.steering.snapshot(&self.tally))?;
        self.ledger.archive_reader().note(log.passed_over());
        let unknown = unknown(&adopted);
        Ok(Restored {
            visits: self.tally.visit_rows(),
            pictures: self.tally.picture_rows(),
            robots: adopted.robots,
            waiting: self.waiting(),
            inferred: adopted.inferred,
            damage: self.ledger.archive_reader().damage(),
            old_frontier: None,
            unknown,
        })
    }
}

/// The answers of which records tell that stand elsewhere.
fn told_elsewhere(dir: &Path) -> Result<FxHashSet<(u32, u64)>, CrawlError> {
    let mut log = LogReader::open(dir, Cursor::default());
    let mut told = FxHashSet::default();
    while let Some(entry) = log.next_entry()? {
        let Ok(Metadata { visit, picture, .. }) = Metadata::parse(&entry.metadata) else { continue };
        let visit = visit.and_then(|row| row.archived);
        let picture = picture.and_then(|row| row.archived);
        told.extend(visit.or(picture).map(|Position { file, offset, .. }| (file, offset)));
    }
    Ok(told)
}

/// What the archive does not tell, in words.
fn unknown(adopted: &Adopted) -> Vec<String> {
    let mut unknown = vec![
        format!(
            "robots.txt rules are known for {} only; the crawl fetches the others again",
            counted(adopted.robots, "origin")
        ),
        "the delays and addresses of hosts; every host starts with the configured delay".to_owned(),
        "which links were dropped; they wait again and are checked again".to_owned(),
        "counts of retries, dropped and refused links and active time; they start at zero".to_owned(),
    ];
    let mut say = |count: u64, text: &str| {
        if count > 0 {
            unknown.push(format!("{count} {text}"));
        }
    };
    say(
        adopted.inferred,
        "answers are not described in the archive: who led to them is guessed by the order, and they \
         are judged as of today",
    );
    say(
        adopted.unknown_links,
        "links were fetched though no archived page leads to them; their origin is taken \
         from the archive",
    );
    say(adopted.unread, "answers could not be read back; their links are missing");
    unknown
}

/// Gives the old frontier a name under which it stays.
fn put_aside(data: &Path, old: &Path) -> Result<Option<PathBuf>, CrawlError> {
    if !old.exists() {
        return Ok(None);
    }
    let free = (1_u32..).map(|n| data.join(format!("frontier.damaged-{n}"))).find(|path| !path.exists());
    let Some(aside) = free else { return Ok(None) };
    fs::rename(old, &aside).map_err(failed(old))?;
    Ok(Some(aside))
}

fn failed(path: &Path) -> impl FnOnce(std::io::Error) -> CrawlError + '_ {
    move |cause| CrawlError::Folder { path: path.to_owned(), cause }
}
