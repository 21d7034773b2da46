//! Header values as text.

/// A header value: UTF-8 where it is, else Latin-1, as servers without either in mind send. Line breaks within
/// (folded lines) become spaces.
pub(crate) fn text(value: &[u8]) -> String {
    let text = match std::str::from_utf8(value) {
        Ok(text) => text.to_owned(),
        Err(_) => value.iter().map(|&b| char::from(b)).collect(),
    };
    if text.contains(['\r', '\n']) {
        return text
            .split(['\r', '\n'])
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(" ");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        let check = |value: &[u8], expect: &str| assert_eq!(text(value), expect);
        check(b"plain", "plain");
        check("ä".as_bytes(), "ä");
        check(b"\xe4", "ä");
        check(b"a\r\n \tb", "a b");
    }
}
