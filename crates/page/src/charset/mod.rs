//! Finds the character set of a body and decodes it.
//!
//! The standard's order: byte order mark, the header's charset, the `meta` elements at the beginning. Without any of
//! these, the bytes decide: valid UTF-8 is UTF-8, anything else is guessed (chardetng, as in Firefox), with the host's
//! top-level domain as a hint. Valid UTF-8 is not copied.

mod prescan;

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};

use crate::page::Input;
use crate::rules::{MAX_INPUT, Note, Notes};

/// A decoded body.
pub(crate) struct Decoded<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) encoding: &'static Encoding,
}

/// How far to search for `meta` elements. The standard says 1,024 bytes and lets the parser start over when it finds a
/// later one; searching further at once has the same result.
const PRESCAN_BYTES: usize = 16 << 10;
/// How many bytes of the body are used for guessing.
const GUESS_BYTES: usize = 64 << 10;

/// Decodes a body.
pub(crate) fn decode<'a>(input: &Input<'a>, max_bytes: usize, notes: &mut Notes) -> Decoded<'a> {
    let max_bytes = max_bytes.min(MAX_INPUT);
    let cut = input.body.len() > max_bytes;
    if cut {
        notes.add(Note::CutBytes);
    }
    let body = input.body.get(..max_bytes).unwrap_or(input.body);
    let (encoding, mark) = match Encoding::for_bom(body) {
        Some((encoding, mark)) => (encoding, mark),
        None => (declared(input, body).unwrap_or_else(|| guess(input, body, notes)), 0),
    };
    let body = body.get(mark..).unwrap_or_default();
    let (text, invalid) =
        if cut { decode_cut(encoding, body) } else { encoding.decode_without_bom_handling(body) };
    if invalid {
        notes.add(Note::InvalidBytes);
    }
    Decoded { text, encoding }
}

/// Decodes a body that may end in the middle of a character, which is then left out.
fn decode_cut<'a>(encoding: &'static Encoding, body: &'a [u8]) -> (Cow<'a, str>, bool) {
    if encoding == UTF_8 {
        let whole = match std::str::from_utf8(body) {
            Ok(text) => return (Cow::Borrowed(text), false),
            Err(error) if error.error_len().is_none() => body.get(..error.valid_up_to()).unwrap_or_default(),
            Err(_) => body,
        };
        return encoding.decode_without_bom_handling(whole);
    }
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text = String::with_capacity(decoder.max_utf8_buffer_length(body.len()).unwrap_or(0));
    let (_, _, invalid) = decoder.decode_to_string(body, &mut text, false);
    (Cow::Owned(text), invalid)
}

/// The character set that the header or the page declares.
fn declared(input: &Input<'_>, body: &[u8]) -> Option<&'static Encoding> {
    let header = input.content_type.and_then(|header| prescan::charset_of(header.as_bytes()));
    header.or_else(|| prescan::prescan(body.get(..PRESCAN_BYTES).unwrap_or(body)))
}

/// The character set that the bytes suggest.
fn guess(input: &Input<'_>, body: &[u8], notes: &mut Notes) -> &'static Encoding {
    if body.is_ascii() || std::str::from_utf8(body).is_ok() {
        return UTF_8;
    }
    notes.add(Note::CharsetGuessed);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    let start = body.iter().position(|byte| !byte.is_ascii()).unwrap_or(0).saturating_sub(1024);
    let sample = body.get(start..).unwrap_or(body);
    detector.feed(sample.get(..GUESS_BYTES).unwrap_or(sample), sample.len() <= GUESS_BYTES);
    let domain = input.url.host().rsplit('.').next().map(str::as_bytes);
    // Hosts that are addresses have no top-level domain; the detector accepts lower-case letters or nothing.
    let domain = domain.filter(|domain| !domain.is_empty() && domain.iter().all(u8::is_ascii_lowercase));
    // UTF-8 with a few invalid bytes is still UTF-8: most of it decodes.
    let encoding = detector.guess(domain, Utf8Detection::Allow);
    if mostly_utf8(body) { UTF_8 } else { encoding }
}

/// Whether almost every sequence of non-ASCII bytes is one UTF-8 character.
fn mostly_utf8(body: &[u8]) -> bool {
    let (mut good, mut bad) = (0usize, 0usize);
    for chunk in body.get(..GUESS_BYTES).unwrap_or(body).utf8_chunks() {
        good += chunk.valid().bytes().filter(|byte| *byte >= 0xC0).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    good > 20 * bad
}

#[cfg(test)]
mod tests {
    use osprey_model::{CanonicalUrl, UrlRules};

    use super::*;

    fn decode_page(
        content_type: Option<&str>,
        body: &[u8],
        max_bytes: usize,
    ) -> (String, &'static str, Vec<Note>) {
        let url = CanonicalUrl::parse("http://example.com/", &UrlRules::default()).expect("a URL");
        let mut notes = Notes::default();
        let decoded = decode(&Input { url: &url, content_type, body }, max_bytes, &mut notes);
        (decoded.text.into_owned(), decoded.encoding.name(), notes.as_slice().to_vec())
    }

    #[test]
    fn the_first_declaration_wins() {
        let check = |content_type: Option<&str>, body: &[u8], text: &str, charset: &str, notes: &[Note]| {
            let expect = (text.to_owned(), charset, notes.to_vec());
            let (found, name, found_notes) = decode_page(content_type, body, 1 << 20);
            assert_eq!((found, name, found_notes), expect);
        };
        let html = Some("text/html; charset=windows-1251");
        check(html, "\u{feff}й".as_bytes(), "й", "UTF-8", &[]);
        check(html, b"\xFF\xFEa\0", "a", "UTF-16LE", &[]);
        check(html, b"<meta charset=utf-8>\xE9", "<meta charset=utf-8>й", "windows-1251", &[]);
        check(Some("text/html"), b"<meta charset=gb2312>\xD6\xD0", "<meta charset=gb2312>中", "GBK", &[]);
        check(Some("text/html; charset=nonsense"), "é".as_bytes(), "é", "UTF-8", &[]);
        check(None, b"plain", "plain", "UTF-8", &[]);
        check(Some("text/html; charset=utf-8"), b"a\xFFb", "a\u{fffd}b", "UTF-8", &[Note::InvalidBytes]);
        check(None, b"", "", "UTF-8", &[]);
    }

    #[test]
    fn legacy_character_sets_decode() {
        let check = |label: &str, body: &[u8], text: &str| {
            let header = format!("text/html; charset=\"{label}\"");
            assert_eq!(decode_page(Some(&header), body, 1 << 20).0, text, "{label}");
        };
        check("gb18030", b"\x81\x30\x84\x36", "\u{a5}");
        check("Big5", b"\xA4\xA4\xA4\xE5", "中文");
        check("Shift_JIS", b"\x93\xFA\x96\x7B", "日本");
        check("EUC-KR", b"\xC7\xD1\xB1\xB9", "한국");
        check("iso-8859-1", b"\x93caf\xE9\x94", "“café”");
        check("windows-1250", b"\x8Elu\x9Dou\xE8k\xFD", "Žluťoučký");
        check("windows-1256", b"\xE3\xD1\xCD\xC8\xC7", "مرحبا");
    }

    #[test]
    fn undeclared_bytes_are_guessed() {
        let check = |body: &[u8], charset: &str| {
            let (_, name, notes) = decode_page(None, body, 1 << 20);
            assert_eq!((name, notes.first()), (charset, Some(&Note::CharsetGuessed)));
        };
        let chinese = "中华人民共和国中央人民政府今日发布公告，欢迎访问本网站。".repeat(5);
        check(&encoding_rs::GBK.encode(&chinese).0, "GBK");
        check(&encoding_rs::BIG5.encode(&"歡迎光臨本網站，請點選下面的連結繼續閱讀。".repeat(5)).0, "Big5");
        check(
            &encoding_rs::SHIFT_JIS.encode(&"日本語のページへようこそ。これはテストです。".repeat(5)).0,
            "Shift_JIS",
        );
        check(
            &encoding_rs::WINDOWS_1251.encode(&"Добро пожаловать на наш сайт. ".repeat(5)).0,
            "windows-1251",
        );
        let mut broken = "Überall gibt es Käse und Öl für die Küche. ".repeat(20).into_bytes();
        broken.push(0xFF);
        check(&broken, "UTF-8");
    }

    #[test]
    fn a_cut_drops_the_incomplete_character() {
        assert_eq!(
            decode_page(Some("text/html; charset=utf-8"), "aé".as_bytes(), 2),
            ("a".into(), "UTF-8", vec![Note::CutBytes])
        );
        assert_eq!(
            decode_page(Some("text/html; charset=gbk"), b"a\xD6\xD0", 2),
            ("a".into(), "GBK", vec![Note::CutBytes])
        );
    }
}
