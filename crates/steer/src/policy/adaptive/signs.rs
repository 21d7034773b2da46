//! What can be known of a link before it is followed.

use osprey_page::{Link, Page, Rel};
use osprey_structure::Reading;
use osprey_text::{Language, detect, with_reader};
use serde::{Deserialize, Serialize};

use super::given::Given;
use super::shape::{ListPage, Shapes};

/// From this match on a text speaks of what is wanted.
const SPEAKS: f32 = 0.5;
/// Elements up to the block that a link is repeated in.
const MOST_UP: usize = 12;

/// Where the words stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Said {
    /// Nowhere near the link.
    #[default]
    Nowhere,
    /// In the text around it.
    Around,
    /// In another link of its row: the board of a thread.
    InRow,
    /// In its own words or its URL.
    ByLink,
}

/// What is known of one link.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sign {
    pub(super) said: Said,
    /// Whether the page it stands on speaks of it: its title or URL.
    pub(super) by_page: bool,
    pub(super) apath: u64,
    pub(super) shape: u64,
    /// The list that it is a further page of: that of the page it stands on.
    pub(super) next_of: Option<u64>,
}

/// What is known of a page and its links.
#[derive(Debug)]
pub(super) struct Signs {
    /// The kind of page: its learned cluster, or the shape of its URL.
    pub(super) bucket: u64,
    pub(super) list: ListPage,
    pub(super) by_page: bool,
    pub(super) links: Vec<Sign>,
}

impl Signs {
    pub(super) fn of(page: &Page, reading: Option<&Reading>, given: &mut Given, shapes: &mut Shapes) -> Self {
        let language = detect(page.text(), page.lang());
        let own_shape = shapes.of(page.url());
        let cluster = reading.and_then(|reading| reading.cluster);
        let bucket = cluster.map_or(own_shape, |cluster| u64::from(cluster).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let list = ListPage::of(page.url());
        with_reader(|reader| {
            let by_title = given.matched(reader, page.title(), language);
            let by_page = by_title.max(given.in_url(reader, page.url().path_and_query(), language)) >= SPEAKS;
            let mut links: Vec<Sign> = Vec::with_capacity(page.links().len());
            for link in page.links() {
                let anchor = page.anchor(link);
                let by_link = given.matched(reader, anchor, language);
                let by_link = match by_link >= SPEAKS {
                    true => by_link,
                    false => by_link.max(given.in_url(reader, link.url.path_and_query(), language)),
                };
                let said = if by_link >= SPEAKS { Said::ByLink } else { Said::Nowhere };
                let next_of = is_next(page, link, list).then_some(list.list);
                let apath = page.xpath_key(page.apath_xpath(link.apath));
                links.push(Sign { said, by_page, apath, shape: shapes.of(&link.url), next_of });
            }
            mark_rows(page, &mut links);
            mark_around(page, given, language, reader, &mut links);
            Self { bucket, list, by_page, links }
        })
    }
}

fn mark_around(
    page: &Page,
    given: &mut Given,
    language: Language,
    reader: &mut osprey_text::Reader,
    links: &mut [Sign],
) {
    for (link, sign) in page.links().iter().zip(links) {
        if sign.said == Said::Nowhere && given.matched(reader, page.context(link), language) >= SPEAKS {
            sign.said = Said::Around;
        }
    }
}

/// Links in one repeated block with a link that speaks.
fn mark_rows(page: &Page, links: &mut [Sign]) {
    let speaking: Vec<usize> = (0..links.len()).filter(|at| links[*at].said == Said::ByLink).collect();
    for at in speaking {
        let Some(range) = row_of(page, at) else { continue };
        for place in range {
            if let Some(sign) = links.get_mut(place).filter(|sign| sign.said < Said::InRow) {
                sign.said = Said::InRow;
            }
        }
    }
}

/// The links of the repeated block that a link is in: the largest element around it that has no other link of its Apath.
fn row_of(page: &Page, at: usize) -> Option<std::ops::Range<usize>> {
    let links = page.links();
    let link = links.get(at)?;
    let alike = |place: usize| links.get(place).is_some_and(|other| {
        page.apath_xpath(other.apath) == page.apath_xpath(link.apath) && other.node != link.node
    });
    let before = (0..at).rev().find(|place| alike(*place));
    let after = (at + 1..links.len()).find(|place| alike(*place));
    if before.is_none() && after.is_none() {
        return None;
    }
    let outside: Vec<usize> = [before, after].into_iter().flatten().filter_map(|place| links.get(place)).map(|other| other.node.index()).collect();
    let mut node = page.tree().node(link.node)?;
    let mut block = node;
    for _ in 0..MOST_UP {
        let Some(parent) = node.parent() else { break };
        let range = parent.id().index()..parent.subtree_end();
        if outside.iter().any(|other| range.contains(other)) {
            break;
        }
        block = parent;
        node = parent;
    }
    let range = block.id().index()..block.subtree_end();
    let first = links.partition_point(|other| other.node.index() < range.start);
    let last = links.partition_point(|other| other.node.index() < range.end);
    Some(first..last)
}

/// Words of links to further pages of a list.
const NEXT: [&str; 26] = [
    "next", "next page", "older", "older posts", "older entries", "more", "›", "»", ">", ">>", "→", "next ›", "next »",
    "last", "last »", "下一页", "下页", "后一页", "尾页", "weiter", "nächste", "suivant", "siguiente", "successivo", "volgende", "次へ",
];

/// Whether a link leads to another page of the list that the page is of.
fn is_next(page: &Page, link: &Link, list: ListPage) -> bool {
    let to = ListPage::of(&link.url);
    if to.list == list.list {
        return to.number != list.number && link.url != *page.url();
    }
    if !link.rel.contains(Rel::NEXT) {
        return false;
    }
    let anchor = page.anchor(link).trim();
    link.url.path() == page.url().path() && NEXT.iter().any(|next| anchor.eq_ignore_ascii_case(next))
}
