//! Detects the media type of bytes that have no trustworthy declaration.

use std::borrow::Cow;

use crate::MediaType;

/// The type that a body beginning with `prefix` appears to have; `None` if it is empty.
pub fn sniff(prefix: &[u8]) -> Option<&'static str> {
    if prefix.is_empty() {
        return None;
    }
    let prefix = beginning(prefix);
    let found = signature(prefix).or_else(|| markup(&without_mark(prefix)));
    Some(found.unwrap_or(if is_binary(prefix) { "application/octet-stream" } else { "text/plain" }))
}

/// Whether there are bytes that do not occur in text. A byte order mark counts as text.
pub(super) fn is_binary(prefix: &[u8]) -> bool {
    let marks: [&[u8]; 3] = [b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf"];
    let is_binary = |byte: &u8| matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    !marks.iter().any(|mark| prefix.starts_with(mark)) && beginning(prefix).iter().any(is_binary)
}

/// The binary format whose signature is at the beginning.
pub(super) fn signature(prefix: &[u8]) -> Option<&'static str> {
    Some(match prefix {
        [b'%', b'P', b'D', b'F', b'-', ..] => "application/pdf",
        _ if prefix.starts_with(b"%!PS-Adobe-") => "application/postscript",
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => "image/png",
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => "image/gif",
        [b'B', b'M', _, _, _, _, 0, 0, 0, 0, ..] => "image/bmp",
        [0, 0, 1, 0, ..] => "image/x-icon",
        [b'I', b'I', b'*', 0, ..] | [b'M', b'M', 0, b'*', ..] => "image/tiff",
        [b'R', b'I', b'F', b'F', _, _, _, _, form @ ..] => riff(form)?,
        [_, _, _, _, b'f', b't', b'y', b'p', brands @ ..] => iso_media(brands),
        [0x1a, 0x45, 0xdf, 0xa3, header @ ..] => matroska(header),
        [b'O', b'g', b'g', b'S', 0, ..] => "application/ogg",
        [b'I', b'D', b'3', 0..=0x0f, ..] => "audio/mpeg",
        [b'f', b'L', b'a', b'C', ..] => "audio/flac",
        [0x1f, 0x8b, 8, ..] => "application/gzip",
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => "application/zip",
        [b'R', b'a', b'r', b'!', 0x1a, 7, ..] => "application/vnd.rar",
        [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..] => "application/x-7z-compressed",
        [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, ..] => "application/x-bzip2",
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => "application/x-xz",
        [0x28, 0xb5, 0x2f, 0xfd, ..] => "application/zstd",
        [b'w', b'O', b'F', b'F', ..] => "font/woff",
        [b'w', b'O', b'F', b'2', ..] => "font/woff2",
        [b'O', b'T', b'T', b'O', 0, ..] => "font/otf",
        [0, 1, 0, 0, ..] => "font/ttf",
        [b't', b't', b'c', b'f', 0, ..] => "font/collection",
        [0, b'a', b's', b'm', ..] => "application/wasm",
        _ => return None,
    })
}

fn riff(form: &[u8]) -> Option<&'static str> {
    match form.get(..4)? {
        b"WEBP" => Some("image/webp"),
        b"WAVE" => Some("audio/wav"),
        b"AVI " => Some("video/x-msvideo"),
        _ => None,
    }
}

/// Decides by the first brand, then by the compatible brands, because pictures often name a general brand first.
fn iso_media(brands: &[u8]) -> &'static str {
    let picture = |brand: &[u8]| match brand {
        b"avif" | b"avis" => Some("image/avif"),
        b"heic" | b"heix" | b"heim" | b"heis" | b"hevc" | b"hevx" => Some("image/heic"),
        _ => None,
    };
    let major = brands.get(..4).unwrap_or_default();
    match major {
        b"qt  " => "video/quicktime",
        b"M4A " | b"M4B " => "audio/mp4",
        b"mif1" | b"msf1" => {
            // the four bytes after the first brand are its version
            let others = brands.get(8..).unwrap_or_default().chunks_exact(4).take(8);
            others.filter_map(picture).next().unwrap_or("image/heif")
        }
        _ => picture(major).unwrap_or("video/mp4"),
    }
}

/// The document type is in the first few bytes of the header.
fn matroska(header: &[u8]) -> &'static str {
    let header = header.get(..60).unwrap_or(header);
    let is_webm = memchr::memmem::find(header, b"webm").is_some();
    if is_webm { "video/webm" } else { "video/x-matroska" }
}

/// Tags with which HTML pages begin.
const HTML_TAGS: [&[u8]; 17] = [
    b"!DOCTYPE HTML",
    b"HTML",
    b"HEAD",
    b"SCRIPT",
    b"IFRAME",
    b"H1",
    b"DIV",
    b"FONT",
    b"TABLE",
    b"A",
    b"STYLE",
    b"TITLE",
    b"B",
    b"BODY",
    b"BR",
    b"P",
    b"META",
];

/// Root elements of XML documents that are often sent without an XML declaration.
const XML_ROOTS: [&[u8]; 5] = [b"urlset", b"sitemapindex", b"rss", b"feed", b"svg"];

fn markup(text: &[u8]) -> Option<&'static str> {
    let tag = text.trim_ascii_start().strip_prefix(b"<")?;
    if tag.starts_with(b"?xml") {
        let is_xhtml = root(tag).is_some_and(|name| names(name, b"html"));
        return Some(if is_xhtml { "application/xhtml+xml" } else { "text/xml" });
    }
    if tag.starts_with(b"!--") || HTML_TAGS.iter().any(|name| names(tag, name)) {
        return Some("text/html");
    }
    XML_ROOTS.iter().any(|name| names(tag, name)).then_some("text/xml")
}

/// Whether `tag` is `name` followed by a character that ends a name.
fn names(tag: &[u8], name: &[u8]) -> bool {
    let is_name = tag.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    is_name
        && tag.get(name.len()).is_some_and(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'))
}

/// What follows the `<` of the first element, after XML declaration, comments and document type.
fn root(text: &[u8]) -> Option<&[u8]> {
    let mut rest = text;
    loop {
        rest = rest.get(memchr::memchr(b'<', rest)? + 1..)?;
        if let Some(comment) = rest.strip_prefix(b"!--") {
            rest = comment.get(memchr::memmem::find(comment, b"-->")?..)?;
        } else if !matches!(rest.first()?, b'!' | b'?') {
            return Some(rest);
        }
    }
}

/// UTF-8 without its byte order mark. Of UTF-16, which must have one, only the ASCII characters, which suffice for
/// markup.
fn without_mark(prefix: &[u8]) -> Cow<'_, [u8]> {
    let (units, order): (_, fn([u8; 2]) -> u16) = match prefix {
        [0xef, 0xbb, 0xbf, text @ ..] => return Cow::Borrowed(text),
        [0xff, 0xfe, units @ ..] => (units, u16::from_le_bytes),
        [0xfe, 0xff, units @ ..] => (units, u16::from_be_bytes),
        _ => return Cow::Borrowed(prefix),
    };
    let (pairs, _) = units.as_chunks::<2>();
    Cow::Owned(pairs.iter().filter_map(|&pair| u8::try_from(order(pair)).ok()).collect())
}

fn beginning(prefix: &[u8]) -> &[u8] {
    prefix.get(..MediaType::SNIFF_BYTES).unwrap_or(prefix)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(prefix: &[u8], expect: &str) {
        assert_eq!(sniff(prefix), Some(expect), "{}", prefix.escape_ascii());
    }

    #[test]
    fn markup_is_recognised_by_its_first_tag() {
        check(b" \r\n\t<!DocType html>", "text/html");
        check(b"<!doctype html", "text/plain");
        check(b"\xef\xbb\xbf\n<html lang=en>", "text/html");
        check(b"<!-- made by hand --><p>", "text/html");
        check(b"<P>words", "text/html");
        check(b"<h1>words", "text/html");
        check(b"<br/>", "text/html");
        check(b"<pre>words", "text/plain");
        check(b"<abbr>", "text/plain");
        check(b"words <html>", "text/plain");
        check(b"\xff\xfe<\0b\0o\0d\0y\0>\0", "text/html");
        check(b"\xfe\xff\0<\0?\0x\0m\0l\0 \0?\0>", "text/xml");
        check(b"\xfe\xff\0a", "text/plain");
    }

    #[test]
    fn xml_is_xhtml_if_its_root_is() {
        check(b"<?xml version='1.0'?><urlset>", "text/xml");
        check(b"<?xml", "text/xml");
        check(
            b"<?xml version='1.0'?><!-- <x> --><!DOCTYPE html PUBLIC 'a'>\n<html xmlns='b'>",
            "application/xhtml+xml",
        );
        check(b"<?xml version='1.0'?><!-- <html> --><rss>", "text/xml");
        check(b"<?xml version='1.0'?><!-- <html>", "text/xml");
        check(b"<urlset xmlns='x'>", "text/xml");
        check(b"\n<sitemapindex>", "text/xml");
        check(b"<rss version='2.0'>", "text/xml");
        check(b"<feeds>", "text/plain");
    }

    #[test]
    fn signatures() {
        check(b"%PDF-1.7\n", "application/pdf");
        check(b"%!PS-Adobe-3.0", "application/postscript");
        check(b"\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg");
        check(b"\x89PNG\r\n\x1a\n", "image/png");
        check(b"GIF89a", "image/gif");
        check(b"BM\x46\0\0\0\0\0\0\0\x36\0", "image/bmp");
        check(b"\0\0\x01\0\x01\0", "image/x-icon");
        check(b"II*\0\x08\0\0\0", "image/tiff");
        check(b"RIFF\x24\0\0\0WEBPVP8 ", "image/webp");
        check(b"RIFF\x24\0\0\0WAVEfmt ", "audio/wav");
        check(b"RIFF\x24\0\0\0AVI LIST", "video/x-msvideo");
        check(b"\0\0\0\x20ftypisom\0\0\x02\0isomiso2", "video/mp4");
        check(b"\0\0\0\x20ftypqt  \0\0\0\0", "video/quicktime");
        check(b"\0\0\0\x20ftypM4A \0\0\0\0", "audio/mp4");
        check(b"\0\0\0\x20ftypavif\0\0\0\0avifmif1", "image/avif");
        check(b"\0\0\0\x20ftypmif1\0\0\0\0mif1heic", "image/heic");
        check(b"\0\0\0\x20ftypmif1\0\0\0\0mif1", "image/heif");
        check(b"\0\0\0\x20ftyp", "video/mp4");
        check(b"\x1a\x45\xdf\xa3\x9f\x42\x82\x84webm", "video/webm");
        check(b"\x1a\x45\xdf\xa3\xa3\x42\x82\x88matroska", "video/x-matroska");
        check(b"OggS\0\x02", "application/ogg");
        check(b"ID3\x04\0", "audio/mpeg");
        check(b"fLaC\0", "audio/flac");
        check(b"\x1f\x8b\x08\0", "application/gzip");
        check(b"PK\x03\x04\x14\0", "application/zip");
        check(b"Rar!\x1a\x07\x01\0", "application/vnd.rar");
        check(b"7z\xbc\xaf\x27\x1c\0\x04", "application/x-7z-compressed");
        check(b"BZh91AY&SY\x01", "application/x-bzip2");
        check(b"\xfd7zXZ\0\0\x04", "application/x-xz");
        check(b"\x28\xb5\x2f\xfd\x04", "application/zstd");
        check(b"wOFF\0\x01\0\0", "font/woff");
        check(b"wOF2\0\x01\0\0", "font/woff2");
        check(b"OTTO\0\x0b", "font/otf");
        check(b"\0\x01\0\0\0\x0f", "font/ttf");
        check(b"\0asm\x01\0\0\0", "application/wasm");
    }

    #[test]
    fn text_or_not() {
        assert_eq!(sniff(b""), None);
        check(b" ", "text/plain");
        check(b"ID3 tags explained", "text/plain");
        check(b"OTTO was here", "text/plain");
        check(b"BMW", "text/plain");
        check(b"caf\xe9\x1b[0m\x0c", "text/plain");
        check(b"a\0b", "application/octet-stream");
        check(b"a\x1fb", "application/octet-stream");
        let mut late = vec![b'a'; MediaType::SNIFF_BYTES];
        late.push(0);
        check(&late, "text/plain");
    }
}
