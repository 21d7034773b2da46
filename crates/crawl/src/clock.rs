//! The two clocks of a crawl: the wall's, and one that moves only when the crawl says so.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::SystemTime;

use osprey_model::{Clock, Timestamp};

/// The machine's clock, for live crawls.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Timestamp::EPOCH.after(since)
    }
}

/// A clock for replays: stands still until it is moved, so waiting costs nothing and repeats exactly.
#[derive(Debug, Default)]
pub struct StepClock(AtomicI64);

impl StepClock {
    /// Moves on to `at`; never back.
    pub fn advance_to(&self, at: Timestamp) {
        self.0.fetch_max(at.as_millis(), Ordering::Relaxed);
    }
}

impl Clock for StepClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::Relaxed))
    }
}
