//! URL patterns that are written and read with the same text, for worlds of many hosts with many URL habits.
//!
//! A pattern is a path with slots: `/courses/{term}/{no}.html`. Reading is lenient (it only finds the text of the
//! slots); a world then writes the page that it found again and compares, so that a wrong slug or a number out of range
//! is not a page, and reading and writing cannot drift apart.

/// Writes a pattern, calling `slot` for each slot's text.
pub(crate) fn fill(pattern: &str, out: &mut String, mut slot: impl FnMut(&str, &mut String)) {
    let mut rest = pattern;
    while let Some((literal, tail)) = rest.split_once('{') {
        out.push_str(literal);
        let Some((name, after)) = tail.split_once('}') else { break };
        slot(name, out);
        rest = after;
    }
    out.push_str(rest);
}

/// What every text of a pattern begins with.
pub(crate) fn prefix(pattern: &str) -> &str {
    pattern.split('{').next().unwrap_or(pattern)
}

/// Reports the text of each slot of a pattern if `text` has its shape. A slot's text is not empty, has no slash, and
/// ends before the first occurrence of the character that follows the slot.
pub(crate) fn read<'p, 'u>(
    pattern: &'p str,
    text: &'u str,
    mut found: impl FnMut(&'p str, &'u str),
) -> Option<()> {
    let (mut pattern, mut rest) = (pattern, text);
    loop {
        let Some((literal, tail)) = pattern.split_once('{') else {
            return (rest == pattern).then_some(());
        };
        rest = rest.strip_prefix(literal)?;
        let (name, after) = tail.split_once('}')?;
        let end = match after.chars().next() {
            Some(stop) => rest.find(stop)?,
            None => rest.len(),
        };
        let (value, left) = rest.split_at(end);
        if value.is_empty() || value.contains('/') {
            return None;
        }
        found(name, value);
        (pattern, rest) = (after, left);
    }
}

/// The number that a text ends in: `keller17` ends in 17.
pub(crate) fn trailing_number(text: &str) -> Option<u32> {
    let digits = text.bytes().rev().take_while(u8::is_ascii_digit).count();
    text.get(text.len() - digits..)?.parse().ok()
}

/// A number in base 36, the way opaque ids are often written.
pub(crate) fn push_base36(mut number: u64, out: &mut String) {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut digits = [b'0'; 13];
    let mut len = 0;
    for slot in digits.iter_mut().rev() {
        *slot = DIGITS.get((number % 36) as usize).copied().unwrap_or(b'0');
        number /= 36;
        len += 1;
        if number == 0 {
            break;
        }
    }
    digits.iter().skip(13 - len).for_each(|digit| out.push(char::from(*digit)));
}

/// The number written by [`push_base36`].
pub(crate) fn base36(text: &str) -> Option<u64> {
    u64::from_str_radix(text, 36).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_read_as_they_are_written() {
        let check = |pattern: &str, text: &str, expect: Option<&[(&str, &str)]>| {
            let mut slots = Vec::new();
            let is_read = read(pattern, text, |name, value| slots.push((name, value))).is_some();
            assert_eq!(is_read.then_some(&slots[..]), expect, "{pattern} {text}");
            if is_read {
                let mut out = String::new();
                fill(pattern, &mut out, |name, out| {
                    out.push_str(slots.iter().find(|(slot, _)| *slot == name).map_or("", |(_, value)| value));
                });
                assert_eq!(out, text);
            }
        };
        check("/", "/", Some(&[]));
        check("/c/{term}/{no}.html", "/c/f09/cs1.html", Some(&[("term", "f09"), ("no", "cs1")]));
        check("/{a}-{slug}", "/17-old-mill", Some(&[("a", "17"), ("slug", "old-mill")]));
        check("/v?id={a}", "/v?id=3", Some(&[("a", "3")]));
        check("/c/{a}/", "/c//", None);
        check("/c/{a}", "/c/1/2", None);
        check("/c/{a}.html", "/c/1", None);
    }

    #[test]
    fn numbers_come_back() {
        for number in [0, 35, 36, 1 << 40, u64::MAX] {
            let mut text = String::new();
            push_base36(number, &mut text);
            assert_eq!(base36(&text), Some(number));
        }
        assert_eq!(trailing_number("keller17"), Some(17));
        assert_eq!(trailing_number("keller"), None);
    }
}
