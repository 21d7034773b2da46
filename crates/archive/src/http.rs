//! Converts a record to a [`Response`]: the HTTP head, and the body without its codings.
//!
//! Other tools store what came over the wire: chunked, compressed, sometimes with header lines that declare a coding
//! of a body that has none. The same decoder as on the live Web ([`osprey_coding`]) removes the codings, so that a
//! recorded answer reads like the live one.

use std::borrow::Cow;
use std::time::Duration;

use bytes::Bytes;
use osprey_coding::{Chunks, Coding, CodingsError};
use osprey_model::{BodyEnd, CanonicalUrl, Headers, Response, Timestamp, UrlRules};

use crate::error::ProblemKind;
use crate::read::{Record, RecordKind, parse_fields, text};
use crate::write::{RENAMED, TOOK};

/// The head of an HTTP response.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) status: u16,
    /// The lines as the server sent them; lines that an archiver renamed have their original names.
    pub(crate) headers: Headers,
    /// The codings that the body still has, according to the stored lines.
    chunked: bool,
    codings: Result<Vec<Coding>, CodingsError>,
    /// Where the body begins in the block.
    pub(crate) length: usize,
}

/// Reads the head at the start of a block. Accepts odd spaces, line ends and protocol names.
pub(crate) fn parse_head(block: &[u8]) -> Option<Head> {
    let (status, line_end) = parse_status(block)?;
    let rest = block.get(line_end..)?;
    let (fields, body) = head_end(rest).unwrap_or((rest.len(), rest.len()));
    let stored = parse_fields(rest.get(..fields)?).headers;
    let (chunked, codings) = (osprey_coding::is_chunked(&stored), osprey_coding::codings(&stored));
    Some(Head { status, headers: original_lines(&stored), chunked, codings, length: line_end + body })
}

/// The status code, and where its line ends.
pub(crate) fn parse_status(block: &[u8]) -> Option<(u16, usize)> {
    let line_end = memchr::memchr(b'\n', block)?;
    let line = text(block.get(..line_end)?);
    let mut words = line.split_ascii_whitespace();
    let protocol = words.next()?;
    let status = words.next()?.parse().ok().filter(|status| (100..1000).contains(status))?;
    let is_http = protocol.get(..4).is_some_and(|name| name.eq_ignore_ascii_case("HTTP"));
    is_http.then_some((status, line_end))
}

/// The end of the fields and the start of the body, counted from the status line's line feed.
fn head_end(rest: &[u8]) -> Option<(usize, usize)> {
    memchr::memchr_iter(b'\n', rest).find_map(|at| match rest.get(at + 1..)? {
        [b'\n', ..] => Some((at + 1, at + 2)),
        [b'\r', b'\n', ..] => Some((at + 1, at + 3)),
        _ => None,
    })
}

/// Restores the names of renamed lines, and removes the `Content-Length` that replaced a renamed one.
fn original_lines(stored: &Headers) -> Headers {
    let mut headers = Headers::default();
    let mut replaced = false;
    for (name, value) in stored.iter() {
        let renamed = name.get(..RENAMED.len()).filter(|start| start.eq_ignore_ascii_case(RENAMED));
        let original = renamed.and_then(|_| name.get(RENAMED.len()..)).filter(|name| !name.is_empty());
        if std::mem::take(&mut replaced) && name.eq_ignore_ascii_case("content-length") {
            continue;
        }
        replaced = original.is_some_and(|name| name.eq_ignore_ascii_case("content-length"));
        headers.push(original.unwrap_or(name), value);
    }
    headers
}

/// A decoded body, and any defect.
pub(crate) struct Body {
    pub(crate) bytes: Bytes,
    /// `Whole`, or `Limit`, or `Damaged`.
    pub(crate) end: BodyEnd,
    pub(crate) problem: Option<ProblemKind>,
    /// The note that a live source would have made.
    pub(crate) note: Option<String>,
}

/// Decodes the body after `head` in `block`, up to `max_body` bytes.
pub(crate) fn decode_body(head: &Head, block: &Bytes, max_body: usize) -> Body {
    let mut bytes = block.slice(head.length.min(block.len())..);
    let framed = if head.chunked { dechunk(&mut bytes) } else { Framed::Whole };
    let mut problem = (framed != Framed::Whole).then_some(ProblemKind::Chunks);
    let (codings, mut note) = match &head.codings {
        Ok(codings) => (codings.as_slice(), None),
        Err(why) => (&[][..], Some(why.to_string())),
    };
    let decoded = osprey_coding::decode(codings, &bytes, max_body);
    note = note.or(decoded.note);
    if note.is_some() {
        let names = match &head.codings {
            Err(CodingsError::Unknown(name)) => name.clone(),
            Err(CodingsError::TooMany) => "too many codings".to_owned(),
            Ok(codings) => codings.iter().map(|coding| coding.name()).collect::<Vec<_>>().join(", "),
        };
        problem = Some(ProblemKind::Coding(names));
    }
    if decoded.end == BodyEnd::Limit {
        problem = Some(ProblemKind::TooLarge);
    }
    // as on the live Web: damage at the end of a truncated body is not reported
    let end = if framed == Framed::Broken { BodyEnd::Early } else { decoded.end };
    let bytes = match decoded.body {
        Cow::Borrowed(part) => bytes.slice_ref(part),
        Cow::Owned(decoded) => decoded.into(),
    };
    Body { bytes, end, problem, note }
}

/// How a body that is declared as chunked is framed.
#[derive(PartialEq)]
enum Framed {
    Whole,
    /// It ends too early.
    Broken,
    /// It is not chunked: an archiver joined the chunks but kept the header line.
    Not,
}

/// Joins chunks. A body without chunks is unchanged; of a truncated one, what came is kept.
fn dechunk(bytes: &mut Bytes) -> Framed {
    let (mut chunks, mut out) = (Chunks::new(), Vec::new());
    let is_framed = chunks.feed(bytes, &mut out, usize::MAX).is_ok();
    let framed = match is_framed && chunks.has_all_data() {
        true => Framed::Whole,
        false if out.is_empty() => return Framed::Not,
        false => Framed::Broken,
    };
    *bytes = out.into();
    framed
}

/// The response in a record, with its problems.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) response: Response,
    pub(crate) problem: Option<ProblemKind>,
}

/// Reads a `response`, `revisit` or `resource` record of `url`. The body of a revisit is empty here.
pub(crate) fn answer(record: &Record, url: CanonicalUrl, max_body: usize) -> Result<Answer, ProblemKind> {
    let cut_short = record.incomplete || record.is_cut();
    let (head, body) = if record.kind == RecordKind::Resource {
        let media_type = record.headers.get("content-type").unwrap_or("application/octet-stream");
        let headers = [("Content-Type", media_type)].into_iter().collect();
        let head = Head { status: 200, headers, chunked: false, codings: Ok(Vec::new()), length: 0 };
        let body = decode_body(&head, &record.block, max_body);
        (head, body)
    } else {
        let head = parse_head(&record.block).ok_or(ProblemKind::NoHttp)?;
        let body = decode_body(&head, &record.block, max_body);
        (head, body)
    };
    let (fetched_at, bad_date) = date(record);
    let took = record.headers.get(TOOK).and_then(|value| value.parse().ok()).map(Duration::from_millis);
    let body_end = body_end(record, if cut_short { BodyEnd::Limit } else { body.end });
    let note = body.note.filter(|_| body_end == body.end);
    let response = Response {
        url,
        status: head.status,
        headers: head.headers,
        body: body.bytes,
        fetched_at,
        took: took.unwrap_or_default(),
        truncated: body_end != BodyEnd::Whole,
        body_end,
        ip: record.headers.get("warc-ip-address").and_then(|ip| ip.trim().parse().ok()),
        request_head: Bytes::new(),
        note,
    };
    Ok(Answer { response, problem: body.problem.or(bad_date) })
}

/// How the body ended when it was recorded. If bytes are missing for another reason, a size limit was reached.
fn body_end(record: &Record, decoded: BodyEnd) -> BodyEnd {
    match record.headers.get("warc-truncated").map(str::trim) {
        Some("time") => BodyEnd::Late,
        Some("disconnect") => BodyEnd::Early,
        Some(_) => BodyEnd::Limit,
        None => decoded,
    }
}

/// The record's date; the epoch if it has no valid one.
pub(crate) fn date(record: &Record) -> (Timestamp, Option<ProblemKind>) {
    let text = record.headers.get("warc-date").unwrap_or_default();
    match text.parse() {
        Ok(date) => (date, None),
        Err(_) => (Timestamp::EPOCH, Some(ProblemKind::Date(text.chars().take(40).collect()))),
    }
}

/// The record's target as a URL. Spaces, which some writers leave unescaped, are escaped.
pub(crate) fn target(record: &Record, rules: &UrlRules) -> Result<CanonicalUrl, ProblemKind> {
    let target = record.target().unwrap_or_default();
    CanonicalUrl::parse(&target.replace(' ', "%20"), rules)
        .map_err(|_| ProblemKind::Target(target.chars().take(200).collect()))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn heads() {
        let check = |block: &str, expect: Option<(u16, &str)>| {
            let read = parse_head(block.as_bytes());
            let read = read.map(|head| (head.status, block[head.length..].to_owned()));
            assert_eq!(read, expect.map(|(status, body)| (status, body.to_owned())), "{block}");
        };
        check("HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody", Some((200, "body")));
        check("HTTP/1.0 404 file does not exist\nA: b\n\nbody", Some((404, "body")));
        check("http/2 301\r\n\r\n", Some((301, "")));
        check("HTTP/1.1 200 OK\r\nA: b\r\n", Some((200, "")));
        check("HTTP/1.1 abc\r\n\r\n", None);
        check("HTTP/1.1 99\r\n\r\n", None);
        check("<html>", None);
        check("", None);
    }

    #[test]
    fn bodies() {
        let check = |lines: &str, body: &[u8], expect: &[u8], problem: Option<ProblemKind>| {
            let block = [format!("HTTP/1.1 200 OK\r\n{lines}\r\n").as_bytes(), body].concat();
            let head = parse_head(&block).unwrap();
            let read = decode_body(&head, &block.into(), 1000);
            assert_eq!(read.bytes, expect, "{lines}");
            assert_eq!(read.problem, problem, "{lines}");
        };
        let chunked = "Transfer-Encoding: chunked\r\n";
        check("", b"plain", b"plain", None);
        check(chunked, b"4\r\nWiki\r\n5;x=y\r\npedia\r\n0\r\n\r\n", b"Wikipedia", None);
        check(chunked, b"4\r\nWiki\r\n5\r\nped", b"Wikiped", Some(ProblemKind::Chunks));
        check(chunked, b"4\r\nWiki\r\nzz\r\n", b"Wiki", Some(ProblemKind::Chunks));
        check(chunked, b"<html>", b"<html>", Some(ProblemKind::Chunks));
        check(chunked, b"ffffffffffffffff\r\nx", b"x", Some(ProblemKind::Chunks));
        check("Content-Encoding: gzip\r\n", &gzip(b"hello"), b"hello", None);
        let coding = |name: &str| Some(ProblemKind::Coding(name.to_owned()));
        check("Content-Encoding: gzip\r\n", b"never gzipped", b"never gzipped", coding("gzip"));
        check("Content-Encoding: GZIP, gzip\r\n", &gzip(&gzip(b"twice")), b"twice", None);
        check("Content-Encoding: secret\r\n", b"as it is", b"as it is", coding("secret"));
        check("X-Archive-Orig-Content-Encoding: gzip\r\n", b"decoded before", b"decoded before", None);
        let brotli = [0x0b, 0x02, 0x80, b'h', b'e', b'l', b'l', b'o', 0x03];
        check("Content-Encoding: br\r\n", &brotli, b"hello", None);
        // as on the live Web: all lines, transfer codings, bytes after the last member, all codings or none
        check("Content-Encoding: br\r\nContent-Encoding: gzip\r\n", &gzip(&brotli), b"hello", None);
        check(
            "Transfer-Encoding: gzip, chunked\r\n",
            &[b"19\r\n", &gzip(b"hello")[..], b"\r\n0\r\n"].concat(),
            b"hello",
            None,
        );
        check("Content-Encoding: gzip\r\n", &[gzip(b"hello"), vec![0; 9]].concat(), b"hello", None);
        let twice = gzip(b"x");
        check("Content-Encoding: secret, gzip\r\n", &twice, &twice, coding("secret"));
        let many = "Content-Encoding: gzip, gzip, gzip, gzip\r\n";
        check(many, &twice, &twice, coding("too many codings"));
        // damaged: what could be decoded is kept, even if that is nothing
        check("Content-Encoding: gzip\r\n", &twice[..10], b"", coding("gzip"));
        check(chunked, b"4\r\nWiki\r\n0\r\nX: y", b"Wiki", None);
    }

    #[test]
    fn ends_are_those_of_the_live_web() {
        let check = |lines: &str, body: &[u8], expect: BodyEnd| {
            let block = [format!("HTTP/1.1 200 OK\r\n{lines}\r\n").as_bytes(), body].concat();
            let read = decode_body(&parse_head(&block).unwrap(), &block.into(), 1000);
            assert_eq!(read.end, expect, "{lines}");
        };
        check("", b"plain", BodyEnd::Whole);
        check("Content-Encoding: gzip\r\n", b"never gzipped", BodyEnd::Whole);
        check("Content-Encoding: gzip\r\n", &gzip(b"hello")[..20], BodyEnd::Damaged);
        check("Transfer-Encoding: chunked\r\n", b"4\r\nWi", BodyEnd::Early);
        check("Transfer-Encoding: chunked\r\n", b"<html>", BodyEnd::Whole);
        check("", &[0; 2000], BodyEnd::Limit);
    }

    #[test]
    fn bombs_are_cut() {
        let bomb = gzip(&vec![0; 50_000_000]);
        let block = [b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", &bomb[..]].concat();
        let read = decode_body(&parse_head(&block).unwrap(), &block.into(), 10_000);
        assert_eq!(
            (read.bytes.len(), read.end, read.problem),
            (10_000, BodyEnd::Limit, Some(ProblemKind::TooLarge))
        );
    }
}
