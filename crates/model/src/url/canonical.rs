//! The full path: writes a URL that the `url` crate has parsed in canonical form.

use std::borrow::Cow;

use url::Url;

use super::rules::param_name;
use super::{CanonicalUrl, UrlProblem, UrlRules};

/// DNS's own limit. A longer host name, or one with an empty label, cannot be reached.
pub(super) const MAX_HOST: usize = 253;

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// Writes `url` in canonical form.
pub(super) fn canonical(url: &Url, rules: &UrlRules) -> Result<CanonicalUrl, UrlProblem> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(UrlProblem::Scheme);
    }
    let host = url.host_str().unwrap_or("");
    let host = host.strip_suffix('.').unwrap_or(host);
    if host.is_empty() || host.len() > MAX_HOST || host.split('.').any(str::is_empty) {
        return Err(UrlProblem::Invalid);
    }
    let mut out = String::with_capacity(url.as_str().len() + 8);
    out.push_str(url.scheme());
    out.push_str("://");
    out.push_str(host);
    let host_end = out.len();
    if let Some(port) = url.port() {
        out.push(':');
        out.push_str(&port.to_string());
    }
    let path_at = out.len();
    push_path(&mut out, url.path(), rules);
    let query_at = out.len();
    push_query(&mut out, url.query().unwrap_or(""), rules);
    if out.len() > rules.max_length {
        return Err(UrlProblem::TooLong);
    }
    CanonicalUrl::assemble(out.into(), host_end, path_at, query_at).ok_or(UrlProblem::Invalid)
}

fn push_path(out: &mut String, path: &str, rules: &UrlRules) {
    if !path.contains(';') {
        return push_normalised(out, path.as_bytes(), b"");
    }
    let mut normal = String::with_capacity(path.len());
    push_normalised(&mut normal, path.as_bytes(), b"");
    for (i, segment) in normal.split('/').enumerate() {
        if i > 0 {
            out.push('/');
        }
        out.push_str(&without_path_params(segment, rules));
    }
}

/// `page;jsessionid=1` without the parameter. A segment that would become a dot segment is left unchanged: the server
/// treats `..;x` as a name, so we must too.
fn without_path_params<'a>(segment: &'a str, rules: &UrlRules) -> Cow<'a, str> {
    let Some((name, params)) = segment.split_once(';') else { return segment.into() };
    if name == "." || name == ".." || !params.split(';').any(|param| rules.drops(param_name(param))) {
        return segment.into();
    }
    let mut kept = name.to_owned();
    for param in params.split(';').filter(|param| !rules.drops(param_name(param))) {
        kept.push(';');
        kept.push_str(param);
    }
    kept.into()
}

/// Appends `?query`, or nothing if no parameter is left.
fn push_query(out: &mut String, query: &str, rules: &UrlRules) {
    let mark = out.len();
    out.push('?');
    push_normalised(out, query.as_bytes(), b"'");
    let written = out.get(mark + 1..).unwrap_or("");
    if rules.drops_any(written) {
        let kept: Vec<&str> = written.split('&').filter(|param| !rules.drops(param_name(param))).collect();
        let kept = kept.join("&");
        out.truncate(mark + 1);
        out.push_str(&kept);
    }
    if out.len() == mark + 1 {
        out.truncate(mark);
    }
}

/// Appends `part` with normalised percent-encoding. `also` lists further characters to encode.
pub(crate) fn push_normalised(out: &mut String, part: &[u8], also: &[u8]) {
    let mut at = 0;
    while let Some(&byte) = part.get(at) {
        at += 1;
        if byte == b'%' {
            match part.get(at..at + 2).and_then(decode_hex) {
                Some(octet) if is_unreserved(octet) => {
                    out.push(char::from(octet));
                    at += 2;
                }
                Some(octet) => {
                    push_escape(out, octet);
                    at += 2;
                }
                None => push_escape(out, b'%'),
            }
        } else if is_url_octet(byte) && !also.contains(&byte) {
            out.push(char::from(byte));
        } else {
            push_escape(out, byte);
        }
    }
}

fn push_escape(out: &mut String, octet: u8) {
    out.push('%');
    for nibble in [octet >> 4, octet & 15] {
        out.push(char::from(HEX[usize::from(nibble)]));
    }
}

fn decode_hex(digits: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*digits.get(at)?).to_digit(16);
    u8::try_from(digit(0)? * 16 + digit(1)?).ok()
}

/// RFC 3986, 2.3: for these characters, an escape and the character itself mean the same.
pub(super) const fn is_unreserved(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.' | b'_' | b'~')
}

/// Characters that may appear unescaped in a path or query (RFC 3986, 3.3 and 3.4).
pub(super) const fn is_url_octet(octet: u8) -> bool {
    is_unreserved(octet)
        || matches!(
            octet,
            b'!' | b'$'
                | b'&'
                | b'\''
                | b'('
                | b')'
                | b'*'
                | b'+'
                | b','
                | b';'
                | b'='
                | b':'
                | b'@'
                | b'/'
                | b'?'
        )
}
