//! Sort-friendly URLs, the keys of CDXJ indexes: `http://www.Example.org:81/A?b` is `org,example:81)/a?b`.
//!
//! The rules are those of the Internet Archive's canonicaliser, which pywb and py-wacz use to look up keys: scheme,
//! `www.` and final slashes are removed, the host's labels are reversed, path and query are in lower case, query
//! parameters are sorted. Session ids are not removed here, since Osprey's own canonicalisation has removed them.

use osprey_model::CanonicalUrl;

/// The key of `url`.
pub(super) fn surt(url: &CanonicalUrl) -> String {
    let origin = url.origin();
    let authority = origin.split_once("://").map_or(origin, |(_, authority)| authority);
    let port = authority.strip_prefix(url.host()).filter(|port| !port.is_empty()).unwrap_or("");
    let mut key = reversed(without_www(url.host()));
    key.push_str(port);
    key.push(')');
    key.push_str(&path(url.path()));
    if let Some(query) = url.query().filter(|query| !query.is_empty()) {
        key.push('?');
        key.push_str(&sorted(&normal(query)));
    }
    key
}

fn without_www(host: &str) -> &str {
    match host.strip_prefix("www").map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit())) {
        Some(rest) => rest.strip_prefix('.').unwrap_or(host),
        None => host,
    }
}

fn reversed(host: &str) -> String {
    if host.starts_with('[') {
        return host.to_owned();
    }
    host.rsplit('.').collect::<Vec<_>>().join(",")
}

/// Removes empty segments and the final slash.
fn path(path: &str) -> String {
    let path = normal(path);
    let last = path.rsplit('/').next().unwrap_or_default();
    let folders = path.strip_suffix(last).unwrap_or_default().split('/').filter(|part| !part.is_empty());
    let kept: Vec<&str> = folders.chain((!last.is_empty()).then_some(last)).collect();
    format!("/{}", kept.join("/"))
}

fn sorted(query: &str) -> String {
    let mut parts: Vec<(&str, Option<&str>)> = query
        .split('&')
        .map(|part| part.split_once('=').map_or((part, None), |(name, value)| (name, Some(value))))
        .collect();
    parts.sort_unstable();
    let join = |(name, value): (&str, Option<&str>)| match value {
        Some(value) => format!("{name}={value}"),
        None => name.to_owned(),
    };
    parts.into_iter().map(join).collect::<Vec<_>>().join("&")
}

/// Unescapes repeatedly until nothing changes, escapes once, and lower-cases.
fn normal(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    while let Some(shorter) = unescape(&bytes) {
        bytes = shorter;
    }
    let mut out = String::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            0x21..=0x7e if byte != b'#' && byte != b'%' => out.push(char::from(byte.to_ascii_lowercase())),
            _ => out.push_str(&format!("%{byte:02x}")),
        }
    }
    out
}

/// `None` if there is nothing to unescape.
fn unescape(bytes: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|value| u8::try_from(value).ok());
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        match (first, after) {
            (b'%', [high, low, behind @ ..]) => match (digit(*high), digit(*low)) {
                (Some(high), Some(low)) => {
                    out.push(high << 4 | low);
                    rest = behind;
                }
                _ => out.push(first),
            },
            _ => out.push(first),
        }
    }
    (out.len() < bytes.len()).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn keys() {
        let check = |url: &str, expect: &str| assert_eq!(surt(&samples::url(url)), expect, "{url}");
        check("http://www.Example.org:81/A/?b", "org,example:81)/a?b");
        check("https://example.org/", "org,example)/");
        check("http://www2.example.org/a//b/", "org,example)/a/b");
        check("http://wwwhat.example/", "example,wwwhat)/");
        check("http://a.example/x?Z=1&b&a=2&a=1", "example,a)/x?a=1&a=2&b&z=1");
        check("http://127.0.0.1:8804/tag/x/", "1,0,0,127:8804)/tag/x");
        check("http://a.example/%7Euser/%E4%BD", "example,a)/~user/%e4%bd");
    }
}
