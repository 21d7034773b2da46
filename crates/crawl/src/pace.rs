//! The request rate of a host: lower when it struggles, higher again step by step, a pause when it keeps failing.
//! Additive increase and multiplicative decrease of the rate.
//!
//! Pure arithmetic; the frontier stores the figures with the host and applies them, so they survive restarts.

use std::time::Duration;

use osprey_frontier::Pace;

/// A `Retry-After` is believed up to here, and a host that was given up returns after this.
pub(crate) const LONGEST_REST: Duration = Duration::from_secs(24 * 60 * 60);
/// Answers in a row that a host may fail before it has to rest.
const TOLERATED: u16 = 2;
/// ... and before it rests for a day.
const GIVEN_UP: u16 = 12;
/// An answer slower than this many usual ones, and than [`SLOW`], is a sign of trouble.
const SLOWER: u32 = 4;
const SLOW: Duration = Duration::from_secs(1);

/// What an answer, or none, says about its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HostSignal {
    /// It answers, in this time.
    Fine(Duration),
    /// It asks us to come back later: 429 or 503, with `Retry-After` where there was one.
    Busy(Option<Duration>),
    /// It fails: another 5xx, or no answer.
    Broken,
}

/// A delay as the frontier has to keep it: its moments are cut to whole milliseconds, so what happened may have happened
/// almost one later than it says.
pub(crate) fn kept(delay: Duration) -> Duration {
    if delay.is_zero() { delay } else { delay + Duration::from_millis(1) }
}

/// What the user configured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Politeness {
    /// Time between two requests to a host in good health.
    pub(crate) delay: Duration,
    /// The first wait after a failure.
    pub(crate) backoff: Duration,
}

impl Politeness {
    /// The pace after a sign, and how long the host has to rest now.
    pub(crate) fn after(self, pace: Pace, sign: HostSignal) -> (Pace, Duration) {
        match sign {
            HostSignal::Fine(took) => (self.after_answer(pace, took), Duration::ZERO),
            HostSignal::Busy(retry_after) => {
                let pace = Pace { streak: pace.streak.saturating_add(1), ..self.slower(pace) };
                let asked = retry_after.unwrap_or_default().min(LONGEST_REST);
                (pace, asked.max(pace.slowdown).max(self.rest(pace.streak)))
            }
            HostSignal::Broken => {
                let streak = pace.streak.saturating_add(1);
                let pace = if streak > 1 { self.slower(pace) } else { pace };
                (Pace { streak, ..pace }, self.rest(streak))
            }
        }
    }

    fn after_answer(self, pace: Pace, took: Duration) -> Pace {
        let pace = Pace { streak: 0, ..pace };
        let is_slow = !pace.usual.is_zero() && took > SLOW && took > pace.usual * SLOWER;
        let usual = if pace.usual.is_zero() { took } else { (pace.usual * 7 + took) / 8 };
        let pace = if is_slow { self.slower(pace) } else { self.faster(pace) };
        Pace { usual, ..pace }
    }

    /// The delay from which slowing down begins, even where none is configured.
    fn least(self) -> Duration {
        self.delay.max(self.backoff / 20)
    }

    /// Half the rate, down to one request in ten minutes (with the default backoff).
    fn slower(self, pace: Pace) -> Pace {
        let delay = pace.slowdown.max(self.least());
        Pace { slowdown: (delay * 2).min(self.backoff * 120), ..pace }
    }

    /// An eighth of the usual rate more, until the usual rate is reached: `1/new = 1/old + 1/(8 least)`.
    fn faster(self, pace: Pace) -> Pace {
        if pace.slowdown.is_zero() {
            return pace;
        }
        let (old, step) = (pace.slowdown.as_secs_f64(), 8.0 * self.least().as_secs_f64());
        let new = Duration::from_secs_f64(old * step / (old + step));
        let is_usual = new <= self.least();
        Pace { slowdown: if is_usual { Duration::ZERO } else { new }, ..pace }
    }

    /// How long a host rests that failed so many times in a row: 30 s and doubling to an hour (with the default
    /// backoff), at last a day.
    pub(crate) fn rest(self, streak: u16) -> Duration {
        match streak.checked_sub(TOLERATED + 1) {
            None => Duration::ZERO,
            Some(_) if streak >= GIVEN_UP => LONGEST_REST,
            Some(times) => (self.backoff * 6 * (1 << times)).min(self.backoff * 720),
        }
    }

    /// How long a host is left alone whose robots.txt could not be read, before it is asked for it again.
    pub(crate) fn silence(self) -> Duration {
        self.backoff * 12
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLITENESS: Politeness =
        Politeness { delay: Duration::from_secs(1), backoff: Duration::from_secs(5) };

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn trouble_halves_the_rate_and_answers_bring_it_back_by_equal_steps() {
        let (pace, rest) = POLITENESS.after(Pace::default(), HostSignal::Busy(None));
        assert_eq!((pace.slowdown, rest), (ms(2000), ms(2000)));
        let (pace, rest) = POLITENESS.after(pace, HostSignal::Busy(Some(ms(90_000))));
        assert_eq!((pace.slowdown, pace.streak, rest), (ms(4000), 2, ms(90_000)));
        // rates 1/4, then 1/8 more each time: 3/8, 4/8, ... 7/8, and 1 is the usual one again
        let mut pace = pace;
        let mut delays = Vec::new();
        for _ in 0..6 {
            pace = POLITENESS.after(pace, HostSignal::Fine(ms(20))).0;
            delays.push(pace.slowdown.as_millis());
        }
        assert_eq!(delays, [2666, 2000, 1600, 1333, 1142, 0]);
        assert_eq!(pace.streak, 0);
    }

    #[test]
    fn without_a_configured_delay_there_is_still_a_slower() {
        let eager = Politeness { delay: Duration::ZERO, ..POLITENESS };
        let (pace, _) = eager.after(Pace::default(), HostSignal::Busy(None));
        assert_eq!(pace.slowdown, ms(500));
        let back = (0..8).fold(pace, |pace, _| eager.after(pace, HostSignal::Fine(ms(1))).0);
        assert_eq!(back.slowdown, Duration::ZERO);
    }

    #[test]
    fn who_keeps_failing_rests_longer_and_longer_and_returns() {
        let rests: Vec<u64> = (1..=13).map(|streak| POLITENESS.rest(streak).as_secs()).collect();
        assert_eq!(rests, [0, 0, 30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 86_400, 86_400]);
        let (pace, rest) = POLITENESS.after(Pace { streak: u16::MAX, ..Pace::default() }, HostSignal::Broken);
        assert_eq!((pace.streak, rest), (u16::MAX, LONGEST_REST));
        assert_eq!(POLITENESS.after(pace, HostSignal::Fine(ms(5))).0.streak, 0);
    }

    #[test]
    fn absurd_wishes_are_cut_to_a_day() {
        let (_, rest) = POLITENESS.after(Pace::default(), HostSignal::Busy(Some(Duration::MAX)));
        assert_eq!(rest, LONGEST_REST);
    }

    #[test]
    fn an_answer_far_slower_than_usual_slows_us_down() {
        let usual = POLITENESS.after(Pace::default(), HostSignal::Fine(ms(400))).0;
        assert_eq!((usual.usual, usual.slowdown), (ms(400), Duration::ZERO));
        let same = POLITENESS.after(usual, HostSignal::Fine(ms(1500))).0;
        assert_eq!(same.slowdown, Duration::ZERO, "slow, but not four times the usual");
        let slow = POLITENESS.after(usual, HostSignal::Fine(ms(1700))).0;
        assert_eq!((slow.slowdown, slow.usual), (ms(2000), (ms(400) * 7 + ms(1700)) / 8));
        let quick = POLITENESS.after(Pace { usual: ms(10), ..Pace::default() }, HostSignal::Fine(ms(900))).0;
        assert_eq!(quick.slowdown, Duration::ZERO, "under a second nothing is slow");
    }
}
