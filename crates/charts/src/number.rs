//! Formats numbers as text; the same value always gives the same bytes.

use serde::Serialize;

/// Shown for what is missing or not finite.
pub(crate) const MISSING: &str = "–";

/// Significant digits of a figure: as many as an experiment with ten runs can justify.
const DIGITS: i32 = 4;

/// Below this power of ten, and from [`LARGE`] on, the scientific form is used.
const SMALL: i32 = -5;
const LARGE: i32 = 15;

/// A figure with four significant digits, all digits of its integer part, and a comma between thousands: `0.0123`,
/// `12.35`, `1,234,568`, `1.2e-9`; a dash if it is not finite.
pub fn number(value: f64) -> String {
    fixed(value, decimals(value))
}

/// How many decimals [`number`] gives a value.
pub(crate) fn decimals(value: f64) -> usize {
    let Some((digits, power)) = scientific(value) else { return 0 };
    if !(SMALL..LARGE).contains(&power) {
        return 0;
    }
    let trailing = digits.bytes().rev().take_while(|&digit| digit == b'0').count() as i32;
    (DIGITS - 1 - power - trailing).max(0) as usize
}

/// How many decimals show so many significant digits of a value.
pub(crate) fn decimals_of(value: f64, digits: i32) -> usize {
    scientific(value).map_or(0, |(_, power)| (digits - 1 - power).max(0) as usize)
}

/// A value with this many decimals, so that the figures of a column line up.
pub(crate) fn fixed(value: f64, decimals: usize) -> String {
    let Some((_, power)) = scientific(value) else { return MISSING.to_owned() };
    let plain = format!("{:.*}", decimals, value.abs());
    let vanished = value != 0.0 && plain.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    if !(SMALL..LARGE).contains(&power) || (vanished && power < -2) {
        return shortest_scientific(value);
    }
    let (whole, rest) = plain.split_at(plain.find('.').unwrap_or(plain.len()));
    let sign = if value < 0.0 && !vanished { "−" } else { "" };
    format!("{sign}{}{rest}", grouped(whole))
}

/// A label for an axis, as short as possible: `0.25`, `500`, `20k`, `1.5M`. `decimals` are those of the axis' step.
pub(crate) fn tick_label(value: f64, largest: f64, decimals: usize) -> String {
    const UNITS: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    if largest.abs() >= 1e4 && largest.abs() < 1e15 {
        for (size, unit) in UNITS {
            if value.abs() >= size {
                return format!("{}{unit}", number(value / size));
            }
        }
        return number(value);
    }
    fixed(value, decimals)
}

/// The significant digits and the power of ten; for 0, `0000` and 0.
fn scientific(value: f64) -> Option<(String, i32)> {
    if !value.is_finite() {
        return None;
    }
    let text = format!("{:.*e}", DIGITS as usize - 1, value.abs());
    let (digits, power) = text.split_once('e')?;
    Some((digits.replace('.', ""), power.parse().ok()?))
}

fn shortest_scientific(value: f64) -> String {
    let text = format!("{:.*e}", DIGITS as usize - 1, value.abs());
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    let sign = if value < 0.0 { "−" } else { "" };
    format!("{sign}{}e{power}", digits.trim_end_matches('0').trim_end_matches('.'))
}

fn grouped(whole: &str) -> String {
    let mut out = String::with_capacity(whole.len() + whole.len() / 3);
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A mean, and half the width of its confidence interval if there were several runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Estimate {
    /// The mean; missing if not finite.
    pub mean: f64,
    /// Half the width of the interval.
    pub half: Option<f64>,
}

impl Estimate {
    /// Both ends of the interval, if there is one that can be shown.
    pub(crate) fn interval(self) -> Option<(f64, f64)> {
        let ends = self.half.map(|half| (self.mean - half, self.mean + half));
        ends.filter(|(low, high)| low.is_finite() && high.is_finite())
    }

    /// All values that an axis must cover.
    pub(crate) fn reach(self) -> impl Iterator<Item = f64> {
        let (low, high) = self.interval().unwrap_or((self.mean, self.mean));
        [low, self.mean, high].into_iter()
    }

    /// `0.25 (0.2 to 0.3)`
    pub(crate) fn in_words(self) -> String {
        let interval = self.interval().map(|(low, high)| format!(" ({} to {})", number(low), number(high)));
        number(self.mean) + &interval.unwrap_or_default()
    }
}

impl From<f64> for Estimate {
    fn from(mean: f64) -> Self {
        Self { mean, half: None }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_as_text() {
        let check = |value: f64, expect: &str| assert_eq!(number(value), expect, "{value:e}");
        check(0.0, "0");
        check(-0.0, "0");
        check(1.0, "1");
        check(0.5, "0.5");
        check(0.123_456, "0.1235");
        check(0.001_2, "0.0012");
        check(0.000_012_34, "0.00001234");
        check(0.000_001_234, "1.234e-6");
        check(12.345, "12.35");
        check(99.999, "100");
        check(1234.5, "1,234");
        check(12_345.0, "12,345");
        check(1_234_567.8, "1,234,568");
        check(-1234.0, "−1,234");
        check(1e15, "1e15");
        check(-2.5e-9, "−2.5e-9");
        check(f64::NAN, MISSING);
        check(f64::INFINITY, MISSING);
        check(f64::NEG_INFINITY, MISSING);
    }

    #[test]
    fn an_interval_has_two_ends_or_none() {
        let check = |mean: f64, half: Option<f64>, expect: &str| {
            assert_eq!(Estimate { mean, half }.in_words(), expect, "{mean} and {half:?}");
        };
        check(0.25, Some(0.05), "0.25 (0.2 to 0.3)");
        check(0.25, None, "0.25");
        check(0.25, Some(f64::NAN), "0.25");
        check(f64::NAN, Some(1.0), MISSING);
        check(1.0, Some(f64::INFINITY), "1");
    }

    #[test]
    fn columns_share_their_decimals() {
        let check =
            |value: f64, decimals: usize, expect: &str| assert_eq!(fixed(value, decimals), expect, "{value}");
        check(0.5, 3, "0.500");
        check(0.0, 2, "0.00");
        check(1234.5, 1, "1,234.5");
        check(-0.004, 2, "−4e-3");
        check(-0.04, 1, "0.0");
        check(0.000_04, 2, "4e-5");
        check(f64::NAN, 2, MISSING);
    }

    #[test]
    fn ticks_are_short() {
        let check = |value: f64, largest: f64, decimals: usize, expect: &str| {
            assert_eq!(tick_label(value, largest, decimals), expect, "{value} of {largest}");
        };
        check(5000.0, 5000.0, 0, "5,000");
        check(5000.0, 20_000.0, 0, "5k");
        check(2_500_000.0, 1e7, 0, "2.5M");
        check(0.2, 1.0, 1, "0.2");
        check(0.0, 1e7, 0, "0");
    }

    proptest! {
        #[test]
        fn any_number_is_short_and_plain(bits in any::<u64>()) {
            let text = number(f64::from_bits(bits));
            prop_assert!(!text.is_empty() && text.chars().count() <= 20, "{}", text);
            prop_assert!(text.chars().all(|c| c.is_ascii_digit() || "–−.,e-".contains(c)), "{}", text);
        }
    }
}
