//! What of a URL is looked at: its shape, and what it has in common with others.

use osprey_model::CanonicalUrl;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::settings::TrapRules;

use super::Trap;

/// The groups of URLs that a URL belongs to, from small to large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Keys {
    /// Digits folded, query values dropped.
    pub(super) pattern: u64,
    /// The path, digits folded, with whatever query; `None` without a query.
    pub(super) path: Option<u64>,
    /// The first segment, the number of segments, the names in the query.
    pub(super) shape: u64,
    /// The host.
    pub(super) host: u64,
}

impl Keys {
    pub(super) fn of(url: &CanonicalUrl) -> Self {
        let host = host_key(url);
        let mut folded = Folded::new(host);
        let (mut is_digit, mut segments, mut first) = (false, 0_u64, None);
        for (at, byte) in url.path().bytes().enumerate() {
            if byte == b'/' && at > 0 && first.is_none() {
                first = Some(folded.digest());
            }
            if !byte.is_ascii_digit() {
                folded.put(byte);
                segments += u64::from(is_separator(byte));
            } else if !is_digit {
                folded.put(b'0');
            }
            is_digit = byte.is_ascii_digit();
        }
        let path = url.query().map(|_| folded.digest() ^ 1);
        let mut names = 0_u64;
        for param in url.query().into_iter().flat_map(|query| query.split('&')) {
            folded.put(b'?');
            let name = param.split('=').next().unwrap_or_default();
            name.bytes().for_each(|byte| folded.put(byte));
            names = names.wrapping_add(xxh3_64(name.as_bytes()));
        }
        // of a path with one segment, that segment is what varies
        let shape = [first.unwrap_or(host), segments, names]
            .into_iter()
            .fold(1_u64, |hash, part| (hash ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(27));
        Self { pattern: folded.digest(), path, shape, host }
    }
}

/// The origin, hashed.
pub(super) fn host_key(url: &CanonicalUrl) -> u64 {
    xxh3_64(url.origin().as_bytes())
}

/// Whether two URLs have one pattern.
pub(crate) fn have_one_pattern(a: &CanonicalUrl, b: &CanonicalUrl) -> bool {
    // most differ in a byte near the beginning
    let letters = |url: &CanonicalUrl| {
        url.path().bytes().find(|byte| *byte != b'/').filter(|byte| !byte.is_ascii_digit())
    };
    letters(a) == letters(b) && a.query().is_some() == b.query().is_some() && url_pattern(a) == url_pattern(b)
}

/// Whether a byte divides parts of a path: `/tag/red+blue`.
pub(super) fn is_separator(byte: u8) -> bool {
    matches!(byte, b'/' | b'+' | b',')
}

/// A hash that is given one byte after the other: it hashes a run of bytes at a time, each with the hash of those before.
struct Folded {
    hash: u64,
    run: [u8; 128],
    length: usize,
}

impl Folded {
    fn new(hash: u64) -> Self {
        Self { hash, run: [0; 128], length: 0 }
    }

    fn put(&mut self, byte: u8) {
        if self.length == self.run.len() {
            self.hash = self.digest();
            self.length = 0;
        }
        self.run[self.length] = byte;
        self.length += 1;
    }

    fn digest(&self) -> u64 {
        xxh3_64_with_seed(self.run.get(..self.length).unwrap_or_default(), self.hash)
    }
}

/// The URL with runs of digits folded to one, and query values dropped: names say what a page is.
pub(crate) fn url_pattern(url: &CanonicalUrl) -> u64 {
    Keys::of(url).pattern
}

/// 16 bits of the pattern of a URL, never 0.
pub(crate) fn url_pattern_tag(url: &CanonicalUrl) -> u16 {
    pattern_tag(url_pattern(url))
}

/// 16 bits of a pattern, never 0.
pub(super) fn pattern_tag(pattern: u64) -> u16 {
    ((pattern >> 48) as u16).max(1)
}

/// A pattern as people read it.
pub(super) fn pattern_text(url: &CanonicalUrl) -> String {
    let names = url.query().into_iter().flat_map(|query| query.split('&'));
    let names: Vec<String> =
        names.map(|param| format!("{}=...", param.split('=').next().unwrap_or_default())).collect();
    let joint = if names.is_empty() { "" } else { "?" };
    format!("{}{}{joint}{}", url.origin(), folded_path(url), names.join("&"))
}

/// The same of a path with any query.
pub(super) fn path_text(url: &CanonicalUrl) -> String {
    format!("{}{}?...", url.origin(), folded_path(url))
}

/// The same of a shape.
pub(super) fn shape_text(url: &CanonicalUrl) -> String {
    let path = url.path();
    let first = path.get(1..).and_then(|rest| rest.split_once('/')).map(|(first, _)| first);
    let rest = path.get(first.map_or(0, |first| first.len() + 1)..).unwrap_or_default();
    let parts: String =
        rest.chars().filter(|c| u8::try_from(*c).is_ok_and(is_separator)).map(|c| format!("{c}*")).collect();
    let first = first.map(|first| format!("/{}", fold(first))).unwrap_or_default();
    let query = url.query().map(|_| pattern_text(url).split_once('?').map(|(_, query)| format!("?{query}")));
    format!("{}{first}{parts}{}", url.origin(), query.flatten().unwrap_or_default())
}

fn folded_path(url: &CanonicalUrl) -> String {
    fold(url.path())
}

/// `text` with every run of digits as `0`.
fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        if !c.is_ascii_digit() {
            folded.push(c);
        } else if !folded.ends_with('0') {
            folded.push('0');
        }
    }
    folded
}

/// What is wrong with the shape of a single URL.
pub(super) fn check_shape(url: &CanonicalUrl, rules: &TrapRules) -> Option<Trap> {
    if url.path().bytes().filter(|b| *b == b'/').count() > rules.max_segments {
        return Some(Trap::Segments);
    }
    if url.query().is_some_and(|q| q.bytes().filter(|b| *b == b'&').count() >= rules.max_params) {
        return Some(Trap::Params);
    }
    repeats(url.path(), rules.max_repeats).then_some(Trap::Repeats)
}

/// Whether a run of one to four segments, not just numbers, stands more than `max` times in a row.
fn repeats(path: &str, max: usize) -> bool {
    // most paths have too few segments to say anything more than `max` times
    if path.bytes().filter(|byte| *byte == b'/').count() <= max {
        return false;
    }
    let segments: Vec<&str> = path.split('/').filter(|s| !s.is_empty()).collect();
    (1..=4).any(|run| {
        let mut same = 0;
        (run..segments.len()).any(|i| {
            same = if segments[i] == segments[i - run] { same + 1 } else { 0 };
            same >= run * max
                && segments[i - run + 1..=i].iter().any(|s| s.bytes().any(|b| b.is_ascii_alphabetic()))
        })
    })
}

/// The last two segments of a path; the first of them is empty if there is one only.
fn last_two(url: &CanonicalUrl) -> (&str, &str) {
    let mut segments = url.path().rsplit('/');
    let last = segments.next().unwrap_or_default();
    (segments.next().unwrap_or_default(), last)
}

/// What a name says without its marks and its ending: `newreply` of `new-reply.php`.
fn plain(name: &str) -> String {
    let plain: String =
        name.chars().filter(|c| c.is_ascii_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect();
    plain.trim_end_matches("php").trim_end_matches("html").to_owned()
}

fn is_number(segment: &str) -> bool {
    !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit())
}

/// Words of forms that are about one thing, whose number stands beside them.
const ABOUT: [&str; 5] = ["reply", "newreply", "quickreply", "report", "reportabuse"];

/// Whether a URL may be a form to report one thing, or a report with that number: `/report/123`.
pub(super) fn may_be_form_address(url: &CanonicalUrl) -> bool {
    let (word, number) = last_two(url);
    url.query().is_none() && is_number(number) && ABOUT.contains(&&*plain(word))
}

/// Whether a URL looks like a form to log in, to register, to report or to reply: with the page to return to, or to one
/// thing (`/posts/17/reply`).
pub(super) fn is_form_address(url: &CanonicalUrl) -> bool {
    const WORDS: [&str; 14] = [
        "login",
        "logon",
        "signin",
        "signup",
        "register",
        "logout",
        "reply",
        "newreply",
        "report",
        "quickreply",
        "password",
        "lostpassword",
        "sendmessage",
        "edit",
    ];
    let (before, last) = last_two(url);
    let Some(query) = url.query() else { return is_number(before) && ABOUT.contains(&&*plain(last)) };
    let is_word = |text: &str| WORDS.contains(&&*plain(text));
    // the whole name, or the value of `action=`, `mode=`, `do=`
    let is_action = |param: &str| {
        param
            .split_once('=')
            .is_some_and(|(name, value)| matches!(name, "action" | "mode" | "do") && is_word(value))
    };
    is_word(last) || query.split('&').any(is_action)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &str) -> CanonicalUrl {
        CanonicalUrl::from_stored(&format!("http://a.example{path}")).unwrap()
    }

    #[test]
    fn keys_tell_what_urls_have_in_common() {
        let keys = |path: &str| Keys::of(&url(path));
        let check = |one: &str, two: &str, pattern: bool, path: bool, shape: bool| {
            let (a, b) = (keys(one), keys(two));
            let same = (a.pattern == b.pattern, a.path.is_some() && a.path == b.path, a.shape == b.shape);
            assert_eq!(same, (pattern, path, shape), "{one} {two}");
        };
        check("/cal/2026/11", "/cal/2027/1", true, false, true);
        check("/s/abc/page1", "/s/xyz/page2", false, false, true);
        check("/s/abc/page1", "/t/abc/page1", false, false, false);
        check("/f?a=1&b=2", "/f?b=1&a=2", false, true, true);
        check("/f?a=1&b=2", "/f?c=1", false, true, false);
        check("/tag/red+blue", "/tag/old+new", false, false, true);
        check("/tag/red+blue", "/tag/red", false, false, false);
    }

    #[test]
    fn patterns_are_readable() {
        let url = url("/s/a12/x+y?sid=8&b");
        assert_eq!(pattern_text(&url), "http://a.example/s/a0/x+y?sid=...&b=...");
        assert_eq!(path_text(&url), "http://a.example/s/a0/x+y?...");
        assert_eq!(shape_text(&url), "http://a.example/s/*/*+*?sid=...&b=...");
    }

    #[test]
    fn forms_are_known_by_their_addresses() {
        let check = |path: &str, expect: bool| assert_eq!(is_form_address(&url(path)), expect, "{path}");
        check("/login?next=/a", true);
        check("/sign-in?x=1", true);
        check("/posting.php?mode=reply&t=3", true);
        check("/newreply.php?t=3", true);
        check("/login", false);
        check("/report-of-the-year?page=2", false);
        check("/reports/annual?page=2", false);
        check("/posts/17/reply", true);
        check("/photo/8/report-abuse", true);
        check("/posts/17/replies", false);
        check("/board/reply", false);
        check("/reports/2026", false);
        check("/report/123", false);
        let may = |path: &str| may_be_form_address(&url(path));
        assert!(may("/report/123") && may("/reply/5") && !may("/reports/123") && !may("/report/all"));
    }
}
