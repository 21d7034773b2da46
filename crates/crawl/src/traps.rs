//! URLs without end: calendars, sessions, faceted navigation, paths that repeat themselves.
//!
//! Two nets. The shape of a single URL: too many segments or parameters, a run of segments that follows
//! itself. And the yield of a pattern: a pattern is the URL with digits folded and query values dropped; when
//! the last visits to one brought hardly anything that was not a duplicate, its waiting links are skipped.
//! What is remembered is a function of the visits so far, so it is rebuilt from them after a restart.

use osprey_model::CanonicalUrl;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::Xxh3Default;

use crate::settings::TrapRules;

/// Patterns remembered; a site with more of them gets no yield check for the rest.
const MAX_PATTERNS: usize = 200_000;

/// Why a URL is taken for a trap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trap {
    /// Too many path segments.
    Segments,
    /// Too many query parameters.
    Params,
    /// A run of path segments that follows itself.
    Repeats,
    /// A pattern whose last visits brought nothing new.
    Yield,
    /// A pattern that has used up its visits.
    Budget,
}

impl Trap {
    /// In words, for `explain`.
    pub fn words(self) -> &'static str {
        match self {
            Self::Segments => "its path has too many segments",
            Self::Params => "its query has too many parameters",
            Self::Repeats => "its path repeats itself",
            Self::Yield => "the last pages of its URL pattern brought nothing new",
            Self::Budget => "its URL pattern has used up its visits",
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Pattern {
    visits: u64,
    /// One bit a visit, newest lowest: brought something new?
    fresh: u64,
}

/// The traps seen so far.
#[derive(Debug)]
pub(crate) struct Traps {
    rules: TrapRules,
    patterns: FxHashMap<u64, Pattern>,
}

impl Traps {
    /// No traps yet.
    pub(crate) fn new(rules: TrapRules) -> Self {
        let rules = TrapRules { window: rules.window.clamp(1, 64), ..rules };
        Self { rules, patterns: FxHashMap::default() }
    }

    /// Whether to skip `url`.
    pub(crate) fn check(&self, url: &CanonicalUrl) -> Option<Trap> {
        if url.path().bytes().filter(|b| *b == b'/').count() > self.rules.max_segments {
            return Some(Trap::Segments);
        }
        if url.query().is_some_and(|q| q.bytes().filter(|b| *b == b'&').count() >= self.rules.max_params) {
            return Some(Trap::Params);
        }
        if repeats(url.path(), self.rules.max_repeats) {
            return Some(Trap::Repeats);
        }
        let pattern = self.patterns.get(&pattern(url))?;
        if pattern.visits >= self.rules.pattern_budget {
            return Some(Trap::Budget);
        }
        let window = self.rules.window;
        let fresh = pattern.fresh << (64 - window);
        let too_few = (fresh.count_ones() as f32) < self.rules.min_yield * window as f32;
        (pattern.visits >= u64::from(window) && too_few).then_some(Trap::Yield)
    }

    /// Learns from a visit: did it bring something that was not a duplicate?
    pub(crate) fn learn(&mut self, url: &CanonicalUrl, fresh: Option<bool>) {
        let Some(fresh) = fresh else { return };
        let key = pattern(url);
        if self.patterns.len() >= MAX_PATTERNS && !self.patterns.contains_key(&key) {
            return;
        }
        let pattern = self.patterns.entry(key).or_default();
        pattern.visits += 1;
        pattern.fresh = pattern.fresh << 1 | u64::from(fresh);
    }
}

/// Whether a run of one to four segments, not just numbers, stands more than `max` times in a row.
fn repeats(path: &str, max: usize) -> bool {
    if path.len() < 2 * (max + 1) {
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

/// The URL with runs of digits folded to one, and query values dropped: names say what a page is.
fn pattern(url: &CanonicalUrl) -> u64 {
    let mut hasher = Xxh3Default::new();
    hasher.update(url.origin().as_bytes());
    let mut buffer = [0u8; 64];
    let mut used = 0;
    let mut put = |byte: u8| {
        buffer[used] = byte;
        used += 1;
        if used == buffer.len() {
            hasher.update(&buffer);
            used = 0;
        }
    };
    let mut digits = false;
    for byte in url.path().bytes() {
        if !byte.is_ascii_digit() {
            put(byte);
        } else if !digits {
            put(b'0');
        }
        digits = byte.is_ascii_digit();
    }
    for param in url.query().into_iter().flat_map(|q| q.split('&')) {
        put(b'?');
        param.bytes().take_while(|b| *b != b'=').for_each(&mut put);
    }
    hasher.update(&buffer[..used]);
    hasher.digest()
}

#[cfg(test)]
mod tests {
    use osprey_model::UrlRules;

    use super::*;

    fn url(path: &str) -> CanonicalUrl {
        CanonicalUrl::parse(&format!("http://a.example{path}"), &UrlRules::default()).unwrap()
    }

    #[test]
    fn shapes() {
        let traps = Traps::new(TrapRules::default());
        let check = |path: &str, expect: Option<Trap>| assert_eq!(traps.check(&url(path)), expect, "{path}");
        check("/", None);
        check("/a/b/c/a/b/c", None);
        check("/x/x/x", None);
        check("/x/x/x/x", Some(Trap::Repeats));
        check("/p/a/b/a/b/a/b/a/b", Some(Trap::Repeats));
        check("/2011/11/11/11/11/11", None);
        check(&"/a/b".repeat(2).replace("b", "bb"), None);
        check(&(1..30).map(|i| format!("/s{i}")).collect::<String>(), Some(Trap::Segments));
        check(&format!("/?{}", "a=1&".repeat(30)), Some(Trap::Params));
    }

    #[test]
    fn a_pattern_without_yield_is_closed_and_others_are_not() {
        let mut traps = Traps::new(TrapRules { window: 10, min_yield: 0.2, ..TrapRules::default() });
        let day = |n: u32| url(&format!("/calendar/{n}?view=day&x={n}"));
        for n in 0..10 {
            assert_eq!(traps.check(&day(100)), None, "after {n} visits");
            traps.learn(&day(n), Some(n == 0));
        }
        assert_eq!(traps.check(&day(100)), Some(Trap::Yield));
        assert_eq!(traps.check(&url("/photos/5")), None);
        // dead links say nothing, something new opens it again
        traps.learn(&day(11), None);
        assert_eq!(traps.check(&day(100)), Some(Trap::Yield));
        traps.learn(&day(11), Some(true));
        traps.learn(&day(12), Some(true));
        assert_eq!(traps.check(&day(100)), None);
    }

    #[test]
    fn a_pattern_budget_ends() {
        let mut traps = Traps::new(TrapRules { pattern_budget: 2, ..TrapRules::default() });
        traps.learn(&url("/t/1"), Some(true));
        assert_eq!(traps.check(&url("/t/3")), None);
        traps.learn(&url("/t/2"), Some(true));
        assert_eq!(traps.check(&url("/t/3")), Some(Trap::Budget));
    }
}
