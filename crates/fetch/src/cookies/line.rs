//! One `Set-Cookie` line, read by RFC 6265, section 5.2.

use super::date;

/// The longest cookie, name and value together.
const MAX_COOKIE: usize = 4096;

/// What a line sets.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub(super) name: &'a str,
    pub(super) value: &'a str,
    /// In lower case, without a leading dot.
    pub(super) domain: Option<String>,
    pub(super) path: Option<&'a str>,
    pub(super) secure: bool,
    /// When it ends, in milliseconds since the epoch; in the past for one that is taken back.
    pub(super) expires: Option<i64>,
}

/// Reads a line at the time `now`; `None` for anything that is not a cookie, or too long.
pub(super) fn parse(text: &str, now: i64) -> Option<Line<'_>> {
    let mut parts = text.split(';');
    let pair = parts.next()?;
    let (name, value) = pair.split_once('=').unwrap_or(("", pair));
    let (name, value) = (name.trim(), value.trim());
    let is_clean = |text: &str| !text.chars().any(char::is_control);
    if name.is_empty() || name.len() + value.len() > MAX_COOKIE || !is_clean(name) || !is_clean(value) {
        return None;
    }
    let mut line = Line { name, value, domain: None, path: None, secure: false, expires: None };
    let mut max_age = None;
    for part in parts {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        let (key, value) = (key.trim(), value.trim());
        if value.len() > 1024 {
            continue;
        }
        if key.eq_ignore_ascii_case("expires") {
            line.expires = date::parse(value).or(line.expires);
        } else if key.eq_ignore_ascii_case("max-age") {
            max_age = read_age(value).or(max_age);
        } else if key.eq_ignore_ascii_case("domain") && !value.is_empty() {
            line.domain = Some(value.strip_prefix('.').unwrap_or(value).to_ascii_lowercase());
        } else if key.eq_ignore_ascii_case("path") {
            line.path = value.starts_with('/').then_some(value).filter(|path| is_clean(path));
        } else if key.eq_ignore_ascii_case("secure") {
            line.secure = true;
        }
    }
    if let Some(seconds) = max_age {
        line.expires =
            Some(if seconds <= 0 { i64::MIN } else { now.saturating_add(seconds.saturating_mul(1000)) });
    }
    Some(line)
}

fn read_age(value: &str) -> Option<i64> {
    let digits = value.strip_prefix('-').unwrap_or(value);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(value.parse().unwrap_or(if value.starts_with('-') { i64::MIN } else { i64::MAX }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lines() {
        let check = |text: &str, expect: &str| {
            let shown = parse(text, 1000).map(|line| {
                let Line { name, value, domain, path, secure, expires } = line;
                format!("{name}={value} {domain:?} {path:?} {secure} {expires:?}")
            });
            assert_eq!(shown.as_deref().unwrap_or("-"), expect, "{text}");
        };
        check("a=b", "a=b None None false None");
        check(" a = b=c ; Secure;HttpOnly", "a=b=c None None true None");
        check("a=; Domain=.A.Example; Path=/x", "a= Some(\"a.example\") Some(\"/x\") false None");
        check("a=b; Path=x; Path=/y", "a=b None Some(\"/y\") false None");
        check("a=b; Max-Age=5; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "a=b None None false Some(6000)");
        check("a=b; Expires=Thu, 01 Jan 1970 00:00:01 GMT", "a=b None None false Some(1000)");
        check("a=b; Max-Age=0", "a=b None None false Some(-9223372036854775808)");
        check("a=b; Max-Age=x", "a=b None None false None");
        check("=b", "-");
        check("b", "-");
        check("a=b\u{1}", "-");
        check("", "-");
        check(&format!("a={}", "x".repeat(4096)), "-");
    }
}
