//! Time limits of one exchange, with one timer.
//!
//! A timer per read would cost more than the read. So one `Sleep` is armed for the shortest limit there is and
//! only looked at when it fires: if what is being waited for is not due yet, it is armed again. The moment that
//! counts is a plain variable, and moving it costs nothing.
//!
//! An answer that has begun has to keep a least rate as well: each byte moves the moment by which more has to come. So
//! a server that sends one byte just before every other limit does not hold its exchange for long.
//!
//! Limits are the user's, so they may be anything: what is longer than [`LONGEST`] is as good as that.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

use crate::options::Timeouts;

/// The longest limit. Far beyond any exchange, and safe to add to any moment.
const LONGEST: Duration = Duration::from_secs(30 * 24 * 3600);
/// The timer is armed for at least so long: a limit of zero would have it fire without pause.
const SHORTEST_TICK: Duration = Duration::from_millis(1);

/// What is being waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Connect,
    FirstByte,
    Idle,
    Whole,
    Rate,
}

/// A limit that passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Overdue {
    pub(crate) stage: Stage,
    limit: Duration,
    min_rate: u32,
}

impl fmt::Display for Overdue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.limit.as_secs_f64();
        match self.stage {
            Stage::Connect => write!(f, "no connection within {seconds} s"),
            Stage::FirstByte => write!(f, "no answer within {seconds} s"),
            Stage::Idle => write!(f, "nothing came for {seconds} s"),
            Stage::Whole => write!(f, "not complete within {seconds} s"),
            Stage::Rate => write!(f, "slower than {} bytes a second after {seconds} s", self.min_rate),
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
    /// When the answer began, and by when it has to bring more to keep its rate.
    rate: Option<(Instant, Instant)>,
}

/// The timer for [`Patience::new`], to be pinned by the caller.
pub(crate) fn timer(limits: &Timeouts) -> Sleep {
    sleep_until(Instant::now() + tick(limits))
}

fn tick(limits: &Timeouts) -> Duration {
    let stages = [limits.connect, limits.first_byte, limits.idle, limits.whole];
    let shortest = stages.into_iter().fold(limits.grace, Duration::min);
    shortest.clamp(SHORTEST_TICK, LONGEST)
}

fn limit(limits: &Timeouts, stage: Stage) -> Duration {
    match stage {
        Stage::Connect => limits.connect,
        Stage::FirstByte => limits.first_byte,
        Stage::Idle => limits.idle,
        Stage::Whole => limits.whole,
        Stage::Rate => limits.grace,
    }
    .min(LONGEST)
}

impl<'a> Patience<'a> {
    /// Starts the clock of the whole exchange, in the stage of connecting.
    pub(crate) fn new(sleep: Pin<&'a mut Sleep>, limits: &'a Timeouts) -> Self {
        let now = Instant::now();
        let whole = now + limit(limits, Stage::Whole);
        let due = now + limit(limits, Stage::Connect);
        let (tick, stage) = (tick(limits), Stage::Connect);
        Self { sleep, limits, tick, whole, entered: now, due, stage, rate: None }
    }

    /// Starts the clock of a stage, or starts it again.
    pub(crate) fn enter(&mut self, stage: Stage) {
        if stage == Stage::FirstByte {
            self.rate = None;
        }
        self.stage = stage;
        self.entered = Instant::now();
        self.due = self.entered + limit(self.limits, stage);
    }

    /// So many bytes of an answer's head, or of its body, have come. The clock of the rate runs from the first of either.
    pub(crate) fn received(&mut self, bytes: usize) {
        if self.limits.min_rate == 0 {
            return;
        }
        let began = self.rate.map_or_else(Instant::now, |(began, _)| began);
        let millis = (bytes as u64).saturating_mul(1000) / u64::from(self.limits.min_rate);
        let earned = Duration::from_millis(millis).min(LONGEST);
        self.rate = Some((began, began + limit(self.limits, Stage::Rate) + earned));
    }

    /// When the present stage ends at the latest.
    pub(crate) fn due(&self) -> Instant {
        let due = self.due.min(self.whole);
        self.rate.map_or(due, |(_, rate_due)| due.min(rate_due))
    }

    fn overdue(&self) -> Overdue {
        let stage = match self.due() {
            due if due == self.whole => Stage::Whole,
            due if due == self.due => self.stage,
            _ => Stage::Rate,
        };
        Overdue { stage, limit: limit(self.limits, stage), min_rate: self.limits.min_rate }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Waits in the stage of connecting for something that does not come, or has come already.
    #[test]
    fn any_duration_will_do() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let check = |connect: Duration, others: Duration, comes: bool, expect: Result<(), &str>| {
            let limits =
                Timeouts { connect, first_byte: others, idle: others, whole: others, ..Timeouts::default() };
            let waited = runtime.block_on(async {
                let mut timer = pin!(timer(&limits));
                let mut patience = Patience::new(timer.as_mut(), &limits);
                for stage in [Stage::Whole, Stage::Idle, Stage::FirstByte, Stage::Connect] {
                    patience.enter(stage);
                    assert!(patience.due() <= Instant::now() + LONGEST);
                }
                match comes {
                    true => patience.wait(std::future::ready(())).await,
                    false => patience.wait(std::future::pending()).await,
                }
            });
            assert_eq!(waited.map_err(|overdue| overdue.to_string()), expect.map_err(str::to_owned));
        };
        let (soon, never) = (Duration::from_millis(2), Duration::MAX);
        check(never, never, true, Ok(()));
        check(soon, never, false, Err("no connection within 0.002 s"));
        check(Duration::ZERO, never, false, Err("no connection within 0 s"));
        check(never, soon, false, Err("not complete within 0.002 s"));
        check(soon, Duration::ZERO, false, Err("not complete within 0 s"));
    }

    /// Every byte earns its answer the time that it would have at the least rate.
    #[test]
    fn an_answer_has_to_keep_its_rate() {
        let (ms, long) = (Duration::from_millis, Duration::from_secs(100));
        let limits = |min_rate| {
            let (connect, first_byte, idle, whole) = (long, long, long, long);
            Timeouts { connect, first_byte, idle, whole, min_rate, grace: ms(20) }
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let free = limits(0);
            let mut sleep = pin!(timer(&free));
            let mut patience = Patience::new(sleep.as_mut(), &free);
            patience.received(1);
            assert!(patience.due() > Instant::now() + ms(90_000), "no rate is asked for");

            let slow = limits(100);
            let mut sleep = pin!(timer(&slow));
            let mut patience = Patience::new(sleep.as_mut(), &slow);
            let before = Instant::now();
            patience.received(1);
            let began = patience.rate.unwrap().0;
            assert!(began >= before && patience.due() == began + ms(30));
            patience.received(500);
            assert_eq!(patience.due(), began + ms(5020));
            patience.received(usize::MAX);
            assert!(patience.due() >= before + ms(99_000), "other limits still hold");
            patience.enter(Stage::FirstByte);
            patience.received(3);
            let overdue = patience.wait(std::future::pending::<()>()).await.unwrap_err();
            assert_eq!(overdue.stage, Stage::Rate);
            assert_eq!(overdue.to_string(), "slower than 100 bytes a second after 0.02 s");
        });
    }
}
