//! What happens to a lease before anything is requested: the configuration of today, traps, robots rules.
//!
//! A link may have waited for days and over restarts, so what was checked when it was found is checked again. What is
//! refused here is settled as dropped with its reason, counted, and told to the policy, which may have parked other
//! links behind it.

use std::sync::Arc;
use std::time::Duration;

use osprey_archive::Digest;
use osprey_frontier::{Commit, Lease, Row, Settle, Table};
use osprey_model::robots::Robots;
use osprey_model::{CanonicalUrl, FailureKind, FetchFailure, LinkId, Response};
use osprey_steer::{Cause, Failure};
use serde::{Deserialize, Serialize};

use crate::absorb::{block_note, encode};
use crate::links::Gate;
use crate::open::keys;
use crate::robots::{KEEP_SILENCE, Rules};
use crate::{Crawl, CrawlError, Next, Skip, Task};

/// Requests for a URL that was in flight whenever the process died, before the URL is blamed for it.
const MAX_DEATHS: u32 = 16;

/// A link that was dropped when its turn came, as stored for [`Crawl::open`], which tells the policy again.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct DropRow {
    /// Visits there were before.
    pub(crate) after: u64,
    pub(crate) link: LinkId,
    pub(crate) url: String,
    pub(crate) depth: u32,
    pub(crate) reason: u8,
}

impl Crawl {
    /// Lets a lease pass, or settles it.
    pub(crate) fn admit(&mut self, lease: Lease) -> Result<Next, CrawlError> {
        if lease.attempt > self.settings.max_attempts + MAX_DEATHS {
            let failure = self.died_with(&lease);
            self.absorb_failure(&lease, &failure)?;
            return Ok(Next::Skipped);
        }
        let depth = block_note(&lease)?.depth;
        let gate = Gate { settings: &self.settings, traps: &self.traps, frontier: &self.frontier };
        if let Err(skip) = gate.check(&lease.url, depth) {
            return self.drop_lease(&lease, depth, skip);
        }
        match self.rules(&lease.url)? {
            Rules::Known(robots) => match robots.permit(&lease.url) {
                Some(target) => {
                    self.in_flight += 1;
                    Ok(Next::Fetch(Box::new(Task { lease, target })))
                }
                None => self.drop_lease(&lease, depth, Skip::Robots),
            },
            Rules::Unreachable if lease.attempt >= self.settings.max_attempts => {
                self.drop_lease(&lease, depth, Skip::RobotsUnreachable)
            }
            Rules::Unreachable => {
                self.postpone(&lease, KEEP_SILENCE)?;
                Ok(Next::Skipped)
            }
            Rules::Unknown => {
                let url = lease.url.clone();
                let waiting = self.held.entry(url.origin().to_owned()).or_default();
                waiting.push(lease);
                Ok(if waiting.len() == 1 { Next::Robots(url) } else { Next::Skipped })
            }
        }
    }

    fn rules(&mut self, url: &CanonicalUrl) -> Result<Rules, CrawlError> {
        if !self.settings.obey_robots {
            return Ok(Rules::Known(Arc::new(Robots::allow_all())));
        }
        Ok(self.robots.rules(&self.frontier, url, &self.settings.agent, self.clock.now())?)
    }

    /// Takes in the answers to a request for robots.txt, redirects first; none if the host is silent.
    pub fn absorb_robots(&mut self, url: &CanonicalUrl, answers: &[Response]) -> Result<(), CrawlError> {
        for response in answers {
            self.archive_answer(response, &Digest::of(&response.body), None)?;
        }
        let (status, body) = match answers.last() {
            Some(last) if last.location().is_none() => (last.status, &last.body[..]),
            _ => (0, &[][..]),
        };
        let now = self.clock.now();
        let row = self.robots.learn(url, status, body, &self.settings.agent, now);
        self.frontier.commit(&Commit { rows: vec![row], now, ..Commit::default() })?;
        self.cleared.extend(self.held.remove(url.origin()).into_iter().flatten());
        Ok(())
    }

    fn drop_lease(&mut self, lease: &Lease, depth: u32, skip: Skip) -> Result<Next, CrawlError> {
        self.tally.skip(skip, 1);
        self.placing.clear();
        let cause = Cause::Skipped(skip.name());
        self.policy.on_failure(&Failure { id: lease.id, url: &lease.url, depth, cause }, &mut self.placing);
        let placed = self.place(None, depth, false)?;
        let mut rows = Vec::new();
        if self.policy.learns() {
            let (after, url, reason) = (self.tally.visited, lease.url.to_string(), skip.code());
            let row = DropRow { after, link: lease.id, url, depth, reason };
            let value = encode("drop", &row)?;
            rows.push(Row {
                table: Table::Meta,
                key: keys::drop(self.tally.dropped).into(),
                value: Some(value.into()),
            });
            self.tally.dropped += 1;
        }
        rows.push(self.tally_row()?);
        let commit = Commit {
            settle: vec![(lease.id, Settle::Dropped { reason: skip.code() })],
            rows,
            now: self.clock.now(),
            ..placed.commit()
        };
        self.frontier.commit(&commit)?;
        Ok(Next::Skipped)
    }

    /// Puts a lease back for at least `rest`.
    pub(crate) fn postpone(&mut self, lease: &Lease, rest: Duration) -> Result<(), CrawlError> {
        self.tally.retried += 1;
        let now = self.clock.now();
        let wait = self.settings.retry_after.saturating_mul(1 << lease.attempt.min(16));
        let settle = vec![(lease.id, Settle::Retry { at: now.after(wait.max(rest)) })];
        let rows = vec![self.tally_row()?];
        self.frontier.commit(&Commit { settle, rows, now, ..Commit::default() })?;
        Ok(())
    }

    fn died_with(&self, lease: &Lease) -> FetchFailure {
        let message = format!("was in flight {} times when the crawl died; given up", lease.attempt);
        FetchFailure { url: lease.url.clone(), kind: FailureKind::Internal, message, at: self.clock.now() }
    }
}
