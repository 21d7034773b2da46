//! What a crawl has fetched into a folder: its visits, pages, pictures and records, in order.
//!
//! All of it comes from the archive, without a lock: reading works while the crawl runs, and on a read-only disk.
//! What was judged again after a change of the want has its new verdict: this is the only place that sees to it. Damaged
//! records are skipped and noted, by whichever command: [`Captures::damage`] has them all.

use std::path::{Path, PathBuf};
use std::time::Duration;

use osprey_archive::{ArchiveReader, CATALOG, Damage, Position};
use osprey_crawl::{
    CrawlError, Cursor, Event, History, Inspection, PictureRow, Settings, Verdicts, VisitRow,
    complete_archive, stored_records,
};
use osprey_model::{CanonicalUrl, Response};
use osprey_page::{Page, PageRules};
use osprey_structure::Site;
use osprey_structure::extract::Record;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::{Error, Result};

/// What was fetched into a folder.
pub(crate) struct Captures {
    data: PathBuf,
    settings: Settings,
    archive: ArchiveReader,
    /// What was judged again since.
    verdicts: Verdicts,
}

/// Everything that happened; what is damaged is noted.
pub(crate) struct Events<'a> {
    history: History,
    archive: &'a ArchiveReader,
    verdicts: &'a Verdicts,
    /// Problems of the history that were noted.
    noted: usize,
}

impl Events<'_> {
    /// The next event; `None` if there is nothing more now.
    pub(crate) fn next_event(&mut self) -> Result<Option<Event>> {
        let mut event = self.history.next_event()?;
        if let problems @ [_, ..] = self.history.problems().get(self.noted..).unwrap_or_default() {
            self.noted += problems.len();
            self.archive.note(problems);
        }
        if let Some(Event::Visit(row)) = &mut event {
            self.verdicts.apply(row);
        }
        Ok(event)
    }

    /// Where to go on.
    pub(crate) fn cursor(&self) -> Cursor {
        self.history.cursor()
    }
}

/// A page that was fetched for the first time.
#[derive(Clone, Debug)]
pub(crate) struct PageVisit {
    /// The visit.
    pub(crate) visit: VisitRow,
    /// The address that led to it: another than its own after a redirect.
    pub(crate) asked: String,
}

impl Captures {
    /// What was fetched into `data`; an error if nothing was.
    pub(crate) fn open(data: &Path, settings: &Settings) -> Result<Self> {
        if !Self::exist(data) {
            return Err(CrawlError::Nothing(data.to_owned()).into());
        }
        let archive = ArchiveReader::new(&data.join("archive"));
        let verdicts = Verdicts::read(data)?;
        let captures = Self { data: data.to_owned(), settings: settings.clone(), archive, verdicts };
        if !data.join("archive").join(CATALOG).exists() {
            captures.complete()?;
        }
        Ok(captures)
    }

    /// An archive of an older version does not tell of visits: it is told what the frontier knows, once. A crawl that runs
    /// has done it; where nothing may be written, what is there is read.
    fn complete(&self) -> Result<()> {
        let Settings { frontier, archive, .. } = &self.settings;
        match complete_archive(&self.data, frontier, archive, Duration::ZERO) {
            Err(error) if !error.is_in_use() && !error.is_read_only() => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Whether there is anything in `data`.
    pub(crate) fn exist(data: &Path) -> bool {
        data.join("archive").exists()
    }

    /// What was judged again since it came.
    pub(crate) fn verdicts(&self) -> &Verdicts {
        &self.verdicts
    }

    /// The records that were met and could not be read, so far.
    pub(crate) fn damage(&self) -> Damage {
        self.archive.damage()
    }

    /// An error if there was something to read and all of it is damaged.
    pub(crate) fn check_readable(&self) -> Result<()> {
        let damage = self.damage();
        match damage.summary().filter(|_| damage.is_total()) {
            Some(summary) => {
                Err(Error::Failed(format!("{}: nothing could be read: {summary}", self.data.display())))
            }
            None => Ok(()),
        }
    }

    /// How pages are read.
    pub(crate) fn rules(&self) -> &PageRules {
        &self.settings.page_rules
    }

    /// Everything that happened, from a moment on.
    pub(crate) fn history(&self, from: Cursor) -> Result<Events<'_>> {
        let (history, archive, verdicts) = (History::open(&self.data, from)?, &self.archive, &self.verdicts);
        Ok(Events { history, archive, verdicts, noted: 0 })
    }

    fn events(&self) -> Result<impl Iterator<Item = Result<Event>>> {
        let mut history = self.history(Cursor::default())?;
        Ok(std::iter::from_fn(move || history.next_event().transpose()))
    }

    /// All visits in order.
    pub(crate) fn visits(&self) -> Result<impl Iterator<Item = Result<VisitRow>>> {
        Ok(self.events()?.filter_map(|event| match event {
            Ok(Event::Visit(row)) => Some(Ok(*row)),
            Ok(Event::Picture(_)) => None,
            Err(error) => Some(Err(error)),
        }))
    }

    /// All pictures in the order they came.
    pub(crate) fn pictures(&self) -> Result<impl Iterator<Item = Result<PictureRow>>> {
        Ok(self.events()?.filter_map(|event| match event {
            Ok(Event::Picture(row)) => Some(Ok(*row)),
            Ok(Event::Visit(_)) => None,
            Err(error) => Some(Err(error)),
        }))
    }

    /// The last full visits of these URLs: not those that found nothing new.
    pub(crate) fn visits_of(&self, urls: &[CanonicalUrl]) -> Result<FxHashMap<String, VisitRow>> {
        let wanted: FxHashMap<&str, ()> = urls.iter().map(|url| (url.as_str(), ())).collect();
        let mut found = FxHashMap::default();
        for visit in self.visits()? {
            let visit = visit?;
            if wanted.contains_key(visit.url.as_str()) && !visit.is_unchanged {
                found.insert(visit.url.clone(), visit);
            }
        }
        Ok(found)
    }

    /// The pages in the order of their visits, each once: no redirects, failures, duplicates or revisits. And how many
    /// visits there were.
    pub(crate) fn pages(&self) -> Result<(Vec<PageVisit>, u64)> {
        let (mut pages, mut visits) = (Vec::new(), 0);
        let mut asked: FxHashMap<String, String> = FxHashMap::default();
        for visit in self.visits()? {
            let visit = visit?;
            visits += 1;
            let first = asked.get(&visit.url).cloned().unwrap_or_else(|| visit.url.clone());
            if visit.final_url != visit.url {
                asked.entry(visit.final_url).or_insert(first);
            } else if visit.is_page && visit.duplicate_of.is_none() && !visit.is_revisit {
                pages.push(PageVisit { visit, asked: first });
            }
        }
        Ok((pages, visits))
    }

    /// The page of a visit, read again; `None` if it brought none or the archive has lost it.
    pub(crate) fn page(&self, visit: &VisitRow) -> Option<Page> {
        let response = self.response(visit.archived.filter(|_| visit.is_page)?, &visit.url).ok()?;
        Some(osprey_page::read_page(&response, self.rules()))
    }

    /// What is archived of a URL at a place.
    pub(crate) fn response(&self, position: Position, url: &str) -> Result<Response> {
        Ok(self.archive.read(position, Some(url))?)
    }

    /// The records of all visits in order, as `site` reads them, each with the number of its visit. Those that are stored are
    /// taken from there; the rest is read from the archive.
    pub(crate) fn records(&self, site: &Site, mut each: impl FnMut(u64, Record)) -> Result<()> {
        // where no crawl has them and the folder may be written, what is missing is stored for the next time
        if let Ok(stores) = Inspection::open(&self.data, &self.settings.frontier, Duration::ZERO) {
            let _ = stores.complete_records(site, self.rules());
        }
        let mut lost = FxHashSet::default();
        let through = stored_records(&self.data, site, self.rules(), |n, record| match record {
            Some(record) => each(n, record),
            None => drop(lost.insert(n)),
        })?;
        for visit in self.visits()? {
            let visit = visit?;
            if (visit.n > through || lost.contains(&visit.n))
                && visit.has_record()
                && let Some(mut record) = self.page(&visit).and_then(|page| site.read(&page).record)
            {
                record.fetched(visit.fetched_at);
                each(visit.n, record);
            }
        }
        Ok(())
    }
}
