//! Hosts and their politeness: who may be asked now, who rests until when, who is busy or spent.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use hashbrown::HashTable;
use osprey_model::{HostKey, Timestamp};

use crate::rank::Rank;
use crate::status::HostRow;

/// A clock that goes back by more than this was wrong before.
const FAR_AHEAD: Duration = Duration::from_secs(60 * 60);
/// Longest wait that is believed when a stored moment is compared with the time: a clock that once was years
/// ahead must not stop a crawl for years.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// What is asked of every host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) delay: Duration,
    pub(crate) concurrency: u32,
    pub(crate) budget: Option<u64>,
}

#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) key: HostKey,
    pub(crate) row: HostRow,
    pub(crate) waiting: u32,
    /// Those of the waiting links whose group is parked.
    pub(crate) parked: u32,
    pub(crate) in_flight: u32,
    seat: Seat,
}

/// Where a host stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seat {
    /// It has nothing to hand out, is busy, or its budget is spent.
    Out,
    /// It may be asked, and this is its best link.
    Ready(Rank),
    /// It has links to hand out from this moment on.
    Resting(Timestamp),
}

#[derive(Debug)]
pub(crate) struct Hosts {
    limits: Limits,
    hosts: Vec<Host>,
    by_name: HashTable<u32>,
    hasher: RandomState,
    ready: BTreeSet<(Rank, u32)>,
    resting: BTreeSet<(Timestamp, u32)>,
    /// The latest moment that was seen; time does not run backwards, unless it was far ahead.
    clock: Timestamp,
}

impl Hosts {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            hosts: Vec::new(),
            by_name: HashTable::new(),
            hasher: RandomState::new(),
            ready: BTreeSet::new(),
            resting: BTreeSet::new(),
            clock: Timestamp::from_millis(i64::MIN),
        }
    }

    pub(crate) fn clock(&self) -> Timestamp {
        self.clock
    }

    pub(crate) fn len(&self) -> usize {
        self.hosts.len()
    }

    pub(crate) fn ready_len(&self) -> usize {
        self.ready.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Host> {
        self.hosts.iter()
    }

    pub(crate) fn get(&self, host: u32) -> Option<&Host> {
        self.hosts.get(host as usize)
    }

    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        let is_it = |&host: &u32| self.get(host).is_some_and(|host| host.key.as_str() == name);
        self.by_name.find(self.hasher.hash_one(name), is_it).copied()
    }

    /// Takes in a host that is not known yet, under the next number.
    pub(crate) fn add(&mut self, key: HostKey, row: HostRow) {
        let Self { hosts, by_name, hasher, .. } = self;
        let hash = hasher.hash_one(key.as_str());
        let index = hosts.len() as u32;
        hosts.push(Host { key, row, waiting: 0, parked: 0, in_flight: 0, seat: Seat::Out });
        by_name.insert_unique(hash, index, |&host| hasher.hash_one(hosts[host as usize].key.as_str()));
    }

    pub(crate) fn waiting(&mut self, host: u32, change: i32) {
        if let Some(host) = self.hosts.get_mut(host as usize) {
            host.waiting = host.waiting.saturating_add_signed(change);
        }
    }

    pub(crate) fn parked(&mut self, host: u32, change: i32) {
        if let Some(host) = self.hosts.get_mut(host as usize) {
            host.parked = host.parked.saturating_add_signed(change);
        }
    }

    pub(crate) fn in_flight(&mut self, host: u32, change: i32) {
        if let Some(host) = self.hosts.get_mut(host as usize) {
            host.in_flight = host.in_flight.saturating_add_signed(change);
        }
    }

    pub(crate) fn set_row(&mut self, host: u32, row: HostRow) {
        if let Some(host) = self.hosts.get_mut(host as usize) {
            host.row = row;
        }
    }

    /// Time between two requests to a host with this row.
    pub(crate) fn delay(&self, row: &HostRow) -> Duration {
        row.delay_ms.map_or(self.limits.delay, Duration::from_millis)
    }

    /// Whether a host has had all its requests.
    pub(crate) fn is_spent(&self, host: &Host) -> bool {
        self.limits.budget.is_some_and(|budget| host.row.fetched + u64::from(host.in_flight) >= budget)
    }

    pub(crate) fn has_budget(&self) -> bool {
        self.limits.budget.is_some()
    }

    pub(crate) fn best_ready(&self) -> Option<u32> {
        self.ready.last().map(|&(_, host)| host)
    }

    pub(crate) fn next_rested(&self) -> Option<Timestamp> {
        self.resting.first().map(|&(at, _)| at)
    }

    pub(crate) fn advance(&mut self, now: Timestamp) {
        self.clock = self.clock.max(now);
    }

    /// Whether a time that was told before was so much later than `now` that it must have been wrong.
    pub(crate) fn is_far_ahead(&self, now: Timestamp) -> bool {
        self.clock.since(now) > FAR_AHEAD
    }

    /// Takes `now` for the time even if it is before the present one, if by far, and shortens rests that
    /// only a wrong clock can have made. Returns the hosts whose rows changed; all have to be refreshed.
    pub(crate) fn believe(&mut self, now: Timestamp) -> Vec<u32> {
        self.clock = if self.is_far_ahead(now) { now } else { self.clock.max(now) };
        let default = self.limits.delay;
        let mut changed = Vec::new();
        for (index, host) in (0..).zip(&mut self.hosts) {
            let delay = host.row.delay_ms.map_or(default, Duration::from_millis);
            let latest = self.clock.after(delay.max(LONGEST_WAIT));
            if host.row.next_at > latest {
                host.row.next_at = latest;
                changed.push(index);
            }
        }
        changed
    }

    /// Hosts whose rest is over; they are out until they are refreshed.
    pub(crate) fn take_rested(&mut self) -> Vec<u32> {
        let mut rested = Vec::new();
        while let Some(&(at, host)) = self.resting.first() {
            if at > self.clock {
                break;
            }
            self.resting.pop_first();
            self.hosts[host as usize].seat = Seat::Out;
            rested.push(host);
        }
        rested
    }

    /// Whether a host's seat can change when one of its queues moves from one rank to another. Most moves
    /// happen behind the host's best queue and change nothing.
    pub(crate) fn is_touched(&self, host: u32, from: Rank, to: Rank) -> bool {
        match self.get(host).map(|host| host.seat) {
            Some(Seat::Ready(best)) => from == best || to > best,
            Some(Seat::Resting(_)) => to == Rank::NONE,
            Some(Seat::Out) => to != Rank::NONE,
            None => false,
        }
    }

    /// Seats a host anew, given its best link.
    pub(crate) fn refresh(&mut self, index: u32, best: Option<Rank>) {
        let Some(host) = self.get(index) else { return };
        let is_out = host.in_flight >= self.limits.concurrency || self.is_spent(host);
        let seat = match best {
            Some(_) if is_out => Seat::Out,
            Some(_) if host.row.next_at > self.clock => Seat::Resting(host.row.next_at),
            Some(rank) => Seat::Ready(rank),
            None => Seat::Out,
        };
        let old = host.seat;
        if seat == old {
            return;
        }
        match old {
            Seat::Out => false,
            Seat::Ready(rank) => self.ready.remove(&(rank, index)),
            Seat::Resting(at) => self.resting.remove(&(at, index)),
        };
        match seat {
            Seat::Out => false,
            Seat::Ready(rank) => self.ready.insert((rank, index)),
            Seat::Resting(at) => self.resting.insert((at, index)),
        };
        self.hosts[index as usize].seat = seat;
    }
}
