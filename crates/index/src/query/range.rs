//! Ranges of numbers and dates.

use std::fmt;

/// A range of values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range<T> {
    /// This value.
    Exactly(T),
    /// Greater than this.
    Above(T),
    /// This or greater.
    AtLeast(T),
    /// Less than this.
    Below(T),
    /// This or less.
    AtMost(T),
    /// From the first to the second, both included.
    Between(T, T),
}

impl<T: Copy> Range<T> {
    /// Parses `5`, `>5`, `>=5`, `<5`, `<=5`, `2..7`, `2..` or `..7`; `value` parses the values.
    pub(super) fn parse(text: &str, value: impl Fn(&str) -> Option<T>) -> Option<Self> {
        if let Some(rest) = text.strip_prefix(">=") {
            return value(rest).map(Self::AtLeast);
        }
        if let Some(rest) = text.strip_prefix("<=") {
            return value(rest).map(Self::AtMost);
        }
        if let Some(rest) = text.strip_prefix('>') {
            return value(rest).map(Self::Above);
        }
        if let Some(rest) = text.strip_prefix('<') {
            return value(rest).map(Self::Below);
        }
        match text.split_once("..") {
            None => value(text).map(Self::Exactly),
            Some((low, "")) => value(low).map(Self::AtLeast),
            Some(("", high)) => value(high).map(Self::AtMost),
            Some((low, high)) => Some(Self::Between(value(low)?, value(high)?)),
        }
    }
}

impl<T: fmt::Display> fmt::Display for Range<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(value) => write!(f, "{value}"),
            Self::Above(value) => write!(f, ">{value}"),
            Self::AtLeast(value) => write!(f, "{value}.."),
            Self::Below(value) => write!(f, "<{value}"),
            Self::AtMost(value) => write!(f, "..{value}"),
            Self::Between(low, high) => write!(f, "{low}..{high}"),
        }
    }
}

/// Parses a number: digits, optionally followed by a dot and more digits.
pub(super) fn number(text: &str) -> Option<f64> {
    const MOST: usize = 17;
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let bounded =
        plain && text.len() <= MOST && text.starts_with(|c: char| c.is_ascii_digit()) && !text.ends_with('.');
    if bounded { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_they_are_printed() {
        let check = |text: &str, expect: Option<Range<f64>>| {
            let found = Range::parse(text, number);
            assert_eq!(found, expect, "{text}");
            if let Some(range) = found {
                assert_eq!(Range::parse(&range.to_string(), number), expect, "{text}");
            }
        };
        check("5", Some(Range::Exactly(5.0)));
        check(">5", Some(Range::Above(5.0)));
        check(">=5", Some(Range::AtLeast(5.0)));
        check("5..", Some(Range::AtLeast(5.0)));
        check("<0.25", Some(Range::Below(0.25)));
        check("<=5", Some(Range::AtMost(5.0)));
        check("2..7.5", Some(Range::Between(2.0, 7.5)));
        for text in
            ["", "..", ">", "-5", "1e9", "1..2..3", ".5", "5.", "1...2", "99999999999999999999", "inf"]
        {
            check(text, None);
        }
    }
}
