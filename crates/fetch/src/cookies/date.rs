//! Dates in `Expires`, by the algorithm of RFC 6265, section 5.1.1, which takes nearly anything.

/// Milliseconds since the epoch; `None` for anything that is not a date.
pub(super) fn parse(text: &str) -> Option<i64> {
    let mut time = None;
    let mut day = None;
    let mut month = None;
    let mut year = None;
    let is_delimiter = |c: char| !(c.is_ascii_alphanumeric() || c == ':' || !c.is_ascii());
    for word in text.split(is_delimiter).filter(|word| !word.is_empty()) {
        if let (None, Some(found)) = (time, read_time(word)) {
            time = Some(found);
        } else if let (None, Some(found)) = (day, leading_number(word, 1, 2)) {
            day = Some(found);
        } else if let (None, Some(found)) = (month, read_month(word)) {
            month = Some(found);
        } else if let (None, Some(found)) = (year, leading_number(word, 2, 4)) {
            year = Some(found);
        }
    }
    let year = match year? {
        year @ 70..=99 => year + 1900,
        year @ 0..=69 => year + 2000,
        year => year,
    };
    let (hour, minute, second) = time?;
    let (day, month) = (day?, month?);
    if !(1..=31).contains(&day) || year < 1601 || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let seconds = days_since_epoch(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
    Some(seconds * 1000)
}

/// The number that a word begins with, if it has so many digits.
fn leading_number(word: &str, least: usize, most: usize) -> Option<i64> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    (least..=most).contains(&digits).then(|| word.get(..digits)?.parse().ok()).flatten()
}

fn read_time(word: &str) -> Option<(i64, i64, i64)> {
    let mut parts = word.splitn(3, ':');
    let mut next = || leading_number(parts.next()?, 1, 2);
    Some((next()?, next()?, next()?))
}

fn read_month(word: &str) -> Option<i64> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let start = word.get(..3)?.to_ascii_lowercase();
    MONTHS.iter().position(|month| *month == start).and_then(|at| i64::try_from(at + 1).ok())
}

/// Of the Gregorian calendar, counted in years that begin in March, so that the odd day is the last.
fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_dates() {
        let check = |text: &str, expect: Option<i64>| {
            assert_eq!(parse(text).map(|millis| millis / 1000), expect, "{text}");
        };
        check("Thu, 01 Jan 1970 00:00:00 GMT", Some(0));
        check("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777));
        check("Sunday, 06-Nov-94 08:49:37 GMT", Some(784_111_777));
        check("Sun Nov  6 08:49:37 1994", Some(784_111_777));
        check("29 Feb 2024 12:00:00", Some(1_709_208_000));
        check("Fri, 31-Dec-9999 23:59:59 GMT", Some(253_402_300_799));
        check("06 Nov 1994", None);
        check("06 Nov 1994 24:00:00", None);
        check("00 Nov 1994 08:49:37", None);
        check("06 Nov 1500 08:49:37", None);
        check("never", None);
        check("", None);
    }
}
