//! The header block of a record: WARC named fields of any version, or an ARC line converted to such fields.

use osprey_model::Headers;

/// The types of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RecordKind {
    /// A description of the file; also the first record of an ARC file.
    Warcinfo,
    /// A request as it was sent.
    Request,
    /// An answer; also every later record of an ARC file.
    Response,
    /// An answer that equals an earlier one.
    Revisit,
    /// A body without an HTTP head.
    Resource,
    /// Metadata of another record.
    Metadata,
    /// A converted body.
    Conversion,
    /// The rest of a segmented record.
    Continuation,
    /// Anything else.
    Other,
}

impl RecordKind {
    fn of(name: &str) -> Self {
        match name.trim().to_ascii_lowercase().as_str() {
            "warcinfo" => Self::Warcinfo,
            "request" => Self::Request,
            "response" => Self::Response,
            "revisit" => Self::Revisit,
            "resource" => Self::Resource,
            "metadata" => Self::Metadata,
            "conversion" => Self::Conversion,
            "continuation" => Self::Continuation,
            _ => Self::Other,
        }
    }
}

/// A parsed header block.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    pub(crate) headers: Headers,
    /// Number of lines that were skipped.
    pub(crate) bad_lines: usize,
}

/// Maximum number of lines that are kept.
const MAX_LINES: usize = 1000;

/// Parses `name: value` lines leniently: bare line feeds, folded lines, bytes that are not UTF-8.
pub(crate) fn parse_fields(block: &[u8]) -> Fields {
    let mut fields = Fields::default();
    let mut pending: Option<(String, String)> = None;
    for line in block.split(|byte| *byte == b'\n').take(MAX_LINES) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if let ([b' ' | b'\t', ..], Some((_, value))) = (line, &mut pending) {
            value.push(' ');
            value.push_str(text(line).trim());
            continue;
        }
        if line.is_empty() {
            continue;
        }
        let split = memchr::memchr(b':', line).map(|at| line.split_at(at));
        match split.map(|(name, value)| (text(name), text(value.get(1..).unwrap_or_default()))) {
            Some((name, value)) if !name.trim().is_empty() => {
                let line = (name.trim().to_owned(), value.trim().to_owned());
                if let Some((name, value)) = pending.replace(line) {
                    fields.headers.push(name, value);
                }
            }
            _ => fields.bad_lines += 1,
        }
    }
    if let Some((name, value)) = pending {
        fields.headers.push(name, value);
    }
    fields
}

/// Decodes UTF-8, otherwise Latin-1: no byte is lost.
pub(crate) fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect::<String>().into(),
    }
}

/// The type that the fields declare.
pub(super) fn kind_of(headers: &Headers) -> RecordKind {
    headers.get("warc-type").map_or(RecordKind::Other, RecordKind::of)
}

/// Number of fields of an ARC header line before the length: 4 in version 1, 9 in version 2.
fn arc_fields(version: u8) -> usize {
    if version == 2 { 9 } else { 4 }
}

/// Converts an ARC header line (`url ip date type length`, or the ten fields of version 2) to WARC fields. The URL
/// may contain spaces, so fields are counted from the end.
pub(super) fn parse_arc_line(line: &[u8], version: u8) -> Option<(RecordKind, Headers)> {
    let line = text(line.strip_suffix(b"\r").unwrap_or(line));
    let mut fields: Vec<&str> = line.trim_end().rsplitn(arc_fields(version) + 1, ' ').collect();
    fields.reverse();
    let &[url, ip, date, media_type, ..] = fields.as_slice() else { return None };
    let length = *fields.last()?;
    let plausible = url.contains(':') && date.len() >= 8 && date.bytes().all(|b| b.is_ascii_digit());
    if !plausible || fields.len() != arc_fields(version) + 1 {
        return None;
    }
    let kind = if url.starts_with("filedesc:") { RecordKind::Warcinfo } else { RecordKind::Response };
    let mut headers = Headers::default();
    headers.push("WARC-Type", if kind == RecordKind::Warcinfo { "warcinfo" } else { "response" });
    headers.push("WARC-Target-URI", url);
    headers.push("WARC-IP-Address", ip);
    headers.push("WARC-Date", iso_date(date));
    headers.push("Content-Type", media_type);
    headers.push("Content-Length", length);
    Some((kind, headers))
}

/// Converts `20140216050221` to `2014-02-16T05:02:21Z`; missing parts become the smallest value, excess digits are
/// cut.
fn iso_date(digits: &str) -> String {
    let digits = digits.get(..14).unwrap_or(digits);
    let padded = format!("{digits}{}", "00000101000000".get(digits.len()..).unwrap_or_default());
    let part = |range: std::ops::Range<usize>| padded.get(range).unwrap_or("00");
    let (year, month, day) = (part(0..4), part(4..6), part(6..8));
    format!("{year}-{month}-{day}T{}:{}:{}Z", part(8..10), part(10..12), part(12..14))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields() {
        let check = |block: &str, expect: &[(&str, &str)], bad_lines: usize| {
            let fields = parse_fields(block.as_bytes());
            assert_eq!(fields.headers.iter().collect::<Vec<_>>(), expect, "{block}");
            assert_eq!(fields.bad_lines, bad_lines, "{block}");
        };
        check("A: 1\r\nB:2\r\n", &[("A", "1"), ("B", "2")], 0);
        check("A: 1\n  folded\n\tagain\nB : x:y", &[("A", "1 folded again"), ("B", "x:y")], 0);
        check("no colon\r\n: no name\r\nA:\r\n", &[("A", "")], 2);
        check(" folded first\r\nA: 1", &[("A", "1")], 1);
        check("", &[], 0);
        assert_eq!(parse_fields(b"A: caf\xe9").headers.get("a"), Some("caf\u{e9}"));
    }

    #[test]
    fn arc_lines() {
        let check = |line: &str, version: u8, expect: Option<(&str, &str, &str)>| {
            let read = parse_arc_line(line.as_bytes(), version).map(|(_, headers)| {
                ["warc-target-uri", "warc-date", "content-length"].map(|n| headers.get(n).unwrap().to_owned())
            });
            assert_eq!(
                read,
                expect.map(|(url, date, length)| [url, date, length].map(str::to_owned)),
                "{line}"
            );
        };
        let url = "http://a.example/";
        check(
            "http://a.example/ 1.2.3.4 20140216050221 text/html 15",
            1,
            Some((url, "2014-02-16T05:02:21Z", "15")),
        );
        check(
            "http://a.example/ 1.2.3.4 20140216050221 text/html 200 sum - 1 f.arc.gz 9\r",
            2,
            Some((url, "2014-02-16T05:02:21Z", "9")),
        );
        check(
            "http://a.example/?q=a b c 1.2.3.4 20140216 text/html -1",
            1,
            Some(("http://a.example/?q=a b c", "2014-02-16T00:00:00Z", "-1")),
        );
        check("URL IP-address Archive-date Content-type Archive-length", 1, None);
        check("1 0 LiveWeb Capture", 1, None);
        check("", 1, None);
    }
}
