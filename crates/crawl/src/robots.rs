//! The robots rules of the hosts met so far: kept for a day, durable, asked for once.

use std::sync::Arc;
use std::time::Duration;

use osprey_frontier::{Frontier, FrontierError, Row, Table};
use osprey_model::robots::{MAX_BODY, Robots, RobotsAnswer};
use osprey_model::{CanonicalUrl, Exchange, Permitted, Request, Response, Source, Timestamp, UrlRules};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// RFC 9309 asks for no longer than a day.
const KEEP: Duration = Duration::from_secs(24 * 60 * 60);
/// A host that did not answer is asked again after this; until then nothing of it is requested.
pub(crate) const KEEP_SILENCE: Duration = Duration::from_secs(60);
/// Rules held in memory; the rest wait in the store.
const MAX_HELD: usize = 4096;
/// Redirects followed for robots.txt, by RFC 9309.
const MAX_HOPS: usize = 5;

/// What is known of a host's rules.
#[derive(Clone, Debug)]
pub(crate) enum Rules {
    /// Never asked, or too long ago.
    Unknown,
    /// These bind us.
    Known(Arc<Robots>),
    /// The host does not answer; RFC 9309: nothing is allowed for now.
    Unreachable,
}

impl Rules {
    fn keep(&self) -> Duration {
        match self {
            Self::Unreachable => KEEP_SILENCE,
            Self::Known(_) | Self::Unknown => KEEP,
        }
    }
}

/// As stored.
#[derive(Serialize, Deserialize)]
struct StoredAnswer {
    at_ms: i64,
    status: u16,
    body: Vec<u8>,
}

/// The rules by origin.
#[derive(Debug, Default)]
pub(crate) struct RobotsBook {
    held: FxHashMap<String, (Timestamp, Rules)>,
}

impl RobotsBook {
    /// The rules for `url`'s origin.
    pub(crate) fn rules(
        &mut self,
        frontier: &Frontier,
        url: &CanonicalUrl,
        agent: &str,
        now: Timestamp,
    ) -> Result<Rules, FrontierError> {
        if let Some((at, rules)) = self.held.get(url.origin())
            && now.since(*at) < rules.keep()
        {
            return Ok(rules.clone());
        }
        let Some(stored) = stored(frontier, url)? else { return Ok(Rules::Unknown) };
        let (at, rules) = (Timestamp::from_millis(stored.at_ms), read(stored.status, &stored.body, agent));
        if now.since(at) >= rules.keep() {
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
        RobotsAnswer::Unreachable => Rules::Unreachable,
    }
}

/// Asks for the robots.txt of `url`'s origin, following redirects as RFC 9309 says. All answers, in order.
pub(crate) async fn ask<S: Source>(source: &S, url: &CanonicalUrl, rules: &UrlRules) -> Vec<Response> {
    let mut target = Permitted::robots_txt(url);
    let mut answers = Vec::new();
    for _ in 0..=MAX_HOPS {
        let Exchange::Answered(response) = source.fetch(Request::new(target.clone())).await else { break };
        let next = response.location().and_then(|to| response.url.join(to, rules).ok());
        answers.push(response);
        match next.and_then(|next| target.robots_redirect(next)) {
            Some(next) => target = next,
            None => break,
        }
    }
    answers
}
