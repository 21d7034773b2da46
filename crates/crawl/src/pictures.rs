//! Pictures of the pages that were fetched: which, how many, and what became of them.
//!
//! Pictures wait in the same frontier as pages, so that robots rules, delays, rests and retries hold for them without a
//! word about it here. They wait in a group of their own, before all pages: one whose picture is missing is only half
//! harvested, and there are never more than a few for each. Their answers are archived like any other and leave rows of
//! their own: a picture is not a visit, does not count towards the page budget, and is not reported to the policy. Pictures
//! are analysed later, from the archive.

use osprey_archive::{Cursor, Position};
use osprey_frontier::{Frontier, LinkState, Table};
use osprey_model::{CanonicalUrl, FetchFailure, GroupId, LinkId, LinkScore, Timestamp, UrlRules};
use osprey_page::{Image, Page};
use osprey_structure::extract::{Record, RecordKind};
use serde::{Deserialize, Serialize};

use crate::ledger::{Archived, Evidence};
use crate::links::{Gate, Placed};
use crate::revisit::unchanged_picture;
use crate::rows::{PICTURES, picture_key, picture_of_key, row_error};
use crate::work::Job;
use crate::{BlockNote, Crawl, CrawlError, LinkNote, ParsedResponse, ReadPage, Skip, VisitRow};

/// Declared sides below this make an image an ornament.
const MIN_SIDE: u32 = 100;

/// Whose pictures are fetched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PicturesOf {
    /// None.
    None,
    /// Those that records of details name.
    #[default]
    Records,
    /// Those that records name, and where a page has no record, the images that it shows, larger ones first.
    Pages,
}

/// Which pictures are fetched, and how many.
#[derive(Clone, Debug)]
pub struct PictureRules {
    /// Whose.
    pub of: PicturesOf,
    /// Whether only pages count that the judge, where there is one, finds relevant.
    pub relevant_only: bool,
    /// Pictures of one page.
    pub per_page: usize,
    /// Pictures of the whole crawl.
    pub budget: Option<u64>,
    /// Their bytes.
    pub budget_bytes: Option<u64>,
}

impl Default for PictureRules {
    fn default() -> Self {
        Self {
            of: PicturesOf::Records,
            relevant_only: true,
            per_page: 4,
            budget: Some(100_000),
            budget_bytes: None,
        }
    }
}

impl PictureRules {
    /// Leaves all pictures alone.
    pub fn none() -> Self {
        Self { of: PicturesOf::None, ..Self::default() }
    }

    /// The pictures of a page, in the order of their worth.
    fn choose(&self, read: &ReadPage, is_relevant: bool, urls: &UrlRules) -> Vec<CanonicalUrl> {
        if self.of == PicturesOf::None || (self.relevant_only && !is_relevant) {
            return Vec::new();
        }
        let record = read.reading.as_ref().and_then(|reading| reading.record.as_ref());
        let has_record = detail(record).is_some();
        if !has_record && self.of != PicturesOf::Pages {
            return Vec::new();
        }
        let mut chosen = pictures_of(record, &read.page, urls);
        chosen.truncate(self.per_page);
        chosen
    }
}

/// The pictures of a page, in the order of their worth: those that its record names, if it has one, or else the images that
/// it shows.
pub fn pictures_of(record: Option<&Record>, page: &Page, urls: &UrlRules) -> Vec<CanonicalUrl> {
    match detail(record) {
        Some(record) => of_record(record, page, urls),
        None => of_page(page),
    }
}

/// Records of people aside: pictures on a profile are small copies of what its owner has elsewhere.
fn detail(record: Option<&Record>) -> Option<&Record> {
    record.filter(|record| record.kind == RecordKind::Detail)
}

/// The pictures that a record names.
fn of_record(record: &Record, page: &Page, urls: &UrlRules) -> Vec<CanonicalUrl> {
    let resolve = |image: &String| page.url().join(image, urls).ok();
    distinct(record.images.iter().filter_map(resolve))
}

/// The images that a page shows, those that are declared larger first, ornaments left out.
fn of_page(page: &Page) -> Vec<CanonicalUrl> {
    let is_small = |side: Option<u32>| side.is_some_and(|side| side < MIN_SIDE);
    let mut images: Vec<&Image> =
        page.images().iter().filter(|image| !is_small(image.width) && !is_small(image.height)).collect();
    images.sort_by_key(|image| {
        let side = |side: Option<u32>| u64::from(side.unwrap_or(MIN_SIDE));
        std::cmp::Reverse(side(image.width) * side(image.height))
    });
    distinct(images.into_iter().map(|image| image.largest.as_ref().unwrap_or(&image.src).clone()))
}

fn distinct(urls: impl Iterator<Item = CanonicalUrl>) -> Vec<CanonicalUrl> {
    let mut chosen: Vec<CanonicalUrl> = Vec::new();
    for url in urls {
        if !chosen.contains(&url) {
            chosen.push(url);
        }
    }
    chosen
}

/// Counts of pictures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PictureTally {
    /// Pictures that were to be fetched.
    pub found: u64,
    /// Fetches that ended, in whatever way: rows of pictures.
    pub fetched: u64,
    /// Of these, in vain.
    pub failed: u64,
    /// Of these, with the body of another one.
    pub duplicates: u64,
    /// Dropped before they were asked for: by robots rules, by a changed configuration.
    pub dropped: u64,
    /// Body bytes.
    pub bytes: u64,
}

impl PictureTally {
    /// Counts a fetch that ended.
    pub(crate) fn count(&mut self, row: &PictureRow) {
        self.fetched += 1;
        self.failed += u64::from(row.is_failure());
        self.duplicates += u64::from(row.duplicate_of.is_some());
        self.bytes += row.bytes;
    }

    /// Pictures that wait.
    pub fn waiting(&self) -> u64 {
        self.found.saturating_sub(self.fetched + self.dropped)
    }
}

/// What became of one picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PictureRow {
    /// Its number, from 1.
    pub n: u64,
    /// What was requested.
    pub url: String,
    /// Where it redirected to; `url` if it did not.
    pub final_url: String,
    /// The page that shows it.
    pub page: Option<String>,
    /// The status, 0 for no answer.
    pub status: u16,
    /// When.
    pub fetched_at: Timestamp,
    /// Of the body.
    pub bytes: u64,
    /// As declared, or by its look.
    pub media_type: Option<String>,
    /// Of the body: the same picture under another URL has the same.
    pub digest: Option<String>,
    /// Where the answer is archived.
    pub archived: Option<Position>,
    /// The URL whose body this one repeats.
    pub duplicate_of: Option<String>,
    /// The link's number in the frontier.
    pub link: LinkId,
    /// What was remarkable.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Whether it had been fetched before.
    #[serde(default)]
    pub is_revisit: bool,
    /// Whether a revisit found what was there before; `archived` is then the answer of before.
    #[serde(default)]
    pub is_unchanged: bool,
}

impl PictureRow {
    /// Whether the fetch got no usable answer.
    pub fn is_failure(&self) -> bool {
        self.status == 0 || self.status >= 400
    }
}

impl Crawl {
    /// Lets the pictures of a page wait.
    pub(crate) fn add_pictures(
        &mut self,
        read: &ReadPage,
        row: &VisitRow,
        placed: &mut Placed,
    ) -> Result<(), CrawlError> {
        let is_relevant = row.relevant || row.relevance.is_none();
        for url in self.settings.pictures.choose(read, is_relevant, &self.settings.page_rules.url) {
            if self.is_picture_budget_used() {
                self.tally.skip(Skip::Pictures, 1);
                continue;
            }
            let is_new = match self.ledger.frontier().lookup(&url)? {
                // one that waits as a link of a page's moves
                Some(info) => info.state == LinkState::Waiting && info.group != GroupId::PICTURES,
                None => true,
            };
            if !is_new {
                continue;
            }
            let room = if self.gate().has_room_after(placed) { Ok(()) } else { Err(Skip::Full) };
            match self.gate().check_picture(&url).and(room) {
                Err(skip) => self.tally.skip(skip, 1),
                Ok(()) => {
                    placed.push(url, GroupId::PICTURES, LinkScore::FIRST, &LinkNote::default());
                    self.tally.pictures.found += 1;
                }
            }
        }
        Ok(())
    }

    fn is_picture_budget_used(&self) -> bool {
        let (rules, tally) = (&self.settings.pictures, &self.tally.pictures);
        rules.budget.is_some_and(|budget| tally.found >= budget)
            || rules.budget_bytes.is_some_and(|bytes| tally.bytes >= bytes)
    }

    /// What decides over links.
    pub(crate) fn gate(&self) -> Gate<'_> {
        Gate { settings: &self.settings, traps: &self.traps, frontier: self.ledger.frontier() }
    }

    /// A picture for which no answer came.
    pub(crate) fn picture_failed(&mut self, job: &Job, failure: &FetchFailure) -> Result<(), CrawlError> {
        let (mut row, _) = self.picture_row(job, failure.at)?;
        row.notes.push(format!("{}: {}", failure.kind, failure.message));
        let evidence = Evidence::Silence(failure.kind.name());
        self.commit_picture(job, row, &BlockNote::default(), &Placed::default(), &evidence)
    }

    /// A picture, or whatever else came in its place.
    pub(crate) fn picture_answered(
        &mut self,
        job: &Job,
        read: &ParsedResponse,
        archived: Option<(Position, Cursor)>,
    ) -> Result<(), CrawlError> {
        let response = &read.response;
        let (mut row, last) = self.picture_row(job, response.fetched_at)?;
        row.status = response.status;
        row.bytes = response.body.len() as u64;
        if let Some(last) = last
            && let Some(original) = unchanged_picture(&last, response.status, &read.digest.to_string())
        {
            let archived = archived.map(|(at, end)| Archived::bare(at, None, end));
            let evidence = Evidence::of(read, Some(&original), archived.as_ref());
            let notes = vec![format!("unchanged since picture {}", last.n)];
            let PictureRow { n, page, status, fetched_at, bytes, is_revisit, .. } = row;
            let row = PictureRow {
                n,
                page,
                status,
                fetched_at,
                bytes,
                is_revisit,
                is_unchanged: true,
                notes,
                ..last
            };
            return self.commit_picture(job, row, &BlockNote::default(), &Placed::default(), &evidence);
        }
        let original = self.ledger.original(read)?;
        row.media_type = response.effective_media_type().map(|media| media.essence);
        row.digest = Some(read.digest.to_string());
        row.duplicate_of = original.as_ref().map(|original| original.url.to_string());
        row.notes.extend(response.note.clone());
        if response.truncated && response.note.is_none() {
            row.notes.push("body cut at the size limit".to_owned());
        }
        let mut block = job.block.clone();
        block.hops += 1;
        let mut placed = Placed::default();
        if let Some(location) = response.location() {
            self.follow_picture(job, location, block.hops, &mut row, &mut placed)?;
        }
        let first = Some(read).filter(|_| original.is_none());
        let archived = archived.map(|(at, end)| Archived::bare(at, first, end));
        let evidence = Evidence::of(read, original.as_ref(), archived.as_ref());
        self.commit_picture(job, row, &block, &placed, &evidence)
    }

    /// A picture that is elsewhere: the place is a new link, which passes the same gate.
    pub(crate) fn follow_picture(
        &mut self,
        job: &Job,
        location: &str,
        hops: u32,
        row: &mut PictureRow,
        placed: &mut Placed,
    ) -> Result<(), CrawlError> {
        let verdict = match job.url().join(location, &self.settings.page_rules.url) {
            Err(_) => Err(Skip::Invalid),
            Ok(_) if hops > self.settings.max_redirects => Err(Skip::Redirects),
            Ok(target) => {
                row.final_url = target.to_string();
                self.gate().check_picture(&target).map(|()| target)
            }
        };
        match verdict {
            Ok(target) => {
                if self.ledger.frontier().lookup(&target)?.is_none() {
                    placed.push(target, GroupId::PICTURES, LinkScore::FIRST, &LinkNote::default());
                    self.tally.pictures.found += 1;
                }
            }
            Err(skip) => {
                row.notes.push(format!("redirect to `{location:.200}` not followed: {}", skip.name()));
                self.tally.skip(skip, 1);
            }
        }
        Ok(())
    }

    /// The one commit of a picture; what the archive has of it already counts.
    pub(crate) fn commit_picture(
        &mut self,
        job: &Job,
        mut row: PictureRow,
        block: &BlockNote,
        placed: &Placed,
        evidence: &Evidence<'_>,
    ) -> Result<(), CrawlError> {
        if let Evidence::Archived(Archived { picture, at, .. }) = evidence {
            row = picture.cloned().unwrap_or(row);
            row.archived = row.archived.or(*at);
        }
        self.tally.count_picture(&row);
        self.ledger.picture(job, &row, block, placed, evidence, &self.tally)
    }

    /// The row of a fetch that ended, and the last full answer for it.
    fn picture_row(
        &self,
        job: &Job,
        fetched_at: Timestamp,
    ) -> Result<(PictureRow, Option<PictureRow>), CrawlError> {
        let last = self.last_picture(job.lease.id)?;
        let row = PictureRow {
            n: self.tally.picture_rows() + 1,
            url: job.url().to_string(),
            final_url: job.url().to_string(),
            page: job.block.parent.clone(),
            status: 0,
            fetched_at,
            bytes: 0,
            media_type: None,
            digest: None,
            archived: None,
            duplicate_of: None,
            link: job.lease.id,
            notes: Vec::new(),
            is_revisit: last.is_some(),
            is_unchanged: false,
        };
        Ok((row, last))
    }
}

/// All pictures in the order they came.
pub(crate) fn pictures(frontier: &Frontier) -> impl Iterator<Item = Result<PictureRow, CrawlError>> {
    let rows = frontier.rows(Table::Meta, PICTURES);
    let rows = rows.take_while(|row| row.as_ref().map_or(true, |(key, _)| key.starts_with(PICTURES)));
    rows.map(|row| read_picture(&row?.1))
}

/// Picture number `n`.
pub(crate) fn picture(frontier: &Frontier, n: u64) -> Result<Option<PictureRow>, CrawlError> {
    picture_at(frontier, &picture_key(n))
}

/// The picture of a link.
pub(crate) fn picture_of(frontier: &Frontier, link: LinkId) -> Result<Option<PictureRow>, CrawlError> {
    match frontier.row(Table::Meta, &picture_of_key(link))? {
        Some(key) => picture_at(frontier, &key),
        None => Ok(None),
    }
}

fn picture_at(frontier: &Frontier, key: &[u8]) -> Result<Option<PictureRow>, CrawlError> {
    frontier.row(Table::Meta, key)?.map(|value| read_picture(&value)).transpose()
}

fn read_picture(value: &[u8]) -> Result<PictureRow, CrawlError> {
    serde_json::from_slice(value).map_err(|cause| row_error("picture", &cause))
}

#[cfg(test)]
mod tests {
    use osprey_page::{Input, PageRules};

    use super::*;

    #[test]
    fn a_pages_images_are_chosen_by_size_without_ornaments_or_repeats() {
        let check = |body: &str, expect: &[&str]| {
            let url = CanonicalUrl::parse("http://a.example/p/1", &UrlRules::default()).unwrap();
            let input = Input { url: &url, content_type: Some("text/html"), body: body.as_bytes() };
            let page = Page::parse(&input, &PageRules::default());
            let chosen: Vec<String> = of_page(&page).iter().map(ToString::to_string).collect();
            assert_eq!(chosen, expect, "{body}");
        };
        check("<p>none", &[]);
        check(
            "<img src=s.png width=16 height=16><img src=/m.jpg width=200 height=100><img src=/l.jpg width=800 height=600>
             <img src=/u.jpg><img src=/l.jpg width=800 height=600>",
            &["http://a.example/l.jpg", "http://a.example/m.jpg", "http://a.example/u.jpg"],
        );
        check("<img src=/small.jpg srcset='/small.jpg 1x, /large.jpg 2x'>", &["http://a.example/large.jpg"]);
    }

    #[test]
    fn what_waits_is_what_was_found_and_neither_fetched_nor_dropped() {
        let tally = PictureTally { found: 10, fetched: 6, failed: 2, dropped: 3, ..PictureTally::default() };
        assert_eq!(tally.waiting(), 1);
        assert_eq!(PictureTally { fetched: 1, ..PictureTally::default() }.waiting(), 0);
    }
}
