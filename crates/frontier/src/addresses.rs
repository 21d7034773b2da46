//! Addresses that hosts share: the third level of the queue.
//!
//! A host that is ready by its own clock and has an address waits in the pool of that address, ordered by rank. The
//! address itself is ready (with the best links of its pool), resting or busy. A request to one of 10,000 hosts on
//! one address therefore updates that host and the address, and none of the other hosts.
//!
//! Addresses are not stored: when a frontier is opened, an address counts as last asked when the last of its hosts
//! was.

use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;

use osprey_model::{LinkId, Timestamp};

use crate::asked::{LastRequest, Limit, Open, take_open};
use crate::lanes::{Bests, Lane, Ready};
use crate::rank::Rank;
use crate::slab::Slab;

/// How many addresses may exist before those without hosts are removed.
const SWEPT_FIRST: usize = 64;

#[derive(Debug)]
struct Address {
    asked: LastRequest,
    open: Vec<Open>,
    /// Number of hosts at this address; of them, `pooled` are in the pool.
    hosts: u32,
    pooled: u32,
    seat: Seat,
}

/// Where an address stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seat {
    /// Its pool is empty.
    Out,
    /// All of its turns are in use.
    Busy,
    /// It may be asked now; the best link of each lane, with its host.
    Ready([(Rank, u32); 4]),
    /// It must not be asked before this moment.
    Resting(Timestamp),
}

impl Address {
    fn new() -> Self {
        Self { asked: LastRequest::NEVER, open: Vec::new(), hosts: 0, pooled: 0, seat: Seat::Out }
    }
}

#[derive(Debug)]
pub(crate) struct Addresses {
    limit: Limit,
    all: Slab<Address>,
    by_ip: HashMap<IpAddr, u32>,
    /// Hosts that are ready by their own clocks, ordered by address, lane and rank; the last of a range is the best.
    pool: BTreeSet<(u32, Lane, Rank, u32)>,
    resting: BTreeSet<(Timestamp, u32)>,
    /// Hosts that wait in the pools of resting or busy addresses.
    delayed_hosts: u64,
    busy_hosts: u64,
    sweep_at: usize,
}

impl Addresses {
    pub(crate) fn new(limit: Limit) -> Self {
        Self {
            limit,
            all: Slab::new(),
            by_ip: HashMap::new(),
            pool: BTreeSet::new(),
            resting: BTreeSet::new(),
            delayed_hosts: 0,
            busy_hosts: 0,
            sweep_at: SWEPT_FIRST,
        }
    }

    pub(crate) fn delayed_hosts(&self) -> u64 {
        self.delayed_hosts
    }

    pub(crate) fn busy_hosts(&self) -> u64 {
        self.busy_hosts
    }

    pub(crate) fn next_rested(&self) -> Option<Timestamp> {
        self.resting.first().map(|&(at, _)| at)
    }

    pub(crate) fn limit(&self) -> Limit {
        self.limit
    }

    pub(crate) fn is_full(&self, index: u32) -> bool {
        self.limit.is_full(&self.all[index].open)
    }

    /// The earliest moment of the next request.
    pub(crate) fn next_at(&self, index: u32) -> Timestamp {
        let address = &self.all[index];
        self.limit.next_at(address.asked, &address.open)
    }

    /// Whether a host may use its most recent turn, given the turns before it. Turns given later belong to hosts that
    /// have to ask this themselves.
    pub(crate) fn may_ask(&self, index: u32, host: u32, now: Timestamp) -> bool {
        let Address { asked, open, .. } = &self.all[index];
        let place = open.iter().rposition(|turn| turn.host == host).unwrap_or(open.len());
        let before = open.get(..place).unwrap_or_default();
        !self.limit.is_full(before) && self.limit.next_at(*asked, before) <= now
    }

    /// Adds a host to an address, with the times at which the host was last asked.
    pub(crate) fn join(&mut self, ip: IpAddr, asked: LastRequest, clock: Timestamp) -> u32 {
        let index = match self.by_ip.get(&ip) {
            Some(&index) => index,
            None => {
                self.sweep(clock);
                let index = self.all.insert(Address::new());
                self.by_ip.insert(ip, index);
                index
            }
        };
        let address = &mut self.all[index];
        address.hosts += 1;
        address.asked.merge(asked);
        index
    }

    /// Removes a host that is not in the pool from its address, with its open turns.
    pub(crate) fn part(&mut self, index: u32, host: u32) {
        let address = &mut self.all[index];
        address.hosts = address.hosts.saturating_sub(1);
        address.open.retain(|turn| turn.host != host);
    }

    /// Forgets addresses that have no hosts and need no rest, each time the number of addresses has doubled: a name
    /// that resolves to a new address every time must not fill the memory.
    fn sweep(&mut self, clock: Timestamp) {
        if self.all.len() < self.sweep_at {
            return;
        }
        let Self { all, by_ip, limit, .. } = self;
        by_ip.retain(|_, &mut index| {
            let Address { asked, open, hosts, .. } = &all[index];
            let is_needed = *hosts > 0 || limit.next_at(*asked, open) > clock;
            if !is_needed {
                all.remove(index, Address::new());
            }
            is_needed
        });
        self.sweep_at = SWEPT_FIRST.max(2 * self.all.len());
    }

    /// Puts a host that is ready by its own clock into the pool.
    pub(crate) fn enter(&mut self, index: u32, host: u32, is_proven: bool, bests: Bests) {
        self.pool.extend(bests.lanes(is_proven).map(|(lane, rank)| (index, lane, rank, host)));
        self.all[index].pooled += 1;
        self.count(self.all[index].seat, 1);
    }

    /// Takes a host out of the pool.
    pub(crate) fn leave(&mut self, index: u32, host: u32, is_proven: bool, bests: Bests) {
        for (lane, rank) in bests.lanes(is_proven) {
            self.pool.remove(&(index, lane, rank, host));
        }
        self.all[index].pooled -= 1;
        self.count(self.all[index].seat, -1);
    }

    pub(crate) fn begin(&mut self, index: u32, turn: Open) {
        self.all[index].open.push(turn);
    }

    /// Ends a turn; `ended` is the time of its request, `None` if none was made.
    pub(crate) fn end(&mut self, index: u32, host: u32, link: LinkId, ended: Option<Timestamp>) {
        let address = &mut self.all[index];
        let turn = take_open(&mut address.open, host, link);
        if let Some(ended) = ended {
            address.asked.begin(turn.map_or(ended, |turn| turn.at));
            address.asked.end(ended);
        }
    }

    /// Records requests of a host that were not made through turns at this address.
    pub(crate) fn asked(&mut self, index: u32, asked: LastRequest) {
        self.all[index].asked.merge(asked);
    }

    /// Corrects times in the future, which come from a wrong clock. The caller then has to refresh all addresses.
    pub(crate) fn believe(&mut self, now: Timestamp) {
        for &index in self.by_ip.values() {
            let address = &mut self.all[index];
            address.asked.clamp(now);
            address.open.iter_mut().for_each(|turn| turn.at = turn.at.min(now));
        }
    }

    pub(crate) fn refresh_all(&mut self, clock: Timestamp, ready: &mut Ready) {
        for index in 0..self.all.end() {
            self.refresh(index, clock, ready);
        }
    }

    /// Makes addresses ready whose rest is over.
    pub(crate) fn take_rested(&mut self, clock: Timestamp, ready: &mut Ready) {
        while let Some(&(at, index)) = self.resting.first() {
            if at > clock {
                break;
            }
            self.refresh(index, clock, ready);
        }
    }

    /// Works out the state of an address again.
    pub(crate) fn refresh(&mut self, index: u32, clock: Timestamp, ready: &mut Ready) {
        let seat = match self.next_at(index) {
            _ if self.all[index].pooled == 0 => Seat::Out,
            _ if self.is_full(index) => Seat::Busy,
            at if at > clock => Seat::Resting(at),
            _ => Seat::Ready(Lane::ALL.map(|lane| self.best(index, lane))),
        };
        let pooled = i64::from(self.all[index].pooled);
        let old = std::mem::replace(&mut self.all[index].seat, seat);
        if old == seat {
            return;
        }
        self.count(old, -pooled);
        self.count(seat, pooled);
        match old {
            Seat::Ready(bests) => there(bests).for_each(|(lane, rank, host)| ready.remove(lane, rank, host)),
            Seat::Resting(at) => drop(self.resting.remove(&(at, index))),
            Seat::Out | Seat::Busy => {}
        }
        match seat {
            Seat::Ready(bests) => there(bests).for_each(|(lane, rank, host)| ready.insert(lane, rank, host)),
            Seat::Resting(at) => drop(self.resting.insert((at, index))),
            Seat::Out | Seat::Busy => {}
        }
    }

    /// The best link of a lane, and its host; [`Rank::NONE`] if there is none.
    fn best(&self, index: u32, lane: Lane) -> (Rank, u32) {
        let range = (index, lane, Rank::NONE, 0)..=(index, lane, Rank::MAX, u32::MAX);
        self.pool.range(range).next_back().map_or((Rank::NONE, 0), |&(_, _, rank, host)| (rank, host))
    }

    fn count(&mut self, seat: Seat, change: i64) {
        match seat {
            Seat::Resting(_) => self.delayed_hosts = self.delayed_hosts.wrapping_add_signed(change),
            Seat::Busy => self.busy_hosts = self.busy_hosts.wrapping_add_signed(change),
            Seat::Out | Seat::Ready(..) => {}
        }
    }
}

/// The lanes that have a link.
fn there(bests: [(Rank, u32); 4]) -> impl Iterator<Item = (Lane, Rank, u32)> {
    let all = Lane::ALL.into_iter().zip(bests);
    all.filter(|(_, (rank, _))| *rank != Rank::NONE).map(|(lane, (rank, host))| (lane, rank, host))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use osprey_model::LinkScore;

    use super::*;
    use crate::lanes::Lanes;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms)
    }

    fn addresses(concurrency: u32) -> Addresses {
        Addresses::new(Limit { delay: Duration::from_millis(100), concurrency })
    }

    fn ip(n: u32) -> IpAddr {
        n.to_be_bytes().into()
    }

    #[test]
    fn addresses_without_hosts_are_forgotten_when_they_have_rested() {
        let mut addresses = addresses(1);
        for n in 0..10_000 {
            let now = at(n.into());
            let index = addresses.join(ip(n), LastRequest { began: now, ended: now }, now);
            addresses.part(index, 0);
            assert!(addresses.all.len() < 300, "{} after {n}", addresses.all.len());
        }
        let index = addresses.join(ip(9_990), LastRequest::NEVER, at(9_999));
        assert_eq!(addresses.next_at(index), at(10_090));
        let index = addresses.join(ip(0), LastRequest::NEVER, at(9_999));
        assert!(addresses.next_at(index) < at(0));
    }

    #[test]
    fn the_best_host_of_the_pool_stands_for_its_address() {
        let mut addresses = addresses(1);
        let mut ready = Ready::default();
        let best = |ready: &Ready| ready.best(Lanes::ALL, |_| 0);
        let index = addresses.join(ip(1), LastRequest { began: at(0), ended: at(50) }, at(0));
        let rank = |host: u32| Rank::new(LinkScore::new(host as f32), LinkId(host));
        let bests = |host: u32| Bests { page: rank(host), picture: Rank::NONE };
        for host in [3, 5, 4] {
            addresses.enter(index, host, host == 3, bests(host));
            addresses.refresh(index, at(100), &mut ready);
        }
        assert_eq!((ready.len(), addresses.delayed_hosts(), addresses.next_rested()), (0, 3, Some(at(150))));
        addresses.take_rested(at(150), &mut ready);
        // one of each lane
        assert_eq!((best(&ready), ready.len()), (Some((Lane::UnprovenPage, 5)), 2));
        assert_eq!(
            ready.best(Lanes::default().with(Lane::ProvenPage, true), |_| 0),
            Some((Lane::ProvenPage, 3))
        );
        assert_eq!(addresses.delayed_hosts(), 0);
        addresses.begin(index, Open { at: at(150), host: 5, link: LinkId(5) });
        addresses.leave(index, 5, false, bests(5));
        addresses.refresh(index, at(150), &mut ready);
        assert_eq!((ready.len(), addresses.busy_hosts(), addresses.next_rested()), (0, 2, None));
        addresses.end(index, 5, LinkId(5), None);
        addresses.refresh(index, at(160), &mut ready);
        assert_eq!((best(&ready), addresses.busy_hosts()), (Some((Lane::UnprovenPage, 4)), 0));
    }
}
