//! A site that fails now and then, at given rates, determined by a random seed.
//!
//! Whether a request fails depends on the random seed, its URL and the number of earlier requests for it: a crawl
//! that retries gets another chance, and two runs see the same faults.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::draw;
use crate::{Answer, Reply, Site, SiteRequest, Step};

/// Faults per thousand requests. All other requests are answered well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rates {
    /// 500 to 503.
    pub server_error: u16,
    /// 429 with `Retry-After: 1`.
    pub too_many: u16,
    /// The connection is reset before the answer.
    pub reset: u16,
    /// The connection closes in the middle of the body.
    pub cut: u16,
    /// The answer comes late, by [`Rates::delay_by`] at most.
    pub delay: u16,
    /// The longest delay.
    pub delay_by: Duration,
}

/// A site with faults.
#[derive(Debug)]
pub struct Flaky<S> {
    site: S,
    random_seed: u64,
    rates: Rates,
    /// The number of requests for each URL.
    asked: Mutex<FxHashMap<u64, u32>>,
}

impl<S: Site> Flaky<S> {
    /// Adds faults to `site`.
    pub fn new(site: S, random_seed: u64, rates: Rates) -> Self {
        Self { site, random_seed, rates, asked: Mutex::default() }
    }

    /// The random number of this request.
    fn chance(&self, asked: &SiteRequest<'_>) -> u64 {
        let url = xxh3_64_with_seed(
            asked.path.as_bytes(),
            xxh3_64_with_seed(asked.host.as_bytes(), self.random_seed),
        );
        let mut counts = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(url).or_default();
        *count = count.wrapping_add(1);
        url ^ u64::from(*count).rotate_left(32)
    }
}

impl<S: Site> Site for Flaky<S> {
    fn answer(&self, asked: &SiteRequest<'_>) -> Answer {
        let mut state = self.chance(asked);
        let good = match self.site.answer(asked) {
            Answer::Reply(reply) => reply,
            other => return other,
        };
        let mut roll = draw(&mut state) % 1000;
        let mut hit = |rate: u16| {
            let is_hit = roll < u64::from(rate);
            roll = roll.saturating_sub(u64::from(rate));
            is_hit
        };
        // `roll` exceeds all rates if none has hit; after a hit, no other rate is tried.
        if hit(self.rates.server_error) {
            Reply::status(500 + (draw(&mut state) % 4) as u16).into()
        } else if hit(self.rates.too_many) {
            Reply::status(429).with("Retry-After", "1").into()
        } else if hit(self.rates.reset) {
            Answer::Script(vec![Step::Reset])
        } else if hit(self.rates.cut) {
            let mut bytes = good.encode();
            bytes.truncate(bytes.len().saturating_sub(good.body.len() / 2 + 1));
            Answer::Script(vec![Step::Send(bytes.into())])
        } else if hit(self.rates.delay) {
            let most = u64::try_from(self.rates.delay_by.as_millis()).unwrap_or(u64::MAX).max(1);
            Answer::Late(Duration::from_millis(draw(&mut state) % most), good)
        } else {
            good.into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Files;

    /// The counts of good answers, errors, 429s, resets, truncated bodies and delays.
    fn counts(seed: u64, rates: Rates) -> [u32; 6] {
        let site = Flaky::new(Files::new().with("/", Reply::html("hello")), seed, rates);
        let end = "127.0.0.1:80".parse().unwrap();
        let asked = SiteRequest { host: "a", path: "/", peer: end, local: end, lines: &[] };
        let mut counts = [0; 6];
        for _ in 0..10_000 {
            let kind = match site.answer(&asked) {
                Answer::Reply(reply) if reply.status == 200 => 0,
                Answer::Reply(reply) if reply.status >= 500 => 1,
                Answer::Reply(_) => 2,
                Answer::Script(steps) if matches!(steps[..], [Step::Reset]) => 3,
                Answer::Script(_) => 4,
                Answer::Late(..) => 5,
                Answer::Http2(_) => panic!("not asked for"),
            };
            counts[kind] += 1;
        }
        counts
    }

    #[test]
    fn faults_come_at_their_rates() {
        let delay_by = Duration::from_millis(10);
        let rates = Rates { server_error: 100, too_many: 50, reset: 50, cut: 50, delay: 200, delay_by };
        let seen = counts(1, rates);
        for (seen, expect) in seen.into_iter().zip([5500, 1000, 500, 500, 500, 2000]) {
            assert!(seen.abs_diff(expect) < expect / 5, "{seen} instead of {expect}");
        }
        assert_eq!(counts(1, rates), seen);
        assert_ne!(counts(2, rates), seen);
        assert_eq!(counts(1, Rates::default()), [10_000, 0, 0, 0, 0, 0]);
    }
}
