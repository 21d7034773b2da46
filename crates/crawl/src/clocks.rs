//! Clocks of hosts and addresses that the crawls of several projects share.
//!
//! The frontier keeps the clocks of its own project, and that it may ask a host is decided there first. Two projects that
//! crawl one host at the same time would still ask it twice as often as either may. So where clocks are shared, a request
//! has to pass these as well; one that does not is released, and its host rests until it may be asked.

use std::net::IpAddr;
use std::time::Duration;

use osprey_model::{HostKey, Timestamp};

use crate::Crawl;

/// A request, as far as the clocks are concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedTurn {
    /// The host that is asked.
    pub host: HostKey,
    /// Its address, if it is known.
    pub address: Option<IpAddr>,
    /// What the host is owed.
    pub host_owed: Owed,
    /// What the address is owed.
    pub address_owed: Owed,
}

/// What a host or an address is owed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owed {
    /// Time between two requests: from the end of one to the beginning of the next if it is asked once at a time, else
    /// between their beginnings.
    pub delay: Duration,
    /// Whether it is asked once at a time.
    pub is_alone: bool,
}

/// Clocks outside of the project. They never stop a crawl: if they cannot be read, every request passes.
pub trait SharedClocks: Send {
    /// Begins a request, or says when to try again.
    fn begin(&mut self, turn: &SharedTurn, now: Timestamp) -> Result<(), Timestamp>;

    /// A request that was begun is over.
    fn end(&mut self, turn: &SharedTurn, now: Timestamp);
}

impl Crawl {
    /// Keeps these clocks as well as the frontier's.
    pub fn share_clocks(&mut self, clocks: Box<dyn SharedClocks>) {
        self.shared_clocks = Some(clocks);
    }

    /// Begins a request to a host by the shared clocks, or says when to try again.
    pub(crate) fn begin_shared(&mut self, host: &HostKey, now: Timestamp) -> Result<(), Timestamp> {
        let Some(turn) = self.shared_turn(host) else { return Ok(()) };
        self.shared_clocks.as_mut().map_or(Ok(()), |clocks| clocks.begin(&turn, now))
    }

    /// Such a request is over.
    pub(crate) fn end_shared(&mut self, host: &HostKey) {
        let now = self.clock.now();
        if let Some(turn) = self.shared_turn(host)
            && let Some(clocks) = &mut self.shared_clocks
        {
            clocks.end(&turn, now);
        }
    }

    /// `None` if no clock has to be kept.
    fn shared_turn(&self, host: &HostKey) -> Option<SharedTurn> {
        self.shared_clocks.as_ref()?;
        let options = &self.settings.frontier;
        let info = self.ledger.frontier().host(host);
        let delay = info.as_ref().map_or(options.host_delay, |info| info.delay);
        let host_owed = Owed { delay, is_alone: options.host_concurrency <= 1 };
        let address_owed = Owed { delay: options.ip_delay, is_alone: options.ip_concurrency <= 1 };
        let address = info.and_then(|info| info.ip);
        let is_needed = !delay.is_zero() || !options.ip_delay.is_zero();
        is_needed.then(|| SharedTurn { host: host.clone(), address, host_owed, address_owed })
    }
}
