//! The HTTP head of a response record: status line and header lines that match the stored body.
//!
//! The fetcher has removed content and transfer codings, so header lines that name them would make readers decode a
//! body that is not coded. They are kept under the name `X-Archive-Orig-...`, as pywb and similar tools do; reading
//! our own archive restores the names. A `Content-Length` other than the stored length is treated the same way. Line
//! breaks and control characters inside names and values are replaced, so that a hostile header cannot forge another
//! one.

use std::io::Write;

use osprey_model::Response;

/// The prefix of a renamed line.
pub(crate) const RENAMED: &str = "X-Archive-Orig-";

/// Appends the head of `response`, including the empty line.
pub(super) fn write_head(response: &Response, out: &mut Vec<u8>) {
    let status = response.status;
    push(out, format_args!("HTTP/1.1 {status} {}\r\n", reason(status)));
    let length = response.body.len().to_string();
    for (name, value) in response.headers.iter() {
        let keep = if name.eq_ignore_ascii_case("content-encoding") {
            !removed(value)
        } else if name.eq_ignore_ascii_case("content-length") {
            value.trim() == length
        } else {
            !name.eq_ignore_ascii_case("transfer-encoding")
        };
        if !keep {
            out.extend_from_slice(RENAMED.as_bytes());
        }
        write_line(name, value, out);
        if !keep && name.eq_ignore_ascii_case("content-length") {
            write_line("Content-Length", &length, out);
        }
    }
    out.extend_from_slice(b"\r\n");
}

/// Whether a fetcher removes all these codings; a coding that it does not know is still there.
fn removed(codings: &str) -> bool {
    codings.split(',').all(|coding| {
        let coding = coding.trim();
        ["gzip", "x-gzip", "deflate", "br", "zstd", "identity", ""]
            .iter()
            .any(|c| c.eq_ignore_ascii_case(coding))
    })
}

/// Appends one `name: value` line; replaces line breaks and control characters.
pub(super) fn write_line(name: &str, value: &str, out: &mut Vec<u8>) {
    let token = |b: u8| b.is_ascii_graphic() && b != b':';
    out.extend(name.bytes().map(|b| if token(b) { b } else { b'_' }));
    out.extend_from_slice(b": ");
    out.extend(value.bytes().map(|b| if b < 0x20 && b != b'\t' || b == 0x7f { b' ' } else { b }));
    out.extend_from_slice(b"\r\n");
}

/// Writing to memory does not fail.
pub(super) fn push(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).unwrap_or_default();
}

/// The customary reason phrases; readers ignore them.
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        204 => "No Content",
        206 => "Partial Content",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        410 => "Gone",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn lines_that_no_longer_hold_are_renamed() {
        let check = |lines: &[(&str, &str)], expect: &str| {
            let mut response = samples::response("http://a.example/", b"12345");
            response.headers = lines.iter().copied().collect();
            let mut out = Vec::new();
            write_head(&response, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), format!("HTTP/1.1 200 OK\r\n{expect}\r\n"));
        };
        check(&[], "");
        check(&[("Content-Length", "5"), ("ETag", "\"x\"")], "Content-Length: 5\r\nETag: \"x\"\r\n");
        check(&[("content-length", "3")], "X-Archive-Orig-content-length: 3\r\nContent-Length: 5\r\n");
        check(&[("Content-Encoding", "gzip, BR")], "X-Archive-Orig-Content-Encoding: gzip, BR\r\n");
        check(&[("Content-Encoding", "secret")], "Content-Encoding: secret\r\n");
        check(&[("Transfer-Encoding", "chunked")], "X-Archive-Orig-Transfer-Encoding: chunked\r\n");
        check(&[("A b:\r\n", "x\r\nSet-Cookie: forged\0")], "A_b___: x  Set-Cookie: forged \r\n");
    }
}
