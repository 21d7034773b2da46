//! Checks a leased link before any request: current configuration, traps, the IP address of its host (whose limits it
//! shares with other hosts there), robots rules.
//!
//! A link may have waited for days and over restarts, so everything that was checked when it was found is checked
//! again. A refused link is settled as dropped with its reason, counted, and reported to the policy, which may have
//! parked other links behind it.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use osprey_frontier::HostInfo;
use osprey_model::robots::Robots;
use osprey_model::{CanonicalUrl, FailureKind, FetchFailure, HostKey, Permitted, Validators};
use osprey_steer::{Cause, Failure};

use crate::ask::has_answered;
use crate::links::{LinkSource, Placed};
use crate::robots::Rules;
use crate::rows::DropRow;
use crate::work::Job;
use crate::{Crawl, CrawlError, Next, Skip, Task};

/// Requests for a URL that was in flight whenever the process died, before the URL is blamed for it.
const MAX_DEATHS: u32 = 16;
impl Crawl {
    /// Lets a lease pass, or settles it.
    pub(crate) fn admit(&mut self, job: Job) -> Result<Next, CrawlError> {
        if job.lease.attempt > self.settings.max_attempts + MAX_DEATHS {
            let failure = self.died_with(&job);
            self.absorb_failure(&job, &failure)?;
            return Ok(Next::Skipped);
        }
        let depth = job.block.depth;
        let gate = self.gate();
        let verdict =
            if job.is_picture() { gate.check_picture(job.url()) } else { gate.check(job.url(), depth) };
        if let Err(skip) = verdict {
            return self.drop_lease(&job, skip);
        }
        match self.unlocated(job.url()) {
            Some(host) => {
                let lane = self.ledger.frontier().lane(&host, job.is_picture());
                if !self.admission.await_address(&host, job, lane) {
                    return Ok(Next::Skipped);
                }
                self.flight.begin_look_up(lane);
                Ok(Next::Locate(host))
            }
            None => self.admit_located(job),
        }
    }

    /// The same for a lease whose host's address is known, or known not to be.
    pub(crate) fn admit_located(&mut self, job: Job) -> Result<Next, CrawlError> {
        let host = job.url().host_key();
        if self.settings.is_live && !self.ledger.frontier().may_ask(&host, self.clock.now()) {
            return self.release(&job);
        }
        match self.rules(job.url())? {
            Rules::Known(robots) => match robots.permit(job.url()) {
                Some(target) => self.start_fetch(job, target),
                None => self.drop_lease(&job, Skip::Robots),
            },
            Rules::Unreachable | Rules::Silent => self.admit_without_rules(job),
            Rules::Unknown if self.is_dead(job.url())? => self.drop_lease(&job, Skip::RobotsUnreachable),
            Rules::Unknown => self.ask_robots(job),
        }
    }

    /// Nothing may be asked for now. Where the whole host is silent it rests; where it answers otherwise (over the other
    /// scheme), only this link waits, and not for ever.
    fn admit_without_rules(&mut self, job: Job) -> Result<Next, CrawlError> {
        let host = job.url().host_key();
        let answers = self.ledger.frontier().host(&host).is_some_and(|info| has_answered(&info));
        let silence = self.politeness().silence();
        // a recording will not say anything else later
        let is_last = !self.settings.is_live || (answers && job.lease.attempt >= self.settings.max_attempts);
        if is_last || self.is_dead(job.url())? {
            return self.drop_lease(&job, Skip::RobotsUnreachable);
        }
        if answers {
            self.postpone(&job, silence)?;
            return Ok(Next::Skipped);
        }
        self.ledger.frontier_mut().rest_host(&host, self.clock.now().after(silence));
        self.release(&job)
    }

    /// Whether a host has never answered, as often as it was asked: a name that is gone, not a host that struggles.
    fn is_dead(&mut self, url: &CanonicalUrl) -> Result<bool, CrawlError> {
        let limit = self.settings.max_attempts;
        let is_dead = |info: HostInfo| !has_answered(&info) && u32::from(info.pace.streak) >= limit;
        Ok(self.settings.is_live
            && self.ledger.frontier().host(&url.host_key()).is_some_and(is_dead)
            && self.admission.rules().was_silent(self.ledger.frontier(), url, self.clock.now())?)
    }

    fn start_fetch(&mut self, job: Job, target: Permitted) -> Result<Next, CrawlError> {
        let host = job.url().host_key();
        if let Err(until) = self.begin_shared(&host, self.clock.now()) {
            self.ledger.frontier_mut().rest_host(&host, until);
            return self.release(&job);
        }
        let lane = self.ledger.frontier().lane(&host, job.is_picture());
        self.flight.begin(&job, lane);
        let validators = self.validators(&job)?;
        Ok(Next::Fetch(Box::new(Task { job, target, validators, lane })))
    }

    /// What the last answer for a link that was fetched before was marked with.
    fn validators(&self, job: &Job) -> Result<Validators, CrawlError> {
        let archived = if job.is_picture() {
            self.last_picture(job.lease.id)?.and_then(|row| Some((row.archived?, row.url)))
        } else {
            // what was cut is fetched whole again
            let last = self.last_visit(job.lease.id)?.filter(|row| !row.is_cut);
            last.and_then(|row| Some((row.archived?, row.url)))
        };
        let answer = archived.and_then(|(at, url)| self.ledger.answer_at(at, Some(&url)));
        Ok(answer.map(|answer| Validators::of(&answer.headers)).unwrap_or_default())
    }

    /// The host of `url`, if its address has to be found out first.
    fn unlocated(&self, url: &CanonicalUrl) -> Option<HostKey> {
        if !self.settings.is_live {
            return None;
        }
        let host = url.host_key();
        (!self.admission.is_looked_up(&host, self.clock.now())).then_some(host)
    }

    /// Takes in the address of a host.
    pub fn absorb_address(&mut self, host: &HostKey, ip: Option<IpAddr>) {
        if ip.is_some() {
            self.ledger.frontier_mut().locate(host, ip);
        }
        if let Some(lane) = self.admission.address_came(host, ip.is_some(), self.clock.now()) {
            self.flight.end_look_up(lane);
        }
    }

    /// Puts back a lease whose request was not made.
    pub(crate) fn release(&mut self, job: &Job) -> Result<Next, CrawlError> {
        self.ledger.release(job)?;
        Ok(Next::Skipped)
    }

    pub(crate) fn rules(&mut self, url: &CanonicalUrl) -> Result<Rules, CrawlError> {
        if !self.settings.obey_robots {
            return Ok(Rules::Known(Arc::new(Robots::allow_all())));
        }
        Ok(self.admission.rules().rules(
            self.ledger.frontier(),
            url,
            &self.settings.agent,
            self.clock.now(),
        )?)
    }

    fn drop_lease(&mut self, job: &Job, skip: Skip) -> Result<Next, CrawlError> {
        let depth = job.block.depth;
        self.tally.skip(skip, 1);
        self.tally.revisits.dropped += u64::from(job.is_revisit);
        if job.is_picture() {
            return self.drop_picture(job, skip);
        }
        let (cause, id) = (Cause::Skipped(skip.name()), job.lease.id);
        self.steering.failure(&Failure { id, url: job.url(), group: None, depth, cause });
        let placed = self.place(LinkSource::Nothing, depth, false)?;
        let told = self.steering.policy().learns().then(|| {
            let (after, url, reason) = (self.tally.visit_rows(), job.url().to_string(), skip.code());
            self.tally.dropped += 1;
            (self.tally.dropped - 1, DropRow { after, link: id, url, depth, reason })
        });
        self.ledger.drop_link(job, skip, &placed, told, &self.tally)?;
        Ok(Next::Skipped)
    }

    fn drop_picture(&mut self, job: &Job, skip: Skip) -> Result<Next, CrawlError> {
        self.tally.pictures.dropped += u64::from(!job.is_revisit);
        self.ledger.drop_link(job, skip, &Placed::default(), None, &self.tally)?;
        Ok(Next::Skipped)
    }

    /// Puts a lease back for at least `rest`.
    pub(crate) fn postpone(&mut self, job: &Job, rest: Duration) -> Result<(), CrawlError> {
        self.tally.retried += 1;
        let now = self.clock.now();
        let wait = self.settings.backoff.saturating_mul(1 << job.lease.attempt.min(16));
        self.ledger.retry(job, now.after(wait.max(rest)), &self.tally)
    }

    fn died_with(&self, job: &Job) -> FetchFailure {
        let message = format!("was in flight {} times when the crawl died; given up", job.lease.attempt);
        FetchFailure { url: job.url().clone(), kind: FailureKind::Internal, message, at: self.clock.now() }
    }
}
