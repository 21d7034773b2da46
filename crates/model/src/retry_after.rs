//! How long a server asks clients to wait: the header `Retry-After` (RFC 9110, section 10.2.3).
//!
//! A value that is neither a number of seconds nor a date is ignored. An absurd value (a year, a century) is returned
//! as given; the caller limits it.

use std::time::{Duration, SystemTime};

use crate::{Response, Timestamp};

impl Response {
    /// How long after `now` the server wants the next request; zero if that moment has passed.
    pub fn retry_after(&self, now: Timestamp) -> Option<Duration> {
        let value = self.headers.get("retry-after")?.trim();
        if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
            // digits that do not parse are a number that is too large
            return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
        }
        let at = httpdate::parse_http_date(value).ok()?;
        // dates before the epoch have passed in any case
        let since_epoch = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Some(Timestamp::EPOCH.after(since_epoch).since(now))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{CanonicalUrl, UrlRules};

    /// Sun, 06 Nov 1994 08:49:37 GMT, the date of the RFC's examples.
    const NOW: Timestamp = Timestamp::from_millis(784_111_777_000);

    fn wait(value: Option<&str>, now: Timestamp) -> Option<Duration> {
        let response = Response {
            url: CanonicalUrl::parse("http://a.example/", &UrlRules::default()).unwrap(),
            status: 503,
            headers: value.map(|value| ("Retry-After", value)).into_iter().collect(),
            body: Default::default(),
            fetched_at: now,
            took: Duration::ZERO,
            truncated: false,
            body_end: Default::default(),
            ip: None,
            request_head: Default::default(),
            note: None,
        };
        response.retry_after(now)
    }

    #[test]
    fn seconds_or_a_date() {
        let check = |value: &str, expect: Option<u64>| {
            assert_eq!(wait(Some(value), NOW), expect.map(Duration::from_secs), "{value}");
        };
        check("120", Some(120));
        check(" 0 ", Some(0));
        check("007", Some(7));
        // two minutes later, in the three forms
        check("Sun, 06 Nov 1994 08:51:37 GMT", Some(120));
        check("Sunday, 06-Nov-94 08:51:37 GMT", Some(120));
        check("Sun Nov  6 08:51:37 1994", Some(120));
        // now, and long ago
        check("Sun, 06 Nov 1994 08:49:37 GMT", Some(0));
        check("Thu, 01 Jan 1970 00:00:00 GMT", Some(0));
        // absurd: returned as given, saturated. 9999-12-31 is 253,402,300,799 s after the epoch.
        check("Fri, 31 Dec 9999 23:59:59 GMT", Some(253_402_300_799 - 784_111_777));
        check("1000000000000000000000000000000", Some(u64::MAX));
        // ignored
        for garbage in ["", " ", "-5", "+5", "1.5", "1e3", "60 s", "soon", "Sun, 06 Nov 1994", "١٢"] {
            check(garbage, None);
        }
        check("Sun, 32 Nov 1994 08:51:37 GMT", None);
        assert_eq!(wait(None, NOW), None);
    }

    #[test]
    fn a_clock_at_its_ends_does_no_harm() {
        let date = Some("Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(wait(date, Timestamp::from_millis(i64::MAX)), Some(Duration::ZERO));
        let from_the_first_moment = Duration::from_millis(i64::MAX as u64);
        assert_eq!(wait(date, Timestamp::from_millis(i64::MIN)), Some(from_the_first_moment));
    }

    proptest! {
        #[test]
        fn any_value_is_read_or_not(value in "\\PC*|[0-9]{0,40}|[A-Z][a-z]{2}, [0-9 :A-Za-z]{0,30}") {
            let _ = wait(Some(&value), NOW);
        }
    }
}
