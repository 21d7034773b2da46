//! What a fetcher has done so far, for reports.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// A snapshot of a fetcher's counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Connections made since the start.
    pub connections_opened: u64,
    /// Requests that went over a connection that was there already.
    pub connections_reused: u64,
    /// Connections that are open at the moment.
    pub connections_open: u64,
    /// Requests sent again because a kept connection was dead.
    pub retries: u64,
    /// Names asked of DNS.
    pub dns_lookups: u64,
    /// Names that were known already, or being asked.
    pub dns_cache_hits: u64,
}

/// The counters themselves.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    opened: AtomicU64,
    open: AtomicU64,
    pub(crate) reused: AtomicU64,
    pub(crate) retries: AtomicU64,
    pub(crate) dns_lookups: AtomicU64,
    pub(crate) dns_hits: AtomicU64,
}

impl Tally {
    pub(crate) fn counts(&self) -> Counts {
        Counts {
            connections_opened: self.opened.load(Relaxed),
            connections_reused: self.reused.load(Relaxed),
            connections_open: self.open.load(Relaxed),
            retries: self.retries.load(Relaxed),
            dns_lookups: self.dns_lookups.load(Relaxed),
            dns_cache_hits: self.dns_hits.load(Relaxed),
        }
    }
}

/// Counts a connection as open as long as it lives.
#[derive(Debug)]
pub(crate) struct Opened(Arc<Tally>);

impl Opened {
    pub(crate) fn new(tally: &Arc<Tally>) -> Self {
        tally.opened.fetch_add(1, Relaxed);
        tally.open.fetch_add(1, Relaxed);
        Self(Arc::clone(tally))
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Relaxed);
    }
}
