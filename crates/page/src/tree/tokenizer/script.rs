//! Finds the end of a script.
//!
//! Scripts may be wrapped in `<!-- -->`, and within that in `<script></script>` as text: an end tag inside such a pair
//! does not end the outer script.

use super::{ends_name, is_end_tag};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Escape {
    None,
    /// After `<!--`.
    Once,
    /// After `<!-- <script`.
    Twice,
}

/// The position of the end tag called `name`.
pub(super) fn end(text: &str, name: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut escape = Escape::None;
    let mut at = 0;
    loop {
        let rest = bytes.get(at..)?;
        if escape == Escape::None {
            at += memchr::memchr(b'<', rest)?;
            let rest = bytes.get(at..)?;
            if is_end_tag(rest, name) {
                return Some(at);
            }
            if rest.starts_with(b"<!--") {
                escape = Escape::Once;
                // The dashes may also belong to the end: `<!-->` is a complete comment.
                at += 2;
            } else {
                at += 1;
            }
            continue;
        }
        at += memchr::memchr2(b'<', b'-', rest)?;
        let rest = bytes.get(at..)?;
        if rest.starts_with(b"-->") {
            escape = Escape::None;
            at += 3;
        } else if escape == Escape::Once && is_end_tag(rest, name) {
            return Some(at);
        } else if escape == Escape::Once && opens_script(rest) {
            escape = Escape::Twice;
            at += 7;
        } else if escape == Escape::Twice && is_end_tag(rest, "script") {
            escape = Escape::Once;
            at += 8;
        } else {
            at += 1;
        }
    }
}

/// Whether the input begins with `<script` and a character that ends a name.
fn opens_script(bytes: &[u8]) -> bool {
    bytes.get(..7).is_some_and(|start| start.eq_ignore_ascii_case(b"<script"))
        && bytes.get(7).is_some_and(|&byte| ends_name(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_end_at_their_end_tag() {
        let check = |text: &str, expect: Option<&str>| {
            let found = end(text, "script").and_then(|at| text.get(..at));
            assert_eq!(found, expect, "{text:?}");
        };
        check("a<b</script>c", Some("a<b"));
        check("a</SCRIPT >", Some("a"));
        check("a</scripts></script", None);
        check("<!-- </script>", Some("<!-- "));
        check("<!-- <script> </script> --></script>", Some("<!-- <script> </script> -->"));
        check("<!--><script></script>", Some("<!--><script>"));
        check("<!-- <script> --> </script>", Some("<!-- <script> --> "));
        check("<!-- <scripts> </script>", Some("<!-- <scripts> "));
    }
}
