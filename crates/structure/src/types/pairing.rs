//! Finds who uploaded the items on a list page: a detail link and a profile link in the same block belong together.
//!
//! The block of a detail link is the largest element around it without a detail link to another page: a card, a row, a
//! cell. If a block has several profile links, the first is the uploader's: "by Ann, last answer by Bob". If a list has
//! no such elements, a profile link belongs to the detail link before it.
//!
//! [`pairs`] takes the kinds of the links from the caller, usually from the navigation table. [`pairs_by_structure`]
//! guesses them: links of one Apath that wrap pictures or have titles lead to details; links of one Apath that are
//! marked as people, or else short ones that occur once per block, lead to uploaders.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use osprey_page::{Link, NodeId, NodeRef, Page};

use super::sighting::{Hints, Places, hints_of_links};
use super::words::word_count;

/// An Apath with at least this many links is a list.
const FEWEST: usize = 3;
/// Anchors with at least this many words on average are titles.
const TITLE_WORDS: f64 = 2.0;
/// Anchors with at most this many words on average can be names.
const NAME_WORDS: f64 = 3.5;

/// How many Apaths are tried as names, those with the most links first.
const MAX_TRIED: usize = 8;

/// A detail link and the link to its uploader: indices into the page's links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pairing {
    /// The link to the detail page.
    pub detail: usize,
    /// The link to the uploader's profile.
    pub uploader: usize,
}

/// Pairs detail links with their uploaders, in the order of the detail links. Every occurrence of a detail link counts,
/// the thumbnail as well as the title below it. Time grows with the number of nodes and links.
pub fn pairs(
    page: &Page,
    is_detail: impl Fn(&Link) -> bool,
    is_profile: impl Fn(&Link) -> bool,
) -> Vec<Pairing> {
    let details: Vec<usize> = places(page, |link| is_detail(link) && !is_profile(link));
    let profiles: Vec<usize> = places(page, &is_profile);
    let targets: BTreeSet<u64> = details.iter().filter_map(|detail| target(page, *detail)).collect();
    if targets.len() < 2 {
        // a single item has no boundary: the whole page would be its block
        return Vec::new();
    }
    let blocks = Blocks::new(page, &details);
    // the first profile link of each block, by the block's only detail page
    let mut uploaders: HashMap<(NodeId, u64), usize> = HashMap::new();
    let mut flat: Vec<(NodeId, usize)> = Vec::new();
    for &profile in &profiles {
        match blocks.around(page, profile) {
            Some((block, Holds::One(target))) => {
                uploaders.entry((block, target)).or_insert(profile);
            }
            Some((block, Holds::Many)) => flat.push((block, profile)),
            None => {}
        }
    }
    let mut pairs: Vec<Pairing> = Vec::new();
    for &detail in &details {
        let block = blocks.largest_around(page, detail);
        let uploader = block.and_then(|block| uploaders.get(&block));
        pairs.extend(uploader.map(|&uploader| Pairing { detail, uploader }));
    }
    if pairs.is_empty() {
        pairs = in_sequence(page, &details, &flat, &blocks);
    }
    pairs
}

/// Pairs in lists without blocks: a profile link belongs to the detail links of the page that is linked just before it.
fn in_sequence(
    page: &Page,
    details: &[usize],
    profiles: &[(NodeId, usize)],
    blocks: &Blocks,
) -> Vec<Pairing> {
    let mut pairs: Vec<Pairing> = Vec::new();
    let mut seen: BTreeSet<usize> = BTreeSet::new();
    for &(list, profile) in profiles {
        let end = details.partition_point(|detail| *detail < profile);
        let before = details.get(..end).unwrap_or_default();
        let last = before.last().and_then(|last| target(page, *last));
        let of_last = before.iter().rev().take_while(|detail| target(page, **detail) == last);
        for &detail in of_last {
            if !seen.insert(detail) {
                break;
            }
            if blocks.list_around(page, detail) == Some(list) {
                pairs.push(Pairing { detail, uploader: profile });
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

fn places(page: &Page, is: impl Fn(&Link) -> bool) -> Vec<usize> {
    page.links().iter().enumerate().filter(|(_, link)| is(link)).map(|(place, _)| place).collect()
}

/// Where a link leads, by its number.
fn target(page: &Page, link: usize) -> Option<u64> {
    page.links().get(link).map(|link| link.url.fingerprint())
}

/// Detail pages that an element links to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    One(u64),
    Many,
}

/// Elements around detail links.
struct Blocks(HashMap<NodeId, Holds>);

impl Blocks {
    /// Marks the elements around some links. Every element changes at most twice, and a climb ends where nothing
    /// changes.
    fn new(page: &Page, details: &[usize]) -> Self {
        let mut holds: HashMap<NodeId, Holds> = HashMap::new();
        for link in details.iter().filter_map(|place| page.links().get(*place)) {
            let target = link.url.fingerprint();
            let mut next = page.tree().node(link.node);
            while let Some(node) = next {
                let now = match holds.get(&node.id()) {
                    None => Holds::One(target),
                    Some(Holds::One(other)) if *other != target => Holds::Many,
                    Some(_) => break,
                };
                holds.insert(node.id(), now);
                next = node.parent();
            }
        }
        Self(holds)
    }

    fn up<'a>(page: &'a Page, link: usize) -> impl Iterator<Item = NodeRef<'a>> {
        let start = page.links().get(link).and_then(|link| page.tree().node(link.node));
        std::iter::successors(start, NodeRef::parent)
    }

    /// The nearest element with detail links around a profile link; for one detail page, the largest such element.
    fn around(&self, page: &Page, profile: usize) -> Option<(NodeId, Holds)> {
        let mut found = None;
        for node in Self::up(page, profile) {
            match (self.0.get(&node.id()), found) {
                (None, _) => {}
                (Some(Holds::Many), None) => return Some((node.id(), Holds::Many)),
                (Some(Holds::Many), Some(_)) => break,
                (Some(one), _) => found = Some((node.id(), *one)),
            }
        }
        found
    }

    /// The largest element around a detail link without another detail page, and its own page.
    fn largest_around(&self, page: &Page, detail: usize) -> Option<(NodeId, u64)> {
        let one = |node: &NodeRef<'_>| match self.0.get(&node.id()) {
            Some(Holds::One(target)) => Some((node.id(), *target)),
            _ => None,
        };
        Self::up(page, detail).map_while(|node| one(&node)).last()
    }

    /// The smallest element around a detail link with another detail page in it.
    fn list_around(&self, page: &Page, detail: usize) -> Option<NodeId> {
        let mut up = Self::up(page, detail);
        up.find(|node| self.0.get(&node.id()) == Some(&Holds::Many)).map(|node| node.id())
    }
}

/// Pairs on a page without any knowledge of the site. Empty if no list of items with uploaders is found.
pub fn pairs_by_structure(page: &Page) -> Vec<Pairing> {
    let slots = Slots::of(page);
    let Some(items) = slots.items() else { return Vec::new() };
    let targets: BTreeSet<u64> = items.targets.clone();
    let is_item = |link: &Link| targets.contains(&link.url.fingerprint());
    let people: BTreeSet<u64> = slots.people(&targets);
    let marked = pairs(page, is_item, |link| people.contains(&page.apath_key(link.apath)) && !is_item(link));
    if !people.is_empty() {
        return if marked.len() >= FEWEST { marked } else { Vec::new() };
    }
    let mut best = Vec::new();
    for apath in slots.names(&targets).into_iter().take(MAX_TRIED) {
        let found = pairs(page, is_item, |link| page.apath_key(link.apath) == apath && !is_item(link));
        let items: BTreeSet<usize> = found.iter().map(|pair| pair.uploader).collect();
        // once in nearly every block: what occurs only in some is something else
        if 10 * items.len() >= 8 * targets.len() && found.len() > best.len() {
            best = found;
        }
    }
    best
}

/// Links of one Apath.
#[derive(Clone, Debug, Default)]
struct Slot {
    links: usize,
    words: usize,
    wordless: usize,
    images: usize,
    people: usize,
    /// Links that are marked as subjects or as parts of a series.
    other: usize,
    targets: BTreeSet<u64>,
}

impl Slot {
    fn note(&mut self, link: &Link, anchor: &str, hints: Hints) {
        let words = word_count(anchor);
        self.links += 1;
        self.words += words;
        self.wordless += usize::from(words == 0);
        self.images += usize::from(hints.image);
        self.people += usize::from(hints.person);
        self.other += usize::from(hints.subject || hints.series);
        self.targets.insert(link.url.fingerprint());
    }

    fn mean_words(&self) -> f64 {
        self.words as f64 / self.links.max(1) as f64
    }

    fn is_mostly(&self, count: usize) -> bool {
        2 * count > self.links
    }

    /// Whether it leads to as many pages as it has links, or nearly.
    fn is_varied(&self) -> bool {
        self.targets.len() >= FEWEST && 10 * self.targets.len() >= 8 * self.links
    }
}

/// The links of a page by Apath, in the order of their keys.
struct Slots(BTreeMap<u64, Slot>);

impl Slots {
    fn of(page: &Page) -> Self {
        let hints = hints_of_links(page, &Places::of(page));
        let host = page.url().host_key();
        let mut slots: BTreeMap<u64, Slot> = BTreeMap::new();
        for (link, hints) in page.links().iter().zip(hints).filter(|(link, _)| link.url.host_key() == host) {
            slots.entry(page.apath_key(link.apath)).or_default().note(link, page.anchor(link), hints);
        }
        Self(slots)
    }

    /// The links to what the page lists: thumbnails, or, without any, titles.
    fn items(&self) -> Option<&Slot> {
        let plain =
            || self.0.values().filter(|slot| slot.is_varied() && !slot.is_mostly(slot.people + slot.other));
        let thumbnails =
            plain().filter(|slot| slot.is_mostly(slot.images)).max_by_key(|slot| slot.targets.len());
        thumbnails
            .or_else(|| plain().filter(|slot| slot.mean_words() >= TITLE_WORDS).max_by_key(|slot| slot.words))
    }

    fn could_name(&self) -> impl Iterator<Item = (&u64, &Slot)> {
        self.0.iter().filter(|(_, slot)| {
            slot.links >= FEWEST && slot.mean_words() <= NAME_WORDS && !slot.is_mostly(slot.wordless)
        })
    }

    /// Apaths of links that are marked as people.
    fn people(&self, items: &BTreeSet<u64>) -> BTreeSet<u64> {
        let marked = self.could_name().filter(|(_, slot)| slot.is_mostly(slot.people));
        marked.filter(|(_, slot)| slot.targets.is_disjoint(items)).map(|(apath, _)| *apath).collect()
    }

    /// Apaths of links that may be names, those with the most links first.
    fn names(&self, items: &BTreeSet<u64>) -> Vec<u64> {
        let plain = self.could_name().filter(|(_, slot)| !slot.is_mostly(slot.other + slot.images));
        let plain = plain.filter(|(_, slot)| slot.targets.len() > 1 && slot.targets.is_disjoint(items));
        let mut names: Vec<(usize, u64)> = plain.map(|(apath, slot)| (slot.links, *apath)).collect();
        names.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        names.into_iter().map(|(_, apath)| apath).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::characteristic::tests::page;
    use super::*;

    /// Pairs in words: `title:name`, by the ends of the URLs.
    fn told(page: &Page, pairs: &[Pairing]) -> Vec<String> {
        let end =
            |link: usize| page.links()[link].url.as_str().rsplit('/').next().unwrap_or_default().to_owned();
        pairs.iter().map(|pair| format!("{}:{}", end(pair.detail), end(pair.uploader))).collect()
    }

    fn check_known(body: &str, expect: &[&str]) {
        let page = page(body);
        let found = pairs(
            &page,
            |link| link.url.path().starts_with("/d/"),
            |link| link.url.path().starts_with("/u/"),
        );
        assert_eq!(told(&page, &found), expect, "{body}");
    }

    fn check_by_structure(body: &str, expect: &[&str]) {
        let page = page(body);
        assert_eq!(told(&page, &pairs_by_structure(&page)), expect, "{body}");
    }

    #[test]
    fn links_in_one_block_are_paired() {
        check_known(
            "<div><a href=/d/1>x</a> by <a href=/u/ann>ann</a></div><div><p><a href=/d/2>y</a></p><i><a href=/u/bob>bob</a></i></div>",
            &["1:ann", "2:bob"],
        );
        // thumbnail and title are links of one block
        check_known(
            "<ul><li><a href=/d/1><img src=/1></a><a href=/d/1>x</a><a href=/u/ann>ann</a><li><a href=/d/2>y</a></ul>",
            &["1:ann", "1:ann"],
        );
        // the first of several, before the title or after it
        check_known(
            "<table><tr><td><a href=/u/ann>a</a><td><a href=/d/1>x</a><td><a href=/u/bob>b</a><tr><td><a href=/d/2>y</a></table>",
            &["1:ann"],
        );
        check_known("<a href=/u/ann>me</a><ul><li><a href=/d/1>x</a><li><a href=/d/2>y</a></ul>", &[]);
        check_known("<a href=/u/ann>me</a><p><a href=/d/1>x</a>", &[]);
        check_known("", &[]);
    }

    #[test]
    fn lists_without_blocks_are_read_in_order() {
        check_known(
            "<p><a href=/d/1>x</a> by <a href=/u/ann>ann</a><br><a href=/d/2>y</a><a href=/d/2>more</a> by <a href=/u/bob>bob</a>",
            &["1:ann", "2:bob", "2:bob"],
        );
        check_known(
            "<dl><dt><a href=/d/1>x</a><dd><a href=/u/ann>ann</a><dt><a href=/d/2>y</a><dd>none</dl>",
            &["1:ann"],
        );
    }

    /// `pages` cards, each with a link around `shown` and a second link, in `before` and with a class.
    fn cards(shown: &str, before: &str, class: &str) -> String {
        let card = |n: usize| {
            format!(
                "<div><a href=/{n}>{shown}</a><span>{before} <a class='{class}' href=/~{n}>name{n}</a></span></div>"
            )
        };
        format!("<a href=/login>Sign in</a>{}", (1..=4).map(card).collect::<String>())
    }

    #[test]
    fn uploaders_are_found_by_structure() {
        let all = ["1:~1", "2:~2", "3:~3", "4:~4"];
        check_by_structure(&cards("<img src=/i>", "by", ""), &all);
        check_by_structure(&cards("<img src=/i>", "", "owner-name"), &all);
        check_by_structure(&cards("<img src=/i>", "", ""), &all);
        check_by_structure(&cards("A long way home", "", ""), &all);
        check_by_structure(&cards("<img src=/i>", "", "tag"), &[]);
        check_by_structure(&cards("word", "by", ""), &[]);
        check_by_structure("<ul><li><a href=/1>One long title</a></ul>", &[]);
    }

    /// Names that are not in every block are not uploaders, unless they are marked.
    #[test]
    fn occasional_names_are_not_uploaders() {
        let row = |n: usize, who: &str| format!("<li><a href=/{n}>A title of words</a> {who}</li>");
        let some = |class: &str| {
            let name = |n: usize| format!("<b><a class='{class}' href=/~{n}>n</a></b>");
            let rows: String =
                (1..=8).map(|n| row(n, &if n < 5 { name(n) } else { String::new() })).collect();
            format!("<ul>{rows}</ul>")
        };
        check_by_structure(&some(""), &[]);
        check_by_structure(&some("author"), &["1:~1", "2:~2", "3:~3", "4:~4"]);
    }
}
