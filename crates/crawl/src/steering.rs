//! Link scoring: the policy, its last operations, and its state over restarts.
//!
//! The crawl reports each visit to the policy, which answers with operations; [`crate::links`] carries them out. From
//! time to time the crawl stores the policy's state; when a crawl is opened again, the policy gets that state back, and
//! the crawl replays everything since from the archive.

use std::collections::BTreeMap;
use std::sync::Arc;

use osprey_archive::ArchiveReader;
use osprey_frontier::Frontier;
use osprey_model::{CanonicalUrl, GroupFactor, GroupId, LinkScore};
use osprey_page::{PageRules, read_page};
use osprey_steer::{
    Cause, Failure, Judge, JudgeKind, Judgement, Known, Op, Placing, Plan, Policy, SitemapVisit,
    SteeringConfigError, Visit,
};
use osprey_structure::Site;
use osprey_text::PageWords;

use crate::parse::read_sitemap;
use crate::rows::{DropRow, PolicyState, drops, row_error};
use crate::{CrawlError, Reader, Skip, Tally, Told, VisitRow};

/// Bytes of a policy's state that a visit may cost, in the mean.
const SNAPSHOT_BYTES_PER_VISIT: u64 = 10_000;

/// Who steers, and under which name and parameters (a change of those is a change of policy).
pub struct Steering {
    policy: Box<dyn Policy>,
    judge: Judge,
    site: Option<Arc<Site>>,
    /// Name and parameters of the policy, compared with those of its saved state.
    identity: String,
    /// The identity of the judge, compared with that of the stored verdicts; empty if it does not matter.
    want: String,
    /// The policy's state before it was told of anything, if it may have to begin again.
    blank: Option<Vec<u8>>,
    placing: Placing,
    /// The visit after which the policy's state was last stored by this run, and its bytes.
    last_snapshot: (u64, u64),
}

/// How the policy came back.
#[derive(Debug, Default)]
pub(crate) struct Resumed {
    /// Visits that could not be read back from the archive.
    pub(crate) lost: u64,
    /// What a policy that is not the one of before says of groups, last: it will not say it again.
    pub(crate) takes_over: Option<BTreeMap<GroupId, GroupFactor>>,
}

impl Steering {
    /// A policy and a judge, on a site of which this was learned.
    pub fn new(policy: Box<dyn Policy>, judge: Judge, site: Option<Arc<Site>>, identity: String) -> Self {
        let (want, blank, placing) = (String::new(), None, Placing::default());
        Self { policy, judge, site, identity, want, blank, placing, last_snapshot: (0, 0) }
    }

    /// The same, with the identity of the judge: when it changes, a crawl judges everything again.
    #[must_use]
    pub fn wanting(self, want: String) -> Self {
        Self { want, ..self }
    }

    /// The steering that a plan asks for, with a judge of that kind.
    pub fn of(plan: &Plan, judge: &JudgeKind, known: &Known) -> Result<Self, SteeringConfigError> {
        let want = judge.identity(&plan.subject, known);
        let judge = Judge::new(judge, &plan.subject, known)?;
        Ok(Self::new(plan.policy(known)?, judge, known.site.clone(), plan.identity(known)).wanting(want))
    }

    /// The identity of the judge.
    pub(crate) fn want(&self) -> &str {
        &self.want
    }

    /// Whether the places of links can be others than those that the policy of this identity gave them for another want.
    pub(crate) fn minds_the_want(&self, stored: Option<&str>) -> bool {
        let is_same = stored.is_some_and(|stored| Plan::is_same_policy(stored, &self.identity));
        self.policy.minds_the_want() || !is_same
    }

    /// Remembers the policy as it is before it is told of anything.
    pub(crate) fn keep_blank(&mut self) {
        self.blank = Some(self.policy.snapshot());
    }

    /// The policy forgets everything.
    pub(crate) fn start_over(&mut self) -> Result<(), CrawlError> {
        match self.blank.take() {
            Some(blank) if blank != self.policy.snapshot() => Ok(self.policy.restore(&blank)?),
            _ => Ok(()),
        }
    }

    /// The policy alone, for those who only explain.
    pub fn into_policy(self) -> Box<dyn Policy> {
        self.policy
    }

    /// What the user should know of the judge on this site.
    pub fn judge_notes(&self) -> Vec<String> {
        self.judge.notes()
    }

    /// What page workers need.
    pub(crate) fn reader(&self, rules: &PageRules) -> Reader {
        let (judge, site) = (self.judge.clone(), self.site.clone());
        Reader { rules: rules.clone(), judge, site, reads_words: self.policy.reads_words() }
    }

    /// The key of what was learned of the site.
    pub(crate) fn model_key(&self) -> Option<String> {
        self.site.as_ref().map(|site| site.key().to_owned())
    }

    pub(crate) fn policy(&self) -> &dyn Policy {
        &*self.policy
    }

    /// What the policy wants after what it was told last.
    pub(crate) fn wishes(&self) -> &Placing {
        &self.placing
    }

    /// Tells of a page.
    pub(crate) fn page(&mut self, visit: &Visit<'_>) {
        self.placing.clear();
        self.policy.on_page(visit, &mut self.placing);
    }

    /// Tells of the links of a sitemap.
    pub(crate) fn sitemap(&mut self, visit: &SitemapVisit<'_>) {
        self.placing.clear();
        self.policy.on_sitemap(visit, &mut self.placing);
    }

    /// All links of an index of sitemaps: they are sitemaps again, and nothing to steer by.
    pub(crate) fn all_of_index(&mut self, entries: usize) {
        self.placing.clear();
        (0..entries).for_each(|entry| self.placing.add(entry, GroupId::ALL, LinkScore::ONE, &[]));
    }

    /// Reports a link that returned nothing, or was not requested.
    pub(crate) fn failure(&mut self, failure: &Failure<'_>) {
        self.placing.clear();
        self.policy.on_failure(failure, &mut self.placing);
    }

    /// Reports a visit that found nothing new.
    pub(crate) fn repeat(&mut self, row: &VisitRow) -> Result<(), CrawlError> {
        self.placing.clear();
        row.tell_repeat(&mut *self.policy, &mut self.placing)
    }

    /// Asks to release what is parked, since nothing else is left. Whether the policy wants anything.
    pub(crate) fn unpark(&mut self) -> bool {
        self.placing.clear();
        self.policy.on_blocked(&mut self.placing);
        self.placing.ops().next().is_some()
    }

    /// The policy's state after so many visits and drops.
    pub(crate) fn snapshot(&self, tally: &Tally) -> PolicyState {
        let (visits, drops) = (tally.visit_rows(), tally.dropped);
        PolicyState { identity: self.identity.clone(), visits, drops, state: self.policy.snapshot() }
    }

    /// The state, if it is time to store it: every so many visits, and less often where the state is large, so that what is
    /// written for it stays small beside the pages themselves; a resume tells the policy of more visits instead.
    pub(crate) fn due_snapshot(&mut self, tally: &Tally, every: u64) -> Option<PolicyState> {
        let (n, (last, bytes)) = (tally.visit_rows(), self.last_snapshot);
        if !n.is_multiple_of(every.max(1)) || n - last < bytes / SNAPSHOT_BYTES_PER_VISIT {
            return None;
        }
        let snapshot = self.snapshot(tally);
        self.last_snapshot = (n, snapshot.state.len() as u64);
        Some(snapshot)
    }

    /// Gives the policy back what it knew: its stored state, and then everything that came after it, in the order it came;
    /// what it wanted done was done then.
    pub(crate) fn resume(
        &mut self,
        stored: Option<PolicyState>,
        visited: u64,
        frontier: &Frontier,
        archive: &ArchiveReader,
        rules: &PageRules,
    ) -> Result<Resumed, CrawlError> {
        let (mut visits, mut drops) = (0, 0);
        let mut is_other = false;
        match stored {
            Some(stored) if stored.identity == self.identity => {
                self.policy.restore(&stored.state)?;
                (visits, drops) = (stored.visits, stored.drops);
            }
            stored => is_other = stored.is_some() && visited > 0,
        }
        let mut resumed = Resumed::default();
        let mut factors = BTreeMap::new();
        if self.policy.learns() {
            resumed.lost = self.retell((visits, drops), frontier, archive, rules, &mut factors)?;
        }
        resumed.takes_over = is_other.then_some(factors);
        Ok(resumed)
    }

    /// Tells of what came after so many visits and drops. `factors` gets what the policy says last of each group. Returns how
    /// many visits could not be read back.
    fn retell(
        &mut self,
        (visits, dropped): (u64, u64),
        frontier: &Frontier,
        archive: &ArchiveReader,
        rules: &PageRules,
        factors: &mut BTreeMap<GroupId, GroupFactor>,
    ) -> Result<u64, CrawlError> {
        let mut lost = 0;
        let mut drops = drops(frontier, dropped).peekable();
        for row in crate::inspect::visits(frontier, visits + 1) {
            let row = row?;
            let is_before = |dropped: &Result<DropRow, _>| dropped.as_ref().map_or(true, |d| d.after < row.n);
            while let Some(dropped) = drops.next_if(is_before) {
                self.tell_drop(&dropped?)?;
                keep_factors(&self.placing, factors);
            }
            if !self.tell_again(&row, archive, rules)? {
                lost += 1; // in a power cut: the policy goes on without it
            }
            keep_factors(&self.placing, factors);
        }
        for dropped in drops {
            self.tell_drop(&dropped?)?;
            keep_factors(&self.placing, factors);
        }
        Ok(lost)
    }

    /// Tells of a visit of before. Whether that was possible.
    fn tell_again(
        &mut self,
        row: &VisitRow,
        archive: &ArchiveReader,
        rules: &PageRules,
    ) -> Result<bool, CrawlError> {
        let answer = || row.archived.and_then(|at| archive.read(at, Some(&row.url)).ok());
        match row.told {
            Told::Page => {
                let Some(response) = answer() else { return Ok(row.archived.is_none()) };
                let page = &read_page(&response, rules);
                // the verdict of then, whatever the judge would say today
                let judgement = Judgement { relevance: row.relevance, relevant: row.relevant };
                let reading = self.site.as_ref().map(|site| site.read(page));
                let (page_words, reading) = (&PageWords::default(), reading.as_ref());
                let &VisitRow { link: id, group, depth, ref why, ref fresh, .. } = row;
                self.page(&Visit { id, group, depth, page, page_words, reading, judgement, why, fresh });
            }
            Told::Sitemap => {
                let Some(response) = answer() else { return Ok(row.archived.is_none()) };
                let sitemap = read_sitemap(&response, rules);
                let map = SitemapVisit { id: row.link, depth: row.depth, entries: &sitemap.entries };
                self.sitemap(&map);
            }
            Told::Failure => {
                let url = CanonicalUrl::from_stored(&row.url).map_err(|cause| row_error("visit", &cause))?;
                let (group, depth, cause) = (Some(row.group), row.depth, row.cause());
                self.failure(&Failure { id: row.link, url: &url, group, depth, cause });
            }
            Told::Repeat => self.repeat(row)?,
            Told::Nothing => {}
        }
        Ok(true)
    }

    pub(crate) fn tell_drop(&mut self, row: &DropRow) -> Result<(), CrawlError> {
        let url = CanonicalUrl::from_stored(&row.url).map_err(|cause| row_error("drop", &cause))?;
        let cause = Cause::Skipped(Skip::from_code(row.reason).map_or("unknown", Skip::name));
        self.failure(&Failure { id: row.link, url: &url, group: None, depth: row.depth, cause });
        Ok(())
    }
}

/// Keeps what is said last of each group.
fn keep_factors(placing: &Placing, factors: &mut BTreeMap<GroupId, GroupFactor>) {
    factors.extend(placing.ops().filter_map(|(op, _)| match op {
        Op::Factor(group, factor) => Some((*group, *factor)),
        _ => None,
    }));
}
