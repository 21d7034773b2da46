//! Taking over from the archive what no commit has.
//!
//! The archive is written before the frontier, so after a kill it may hold one visit more, and after a power cut many. These
//! visits happened, and readers of the archive may have seen them. So the crawl does not fetch them again but adopts them, in
//! order: it claims the link, reads the response back and parses it, takes the judgement from the archive, reports the visit
//! to the policy, and makes the same commit; the archive itself stays unchanged. Restoring a lost frontier is the same from the beginning.

use osprey_archive::{LogEntry, LogReader, PassedOver, Position};
use osprey_frontier::{Initial, NewLink, Settle};
use osprey_model::{CanonicalUrl, Exchange, GroupId, LinkScore, Timestamp, counted};

use crate::ledger::{Archived, Evidence};
use crate::links::Placed;
use crate::metadata::Metadata;
use crate::rows::encode;
use crate::work::Job;
use crate::{
    BlockNote, Crawl, CrawlError, Cursor, LinkNote, Outcome, ParsedResponse, PictureRow, Told, VisitRow, Work,
};

/// What was adopted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Adopted {
    pub(crate) visits: u64,
    pub(crate) pictures: u64,
    pub(crate) robots: u64,
    /// Visits and pictures of which the archive has nothing but the answer.
    pub(crate) inferred: u64,
    /// Visits whose answer could not be read back.
    pub(crate) unread: u64,
    /// Links that no page had been seen to lead to.
    pub(crate) unknown_links: u64,
}

/// How a link was come by, as far as its row tells.
struct Origin {
    group: GroupId,
    own: LinkScore,
    block: BlockNote,
    note: LinkNote,
}

impl Crawl {
    /// Adopts everything behind the last commit.
    pub(crate) fn adopt_rest(&mut self) -> Result<(), CrawlError> {
        let mut log = LogReader::open(self.ledger.archive_reader().dir(), self.ledger.archived());
        let mut adopted = Adopted::default();
        while let Some(entry) = log.next_entry()? {
            self.adopt(&mut log, &entry, &mut adopted)?;
        }
        if adopted.visits + adopted.pictures > 0 {
            self.notices.push(format!(
                "{} and {} were archived when the last run ended but not committed; they have been \
                 taken over from the archive",
                counted(adopted.visits, "visit"),
                counted(adopted.pictures, "picture")
            ));
        }
        if let Some(first) = log.passed_over().first() {
            self.notices.push(format!(
                "archive: {} behind the last commit could not be used; the first: {first}",
                counted(log.passed_over_count(), "record")
            ));
        }
        Ok(())
    }

    /// Adopts what one record tells.
    pub(crate) fn adopt(
        &mut self,
        log: &mut LogReader,
        entry: &LogEntry,
        adopted: &mut Adopted,
    ) -> Result<(), CrawlError> {
        let at = Cursor { file: entry.at.file, offset: entry.at.offset };
        let metadata = match Metadata::parse(&entry.metadata) {
            Ok(metadata) => metadata,
            Err(reason) => {
                log.pass_over(PassedOver { at, reason });
                return Ok(());
            }
        };
        let Metadata { visit, picture, robots, error, .. } = metadata;
        let url = match (&visit, &picture, &robots) {
            (Some(row), None, None) => row.url.as_str(),
            (None, Some(row), None) => row.url.as_str(),
            (None, None, Some(note)) => match &note.home {
                Some(home) => home.as_str(),
                None => return Ok(()), // a redirect: the answer that it led to comes later, or is asked for again
            },
            _ => return Ok(()),
        };
        let Ok(url) = CanonicalUrl::from_stored(url) else {
            log.pass_over(PassedOver { at, reason: format!("`{url:.200}` is not a URL") });
            return Ok(());
        };
        match (visit, picture) {
            (Some(row), _) => self.adopt_visit(&url, *row, entry, error.as_deref(), adopted),
            (_, Some(row)) => self.adopt_picture(&url, *row, entry, error.as_deref(), adopted),
            _ => self.adopt_robots(&url, entry, adopted),
        }
    }

    fn adopt_visit(
        &mut self,
        url: &CanonicalUrl,
        mut row: VisitRow,
        entry: &LogEntry,
        error: Option<&str>,
        adopted: &mut Adopted,
    ) -> Result<(), CrawlError> {
        let is_same = |old: VisitRow| old.url == row.url && old.fetched_at == row.fetched_at;
        if crate::inspect::visit(self.ledger.frontier(), row.n)?.is_some_and(is_same) {
            return Ok(()); // committed after all
        }
        let Some(job) = self.claim(url, || origin_of_visit(&row), adopted)? else { return Ok(()) };
        self.verdicts.apply(&mut row);
        // numbers are kept, so that others who counted by them go on; where one was lost, it stays free
        if row.n > self.tally.visit_rows() {
            self.tally.visited = row.n - 1 - self.tally.revisits.pages;
        } else {
            row.n = self.tally.visit_rows() + 1;
        }
        row.link = job.lease.id;
        row.archived = row.archived.or(entry.response);
        if let Some(kind) = error {
            self.tally.error(kind);
        }
        adopted.visits += 1;
        self.tally.requests += 1;
        let base = Archived {
            visit: Some(&row),
            picture: None,
            // an unchanged one has the place of the answer that it repeats
            at: row.archived.filter(|_| !row.is_unchanged),
            first: None,
            end: entry.at.end(),
        };
        if row.is_failure() {
            self.settle_failure(&job, row.clone(), &Evidence::Archived(&base))?;
            return Ok(());
        }
        let read = match row.archived.filter(|_| !row.is_unchanged) {
            Some(at) => {
                let work = if row.told == Told::Sitemap { Work::Sitemap } else { job.work };
                self.read_back(at, work, &row.url)
            }
            None => None,
        };
        let Some(mut read) = read else {
            adopted.unread += u64::from(!row.is_unchanged);
            let (block, placed) = (BlockNote::default(), Placed::default());
            self.commit_visit(&job, row.clone(), &block, &placed, Settle::Done, &Evidence::Archived(&base))?;
            return Ok(());
        };
        if let Some(page) = &mut read.page {
            page.judgement.relevance = row.relevance;
            page.judgement.relevant = row.relevant;
        }
        let is_first = self.ledger.original(&read)?.is_none();
        let archived = Archived { first: Some(&read).filter(|_| is_first), ..base };
        self.settle_answer(&job, row.clone(), &read, &Evidence::Archived(&archived))?;
        Ok(())
    }

    fn adopt_picture(
        &mut self,
        url: &CanonicalUrl,
        mut row: PictureRow,
        entry: &LogEntry,
        error: Option<&str>,
        adopted: &mut Adopted,
    ) -> Result<(), CrawlError> {
        let is_same = |old: PictureRow| old.url == row.url && old.fetched_at == row.fetched_at;
        if crate::pictures::picture(self.ledger.frontier(), row.n)?.is_some_and(is_same) {
            return Ok(());
        }
        let unknown = adopted.unknown_links;
        let Some(job) = self.claim(url, || origin_of_picture(&row), adopted)? else { return Ok(()) };
        self.tally.pictures.found += adopted.unknown_links - unknown;
        if row.n > self.tally.picture_rows() {
            self.tally.pictures.fetched = row.n - 1 - self.tally.revisits.pictures;
        } else {
            row.n = self.tally.picture_rows() + 1;
        }
        row.link = job.lease.id;
        row.archived = row.archived.or(entry.response);
        if let Some(kind) = error {
            self.tally.error(kind);
        }
        adopted.pictures += 1;
        self.tally.requests += 1;
        let archived = row.archived.filter(|_| !row.is_unchanged);
        let read = archived.and_then(|at| self.read_back(at, Work::Picture, &row.url));
        let (mut block, mut placed) = (BlockNote::default(), Placed::default());
        let mut is_first = false;
        if let Some(read) = &read {
            is_first = self.ledger.original(read)?.is_none();
            block = job.block.clone();
            block.hops += 1;
            if let Some(location) = read.response.location() {
                self.follow_picture(&job, location, block.hops, &mut row.clone(), &mut placed)?;
            }
        }
        let archived = Archived {
            visit: None,
            picture: Some(&row),
            at: row.archived.filter(|_| !row.is_unchanged),
            first: read.as_ref().filter(|_| is_first),
            end: entry.at.end(),
        };
        self.commit_picture(&job, row.clone(), &block, &placed, &Evidence::Archived(&archived))
    }

    /// The rules of an origin, as they were answered.
    fn adopt_robots(
        &mut self,
        home: &CanonicalUrl,
        entry: &LogEntry,
        adopted: &mut Adopted,
    ) -> Result<(), CrawlError> {
        let answer = entry.response.and_then(|at| self.ledger.answer_at(at, Some(home.as_str())));
        let Some(answer) = answer else { return Ok(()) };
        adopted.robots += 1;
        self.ledger.pass_archived(entry.at.end());
        // they are as old as they are
        let at: Timestamp = answer.fetched_at.min(self.clock.now());
        self.end_robots_fetch(home, Some(&answer), at)
    }

    /// Makes a visit or a picture of an answer that nothing is told of: who led to it is known only if a page before it
    /// did, and it is judged as it would be today.
    pub(crate) fn infer(&mut self, at: Position, adopted: &mut Adopted) -> Result<(), CrawlError> {
        let Some(response) = self.ledger.answer_at(at, None) else {
            adopted.unread += 1;
            return Ok(());
        };
        let url = response.url.clone();
        if url == url.robots_txt() {
            adopted.robots += 1;
            self.ledger.pass_archived(at.end());
            let asked = response.fetched_at.min(self.clock.now());
            return if response.location().is_none() {
                self.end_robots_fetch(&url, Some(&response), asked)
            } else {
                Ok(())
            };
        }
        let seed = || Origin {
            group: GroupId::ALL,
            own: LinkScore::ONE,
            block: BlockNote::default(),
            note: LinkNote::default(),
        };
        let Some(job) = self.claim(&url, seed, adopted)? else { return Ok(()) };
        let Some(read) = self.read_back(at, job.work, url.as_str()) else {
            adopted.unread += 1;
            self.release(&job)?;
            return Ok(());
        };
        adopted.inferred += 1;
        self.take_answer(&job, &read, Some((at, at.end())))?;
        Ok(())
    }

    /// Claims the link of something that was fetched; one that is not known is added first. `None` if it is in flight.
    fn claim(
        &mut self,
        url: &CanonicalUrl,
        origin: impl FnOnce() -> Origin,
        adopted: &mut Adopted,
    ) -> Result<Option<Job>, CrawlError> {
        let now = self.clock.now();
        if self.ledger.frontier().lookup(url)?.is_none() {
            let Origin { group, own, block, note } = origin();
            let payload = encode("link", &note)?;
            let link = NewLink { url, group, own, payload: &payload, state: Initial::Waiting };
            self.ledger.add_link(link, &block)?;
            adopted.unknown_links += 1;
        }
        match self.ledger.frontier().lookup(url)? {
            Some(info) => self.ledger.frontier_mut().claim(info.id, now)?.map(Job::decode).transpose(),
            None => Ok(None), // the frontier is full
        }
    }

    /// The answer at a place, understood as it would be today; `None` if it is lost.
    pub(crate) fn read_back(&self, at: Position, work: Work, url: &str) -> Option<ParsedResponse> {
        let response = self.ledger.answer_at(at, Some(url))?;
        match crate::run::read(Exchange::Answered(response), work, &self.reader) {
            Outcome::Answered(read) => Some(*read),
            Outcome::Failed(_) => None,
        }
    }
}

fn origin_of_visit(row: &VisitRow) -> Origin {
    let mut parts: Vec<(String, f32)> = row.why.clone().into_iter().collect();
    parts.retain(|(name, _)| name != "own" && name != "factor");
    let own = row.why.get("own").map_or(LinkScore::ONE, |own| LinkScore::new(*own));
    let block = BlockNote { parent: row.parent.clone(), depth: row.depth, ..BlockNote::default() };
    let note = LinkNote { apath: row.apath.clone().unwrap_or_default(), parts, ..LinkNote::default() };
    Origin { group: row.group, own, block, note }
}

fn origin_of_picture(row: &PictureRow) -> Origin {
    let block = BlockNote { parent: row.page.clone(), ..BlockNote::default() };
    Origin { group: GroupId::PICTURES, own: LinkScore::FIRST, block, note: LinkNote::default() }
}
