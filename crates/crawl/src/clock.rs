//! The two clocks of a crawl: the wall clock, and a stepped clock that moves only when the crawl says so.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Instant, SystemTime};

use osprey_model::{Clock, Timestamp};

/// The machine's clock, for live crawls: the time of day at its making, and steady from there. Setting the machine's clock
/// neither stops a crawl nor makes it hurry.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    at_start: Timestamp,
    start: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self { at_start: Timestamp::EPOCH.after(since), start: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        self.at_start.after(self.start.elapsed())
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
