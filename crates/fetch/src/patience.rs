//! Time limits of one exchange, with one timer.
//!
//! A timer per read would cost more than the read. So one `Sleep` is armed for the shortest limit there is and
//! only looked at when it fires: if what is being waited for is not due yet, it is armed again. The moment that
//! counts is a plain variable, and moving it costs nothing.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

use crate::options::Timeouts;

/// What is being waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Connect,
    FirstByte,
    Idle,
    Whole,
}

/// A limit that passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Overdue {
    pub(crate) stage: Stage,
    limit: Duration,
}

impl fmt::Display for Overdue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.limit.as_secs_f64();
        match self.stage {
            Stage::Connect => write!(f, "no connection within {seconds} s"),
            Stage::FirstByte => write!(f, "no answer within {seconds} s"),
            Stage::Idle => write!(f, "nothing came for {seconds} s"),
            Stage::Whole => write!(f, "not complete within {seconds} s"),
        }
    }
}

/// The clock of one exchange.
pub(crate) struct Patience<'a> {
    sleep: Pin<&'a mut Sleep>,
    limits: &'a Timeouts,
    tick: Duration,
    whole: Instant,
    entered: Instant,
    due: Instant,
    stage: Stage,
}

/// The timer for [`Patience::new`], to be pinned by the caller.
pub(crate) fn timer(limits: &Timeouts) -> Sleep {
    sleep_until(Instant::now() + tick(limits))
}

fn tick(limits: &Timeouts) -> Duration {
    limits.connect.min(limits.first_byte).min(limits.idle).min(limits.whole)
}

impl<'a> Patience<'a> {
    /// Starts the clock of the whole exchange, in the stage of connecting.
    pub(crate) fn new(sleep: Pin<&'a mut Sleep>, limits: &'a Timeouts) -> Self {
        let now = Instant::now();
        let whole = now + limits.whole;
        let due = now + limits.connect;
        Self { sleep, limits, tick: tick(limits), whole, entered: now, due, stage: Stage::Connect }
    }

    /// Starts the clock of a stage, or starts it again.
    pub(crate) fn enter(&mut self, stage: Stage) {
        self.stage = stage;
        self.entered = Instant::now();
        self.due = self.entered + self.limit(stage);
    }

    fn limit(&self, stage: Stage) -> Duration {
        match stage {
            Stage::Connect => self.limits.connect,
            Stage::FirstByte => self.limits.first_byte,
            Stage::Idle => self.limits.idle,
            Stage::Whole => self.limits.whole,
        }
    }

    /// When the present stage ends at the latest.
    pub(crate) fn due(&self) -> Instant {
        self.due.min(self.whole)
    }

    fn overdue(&self) -> Overdue {
        let stage = if self.whole <= self.due { Stage::Whole } else { self.stage };
        Overdue { stage, limit: self.limit(stage) }
    }

    /// Waits for `future` as long as the stage and the whole exchange allow.
    pub(crate) async fn wait<T>(&mut self, future: impl Future<Output = T>) -> Result<T, Overdue> {
        // A server that always has something to say would never let the timer be looked at.
        if self.entered >= self.whole {
            return Err(self.overdue());
        }
        let mut future = pin!(future);
        poll_fn(|cx| {
            if let Poll::Ready(value) = future.as_mut().poll(cx) {
                return Poll::Ready(Ok(value));
            }
            while self.sleep.as_mut().poll(cx).is_ready() {
                let now = Instant::now();
                if now >= self.due() {
                    return Poll::Ready(Err(self.overdue()));
                }
                let next = self.due().min(now + self.tick);
                self.sleep.as_mut().reset(next);
            }
            Poll::Pending
        })
        .await
    }
}
