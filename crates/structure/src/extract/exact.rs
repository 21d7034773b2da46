//! Dates as calendars have them, for dates as pages write them: `3 days ago` depends on when the page was fetched.
//!
//! A date is as exact as its smallest unit: `14 years, 7 months ago` is a month, `2012-04`, and `5 years ago` a year.

use jiff::Span;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use osprey_model::Timestamp;

use super::dates::iso_date;
use super::text::cut;

/// Characters of a text that are read.
const MAX_CHARS: usize = 80;

/// Units of time and the words that begin so.
const UNITS: &[(Unit, &[&str])] = &[
    (Unit::Day, &["second", "sec", "minute", "min", "hour", "hr", "stunde", "sekunde"]),
    (Unit::Days, &["day", "tag", "jour", "día"]),
    (Unit::Weeks, &["week", "woche", "semaine", "semana"]),
    (Unit::Months, &["month", "monat", "mois", "mes"]),
    (Unit::Years, &["year", "yr", "jahr", "an", "año"]),
];
/// The same without spaces.
const GLUED: &[(Unit, &str)] = &[
    (Unit::Day, "分钟前"),
    (Unit::Day, "小时前"),
    (Unit::Days, "天前"),
    (Unit::Months, "个月前"),
    (Unit::Years, "年前"),
];
/// Words for one.
const ONE: &[&str] = &["a", "an", "one", "about", "einem", "einer", "un", "une"];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    /// A part of a day.
    Day,
    Days,
    Weeks,
    Months,
    Years,
}

/// A written date in ISO form: `2010-11-28`, `2010-11` or `2010`; `None` if it cannot be told.
pub(super) fn exact(text: &str, fetched: Timestamp) -> Option<String> {
    iso_date(text).or_else(|| {
        let today =
            jiff::Timestamp::from_millisecond(fetched.as_millis()).ok()?.to_zoned(TimeZone::UTC).date();
        relative(&cut(text, MAX_CHARS).to_lowercase(), today)
    })
}

fn relative(text: &str, today: Date) -> Option<String> {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let back =
        |days: i64| today.checked_sub(Span::new().try_days(days).ok()?).ok().map(|day| day.to_string());
    if words.iter().any(|word| matches!(*word, "today" | "heute" | "今天")) {
        return back(0);
    }
    if words.iter().any(|word| matches!(*word, "yesterday" | "gestern" | "昨天")) {
        return back(1);
    }
    let glued = GLUED.iter().find_map(|(unit, word)| {
        let before = text.split_once(word)?.0.trim_end();
        let digits = before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        Some((*unit, before.get(digits..)?.parse().ok()?))
    });
    let parts: Vec<(Unit, i64)> = match glued {
        Some(part) => vec![part],
        None if words.iter().any(|word| matches!(*word, "ago" | "vor" | "hace")) => spoken(&words),
        None => return None,
    };
    let smallest = parts.iter().map(|(unit, _)| *unit).min()?;
    let mut day = today;
    for (unit, count) in parts {
        let span = match unit {
            Unit::Day => Span::new(),
            Unit::Days => Span::new().try_days(count).ok()?,
            Unit::Weeks => Span::new().try_weeks(count).ok()?,
            Unit::Months => Span::new().try_months(count).ok()?,
            Unit::Years => Span::new().try_years(count).ok()?,
        };
        day = day.checked_sub(span).ok()?;
    }
    let whole = day.to_string();
    let length = match smallest {
        Unit::Years => 4,
        Unit::Months => 7,
        Unit::Day | Unit::Days | Unit::Weeks => 10,
    };
    whole.get(..length).map(str::to_owned)
}

/// The numbers and their units, in words.
fn spoken(words: &[&str]) -> Vec<(Unit, i64)> {
    let unit = |word: &str| {
        let is_one = |(_, names): &&(Unit, &[&str])| {
            names.iter().any(|name| word.starts_with(name) && word.len() <= name.len() + 2)
        };
        UNITS.iter().find(is_one).map(|(unit, _)| *unit)
    };
    let count = |word: &str| if ONE.contains(&word) { Some(1) } else { word.parse().ok() };
    words.windows(2).filter_map(|pair| Some((unit(pair.get(1)?)?, count(pair.first()?)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_days_months_and_years() {
        let fetched: Timestamp = "2026-11-15T19:10:56Z".parse().unwrap();
        let check = |text: &str, expect: Option<&str>| {
            assert_eq!(exact(text, fetched).as_deref(), expect, "{text:?}")
        };
        check("November 28, 2010", Some("2010-11-28"));
        check("14 years, 7 months ago", Some("2012-04"));
        check("5 years ago", Some("2021"));
        check("about a year ago", Some("2025"));
        check("3 weeks ago", Some("2026-10-25"));
        check("Posted 2 days ago by Ann", Some("2026-11-13"));
        check("20 minutes ago", Some("2026-11-15"));
        check("yesterday at 9:30", Some("2026-11-14"));
        check("vor 2 Tagen", Some("2026-11-13"));
        check("3天前", Some("2026-11-12"));
        check("10/02/2015", None);
        check("9999999999999 years ago", None);
        check("99999 years ago", None);
        check("long ago", None);
        check("", None);
    }
}
