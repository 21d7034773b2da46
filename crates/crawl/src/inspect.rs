//! Reading a crawl that is not running: for `status`, `explain` and `export`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use osprey_archive::{ArchiveReader, Position};
use osprey_frontier::{Frontier, HostInfo, LinkInfo, LinkState, Stats, Table};
use osprey_model::robots::RobotsAnswer;
use osprey_model::{CanonicalUrl, GroupId, LinkId, Response, Timestamp};
use osprey_page::PageRules;
use osprey_steer::Policy;
use osprey_structure::Site;

use crate::open::{PATIENCE, open_when_free};
use crate::pictures::{self, PictureRow};
use crate::records::RecordLog;
use crate::revisit::revisits_of;
use crate::robots::{answer, stored_answer};
use crate::rows::{PolicyState, decode, row_error, stored_closed, stored_policy, stored_tally, visit_of_key};
use crate::traps::Traps;
use crate::wants::{PastWant, stored_wants};
use crate::{
    BlockNote, ClosedPattern, Crawl, CrawlError, Idle, LinkNote, Revisits, Settings, Skip, Tally, VisitRow,
};

/// Redirects of a picture that are followed; a crawl may have allowed as many as it likes.
const MAX_REDIRECTS: usize = 20;

/// A crawl's stores, opened to look.
pub struct Inspection {
    pub(crate) frontier: Frontier,
    data: PathBuf,
}

/// The state of a URL, and why.
#[derive(Debug)]
pub enum Standing {
    /// Fetched, with or without success.
    Visited(Box<VisitRow>),
    /// Waits, is parked, is in flight, or was dropped or given up.
    Known(Box<KnownLink>),
    /// Never added, for this reason and in these words.
    Refused(Skip, String),
    /// In scope, but no fetched page links to it.
    Unknown,
}

/// A link in the frontier.
#[derive(Debug)]
pub struct KnownLink {
    /// The frontier's row.
    pub info: LinkInfo,
    /// Of the page that found it.
    pub block: BlockNote,
    /// Of the link.
    pub note: LinkNote,
    /// Its host.
    pub host: Option<HostInfo>,
    /// Why it counts as a trap, in words, if it was dropped as one.
    pub trap: Option<String>,
}

impl Inspection {
    /// How long to wait for another process that only looks.
    pub const PATIENCE: Duration = PATIENCE;

    /// Opens the stores under `data`. Fails if they are in use for longer than `patience`: a crawl is running.
    pub fn open(
        data: &Path,
        options: &osprey_frontier::Options,
        patience: Duration,
    ) -> Result<Self, CrawlError> {
        let dir = data.join("frontier");
        if !dir.exists() {
            return Err(CrawlError::Nothing(data.to_owned()));
        }
        let frontier = open_when_free(&dir, options, patience)?;
        crate::format::check(&frontier)?;
        Ok(Self { frontier, data: data.to_owned() })
    }

    /// The policy's last snapshot: its identity, the visits it had been told of, its state.
    pub fn policy_snapshot(&self) -> Result<(String, u64, Vec<u8>), CrawlError> {
        let PolicyState { identity, visits, state, .. } = stored_policy(&self.frontier)?.unwrap_or_default();
        Ok((identity, visits, state))
    }

    /// The crawl's counts.
    pub fn tally(&self) -> Result<Tally, CrawlError> {
        stored_tally(&self.frontier)
    }

    /// The wants of before, oldest first.
    pub fn past_wants(&self) -> Result<Vec<PastWant>, CrawlError> {
        Ok(stored_wants(&self.frontier)?.unwrap_or_default().past)
    }

    /// What was closed as a trap when the last run ended.
    pub fn closed_patterns(&self) -> Result<Vec<ClosedPattern>, CrawlError> {
        stored_closed(&self.frontier)
    }

    /// The frontier's counts.
    pub fn stats(&self) -> Stats {
        self.frontier.stats()
    }

    /// What the next run would wait for.
    pub fn idle(&mut self, now: Timestamp, group_noun: &str) -> Idle {
        Idle::of(&mut self.frontier, now, group_noun)
    }

    /// The hosts met so far.
    pub fn hosts(&self) -> Vec<HostInfo> {
        self.frontier.hosts().collect()
    }

    /// All visits in order.
    pub fn visits(&self) -> impl Iterator<Item = Result<VisitRow, CrawlError>> {
        visits(&self.frontier, 1)
    }

    /// Stores the records of all visits, as `site` reads them: what is missing or was read otherwise is read again.
    pub fn complete_records(&self, site: &Site, rules: &PageRules) -> Result<(), CrawlError> {
        RecordLog::open(&self.data, &self.frontier, self.tally()?.visit_rows(), site, rules).map(drop)
    }

    /// All pictures in the order they came.
    pub fn pictures(&self) -> impl Iterator<Item = Result<PictureRow, CrawlError>> {
        pictures::pictures(&self.frontier)
    }

    /// The picture that was fetched for a URL, over its redirects; `None` if none was.
    pub fn picture(&self, url: &CanonicalUrl) -> Result<Option<PictureRow>, CrawlError> {
        picture(&self.frontier, url)
    }

    /// The visit of a URL; `None` if it was not fetched.
    pub fn visit(&self, url: &CanonicalUrl) -> Result<Option<VisitRow>, CrawlError> {
        visit_to(&self.frontier, url)
    }

    /// Notes of some links that wait, from all over the frontier.
    pub fn some_waiting(&self, most: u32) -> Result<Vec<LinkNote>, CrawlError> {
        some_waiting(&self.frontier, most)
    }

    /// What was archived at a place.
    pub fn archived(&self, position: Position) -> Result<Response, CrawlError> {
        Ok(ArchiveReader::new(&self.data.join("archive")).read(position, None)?)
    }

    /// The state of `url`.
    pub fn standing(&self, url: &CanonicalUrl, settings: &Settings) -> Result<Standing, CrawlError> {
        standing(&self.frontier, url, settings, |url| {
            let mut traps = Traps::new(settings.traps.clone());
            for row in self.visits() {
                let row = row?;
                if let Ok(url) = CanonicalUrl::from_stored(&row.url) {
                    traps.learn(&url, &row);
                }
            }
            Ok(traps.explain(url))
        })
    }

    /// What the revisits of a URL found; `None` if there were none.
    pub fn revisits(&self, url: &CanonicalUrl) -> Result<Option<Revisits>, CrawlError> {
        revisits(&self.frontier, url)
    }

    /// In words, what the stored robots rules say of `url`; `None` if they were never fetched.
    pub fn robots_verdict(&self, url: &CanonicalUrl, agent: &str) -> Result<Option<String>, CrawlError> {
        robots_verdict(&self.frontier, url, agent)
    }
}

/// Questions about a crawl while it runs, for its owner.
impl Crawl {
    /// The visit of a URL; `None` if it was not fetched.
    pub fn visit(&self, url: &CanonicalUrl) -> Result<Option<VisitRow>, CrawlError> {
        visit_to(self.ledger.frontier(), url)
    }

    /// The state of `url`.
    pub fn standing(&self, url: &CanonicalUrl) -> Result<Standing, CrawlError> {
        standing(self.ledger.frontier(), url, &self.settings, |url| Ok(self.traps.explain(url)))
    }

    /// In words, what the robots rules say of `url`; `None` if they were never fetched.
    pub fn robots_verdict(&self, url: &CanonicalUrl) -> Result<Option<String>, CrawlError> {
        robots_verdict(self.ledger.frontier(), url, &self.settings.agent)
    }

    /// What the revisits of a URL found; `None` if there were none.
    pub fn revisits(&self, url: &CanonicalUrl) -> Result<Option<Revisits>, CrawlError> {
        revisits(self.ledger.frontier(), url)
    }

    /// Who scores its links.
    pub fn policy(&self) -> &dyn Policy {
        self.steering.policy()
    }

    /// Notes of some links that wait, from all over the frontier.
    pub fn some_waiting(&self, most: u32) -> Result<Vec<LinkNote>, CrawlError> {
        some_waiting(self.ledger.frontier(), most)
    }

    /// All visits in order.
    pub fn visits(&self) -> impl Iterator<Item = Result<VisitRow, CrawlError>> {
        visits(self.ledger.frontier(), 1)
    }

    /// The n-th visit, from 1.
    pub fn visit_number(&self, n: u64) -> Result<Option<VisitRow>, CrawlError> {
        visit(self.ledger.frontier(), n)
    }

    /// The picture that was fetched for a URL, over its redirects; `None` if none was.
    pub fn picture(&self, url: &CanonicalUrl) -> Result<Option<PictureRow>, CrawlError> {
        picture(self.ledger.frontier(), url)
    }
}

fn standing(
    frontier: &Frontier,
    url: &CanonicalUrl,
    settings: &Settings,
    trap: impl FnOnce(&CanonicalUrl) -> Result<Option<String>, CrawlError>,
) -> Result<Standing, CrawlError> {
    if let Some(info) = frontier.lookup(url)? {
        if let Some(row) = visit_of(frontier, info.id)? {
            return Ok(Standing::Visited(Box::new(row)));
        }
        let (block, note) = (decode("block", &info.block)?, decode("link", &info.payload)?);
        let host = frontier.host(&url.host_key());
        let mut link = KnownLink { info, block, note, host, trap: None };
        if link.dropped() == Some(Skip::Trap) {
            link.trap = trap(url)?;
        }
        return Ok(Standing::Known(Box::new(link)));
    }
    if let Err(refusal) = settings.scope.check(url) {
        return Ok(Standing::Refused(Skip::Scope, refusal.to_string()));
    }
    Ok(match trap(url)? {
        Some(words) => Standing::Refused(Skip::Trap, words),
        None => Standing::Unknown,
    })
}

fn revisits(frontier: &Frontier, url: &CanonicalUrl) -> Result<Option<Revisits>, CrawlError> {
    frontier.lookup(url)?.map_or(Ok(None), |info| revisits_of(frontier, info.id))
}

fn robots_verdict(
    frontier: &Frontier,
    url: &CanonicalUrl,
    agent: &str,
) -> Result<Option<String>, CrawlError> {
    let Some((status, body)) = stored_answer(frontier, url)? else { return Ok(None) };
    Ok(Some(match answer(status, &body, agent) {
        RobotsAnswer::Rules(robots) => robots.explain(url).to_string(),
        RobotsAnswer::AllowAll => format!("no rules: robots.txt answered {status}"),
        RobotsAnswer::Unreachable => "robots.txt could not be fetched: nothing is allowed for now".to_owned(),
    }))
}

fn picture(frontier: &Frontier, url: &CanonicalUrl) -> Result<Option<PictureRow>, CrawlError> {
    let mut url = url.clone();
    for _ in 0..MAX_REDIRECTS {
        let Some(info) = frontier.lookup(&url)? else { return Ok(None) };
        let Some(row) = pictures::picture_of(frontier, info.id)? else { return Ok(None) };
        match CanonicalUrl::from_stored(&row.final_url) {
            Ok(next) if row.final_url != row.url => url = next,
            _ => return Ok(Some(row).filter(|row| !row.is_failure())),
        }
    }
    Ok(None)
}

/// Looks at four times as many links as are wanted, at equal distances: about so many wait of those that are known.
fn some_waiting(frontier: &Frontier, most: u32) -> Result<Vec<LinkNote>, CrawlError> {
    let known = u32::try_from(frontier.known()).unwrap_or(u32::MAX);
    let step = (known / most.saturating_mul(4).max(1)).max(1);
    let mut notes = Vec::new();
    for id in (0..known).step_by(step as usize) {
        let Ok(info) = frontier.link(LinkId(id)) else { continue };
        if info.state == LinkState::Waiting && ![GroupId::PICTURES, GroupId::REVISITS].contains(&info.group) {
            notes.push(decode("link", &info.payload)?);
        }
        if notes.len() >= most as usize {
            break;
        }
    }
    Ok(notes)
}

fn visit_to(frontier: &Frontier, url: &CanonicalUrl) -> Result<Option<VisitRow>, CrawlError> {
    frontier.lookup(url)?.map_or(Ok(None), |info| visit_of(frontier, info.id))
}

/// The last full answer for a link.
pub(crate) fn visit_of(frontier: &Frontier, link: LinkId) -> Result<Option<VisitRow>, CrawlError> {
    let Some(key) = frontier.row(Table::Meta, &visit_of_key(link))? else { return Ok(None) };
    visit_at(frontier, &key)
}

impl KnownLink {
    /// The reason it was dropped, if it was.
    pub fn dropped(&self) -> Option<Skip> {
        match self.info.state {
            LinkState::Dropped(reason) | LinkState::Refused(reason) => Skip::from_code(reason),
            _ => None,
        }
    }
}

/// Visits from number `from` on.
pub(crate) fn visits(frontier: &Frontier, from: u64) -> impl Iterator<Item = Result<VisitRow, CrawlError>> {
    frontier.rows(Table::Visits, &VisitRow::key(from)).map(|row| {
        let (key, value) = row?;
        read_visit(&key, &value)
    })
}

/// Visit number `n`.
pub(crate) fn visit(frontier: &Frontier, n: u64) -> Result<Option<VisitRow>, CrawlError> {
    visit_at(frontier, &VisitRow::key(n))
}

pub(crate) fn visit_at(frontier: &Frontier, key: &[u8]) -> Result<Option<VisitRow>, CrawlError> {
    frontier.row(Table::Visits, key)?.map(|value| read_visit(key, &value)).transpose()
}

fn read_visit(key: &[u8], value: &[u8]) -> Result<VisitRow, CrawlError> {
    serde_json::from_slice(value).map_err(|cause| {
        let n = key.try_into().map(u64::from_be_bytes).unwrap_or_default();
        row_error(&format!("visits/{n}"), &cause)
    })
}
