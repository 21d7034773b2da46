//! Time as a value. Code that needs "now" takes it from a [`Clock`], so that a crawl can be replayed and tests never
//! sleep.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Milliseconds since the Unix epoch, in UTC. Millisecond steps are what WARC dates and politeness need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The epoch itself.
    pub const EPOCH: Self = Self(0);

    /// Makes a timestamp from milliseconds since the epoch.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the epoch.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// The time `wait` after this one; saturates.
    #[must_use]
    pub fn after(self, wait: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX)))
    }

    /// The time from `earlier` to this one; zero if `earlier` is later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

impl fmt::Display for Timestamp {
    /// RFC 3339 with milliseconds and `Z`: the form of `WARC-Date` and of every export.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(at) => write!(f, "{at:.3}"),
            Err(_) => f.write_str("9999-12-31T23:59:59.999Z"),
        }
    }
}

impl FromStr for Timestamp {
    type Err = jiff::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.trim().parse::<jiff::Timestamp>().map(|at| Self(at.as_millisecond()))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// The source of the current time: the wall clock in live crawls, a stepped clock in replays.
pub trait Clock: Send + Sync {
    /// The current time.
    fn now(&self) -> Timestamp;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_and_reads_rfc_3339() {
        let at: Timestamp = "2026-11-15T19:10:56.085525Z".parse().unwrap();
        assert_eq!(at.to_string(), "2026-11-15T19:10:56.085Z");
        assert_eq!(at.to_string().parse::<Timestamp>().unwrap(), at);
        assert_eq!(
            "2026-11-15T19:40:05Z".parse::<Timestamp>().unwrap().to_string(),
            "2026-11-15T19:40:05.000Z"
        );
    }

    #[test]
    fn saturates_instead_of_wrapping() {
        assert_eq!(Timestamp::from_millis(i64::MAX).after(Duration::MAX), Timestamp::from_millis(i64::MAX));
        assert_eq!(Timestamp::EPOCH.since(Timestamp::from_millis(5)), Duration::ZERO);
    }
}
