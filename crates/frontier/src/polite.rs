//! What callers report about hosts and ask about them: paces, rests, addresses, turns, and what the frontier waits
//! for.
//!
//! Reports change memory at once and are stored with the next write. Hosts without a link are unknown; reports about
//! them are ignored.

use std::net::IpAddr;

use osprey_model::{HostKey, Timestamp};

use crate::api::{HostInfo, Idle, Pace, Turn};
use crate::asked::NO_LINK;
use crate::frontier::Frontier;
use crate::host_row::HostRow;
use crate::hosts::Host;
use crate::lanes::{Lane, Offer};

impl Frontier {
    /// The state of a host, if it has, or ever had, a link.
    pub fn host(&self, host: &HostKey) -> Option<HostInfo> {
        let index = self.schedule.hosts.find(host.as_str())?;
        self.schedule.hosts.get(index).map(|host| self.host_info(host))
    }

    /// All hosts, in the order in which they were first seen.
    pub fn hosts(&self) -> impl Iterator<Item = HostInfo> {
        self.schedule.hosts.iter().map(|host| self.host_info(host))
    }

    fn host_info(&self, host: &Host) -> HostInfo {
        let hosts = &self.schedule.hosts;
        HostInfo {
            host: host.key.clone(),
            waiting: u64::from(host.waiting),
            leased: u64::from(host.leased),
            fetched: host.row.fetched,
            failed: host.row.failed,
            next_at: hosts.next_at(host).max(Timestamp::EPOCH),
            delay: hosts.delay(&host.row),
            ip: host.row.ip,
            pace: host.row.pace.into(),
            resting_until: host.row.rest_until.filter(|&until| until > hosts.clock()),
        }
    }

    /// The lane of a host's links. An unknown host is not proven.
    pub fn lane(&self, host: &HostKey, is_picture: bool) -> Lane {
        let index = self.schedule.hosts.find(host.as_str());
        let host = index.and_then(|index| self.schedule.hosts.get(index));
        Lane::new(host.is_some_and(|host| host.row.is_proven()), is_picture)
    }

    /// What there is to hand out at the latest time the frontier was given.
    pub fn offer(&self) -> Offer {
        self.schedule.hosts.offer()
    }

    /// Sets how fast a host may be asked. The setting is stored with the project.
    pub fn set_pace(&mut self, host: &HostKey, pace: Pace) {
        self.change_host(host, |row| row.pace = pace.into());
    }

    /// Makes a host rest at least until a moment, whatever its delay.
    pub fn rest_host(&mut self, host: &HostKey, until: Timestamp) {
        self.change_host(host, |row| row.rest_until = row.rest_until.max(Some(until)));
    }

    /// Ends a rest that was set to end at exactly this moment; a rest that was made longer since continues.
    pub fn end_rest(&mut self, host: &HostKey, until: Timestamp) {
        self.change_host(host, |row| row.rest_until = row.rest_until.filter(|&end| end != until));
    }

    fn change_host(&mut self, host: &HostKey, change: impl FnOnce(&mut HostRow)) {
        let Some(index) = self.schedule.hosts.find(host.as_str()) else { return };
        let Some(host) = self.schedule.hosts.get(index) else { return };
        let mut row = host.row;
        change(&mut row);
        self.schedule.hosts.set_row(index, row);
        self.schedule.refresh(index);
        self.unsaved_hosts.insert(index);
    }

    /// Sets the address to which requests to a host go; `None` if it shares none. From now on the host's open leases
    /// count for the new address and no longer for the old one; ask [`Self::may_ask`] whether they may still be used.
    pub fn locate(&mut self, host: &HostKey, ip: Option<IpAddr>) {
        let Some(index) = self.schedule.hosts.find(host.as_str()) else { return };
        if self.schedule.hosts.locate(index, ip) {
            self.schedule.refresh(index);
            self.unsaved_hosts.insert(index);
        }
    }

    /// Whether a host that was leased, and whose address was set after that, may be asked as far as its address is
    /// concerned: of the turns given at the address before, one is free, and the delay after them is over. If not,
    /// release the lease; the host then waits for its address. Hosts without an address may be asked.
    ///
    /// If a host has several open leases, the answer is for the last one.
    pub fn may_ask(&self, host: &HostKey, now: Timestamp) -> bool {
        let hosts = &self.schedule.hosts;
        hosts.find(host.as_str()).is_none_or(|index| hosts.may_ask(index, now))
    }

    /// Asks for a turn at a host, for a request that belongs to none of its links. It counts like a lease for host
    /// and address, but not for the host's budget. The turn does not survive the process; that the host was asked
    /// does. The caller has to end it. Unknown hosts are always granted a turn, and nothing is kept.
    pub fn begin_turn(&mut self, host: &HostKey, now: Timestamp) -> Turn {
        self.tell(now);
        let hosts = &mut self.schedule.hosts;
        let Some(index) = hosts.find(host.as_str()) else { return Turn::Granted };
        if let Some(at) = hosts.get(index).and_then(|host| hosts.turn_at(host)) {
            return Turn::Wait(at);
        }
        hosts.begin(index, NO_LINK);
        self.schedule.refresh(index);
        self.unsaved_hosts.insert(index);
        Turn::Granted
    }

    /// Ends a turn after its request.
    pub fn end_turn(&mut self, host: &HostKey, now: Timestamp) {
        self.schedule.advance(now);
        let hosts = &mut self.schedule.hosts;
        let Some(index) = hosts.find(host.as_str()) else { return };
        let clock = hosts.clock();
        // The host may have become known after the turn began.
        let began = hosts.open_since(index, NO_LINK).unwrap_or(clock);
        hosts.end(index, NO_LINK, Some(clock));
        self.change_host(host, |row| {
            row.asked.begin(began);
            row.asked.end(clock);
        });
    }

    /// What the frontier waits for now. This is cheap: it walks the hosts only if there is a host budget.
    pub fn idle(&mut self, now: Timestamp) -> Idle {
        self.schedule.advance(now);
        let standing = self.schedule.hosts.standing();
        Idle {
            delayed_hosts: standing.delayed,
            resting_hosts: standing.resting,
            busy_hosts: standing.busy,
            next_at: self.schedule.next_ready(),
            parked_links: self.schedule.counts().parked,
            parked_groups: self.schedule.parked_groups(),
            retrying_links: self.schedule.retrying() as u64,
            over_budget_links: self.over_budget(),
        }
    }

    /// Waiting links of hosts whose budget is spent.
    pub(crate) fn over_budget(&self) -> u64 {
        let hosts = &self.schedule.hosts;
        if !hosts.has_budget() {
            return 0;
        }
        hosts.iter().filter(|host| hosts.is_spent(host)).map(|host| u64::from(host.waiting)).sum()
    }
}
