//! A start that failed: why, what to do about it, and trying again.
//!
//! A site may be down when a project is crawled for the first time, its robots.txt may fail, its first page may be refused.
//! That is no reason to give the project up: the run ends soon and says why ([`StartFailure`]), and the next one asks
//! again at once, whatever the clocks of its hosts say, because the user has just asked for it. Only start URLs, and what they
//! redirect to, are treated so; any other link that failed stays as it is.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use osprey_frontier::{Frontier, LinkInfo, LinkState, Pace, Row, Table};
use osprey_model::{CanonicalUrl, LinkId};
use serde::Serialize;

use crate::ask::has_answered;
use crate::robots::{Rules, stored_answer};
use crate::rows::visit_of_key;
use crate::work::Job;
use crate::{Crawl, CrawlError, Skip, VisitRow};

/// Redirects of a start URL that are followed here; a crawl may have allowed as many as it likes.
const MAX_HOPS: usize = 20;
/// Failures that are remembered, and told.
const MOST: usize = 20;

const AGAIN: &str = "run the same command again when it is up";

/// A start URL that brought nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StartFailure {
    /// Which; where it redirects, the last URL that was tried.
    pub url: String,
    /// What happened.
    pub reason: String,
    /// What to do about it.
    pub remedy: String,
}

/// `{url}: {reason}; {remedy}`
impl fmt::Display for StartFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.url, self.reason, self.remedy)
    }
}

/// Why requests failed, by URL or by origin, while no page has come.
#[derive(Debug, Default)]
pub(crate) struct StartTroubles(BTreeMap<String, String>);

/// Where a start URL leads.
struct StartEnd {
    url: CanonicalUrl,
    /// `None` if it is not known, which only a redirect that was not followed can be.
    info: Option<LinkInfo>,
    /// Its visit, or that of the redirect.
    row: Option<VisitRow>,
}

impl Crawl {
    /// Start URLs that failed wait again, and their hosts are asked at once. What a recording answered it will answer
    /// again: it is only asked again if it had nothing at all, since then it may have been exchanged.
    pub(crate) fn retry_start(&mut self) -> Result<(), CrawlError> {
        let asks_again = self.settings.is_live || !self.tally.has_page();
        let (mut again, mut forgotten) = (Vec::new(), Vec::new());
        for seed in self.settings.seeds.clone() {
            let end = start_end(self.ledger.frontier(), &seed)?;
            if self.settings.is_live {
                forgotten.extend(self.ask_at_once(&end.url)?);
            }
            if !self.tally.has_page() {
                self.end_delay(&end)?;
            }
            let Some(id) = self.link_to_retry(&end, asks_again)? else { continue };
            again.push(id);
            // so that it counts as the first visit, not as a revisit
            forgotten.push(Row { table: Table::Meta, key: visit_of_key(id).into(), value: None });
        }
        if again.is_empty() && forgotten.is_empty() {
            return Ok(());
        }
        again.sort_unstable();
        again.dedup();
        self.ledger.try_again(again, forgotten)
    }

    /// The link to put back for a start URL, if there is one.
    fn link_to_retry(&mut self, end: &StartEnd, asks_again: bool) -> Result<Option<LinkId>, CrawlError> {
        let Some(info) = &end.info else { return Ok(None) };
        let is_failure = end.row.as_ref().is_none_or(VisitRow::is_failure);
        let again = match info.state {
            LinkState::Failed(_) => asks_again && is_failure,
            LinkState::Dropped(reason) => match Skip::from_code(reason) {
                Some(Skip::RobotsUnreachable) => asks_again,
                // rules are kept for a day
                Some(Skip::Robots) => match self.rules(&end.url)? {
                    Rules::Known(robots) => robots.permit(&end.url).is_some(),
                    _ => self.settings.is_live,
                },
                _ => self.gate().check(&end.url, 0).is_ok(),
            },
            // a redirect whose target may be fetched now
            LinkState::Done => match end.row.as_ref().and_then(refused_target) {
                Some(target) => self.gate().check(&target, 0).is_ok(),
                None => false,
            },
            _ => false,
        };
        Ok(again.then_some(info.id))
    }

    /// A start URL that waits to be tried again need not wait.
    fn end_delay(&mut self, end: &StartEnd) -> Result<(), CrawlError> {
        let Some(info) = end.info.as_ref().filter(|info| info.retry_at.is_some()) else { return Ok(()) };
        let now = self.clock.now();
        match self.ledger.frontier_mut().claim(info.id, now)? {
            Some(lease) => self.release(&Job::decode(lease)?).map(drop),
            None => Ok(()),
        }
    }

    /// Lets a host that never answered be asked at once. Returns the row that forgets why not, if there is one.
    fn ask_at_once(&mut self, url: &CanonicalUrl) -> Result<Option<Row<'static>>, CrawlError> {
        let host = url.host_key();
        let Some(info) = self.ledger.frontier().host(&host) else { return Ok(None) };
        if has_answered(&info) {
            return Ok(None);
        }
        let frontier = self.ledger.frontier_mut();
        if let Some(until) = info.resting_until {
            frontier.end_rest(&host, until);
        }
        frontier.set_pace(&host, Pace { streak: 0, slowdown: Duration::ZERO, ..info.pace });
        let stored = stored_answer(self.ledger.frontier(), url)?;
        let is_unreachable = stored.is_some_and(|(status, _)| is_unreachable(status));
        let key = || url.origin().as_bytes().to_vec().into();
        Ok(is_unreachable.then(|| Row { table: Table::Robots, key: key(), value: None }))
    }

    /// How long is waited at most for a host.
    pub(crate) fn patience(&self) -> Duration {
        let max_idle = self.settings.max_idle;
        if self.tally.has_page() { max_idle } else { max_idle.min(self.settings.start_patience) }
    }

    /// Remembers why a request failed, as long as no page has come.
    pub(crate) fn note_trouble(&mut self, key: &str, why: &dyn fmt::Display) {
        let troubles = &mut self.troubles.0;
        if !self.tally.has_page() && (troubles.len() < MOST || troubles.contains_key(key)) {
            troubles.insert(key.to_owned(), why.to_string());
        }
    }

    /// The start URLs that brought nothing so far.
    pub(crate) fn start_failures(&mut self) -> Result<Vec<StartFailure>, CrawlError> {
        let mut failures: Vec<StartFailure> = Vec::new();
        for seed in self.settings.seeds.clone() {
            let end = start_end(self.ledger.frontier(), &seed)?;
            if let Some((reason, remedy)) = self.why_failed(&end)? {
                let failure = StartFailure { url: end.url.to_string(), reason, remedy };
                if !failures.contains(&failure) {
                    failures.push(failure);
                }
            }
            if failures.len() >= MOST {
                break;
            }
        }
        Ok(failures)
    }

    fn why_failed(&self, end: &StartEnd) -> Result<Option<(String, String)>, CrawlError> {
        let Some(info) = &end.info else { return Ok(None) };
        Ok(match info.state {
            LinkState::Failed(_) => end.row.as_ref().filter(|row| row.is_failure()).map(of_visit),
            LinkState::Dropped(reason) => match Skip::from_code(reason) {
                Some(Skip::RobotsUnreachable) => Some(self.silence(&end.url)?),
                Some(skip) => Some(self.of_skip(skip, &end.url)?),
                None => None,
            },
            LinkState::Done => end.row.as_ref().and_then(refused_target).map(|target| {
                let why = self.gate().check(&target, 0).err();
                let why = why.map_or("not followed", Skip::words);
                let remedy = format!("add `{target}` to `crawl.seeds`, or widen `crawl.scope`");
                (format!("redirects to {target}: {why}"), remedy)
            }),
            LinkState::Waiting => {
                let robots = stored_answer(self.ledger.frontier(), &end.url)?;
                match self.troubles.0.get(end.url.as_str()) {
                    Some(why) => Some((why.clone(), AGAIN.to_owned())),
                    None if robots.is_some_and(|(status, _)| is_unreachable(status)) => {
                        Some(self.silence(&end.url)?)
                    }
                    None => None,
                }
            }
            _ => None,
        })
    }

    /// A host whose robots.txt could not be had: nothing of it may be asked for.
    fn silence(&self, url: &CanonicalUrl) -> Result<(String, String), CrawlError> {
        let status = stored_answer(self.ledger.frontier(), url)?.map_or(0, |(status, _)| status);
        let why = match self.troubles.0.get(url.origin()) {
            Some(why) => why.clone(),
            None if status > 0 => format!("status {status}"),
            None => "no answer".to_owned(),
        };
        let reason =
            format!("its robots.txt could not be fetched ({why}), so nothing of it may be asked for");
        Ok((reason, AGAIN.to_owned()))
    }

    fn of_skip(&self, skip: Skip, url: &CanonicalUrl) -> Result<(String, String), CrawlError> {
        let reason = match skip {
            Skip::Robots => {
                let verdict = self.robots_verdict(url)?.unwrap_or_default();
                format!("{} ({verdict})", skip.words())
            }
            Skip::Scope => {
                let refusal = self.settings.scope.check(url).err();
                refusal.map_or_else(|| skip.words().to_owned(), |refusal| refusal.to_string())
            }
            _ => skip.words().to_owned(),
        };
        Ok((reason, skip.remedy().unwrap_or("begin with another page: `crawl.seeds`").to_owned()))
    }
}

/// Follows the redirects of a start URL.
fn start_end(frontier: &Frontier, seed: &CanonicalUrl) -> Result<StartEnd, CrawlError> {
    let mut url = seed.clone();
    for _ in 0..MAX_HOPS {
        let Some(info) = frontier.lookup(&url)? else { break };
        let row = crate::inspect::visit_of(frontier, info.id)?;
        let next = row.as_ref().and_then(target).filter(|next| frontier.contains(next));
        match next {
            Some(next) if next != url => url = next,
            _ => return Ok(StartEnd { url, info: Some(info), row }),
        }
    }
    Ok(StartEnd { url, info: None, row: None })
}

/// Where a visit redirected to.
fn target(row: &VisitRow) -> Option<CanonicalUrl> {
    let is_redirect = (300..400).contains(&row.status) && row.final_url != row.url;
    CanonicalUrl::from_stored(&row.final_url).ok().filter(|_| is_redirect)
}

/// The same if it was not followed, for a reason that a change of the configuration may remove.
fn refused_target(row: &VisitRow) -> Option<CanonicalUrl> {
    let is_refused = row.notes.iter().any(|note| note.starts_with("redirect not followed"));
    target(row).filter(|_| is_refused)
}

/// Whether a robots.txt with this status (0: none came) forbids everything for now.
pub(crate) fn is_unreachable(status: u16) -> bool {
    status == 0 || status >= 500
}

/// Reason and remedy of a visit that failed.
fn of_visit(row: &VisitRow) -> (String, String) {
    let note = row.notes.join("; ");
    if row.status == 0 {
        let (kind, why) = note.split_once(": ").unwrap_or(("", note.as_str()));
        let remedy = match kind {
            // the guard names the key itself
            "refused" => "if it is a site of your own network, set `fetch.allow_private = true`",
            "dns" => "check the name in `crawl.seeds`, or run the same command again when it resolves",
            "recording" => "check `source.path`",
            "internal" => "please report this URL",
            _ => AGAIN,
        };
        let why = why.split("; set `fetch.").next().unwrap_or(why);
        return (why.to_owned(), remedy.to_owned());
    }
    let remedy = match row.status {
        401 | 403 | 407 => "the site refuses it: check `crawl.seeds`, `fetch.user_agent` and cookies",
        429 | 503 => "the site asks to come back later: run the same command then",
        500.. => AGAIN,
        _ => "check the address in `crawl.seeds`",
    };
    let note = if note.is_empty() { note } else { format!(" ({note})") };
    (format!("status {}{note}", row.status), remedy.to_owned())
}
