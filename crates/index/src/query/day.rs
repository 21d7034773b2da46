//! Days, and dates that name a day, a month or a year.

use std::fmt;

/// A day, counted from 1970-01-01; negative for earlier days.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Day(pub i64);

impl Day {
    /// Parses `2024-05-17`; anything after ten characters, such as a time, is ignored.
    pub fn parse(text: &str) -> Option<Self> {
        let date = Date::parse(text.get(..10)?)?;
        date.day.map(|_| date.first())
    }

    /// The day with a year, a month from 1 to 12 and a day of the month, by Hinnant's algorithm for civil days.
    fn of(year: i64, month: i64, day: i64) -> Self {
        let year = if month <= 2 { year - 1 } else { year };
        let era = year.div_euclid(400);
        let of_era = year.rem_euclid(400);
        let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        let days = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
        Self(era * 146_097 + days - 719_468)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days = self.0.saturating_add(719_468);
        let era = days.div_euclid(146_097);
        let of_era = days.rem_euclid(146_097);
        let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let shifted = (5 * of_year + 2) / 153;
        let day = of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = year + era * 400 + i64::from(month <= 2);
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

/// A year, a month of a year, or a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Date {
    year: u16,
    month: Option<u8>,
    day: Option<u8>,
}

impl Date {
    /// Parses `2024`, `2024-05` or `2024-05-17`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let number = |part: &str, digits: usize| -> Option<u16> {
            let right = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
            if right { part.parse().ok() } else { None }
        };
        let year = number(parts.next()?, 4)?;
        let month = parts.next().map(|part| number(part, 2)).map_or(Some(None), |month| month.map(Some))?;
        let day = parts.next().map(|part| number(part, 2)).map_or(Some(None), |day| day.map(Some))?;
        let date = Self { year, month: month.map(|month| month as u8), day: day.map(|day| day as u8) };
        (parts.next().is_none() && date.exists()).then_some(date)
    }

    fn exists(self) -> bool {
        let month = self.month.unwrap_or(1);
        (1..=12).contains(&month) && self.day.is_none_or(|day| day >= 1 && day <= days(self.year, month))
    }

    /// Its first day.
    pub fn first(self) -> Day {
        Day::of(i64::from(self.year), i64::from(self.month.unwrap_or(1)), i64::from(self.day.unwrap_or(1)))
    }

    /// Its last day.
    pub fn last(self) -> Day {
        let month = self.month.unwrap_or(12);
        let day = self.day.unwrap_or_else(|| days(self.year, month));
        Day::of(i64::from(self.year), i64::from(month), i64::from(day))
    }
}

fn days(year: u16, month: u8) -> u8 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        _ => 31,
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}", self.year)?;
        self.month.map_or(Ok(()), |month| write!(f, "-{month:02}"))?;
        self.day.map_or(Ok(()), |day| write!(f, "-{day:02}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_cover_their_days() {
        let check = |text: &str, first: &str, last: &str| {
            let date = Date::parse(text).unwrap();
            assert_eq!((date.first().to_string(), date.last().to_string()), (first.into(), last.into()));
            assert_eq!(date.to_string(), text);
        };
        check("2024", "2024-01-01", "2024-12-31");
        check("2024-02", "2024-02-01", "2024-02-29");
        check("1900-02", "1900-02-01", "1900-02-28");
        check("2000-02", "2000-02-01", "2000-02-29");
        check("0001-01-01", "0001-01-01", "0001-01-01");
        for text in
            ["", "24", "2024-13", "2024-00", "2024-02-30", "2024-1-1", "2024-01-01-01", "+024", "2023-02-29"]
        {
            assert_eq!(Date::parse(text), None, "{text}");
        }
    }

    #[test]
    fn days_are_counted_from_1970() {
        let check = |text: &str, expect: i64| {
            assert_eq!(Day::parse(text), Some(Day(expect)));
            assert_eq!(Day(expect).to_string(), text);
        };
        check("1970-01-01", 0);
        check("1969-12-31", -1);
        check("2000-03-01", 11_017);
        check("2024-05-17", 19_860);
        assert_eq!(Day::parse("2024-05-17T10:00:00Z"), Some(Day(19_860)));
        assert_eq!(Day::parse("2024-05"), None);
    }
}
