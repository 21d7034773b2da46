//! The head of an HTTP/1 answer: where it ends, what it says, and how the body is framed.

use std::mem::MaybeUninit;

use httparse::{Header, ParserConfig, Status};
use osprey_coding::Chunks;
use osprey_model::Headers;

use crate::fault::Fault;
use crate::text::text;

/// Header lines that fit without an allocation.
const USUAL_LINES: usize = 64;

/// How the end of a body is found.
#[derive(Debug)]
pub(super) enum Framing {
    /// So many bytes are left.
    Length(u64),
    Chunked(Chunks),
    UntilClose,
}

/// A parsed head.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) status: u16,
    pub(super) headers: Headers,
    pub(super) framing: Framing,
    /// Whether another request may follow on the connection.
    pub(super) keep_alive: bool,
    /// Bytes up to the body.
    pub(super) length: usize,
}

/// Where the head that begins at `from` ends, if it is all there; bytes before `searched` hold no end.
pub(super) fn end(buffer: &[u8], from: usize, searched: usize) -> Option<usize> {
    let start = from.max(searched);
    memchr::memchr_iter(b'\n', buffer.get(start..)?).find_map(|at| {
        let at = start + at;
        let is_empty = match buffer.get(from..at)? {
            // A line break before the status line is skipped by the parser; it ends nothing.
            line if line.iter().all(|&b| b == b'\r' || b == b'\n') => false,
            line => line.ends_with(b"\n") || line.ends_with(b"\n\r"),
        };
        is_empty.then_some(at + 1)
    })
}

/// Finds out early that this will never be HTTP.
pub(super) fn check_start(buffer: &[u8]) -> Result<(), Fault> {
    const START: &[u8] = b"HTTP/";
    let begins = buffer.iter().position(|&b| b != b'\r' && b != b'\n').unwrap_or(buffer.len());
    let line = buffer.get(begins..).unwrap_or_default();
    let length = line.len().min(START.len());
    if begins <= 8 && line.get(..length) == START.get(..length) {
        Ok(())
    } else {
        Err(Fault::protocol("the response is not HTTP"))
    }
}

/// Reads a whole head.
pub(super) fn parse(buffer: &[u8], max_lines: usize) -> Result<Head, Fault> {
    check_start(buffer)?;
    let mut usual = [const { MaybeUninit::<Header<'_>>::uninit() }; USUAL_LINES];
    let usual = usual.get_mut(..max_lines.min(USUAL_LINES)).unwrap_or_default();
    match parse_into(buffer, usual) {
        Err(httparse::Error::TooManyHeaders) if max_lines > USUAL_LINES => {
            let mut many = vec![MaybeUninit::uninit(); max_lines];
            parse_into(buffer, &mut many)
        }
        parsed => parsed,
    }
    .map_err(|error| match error {
        httparse::Error::TooManyHeaders => Fault::protocol(format!("more than {max_lines} header lines")),
        httparse::Error::Version => Fault::protocol("unsupported HTTP version"),
        error => Fault::protocol(format!("malformed head: {error}")),
    })
    .and_then(|parsed| parsed.ok_or_else(|| Fault::protocol("malformed head")))
    .and_then(Parsed::into_head)
}

struct Parsed {
    status: u16,
    is_http_1_0: bool,
    headers: Headers,
    length: usize,
}

fn parse_into<'b>(
    buffer: &'b [u8],
    lines: &mut [MaybeUninit<Header<'b>>],
) -> Result<Option<Parsed>, httparse::Error> {
    let mut response = httparse::Response::new(&mut []);
    let parsed = ParserConfig::default()
        .allow_spaces_after_header_name_in_responses(true)
        .allow_obsolete_multiline_headers_in_responses(true)
        .allow_multiple_spaces_in_response_status_delimiters(true)
        .allow_space_before_first_header_name(true)
        .ignore_invalid_headers_in_responses(true)
        .parse_response_with_uninit_headers(&mut response, buffer, lines)?;
    let Status::Complete(length) = parsed else { return Ok(None) };
    Ok(Some(Parsed {
        status: response.code.unwrap_or(0),
        is_http_1_0: response.version == Some(0),
        headers: response.headers.iter().map(|line| (line.name, text(line.value))).collect(),
        length,
    }))
}

impl Parsed {
    fn into_head(self) -> Result<Head, Fault> {
        let Self { status, is_http_1_0, headers, length } = self;
        if !(100..1000).contains(&status) {
            return Err(Fault::protocol(format!("status {status}")));
        }
        let mut keep_alive = !is_http_1_0;
        for word in tokens(&headers, "connection") {
            if word.eq_ignore_ascii_case("close") {
                keep_alive = false;
                break;
            }
            keep_alive |= word.eq_ignore_ascii_case("keep-alive");
        }
        let framing = framing(status, &headers, &mut keep_alive)?;
        Ok(Head { status, headers, framing, keep_alive, length })
    }
}

/// The words of all lines of that name.
fn tokens<'h>(headers: &'h Headers, name: &'h str) -> impl Iterator<Item = &'h str> {
    let lines = headers.iter().filter(move |(n, _)| n.eq_ignore_ascii_case(name));
    lines.flat_map(|(_, value)| value.split(',')).map(str::trim).filter(|word| !word.is_empty())
}

/// By RFC 9112, section 6.3.
fn framing(status: u16, headers: &Headers, keep_alive: &mut bool) -> Result<Framing, Fault> {
    if matches!(status, 100..=199 | 204 | 304) {
        return Ok(Framing::Length(0));
    }
    let has_length = headers.get("content-length").is_some();
    if let Some(last) = tokens(headers, "transfer-encoding").last() {
        // Both: an old trick to make two readers disagree.
        *keep_alive &= !has_length;
        if last.eq_ignore_ascii_case("chunked") {
            return Ok(Framing::Chunked(Chunks::new()));
        }
        if !last.eq_ignore_ascii_case("identity") {
            return Ok(Framing::UntilClose);
        }
    }
    let mut length = None;
    for word in tokens(headers, "content-length") {
        let read = word.parse::<u64>().ok().filter(|_| word.bytes().all(|b| b.is_ascii_digit()));
        match (read, length) {
            (Some(read), None) => length = Some(read),
            (Some(read), Some(before)) if read == before => {}
            (Some(_), Some(_)) => return Err(Fault::protocol("conflicting Content-Length headers")),
            // What is no number says nothing; browsers read on to the end.
            (None, _) => return Ok(Framing::UntilClose),
        }
    }
    Ok(length.map_or(Framing::UntilClose, Framing::Length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(input: &str) -> String {
        let bytes = input.as_bytes();
        let parsed = match end(bytes, 0, 0) {
            None => return "incomplete".to_owned(),
            Some(_) => parse(bytes, 4),
        };
        match parsed {
            Err(fault) => fault.message,
            Ok(head) => {
                let framing = match head.framing {
                    Framing::Length(length) => length.to_string(),
                    Framing::Chunked(_) => "chunked".to_owned(),
                    Framing::UntilClose => "close".to_owned(),
                };
                let lines: Vec<_> = head.headers.iter().map(|(n, v)| format!("{n}={v}")).collect();
                let rest = input.len() - head.length;
                format!("{} {} {framing} {} +{rest}", head.status, head.keep_alive, lines.join("|"))
            }
        }
    }

    #[test]
    fn reads_heads() {
        let check = |input: &str, expect: &str| assert_eq!(show(input), expect, "{input:?}");
        check("HTTP/1.1 200 OK\r\nB: 1\r\na:2\r\n\r\nxy", "200 true close B=1|a=2 +2");
        check("HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nxy", "200 true 2 Content-Length=2 +2");
        check("HTTP/1.0 200 OK\n\n", "200 false close  +0");
        check("\r\nHTTP/1.1 204 No\r\n\r\n", "204 true 0  +0");
        check("HTTP/1.1 304 x\r\nContent-Length: 9\r\n\r\n", "304 true 0 Content-Length=9 +0");
        check("HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n", "200 true close X=a b +0");
        check("HTTP/1.1 200 OK\r\nbad line\r\nX : a\r\n\r\n", "200 true close X=a +0");
        check("HTTP/1.1 200 OK\r\nConnection: x, Close\r\n\r\n", "200 false close Connection=x, Close +0");
        check("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n\r\n", "200 true close Connection=Keep-Alive +0");
        check("HTTP/1.1 200 OK\r\n", "incomplete");
        check("HTTP/1.1 200 OK\r\nA: b\r\n", "incomplete");
        check("\r\n\r\n", "incomplete");
        check("SSH-2.0-x\r\n\r\n", "the response is not HTTP");
        check("HTTP/2 200 OK\r\n\r\n", "unsupported HTTP version");
        check("HTTP/1.1 007 OK\r\n\r\n", "status 7");
        check("HTTP/1.1 20x OK\r\n\r\n", "malformed head: invalid response status");
        check("HTTP/1.1 200 OK\r\nA:\r\nB:\r\nC:\r\nD:\r\nE:\r\n\r\n", "more than 4 header lines");
    }

    #[test]
    fn finds_the_framing() {
        let check = |lines: &str, expect: &str| {
            let shown = show(&format!("HTTP/1.1 200 OK\r\n{lines}\r\n"));
            let mut words = shown.split(' ').skip(1);
            let shown = match (words.next(), words.next()) {
                (Some(keep @ ("true" | "false")), Some(framing)) => format!("{keep} {framing}"),
                _ => shown,
            };
            assert_eq!(shown, expect, "{lines:?}");
        };
        check("Content-Length: 5\r\nContent-Length: 5\r\n", "true 5");
        check("Content-Length: 5, 5\r\n", "true 5");
        check("Content-Length: 5\r\nContent-Length: 6\r\n", "conflicting Content-Length headers");
        check("Content-Length: -5\r\n", "true close");
        check("Content-Length: +5\r\n", "true close");
        check("Content-Length: 99999999999999999999\r\n", "true close");
        check("Transfer-Encoding: chunked\r\n", "true chunked");
        check("Transfer-Encoding: gzip, Chunked\r\n", "true chunked");
        check("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "false chunked");
        check("Transfer-Encoding: identity\r\nContent-Length: 5\r\n", "false 5");
        check("Transfer-Encoding: chunked, gzip\r\n", "true close");
    }
}
