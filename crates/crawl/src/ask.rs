//! Asking a host for its rules, and what follows from them: delay, sitemaps, rests.
//!
//! Each request of a quest is made in a turn of its host, at home or abroad, so robots.txt and its redirects keep the same
//! distance as pages do. The host's own turn is held until the quest ends.

use osprey_archive::Digest;
use osprey_frontier::{Commit, Initial, Lease, NewLink, Settle, Turn};
use osprey_model::robots::Robots;
use osprey_model::{CanonicalUrl, Exchange, FailureKind, GroupId, Own, Response, Timestamp};

use crate::absorb::encode;
use crate::links::Gate;
use crate::pace::Sign;
use crate::robots::{RobotsTask, Rules};
use crate::{BlockNote, Crawl, CrawlError, Next, Skip};

/// Sitemaps taken from one robots.txt.
const MAX_SITEMAPS: usize = 100;

impl Crawl {
    /// Begins a quest, or lets the lease wait for the one that is under way.
    pub(crate) fn ask_robots(&mut self, lease: Lease) -> Result<Next, CrawlError> {
        if let Some(held) = self.quests.get_mut(lease.url.origin()) {
            held.push(lease);
            return Ok(Next::Skipped);
        }
        let (url, now) = (lease.url, self.clock.now());
        let settle = vec![(lease.id, Settle::Release)];
        self.frontier.commit(&Commit { settle, now, ..Commit::default() })?;
        match self.frontier.begin_turn(&url.host_key(), now) {
            Turn::Granted => {
                self.quests.insert(url.origin().to_owned(), Vec::new());
                Ok(Next::Robots(Box::new(RobotsTask::new(url))))
            }
            Turn::Wait(_) => Ok(Next::Skipped),
        }
    }

    /// The next request of a quest whose time has come, if there is one.
    pub(crate) fn due_quest(&mut self, now: Timestamp) -> Option<Box<RobotsTask>> {
        while let Some(entry) = self.robots_due.first_entry().filter(|entry| entry.key().0 <= now) {
            let ((_, n), task) = entry.remove_entry();
            let Some(abroad) = &task.abroad else { return Some(task) };
            match self.frontier.begin_turn(abroad, now) {
                Turn::Granted => return Some(task),
                Turn::Wait(at) => self.robots_due.insert((at, n), task),
            };
        }
        None
    }

    /// Takes in what came of a request for robots.txt.
    pub fn absorb_robots(&mut self, task: Box<RobotsTask>, exchange: Exchange) -> Result<(), CrawlError> {
        let now = self.clock.now();
        if let Some(abroad) = &task.abroad {
            self.frontier.end_turn(abroad, now);
        }
        let answer = match exchange {
            Exchange::Answered(response) => Some(response),
            Exchange::Failed(failure) if failure.kind == FailureKind::Refused => {
                self.robots.allow(&task.home, now);
                return self.leave_quest(&task.home, now);
            }
            Exchange::Failed(failure) => {
                self.tally.error(failure.kind.name());
                None
            }
        };
        if let Some(response) = &answer {
            self.archive_answer(response, &Digest::of(&response.body), None)?;
            if let Some(next) = task.next(response, &self.settings.page_rules.url) {
                let delay =
                    self.frontier.host(&task.home.host_key()).map_or(Default::default(), |host| host.delay);
                // home is ours until the quest ends, so its distance is kept here; abroad has a clock of its own
                let at = if next.abroad.is_some() { now } else { now.after(delay) };
                let n = self.robots_due.last_key_value().map_or(0, |((_, n), _)| n + 1);
                self.robots_due.insert((at, n), Box::new(next));
                return Ok(());
            }
        }
        self.end_quest(&task.home, answer.as_ref(), now)
    }

    fn end_quest(
        &mut self,
        home: &CanonicalUrl,
        answer: Option<&Response>,
        now: Timestamp,
    ) -> Result<(), CrawlError> {
        let (status, body) = answer.map_or((0, &[][..]), |answer| (answer.status, &answer.body[..]));
        let row = self.robots.learn(home, status, body, &self.settings.agent, now);
        let rules = self.robots.rules(&self.frontier, home, &self.settings.agent, now)?;
        self.note_rules(home, &rules, answer, now);
        let sitemaps = match &rules {
            Rules::Known(robots) => self.sitemaps(home, robots),
            _ => Vec::new(),
        };
        let parent = Some(home.robots_txt().to_string());
        let block = encode("block", &BlockNote { parent, sitemaps: true, ..BlockNote::default() })?;
        let add = sitemaps
            .iter()
            .map(|url| NewLink {
                url,
                group: GroupId::ALL,
                own: Own::ONE,
                payload: &[],
                state: Initial::Waiting,
            })
            .collect();
        self.frontier.commit(&Commit { block: &block, add, rows: vec![row], now, ..Commit::default() })?;
        self.leave_quest(home, now)
    }

    /// Gives the host's turn back, and the leases that waited for its rules.
    fn leave_quest(&mut self, home: &CanonicalUrl, now: Timestamp) -> Result<(), CrawlError> {
        self.frontier.end_turn(&home.host_key(), now);
        let held = self.quests.remove(home.origin()).unwrap_or_default();
        let settle = held.into_iter().map(|lease| (lease.id, Settle::Release)).collect();
        self.frontier.commit(&Commit { settle, now, ..Commit::default() })?;
        Ok(())
    }

    /// A host that gives no rules rests; one that asks for a delay gets it.
    fn note_rules(&mut self, home: &CanonicalUrl, rules: &Rules, answer: Option<&Response>, now: Timestamp) {
        if !self.settings.is_live {
            return;
        }
        let host = home.host_key();
        match rules {
            Rules::Known(robots) => {
                let Some(info) = self.frontier.host(&host) else { return };
                let crawl_delay = robots.crawl_delay();
                if info.pace.crawl_delay != crawl_delay {
                    self.frontier.set_pace(&host, osprey_frontier::Pace { crawl_delay, ..info.pace });
                }
            }
            Rules::Unreachable | Rules::Silent | Rules::Unknown => {
                let retry_after = answer.and_then(|answer| answer.retry_after(now));
                let sign = if retry_after.is_some() { Sign::Busy(retry_after) } else { Sign::Broken };
                self.note_sign(home, sign);
                self.frontier.rest_host(&host, now.after(self.manners().silence()));
            }
        }
    }

    /// The sitemaps that a robots.txt names, as far as they may be fetched and are new.
    fn sitemaps(&mut self, home: &CanonicalUrl, robots: &Robots) -> Vec<CanonicalUrl> {
        if !self.settings.sitemaps {
            return Vec::new();
        }
        let file = home.robots_txt();
        let gate = Gate { settings: &self.settings, traps: &self.traps, frontier: &self.frontier };
        let mut found = Vec::new();
        for line in robots.sitemaps().iter().take(MAX_SITEMAPS) {
            let verdict = match file.join(line, &self.settings.page_rules.url) {
                Ok(url) if self.frontier.contains(&url) => continue,
                Ok(url) => gate.check(&url, 0).map(|()| url),
                Err(_) => Err(Skip::Invalid),
            };
            match verdict {
                Ok(url) => found.push(url),
                Err(skip) => self.tally.skip(skip, 1),
            }
        }
        found
    }
}
