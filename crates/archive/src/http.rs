//! From a record to a [`Response`]: the HTTP head, and the body without its codings.
//!
//! Other tools store what came over the wire: chunked, gzipped, sometimes with header lines that say so of a
//! body that is plain. Each coding is tried, and a body that does not decode at all is taken as it is. Decoding
//! stops at a limit, so a bomb costs no more than a large page.

use std::io::Read;
use std::time::Duration;

use bytes::Bytes;
use osprey_model::{BodyEnd, CanonicalUrl, Headers, Response, Timestamp, UrlRules};

use crate::error::ProblemKind;
use crate::read::{Record, RecordKind, parse_fields, text};
use crate::write::{RENAMED, TOOK};

/// The head of an HTTP response.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) status: u16,
    /// Lines as the server sent them: those that an archiver renamed have their names back.
    pub(crate) headers: Headers,
    /// The codings that the body still has, as the stored lines say.
    chunked: bool,
    coding: Option<String>,
    /// Where the body begins in the block.
    pub(crate) length: usize,
}

/// Reads the head at the start of a block. Lenient about spaces, line ends and the protocol's name.
pub(crate) fn parse_head(block: &[u8]) -> Option<Head> {
    let (status, line_end) = parse_status(block)?;
    let rest = block.get(line_end..)?;
    let (fields, body) = head_end(rest).unwrap_or((rest.len(), rest.len()));
    let stored = parse_fields(rest.get(..fields)?).headers;
    let chunked = stored.get("transfer-encoding").is_some_and(|v| v.to_ascii_lowercase().contains("chunked"));
    let coding = stored.get("content-encoding").map(str::to_ascii_lowercase);
    Some(Head { status, headers: original_lines(&stored), chunked, coding, length: line_end + body })
}

/// The status, and where its line ends.
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

/// Gives renamed lines their names back, and drops the `Content-Length` that was put in for a renamed one.
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

/// A body, and what was wrong with it.
pub(crate) struct Body {
    pub(crate) bytes: Bytes,
    pub(crate) cut: bool,
    pub(crate) problem: Option<ProblemKind>,
}

/// The body behind `head` in `block`, codings removed, of at most `max_body` bytes.
pub(crate) fn decode_body(head: &Head, block: &Bytes, max_body: usize) -> Body {
    let mut body = Body { bytes: block.slice(head.length.min(block.len())..), cut: false, problem: None };
    if head.chunked {
        match dechunk(&body.bytes) {
            Ok(bytes) => body.bytes = bytes.into(),
            Err(partial) => {
                body.problem = Some(ProblemKind::Chunks);
                if let Some(partial) = partial {
                    body.bytes = partial.into();
                }
            }
        }
    }
    let codings = head.coding.iter().flat_map(|codings| codings.rsplit(',')).map(str::trim);
    for coding in codings.filter(|coding| !matches!(*coding, "" | "identity" | "none")).take(4) {
        match decode(coding, &body.bytes, max_body) {
            Decoded::Whole(bytes) => body.bytes = bytes.into(),
            Decoded::Cut(bytes) => {
                body.bytes = bytes.into();
                body.cut = true;
                body.problem = Some(ProblemKind::TooLarge);
            }
            Decoded::Broken(bytes) => {
                body.problem = Some(ProblemKind::Coding(coding.chars().take(40).collect()));
                if !bytes.is_empty() {
                    body.bytes = bytes.into();
                }
                break;
            }
        }
    }
    if body.bytes.len() > max_body {
        body.bytes.truncate(max_body);
        body.cut = true;
        body.problem = Some(ProblemKind::TooLarge);
    }
    body
}

/// Joins chunks. `Err(None)`: this is no chunked body. `Err(Some)`: it broke off after these bytes.
fn dechunk(bytes: &[u8]) -> Result<Vec<u8>, Option<Vec<u8>>> {
    let mut out = Vec::new();
    let mut rest = bytes;
    loop {
        let line_end = memchr::memchr(b'\n', rest.get(..rest.len().min(4096)).unwrap_or_default());
        let size = line_end.and_then(|end| {
            let line = text(rest.get(..end)?);
            u64::from_str_radix(line.split(';').next()?.trim(), 16).ok()
        });
        let (Some(end), Some(size)) = (line_end, size) else {
            return Err((!out.is_empty()).then_some(out));
        };
        rest = rest.get(end + 1..).unwrap_or_default();
        if size == 0 {
            return Ok(out);
        }
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let Some((chunk, after)) = rest.split_at_checked(size) else {
            out.extend_from_slice(rest);
            return Err(Some(out));
        };
        out.extend_from_slice(chunk);
        rest = after.strip_prefix(b"\r\n").or_else(|| after.strip_prefix(b"\n")).unwrap_or(after);
    }
}

enum Decoded {
    Whole(Vec<u8>),
    Cut(Vec<u8>),
    Broken(Vec<u8>),
}

fn decode(coding: &str, bytes: &[u8], max: usize) -> Decoded {
    match coding {
        "gzip" | "x-gzip" => take(flate2::read::MultiGzDecoder::new(bytes), max),
        // By the standard a zlib stream; many servers send the bare deflate stream.
        "deflate" => match bytes {
            [first, second, ..] if first & 15 == 8 && u16::from_be_bytes([*first, *second]) % 31 == 0 => {
                take(flate2::read::ZlibDecoder::new(bytes), max)
            }
            _ => take(flate2::read::DeflateDecoder::new(bytes), max),
        },
        "br" => take(brotli_decompressor::Decompressor::new(bytes, 4096), max),
        "zstd" => match ruzstd::decoding::StreamingDecoder::new(bytes) {
            Ok(decoder) => take(decoder, max),
            Err(_) => Decoded::Broken(Vec::new()),
        },
        _ => Decoded::Broken(Vec::new()),
    }
}

fn take(decoder: impl Read, max: usize) -> Decoded {
    let mut out = Vec::new();
    let limit = (max as u64).saturating_add(1);
    match decoder.take(limit).read_to_end(&mut out) {
        Ok(_) if out.len() > max => {
            out.truncate(max);
            Decoded::Cut(out)
        }
        Ok(_) => Decoded::Whole(out),
        Err(_) => {
            out.truncate(max);
            Decoded::Broken(out)
        }
    }
}

/// What a record says, as a response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) response: Response,
    pub(crate) problem: Option<ProblemKind>,
}

/// Reads a `response`, `revisit` or `resource` record of `url`. A revisit has an empty body here.
pub(crate) fn answer(record: &Record, url: CanonicalUrl, max_body: usize) -> Result<Answer, ProblemKind> {
    let cut_short = record.incomplete || record.is_cut();
    let (head, body) = if record.kind == RecordKind::Resource {
        let media_type = record.headers.get("content-type").unwrap_or("application/octet-stream");
        let headers = [("Content-Type", media_type)].into_iter().collect();
        let head = Head { status: 200, headers, chunked: false, coding: None, length: 0 };
        let body = decode_body(&head, &record.block, max_body);
        (head, body)
    } else {
        let head = parse_head(&record.block).ok_or(ProblemKind::NoHttp)?;
        let body = decode_body(&head, &record.block, max_body);
        (head, body)
    };
    let (fetched_at, bad_date) = date(record);
    let took = record.headers.get(TOOK).and_then(|value| value.parse().ok()).map(Duration::from_millis);
    let body_end = body_end(record, body.cut || cut_short);
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
        note: None,
    };
    Ok(Answer { response, problem: body.problem.or(bad_date) })
}

/// How the body ended when it was recorded; what is missing for any other reason is beyond some limit.
fn body_end(record: &Record, is_cut: bool) -> BodyEnd {
    match record.headers.get("warc-truncated").map(str::trim) {
        Some("time") => BodyEnd::Late,
        Some("disconnect") => BodyEnd::Early,
        Some(_) => BodyEnd::Limit,
        None if is_cut => BodyEnd::Limit,
        None => BodyEnd::Whole,
    }
}

/// The record's date, or the epoch.
pub(crate) fn date(record: &Record) -> (Timestamp, Option<ProblemKind>) {
    let text = record.headers.get("warc-date").unwrap_or_default();
    match text.parse() {
        Ok(date) => (date, None),
        Err(_) => (Timestamp::EPOCH, Some(ProblemKind::Date(text.chars().take(40).collect()))),
    }
}

/// The record's target as a URL; spaces, which some writers leave in, are escaped.
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
    }

    #[test]
    fn bombs_are_cut() {
        let bomb = gzip(&vec![0; 50_000_000]);
        let block = [b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", &bomb[..]].concat();
        let read = decode_body(&parse_head(&block).unwrap(), &block.into(), 10_000);
        assert_eq!((read.bytes.len(), read.cut, read.problem), (10_000, true, Some(ProblemKind::TooLarge)));
    }
}
