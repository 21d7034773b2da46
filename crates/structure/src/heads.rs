//! Where the pages of a group are: the constant beginning of their addresses.
//!
//! On a forum nearly all that a profile shows is on a long thread too, one kind of link leads to both, and no class tells
//! them apart; but one is at `/member/17` and the other at `/thread/4711`. The *head* of an address is its longest
//! beginning, folder by folder, that enough pages of the sample share, runs of digits as one: `/member/0`. An address that
//! shares nothing has the head of the site. Sites whose addresses say nothing (`/p/3fa9`) have one head, and then heads
//! decide nothing.
//!
//! Heads alone do not make a template: the sections of a site have addresses of their own. They are one of two kinds of
//! evidence, the other being paths ([`crate::split`], [`crate::template`]).

use std::collections::BTreeMap;

use hashbrown::HashMap;
use osprey_model::CanonicalUrl;

use crate::features::PageShape;
use crate::fnv;

/// Folders of an address that are looked at.
const MAX_STEPS: usize = 4;
/// Pages that have to share the beginning of an address: at least so many ...
const FEWEST: usize = 8;
/// ... and this share of the sample.
const SHARE: f64 = 0.02;
/// Groups whose heads have no more than this in common are at different places.
const ELSEWHERE: f64 = 0.1;

/// Fingerprints of the beginnings of an address, the shortest first.
pub(crate) fn beginnings(url: &CanonicalUrl) -> Vec<u64> {
    let mut hash = fnv::START;
    let mut found = Vec::new();
    let folders = url.path().split('/').filter(|folder| !folder.is_empty());
    for folder in folders.take(MAX_STEPS) {
        hash = folded(fnv::byte(hash, b'/'), folder);
        found.push(hash);
    }
    // where one script answers everything, the first parameter says what
    let is_index = |folder: &str| folder.starts_with("index.");
    let script = url.path().rsplit('/').next().unwrap_or_default();
    if let Some(query) = url.query().filter(|_| script.is_empty() || is_index(script)) {
        let first = query.split(['&', ';']).next().unwrap_or_default();
        let (name, value) = first.split_once('=').unwrap_or((first, ""));
        let is_word = value.bytes().all(|byte| byte.is_ascii_alphabetic());
        let hash = folded(fnv::byte(hash, b'?'), name);
        found.push(hash);
        if is_word && !value.is_empty() {
            found.push(folded(fnv::byte(hash, b'='), value));
        }
    }
    found
}

/// A run of digits counts as one digit.
fn folded(mut hash: u64, text: &str) -> u64 {
    let mut after_digit = false;
    for byte in text.bytes() {
        let digit = byte.is_ascii_digit();
        if !(digit && after_digit) {
            hash = fnv::byte(hash, if digit { b'0' } else { byte });
        }
        after_digit = digit;
    }
    hash
}

/// The head of each page of a sample; 0 for that of the site.
pub(crate) fn heads(shapes: &[PageShape]) -> Vec<u64> {
    let mut pages: HashMap<u64, usize> = HashMap::new();
    shapes.iter().flat_map(PageShape::beginnings).for_each(|key| *pages.entry(*key).or_default() += 1);
    let enough = FEWEST.max((SHARE * shapes.len() as f64) as usize);
    let is_shared = |key: &&u64| pages.get(*key).is_some_and(|&pages| pages >= enough);
    let head = |shape: &PageShape| shape.beginnings().iter().take_while(is_shared).last().copied();
    shapes.iter().map(|shape| head(shape).unwrap_or_default()).collect()
}

/// The heads of a group's pages.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeadCounts {
    pages: usize,
    heads: BTreeMap<u64, usize>,
}

impl HeadCounts {
    pub(crate) fn add(&mut self, head: u64) {
        self.pages += 1;
        *self.heads.entry(head).or_default() += 1;
    }

    pub(crate) fn join(&mut self, other: Self) {
        self.pages += other.pages;
        other.heads.into_iter().for_each(|(head, pages)| *self.heads.entry(head).or_default() += pages);
    }

    /// Whether two groups are at different places.
    pub(crate) fn are_elsewhere(&self, other: &Self) -> bool {
        let share = |counts: &Self, head: u64| {
            counts.heads.get(&head).map_or(0.0, |&pages| pages as f64 / counts.pages as f64)
        };
        let common: f64 = self.heads.keys().map(|&head| share(self, head).min(share(other, head))).sum();
        self.pages > 0 && other.pages > 0 && common <= ELSEWHERE
    }
}

#[cfg(test)]
mod tests {
    use osprey_model::UrlRules;

    use super::*;

    fn shape(url: &str) -> PageShape {
        let url =
            CanonicalUrl::parse(&format!("http://a.example{url}"), &UrlRules::default()).expect("a URL");
        PageShape::default().beginning_with(beginnings(&url))
    }

    /// Nine pages at each address (with `N` for a number, `W` for a word of its own), and whether they share a head.
    fn check(first: &str, second: &str, same: bool) {
        let at = |pattern: &str, number: usize| {
            let word: String = number.to_string().bytes().map(|digit| char::from(digit + 49)).collect();
            shape(&pattern.replace('N', &number.to_string()).replace('W', &word))
        };
        let shapes: Vec<PageShape> =
            (0..9).map(|n| at(first, n)).chain((9..18).map(|n| at(second, n))).collect();
        let heads = heads(&shapes);
        let (mut one, mut two) = (HeadCounts::default(), HeadCounts::default());
        heads[..9].iter().for_each(|&head| one.add(head));
        heads[9..].iter().for_each(|&head| two.add(head));
        assert_eq!(!one.are_elsewhere(&two), same, "{first} {second}: {heads:?}");
    }

    #[test]
    fn by_hand() {
        check("/member/N", "/thread/N", false);
        check("/forum/member/W", "/forum/thread/W-N", false);
        check("/thread/N", "/thread/N/W", true);
        check("/tag/W", "/tag/W/page/N", true);
        check("/p/W", "/p/W", true);
        check("/W", "/author/W", false);
        check("/viewtopic.php?t=N", "/memberlist.php?u=N", false);
        check("/viewtopic.php?t=N", "/viewtopic.php?p=N", true);
        check("/index.php?topic=N", "/index.php?action=profile;u=N", false);
        check("/2019/05/W", "/2020/11/W", true);
    }

    #[test]
    fn pages_without_addresses_are_at_one_place() {
        let heads = heads(&vec![PageShape::default(); 3]);
        assert_eq!(heads, [0; 3]);
        assert!(!HeadCounts::default().are_elsewhere(&HeadCounts::default()));
    }
}
