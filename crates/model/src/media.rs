//! The media type of a body: from what the server declares and from its first bytes.
//!
//! The declared type is used unless it is missing or clearly wrong, in the spirit of the MIME Sniffing Standard
//! (<https://mimesniff.spec.whatwg.org/>): plain text is never treated as HTML, since servers show source code that
//! way, but binary data that is declared as text gets the type of its bytes. Beyond the standard, a vague
//! `application/octet-stream` counts as missing, and HTML that begins with the signature of a picture, an archive or
//! a video gets that type: for a browser a wrong guess could endanger its user; for a crawler it only wastes a parse.

mod sniff;

pub use sniff::sniff;

use sniff::{is_binary, signature};

/// A parsed `Content-Type` value: essence in lower case, and the charset parameter as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaType<'a> {
    /// `text/html`
    pub essence: String,
    /// `utf-8`, quotes removed
    pub charset: Option<&'a str>,
}

impl<'a> MediaType<'a> {
    /// Number of bytes of a body that suffice to recognise its type, as in the standard.
    pub const SNIFF_BYTES: usize = 1445;

    /// Parses a header value; `None` if it has no `type/subtype`.
    pub fn parse(value: &'a str) -> Option<Self> {
        let mut parts = value.split(';');
        let essence = parts.next()?.trim().to_ascii_lowercase();
        let (kind, subtype) = essence.split_once('/')?;
        if kind.is_empty() || subtype.is_empty() {
            return None;
        }
        let charset = parts.find_map(|part| {
            let (name, value) = part.split_once('=')?;
            name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches(['"', '\'']))
        });
        Some(Self { essence, charset: charset.filter(|c| !c.is_empty()) })
    }

    /// The declared type if it is plausible, otherwise the type that `prefix`, the beginning of the body, indicates.
    /// The charset is always the declared one. `None` for an empty body without a declaration.
    pub fn effective(declared: Option<&'a str>, prefix: &[u8]) -> Option<Self> {
        let declared = declared.and_then(Self::parse);
        let essence = match &declared {
            None => sniff(prefix),
            Some(media) if media.says_nothing() => sniff(prefix),
            Some(media) if media.is_default_text() && is_binary(prefix) => sniff(prefix),
            Some(media) if media.is_html() => signature(prefix),
            Some(_) => None,
        };
        match essence {
            Some(essence) => {
                Some(Self { essence: essence.into(), charset: declared.and_then(|m| m.charset) })
            }
            None => declared,
        }
    }

    /// Whether pages of this type are parsed as HTML.
    pub fn is_html(&self) -> bool {
        matches!(self.essence.as_str(), "text/html" | "application/xhtml+xml")
    }

    /// Whether servers use this type for files whose type they do not know.
    fn says_nothing(&self) -> bool {
        matches!(
            self.essence.as_str(),
            "application/octet-stream" | "application/unknown" | "unknown/unknown" | "*/*"
        )
    }

    /// Whether this is what old versions of Apache declare for files of unknown type.
    fn is_default_text(&self) -> bool {
        let by_default =
            |charset: &str| ["iso-8859-1", "utf-8"].iter().any(|c| charset.eq_ignore_ascii_case(c));
        self.essence == "text/plain" && self.charset.is_none_or(by_default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types() {
        let check = |value: &str, essence: Option<&str>, charset: Option<&str>| {
            let read = MediaType::parse(value);
            assert_eq!(read.as_ref().map(|m| m.essence.as_str()), essence, "{value}");
            assert_eq!(read.and_then(|m| m.charset), charset, "{value}");
        };
        check("text/html", Some("text/html"), None);
        check("Text/HTML; Charset=\"GBK\"", Some("text/html"), Some("GBK"));
        check("text/html; x=1; charset=utf-8 ", Some("text/html"), Some("utf-8"));
        check("text/html;charset=", Some("text/html"), None);
        check("html", None, None);
        check("/", None, None);
        check("", None, None);
    }

    #[test]
    fn declarations_are_believed_unless_empty_or_plainly_false() {
        let check = |declared: Option<&str>, prefix: &[u8], expect: Option<&str>| {
            let found = MediaType::effective(declared, prefix).map(|media| media.essence);
            assert_eq!(found.as_deref(), expect, "{declared:?} {}", prefix.escape_ascii());
        };
        const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
        // nothing declared, or something useless
        check(None, b"<!doctype html>", Some("text/html"));
        check(None, b"", None);
        check(Some("garbage"), PNG, Some("image/png"));
        check(Some("application/octet-stream"), PNG, Some("image/png"));
        check(Some("application/octet-stream"), b"<html>", Some("text/html"));
        check(Some("application/octet-stream"), b"", Some("application/octet-stream"));
        check(Some("unknown/unknown"), b"words", Some("text/plain"));
        check(Some("application/unknown"), b"a\0b", Some("application/octet-stream"));
        check(Some("*/*"), b"%PDF-1.4", Some("application/pdf"));
        // plain text stays text unless it is binary
        check(Some("text/plain"), b"<html>", Some("text/plain"));
        check(Some("text/plain"), b"%PDF-1.4", Some("text/plain"));
        check(Some("text/plain"), PNG, Some("image/png"));
        check(Some("text/plain; charset=UTF-8"), b"a\0b", Some("application/octet-stream"));
        check(Some("text/plain; charset=utf-16le"), b"a\0b\0", Some("text/plain"));
        check(Some("text/plain"), b"\xff\xfea\0b\0", Some("text/plain"));
        // HTML stays HTML unless it carries another signature
        check(Some("text/html"), b"", Some("text/html"));
        check(Some("text/html"), b"words", Some("text/html"));
        check(Some("text/html"), b"a\0b", Some("text/html"));
        check(Some("text/html"), b"<?xml version='1.0'?><rss>", Some("text/html"));
        check(Some("text/html; charset=utf-8"), PNG, Some("image/png"));
        check(Some("application/xhtml+xml"), b"\x1f\x8b\x08\0", Some("application/gzip"));
        check(Some("text/html"), b"BMW sells cars", Some("text/html"));
        // any other declaration is used
        check(Some("image/png"), b"<html>", Some("image/png"));
        check(Some("text/css"), PNG, Some("text/css"));
    }

    #[test]
    fn the_declared_charset_is_kept() {
        let found = MediaType::effective(Some("application/octet-stream; charset=gbk"), b"<html>");
        assert_eq!(found, Some(MediaType { essence: "text/html".into(), charset: Some("gbk") }));
    }
}
