//! Character references: `&amp;`, `&#38;`, `&#x26;`.

use html5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};

/// The text of a character reference, and its length without the `&`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reference {
    first: char,
    second: Option<char>,
    pub(super) length: usize,
}

impl Reference {
    /// The characters as text.
    pub(super) fn write<'b>(&self, buffer: &'b mut [u8; 8]) -> &'b str {
        let (one, two) = buffer.split_at_mut(4);
        let mut length = self.first.encode_utf8(one).len();
        if let Some(second) = self.second {
            let more = second.encode_utf8(two).len();
            buffer.copy_within(4..4 + more, length);
            length += more;
        }
        buffer.get(..length).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }
}

/// The most frequent references.
const COMMON: [(&[u8], char); 6] =
    [(b"nbsp;", '\u{a0}'), (b"amp;", '&'), (b"quot;", '"'), (b"lt;", '<'), (b"gt;", '>'), (b"raquo;", '»')];

/// Reads the text after an `&`; `None` if it is not a reference and the `&` is literal.
pub(super) fn reference(text: &str, in_attribute: bool) -> Option<Reference> {
    let bytes = text.as_bytes();
    match bytes.first()? {
        b'#' => numeric(bytes),
        first if first.is_ascii_alphanumeric() => {
            let common = COMMON.iter().find(|(name, _)| bytes.starts_with(name));
            match common {
                Some(&(name, first)) => Some(Reference { first, second: None, length: name.len() }),
                None => named(text, in_attribute),
            }
        }
        _ => None,
    }
}

/// The longest name that matches. The table also contains all prefixes of names, with an empty value.
fn named(text: &str, in_attribute: bool) -> Option<Reference> {
    let mut best = None;
    for length in 1..=text.len() {
        let Some(&(first, second)) = text.get(..length).and_then(|name| NAMED_ENTITIES.get(name)) else {
            break;
        };
        if let (Some(first), true) = (char::from_u32(first), first != 0) {
            let second = char::from_u32(second).filter(|&second| second != '\0');
            best = Some(Reference { first, second, length });
        }
    }
    let found = best?;
    // In attributes, `&copy=1` is part of a query, for compatibility.
    let closed = text.as_bytes().get(found.length - 1) == Some(&b';');
    let next = text.as_bytes().get(found.length);
    let query =
        in_attribute && !closed && next.is_some_and(|&next| next == b'=' || next.is_ascii_alphanumeric());
    (!query).then_some(found)
}

fn numeric(bytes: &[u8]) -> Option<Reference> {
    let hexadecimal = matches!(bytes.get(1), Some(b'x' | b'X'));
    let (start, radix) = if hexadecimal { (2, 16) } else { (1, 10) };
    let digits = bytes.get(start..)?.iter().map_while(|&byte| char::from(byte).to_digit(radix));
    let (mut count, mut code) = (0, 0u32);
    for digit in digits {
        count += 1;
        code = code.saturating_mul(radix).saturating_add(digit);
    }
    if count == 0 {
        return None;
    }
    let length = start + count;
    let closed = usize::from(bytes.get(length) == Some(&b';'));
    Some(Reference { first: character(code), second: None, length: length + closed })
}

fn character(code: u32) -> char {
    let replaced = code.checked_sub(0x80).and_then(|at| C1_REPLACEMENTS.get(at as usize)).copied().flatten();
    replaced.or_else(|| char::from_u32(code).filter(|&c| c != '\0')).unwrap_or('\u{fffd}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved() {
        let check = |text: &str, in_attribute: bool, expect: Option<(&str, usize)>| {
            let found = reference(text, in_attribute);
            let mut buffer = [0; 8];
            assert_eq!(found.map(|found| (found.write(&mut buffer), found.length)), expect, "{text:?}");
        };
        check("amp;x", false, Some(("&", 4)));
        check("ampx", false, Some(("&", 3)));
        check("ampx", true, None);
        check("copy=1", true, None);
        check("notin;", false, Some(("∉", 6)));
        check("notit;", false, Some(("¬", 3)));
        check("nvlt;", false, Some(("<\u{20d2}", 5)));
        check("#65;", false, Some(("A", 4)));
        check("#x80", false, Some(("€", 4)));
        check("#0;", false, Some(("\u{fffd}", 3)));
        check("#xD800;", false, Some(("\u{fffd}", 7)));
        check("#99999999999;", false, Some(("\u{fffd}", 13)));
        check("#x;", false, None);
        check(" ", false, None);
        check("é", false, None);
        check("", false, None);
    }
}
