//! One atomic step: what a page changes is planned first, then written as one batch, then applied to memory.
//!
//! The plan is an overlay: links and hosts that change are copied into it and changed there, and later parts of the
//! same commit read them there. So one commit may release a link and rescore it, or contain a URL twice, and a commit
//! that fails has changed nothing.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use osprey_model::{CanonicalUrl, GroupFactor, GroupId, HostKey, LinkId, LinkScore, Timestamp};

use crate::api::{Commit, Committed, Initial, NewLink, Row, Settle, Target};
use crate::block::{BLOCK_LINKS, BlockLink, Hot, encode_hot, encode_links};
use crate::error::FrontierError;
use crate::frontier::{Frontier, Taken, encode_factor};
use crate::host_row::HostRow;
use crate::rank::priority;
use crate::schedule::LinkPlace;
use crate::slot::{Slot, resting_slot};
use crate::status::{FoundOn, Stage, Status};
use crate::store::{Batch, SealedBatch, Space};

/// The effect of a commit, worked out before anything is written.
struct Plan<'c> {
    now: Timestamp,
    block: &'c [u8],
    /// New links; their ids begin at `outcome.first_id`.
    added: Vec<BlockLink<'c>>,
    /// The ids of new links by fingerprint.
    prints: HashMap<u64, LinkId>,
    /// Links that change, in their new state.
    changes: BTreeMap<LinkId, Taken>,
    /// New hosts; their numbers follow those of the known hosts.
    new_hosts: Vec<HostKey>,
    new_host_ids: HashMap<HostKey, u32>,
    host_rows: BTreeMap<u32, HostRow>,
    /// Leases that end.
    ended: Vec<Ended>,
    /// Factors that this commit sets.
    set_factors: BTreeMap<GroupId, GroupFactor>,
    /// Factors of all groups that receive links.
    factors: HashMap<GroupId, GroupFactor>,
    outcome: Committed,
}

/// A lease that ends.
struct Ended {
    host: u32,
    link: LinkId,
    /// Whether a request was made.
    is_made: bool,
}

impl Frontier {
    /// Stores everything a page changes, completely or not at all.
    ///
    /// After an error, memory is unchanged. After a disk error, nothing more is written until the frontier is opened
    /// again; the commit that failed is then either there completely or not at all.
    pub fn commit(&mut self, commit: &Commit<'_>) -> Result<Committed, FrontierError> {
        let plan = self.plan(commit)?;
        let batch = self.write(&plan, &commit.rows)?;
        self.store.commit(batch)?;
        let outcome = plan.outcome;
        self.apply(plan);
        self.note_unsynced();
        Ok(outcome)
    }

    fn plan<'c>(&self, commit: &'c Commit<'_>) -> Result<Plan<'c>, FrontierError> {
        let first_id = LinkId(self.seen.len());
        let mut plan = Plan {
            now: self.schedule.hosts.clock().max(commit.now),
            block: commit.block,
            added: Vec::with_capacity(commit.add.len()),
            prints: HashMap::new(),
            changes: BTreeMap::new(),
            new_hosts: Vec::new(),
            new_host_ids: HashMap::new(),
            host_rows: BTreeMap::new(),
            ended: Vec::new(),
            set_factors: commit.factors.iter().copied().collect(),
            factors: commit.factors.iter().copied().collect(),
            outcome: Committed { first_id, added: 0, known: 0, moved: 0, revived: 0, full: 0, again: 0 },
        };
        for &(id, settle) in &commit.settle {
            self.plan_settle(&mut plan, id, settle)?;
        }
        for &id in &commit.again {
            self.plan_again(&mut plan, id, None)?;
        }
        for &(id, group, own) in &commit.again_in {
            self.plan_again(&mut plan, id, Some((group, own)))?;
        }
        for link in &commit.place {
            self.plan_place(&mut plan, link)?;
        }
        for link in &commit.add {
            self.plan_add(&mut plan, link)?;
        }
        for &(target, own) in &commit.rescore {
            self.plan_rescore(&mut plan, target, own)?;
        }
        for &(id, group, own) in &commit.moves {
            self.plan_move(&mut plan, id, (group, own), None)?;
        }
        for &(id, reason) in &commit.drop {
            if let Some(mut change) = self.waiting(&plan, id)? {
                change.status.stage = Stage::Dropped(reason);
                plan.changes.insert(id, change);
            }
        }
        self.plan_factors(&mut plan)?;
        Ok(plan)
    }

    fn plan_settle(&self, plan: &mut Plan<'_>, id: LinkId, settle: Settle) -> Result<(), FrontierError> {
        if plan.changes.contains_key(&id) {
            return Err(FrontierError::NotLeased { id });
        }
        let mut change = self.leases.get(&id).ok_or(FrontierError::NotLeased { id })?.clone();
        change.status.stage = match settle {
            Settle::Done => Stage::Done,
            Settle::Retry { at } => Stage::Delayed(at),
            Settle::Failed { reason } => Stage::Failed(reason),
            Settle::Dropped { reason } => Stage::Dropped(reason),
            Settle::Release => Stage::Waiting,
        };
        let is_made = !matches!(settle, Settle::Release | Settle::Dropped { .. });
        if is_made {
            let hosts = &self.schedule.hosts;
            let known = hosts.get(change.host).map(|host| host.row).unwrap_or_default();
            let row = plan.host_rows.entry(change.host).or_insert(known);
            row.fetched += 1;
            row.failed += u64::from(settle != Settle::Done);
            row.asked.begin(hosts.open_since(change.host, id).unwrap_or(plan.now));
            row.asked.end(plan.now);
        } else {
            change.status.attempts = change.status.attempts.saturating_sub(1);
        }
        plan.ended.push(Ended { host: change.host, link: id, is_made });
        plan.changes.insert(id, change);
        Ok(())
    }

    /// Makes a finished link wait again, in its old place or in a new one.
    fn plan_again(
        &self,
        plan: &mut Plan<'_>,
        id: LinkId,
        place: Option<(GroupId, LinkScore)>,
    ) -> Result<(), FrontierError> {
        let mut change = match plan.changes.get(&id) {
            Some(change) => change.clone(),
            None => {
                let slot = self.schedule.slot(id).ok_or(FrontierError::UnknownLink { id })?;
                if !matches!(slot, Slot::Done | Slot::Failed(_) | Slot::Dropped(_)) {
                    return Ok(());
                }
                let missing =
                    || Space::Status.corrupt(&id.0.to_be_bytes(), "no status of a link that is over");
                Taken { host: self.hot(id)?.host, status: self.status(id)?.ok_or_else(missing)? }
            }
        };
        if matches!(change.status.stage, Stage::Done | Stage::Failed(_) | Stage::Dropped(_)) {
            change.status.stage = Stage::Waiting;
            change.status.attempts = 0;
            if let Some((group, own)) = place {
                (change.status.group, change.status.own) = (group, own);
            }
            plan.changes.insert(id, change);
            plan.outcome.again += 1;
        }
        Ok(())
    }

    fn plan_add<'c>(&self, plan: &mut Plan<'c>, link: &NewLink<'c>) -> Result<(), FrontierError> {
        let print = link.url.fingerprint();
        if let Some(id) = self.find(plan, print) {
            plan.outcome.known += 1;
            return self.plan_known(plan, id, link);
        }
        let id = plan.outcome.first_id.0 + plan.outcome.added;
        if id >= self.max_links {
            plan.outcome.full += 1;
            return Ok(());
        }
        let host = self.plan_host(plan, link.url);
        let refused = match link.state {
            Initial::Waiting => None,
            Initial::Dropped(reason) => Some(reason),
        };
        let hot = Hot { print, host, group: link.group, own: link.own, refused };
        plan.added.push(BlockLink { url: link.url.as_str(), payload: link.payload, hot });
        plan.prints.insert(print, LinkId(id));
        plan.outcome.added += 1;
        Ok(())
    }

    /// Moves a waiting link to a new place, better or worse.
    fn plan_place<'c>(&self, plan: &mut Plan<'c>, link: &NewLink<'c>) -> Result<(), FrontierError> {
        let place = (link.group, link.own);
        match self.find(plan, link.url.fingerprint()) {
            Some(id) if self.stage(plan, id).is_some_and(|(stage, _)| is_waiting(stage)) => {
                self.plan_move(plan, id, place, Some(link.payload))
            }
            _ => self.plan_add(plan, link),
        }
    }

    /// Moves a waiting link. With a payload, the link was found on the page of this commit.
    fn plan_move(
        &self,
        plan: &mut Plan<'_>,
        id: LinkId,
        (group, own): (GroupId, LinkScore),
        payload: Option<&[u8]>,
    ) -> Result<(), FrontierError> {
        if self.stage(plan, id).is_some_and(|(_, at)| (at.group, at.own) == (group, own)) {
            return Ok(());
        }
        if let Some(mut change) = self.waiting(plan, id)? {
            (change.status.group, change.status.own) = (group, own);
            if let Some(payload) = payload {
                change.status.found = Some(FoundOn { block: plan.block.to_vec(), payload: payload.to_vec() });
            }
            plan.changes.insert(id, change);
        }
        Ok(())
    }

    /// Handles a known link that was found again: it moves if the new place ranks higher, and waits if it was only
    /// remembered.
    fn plan_known(&self, plan: &mut Plan<'_>, id: LinkId, link: &NewLink<'_>) -> Result<(), FrontierError> {
        if link.state != Initial::Waiting {
            return Ok(());
        }
        let stage = self.stage(plan, id);
        let mut change = match stage {
            Some((Stage::Waiting | Stage::Delayed(_), place)) => {
                let now = worth(self.planned_factor(plan, place.group)?, place.own);
                if worth(self.planned_factor(plan, link.group)?, link.own) <= now {
                    return Ok(());
                }
                plan.outcome.moved += 1;
                match self.waiting(plan, id)? {
                    Some(change) => change,
                    None => return Ok(()),
                }
            }
            Some((Stage::Refused(_), place)) => {
                plan.outcome.revived += 1;
                let host =
                    if id >= plan.outcome.first_id { place.host } else { self.plan_host(plan, link.url) };
                let (group, own) = (link.group, link.own);
                Taken { host, status: Status { stage: Stage::Waiting, group, own, attempts: 0, found: None } }
            }
            _ => return Ok(()),
        };
        change.status.group = link.group;
        change.status.own = link.own;
        change.status.found = Some(FoundOn { block: plan.block.to_vec(), payload: link.payload.to_vec() });
        plan.changes.insert(id, change);
        Ok(())
    }

    fn plan_rescore(
        &self,
        plan: &mut Plan<'_>,
        target: Target<'_>,
        own: LinkScore,
    ) -> Result<(), FrontierError> {
        let id = match target {
            Target::Id(id) => id,
            Target::Url(url) => match self.find(plan, url.fingerprint()) {
                Some(id) => id,
                None => return Ok(()),
            },
        };
        if let Some(mut change) = self.waiting(plan, id)?
            && change.status.own != own
        {
            change.status.own = own;
            plan.changes.insert(id, change);
        }
        Ok(())
    }

    /// The number of a URL's host, which may be new in this commit.
    fn plan_host(&self, plan: &mut Plan<'_>, url: &CanonicalUrl) -> u32 {
        if let Some(host) = self.schedule.hosts.find(url.authority()) {
            return host;
        }
        let known = self.schedule.hosts.len();
        let Plan { new_hosts, new_host_ids, .. } = plan;
        *new_host_ids.entry(url.host_key()).or_insert_with_key(|key| {
            new_hosts.push(key.clone());
            (known + new_hosts.len() - 1) as u32
        })
    }

    /// Reads the factors of all groups that receive links.
    fn plan_factors(&self, plan: &mut Plan<'_>) -> Result<(), FrontierError> {
        let changed = plan.changes.values().filter(|change| is_waiting(change.status.stage));
        let mut groups: Vec<GroupId> = changed.map(|change| change.status.group).collect();
        groups.extend(plan.added.iter().map(|link| link.hot.group));
        for group in groups {
            if let Entry::Vacant(entry) = plan.factors.entry(group) {
                entry.insert(self.factor(group)?);
            }
        }
        Ok(())
    }

    fn planned_factor(&self, plan: &Plan<'_>, group: GroupId) -> Result<GroupFactor, FrontierError> {
        plan.factors.get(&group).map_or_else(|| self.factor(group), |&factor| Ok(factor))
    }

    fn find(&self, plan: &Plan<'_>, print: u64) -> Option<LinkId> {
        self.seen.find(print).or_else(|| plan.prints.get(&print).copied())
    }

    /// The state and place of a link, from memory alone. For settled links the place has no meaning.
    fn stage(&self, plan: &Plan<'_>, id: LinkId) -> Option<(Stage, LinkPlace)> {
        if let Some(Taken { host, status }) = plan.changes.get(&id) {
            return Some((status.stage, LinkPlace { host: *host, group: status.group, own: status.own }));
        }
        if let Some(hot) = plan.new_link(id) {
            let stage = hot.refused.map_or(Stage::Waiting, Stage::Refused);
            return Some((stage, LinkPlace { host: hot.host, group: hot.group, own: hot.own }));
        }
        if let Some((place, retry_at)) = self.schedule.place(id) {
            return Some((retry_at.map_or(Stage::Waiting, Stage::Delayed), place));
        }
        let nowhere = LinkPlace { host: 0, group: GroupId(0), own: LinkScore::ZERO };
        match self.schedule.slot(id)? {
            Slot::Refused(reason) => Some((Stage::Refused(reason), nowhere)),
            _ => Some((Stage::Done, nowhere)),
        }
    }

    /// A copy of a waiting link, to be changed; `None` if the link does not wait.
    fn waiting(&self, plan: &Plan<'_>, id: LinkId) -> Result<Option<Taken>, FrontierError> {
        let (stage, place) = self.stage(plan, id).ok_or(FrontierError::UnknownLink { id })?;
        if !is_waiting(stage) {
            return Ok(None);
        }
        if let Some(change) = plan.changes.get(&id) {
            return Ok(Some(change.clone()));
        }
        let before = if id < plan.outcome.first_id { self.status(id)? } else { None };
        let (attempts, found) = before.map_or((0, None), |status| (status.attempts, status.found));
        let LinkPlace { host, group, own } = place;
        Ok(Some(Taken { host, status: Status { stage, group, own, attempts, found } }))
    }

    fn write(&self, plan: &Plan<'_>, rows: &[Row<'_>]) -> Result<SealedBatch, FrontierError> {
        let mut batch = self.store.batch();
        let mut first = plan.outcome.first_id.0;
        for links in plan.added.chunks(BLOCK_LINKS) {
            batch.put(Space::Links, &first.to_be_bytes(), encode_links(plan.block, links))?;
            batch.put(Space::Hot, &first.to_be_bytes(), encode_hot(links))?;
            first += links.len() as u32;
        }
        self.put_orphans(&mut batch, |id| plan.changes.contains_key(&id))?;
        for (id, change) in &plan.changes {
            batch.put(Space::Status, &id.0.to_be_bytes(), change.status.encode())?;
        }
        self.write_hosts(plan, &mut batch)?;
        for (group, &factor) in &plan.set_factors {
            let key = group.0.to_be_bytes();
            match factor {
                GroupFactor::ONE => batch.remove(Space::Factors, &key)?,
                factor => batch.put(Space::Factors, &key, encode_factor(factor))?,
            }
        }
        write_rows(rows, &mut batch)?;
        Ok(batch.seal())
    }

    fn write_hosts(&self, plan: &Plan<'_>, batch: &mut Batch<'_>) -> Result<(), FrontierError> {
        let hosts = &self.schedule.hosts;
        for (index, key) in (hosts.len() as u32..).zip(&plan.new_hosts) {
            batch.put(Space::Hosts, &index.to_be_bytes(), HostRow::default().encode(key.as_str()))?;
        }
        let unsaved = self.unsaved_hosts.iter().filter(|host| !plan.host_rows.contains_key(host));
        for &index in plan.host_rows.keys().chain(unsaved) {
            if let Some(host) = hosts.get(index) {
                let row = plan.host_rows.get(&index).unwrap_or(&host.row);
                batch.put(Space::Hosts, &index.to_be_bytes(), host.encode(row))?;
            }
        }
        Ok(())
    }

    /// Applies the plan to memory. The store has it already, so nothing here may fail.
    fn apply(&mut self, plan: Plan<'_>) {
        let schedule = &mut self.schedule;
        schedule.advance(plan.now);
        for key in plan.new_hosts {
            schedule.hosts.add(key, HostRow::default());
        }
        for (&host, &row) in &plan.host_rows {
            schedule.hosts.set_row(host, row);
        }
        for &Ended { host, link, is_made } in &plan.ended {
            schedule.hosts.end(host, link, is_made.then_some(plan.now));
        }
        for (&group, &factor) in &plan.set_factors {
            schedule.set_factor(group, factor);
        }
        let factor = |group: GroupId| plan.factors.get(&group).copied().unwrap_or(GroupFactor::ONE);
        for link in &plan.added {
            let Hot { print, host, group, own, refused } = link.hot;
            let id = self.seen.insert(print);
            match refused {
                Some(reason) => schedule.leave(id, Slot::Refused(reason)),
                None => schedule.enter(id, LinkPlace { host, group, own }, factor(group), None),
            }
        }
        for (id, Taken { host, status }) in plan.changes {
            self.leases.remove(&id);
            if let Some(slot) = resting_slot(status.stage) {
                schedule.leave(id, slot);
                continue;
            }
            let retry_at = match status.stage {
                Stage::Delayed(at) => Some(at),
                _ => None,
            };
            // Take it out of its old queue, if it is in one, and put it into the new one.
            schedule.leave(id, Slot::Leased);
            let place = LinkPlace { host, group: status.group, own: status.own };
            schedule.enter(id, place, factor(status.group), retry_at);
        }
        for ended in plan.ended {
            schedule.refresh(ended.host);
        }
        self.note_saved();
    }
}

impl Plan<'_> {
    fn new_link(&self, id: LinkId) -> Option<&Hot> {
        let index = id.0.checked_sub(self.outcome.first_id.0)?;
        self.added.get(index as usize).map(|link| &link.hot)
    }
}

/// Writes the caller's rows; of several with the same key the last one counts.
fn write_rows(rows: &[Row<'_>], batch: &mut Batch<'_>) -> Result<(), FrontierError> {
    let mut written = HashSet::new();
    for row in rows.iter().rev() {
        if !written.insert((row.table, &row.key)) {
            continue;
        }
        match &row.value {
            Some(value) => batch.put(Space::Rows(row.table), &row.key, value.to_vec())?,
            None => batch.remove(Space::Rows(row.table), &row.key)?,
        }
    }
    Ok(())
}

fn is_waiting(stage: Stage) -> bool {
    matches!(stage, Stage::Waiting | Stage::Delayed(_))
}

/// The rank of a place for comparison; a parked group ranks lowest.
fn worth(factor: GroupFactor, own: LinkScore) -> Option<f32> {
    match factor {
        GroupFactor::Times(times) => Some(priority(times, own).get()),
        GroupFactor::Parked => None,
    }
}
