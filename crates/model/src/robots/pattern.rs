//! Patterns and the paths they are compared with, both in one normal form.
//!
//! RFC 9309, 2.2.2 and 2.2.3: octets are compared after escapes of unreserved characters were decoded and all
//! characters that need it were escaped. To make `%2A` in a pattern mean a literal star, `*` and `$` in paths are
//! escaped before the comparison; in patterns they keep their special meaning.

use std::borrow::Cow;

use memchr::{memchr2, memmem};

use crate::url::push_normalised;

/// A rule's value in normal form.
pub(super) fn normalise(value: &[u8]) -> String {
    let mut out = String::with_capacity(value.len());
    let (anchored, value) = match value {
        [start @ .., b'$'] => (true, start),
        _ => (false, value),
    };
    let query_at = memchr::memchr(b'?', value).unwrap_or(value.len());
    let (path, query) = value.split_at_checked(query_at).unwrap_or((value, b""));
    push_normalised(&mut out, path, b"$");
    push_normalised(&mut out, query, b"$'");
    if anchored {
        out.push('$');
    }
    out
}

/// A canonical path and query in the form that patterns are compared with.
pub(super) fn target(path_and_query: &str) -> Cow<'_, str> {
    if memchr2(b'*', b'$', path_and_query.as_bytes()).is_none() {
        return path_and_query.into();
    }
    path_and_query.replace('*', "%2A").replace('$', "%24").into()
}

/// Path, parameters and query of a URL as written, in the normal form of canonical URLs.
pub(super) fn raw_path(url: &str) -> String {
    let url = url.split('#').next().unwrap_or("");
    let start = if url.starts_with("//") { 2 } else { 0 };
    let after = |from: usize| url.get(from..).and_then(|rest| rest.find(['/', '?', ';'])).map(|at| from + at);
    // A `://` after the beginning of the path belongs to a parameter.
    let host_at = match url.find("://") {
        Some(at) if after(start).is_none_or(|path| at < path) => at + 3,
        _ => start,
    };
    let path = after(host_at).and_then(|at| url.get(at..)).unwrap_or("");
    let mut out = String::with_capacity(path.len() + 1);
    if !path.starts_with('/') {
        out.push('/');
    }
    let (path, query) = path.split_at_checked(path.find('?').unwrap_or(path.len())).unwrap_or((path, ""));
    push_normalised(&mut out, path.as_bytes(), b"");
    push_normalised(&mut out, query.as_bytes(), b"'");
    out
}

/// Whether `pattern` contains a special character, so that it is more than a prefix.
pub(super) fn is_wild(pattern: &str) -> bool {
    pattern.ends_with('$') || pattern.contains('*')
}

/// Whether a pattern matches from the start of `target`.
///
/// Each piece between stars is matched at its first occurrence after the previous piece. This never misses a match,
/// so no backtracking is needed, and the cost is linear in the two lengths.
pub(super) fn matches(pattern: &str, target: &str) -> bool {
    let (pattern, anchored) = match pattern.strip_suffix('$') {
        Some(start) => (start, true),
        None => (pattern, false),
    };
    let Some((first, pieces)) = pattern.split_once('*') else {
        return if anchored { target == pattern } else { target.starts_with(pattern) };
    };
    let Some(mut rest) = target.strip_prefix(first) else { return false };
    let mut pieces = pieces;
    if anchored {
        let (before, last) = pieces.rsplit_once('*').unwrap_or(("", pieces));
        let Some(middle) = rest.strip_suffix(last) else { return false };
        (pieces, rest) = (before, middle);
    }
    for piece in pieces.split('*').filter(|piece| !piece.is_empty()) {
        let Some(at) = memmem::find(rest.as_bytes(), piece.as_bytes()) else { return false };
        rest = rest.get(at + piece.len()..).unwrap_or("");
    }
    true
}
