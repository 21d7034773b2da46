//! Brings an index up to date with the archive, repeatedly.
//!
//! A document depends on more than its page: on the picture that was fetched for it, on the profile of its uploader, and
//! on what the judge says of it, which changes with the want. All of it may arrive after the page is in the index; then the document is made again. So an index that follows
//! a crawl ends with the same documents as one that is made afterwards.

use std::collections::BTreeSet;
use std::hash::BuildHasher;
use std::time::{Duration, Instant};

use osprey_archive::Position;
use osprey_crawl::{Cursor, Event, PictureRow, VisitRow, on_all_cores, pictures_of};
use osprey_index::{Document, DocumentKind, Profiles, Relevances, document_of};
use osprey_model::CanonicalUrl;
use osprey_page::read_page;
use osprey_structure::Site;
use osprey_structure::extract::{Record, RecordKind};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use tracing::info;

use super::pictures::{FoundPicture, look};
use super::writers::{COMMIT_EVERY, Checkpoint, IndexWriters};
use crate::captures::Captures;
use crate::error::{Error, Result};
use crate::observe::Control;

/// Pages in one batch: so many are in memory at once.
const BATCH: usize = 256;
/// The time between two commits of an index that follows a crawl.
const COMMIT_AFTER: Duration = Duration::from_secs(4);
/// Redirects of a picture that are followed.
const MAX_REDIRECTS: usize = 20;
/// Things whose uploader's profile has not come yet, at most; those beyond go without.
const MAX_WAITING: usize = 1_000_000;

/// Where a page is, and what of its visit goes into its document.
#[derive(Clone, Copy)]
struct PageAt {
    n: u64,
    archived: Option<Position>,
    bytes: u64,
    relevance: Option<f32>,
}

impl PageAt {
    /// The page of a visit that is worth a document.
    fn of(visit: &VisitRow) -> Option<Self> {
        let &VisitRow { n, archived, bytes, relevance, .. } = visit;
        let is_document =
            visit.is_page && visit.duplicate_of.is_none() && !visit.is_failure() && !visit.is_unchanged;
        is_document.then_some(Self { n, archived, bytes, relevance })
    }
}

/// What is known of a picture.
struct PictureAt {
    final_url: Option<String>,
    page: Option<String>,
    found: Option<FoundPicture>,
}

impl PictureAt {
    fn of(row: PictureRow) -> Self {
        let found = if row.is_failure() { None } else { FoundPicture::of(&row) };
        let final_url = Some(row.final_url).filter(|to| *to != row.url);
        Self { final_url, page: row.page, found }
    }
}

/// What is indexed of a page, but for the picture and its likeness to the uploader.
struct Drafted {
    document: Document,
    record: Option<Record>,
    /// Where its picture may be, the best first.
    pictures: Vec<CanonicalUrl>,
}

/// Reads an archive from where it was left, and puts documents into an index.
pub(super) struct Catcher<'a> {
    captures: &'a Captures,
    site: Option<&'a Site>,
    profiles: Profiles,
    /// All pages, by a hash of their URLs: those whose pictures or profiles come late are found here.
    pages: FxHashMap<u64, PageAt>,
    pictures: FxHashMap<String, PictureAt>,
    /// Pages of things by the profile that has not come yet.
    waiting: FxHashMap<String, Vec<String>>,
    waiting_count: usize,
    /// The relevance of what is in the index, if pages were judged again since.
    indexed: Option<Relevances>,
    /// Pages that are in the index and have to be made again.
    late: BTreeSet<String>,
    /// Up to where the archive was read.
    cursor: Cursor,
    done: Checkpoint,
    committed: Checkpoint,
    committed_at: Instant,
}

impl<'a> Catcher<'a> {
    /// One that goes on where the index was committed last.
    pub(super) fn new(
        captures: &'a Captures,
        site: Option<&'a Site>,
        writers: &mut IndexWriters,
        control: Control<'_>,
    ) -> Result<Self> {
        let mut done = writers.checkpoint()?;
        let key = site.map(|site| site.key().to_owned());
        if done.site != key && done != Checkpoint::default() {
            match done.site {
                Some(_) => {
                    control.note("note: the learned site model has changed; indexing everything again")
                }
                None => {
                    control.detail("the site was learned; indexing everything again, with its page types")
                }
            }
            done = Checkpoint::default();
        }
        done.site = key;
        let verdicts = captures.verdicts().key();
        let is_judged_again = done.verdicts != verdicts && done.visits > 0;
        let indexed = if is_judged_again { Some(writers.relevances()?) } else { None };
        done.verdicts = verdicts;
        let mut catcher = Self {
            captures,
            site,
            profiles: Profiles::default(),
            pages: FxHashMap::default(),
            pictures: FxHashMap::default(),
            waiting: FxHashMap::default(),
            waiting_count: 0,
            indexed,
            late: BTreeSet::new(),
            cursor: Cursor::default(),
            committed: done.clone(),
            done,
            committed_at: Instant::now(),
        };
        catcher.learn_profiles()?;
        Ok(catcher)
    }

    /// Learns the profiles that there are, and which things in the index are without theirs.
    fn learn_profiles(&mut self) -> Result<()> {
        let Some(site) = self.site else { return Ok(()) };
        let (mut things, mut fresh) = (Vec::new(), FxHashSet::default());
        let (profiles, done) = (&mut self.profiles, self.done.visits);
        self.captures.records(site, |n, record| match (record.kind, n > done) {
            (RecordKind::Profile, is_fresh) => {
                profiles.learn(&record);
                if is_fresh {
                    fresh.insert(record.url);
                }
            }
            (_, false) => things.extend(record.uploader_url.map(|uploader| (uploader, record.url))),
            (_, true) => {}
        })?;
        for (uploader, thing) in things {
            if fresh.contains(&uploader) {
                self.late.insert(thing);
            } else if !self.profiles.knows(&uploader) {
                self.wait(uploader, thing);
            }
        }
        Ok(())
    }

    fn wait(&mut self, uploader: String, thing: String) {
        if self.waiting_count < MAX_WAITING {
            self.waiting_count += 1;
            self.waiting.entry(uploader).or_default().push(thing);
        }
    }

    /// Takes in everything that is there now.
    pub(super) fn catch_up(&mut self, writers: &mut IndexWriters, control: Control<'_>) -> Result<()> {
        let from = self.cursor;
        let to = self.find_pictures(from)?;
        let visits_before = self.done.visits;
        let mut history = self.captures.history(from)?;
        let mut batch: Vec<(String, PageAt)> = Vec::with_capacity(BATCH);
        while self.done.visits < to.visits {
            let Some(event) = history.next_event()? else { break };
            let Event::Visit(visit) = event else { continue };
            if visit.n <= self.done.visits {
                continue;
            }
            self.done.visits = visit.n;
            batch.extend(PageAt::of(&visit).map(|page| (visit.url, page)));
            if batch.len() >= BATCH {
                self.take_in(&std::mem::take(&mut batch), writers)?;
                let done = self.done.visits.saturating_sub(visits_before);
                control.work("pages", done, to.visits.saturating_sub(visits_before));
                if writers.uncommitted >= COMMIT_EVERY || control.is_stopped() {
                    self.commit(writers)?;
                }
                if control.is_stopped() {
                    return Err(Error::Interrupted);
                }
            }
        }
        self.take_in(&batch, writers)?;
        self.cursor = history.cursor();
        self.make_late_ones(writers)?;
        self.done.pictures = to.pictures;
        if self.done != self.committed && self.committed_at.elapsed() >= COMMIT_AFTER {
            self.commit(writers)?;
        }
        Ok(())
    }

    /// The last words: what came in the last moment, and a commit.
    pub(super) fn finish(mut self, writers: &mut IndexWriters, control: Control<'_>) -> Result<()> {
        self.catch_up(writers, control)?;
        if self.done != self.committed || writers.uncommitted > 0 {
            self.commit(writers)?;
        }
        Ok(())
    }

    fn commit(&mut self, writers: &mut IndexWriters) -> Result<()> {
        // after a kill they would be forgotten
        self.make_late_ones(writers)?;
        let documents = writers.uncommitted;
        writers.commit(&self.done)?;
        info!(target: "osprey::index", documents, visits = self.done.visits, "commit");
        self.committed = self.done.clone();
        self.committed_at = Instant::now();
        Ok(())
    }

    /// Reads which pages and pictures there are: a page's come after it. How far the archive goes at this moment.
    fn find_pictures(&mut self, from: Cursor) -> Result<Checkpoint> {
        let mut history = self.captures.history(from)?;
        let mut to = self.done.clone();
        while let Some(event) = history.next_event()? {
            match event {
                Event::Visit(visit) => {
                    to.visits = to.visits.max(visit.n);
                    if let Some(page) = PageAt::of(&visit) {
                        let indexed = self.indexed.as_ref().and_then(|indexed| indexed.of(&visit.url));
                        if indexed.is_some_and(|indexed| indexed != page.relevance.unwrap_or_default()) {
                            self.late.insert(visit.url.clone());
                        }
                        self.pages.insert(hash(&visit.url), page);
                    }
                }
                Event::Picture(row) => {
                    to.pictures = to.pictures.max(row.n);
                    if row.is_unchanged || (row.is_revisit && row.is_failure()) {
                        continue; // what is known of it stays
                    }
                    if let Some(url) = row.page.as_ref().filter(|_| row.n > self.done.pictures)
                        && self.pages.get(&hash(url)).is_some_and(|page| page.n <= self.done.visits)
                    {
                        self.late.insert(url.clone());
                    }
                    self.pictures.insert(row.url.clone(), PictureAt::of(*row));
                }
            }
        }
        self.indexed = None;
        Ok(to)
    }

    /// Makes documents again that are in the index and whose pictures or profiles came after them.
    fn make_late_ones(&mut self, writers: &mut IndexWriters) -> Result<()> {
        let late = std::mem::take(&mut self.late);
        let found = late.into_iter().filter_map(|url| Some((self.pages.get(&hash(&url)).copied()?, url)));
        let mut late: Vec<(String, PageAt)> = found.map(|(page, url)| (url, page)).collect();
        late.sort_by_key(|(_, page)| page.n);
        late.chunks(BATCH).try_for_each(|batch| self.take_in(batch, writers))
    }

    /// Takes in a batch of pages.
    fn take_in(&mut self, pages: &[(String, PageAt)], writers: &mut IndexWriters) -> Result<()> {
        let drafted = on_all_cores(pages, || (), |(), (url, page)| self.draft(url, page));
        writers.indexed.lost += drafted.iter().filter(|drafted| drafted.is_none()).count() as u64;
        let drafted: Vec<Drafted> = drafted.into_iter().flatten().collect();
        for profile in drafted.iter().filter_map(|drafted| drafted.record.as_ref()) {
            if profile.kind == RecordKind::Profile {
                self.profiles.learn(profile);
                let things = self.waiting.remove(&profile.url).unwrap_or_default();
                self.waiting_count -= things.len();
                self.late.extend(things);
            }
        }
        let mut documents = Vec::new();
        for Drafted { mut document, record, pictures } in drafted {
            if let Some(record) = record {
                document.similarity = self.profiles.similarity(&record);
                if let (None, Some(uploader)) = (document.similarity, record.uploader_url) {
                    self.wait(uploader, document.url.clone());
                }
            }
            let picture = self.picture(&document, &pictures);
            documents.push((document, picture));
        }
        let found: Vec<FoundPicture> = documents.iter().filter_map(|(_, found)| found.clone()).collect();
        let archived = |found: &FoundPicture| {
            Some(self.captures.response(found.archived?, &found.url).ok()?.body.to_vec())
        };
        look(&found, archived, writers)?;
        for (mut document, found) in documents {
            document.picture = match found {
                Some(found) => writers.picture(&found)?,
                None => None,
            };
            writers.put(&document)?;
        }
        Ok(())
    }

    fn draft(&self, url: &str, at: &PageAt) -> Option<Drafted> {
        let response = self.captures.response(at.archived?, url).ok()?;
        let page = read_page(&response, self.captures.rules());
        let reading = self.site.map(|site| site.read(&page));
        let document = Document {
            size: at.bytes,
            relevance: at.relevance.unwrap_or_default(),
            ..document_of(&page, reading.as_ref())
        };
        let record = reading.and_then(|reading| reading.record);
        let pictures = pictures_of(record.as_ref(), &page, &self.captures.rules().url);
        Some(Drafted { document, record, pictures })
    }

    /// The first picture of a page that was fetched; pages without a record have those only that were fetched for them.
    fn picture(&self, document: &Document, pictures: &[CanonicalUrl]) -> Option<FoundPicture> {
        pictures.iter().find_map(|url| {
            let at = self.fetched(url.as_str())?;
            let is_its = document.kind == DocumentKind::Record || at.page.as_deref() == Some(&document.url);
            let found = at.found.as_ref().filter(|_| is_its)?;
            Some(FoundPicture { url: url.to_string(), ..found.clone() })
        })
    }

    /// The picture that was fetched for a URL, over its redirects.
    fn fetched(&self, url: &str) -> Option<&PictureAt> {
        let mut at = self.pictures.get(url)?;
        for _ in 0..MAX_REDIRECTS {
            match &at.final_url {
                Some(next) => at = self.pictures.get(next)?,
                None => return Some(at),
            }
        }
        None
    }
}

fn hash(url: &str) -> u64 {
    FxBuildHasher.hash_one(url)
}
