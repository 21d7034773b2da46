//! Judges everything again after a change of the want, and steers again by the new verdicts.
//!
//! One pass over all visits in their order. Page workers read the answers back from the archive and judge them; the owner
//! tells a policy that knows nothing yet of each visit, as if it happened now, and links that wait move to the places
//! that it gives them. So afterwards counts, policy and frontier are those of a crawl that had the want from the start
//! and made the same visits.
//!
//! The row of wants says that a pass is under way, from before its first change until the commit that ends it; a crawl
//! that finds it so starts over. Every step of a pass sets what it changes, whatever was there before.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::path::Path;
use std::time::Instant;

use osprey_archive::Damage;
use osprey_frontier::{Frontier, Row, Table};
use osprey_model::{CanonicalUrl, GroupFactor, GroupId, LinkId, LinkScore, Response, Timestamp};
use osprey_page::{Page, Sitemap, is_page, read_page};
use osprey_steer::{Failure, Judgement, SitemapVisit, Visit, asks_the_same};
use osprey_structure::Reading;
use osprey_text::PageWords;
use rustc_hash::FxHashMap;

use crate::absorb::is_nofollow;
use crate::compact::Compact;
use crate::cores::on_all_cores;
use crate::inspect::visits;
use crate::ledger::Anew;
use crate::links::{LinkSource, Placed};
use crate::parse::read_sitemap;
use crate::rows::{DropRow, decode, drops, row_error, stored_policy};
use crate::verdicts::Verdicts;
use crate::wants::{PastWant, Wants, stored_wants};
use crate::{BlockNote, Crawl, CrawlError, LinkNote, Reader, Tally, Told, VisitRow};

/// Visits that are read at once: so many pages are in memory.
const BATCH: usize = 64;
/// Changes in one commit, where they belong to no visit.
const CHUNK: usize = 1_000;

/// How everything is judged again when a crawl is opened.
pub struct Rejudging<'a> {
    /// Even if the want is the one of the last run.
    pub always: bool,
    /// The present moment, for people; a crawl of a recording has a clock of its own.
    pub now: Timestamp,
    /// Called with the visits done and all visits; `false` stops.
    pub each: &'a mut dyn FnMut(u64, u64) -> bool,
}

/// What was judged again.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Rejudged {
    /// Whether the want was another one in the last run.
    pub is_new_want: bool,
    /// Whether the want is the same and more is known: the site, what is usual there, ratings.
    pub knows_more: bool,
    /// Pages that were judged.
    pub pages: u64,
    /// Those of them with another verdict than before.
    pub changed: u64,
    /// All visited pages.
    pub visited: u64,
    /// Those that are relevant now.
    pub relevant: u64,
    /// Those that were.
    pub relevant_before: u64,
    /// Waiting links whose priority changed.
    pub rescored: u64,
    /// Links that wait now and did not.
    pub found: u64,
    /// Pages whose answer could not be read back: they keep their verdict.
    pub unread: u64,
    /// Seconds that it took.
    pub seconds: f64,
}

/// What a visit brought, read again.
enum Again {
    Page(Box<PageAgain>),
    Sitemap(Sitemap),
    /// It brought neither.
    Nothing,
    /// Its answer cannot be read back.
    Lost,
}

struct PageAgain {
    page: Page,
    words: PageWords,
    reading: Option<Reading>,
    judgement: Judgement,
    is_nofollow: bool,
}

/// A set of links by number.
struct Links(Vec<u64>);

impl Links {
    fn new(count: u32) -> Self {
        Self(vec![0; count as usize / 64 + 1])
    }

    fn has(&self, id: LinkId) -> bool {
        self.0.get(id.0 as usize / 64).is_some_and(|bits| bits >> (id.0 % 64) & 1 == 1)
    }

    /// Whether it is new in the set; those that came after the set was made never are.
    fn insert(&mut self, id: LinkId) -> bool {
        let Some(bits) = self.0.get_mut(id.0 as usize / 64) else { return false };
        let is_new = *bits >> (id.0 % 64) & 1 == 0;
        *bits |= 1 << (id.0 % 64);
        is_new
    }
}

/// The place of a link that was visited later: what it carried then.
struct Carried {
    group: GroupId,
    own: LinkScore,
    parts: Vec<(String, f32)>,
}

/// The places of links in this pass.
struct Places {
    /// Links that were there when it began.
    known: u32,
    /// Those of them that waited, with their priority; NaN for the others, less than 0 for parked ones.
    before: Vec<f32>,
    placed: Links,
    visited: Links,
    /// Pages and sitemaps that the policy was told of.
    told: Links,
    carried: FxHashMap<LinkId, Carried>,
}

impl Places {
    fn new(frontier: &Frontier) -> Self {
        let known = u32::try_from(frontier.known()).unwrap_or(u32::MAX);
        Self {
            known,
            before: (0..known).map(|id| priority(frontier, LinkId(id))).collect(),
            placed: Links::new(known),
            visited: Links::new(known),
            told: Links::new(known),
            carried: FxHashMap::default(),
        }
    }

    /// Waiting links that stand higher or lower than before, and links that did not wait.
    fn compare(&self, frontier: &Frontier) -> (u64, u64) {
        let now = (0..self.known).map(|id| priority(frontier, LinkId(id)));
        let rescored = self.before.iter().zip(now).filter(|(before, now)| *before != now && !now.is_nan());
        let later = self.known..u32::try_from(frontier.known()).unwrap_or(u32::MAX);
        let found = later.filter(|id| frontier.place(LinkId(*id)).is_some()).count();
        (rescored.count() as u64, found as u64)
    }

    /// A link that does not wait and was not visited yet in this pass gets a place, if it is better than the one it has.
    fn carry(&mut self, frontier: &Frontier, id: LinkId, new: Carried) -> Result<(), CrawlError> {
        if self.visited.has(id) {
            return Ok(());
        }
        if let Some(old) = self.carried.get(&id) {
            let worth = |place: &Carried| {
                frontier.factor(place.group).map(|factor| worth(factor, place.own).unwrap_or(-1.0))
            };
            if worth(&new)? <= worth(old)? {
                return Ok(());
            }
        }
        self.carried.insert(id, new);
        Ok(())
    }
}

fn worth(factor: GroupFactor, own: LinkScore) -> Option<f32> {
    match factor {
        GroupFactor::Times(times) => Some(times.get() * own.get()),
        GroupFactor::Parked => None,
    }
}

fn priority(frontier: &Frontier, id: LinkId) -> f32 {
    let Some((group, own)) = frontier.place(id) else { return f32::NAN };
    frontier.factor(group).ok().and_then(|factor| worth(factor, own)).unwrap_or(-1.0)
}

/// Whether links in it wait for something else than a policy.
fn is_own(group: GroupId) -> bool {
    [GroupId::PICTURES, GroupId::REVISITS].contains(&group)
}

/// Drops of leased links, in order.
type Drops = Box<dyn Iterator<Item = Result<DropRow, CrawlError>>>;

/// How far judging again has come.
struct Pass {
    /// The visit that is next.
    next: u64,
    result: Rejudged,
    verdicts: Verdicts,
    /// The last verdict of each link, where there are revisits.
    last: FxHashMap<LinkId, Judgement>,
    /// None if the policy does not mind the want: then links stay where they are.
    places: Option<Places>,
    drops: Peekable<Drops>,
}

impl Pass {
    /// Gives a row its new verdict. Whether that is another one.
    fn judge(&mut self, row: &mut VisitRow, again: &Again, has_revisits: bool) -> bool {
        let before = Judgement { relevance: row.relevance, relevant: row.relevant };
        let verdict = match again {
            Again::Page(page) => {
                let relevant = page.judgement.relevant && row.duplicate_of.is_none();
                Judgement { relevant, ..page.judgement }
            }
            // it has the verdict of the page that it repeats
            _ if row.is_unchanged => self.last.get(&row.link).copied().unwrap_or(before),
            _ => before,
        };
        self.result.pages += u64::from(matches!(again, Again::Page(_)));
        self.result.unread += u64::from(matches!(again, Again::Lost));
        if has_revisits && !row.is_failure() {
            self.last.insert(row.link, verdict);
        }
        (row.relevance, row.relevant) = (verdict.relevance, verdict.relevant);
        if row.is_page || row.is_unchanged {
            self.verdicts.push(row.n, verdict);
        }
        self.result.relevant += u64::from(row.relevant && !row.is_revisit);
        self.result.changed += u64::from(verdict != before);
        verdict != before
    }
}

impl Crawl {
    /// What was judged again when it was opened.
    pub fn rejudged(&self) -> Option<&Rejudged> {
        self.rejudged.as_ref()
    }

    /// Gives a visited page the verdict of a person, at once. Everything else is judged by it when the crawl is opened next.
    /// Whether there is such a page.
    pub fn set_verdict(&mut self, url: &CanonicalUrl, verdict: Judgement) -> Result<bool, CrawlError> {
        let Some(mut row) = self.visit(url)?.filter(|row| row.is_page && row.duplicate_of.is_none()) else {
            return Ok(false);
        };
        if !row.is_revisit {
            self.tally.relevant -= u64::from(row.relevant);
            self.tally.relevant += u64::from(verdict.relevant);
        }
        (row.relevance, row.relevant) = (verdict.relevance, verdict.relevant);
        self.ledger.save_rows(vec![visit_row(&row)?])?;
        Ok(true)
    }

    /// Ends this run with [`crate::Stop::Look`] as soon as nothing is under way.
    pub fn look_soon(&mut self) {
        if self.settings.look_at != Some(0) {
            std::sync::Arc::make_mut(&mut self.settings).look_at = Some(0);
        }
    }

    /// Records of the archive that were met and are damaged.
    pub fn damage(&self) -> Damage {
        self.ledger.archive_reader().damage()
    }

    /// The wants of before, oldest first.
    pub fn past_wants(&self) -> Result<Vec<PastWant>, CrawlError> {
        Ok(stored_wants(self.ledger.frontier())?.unwrap_or_default().past)
    }

    /// Whether everything has to be judged again; if so, that it is under way is stored. A crawl that does not know yet by
    /// which want its verdicts are takes them for those of today's.
    pub(crate) fn begin_rejudging(&mut self, how: &Rejudging<'_>) -> Result<bool, CrawlError> {
        let today = self.steering.want().to_owned();
        let stored = stored_wants(self.ledger.frontier())?;
        let is_unknown = stored.is_none();
        let mut wants = stored.unwrap_or_else(|| {
            // a restored frontier has the verdicts of the file
            let of_file = Some(self.verdicts.identity()).filter(|identity| !identity.is_empty());
            Wants { identity: of_file.unwrap_or(&today).to_owned(), ..Wants::default() }
        });
        let is_other = wants.identity != today && !today.is_empty();
        let is_due = how.always || is_other || wants.under_way.is_some();
        if is_due && self.tally.visit_rows() > 0 {
            let (visited, relevant) = (self.tally.visited, self.tally.relevant);
            let identity = wants.identity.clone();
            wants.under_way.get_or_insert(PastWant { until: how.now, identity, visited, relevant });
            self.ledger.save_rows(vec![wants.row()?])?;
            self.steering.keep_blank();
            return Ok(true);
        }
        if is_other || (is_unknown && !today.is_empty()) {
            wants.identity = today;
            self.ledger.save_rows(vec![wants.row()?])?;
        }
        Ok(false)
    }

    /// The pass.
    pub(crate) fn rejudge(&mut self, data: &Path, how: &mut Rejudging<'_>) -> Result<(), CrawlError> {
        let began = Instant::now();
        let (counts, total) = (self.tally.clone(), self.tally.visit_rows());
        let mut pass = self.begin_pass(how.now)?;
        while let Some(done) = self.rejudge_batch(&mut pass)? {
            if !(how.each)(done, total) {
                return Err(CrawlError::Stopped);
            }
        }
        let Pass { mut result, verdicts, places, mut drops, .. } = pass;
        if let Some(places) = places {
            self.tell_drops_before(u64::MAX, &mut drops)?;
            self.put_last(&places)?;
            (result.rescored, result.found) = places.compare(self.ledger.frontier());
        }
        // links that were skipped count once, not again
        self.tally = Tally { relevant: result.relevant, ..counts };
        result.visited = self.tally.visited;
        verdicts.write(data)?;
        self.end_rejudging(result, began)
    }

    fn begin_pass(&mut self, now: Timestamp) -> Result<Pass, CrawlError> {
        let stored = stored_policy(self.ledger.frontier())?.map(|stored| stored.identity);
        let minds_the_want = self.steering.minds_the_want(stored.as_deref());
        let places = if minds_the_want { Some(self.forget_places()?) } else { None };
        let drops: Drops = Box::new(drops(self.ledger.frontier(), 0));
        Ok(Pass {
            next: 1,
            result: Rejudged::default(),
            verdicts: Verdicts::of(self.steering.want(), now),
            last: FxHashMap::default(),
            places,
            drops: drops.peekable(),
        })
    }

    /// Judges the next visits again. The last of them; `None` if there are no more.
    fn rejudge_batch(&mut self, pass: &mut Pass) -> Result<Option<u64>, CrawlError> {
        let rows = visits(self.ledger.frontier(), pass.next).take(BATCH).collect::<Result<Vec<_>, _>>()?;
        let Some(end) = rows.last().map(|row| row.n) else { return Ok(None) };
        let (archive, reader) = (self.ledger.archive_reader(), &*self.reader);
        let (is_told, agent) = (pass.places.is_some(), self.settings.agent.as_str());
        let read = |row: &VisitRow| {
            let answer = || archive.read(row.archived?, Some(&row.url)).ok();
            Again::of(row, answer, reader, is_told, agent)
        };
        let read = on_all_cores(&rows, || (), |(), row| read(row));
        let mut changed = Vec::new();
        for (mut row, again) in rows.into_iter().zip(read) {
            if pass.judge(&mut row, &again, self.tally.revisits.pages > 0) {
                changed.push(visit_row(&row)?);
            }
            if let Some(places) = &mut pass.places {
                self.tell_drops_before(row.n, &mut pass.drops)?;
                self.tell_anew(row, &again, places)?;
            }
        }
        self.ledger.save_rows(changed)?;
        pass.next = end + 1;
        Ok(Some(end))
    }

    /// The commit that makes the pass true.
    fn end_rejudging(&mut self, mut result: Rejudged, began: Instant) -> Result<(), CrawlError> {
        let today = self.steering.want().to_owned();
        let mut wants = stored_wants(self.ledger.frontier())?.unwrap_or_default();
        if let Some(before) = &wants.under_way {
            result.relevant_before = before.relevant;
            let is_same = before.identity == today;
            result.knows_more = !is_same && asks_the_same(&before.identity, &today);
            result.is_new_want = !is_same && !result.knows_more;
        }
        wants.end(&today);
        let snapshot = self.steering.snapshot(&self.tally);
        self.ledger.end_rejudging(&self.tally, &snapshot, wants.row()?)?;
        result.seconds = began.elapsed().as_secs_f64();
        self.rejudged = Some(result);
        Ok(())
    }

    /// Nothing was said of any group, and the policy knows nothing.
    fn forget_places(&mut self) -> Result<Places, CrawlError> {
        let places = Places::new(self.ledger.frontier());
        self.steering.start_over()?;
        let factors = self.ledger.frontier().factors().collect::<Result<Vec<_>, _>>()?;
        for chunk in factors.chunks(CHUNK) {
            let factors = chunk.iter().map(|(group, _)| (*group, GroupFactor::ONE)).collect();
            let placed = Placed::of_factors(factors);
            self.ledger.place_anew(Anew { placed: Some(&placed), ..Anew::default() })?;
        }
        Ok(places)
    }

    /// Tells of links that were dropped before visit `n`.
    fn tell_drops_before(&mut self, n: u64, drops: &mut Peekable<Drops>) -> Result<(), CrawlError> {
        let is_before = |dropped: &Result<DropRow, _>| dropped.as_ref().map_or(true, |d| d.after < n);
        while let Some(dropped) = drops.next_if(is_before) {
            let dropped = dropped?;
            self.steering.tell_drop(&dropped)?;
            let placed = self.place(LinkSource::Nothing, dropped.depth, false)?;
            self.ledger.place_anew(Anew { placed: Some(&placed), ..Anew::default() })?;
        }
        Ok(())
    }

    /// Tells of a visit, and moves the links that wait to the places that the policy gives them now.
    fn tell_anew(&mut self, mut row: VisitRow, again: &Again, places: &mut Places) -> Result<(), CrawlError> {
        if let Some(carried) = places.carried.remove(&row.link) {
            let factor = self.ledger.frontier().factor(carried.group)?;
            (row.group, row.why) = (carried.group, why(carried, factor));
        }
        places.visited.insert(row.link);
        let (id, group, depth) = (row.link, row.group, row.depth);
        let parent = Some(row.url.clone());
        let block = BlockNote { parent, depth: depth + 1, ..BlockNote::default() };
        let placed = match (row.told, again) {
            (Told::Page, Again::Page(read)) => {
                let PageAgain { page, words, reading, judgement, is_nofollow } = &**read;
                let (page_words, reading, judgement) = (words, reading.as_ref(), *judgement);
                let (why, fresh) = (&row.why, &row.fresh);
                let visit = Visit { id, group, depth, page, page_words, reading, judgement, why, fresh };
                self.steering.page(&visit);
                let reader = std::sync::Arc::clone(&self.reader);
                let learned = reader.site.as_deref().zip(reading.map(|reading| reading.cluster));
                let is_copy = self.traps.is_copy(page.url(), &row);
                places.told.insert(id);
                self.place(LinkSource::Page { page, learned, is_copy }, depth + 1, *is_nofollow)?
            }
            (Told::Sitemap, Again::Sitemap(sitemap)) => {
                self.steering.sitemap(&SitemapVisit { id, depth, entries: &sitemap.entries });
                places.told.insert(id);
                self.place(LinkSource::Sitemap(sitemap), depth + 1, false)?
            }
            (Told::Failure, _) => {
                let url = CanonicalUrl::from_stored(&row.url).map_err(|cause| row_error("visit", &cause))?;
                let (group, cause) = (Some(group), row.cause());
                self.steering.failure(&Failure { id, url: &url, group, depth, cause });
                self.place(LinkSource::Nothing, depth, false)?
            }
            (Told::Repeat, _) => {
                self.steering.repeat(&row)?;
                self.place(LinkSource::Nothing, depth, false)?
            }
            // in a power cut: the policy goes on without it
            (Told::Page | Told::Sitemap | Told::Nothing, _) => return Ok(()),
        };
        let moves = self.follow_anew(&row, places)?;
        self.carry(&placed, places)?;
        let Places { placed: seen, .. } = places;
        let is_first = &mut |id| seen.insert(id);
        self.ledger.place_anew(Anew { block, placed: Some(&placed), moves, is_first: Some(is_first) })
    }

    /// What links carry that were visited later.
    fn carry(&self, placed: &Placed, places: &mut Places) -> Result<(), CrawlError> {
        let frontier = self.ledger.frontier();
        for link in placed.new_links() {
            let Some(id) = frontier.id(link.url).filter(|id| frontier.place(*id).is_none()) else { continue };
            if !places.visited.has(id) {
                let LinkNote { parts, .. } = decode("link", link.payload)?;
                places.carry(frontier, id, Carried { group: link.group, own: link.own, parts })?;
            }
        }
        Ok(())
    }

    /// Where a redirect leads waits, or waited, in the place of the link that led there.
    fn follow_anew(
        &self,
        row: &VisitRow,
        places: &mut Places,
    ) -> Result<Vec<(LinkId, GroupId, LinkScore)>, CrawlError> {
        if row.told != Told::Repeat || row.final_url == row.url || row.is_revisit {
            return Ok(Vec::new());
        }
        let frontier = self.ledger.frontier();
        let target = CanonicalUrl::from_stored(&row.final_url).ok();
        let Some(id) = target.and_then(|target| frontier.id(&target)) else { return Ok(Vec::new()) };
        let own = row.why.get("own").map_or(LinkScore::ONE, |own| LinkScore::new(*own));
        if let Some((group, _)) = frontier.place(id) {
            let is_moved = !is_own(group) && places.placed.insert(id);
            return Ok(if is_moved { vec![(id, row.group, own)] } else { Vec::new() });
        }
        let mut parts: Vec<(String, f32)> = row.why.clone().into_iter().collect();
        parts.retain(|(name, _)| name != "own" && name != "factor");
        places.carry(frontier, id, Carried { group: row.group, own, parts })?;
        Ok(Vec::new())
    }

    /// Links that the policy of before let wait and this one does not come last: their pages were told, and they were not
    /// placed. Start URLs, sitemaps, and links whose page cannot be read stay where they are.
    fn put_last(&mut self, places: &Places) -> Result<(), CrawlError> {
        let mut moves = Vec::new();
        for id in (0..places.known).map(LinkId) {
            let frontier = self.ledger.frontier();
            let Some((group, _)) = frontier.place(id) else { continue };
            if places.placed.has(id) || is_own(group) || group == GroupId::LAST {
                continue;
            }
            let block: BlockNote = decode("block", &frontier.link(id)?.block)?;
            let parent = block.parent.as_deref().and_then(|url| CanonicalUrl::from_stored(url).ok());
            let parent = parent.and_then(|url| frontier.id(&url));
            if block.sitemaps == 0 && parent.is_some_and(|parent| places.told.has(parent)) {
                moves.push((id, GroupId::LAST, LinkScore::ZERO));
            }
            if moves.len() >= CHUNK {
                let moves = std::mem::take(&mut moves);
                self.ledger.place_anew(Anew { moves, ..Anew::default() })?;
            }
        }
        self.ledger.place_anew(Anew { moves, ..Anew::default() })
    }
}

/// The signals that came with a place.
fn why(carried: Carried, factor: GroupFactor) -> BTreeMap<String, f32> {
    let mut why: BTreeMap<String, f32> = carried.parts.into_iter().collect();
    why.insert("own".to_owned(), carried.own.get());
    if let GroupFactor::Times(factor) = factor {
        why.insert("factor".to_owned(), factor.get());
    }
    why
}

fn visit_row(row: &VisitRow) -> Result<Row<'static>, CrawlError> {
    let value = serde_json::to_vec(&Compact(row)).map_err(|cause| row_error("visit", &cause))?;
    Ok(Row { table: Table::Visits, key: VisitRow::key(row.n).to_vec().into(), value: Some(value.into()) })
}

impl Again {
    /// Reads the answer of a visit again, and judges it. Sitemaps and words are needed only if somebody is `told`.
    fn of(
        row: &VisitRow,
        answer: impl Fn() -> Option<Response>,
        reader: &Reader,
        told: bool,
        agent: &str,
    ) -> Self {
        let is_sitemap = row.told == Told::Sitemap && told;
        if !(row.is_page || is_sitemap) || row.is_unchanged || row.archived.is_none() {
            return Self::Nothing;
        }
        let Some(response) = answer() else { return Self::Lost };
        if is_sitemap {
            return Self::Sitemap(read_sitemap(&response, &reader.rules));
        }
        if !is_page(&response) {
            return Self::Nothing;
        }
        let page = read_page(&response, &reader.rules);
        let reading = reader.site.as_ref().map(|site| site.read(&page));
        let words = PageWords::default();
        let judgement = reader.judge.judge(&page, &words, reading.as_ref());
        if told && reader.reads_words && row.told == Told::Page {
            words.of(&page);
        }
        let is_nofollow = told && is_nofollow(&page, &response, agent);
        Self::Page(Box::new(PageAgain { page, words, reading, judgement, is_nofollow }))
    }
}
