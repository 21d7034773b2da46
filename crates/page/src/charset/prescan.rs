//! The standard's prescan: searches the beginning of a body for a `meta` element that names the character set.
//!
//! <https://html.spec.whatwg.org/multipage/parsing.html#prescan-a-byte-stream-to-determine-its-encoding>. This is not a
//! parse: comments are skipped, tags are split into attributes, everything else is ignored.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

/// The character set that the page itself declares.
pub(super) fn prescan(body: &[u8]) -> Option<&'static Encoding> {
    let mut scan = Scan { rest: body };
    loop {
        let at = memchr::memchr(b'<', scan.rest)?;
        scan.skip(at);
        if scan.rest.starts_with(b"<!--") {
            // The two dashes may be those of the beginning: `<!-->` is a complete comment.
            let end = memchr::memmem::find(scan.rest.get(2..)?, b"-->")?;
            scan.skip(2 + end + 3);
        } else if scan.is_meta() {
            scan.skip(5);
            if let Some(encoding) = scan.meta() {
                return Some(encoding);
            }
        } else if is_tag(scan.rest) {
            let end = scan.rest.iter().position(|&byte| is_space(byte) || byte == b'>')?;
            scan.skip(end);
            while scan.attribute().is_some() {}
        } else if matches!(scan.rest.get(1), Some(b'!' | b'/' | b'?')) {
            scan.skip(memchr::memchr(b'>', scan.rest)? + 1);
        } else {
            scan.skip(1);
        }
    }
}

/// The value after `charset=` in a header or a `content` attribute.
/// <https://html.spec.whatwg.org/multipage/urls-and-fetching.html#algorithm-for-extracting-a-character-encoding-from-a-meta-element>
pub(super) fn charset_of(text: &[u8]) -> Option<&'static Encoding> {
    let mut rest = text;
    loop {
        let at = rest.windows(7).position(|window| window.eq_ignore_ascii_case(b"charset"))?;
        rest = rest.get(at + 7..)?.trim_ascii_start();
        if let Some(after) = rest.strip_prefix(b"=") {
            let value = after.trim_ascii_start();
            let label = match value.first()? {
                quote @ (b'"' | b'\'') => {
                    let inside = value.get(1..)?;
                    inside.get(..inside.iter().position(|byte| byte == quote)?)?
                }
                _ => value.split(|&byte| is_space(byte) || byte == b';').next()?,
            };
            return for_label(label);
        }
    }
}

/// An encoding by its label.
fn for_label(label: &[u8]) -> Option<&'static Encoding> {
    Encoding::for_label(label)
}

/// A page in which a declaration could be read as ASCII is not in UTF-16, even if the declaration says so.
fn readable(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16BE || encoding == UTF_16LE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0C' | b'\r' | b' ')
}

fn is_tag(rest: &[u8]) -> bool {
    match rest.get(1) {
        Some(b'/') => rest.get(2).is_some_and(u8::is_ascii_alphabetic),
        Some(byte) => byte.is_ascii_alphabetic(),
        None => false,
    }
}

struct Scan<'a> {
    rest: &'a [u8],
}

impl Scan<'_> {
    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    fn skip_while(&mut self, keep: impl Fn(u8) -> bool) {
        let end = self.rest.iter().position(|&byte| !keep(byte)).unwrap_or(self.rest.len());
        self.skip(end);
    }

    fn is_meta(&self) -> bool {
        self.rest.get(1..5).is_some_and(|name| name.eq_ignore_ascii_case(b"meta"))
            && self.rest.get(5).is_some_and(|&byte| is_space(byte) || byte == b'/')
    }

    /// Reads the attributes of a `meta`; returns the encoding if they name one.
    fn meta(&mut self) -> Option<&'static Encoding> {
        let mut seen: Vec<Vec<u8>> = Vec::new();
        let (mut got_pragma, mut need_pragma, mut charset) = (false, None, None);
        while let Some((name, value)) = self.attribute() {
            if seen.contains(&name) || seen.len() > 32 {
                continue;
            }
            match name.as_slice() {
                b"http-equiv" => got_pragma |= value == b"content-type",
                b"content" => {
                    if let Some(encoding) = charset_of(&value).filter(|_| charset.is_none()) {
                        charset = Some(Some(encoding));
                        need_pragma = Some(true);
                    }
                }
                b"charset" => {
                    charset = Some(for_label(&value));
                    need_pragma = Some(false);
                }
                _ => {}
            }
            seen.push(name);
        }
        // A tag that is cut off does not count.
        let whole = !self.rest.is_empty();
        let valid = need_pragma.is_some_and(|need_pragma| !need_pragma || got_pragma);
        charset.flatten().filter(|_| whole && valid).map(readable)
    }

    /// The next attribute of a tag, in lower case; `None` at the tag's end, which is not consumed.
    fn attribute(&mut self) -> Option<(Vec<u8>, Vec<u8>)> {
        self.skip_while(|byte| is_space(byte) || byte == b'/');
        if matches!(self.rest.first(), None | Some(b'>')) {
            return None;
        }
        let mut length = 0;
        let has_value = loop {
            match self.rest.get(length)? {
                b'=' if length > 0 => break true,
                b'/' | b'>' => break false,
                &byte if is_space(byte) => break false,
                _ => length += 1,
            }
        };
        let name = self.rest.get(..length)?.to_ascii_lowercase();
        self.skip(length);
        if !has_value {
            self.skip_while(is_space);
            if self.rest.first() != Some(&b'=') {
                return Some((name, Vec::new()));
            }
        }
        self.skip(1);
        self.skip_while(is_space);
        let value = match self.rest.first()? {
            &quote @ (b'"' | b'\'') => {
                self.skip(1);
                let end = memchr::memchr(quote, self.rest)?;
                let value = self.rest.get(..end)?.to_ascii_lowercase();
                self.skip(end + 1);
                value
            }
            _ => {
                let end = self.rest.iter().position(|&byte| is_space(byte) || byte == b'>')?;
                let value = self.rest.get(..end)?.to_ascii_lowercase();
                self.skip(end);
                value
            }
        };
        Some((name, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_found() {
        let check = |body: &str, expect: Option<&str>| {
            assert_eq!(prescan(body.as_bytes()).map(Encoding::name), expect, "{body:?}");
        };
        check("<meta charset=gb2312>", Some("GBK"));
        check("<META  CHARSET = 'Shift_JIS' />", Some("Shift_JIS"));
        check("<meta http-equiv=Content-Type content='text/html; charset=big5'>", Some("Big5"));
        check("<meta content='text/html; charset=big5' http-equiv=content-type>", Some("Big5"));
        check("<meta content='text/html; charset=big5'>", None);
        check("<!-- <meta charset=gbk> --><meta charset=koi8-r>", Some("KOI8-R"));
        check("<!--><meta charset=koi8-r>", Some("KOI8-R"));
        check("<a title='<meta charset=gbk>'><meta charset=koi8-r>", Some("KOI8-R"));
        check("<meta charset=utf-16>", Some("UTF-8"));
        check("<meta charset=x-user-defined>", Some("windows-1252"));
        check("<meta charset=nonsense><meta charset=gbk>", Some("GBK"));
        check("<metax charset=gbk>", None);
        check("<meta charset=gbk", None);
        check("", None);
    }

    #[test]
    fn headers_are_read() {
        let check = |header: &str, expect: Option<&str>| {
            assert_eq!(charset_of(header.as_bytes()).map(Encoding::name), expect, "{header:?}");
        };
        check("text/html; charset=UTF-8", Some("UTF-8"));
        check("text/html;charset=\"gbk\"; x=y", Some("GBK"));
        check("text/html; charset = gbk;x", Some("GBK"));
        check("text/html; charset='gbk", None);
        check("text/html", None);
    }
}
