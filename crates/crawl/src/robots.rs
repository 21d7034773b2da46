//! The robots rules of the hosts met so far: kept for a day, durable, asked for once. And the asking, which may lead
//! over several redirects, each of which waits for its turn at its host like any other request.

use std::sync::Arc;
use std::time::Duration;

use osprey_frontier::{Frontier, FrontierError, Row, Table};
use osprey_model::robots::{MAX_BODY, Robots, RobotsAnswer};
use osprey_model::{CanonicalUrl, HostKey, Permitted, Response, Timestamp, UrlRules};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// RFC 9309 asks for no longer than a day.
const KEEP: Duration = Duration::from_secs(24 * 60 * 60);
/// How long a host that is gone is remembered to be; a later run asks again.
const RECENTLY: Duration = Duration::from_secs(60 * 60);
/// Rules held in memory; the rest wait in the store.
const MAX_HELD: usize = 4096;
/// Redirects followed for robots.txt, by RFC 9309.
const MAX_HOPS: usize = 5;

/// One request for a robots.txt, to be made and given to [`Crawl::absorb_robots`](crate::Crawl::absorb_robots).
#[derive(Debug)]
pub struct RobotsTask {
    /// A URL of the origin whose rules are wanted.
    pub(crate) home: CanonicalUrl,
    /// What to request.
    pub target: Permitted,
    /// Redirects so far.
    hops: usize,
    /// The turn that this request uses, while it is under way.
    pub(crate) turn: RobotsTurn,
}

/// Whose turn a request for robots.txt uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RobotsTurn {
    /// None yet.
    Waiting,
    /// One that the frontier gave.
    Host(HostKey),
    /// One of a host that has no link and so is not known to the frontier.
    Unlisted(HostKey),
}

impl RobotsTask {
    /// The first request.
    pub(crate) fn new(home: CanonicalUrl) -> Self {
        Self { target: Permitted::robots_txt(&home), home, hops: 0, turn: RobotsTurn::Waiting }
    }

    /// The request that `answer` leads to, if it is a redirect to follow.
    pub(crate) fn next(&self, answer: &Response, rules: &UrlRules) -> Option<Self> {
        let to = self.target.url().join(answer.location()?, rules).ok()?;
        let target = self.target.robots_redirect(to).filter(|_| self.hops < MAX_HOPS)?;
        let (home, hops, turn) = (self.home.clone(), self.hops + 1, RobotsTurn::Waiting);
        Some(Self { home, target, hops, turn })
    }

    /// Whether this is the file of the origin itself.
    pub(crate) fn is_first(&self) -> bool {
        self.hops == 0
    }
}

/// What is known of a host's rules.
#[derive(Clone, Debug)]
pub(crate) enum Rules {
    /// Never asked, or too long ago.
    Unknown,
    /// These bind us.
    Known(Arc<Robots>),
    /// The host fails to give them; RFC 9309: nothing is allowed for now.
    Unreachable,
    /// The same, and not even an answer came.
    Silent,
}

/// As stored.
#[derive(Serialize, Deserialize)]
struct StoredAnswer {
    at_ms: i64,
    status: u16,
    body: Vec<u8>,
}

/// The rules by origin.
#[derive(Debug)]
pub(crate) struct RobotsBook {
    held: FxHashMap<String, (Timestamp, Rules)>,
    /// How long a host that did not answer counts as unreachable; then it is asked again.
    silence: Duration,
}

impl RobotsBook {
    pub(crate) fn new(silence: Duration) -> Self {
        Self { held: FxHashMap::default(), silence }
    }

    fn keep(&self, rules: &Rules) -> Duration {
        if matches!(rules, Rules::Unreachable | Rules::Silent) { self.silence } else { KEEP }
    }

    /// The rules for `url`'s origin.
    pub(crate) fn rules(
        &mut self,
        frontier: &Frontier,
        url: &CanonicalUrl,
        agent: &str,
        now: Timestamp,
    ) -> Result<Rules, FrontierError> {
        if let Some((at, rules)) = self.held.get(url.origin())
            && now.since(*at) < self.keep(rules)
        {
            return Ok(rules.clone());
        }
        let Some(stored) = stored(frontier, url)? else { return Ok(Rules::Unknown) };
        let (at, rules) = (Timestamp::from_millis(stored.at_ms), read(stored.status, &stored.body, agent));
        if now.since(at) >= self.keep(&rules) {
            return Ok(Rules::Unknown);
        }
        self.hold(url.origin(), at, rules.clone());
        Ok(rules)
    }

    /// Learns an answer (status 0: none came); the returned row makes it durable.
    pub(crate) fn learn(
        &mut self,
        url: &CanonicalUrl,
        status: u16,
        body: &[u8],
        agent: &str,
        now: Timestamp,
    ) -> Row<'static> {
        self.hold(url.origin(), now, read(status, body, agent));
        let body = body.get(..body.len().min(MAX_BODY)).unwrap_or_default().to_vec();
        let stored = StoredAnswer { at_ms: now.as_millis(), status, body };
        let value = postcard::to_stdvec(&stored).ok().map(Into::into);
        Row { table: Table::Robots, key: url.origin().as_bytes().to_vec().into(), value }
    }

    /// Takes everything of an origin for allowed, for this run: whatever is asked for there is refused by our own guard.
    pub(crate) fn allow(&mut self, url: &CanonicalUrl, now: Timestamp) {
        self.hold(url.origin(), now, Rules::Known(Arc::new(Robots::allow_all())));
    }

    /// Whether the last answer, not long before `now`, was none.
    pub(crate) fn was_silent(
        &self,
        frontier: &Frontier,
        url: &CanonicalUrl,
        now: Timestamp,
    ) -> Result<bool, FrontierError> {
        let is_recent = |answer: &StoredAnswer| now.since(Timestamp::from_millis(answer.at_ms)) < RECENTLY;
        Ok(stored(frontier, url)?.is_some_and(|answer| answer.status == 0 && is_recent(&answer)))
    }

    fn hold(&mut self, origin: &str, at: Timestamp, rules: Rules) {
        if self.held.len() >= MAX_HELD {
            self.held.clear();
        }
        self.held.insert(origin.to_owned(), (at, rules));
    }
}

/// Status and body of the stored robots.txt of `url`'s origin, however old.
pub(crate) fn stored_answer(
    frontier: &Frontier,
    url: &CanonicalUrl,
) -> Result<Option<(u16, Vec<u8>)>, FrontierError> {
    Ok(stored(frontier, url)?.map(|answer| (answer.status, answer.body)))
}

fn stored(frontier: &Frontier, url: &CanonicalUrl) -> Result<Option<StoredAnswer>, FrontierError> {
    let bytes = frontier.row(Table::Robots, url.origin().as_bytes())?;
    Ok(bytes.and_then(|bytes| postcard::from_bytes(&bytes).ok()))
}

/// What a stored answer means; status 0 stands for none.
pub(crate) fn answer(status: u16, body: &[u8], agent: &str) -> RobotsAnswer {
    RobotsAnswer::new(Some(status).filter(|status| *status > 0), body, agent)
}

fn read(status: u16, body: &[u8], agent: &str) -> Rules {
    match answer(status, body, agent) {
        RobotsAnswer::Rules(robots) => Rules::Known(Arc::new(robots)),
        RobotsAnswer::AllowAll => Rules::Known(Arc::new(Robots::allow_all())),
        RobotsAnswer::Unreachable if status == 0 => Rules::Silent,
        RobotsAnswer::Unreachable => Rules::Unreachable,
    }
}
