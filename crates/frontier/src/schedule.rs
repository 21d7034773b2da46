//! Which link is next: queues, groups and hosts in memory.
//!
//! Four levels, each ordered by [`Rank`]: links inside a queue (one group at one host) by own score; queues inside a
//! host by factor x best own; ready hosts by their best queue (in each of their [`Lane`]s); and if hosts share an
//! address, addresses by their best host. A new factor touches the heads of the group's queues, never their links;
//! the next link is the last entry of a set.
//!
//! Everything here can be rebuilt from the store, so nothing here does I/O or fails.

use std::collections::{BTreeSet, HashMap};

use hashbrown::HashTable;
use osprey_model::{GroupFactor, GroupId, LinkId, LinkScore, Timestamp};

use crate::chunked::Chunked;
use crate::hosts::{Hosts, LONGEST_WAIT, Limits};
use crate::lanes::{Bests, Lane, Lanes};
use crate::mix::Mix;
use crate::queue::{NO_QUEUE, Queue};
use crate::rank::{Rank, priority};
use crate::slab::Slab;
use crate::slot::{PackedSlot, Slot};

/// Where a link waits, or waited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LinkPlace {
    pub(crate) host: u32,
    pub(crate) group: GroupId,
    pub(crate) own: LinkScore,
}

/// A group with waiting links. Other groups are not kept in memory: their factors are in the store.
#[derive(Debug)]
struct Group {
    id: GroupId,
    factor: GroupFactor,
    /// The first queue of its list.
    first: u32,
}

/// A queue's position among the queues of its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Head {
    host: u32,
    rank: Rank,
    queue: u32,
}

/// How many links are in which state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) waiting: u64,
    pub(crate) parked: u64,
    pub(crate) leased: u64,
    pub(crate) done: u64,
    pub(crate) failed: u64,
    pub(crate) dropped: u64,
}

/// The best link that may be fetched now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Best {
    pub(crate) id: LinkId,
    pub(crate) place: LinkPlace,
    pub(crate) factor: GroupFactor,
    pub(crate) priority: LinkScore,
}

#[derive(Debug)]
pub(crate) struct Schedule {
    pub(crate) hosts: Hosts,
    slots: Chunked<PackedSlot>,
    queues: Slab<Queue>,
    /// Finds a queue by host and group.
    by_place: HashTable<u32>,
    /// The queue that last received a link: most links of a page go to the same one.
    recent: u32,
    groups: Slab<Group>,
    by_group: HashTable<u32>,
    /// The listed queues of all hosts, ordered by host; the last of a host is its best.
    heads: BTreeSet<Head>,
    /// Links that wait for their retry time, by id and by time.
    delayed: HashMap<LinkId, (Timestamp, LinkScore)>,
    due: BTreeSet<(Timestamp, LinkId)>,
    counts: Counts,
    parked_groups: u64,
    mix: Mix,
}

impl Schedule {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            hosts: Hosts::new(limits),
            slots: Chunked::new(),
            queues: Slab::new(),
            by_place: HashTable::new(),
            recent: NO_QUEUE,
            groups: Slab::new(),
            by_group: HashTable::new(),
            heads: BTreeSet::new(),
            delayed: HashMap::new(),
            due: BTreeSet::new(),
            counts: Counts::default(),
            parked_groups: 0,
            mix: Mix::new(),
        }
    }

    pub(crate) fn counts(&self) -> Counts {
        self.counts
    }

    pub(crate) fn groups(&self) -> usize {
        self.groups.len()
    }

    /// The number of groups that are parked.
    pub(crate) fn parked_groups(&self) -> u64 {
        self.parked_groups
    }

    /// The parked groups.
    pub(crate) fn parked(&self) -> impl Iterator<Item = GroupId> {
        let groups = self.by_group.iter().map(|at| &self.groups[*at]);
        groups.filter(|group| group.factor == GroupFactor::Parked).map(|group| group.id)
    }

    pub(crate) fn retrying(&self) -> usize {
        self.delayed.len()
    }

    pub(crate) fn slot(&self, id: LinkId) -> Option<Slot> {
        self.slots.get(id.0 as usize).map(PackedSlot::unpack)
    }

    /// The place of a waiting link, and its retry time if it waits for that.
    pub(crate) fn place(&self, id: LinkId) -> Option<(LinkPlace, Option<Timestamp>)> {
        let (queue, own, retry_at) = match self.slot(id)? {
            Slot::Waiting { queue, own } => (queue, own, None),
            Slot::Delayed { queue } => {
                let &(at, own) = self.delayed.get(&id)?;
                (queue, own, Some(at))
            }
            _ => return None,
        };
        let queue = &self.queues[queue];
        Some((LinkPlace { host: queue.host, group: self.groups[queue.group].id, own }, retry_at))
    }

    /// The factor of a group that has waiting links.
    pub(crate) fn factor(&self, group: GroupId) -> Option<GroupFactor> {
        self.find_group(group).map(|index| self.groups[index].factor)
    }

    /// Makes a link wait that is new or in no queue. `factor` is used only if its group has no waiting links yet.
    pub(crate) fn enter(
        &mut self,
        id: LinkId,
        place: LinkPlace,
        factor: GroupFactor,
        retry_at: Option<Timestamp>,
    ) {
        let queue = self.join(id, place, factor, retry_at);
        self.relist(queue);
    }

    /// Like [`Self::enter`], but no link is handed out before [`Self::relist_all`].
    pub(crate) fn load(
        &mut self,
        id: LinkId,
        place: LinkPlace,
        factor: GroupFactor,
        retry_at: Option<Timestamp>,
    ) {
        self.join(id, place, factor, retry_at);
    }

    fn join(
        &mut self,
        id: LinkId,
        place: LinkPlace,
        factor: GroupFactor,
        retry_at: Option<Timestamp>,
    ) -> u32 {
        let queue =
            self.find_queue(place.host, place.group).unwrap_or_else(|| self.new_queue(&place, factor));
        self.recent = queue;
        self.queues[queue].members += 1;
        self.hosts.waiting(place.host, 1);
        if self.is_parked(queue) {
            self.count_parked(place.host, 1);
        }
        match retry_at.filter(|&at| at > self.hosts.clock()) {
            Some(at) => {
                self.set_slot(id, Slot::Delayed { queue });
                self.delayed.insert(id, (at, place.own));
                self.due.insert((at, id));
            }
            None => {
                self.set_slot(id, Slot::Waiting { queue, own: place.own });
                self.push(queue, Rank::new(place.own, id));
            }
        }
        queue
    }

    /// Takes a waiting link out of its queue and sets its state. For a link that is new or in no queue, it only sets
    /// the state.
    pub(crate) fn leave(&mut self, id: LinkId, to: Slot) {
        let queue = match self.slot(id) {
            Some(Slot::Waiting { queue, .. }) => queue,
            Some(Slot::Delayed { queue }) => {
                if let Some((at, _)) = self.delayed.remove(&id) {
                    self.due.remove(&(at, id));
                }
                queue
            }
            _ => return self.set_slot(id, to),
        };
        self.set_slot(id, to);
        let host = self.queues[queue].host;
        if self.is_parked(queue) {
            self.count_parked(host, -1);
        }
        self.queues[queue].members -= 1;
        self.hosts.waiting(host, -1);
        if self.queues[queue].members == 0 {
            self.remove_queue(queue);
        } else {
            self.relist(queue);
        }
    }

    /// Sets the factor of a group. If the group has no waiting links, only the store needs it.
    pub(crate) fn set_factor(&mut self, group: GroupId, factor: GroupFactor) {
        let Some(index) = self.find_group(group) else { return };
        let was_parked = self.groups[index].factor == GroupFactor::Parked;
        self.change_factor(index, factor);
        let mut queue = self.groups[index].first;
        while queue != NO_QUEUE {
            let Queue { host, members, .. } = self.queues[queue];
            let members = i32::try_from(members).unwrap_or(i32::MAX);
            match (was_parked, factor == GroupFactor::Parked) {
                (false, true) => self.count_parked(host, members),
                (true, false) => self.count_parked(host, -members),
                _ => {}
            }
            self.relist(queue);
            queue = self.queues[queue].after;
        }
    }

    /// Like [`Self::set_factor`], for loading: call [`Self::relist_all`] afterwards.
    pub(crate) fn load_factor(&mut self, group: GroupId, factor: GroupFactor) {
        if let Some(index) = self.find_group(group) {
            self.change_factor(index, factor);
        }
    }

    fn change_factor(&mut self, group: u32, factor: GroupFactor) {
        let old = std::mem::replace(&mut self.groups[group].factor, factor);
        self.parked_groups += u64::from(factor == GroupFactor::Parked);
        self.parked_groups -= u64::from(old == GroupFactor::Parked);
    }

    /// Lists all queues after loading: sorts once instead of inserting one by one.
    pub(crate) fn relist_all(&mut self) {
        let Self { queues, groups, slots, hosts, .. } = self;
        let mut heads = Vec::with_capacity(queues.len());
        let mut parked = 0;
        for queue in 0..queues.end() {
            let entry = &mut queues[queue];
            let factor = groups[entry.group].factor;
            entry.listed = listed_rank(entry.top(|rank| is_current(slots, queue, rank)), factor);
            if factor == GroupFactor::Parked {
                parked += u64::from(entry.members);
                hosts.parked(entry.host, i32::try_from(entry.members).unwrap_or(i32::MAX));
            }
            if entry.listed != Rank::NONE {
                heads.push(Head { host: entry.host, rank: entry.listed, queue });
            }
        }
        self.heads = BTreeSet::from_iter(heads);
        self.counts.parked = parked;
        for host in 0..self.hosts.len() {
            self.refresh(host as u32);
        }
    }

    /// Updates a queue's position among the queues of its host, and the host's among the hosts.
    pub(crate) fn relist(&mut self, queue: u32) {
        let slots = &self.slots;
        let entry = &mut self.queues[queue];
        let top = entry.top(|rank| is_current(slots, queue, rank));
        let rank = listed_rank(top, self.groups[entry.group].factor);
        if rank == entry.listed {
            return;
        }
        let (host, is_picture) = (entry.host, self.groups[entry.group].id == GroupId::PICTURES);
        let listed = std::mem::replace(&mut entry.listed, rank);
        if listed != Rank::NONE {
            self.heads.remove(&Head { host, rank: listed, queue });
        }
        if rank != Rank::NONE {
            self.heads.insert(Head { host, rank, queue });
        }
        if self.hosts.is_touched(host, is_picture, listed, rank) {
            self.refresh(host);
        }
    }

    /// Updates a host's position among the hosts.
    pub(crate) fn refresh(&mut self, host: u32) {
        let pictures = self.find_queue(host, GroupId::PICTURES);
        let page = self.best_page(host, pictures).map_or(Rank::NONE, |head| head.rank);
        let picture = pictures.map_or(Rank::NONE, |queue| self.queues[queue].listed);
        self.hosts.refresh(host, Bests { page, picture });
    }

    /// The best queue of a host, not counting its pictures.
    fn best_page(&self, host: u32, pictures: Option<u32>) -> Option<Head> {
        let from = Head { host, rank: Rank::NONE, queue: 0 };
        let next = Head { host: host.checked_add(1)?, ..from };
        self.heads.range(from..next).rev().find(|head| Some(head.queue) != pictures).copied()
    }

    /// Advances the clock: links whose retry time has come return to their queues, rested hosts become ready.
    pub(crate) fn advance(&mut self, now: Timestamp) {
        self.hosts.advance(now);
        while let Some(&(at, id)) = self.due.first() {
            if at > self.hosts.clock() {
                break;
            }
            self.due.pop_first();
            let Some((_, own)) = self.delayed.remove(&id) else { continue };
            if let Some(Slot::Delayed { queue }) = self.slot(id) {
                self.set_slot(id, Slot::Waiting { queue, own });
                self.push(queue, Rank::new(own, id));
                self.relist(queue);
            }
        }
        for host in self.hosts.take_rested() {
            self.refresh(host);
        }
    }

    /// The link to hand out now, of those in open lanes.
    pub(crate) fn best(&self, open: Lanes) -> Option<Best> {
        let (lane, host) = self.hosts.best_ready(open)?;
        let pictures = self.find_queue(host, GroupId::PICTURES);
        let (queue, rank) = match lane {
            Lane::ProvenPicture | Lane::UnprovenPicture => {
                let queue = pictures?;
                (queue, self.queues[queue].listed)
            }
            Lane::ProvenPage | Lane::UnprovenPage => {
                let head = self.best_page(host, pictures)?;
                (head.queue, head.rank)
            }
        };
        let group = &self.groups[self.queues[queue].group];
        let id = rank.id();
        let Some(Slot::Waiting { own, .. }) = self.slot(id) else { return None };
        let place = LinkPlace { host, group: group.id, own };
        Some(Best { id, place, factor: group.factor, priority: rank.score() })
    }

    /// The next moment at which time alone makes a link or a host ready. Links of parked groups and of hosts out of
    /// budget are skipped one by one: they are few, since only failed fetches are retried.
    pub(crate) fn next_ready(&self) -> Option<Timestamp> {
        let due = self.due.iter().find(|(_, id)| self.may_be_due(*id)).map(|&(at, _)| at);
        [due, self.hosts.next_rested()].into_iter().flatten().min()
    }

    /// Whether a link that waits for its retry time can be handed out then.
    fn may_be_due(&self, id: LinkId) -> bool {
        let Some(Slot::Delayed { queue }) = self.slot(id) else { return false };
        let is_spent = self.hosts.get(self.queues[queue].host).is_some_and(|host| self.hosts.is_spent(host));
        !is_spent && !self.is_parked(queue)
    }

    /// Links of parked groups that a new factor could make ready.
    pub(crate) fn parked_within_budget(&self) -> u64 {
        if !self.hosts.has_budget() {
            return self.counts.parked;
        }
        let open = self.hosts.iter().filter(|host| !self.hosts.is_spent(host));
        open.map(|host| u64::from(host.parked)).sum()
    }

    /// Sets the clock to `now`, even if that is far in the past, and shortens waits that come from a wrong clock.
    /// Returns the hosts whose rows changed.
    pub(crate) fn believe(&mut self, now: Timestamp) -> Vec<u32> {
        let changed = self.hosts.believe(now);
        let latest = self.hosts.clock().after(LONGEST_WAIT);
        for (_, id) in self.due.split_off(&(latest, LinkId(u32::MAX))) {
            if let Some((at, _)) = self.delayed.get_mut(&id) {
                *at = latest;
                self.due.insert((latest, id));
            }
        }
        for host in 0..self.hosts.len() {
            self.refresh(host as u32);
        }
        changed
    }

    fn push(&mut self, queue: u32, rank: Rank) {
        let slots = &self.slots;
        self.queues[queue].push(rank, |rank| is_current(slots, queue, rank));
    }

    fn set_slot(&mut self, id: LinkId, slot: Slot) {
        match self.slot(id) {
            Some(old) => {
                self.count(old, -1);
                self.slots.set(id.0 as usize, slot.into());
            }
            None => self.slots.push(slot.into()),
        }
        self.count(slot, 1);
    }

    fn count(&mut self, slot: Slot, change: i64) {
        let count = match slot {
            Slot::Waiting { .. } | Slot::Delayed { .. } => &mut self.counts.waiting,
            Slot::Leased => &mut self.counts.leased,
            Slot::Done => &mut self.counts.done,
            Slot::Failed(_) => &mut self.counts.failed,
            Slot::Dropped(_) | Slot::Refused(_) => &mut self.counts.dropped,
        };
        *count = count.wrapping_add_signed(change);
    }

    fn count_parked(&mut self, host: u32, change: i32) {
        self.counts.parked = self.counts.parked.saturating_add_signed(change.into());
        self.hosts.parked(host, change);
    }

    fn is_parked(&self, queue: u32) -> bool {
        self.groups[self.queues[queue].group].factor == GroupFactor::Parked
    }

    fn find_group(&self, id: GroupId) -> Option<u32> {
        self.by_group.find(self.mix.hash(id.0), |&index| self.groups[index].id == id).copied()
    }

    fn find_queue(&self, host: u32, group: GroupId) -> Option<u32> {
        let is_it = |&index: &u32| {
            let queue = &self.queues[index];
            queue.host == host && self.groups[queue.group].id == group
        };
        // The number may have been given to another queue since, or to none.
        if self.recent < self.queues.end() && self.queues[self.recent].members > 0 && is_it(&self.recent) {
            return Some(self.recent);
        }
        self.by_place.find(self.mix.hash_pair(host, group.0), is_it).copied()
    }

    fn new_queue(&mut self, place: &LinkPlace, factor: GroupFactor) -> u32 {
        let Self { queues, by_place, groups, by_group, parked_groups, mix, .. } = self;
        let hash = mix.hash(place.group.0);
        let group = by_group.find(hash, |&index| groups[index].id == place.group).copied();
        let group = group.unwrap_or_else(|| {
            let index = groups.insert(Group { id: place.group, factor, first: NO_QUEUE });
            by_group.insert_unique(hash, index, |&index| mix.hash(groups[index].id.0));
            *parked_groups += u64::from(factor == GroupFactor::Parked);
            index
        });
        let after = groups[group].first;
        let queue = queues.insert(Queue::new(place.host, group, after));
        groups[group].first = queue;
        if after != NO_QUEUE {
            queues[after].before = queue;
        }
        by_place.insert_unique(mix.hash_pair(place.host, place.group.0), queue, |&index| {
            mix.hash_pair(queues[index].host, groups[queues[index].group].id.0)
        });
        queue
    }

    /// Removes an empty queue, and its group if this was its last queue.
    fn remove_queue(&mut self, index: u32) {
        let Self { queues, by_place, groups, by_group, heads, parked_groups, mix, .. } = self;
        let group_id = groups[queues[index].group].id;
        let hash = mix.hash_pair(queues[index].host, group_id.0);
        if let Ok(entry) = by_place.find_entry(hash, |&other| other == index) {
            entry.remove();
        }
        let queue = queues.remove(index, Queue::hole());
        if queue.after != NO_QUEUE {
            queues[queue.after].before = queue.before;
        }
        if queue.before != NO_QUEUE {
            queues[queue.before].after = queue.after;
        } else if queue.after != NO_QUEUE {
            groups[queue.group].first = queue.after;
        } else {
            if let Ok(entry) = by_group.find_entry(mix.hash(group_id.0), |&other| other == queue.group) {
                entry.remove();
            }
            let hole = Group { id: GroupId(0), factor: GroupFactor::ONE, first: NO_QUEUE };
            let group = groups.remove(queue.group, hole);
            *parked_groups -= u64::from(group.factor == GroupFactor::Parked);
        }
        if queue.listed != Rank::NONE {
            heads.remove(&Head { host: queue.host, rank: queue.listed, queue: index });
            self.refresh(queue.host);
        }
    }
}

/// The rank of a queue among the queues of its host, given its best link.
fn listed_rank(top: Option<Rank>, factor: GroupFactor) -> Rank {
    match (factor, top) {
        (GroupFactor::Times(factor), Some(top)) => Rank::new(priority(factor, top.score()), top.id()),
        _ => Rank::NONE,
    }
}

/// Whether a heap entry still belongs to a link that waits in this queue with this score.
fn is_current(slots: &Chunked<PackedSlot>, queue: u32, rank: Rank) -> bool {
    slots.get(rank.id().0 as usize).map(PackedSlot::unpack)
        == Some(Slot::Waiting { queue, own: rank.score() })
}
