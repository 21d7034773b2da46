//! Where the time went: processing is the policy's own cost, waiting is the network's and politeness's (Chen et al.
//! 2009 section 5.3.4 and table 5, where waiting is called downloading).

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::fact::Fact;

/// Time of a crawl, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TimeSplit {
    /// Pages that it was spent on.
    pub(crate) pages: u64,
    /// Parsing, judging, queueing.
    pub(crate) processing: Duration,
    /// Waiting for an answer or for a host's turn.
    pub(crate) waiting: Duration,
}

impl TimeSplit {
    /// Processing time a page, in milliseconds. `None` without pages.
    pub(crate) fn processing_ms_per_page(&self) -> Option<f64> {
        (self.pages > 0).then(|| self.processing.as_secs_f64() * 1e3 / self.pages as f64)
    }
}

/// Sums the times of a crawl.
pub(crate) fn time_split(crawl: &[Fact]) -> TimeSplit {
    crawl.iter().fold(TimeSplit::default(), |sum, fact| TimeSplit {
        pages: sum.pages + 1,
        processing: sum.processing.saturating_add(fact.processing),
        waiting: sum.waiting.saturating_add(fact.waiting),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_add_up() {
        let fact = |processing, waiting| Fact {
            processing: Duration::from_millis(processing),
            waiting: Duration::from_millis(waiting),
            ..Fact::default()
        };
        let split = time_split(&[fact(2, 30), fact(8, 0)]);
        assert_eq!((split.processing, split.waiting), (Duration::from_millis(10), Duration::from_millis(30)));
        // 10 ms for 2 pages.
        assert_eq!(split.processing_ms_per_page(), Some(5.0));
    }

    #[test]
    fn nothing_took_no_time() {
        let split = time_split(&[]);
        assert_eq!(split, TimeSplit::default());
        assert_eq!(split.processing_ms_per_page(), None);
    }

    #[test]
    fn absurd_times_do_not_overflow() {
        let forever = Fact { processing: Duration::MAX, waiting: Duration::MAX, ..Fact::default() };
        assert_eq!(time_split(&[forever, forever]).processing, Duration::MAX);
    }
}
