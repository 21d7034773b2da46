//! From a body to text: first gzip, within limits, then the character set.
//!
//! The character set is determined as in XML: byte order mark, the header's charset, the XML declaration, UTF-8.

use std::borrow::Cow;
use std::io::Read;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use flate2::read::MultiGzDecoder;
use osprey_model::MediaType;

use super::SitemapNote;
use super::collect::Collector;
use crate::page::Input;

/// The first bytes of gzip.
const GZIP: &[u8] = b"\x1f\x8b\x08";
/// How many bytes are decoded to recognise the format: enough for a comment and a stylesheet before the root element.
const PREFIX_BYTES: usize = 4 << 10;
/// How many bytes are searched for the encoding in an XML declaration.
const DECLARATION_BYTES: usize = 256;

/// The body, decompressed if it is gzip, cut at `max_bytes`.
pub(super) fn unpack<'a>(body: &'a [u8], max_bytes: usize, collector: &mut Collector<'_>) -> Cow<'a, [u8]> {
    if !body.starts_with(GZIP) {
        if body.len() > max_bytes {
            collector.note(SitemapNote::CutBytes);
        }
        return Cow::Borrowed(body.get(..max_bytes).unwrap_or(body));
    }
    let (mut unpacked, is_whole) = gunzip(body, max_bytes.saturating_add(1));
    if unpacked.len() > max_bytes {
        unpacked.truncate(max_bytes);
        collector.note(SitemapNote::CutBytes);
    } else if !is_whole {
        collector.note(SitemapNote::Torn);
    }
    Cow::Owned(unpacked)
}

/// At most `max_bytes` of the content of a gzip file with any number of members, and whether it is complete so far.
fn gunzip(body: &[u8], max_bytes: usize) -> (Vec<u8>, bool) {
    let mut unpacked = Vec::new();
    // what was decoded before an error is kept
    let result = MultiGzDecoder::new(body).take(max_bytes as u64).read_to_end(&mut unpacked);
    (unpacked, result.is_ok())
}

/// The beginning of a body, as text.
pub(super) fn prefix(input: &Input<'_>) -> String {
    let body = if input.body.starts_with(GZIP) {
        Cow::Owned(gunzip(input.body, PREFIX_BYTES).0)
    } else {
        Cow::Borrowed(input.body.get(..PREFIX_BYTES).unwrap_or(input.body))
    };
    let (encoding, text) = encoding(&body, input.content_type);
    encoding.decode_without_bom_handling(text).0.into_owned()
}

/// The text of a body, its byte order mark removed.
pub(super) fn decode<'a>(
    body: &'a [u8],
    content_type: Option<&str>,
    collector: &mut Collector<'_>,
) -> Cow<'a, str> {
    let (encoding, text) = encoding(body, content_type);
    let (text, is_invalid) = encoding.decode_without_bom_handling(text);
    if is_invalid {
        collector.note(SitemapNote::InvalidBytes);
    }
    text
}

/// The encoding, and the body without its byte order mark.
fn encoding<'a>(body: &'a [u8], content_type: Option<&str>) -> (&'static Encoding, &'a [u8]) {
    if let Some((encoding, mark)) = Encoding::for_bom(body) {
        return (encoding, body.get(mark..).unwrap_or_default());
    }
    let encoding = match body {
        [b'<', 0, ..] => UTF_16LE,
        [0, b'<', ..] => UTF_16BE,
        _ => {
            let label = content_type.and_then(MediaType::parse).and_then(|media| media.charset);
            let header = label.and_then(|label| Encoding::for_label(label.as_bytes()));
            let encoding = header.or_else(|| declared(body)).unwrap_or(UTF_8);
            // a declaration of UTF-16 is wrong here: the check above would have found it
            if encoding == UTF_16LE || encoding == UTF_16BE { UTF_8 } else { encoding }
        }
    };
    (encoding, body)
}

/// The encoding in the XML declaration.
fn declared(body: &[u8]) -> Option<&'static Encoding> {
    let start = body.trim_ascii_start().strip_prefix(b"<?xml")?;
    let start = start.get(..DECLARATION_BYTES).unwrap_or(start);
    let declaration = start.get(..memchr::memchr(b'>', start)?)?;
    let at = memchr::memmem::find(declaration, b"encoding")?;
    let value = declaration.get(at + b"encoding".len()..)?.trim_ascii_start();
    let value = value.strip_prefix(b"=")?.trim_ascii_start();
    let (quote, inside) = value.split_first()?;
    Encoding::for_label(inside.get(..memchr::memchr(*quote, inside)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_declaration_of_the_encoding_wins() {
        let check = |content_type: Option<&str>, body: &[u8], expect: &str| {
            assert_eq!(encoding(body, content_type).0.name(), expect, "{}", body.escape_ascii());
        };
        let latin = Some("text/xml; charset=iso-8859-1");
        check(latin, b"\xef\xbb\xbf<a/>", "UTF-8");
        check(latin, b"<\0a\0", "UTF-16LE");
        check(None, b"\xfe\xff\0<", "UTF-16BE");
        check(None, b"\0<\0a", "UTF-16BE");
        check(latin, b"<?xml version='1.0' encoding='utf-8'?>", "windows-1252");
        check(Some("text/xml"), b"<?xml version='1.0' encoding = \"GB2312\" ?>", "GBK");
        check(None, b"<?xml version='1.0' encoding='utf-16'?>", "UTF-8");
        check(None, b"<?xml version='1.0' encoding='nonsense'?>", "UTF-8");
        check(None, b"<?xml version='1.0' encoding=", "UTF-8");
        check(None, b"", "UTF-8");
    }
}
