//! Percent-encoding, for policies that read the words of URLs.

/// Undoes percent-encoding: words beyond ASCII are written in it.
pub(super) fn push_decoded(text: &str, words: &mut String) {
    let mut pieces = text.split('%');
    let mut bytes = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        match piece.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend_from_slice(piece.get(2..).unwrap_or_default().as_bytes());
            }
            None => {
                bytes.push(b'%');
                bytes.extend_from_slice(piece.as_bytes());
            }
        }
    }
    words.push_str(&String::from_utf8_lossy(&bytes));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_encoding_is_undone() {
        let check = |text: &str, expect: &str| {
            let mut words = String::new();
            push_decoded(text, &mut words);
            assert_eq!(words, expect, "{text}");
        };
        check("/a%20b%E9%AB%98", "/a b高");
        check("/%", "/%");
        check("%zz%é%4", "%zz%é%4");
        check("%ff", "\u{fffd}");
        check("", "");
    }
}
