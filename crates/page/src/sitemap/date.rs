//! Dates of sitemaps and feeds: the W3C's profile of ISO 8601, shortened anywhere, and the e-mail dates of RSS.
//!
//! A date without a time means midnight, and a time without a zone is in UTC: both only suggest when to revisit a
//! page.

use jiff::civil::DateTime;
use jiff::fmt::rfc2822;
use osprey_model::Timestamp;

/// The longest date; longer texts are ignored.
const MAX_BYTES: usize = 64;

/// Parses a date; `None` if the text is not one.
pub(super) fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_BYTES {
        return None;
    }
    text.parse().ok().or_else(|| in_utc(text)).or_else(|| by_email(text))
}

/// `2024`, `2024-05`, `2024-05-17`, `2024-05-17T10:30:00`.
fn in_utc(text: &str) -> Option<Timestamp> {
    let is_part =
        |length: usize| text.len() == length && text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    let whole = match text.len() {
        4 if is_part(4) => format!("{text}-01-01"),
        7 if is_part(7) => format!("{text}-01"),
        _ => text.to_owned(),
    };
    let at = whole.parse::<DateTime>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    Some(Timestamp::from_millis(at.timestamp().as_millisecond()))
}

/// `Fri, 17 May 2024 10:30:00 +0200`
fn by_email(text: &str) -> Option<Timestamp> {
    let parser = rfc2822::DateTimeParser::new().relaxed_weekday(true);
    let at = parser.parse_timestamp(text).ok()?;
    Some(Timestamp::from_millis(at.as_millisecond()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        let check = |text: &str, expect: Option<&str>| {
            assert_eq!(parse(text).map(|at| at.to_string()).as_deref(), expect, "{text:?}");
        };
        check("2024-05-17T10:30:15.25+02:00", Some("2024-05-17T08:30:15.250Z"));
        check("2024-05-17T10:30Z", Some("2024-05-17T10:30:00.000Z"));
        check(" 2024-05-17 ", Some("2024-05-17T00:00:00.000Z"));
        check("2024-05", Some("2024-05-01T00:00:00.000Z"));
        check("2024", Some("2024-01-01T00:00:00.000Z"));
        check("2024-05-17T10:30:00", Some("2024-05-17T10:30:00.000Z"));
        check("2024-05-17 10:30:00", Some("2024-05-17T10:30:00.000Z"));
        check("Fri, 17 May 2024 10:30:00 +0200", Some("2024-05-17T08:30:00.000Z"));
        check("Mon, 17 May 2024 10:30:00 GMT", Some("2024-05-17T10:30:00.000Z"));
        check("17 May 2024 10:30 GMT", Some("2024-05-17T10:30:00.000Z"));
        check("2024-13-01", None);
        check("yesterday", None);
        check("", None);
        check(&"2".repeat(1000), None);
    }
}
