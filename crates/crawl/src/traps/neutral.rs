//! Parts of URLs that change nothing, learned from pages: `sort=` that shows the same items, a session id in a path, the
//! order of tags.
//!
//! For every page it is remembered what was shown under its URL without one of its parts. When a later URL differs from
//! that in this part only, the two pages either show the same or not: that speaks for or against the part. A part that
//! has changed nothing often enough, and hardly ever anything, is neutral; then a URL is a copy if a page was fetched
//! whose URL differs in a neutral part only. So no page is lost that was not fetched under another URL.

use osprey_model::CanonicalUrl;
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::Xxh3Default;

use super::address::is_separator;

/// Times that a part must have changed nothing.
const MIN_SAME: u32 = 12;
/// Times that it may have changed nothing for each time that it has changed something.
const SAME_FOR_EACH_OTHER: u32 = 32;
/// Parts of one URL that are looked at.
const MAX_PARTS: usize = 10;
/// URLs without a part that are remembered, in each of two generations.
const MAX_FORMS: usize = 1 << 18;
/// Parts about which something is remembered.
const MAX_EVIDENCE: usize = 1 << 16;

/// One part of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part<'a> {
    /// A query parameter, on paths with the same first segment and as many segments.
    Parameter(&'a str),
    /// The same on this path alone.
    ParameterOfPath(&'a str),
    /// The segment with this number, with what is before and behind it.
    Segment(usize),
    /// The order of segments or tags.
    Order,
}

/// What is known of the parts of URLs.
#[derive(Debug, Default)]
pub(super) struct NeutralParts {
    /// What was shown under a URL without a part.
    forms: FxHashMap<u64, u32>,
    older_forms: FxHashMap<u64, u32>,
    /// For each part how often it changed nothing, and something.
    evidence: FxHashMap<u64, (u32, u32)>,
    neutral: FxHashSet<u64>,
    /// The neutral parts in words.
    names: Vec<(u64, String)>,
}

impl NeutralParts {
    /// Learns what is shown under `url`.
    pub(super) fn learn(&mut self, url: &CanonicalUrl, items: u32) {
        let address = Address::of(url);
        let mut forms = vec![address.form(None)];
        for part in address.parts() {
            let Some(form) = address.form(Some(part)) else { continue };
            let before = self.forms.get(&form).or_else(|| self.older_forms.get(&form)).copied();
            if let Some(before) = before {
                self.note(address.context(part), before == items, || address.words(part));
            }
            forms.push(Some(form));
        }
        for form in forms.into_iter().flatten() {
            if !self.older_forms.contains_key(&form) {
                self.forms.entry(form).or_insert(items);
            }
        }
        if self.forms.len() > MAX_FORMS {
            self.older_forms = std::mem::take(&mut self.forms);
        }
    }

    fn note(&mut self, part: u64, is_same: bool, words: impl FnOnce() -> String) {
        if self.evidence.len() >= MAX_EVIDENCE && !self.evidence.contains_key(&part) {
            return;
        }
        let (same, other) = self.evidence.entry(part).or_default();
        *(if is_same { &mut *same } else { &mut *other }) += 1;
        if *same >= MIN_SAME && *same >= other.saturating_mul(SAME_FOR_EACH_OTHER) {
            if self.neutral.insert(part) && self.names.iter().all(|(known, _)| *known != part) {
                self.names.push((part, words()));
            }
        } else {
            self.neutral.remove(&part);
        }
    }

    /// The neutral part, in words, without which `url` was fetched before.
    pub(super) fn copy(&self, url: &CanonicalUrl) -> Option<String> {
        if self.neutral.is_empty() {
            return None;
        }
        let address = Address::of(url);
        let is_known = |form: u64| self.forms.contains_key(&form) || self.older_forms.contains_key(&form);
        let is_neutral = |part: &Part<'_>| {
            self.neutral.contains(&address.context(*part)) && address.form(Some(*part)).is_some_and(is_known)
        };
        address.parts().find(is_neutral).map(|part| address.words(part))
    }

    /// The neutral parts, in words.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().filter(|(part, _)| self.neutral.contains(part)).map(|(_, words)| words.as_str())
    }
}

/// A URL, divided.
struct Address<'a> {
    origin: &'a str,
    segments: Vec<&'a str>,
    params: Vec<&'a str>,
}

impl<'a> Address<'a> {
    fn of(url: &'a CanonicalUrl) -> Self {
        let segments = url.path().split('/').skip(1).collect();
        let params = url.query().into_iter().flat_map(|query| query.split('&')).collect();
        Self { origin: url.origin(), segments, params }
    }

    fn parts(&self) -> impl Iterator<Item = Part<'a>> {
        let names = self.params.iter().take(MAX_PARTS).map(|param| name(param));
        let names = names.flat_map(|name| [Part::Parameter(name), Part::ParameterOfPath(name)]);
        let segments =
            self.segments.iter().enumerate().take(MAX_PARTS).filter(|(_, segment)| !segment.is_empty());
        names.chain(segments.map(|(at, _)| Part::Segment(at))).chain([Part::Order])
    }

    /// The URL without a part, or with its tags sorted; `None` if there is nothing to sort.
    fn form(&self, part: Option<Part<'_>>) -> Option<u64> {
        let mut hasher = Xxh3Default::new();
        hasher.update(self.origin.as_bytes());
        if part == Some(Part::Order) {
            let mut tags = self.tags();
            if tags.len() < 2 {
                return None;
            }
            tags.sort_unstable();
            hasher.update(&[2]);
            feed(&mut hasher, tags);
            return Some(hasher.digest());
        }
        for (at, segment) in self.segments.iter().enumerate() {
            let is_left_out = part == Some(Part::Segment(at));
            feed(&mut hasher, [if is_left_out { "\u{1}" } else { segment }]);
        }
        hasher.update(&[1]);
        let is_left_out = |param: &str| match part {
            Some(Part::Parameter(left_out) | Part::ParameterOfPath(left_out)) => name(param) == left_out,
            _ => false,
        };
        feed(&mut hasher, self.params.iter().copied().filter(|param| !is_left_out(param)));
        Some(hasher.digest())
    }

    /// What may stand in another order: what is behind the first segment, and query values with commas.
    fn tags(&self) -> Vec<&'a str> {
        let behind = self.segments.iter().skip(1).flat_map(|segment| segment.split(['+', ',']));
        let values = self
            .params
            .iter()
            .flat_map(|param| param.split(|c: char| u8::try_from(c).is_ok_and(is_separator)));
        self.segments.first().copied().into_iter().chain(behind).chain(values).collect()
    }

    /// Where what is learned of a part holds.
    fn context(&self, part: Part<'_>) -> u64 {
        let mut hasher = Xxh3Default::new();
        hasher.update(self.origin.as_bytes());
        match part {
            Part::Parameter(name) => {
                hasher.update(&self.segments.len().to_le_bytes());
                feed(&mut hasher, self.segments.first().copied().filter(|_| self.segments.len() > 1));
                feed(&mut hasher, ["?", name]);
            }
            Part::ParameterOfPath(name) => {
                feed(&mut hasher, self.segments.iter().copied());
                feed(&mut hasher, ["?", name]);
            }
            Part::Segment(at) => {
                for (place, segment) in self.segments.iter().enumerate() {
                    let letters = |byte: &u8| !byte.is_ascii_digit();
                    let bytes: Vec<u8> = segment.bytes().filter(letters).collect();
                    hasher.update(if place == at { b"*" } else { &bytes });
                    hasher.update(b"/");
                }
            }
            Part::Order => feed(&mut hasher, self.segments.first().copied().into_iter().chain(["+"])),
        }
        hasher.digest()
    }

    fn words(&self, part: Part<'_>) -> String {
        let before = |at: usize| {
            self.segments.get(..at).unwrap_or_default().iter().map(|s| format!("/{s}")).collect::<String>()
        };
        match part {
            Part::Parameter(name) => {
                let first = if self.segments.len() > 1 { before(1) } else { String::new() };
                let rest = "/*".repeat(self.segments.len().saturating_sub(usize::from(!first.is_empty())));
                format!("parameter `{name}` of {}{first}{rest} changes nothing", self.origin)
            }
            Part::ParameterOfPath(name) => {
                format!(
                    "parameter `{name}` of {}{} changes nothing",
                    self.origin,
                    before(self.segments.len())
                )
            }
            Part::Segment(at) => {
                let behind: String = self.segments.iter().skip(at + 1).map(|s| format!("/{s}")).collect();
                format!("what stands for * in {}{}/*{behind} changes nothing", self.origin, before(at))
            }
            Part::Order => format!("the order of parts in {}{} changes nothing", self.origin, before(1)),
        }
    }
}

fn feed<'a>(hasher: &mut Xxh3Default, texts: impl IntoIterator<Item = &'a str>) {
    for text in texts {
        hasher.update(text.as_bytes());
        hasher.update(&[0]);
    }
}

fn name(param: &str) -> &str {
    param.split('=').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &str) -> CanonicalUrl {
        CanonicalUrl::from_stored(&format!("http://a.example{path}")).unwrap()
    }

    /// Shows `items` under each URL, then asks for one more.
    fn check(shown: &[(String, u32)], asked: &str, expect: Option<&str>) {
        let mut parts = NeutralParts::default();
        shown.iter().for_each(|(path, items)| parts.learn(&url(path), *items));
        assert_eq!(parts.copy(&url(asked)).as_deref(), expect, "{asked}");
    }

    #[test]
    fn a_parameter_that_changes_nothing_is_learned_and_no_page_is_lost() {
        let shown: Vec<_> = (0..4)
            .flat_map(|page| {
                (0..5).map(move |sort| (format!("/list?page={page}&sort={}", "x".repeat(sort)), page))
            })
            .collect();
        check(
            &shown,
            "/list?page=2&sort=new",
            Some("parameter `sort` of http://a.example/* changes nothing"),
        );
        check(&shown, "/list?page=9&sort=new", None);
        check(&shown, "/list?page=2", None);
        let mut mixed = shown.clone();
        mixed.push(("/other?sort=a".into(), 100));
        mixed.push(("/other?sort=b".into(), 101));
        check(&mixed, "/other?sort=c", None);
        check(
            &mixed,
            "/list?page=2&sort=new",
            Some("parameter `sort` of http://a.example/list changes nothing"),
        );
    }

    #[test]
    fn session_ids_in_paths_are_learned_wherever_they_stand() {
        let shown = |before: &str| -> Vec<_> {
            (0..30_u32)
                .map(|n| (format!("{before}/{}/p{}", "q".repeat(n as usize + 1), n % 3), n % 3))
                .collect()
        };
        check(
            &shown("/s"),
            "/s/new/p1",
            Some("what stands for * in http://a.example/s/*/p1 changes nothing"),
        );
        check(&shown("/s"), "/s/new/p7", None);
        check(&shown(""), "/new/p1", Some("what stands for * in http://a.example/*/p1 changes nothing"));
    }

    #[test]
    fn the_order_of_tags_is_learned() {
        let tags = ["a", "b", "c", "d"];
        let mut shown = Vec::new();
        for one in tags {
            for two in tags.into_iter().filter(|two| *two != one) {
                for three in tags.into_iter().filter(|three| *three != one && *three != two) {
                    let mut sorted = [one, two, three];
                    sorted.sort_unstable();
                    let items = sorted.concat().bytes().fold(0, |sum, b| sum * 31 + u32::from(b));
                    shown.push((format!("/tag/{one}+{two}+{three}"), items));
                }
            }
        }
        let asked = shown.pop().unwrap().0;
        check(&shown, &asked, Some("the order of parts in http://a.example/tag changes nothing"));
        check(&shown, "/tag/a+b+z", None);
    }

    #[test]
    fn ids_are_not_neutral() {
        let shown: Vec<_> = (0..200).map(|n| (format!("/photo/{n}?from={n}"), n)).collect();
        check(&shown, "/photo/900", None);
        check(&shown, "/photo/7?from=9", None);
    }
}
