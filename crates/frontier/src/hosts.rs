//! Hosts and their politeness: which may be asked now, which rest until when, which are busy or out of budget.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::time::Duration;

use hashbrown::HashTable;
use osprey_model::{HostKey, LinkId, Timestamp};

use crate::addresses::Addresses;
use crate::asked::{LastRequest, Limit, NO_LINK, Open, take_open};
use crate::host_row::HostRow;
use crate::lanes::{Bests, Lane, Lanes, Offer, Ready};
use crate::rank::Rank;

/// A clock that goes back by more than this was wrong before.
const FAR_AHEAD: Duration = Duration::from_secs(60 * 60);
/// The longest stored wait that is accepted: a clock that was once years ahead must not stop a crawl for years. It
/// limits rests and retries, not delays, which count from times that have passed.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);
/// When to ask again for a turn if all are in use: at the earliest after the delay that follows them, and never at
/// once.
const BUSY_PAUSE: Duration = Duration::from_millis(50);

/// The limits for each host and each address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) host: Limit,
    pub(crate) address: Limit,
    pub(crate) budget: Option<u64>,
}

#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) key: HostKey,
    pub(crate) row: HostRow,
    pub(crate) waiting: u32,
    /// Those of the waiting links that are in parked groups.
    pub(crate) parked: u32,
    /// Leased links.
    pub(crate) leased: u32,
    /// The number of its address, if it has one.
    address: Option<u32>,
    /// Its open turns: leased links, and turns without a link.
    open: Vec<Open>,
    /// Whether it is among the proven hosts.
    is_proven: bool,
    seat: Seat,
}

/// Where a host stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seat {
    /// It has no link to hand out, or its budget is spent.
    Out,
    /// It has links to hand out, but all its turns are in use.
    Busy,
    /// Its own clock allows a request; these are its best links. It is among the ready hosts, or in the pool of its
    /// address.
    Ready(Bests),
    /// It has links to hand out, but not before this moment, the end of a rest or a delay.
    Resting { at: Timestamp, by_rest: bool },
}

impl Host {
    /// The stored form of this host's row. Open turns without a link count as requests in it: a later process finds
    /// leased links, but not these turns.
    pub(crate) fn encode(&self, row: &HostRow) -> Vec<u8> {
        let mut row = *row;
        for turn in self.open.iter().filter(|turn| turn.link == NO_LINK) {
            row.asked.begin(turn.at);
            row.is_unclear = true;
        }
        row.encode(self.key.as_str())
    }
}

#[derive(Debug)]
pub(crate) struct Hosts {
    limits: Limits,
    hosts: Vec<Host>,
    by_name: HashTable<u32>,
    hasher: RandomState,
    addresses: Addresses,
    /// Hosts without an address that may be asked, and the best host of each address that may be asked.
    ready: Ready,
    resting: BTreeSet<(Timestamp, u32)>,
    /// Proven hosts with links to hand out, now or later.
    proven: u64,
    /// Number of busy hosts, and of resting hosts that were given a rest.
    busy: u64,
    by_rest: u64,
    /// The latest time that was given. It does not go back, unless it was far in the future.
    clock: Timestamp,
}

/// How many hosts with links to hand out wait, and for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) delayed: u64,
    pub(crate) resting: u64,
    pub(crate) busy: u64,
}

impl Hosts {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            hosts: Vec::new(),
            by_name: HashTable::new(),
            hasher: RandomState::new(),
            addresses: Addresses::new(limits.address),
            ready: Ready::default(),
            resting: BTreeSet::new(),
            proven: 0,
            busy: 0,
            by_rest: 0,
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

    /// Adds a new host; it gets the next number.
    pub(crate) fn add(&mut self, key: HostKey, row: HostRow) {
        let address = row.ip.map(|ip| self.addresses.join(ip, row.asked, self.clock));
        let Self { hosts, by_name, hasher, .. } = self;
        let hash = hasher.hash_one(key.as_str());
        let index = hosts.len() as u32;
        let (open, is_proven, seat) = (Vec::new(), false, Seat::Out);
        hosts.push(Host { key, row, waiting: 0, parked: 0, leased: 0, address, open, is_proven, seat });
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

    pub(crate) fn set_row(&mut self, host: u32, row: HostRow) {
        if let Some(host) = self.hosts.get_mut(host as usize) {
            host.row = row;
        }
    }

    /// The limit of a host with this row.
    fn limit(&self, row: &HostRow) -> Limit {
        Limit { delay: self.delay(row), ..self.limits.host }
    }

    /// The time between two requests to a host with this row.
    pub(crate) fn delay(&self, row: &HostRow) -> Duration {
        row.pace.delay(self.limits.host.delay)
    }

    /// The earliest next request to a host by its own clock, and whether a rest is the cause.
    fn own_next_at(&self, host: &Host) -> (Timestamp, bool) {
        let next_at = self.limit(&host.row).next_at(host.row.asked, &host.open);
        match host.row.rest_until {
            Some(until) if until > next_at => (until, true),
            _ => (next_at, false),
        }
    }

    /// The earliest next request to a host, by its own clock and that of its address.
    pub(crate) fn next_at(&self, host: &Host) -> Timestamp {
        let (own, _) = self.own_next_at(host);
        host.address.map_or(own, |address| own.max(self.addresses.next_at(address)))
    }

    /// When to ask again for a turn at a host; `None` if it may have one now.
    pub(crate) fn turn_at(&self, host: &Host) -> Option<Timestamp> {
        let next_at = self.next_at(host);
        let address = host.address.filter(|&address| self.addresses.is_full(address));
        let limit = self.limit(&host.row);
        if address.is_some() || limit.is_full(&host.open) {
            let delay = address.map_or(limit.delay, |_| limit.delay.max(self.addresses.limit().delay));
            return Some(next_at.max(self.clock.after(delay.max(BUSY_PAUSE))));
        }
        Some(next_at).filter(|&at| at > self.clock)
    }

    /// Whether a host's address allows the host's most recent turn.
    pub(crate) fn may_ask(&self, index: u32, now: Timestamp) -> bool {
        let address = self.get(index).and_then(|host| host.address);
        address.is_none_or(|address| self.addresses.may_ask(address, index, now.max(self.clock)))
    }

    /// When a turn began, if it is open.
    pub(crate) fn open_since(&self, host: u32, link: LinkId) -> Option<Timestamp> {
        let open = self.get(host)?.open.iter().find(|turn| turn.link == link);
        open.map(|turn| turn.at)
    }

    /// Whether a host's budget is spent.
    pub(crate) fn is_spent(&self, host: &Host) -> bool {
        self.limits.budget.is_some_and(|budget| host.row.fetched + u64::from(host.leased) >= budget)
    }

    pub(crate) fn has_budget(&self) -> bool {
        self.limits.budget.is_some()
    }

    /// The host that has the best link of all in the open lanes.
    pub(crate) fn best_ready(&self, open: Lanes) -> Option<(Lane, u32)> {
        self.ready.best(open, |host| self.get(host).map_or(0, |host| host.waiting))
    }

    /// What there is to hand out.
    pub(crate) fn offer(&self) -> Offer {
        Offer { ready: self.ready.lanes(), has_proven: self.proven > 0 }
    }

    /// The next moment at which the delay of a host or an address ends. The host's address may still be resting then.
    pub(crate) fn next_rested(&self) -> Option<Timestamp> {
        let host = self.resting.first().map(|&(at, _)| at);
        [host, self.addresses.next_rested()].into_iter().flatten().min()
    }

    pub(crate) fn standing(&self) -> Standing {
        Standing {
            delayed: self.resting.len() as u64 + self.addresses.delayed_hosts(),
            resting: self.by_rest,
            busy: self.busy + self.addresses.busy_hosts(),
        }
    }

    pub(crate) fn advance(&mut self, now: Timestamp) {
        self.clock = self.clock.max(now);
    }

    /// Whether an earlier given time is so much later than `now` that it was wrong.
    pub(crate) fn is_far_ahead(&self, now: Timestamp) -> bool {
        self.clock.since(now) > FAR_AHEAD
    }

    /// Sets the clock to `now`, even if that is far in the past, and corrects times in the future, which come from a
    /// wrong clock. Hosts that an earlier process may have asked until now count as asked. Returns the hosts whose
    /// rows changed; the caller has to refresh all hosts.
    pub(crate) fn believe(&mut self, now: Timestamp) -> Vec<u32> {
        self.clock = if self.is_far_ahead(now) { now } else { self.clock.max(now) };
        let Self { hosts, addresses, ready, clock, .. } = self;
        let (clock, latest) = (*clock, clock.after(LONGEST_WAIT));
        addresses.believe(clock);
        let mut changed = Vec::new();
        for (index, host) in (0..).zip(hosts) {
            let mut row = host.row;
            row.asked.clamp(clock);
            if std::mem::take(&mut row.is_unclear) {
                row.asked = LastRequest { began: clock, ended: clock };
                host.address.into_iter().for_each(|address| addresses.asked(address, row.asked));
            }
            row.rest_until = row.rest_until.map(|until| until.min(latest));
            host.open.iter_mut().for_each(|turn| turn.at = turn.at.min(clock));
            if row != host.row {
                host.row = row;
                changed.push(index);
            }
        }
        addresses.refresh_all(clock, ready);
        changed
    }

    /// Notes that a process ended while it had leases at a host.
    pub(crate) fn set_unclear(&mut self, index: u32) {
        if let Some(host) = self.hosts.get_mut(index as usize) {
            host.row.is_unclear = true;
        }
    }

    /// Gives a host a turn. The caller then has to refresh the host.
    pub(crate) fn begin(&mut self, index: u32, link: LinkId) {
        let Some(host) = self.hosts.get_mut(index as usize) else { return };
        let turn = Open { at: self.clock, host: index, link };
        host.open.push(turn);
        host.leased += u32::from(link != NO_LINK);
        if let Some(address) = host.address {
            self.addresses.begin(address, turn);
            self.addresses.refresh(address, self.clock, &mut self.ready);
        }
    }

    /// Ends a turn of a host; `ended` is the time of its request, `None` if none was made. It is noted for the
    /// address only, since the row is the caller's to change. The caller then has to refresh the host.
    pub(crate) fn end(&mut self, index: u32, link: LinkId, ended: Option<Timestamp>) {
        let Some(host) = self.hosts.get_mut(index as usize) else { return };
        let turn = take_open(&mut host.open, index, link);
        host.leased -= u32::from(turn.is_some() && link != NO_LINK);
        if let Some(address) = host.address {
            self.addresses.end(address, index, link, ended);
            self.addresses.refresh(address, self.clock, &mut self.ready);
        }
    }

    /// Assigns a host and its open turns to an address. Returns `false` if the host already had this one. The caller
    /// then has to refresh the host.
    pub(crate) fn locate(&mut self, index: u32, ip: Option<IpAddr>) -> bool {
        if self.get(index).is_none_or(|host| host.row.ip == ip) {
            return false;
        }
        self.reseat(index, Seat::Out);
        let Self { hosts, addresses, ready, clock, .. } = self;
        let Some(host) = hosts.get_mut(index as usize) else { return false };
        if let Some(address) = host.address.take() {
            addresses.part(address, index);
            addresses.refresh(address, *clock, ready);
        }
        host.row.ip = ip;
        host.address = ip.map(|ip| addresses.join(ip, host.row.asked, *clock));
        if let Some(address) = host.address {
            for turn in &host.open {
                addresses.begin(address, Open { at: *clock, ..*turn });
            }
            addresses.refresh(address, *clock, ready);
        }
        true
    }

    /// Hosts whose rest is over. They have no seat until they are refreshed.
    pub(crate) fn take_rested(&mut self) -> Vec<u32> {
        let mut rested = Vec::new();
        while let Some(&(at, host)) = self.resting.first() {
            if at > self.clock {
                break;
            }
            self.reseat(host, Seat::Out);
            rested.push(host);
        }
        self.addresses.take_rested(self.clock, &mut self.ready);
        rested
    }

    /// Whether a host's state can change when one of its queues moves from one rank to another. Most moves happen
    /// behind the host's best queue and change nothing.
    pub(crate) fn is_touched(&self, host: u32, is_picture: bool, from: Rank, to: Rank) -> bool {
        match self.get(host).map(|host| host.seat) {
            Some(Seat::Ready(bests)) => from == bests.of(is_picture) || to > bests.of(is_picture),
            Some(Seat::Resting { .. } | Seat::Busy) => to == Rank::NONE,
            Some(Seat::Out) => to != Rank::NONE,
            None => false,
        }
    }

    /// Works out the state of a host again, given its best links.
    pub(crate) fn refresh(&mut self, index: u32, bests: Bests) {
        let Some(host) = self.get(index) else { return };
        let seat = match self.own_next_at(host) {
            _ if bests.are_none() || self.is_spent(host) => Seat::Out,
            _ if self.limits.host.is_full(&host.open) => Seat::Busy,
            (at, by_rest) if at > self.clock => Seat::Resting { at, by_rest },
            _ => Seat::Ready(bests),
        };
        let is_proven = host.row.is_proven();
        if is_proven != host.is_proven {
            self.reseat(index, Seat::Out);
            if let Some(host) = self.hosts.get_mut(index as usize) {
                host.is_proven = is_proven;
            }
        }
        self.reseat(index, seat);
    }

    fn reseat(&mut self, index: u32, seat: Seat) {
        let Self { hosts, addresses, ready, resting, proven, busy, by_rest, clock, .. } = self;
        let Some(host) = hosts.get_mut(index as usize) else { return };
        let old = std::mem::replace(&mut host.seat, seat);
        if old == seat {
            return;
        }
        let is_proven = host.is_proven;
        *proven += u64::from(is_proven && old == Seat::Out);
        *proven -= u64::from(is_proven && seat == Seat::Out);
        match (old, host.address) {
            (Seat::Out, _) => {}
            (Seat::Busy, _) => *busy -= 1,
            (Seat::Ready(bests), Some(address)) => addresses.leave(address, index, is_proven, bests),
            (Seat::Ready(bests), None) => {
                bests.lanes(is_proven).for_each(|(lane, rank)| ready.remove(lane, rank, index));
            }
            (Seat::Resting { at, by_rest: told }, _) => {
                resting.remove(&(at, index));
                *by_rest -= u64::from(told);
            }
        }
        match (seat, host.address) {
            (Seat::Out, _) => {}
            (Seat::Busy, _) => *busy += 1,
            (Seat::Ready(bests), Some(address)) => addresses.enter(address, index, is_proven, bests),
            (Seat::Ready(bests), None) => {
                bests.lanes(is_proven).for_each(|(lane, rank)| ready.insert(lane, rank, index));
            }
            (Seat::Resting { at, by_rest: told }, _) => {
                resting.insert((at, index));
                *by_rest += u64::from(told);
            }
        }
        if let Some(address) = host.address {
            addresses.refresh(address, *clock, ready);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_small() {
        assert!(size_of::<Host>() <= 208, "{}", size_of::<Host>());
    }
}
