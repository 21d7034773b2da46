//! The robots rules of the hosts met so far: kept for a day, durable, asked for once. And the asking, which may lead
//! over several redirects, each of which waits for its turn at its host like any other request.
//!
//! Memory holds the rules that were used lately, up to a number of bytes and not of hosts: a file may have 500 KiB. The
//! others are read again from the store, where long files are compressed: what the store holds in memory on the way to the
//! disk, and does not give back, grows with what it is given.

use std::io::{Read, Write};
use std::sync::Arc;
use std::time::Duration;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use osprey_frontier::{Frontier, FrontierError, Lane, Row, Table};
use osprey_model::robots::{MAX_BODY, Robots, RobotsAnswer};
use osprey_model::{CanonicalUrl, HostKey, Permitted, Response, Timestamp, UrlRules};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// RFC 9309 asks for no longer than a day.
const KEEP: Duration = Duration::from_secs(24 * 60 * 60);
/// How long a host that is gone is remembered to be; a later run asks again.
const RECENTLY: Duration = Duration::from_secs(60 * 60);
/// Bytes of rules held in memory, about; the rest wait in the store.
const MAX_HELD: usize = 32 << 20;
/// What an entry takes beside its rules.
const ENTRY_BYTES: usize = 256;
/// Files are compressed in the store from this size on.
const LONG_FILE: usize = 4 << 10;
/// What a compressed file begins with. No text does.
const GZIP: &[u8] = &[0x1f, 0x8b];
/// In the place of the status of a file that broke off. No server sends it, and it is read as one that fails.
const INCOMPLETE: u16 = 1;
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
    /// Whether a picture waits for it, and not a page.
    pub(crate) is_picture: bool,
    /// What may be expected of the host that is asked.
    pub(crate) lane: Lane,
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
    pub(crate) fn new(home: CanonicalUrl, is_picture: bool) -> Self {
        let (target, turn, lane) = (Permitted::robots_txt(&home), RobotsTurn::Waiting, Lane::UnprovenPage);
        Self { home, target, hops: 0, turn, is_picture, lane }
    }

    /// The request that `answer` leads to, if it is a redirect to follow.
    pub(crate) fn next(&self, answer: &Response, rules: &UrlRules) -> Option<Self> {
        let to = self.target.url().join(answer.location()?, rules).ok()?;
        let target = self.target.robots_redirect(to).filter(|_| self.hops < MAX_HOPS)?;
        let (home, hops, turn) = (self.home.clone(), self.hops + 1, RobotsTurn::Waiting);
        Some(Self { home, target, hops, turn, ..*self })
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
    /// See [`pack`].
    body: Vec<u8>,
}

/// The rules by origin.
#[derive(Debug)]
pub(crate) struct RobotsBook {
    /// Those that were used lately.
    recent: HeldRules,
    /// Those that were used before: they go when the recent ones fill half of the memory, unless they are used again.
    older: HeldRules,
    max_bytes: usize,
    /// How long a host that did not answer counts as unreachable; then it is asked again.
    silence: Duration,
}

/// Rules in memory, and their bytes.
#[derive(Debug, Default)]
struct HeldRules {
    by_origin: FxHashMap<String, (Timestamp, Rules)>,
    bytes: usize,
}

impl HeldRules {
    fn insert(&mut self, origin: String, at: Timestamp, rules: Rules) {
        let bytes = held_bytes(&origin, &rules);
        self.remove(&origin);
        self.by_origin.insert(origin, (at, rules));
        self.bytes += bytes;
    }

    fn remove(&mut self, origin: &str) -> Option<(String, (Timestamp, Rules))> {
        let entry = self.by_origin.remove_entry(origin)?;
        self.bytes -= held_bytes(&entry.0, &entry.1.1);
        Some(entry)
    }
}

fn held_bytes(origin: &str, rules: &Rules) -> usize {
    let rules = match rules {
        Rules::Known(robots) => robots.heap_bytes(),
        Rules::Unknown | Rules::Unreachable | Rules::Silent => 0,
    };
    ENTRY_BYTES + origin.len() + rules
}

impl RobotsBook {
    pub(crate) fn new(silence: Duration) -> Self {
        Self { recent: HeldRules::default(), older: HeldRules::default(), max_bytes: MAX_HELD, silence }
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
        if let Some((at, rules)) = self.held(url.origin())
            && now.since(at) < self.keep(&rules)
        {
            return Ok(rules);
        }
        let Some(stored) = stored(frontier, url)? else { return Ok(Rules::Unknown) };
        let (at, rules) = (Timestamp::from_millis(stored.at_ms), read(stored.status, &stored.body, agent));
        if now.since(at) >= self.keep(&rules) {
            return Ok(Rules::Unknown);
        }
        self.hold(url.origin(), at, rules.clone());
        Ok(rules)
    }

    /// Learns an answer, or that none came; the returned row makes it durable.
    pub(crate) fn learn(
        &mut self,
        url: &CanonicalUrl,
        answer: Option<&Response>,
        agent: &str,
        now: Timestamp,
    ) -> Row<'static> {
        let (status, body) = match answer.map(|answer| (answer.status, RobotsAnswer::body_of(answer))) {
            Some((status, Some(body))) => (status, body),
            Some((_, None)) => (INCOMPLETE, &[][..]),
            None => (0, &[][..]),
        };
        self.hold(url.origin(), now, read(status, body, agent));
        // one byte more than is read, which tells that the file was cut
        let body = pack(body.get(..MAX_BODY + 1).unwrap_or(body));
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

    /// What memory holds of an origin, which thereby was used lately.
    fn held(&mut self, origin: &str) -> Option<(Timestamp, Rules)> {
        if let Some(held) = self.recent.by_origin.get(origin) {
            return Some(held.clone());
        }
        let (origin, (at, rules)) = self.older.remove(origin)?;
        self.hold(&origin, at, rules.clone());
        Some((at, rules))
    }

    fn hold(&mut self, origin: &str, at: Timestamp, rules: Rules) {
        self.older.remove(origin);
        self.recent.insert(origin.to_owned(), at, rules);
        if self.recent.bytes > self.max_bytes / 2 {
            self.older = std::mem::take(&mut self.recent);
        }
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
    let answer: Option<StoredAnswer> = bytes.and_then(|bytes| postcard::from_bytes(&bytes).ok());
    Ok(answer.and_then(|answer| Some(StoredAnswer { body: unpack(answer.body)?, ..answer })))
}

/// A file as it is stored: as it is, or compressed if it is long, or could be taken for a compressed one.
fn pack(body: &[u8]) -> Vec<u8> {
    if body.len() < LONG_FILE && !body.starts_with(GZIP) {
        return body.to_vec();
    }
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(body).and_then(|()| packed.finish()).unwrap_or_else(|_| body.to_vec())
}

/// The file that was stored; `None` if it is damaged, and then it is asked for again.
fn unpack(stored: Vec<u8>) -> Option<Vec<u8>> {
    if !stored.starts_with(GZIP) {
        return Some(stored);
    }
    let mut body = Vec::new();
    GzDecoder::new(stored.as_slice()).take(MAX_BODY as u64 + 1).read_to_end(&mut body).ok()?;
    Some(body)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn home(n: u32) -> CanonicalUrl {
        CanonicalUrl::parse(&format!("http://h{n}.example/"), &UrlRules::default()).unwrap()
    }

    #[test]
    fn files_are_stored_and_read_back() {
        let long = "disallow: /a\n".repeat(MAX_BODY / 13);
        for body in [b"".as_slice(), b"disallow: /", &[0x1f, 0x8b, 1], long.as_bytes()] {
            assert_eq!(unpack(pack(body)).as_deref(), Some(body));
        }
        assert!(pack(long.as_bytes()).len() < long.len() / 20);
        assert_eq!(unpack(vec![0x1f, 0x8b, 1]), None);
    }

    #[test]
    fn rules_are_held_by_their_bytes_and_those_in_use_stay() {
        let file: String = (0..1000).map(|n| format!("disallow: /{n}\n")).collect();
        let robots = Robots::parse(format!("user-agent: *\n{file}").as_bytes(), "osprey");
        let (at, size) = (Timestamp::EPOCH, robots.heap_bytes());
        assert!((15_000..30_000).contains(&size), "{size}");
        let mut book = RobotsBook { max_bytes: 40 * size, ..RobotsBook::new(Duration::ZERO) };
        let rules = Rules::Known(Arc::new(robots));
        for n in 0..1000 {
            book.hold(home(n).origin(), at, rules.clone());
            assert!(book.held(home(0).origin()).is_some(), "used each time, gone after {n}");
            let held = book.recent.bytes + book.older.bytes;
            assert!(held <= book.max_bytes + 2 * size, "{held} bytes after {n}");
        }
        assert!(book.held(home(999).origin()).is_some() && book.held(home(500).origin()).is_none());
        for n in 0..1000 {
            book.recent.remove(home(n).origin());
            book.older.remove(home(n).origin());
        }
        assert_eq!((book.recent.bytes, book.older.bytes), (0, 0));
    }
}
