//! Counts as pages write them: `12 views`, `Views: 1,203`, `浏览(12)`.

use super::labels::normal;
use super::vocabulary::{count_name, count_prefix};

/// Characters of a text that may be a count.
const MAX_CHARS: usize = 40;

/// The integer in a text that contains one: digits, with `,` `.` or a space between groups of three.
pub(super) fn number(text: &str) -> Option<u64> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let rest = text.get(start..)?;
    let mut value: u64 = 0;
    let mut digits = rest.char_indices().peekable();
    while let Some((at, c)) = digits.next() {
        if let Some(digit) = c.to_digit(10) {
            value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
        } else if !(matches!(c, ',' | '.' | ' ' | '\u{a0}') && is_group(rest.get(at + c.len_utf8()..)?)) {
            // 1.5 is not a count
            let is_fraction =
                ['.', ','].contains(&c) && digits.peek().is_some_and(|(_, c)| c.is_ascii_digit());
            return (!is_fraction).then_some(value);
        }
    }
    Some(value)
}

/// Whether three digits follow and no fourth.
fn is_group(rest: &str) -> bool {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    digits == 3
}

/// A text that is only a count with its word: the name of the count and its value.
pub(super) fn count(text: &str) -> Option<(&'static str, u64)> {
    if text.chars().nth(MAX_CHARS).is_some() || text.chars().filter(char::is_ascii_digit).count() == 0 {
        return None;
    }
    let value = number(text)?;
    let is_digit = |c: char| c.is_ascii_digit() || matches!(c, ',' | '.');
    let mut words = text.split(|c: char| {
        c.is_whitespace() || is_digit(c) || matches!(c, ':' | '(' | ')' | '：' | '（' | '）')
    });
    let words: Vec<&str> = words.by_ref().filter(|word| !word.is_empty()).collect();
    match words.as_slice() {
        [word] => count_name(&normal(word)).or_else(|| count_prefix(word)).map(|name| (name, value)),
        [first, second] => {
            // "12 total views", "Views total 12"
            count_name(&normal(second)).or_else(|| count_name(&normal(first))).map(|name| (name, value))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_their_words() {
        let check = |text: &str, expect: Option<(&str, u64)>| assert_eq!(count(text), expect, "{text:?}");
        check("12 views", Some(("views", 12)));
        check("Views: 1,203", Some(("views", 1203)));
        check("浏览(12)", Some(("views", 12)));
        check("(6 posts)", Some(("posts", 6)));
        check("1.234.567 likes", Some(("likes", 1_234_567)));
        check("6.9 stars", None);
        check("views", None);
        check("12", None);
        check("99999999999999999999999 views", None);
    }

    #[test]
    fn numbers_in_groups() {
        let check = |text: &str, expect: Option<u64>| assert_eq!(number(text), expect, "{text:?}");
        check("1,203", Some(1203));
        check("1 203 x", Some(1203));
        check("12, 13", Some(12));
        check("1.5", None);
        check("x", None);
    }
}
