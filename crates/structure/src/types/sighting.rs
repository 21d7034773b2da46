//! The summary of one page for the facts of its cluster: numbers and fingerprints, no text and no tree.
//!
//! One walk over the tree finds for every node whether it is in a link, in a heading, or near a class that names a
//! person or a subject. Texts and links per page are limited; the rest of a longer page is ignored.

use hashbrown::HashMap;
use osprey_model::CanonicalUrl;
use osprey_page::{Link, LinkKind, NodeRef, Page, Rel};

use crate::drp::{DrpFeatures, Model};

use super::words::{
    Fnv, ends_before_name, fingerprint, is_person_class, is_subject_class, word_count, words,
};

/// Texts that are kept of a page.
const MAX_TEXTS: usize = 2_000;
/// Links that are kept of a page.
const MAX_LINKS: usize = 2_000;
/// Headings that can name a page.
const MAX_HEADINGS: usize = 8;
/// Words of a title or heading that can be part of a name.
const MAX_TITLE_WORDS: usize = 24;
/// Words of a name.
const MAX_NAME_WORDS: usize = 6;
/// Elements from a link up to the class that describes it.
const NEAR: u8 = 3;
/// Links in an element whose class describes them: a byline has few, a list of a person's photos has many.
const MAX_MARKED: u32 = 4;

/// The summary of a page.
#[derive(Clone, Debug)]
pub(super) struct Sighting {
    /// Fingerprints of its addresses: the requested one, and its own.
    pub(super) urls: [u64; 2],
    /// Fingerprints of its title and of its headings.
    pub(super) titles: Vec<u64>,
    /// Fingerprints of its title and headings and of the names that may be in them, sorted.
    pub(super) names: Vec<u64>,
    /// Texts outside links: fingerprint and number of characters.
    pub(super) texts: Vec<(u64, u32)>,
    /// Characters of text in links.
    pub(super) link_chars: u64,
    /// Links inside the site.
    pub(super) links: Vec<SeenLink>,
    /// Whether it looks like a detail page by itself.
    pub(super) looks_detail: bool,
}

/// The summary of a link.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeenLink {
    /// Fingerprint of where it leads.
    pub(super) to: u64,
    /// Key of its Apath.
    pub(super) apath: u64,
    /// Fingerprint of its words; 0 without words.
    pub(super) anchor: u64,
    /// How many words it has, up to 255.
    pub(super) words: u8,
    /// What it shows of its end.
    pub(super) hints: Hints,
}

/// What a link shows of where it leads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Hints {
    /// It wraps an image.
    pub(super) image: bool,
    /// It is marked as leading to a person.
    pub(super) person: bool,
    /// It is marked as leading to a tag or a category.
    pub(super) subject: bool,
    /// It leads to another page of a series: by `rel`, or its words are a number.
    pub(super) series: bool,
}

impl Sighting {
    /// The summary of a page that was requested at `asked`.
    pub(super) fn of(page: &Page, asked: &CanonicalUrl) -> Self {
        let places = Places::of(page);
        let (mut texts, mut link_chars, mut headings) = (Vec::new(), 0, Vec::new());
        for pair in page.psnv() {
            let (value, place) = (page.psnv_value(pair), places.at(pair.node.index()));
            let chars = value.chars().count() as u64;
            if place.heading && headings.len() < MAX_HEADINGS {
                headings.push(value);
            }
            if place.link {
                link_chars += chars;
            } else if texts.len() < MAX_TEXTS {
                texts.push((fingerprint(value), u32::try_from(chars).unwrap_or(u32::MAX)));
            }
        }
        Self {
            urls: [asked.fingerprint(), page.url().fingerprint()],
            titles: std::iter::once(page.title()).chain(headings.iter().copied()).map(fingerprint).collect(),
            names: names(std::iter::once(page.title()).chain(headings)),
            texts,
            link_chars,
            links: links(page, &places),
            looks_detail: Model::osprey().judge(&DrpFeatures::of(page)).detail,
        }
    }

    /// Whether the page is called so.
    pub(super) fn is_named(&self, anchor: u64) -> bool {
        anchor != 0 && self.names.binary_search(&anchor).is_ok()
    }
}

fn links(page: &Page, places: &Places) -> Vec<SeenLink> {
    let host = page.url().host_key();
    let is_inside = |link: &Link| link.url.host_key() == host && link.kind != LinkKind::Frame;
    let seen = |(link, hints): (&Link, Hints)| {
        let anchor = page.anchor(link);
        SeenLink {
            to: link.url.fingerprint(),
            apath: page.apath_key(link.apath),
            anchor: fingerprint(anchor),
            words: u8::try_from(word_count(anchor)).unwrap_or(u8::MAX),
            hints,
        }
    };
    let all = page.links().iter().zip(hints_of_links(page, places));
    all.filter(|(link, _)| is_inside(link)).take(MAX_LINKS).map(seen).collect()
}

/// What each link of a page shows of where it leads.
pub(super) fn hints_of_links(page: &Page, places: &Places) -> Vec<Hints> {
    let mut texts = page.psnv().iter().peekable();
    let mut before = "";
    let hints_of = |link: &Link| {
        let place = places.at(link.node.index());
        while let Some(pair) = texts.next_if(|pair| places.at(pair.node.index()).order < place.order) {
            before = if places.at(pair.node.index()).link { "" } else { page.psnv_value(pair) };
        }
        hints(link, page.anchor(link), before, place)
    };
    page.links().iter().map(hints_of).collect()
}

fn hints(link: &Link, anchor: &str, before: &str, place: NodePosition) -> Hints {
    let is_number = !anchor.is_empty() && anchor.len() < 8 && anchor.bytes().all(|b| b.is_ascii_digit());
    Hints {
        image: link.wraps_image,
        person: link.rel.contains(Rel::AUTHOR) || place.person <= NEAR || ends_before_name(before),
        subject: link.rel.contains(Rel::TAG) || place.subject <= NEAR,
        series: is_number || link.rel.intersects(Rel::NEXT | Rel::PREV),
    }
}

/// Fingerprints of some texts and of all runs of a few words in them, sorted.
fn names<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<u64> {
    let mut names = Vec::new();
    for text in texts {
        names.push(fingerprint(text));
        let all: Vec<&str> = words(text).take(MAX_TITLE_WORDS).collect();
        for start in 0..all.len() {
            let mut name = Fnv::default();
            for word in all.iter().skip(start).take(MAX_NAME_WORDS) {
                name.word(word);
                names.push(name.finish());
            }
        }
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// What surrounds a node.
#[derive(Clone, Copy, Debug)]
struct NodePosition {
    /// Its number in document order.
    order: u32,
    /// Whether it is a link or in one.
    link: bool,
    /// Whether it is in a heading of the first two levels.
    heading: bool,
    /// Elements up to one whose class or property refers to a person, 0 for itself.
    person: u8,
    /// The same of a subject.
    subject: u8,
}

/// The surroundings of all nodes of a page, by their number.
pub(super) struct Places(Vec<NodePosition>);

impl Places {
    const NOWHERE: NodePosition =
        NodePosition { order: 0, link: false, heading: false, person: u8::MAX, subject: u8::MAX };

    pub(super) fn of(page: &Page) -> Self {
        let nodes = in_order(page);
        let links = links_within(page, &nodes);
        let mut places = Self(vec![Self::NOWHERE; page.tree().len()]);
        let mut looks = Looks::default();
        for (order, node) in (0..).zip(&nodes) {
            let above = node.parent().map_or(Self::NOWHERE, |parent| places.at(parent.id().index()));
            let links = links.get(node.id().index()).copied().unwrap_or(0);
            if let Some(slot) = places.0.get_mut(node.id().index()) {
                *slot = NodePosition { order, ..looks.place(node, above, links <= MAX_MARKED) };
            }
        }
        places
    }

    fn at(&self, node: usize) -> NodePosition {
        self.0.get(node).copied().unwrap_or(Self::NOWHERE)
    }
}

/// The nodes of a page in document order, which is not always the order of their numbers.
fn in_order(page: &Page) -> Vec<NodeRef<'_>> {
    let mut open: Vec<NodeRef<'_>> = page.tree().nodes().filter(|node| node.parent().is_none()).collect();
    open.reverse();
    let mut nodes = Vec::with_capacity(page.tree().len());
    while let Some(node) = open.pop() {
        nodes.push(node);
        let first = open.len();
        open.extend(node.children());
        // the first child is the next to be taken
        open.get_mut(first..).unwrap_or_default().reverse();
    }
    nodes
}

/// How many links there are in each node, itself included.
fn links_within(page: &Page, nodes: &[NodeRef<'_>]) -> Vec<u32> {
    let mut links = vec![0_u32; page.tree().len()];
    for link in page.links() {
        links.get_mut(link.node.index()).into_iter().for_each(|count| *count += 1);
    }
    // children come after their parents: from the end, they are counted before
    for node in nodes.iter().rev() {
        let own = links.get(node.id().index()).copied().unwrap_or(0);
        if let Some(count) = node.parent().and_then(|parent| links.get_mut(parent.id().index())) {
            *count += own;
        }
    }
    links
}

/// The meaning of classes, each computed once: a page has few different ones.
#[derive(Default)]
struct Looks<'a>(HashMap<&'a str, (bool, bool)>);

impl<'a> Looks<'a> {
    /// The surroundings of a node; `speaks` if its class can describe the links in it.
    fn place(&mut self, node: &NodeRef<'a>, above: NodePosition, speaks: bool) -> NodePosition {
        let Some(name) = node.name() else { return above };
        let class = node.attr("class").filter(|_| speaks).unwrap_or_default();
        let (mut person, subject) =
            *self.0.entry(class).or_insert_with(|| (is_person_class(class), is_subject_class(class)));
        person |=
            speaks && node.attr("itemprop").is_some_and(|property| matches!(property, "author" | "creator"));
        let distance = |is: bool, above: u8| if is { 0 } else { above.saturating_add(1) };
        NodePosition {
            order: 0,
            link: above.link || name == "a",
            heading: above.heading || matches!(name, "h1" | "h2"),
            person: distance(person, above.person),
            subject: distance(subject, above.subject),
        }
    }
}

#[cfg(test)]
mod tests {
    use osprey_model::UrlRules;
    use osprey_page::{Input, PageRules};

    use super::*;

    fn sighting(body: &str) -> Sighting {
        let url = CanonicalUrl::parse("http://example.com/", &UrlRules::default()).expect("a URL");
        let input = Input { url: &url, content_type: None, body: body.as_bytes() };
        Sighting::of(&Page::parse(&input, &PageRules::default()), &url)
    }

    #[test]
    fn links_show_where_they_lead() {
        let check = |body: &str, expect: [bool; 4]| {
            let seen = sighting(body);
            let hints = seen.links.last().expect("a link").hints;
            assert_eq!([hints.image, hints.person, hints.subject, hints.series], expect, "{body}");
        };
        check("<p>see <a href=/x>x</a>", [false; 4]);
        check("<p>posted by <a href=/x>x</a>", [false, true, false, false]);
        check("<p>by <a href=/y>y</a> <a href=/x>x</a>", [false; 4]);
        check("<p class=author><b><a href=/x>x</a></b>", [false, true, false, false]);
        check("<p class=author><b><i><u><a href=/x>x</a></u></i></b>", [false; 4]);
        check(&format!("<p class=author>{}<a href=/x>x</a>", "<a href=/y>y</a>".repeat(4)), [false; 4]);
        check("<p><a href=/x rel=author>x</a>", [false, true, false, false]);
        check("<p itemprop=author><a href=/x>x</a>", [false, true, false, false]);
        check("<ul class=tags><li><a href=/x>x</a></ul>", [false, false, true, false]);
        check("<a href=/x><img src=/i></a>", [true, false, false, false]);
        check("<a href=/x>12</a>", [false, false, false, true]);
        check("<a rel=next href=/x>on</a>", [false, false, false, true]);
    }

    #[test]
    fn texts_are_counted_in_and_out_of_links() {
        let seen = sighting("<p>four <a href=/x>sixsix</a><a href=http://example.org/>out</a>");
        assert_eq!(seen.texts, [(fingerprint("four"), 4)]);
        assert_eq!((seen.link_chars, seen.links.len()), (9, 1));
    }

    #[test]
    fn a_page_is_named_by_its_title_and_headings() {
        let seen = sighting("<title>Photos of Ann Lee | Site</title><h1>Hello, <b>you</b></h1><h3>no</h3>");
        let check = |name: &str, expect: bool| assert_eq!(seen.is_named(fingerprint(name)), expect, "{name}");
        check("Ann Lee", true);
        check("ann lee site", true);
        check("you", true);
        check("hello", true);
        check("no", false);
        check("Ann Site", false);
        check("", false);
    }
}
