//! Fetches robots.txt of a host and applies it: delay, sitemaps, back-off.
//!
//! Each request waits for a turn of its host, also after a redirect to another host, so robots.txt and its redirects
//! keep the same distance as pages do. Nothing is held between two of them, so they cannot block each other.

use std::time::Duration;

use osprey_frontier::{HostInfo, Lanes, Pace, Turn};
use osprey_model::robots::Robots;
use osprey_model::{CanonicalUrl, Exchange, FailureKind, HostKey, Response, Timestamp};

use crate::links::Gate;
use crate::pace::{HostSignal, kept};
use crate::robots::{RobotsTask, RobotsTurn, Rules};
use crate::work::{Job, Work};
use crate::{Crawl, CrawlError, Next, Skip};

/// Sitemaps taken from one robots.txt.
const MAX_SITEMAPS: usize = 100;
/// How long links of an origin at least wait whose rules are being asked for; they are woken when the rules come. Each time
/// they are looked at costs two writes, and a host that drips its rules may take long.
const PAUSE: Duration = Duration::from_millis(500);
/// Whether a host has ever answered a request for one of its links.
pub(crate) fn has_answered(info: &HostInfo) -> bool {
    info.fetched > info.failed
}

impl Crawl {
    /// Begins to fetch the rules of a lease's origin. The lease itself waits on, like all of its host.
    pub(crate) fn ask_robots(&mut self, job: Job) -> Result<Next, CrawlError> {
        let (host, now) = (job.url().host_key(), self.clock.now());
        let is_new = !self.admission.is_fetching_robots(job.url().origin());
        let rest = (!is_new).then(|| {
            // nothing of it may be asked before the rules are there, and there is no knowing when that is
            let pause = self.ledger.frontier().host(&host).map_or(PAUSE, |info| info.delay.max(PAUSE));
            now.after(pause)
        });
        if let Some(until) = rest {
            self.ledger.frontier_mut().rest_host(&host, until);
        }
        self.admission.fetch_robots(job.url().origin(), rest);
        let next = self.release(&job)?;
        if is_new {
            let task = RobotsTask::new(job.lease.url, job.work == Work::Picture);
            self.queue_robots(Box::new(task), now);
        }
        Ok(next)
    }

    /// Lets a request for robots.txt wait for its turn, in the lane of the host that is asked.
    fn queue_robots(&mut self, mut task: Box<RobotsTask>, until: Timestamp) {
        task.lane = self.ledger.frontier().lane(&task.target.url().host_key(), task.is_picture);
        self.admission.queue_robots(task, until);
    }

    /// The next request for robots.txt whose time has come, if there is one in an open lane.
    pub(crate) fn due_robots(
        &mut self,
        now: Timestamp,
        open: Lanes,
    ) -> Result<Option<Box<RobotsTask>>, CrawlError> {
        while let Some(mut task) = self.admission.take_due_robots(now, open) {
            match self.take_turn(&task.target.url().host_key(), now) {
                Ok(turn) => {
                    task.turn = turn;
                    self.flight.begin_robots(task.lane);
                    // that the host is asked now has to survive a kill
                    self.ledger.save_turns()?;
                    return Ok(Some(task));
                }
                Err(until) => self.queue_robots(task, until),
            }
        }
        Ok(None)
    }

    /// A turn at a host, or when to try again.
    fn take_turn(&mut self, host: &HostKey, now: Timestamp) -> Result<RobotsTurn, Timestamp> {
        let turn = self.take_own_turn(host, now)?;
        if let Err(until) = self.begin_shared(host, now) {
            // as if it had been asked now: that costs a delay, and only where two crawls meet
            self.give_turn_back(&turn, now);
            return Err(until);
        }
        Ok(turn)
    }

    /// The same by the clocks of this project. Hosts without links keep their distance here.
    fn take_own_turn(&mut self, host: &HostKey, now: Timestamp) -> Result<RobotsTurn, Timestamp> {
        if self.ledger.frontier().host(host).is_some() {
            return match self.ledger.frontier_mut().begin_turn(host, now) {
                Turn::Granted => Ok(RobotsTurn::Host(host.clone())),
                Turn::Wait(at) => Err(at),
            };
        }
        self.admission.begin_unlisted_turn(host, now).map(|()| RobotsTurn::Unlisted(host.clone()))
    }

    fn give_turn_back(&mut self, turn: &RobotsTurn, now: Timestamp) {
        match turn {
            RobotsTurn::Waiting => {}
            RobotsTurn::Host(host) => self.ledger.frontier_mut().end_turn(host, now),
            RobotsTurn::Unlisted(host) => {
                let delay = self.settings.frontier.host_delay;
                self.admission.end_unlisted_turn(host, now.after(delay));
            }
        }
    }

    /// Takes in what came of a request for robots.txt.
    pub fn absorb_robots(&mut self, task: &RobotsTask, exchange: Exchange) -> Result<(), CrawlError> {
        let now = self.clock.now();
        self.flight.end_robots(task.lane);
        self.end_shared(&task.target.url().host_key());
        self.tally.requests += 1;
        self.give_turn_back(&task.turn, now);
        let answer = match exchange {
            Exchange::Answered(response) => Some(response),
            // whatever else is asked for there is refused as well, and says so
            Exchange::Failed(failure) if failure.kind == FailureKind::Refused && task.is_first() => {
                self.admission.rules().allow(&task.home, now);
                self.forget_robots_fetch(&task.home);
                return Ok(());
            }
            Exchange::Failed(failure) => {
                let (lane, places) = (task.lane, self.settings.concurrency as u64);
                self.flight.learn(lane, failure.kind.is_late(), lane, places);
                self.tally.error(failure.kind.name());
                self.note_trouble(task.home.origin(), &failure.message);
                None
            }
        };
        if let Some(response) = &answer {
            let next = task.next(response, &self.settings.page_rules.url);
            self.ledger.archive_robots(response, Some(&task.home).filter(|_| next.is_none()))?;
            self.note_address(task.target.url(), response.ip);
            if let Some(next) = next {
                self.queue_robots(Box::new(next), now);
                return Ok(());
            }
        }
        self.end_robots_fetch(&task.home, answer.as_ref(), now)
    }

    /// The rules of an origin are there, or will not come: its links need not wait for it any longer.
    fn forget_robots_fetch(&mut self, home: &CanonicalUrl) {
        if let Some(until) = self.admission.end_robots_fetch(home.origin()) {
            self.ledger.frontier_mut().end_rest(&home.host_key(), until);
        }
    }

    pub(crate) fn end_robots_fetch(
        &mut self,
        home: &CanonicalUrl,
        answer: Option<&Response>,
        now: Timestamp,
    ) -> Result<(), CrawlError> {
        let row = self.admission.rules().learn(home, answer, &self.settings.agent, now);
        let rules = self.admission.rules().rules(self.ledger.frontier(), home, &self.settings.agent, now)?;
        self.note_rules(home, &rules, answer, now)?;
        self.forget_robots_fetch(home);
        let sitemaps = match &rules {
            Rules::Known(robots) => self.sitemaps(home, robots),
            _ => Vec::new(),
        };
        self.ledger.robots(home, row, &sitemaps, &self.tally)
    }

    /// A host that gives no rules rests, unless another origin of it answers; one that asks for a delay gets it.
    fn note_rules(
        &mut self,
        home: &CanonicalUrl,
        rules: &Rules,
        answer: Option<&Response>,
        now: Timestamp,
    ) -> Result<(), CrawlError> {
        if !self.settings.is_live {
            return Ok(());
        }
        let host = home.host_key();
        let Some(info) = self.ledger.frontier().host(&host) else { return Ok(()) };
        match rules {
            Rules::Known(robots) => {
                if let Some(answer) = answer {
                    self.note_signal(home, HostSignal::Fine(answer.took));
                }
                let crawl_delay = robots.crawl_delay().max(self.other_crawl_delay(home, now)?).map(kept);
                let pace = self.ledger.frontier().host(&host).map_or(info.pace, |info| info.pace);
                if pace.crawl_delay != crawl_delay {
                    self.ledger.frontier_mut().set_pace(&host, Pace { crawl_delay, ..pace });
                }
            }
            Rules::Unreachable | Rules::Silent | Rules::Unknown if !has_answered(&info) => {
                let retry_after = answer.and_then(|answer| answer.retry_after(now));
                let sign =
                    if retry_after.is_some() { HostSignal::Busy(retry_after) } else { HostSignal::Broken };
                self.note_signal(home, sign);
                let silence = self.politeness().silence();
                self.ledger.frontier_mut().rest_host(&host, now.after(silence));
            }
            Rules::Unreachable | Rules::Silent | Rules::Unknown => {}
        }
        Ok(())
    }

    /// What the host asks for under the other scheme: it is one host, and the longer delay counts.
    fn other_crawl_delay(
        &mut self,
        home: &CanonicalUrl,
        now: Timestamp,
    ) -> Result<Option<Duration>, CrawlError> {
        let scheme = if home.scheme() == "http" { "https" } else { "http" };
        let Ok(other) = CanonicalUrl::from_stored(&format!("{scheme}://{}/", home.authority())) else {
            return Ok(None);
        };
        let rules =
            self.admission.rules().rules(self.ledger.frontier(), &other, &self.settings.agent, now)?;
        Ok(match rules {
            Rules::Known(robots) => robots.crawl_delay(),
            _ => None,
        })
    }

    /// The sitemaps that a robots.txt names, as far as they may be fetched and are new.
    fn sitemaps(&mut self, home: &CanonicalUrl, robots: &Robots) -> Vec<CanonicalUrl> {
        if !self.settings.sitemaps {
            return Vec::new();
        }
        let file = home.robots_txt();
        let gate = Gate { settings: &self.settings, traps: &self.traps, frontier: self.ledger.frontier() };
        let mut found = Vec::new();
        for line in robots.sitemaps().iter().take(MAX_SITEMAPS) {
            let verdict = match file.join(line, &self.settings.page_rules.url) {
                Ok(url) if self.ledger.frontier().contains(&url) => continue,
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
