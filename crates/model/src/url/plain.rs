//! The fast path: references that are already canonical, or become so when appended to the base.
//!
//! It handles most links of most pages: `/path/file.html?x=1`, `https://host.name/path`, `file.html`,
//! `../up/file.html`, `?page=2`, `#top`. For anything unusual (an escape that is not in its final form; an empty,
//! numeric or punycode host label; a port; a path parameter; a parameter to drop) it returns `None` and leaves the
//! work to the parser.

use super::canonical::{MAX_HOST, is_unreserved, is_url_octet};
use super::{CanonicalUrl, UrlRules, scheme_len};

/// Allowed in a path here. `;` begins parameters; `%` and `.` are checked individually.
const PATH: u8 = 1;
/// Allowed in a query here. `'` would be encoded.
const QUERY: u8 = 2;
/// Allowed in a host.
const HOST: u8 = 4;

const CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let octet = at as u8;
        if is_url_octet(octet) && octet != b'?' && octet != b';' && octet != b'.' {
            table[at] |= PATH;
        }
        if is_url_octet(octet) && octet != b'\'' {
            table[at] |= QUERY;
        }
        if octet.is_ascii_lowercase() || octet.is_ascii_digit() || octet == b'-' {
            table[at] |= HOST;
        }
        at += 1;
    }
    table
}

fn is(octet: u8, class: u8) -> bool {
    CLASS[usize::from(octet)] & class != 0
}

/// Where the plain path and query of a reference end.
struct Tail {
    /// The position of `?`, or `end` without one.
    query_at: usize,
    end: usize,
}

/// Resolves a plain reference; `None` means "use the parser", not "invalid".
pub(super) fn resolve(
    base: Option<&CanonicalUrl>,
    reference: &str,
    rules: &UrlRules,
) -> Option<CanonicalUrl> {
    // The base's own origin is canonical, so a reference to it needs no parser even with a port or an address.
    if let Some(base) = base
        && let Some(path) = reference.strip_prefix(base.origin())
        && path.starts_with('/')
    {
        return append(base, base.path_at(), path, rules);
    }
    if let Some(scheme) = scheme_len(reference) {
        return absolute("", reference, scheme + 3, rules);
    }
    let base = base?;
    match reference.as_bytes() {
        [] | [b'#', ..] => same_page(base, rules),
        [b'/', b'/', ..] => {
            let scheme = base.slice(0, base.scheme().len() + 1);
            absolute(scheme, reference, 2, rules)
        }
        [b'/', b'\\', ..] => None,
        [b'/', ..] => append(base, base.path_at(), reference, rules),
        [b'?', ..] if plain_base(base) => append(base, base.query_at(), reference, rules),
        _ if plain_base(base) => relative(base, reference, rules),
        _ => None,
    }
}

/// Whether the base's own path would not change if it were canonicalised again.
fn plain_base(base: &CanonicalUrl) -> bool {
    !base.path().contains(';')
}

fn same_page(base: &CanonicalUrl, rules: &UrlRules) -> Option<CanonicalUrl> {
    let changes = base.query().is_some_and(|query| rules.drops_any(query));
    (plain_base(base) && !changes).then(|| base.clone())
}

/// `prefix` is the scheme if the reference has none; its host begins at `host_at`.
fn absolute(prefix: &str, reference: &str, host_at: usize, rules: &UrlRules) -> Option<CanonicalUrl> {
    let bytes = reference.as_bytes();
    let host_end = plain_host(bytes, host_at)?;
    let tail = scan(bytes, host_end, rules)?;
    let slash = if tail.query_at == host_end { "/" } else { "" };
    let path_at = prefix.len() + host_end;
    let text = if prefix.is_empty() && slash.is_empty() {
        reference.get(..tail.end)?.into()
    } else {
        [prefix, reference.get(..host_end)?, slash, reference.get(host_end..tail.end)?].concat().into()
    };
    CanonicalUrl::assemble(text, path_at, path_at, prefix.len() + slash.len() + tail.query_at)
}

/// The end of a host of plain labels that begins at `from`.
fn plain_host(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let label = at;
        while bytes.get(at).is_some_and(|&octet| is(octet, HOST)) {
            at += 1;
        }
        let name = bytes.get(label..at)?;
        let (&first, &last) = (name.first()?, name.last()?);
        if first == b'-' || last == b'-' || name.starts_with(b"xn--") {
            return None;
        }
        match bytes.get(at) {
            Some(b'.') => at += 1,
            // A last label that begins with a digit may make the host an IPv4 address.
            None | Some(b'/' | b'?' | b'#') if !first.is_ascii_digit() && at - from <= MAX_HOST => {
                return Some(at);
            }
            _ => return None,
        }
    }
}

/// A reference relative to the directory of the base: `file`, `./file`, `../../file`.
fn relative(base: &CanonicalUrl, reference: &str, rules: &UrlRules) -> Option<CanonicalUrl> {
    let first = reference.split(['/', '?', '#']).next()?;
    if first.contains(':') {
        return None;
    }
    let mut keep = base.directory().len();
    let mut rest = reference;
    loop {
        if let Some(after) = rest.strip_prefix("./") {
            rest = after;
        } else if let Some(after) = rest.strip_prefix("../") {
            rest = after;
            // The parent ends at the slash before the last one; the root is its own parent.
            let path = base.slice(base.path_at(), keep.checked_sub(1)?);
            keep = path.rfind('/').map_or(keep, |slash| base.path_at() + slash + 1);
        } else {
            break;
        }
    }
    // What begins with a dot is another dot segment or a rare name.
    if rest.starts_with(['.', '/']) {
        return None;
    }
    append(base, keep, rest, rules)
}

/// The first `keep` bytes of the base, followed by the reference.
fn append(base: &CanonicalUrl, keep: usize, reference: &str, rules: &UrlRules) -> Option<CanonicalUrl> {
    let tail = scan(reference.as_bytes(), 0, rules)?;
    let text = [base.slice(0, keep), reference.get(..tail.end)?].concat();
    CanonicalUrl::assemble(text.into(), base.host_end.into(), base.path_at(), keep + tail.query_at)
}

/// Scans a plain path and query from `from` to the fragment or the end.
fn scan(bytes: &[u8], from: usize, rules: &UrlRules) -> Option<Tail> {
    let mut at = from;
    let query_at = loop {
        match bytes.get(at) {
            None | Some(b'#') => return Some(Tail { query_at: at, end: at }),
            Some(b'?') => break at,
            Some(b'.') if at > 0 && bytes.get(at - 1) == Some(&b'/') => return None,
            Some(b'.') => at += 1,
            Some(b'%') => at = escape(bytes, at)?,
            Some(&octet) if is(octet, PATH) => at += 1,
            Some(_) => return None,
        }
    };
    at += 1;
    while let Some(&octet) = bytes.get(at) {
        match octet {
            b'#' => break,
            b'%' => at = escape(bytes, at)?,
            _ if is(octet, QUERY) => at += 1,
            _ => return None,
        }
    }
    let query = std::str::from_utf8(bytes.get(query_at + 1..at)?).ok()?;
    if query.is_empty() {
        return Some(Tail { query_at, end: query_at });
    }
    (!rules.drops_any(query)).then_some(Tail { query_at, end: at })
}

/// The end of the escape at `at`, if it is in its final form.
fn escape(bytes: &[u8], at: usize) -> Option<usize> {
    let digit = |octet: u8| match octet {
        b'0'..=b'9' => Some(octet - b'0'),
        b'A'..=b'F' => Some(octet - b'A' + 10),
        _ => None,
    };
    let &[high, low] = bytes.get(at + 1..at + 3)?.first_chunk::<2>()?;
    let octet = digit(high)? * 16 + digit(low)?;
    (!is_unreserved(octet)).then_some(at + 3)
}
