//! What can be known of a link before it is followed.

use std::ops::Range;

use osprey_page::{Link, Page, Rel, SitemapEntry};
use osprey_text::{Language, detect, with_reader};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::given::Given;
use super::shape::{ListPage, Shapes};
use crate::FreshLinks;
use crate::policy::Visit;

/// From this match on a text speaks of what is wanted.
const SPEAKS: f32 = 0.5;
/// A place with at least this share of links that were known before is a menu.
const MENU: f32 = 0.7;
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

/// What is looked at; some of it can be left out, for experiments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    pub(super) title: bool,
    pub(super) rows: bool,
    pub(super) context: bool,
    pub(super) paging: bool,
    pub(super) menus: bool,
}

/// What is known of one link.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sign {
    pub(super) said: Said,
    /// Whether the page it stands on speaks of it, by its title or URL, and the link does not stand on other pages too.
    pub(super) by_page: bool,
    /// The place it stands at: its XPath.
    pub(super) place: u64,
    /// The shape of its URL.
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
    pub(super) links: Vec<Sign>,
}

impl Signs {
    pub(super) fn of(visit: &Visit<'_>, parts: Parts, given: &mut Given, shapes: &mut Shapes) -> Self {
        let page = visit.page;
        let language = detect(page.text(), page.lang());
        let own_shape = shapes.of(page.url());
        let cluster = visit.reading.and_then(|reading| reading.cluster);
        let bucket =
            cluster.map_or(own_shape, |cluster| u64::from(cluster).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let list = ListPage::of(page.url());
        let links = with_reader(|reader| {
            let by_title = given.matched(reader, page.title(), language);
            let by_page = by_title.max(given.in_url(reader, page.url().path_and_query(), language)) >= SPEAKS;
            let mut signs: Vec<Sign> = Vec::with_capacity(page.links().len());
            for link in page.links() {
                let speaks = given.matched(reader, page.anchor(link), language) >= SPEAKS
                    || given.in_url(reader, link.url.path_and_query(), language) >= SPEAKS;
                signs.push(Sign {
                    said: if speaks { Said::ByLink } else { Said::Nowhere },
                    by_page: by_page && parts.title,
                    place: page.xpath_key(page.apath_xpath(link.apath)),
                    shape: shapes.of(&link.url),
                    next_of: (parts.paging && is_next(page, link, list)).then_some(list.list),
                });
            }
            if parts.rows {
                mark_rows(page, &mut signs);
            }
            if parts.context && given.may_be_in(page.text()) {
                for (link, sign) in page.links().iter().zip(&mut signs) {
                    if sign.said == Said::Nowhere
                        && given.matched(reader, page.context(link), language) >= SPEAKS
                    {
                        sign.said = Said::Around;
                    }
                }
            }
            if by_page && parts.menus {
                leave_out_menus(visit.fresh, &mut signs);
            }
            signs
        });
        Self { bucket, list, links }
    }
}

/// Links that stand on other pages at the same place, all of them, say nothing of this page: those of menus.
fn leave_out_menus(fresh: &FreshLinks, signs: &mut [Sign]) {
    let mut places: FxHashMap<u64, (u32, u32)> = FxHashMap::default();
    for (at, sign) in signs.iter().enumerate() {
        let (all, known) = places.entry(sign.place).or_default();
        *all += 1;
        *known += u32::from(!fresh.contains(at));
    }
    for sign in signs {
        let (all, known) = places.get(&sign.place).copied().unwrap_or_default();
        sign.by_page &= (known as f32) < MENU * all as f32;
    }
}

/// What an entry of a sitemap says: its URL and its title, if it has one.
pub(super) fn of_entry(entry: &SitemapEntry, given: &mut Given, shapes: &mut Shapes) -> Sign {
    let language = Language::English;
    let title = entry.title.as_deref().unwrap_or_default();
    let by_link = with_reader(|reader| {
        given.matched(reader, title, language).max(given.in_url(reader, entry.url.path_and_query(), language))
    });
    let said = if by_link >= SPEAKS { Said::ByLink } else { Said::Nowhere };
    Sign { said, shape: shapes.of(&entry.url), ..Sign::default() }
}

/// Marks links that stand in one row of a list with a link that speaks: the thread of a board, the post of a category.
fn mark_rows(page: &Page, links: &mut [Sign]) {
    let found = page.links();
    let speaking: Vec<usize> = found
        .iter()
        .zip(&*links)
        .filter(|(_, sign)| sign.said == Said::ByLink)
        .map(|(link, _)| link.node.index())
        .collect();
    if speaking.is_empty() {
        return;
    }
    let (before, after) = neighbours(page);
    for (at, (link, sign)) in found.iter().zip(links).enumerate() {
        if sign.said >= Said::InRow {
            continue;
        }
        let others = [before.get(at), after.get(at)].map(|other| other.copied().flatten());
        if let Some(row) = row_of(page, link, others)
            && speaking
                .get(speaking.partition_point(|node| *node < row.start))
                .is_some_and(|node| *node < row.end)
        {
            sign.said = Said::InRow;
        }
    }
}

/// The nodes of the links before and after each link that stand at the same place of their rows.
fn neighbours(page: &Page) -> (Vec<Option<usize>>, Vec<Option<usize>>) {
    let links = page.links();
    let (mut before, mut after) = (vec![None; links.len()], vec![None; links.len()]);
    let mut last: FxHashMap<_, usize> = FxHashMap::default();
    for (at, link) in links.iter().enumerate() {
        if let Some(previous) = last.insert(page.apath_xpath(link.apath), at) {
            before[at] = links.get(previous).map(|other| other.node.index());
            after[previous] = Some(link.node.index());
        }
    }
    (before, after)
}

/// The row that a link stands in: the largest element around it that has no other link at the same place.
fn row_of(page: &Page, link: &Link, others: [Option<usize>; 2]) -> Option<Range<usize>> {
    if others == [None, None] {
        return None;
    }
    let mut row = None;
    let mut node = page.tree().node(link.node)?;
    for _ in 0..MOST_UP {
        let Some(parent) = node.parent() else { break };
        let range = parent.id().index()..parent.subtree_end();
        if others.into_iter().flatten().any(|other| range.contains(&other)) {
            break;
        }
        row = Some(range);
        node = parent;
    }
    row
}

/// Words of links to further pages of a list.
const NEXT: [&str; 26] = [
    "next",
    "next page",
    "older",
    "older posts",
    "older entries",
    "more",
    "›",
    "»",
    ">",
    ">>",
    "→",
    "next ›",
    "next »",
    "last",
    "last »",
    "下一页",
    "下页",
    "后一页",
    "尾页",
    "weiter",
    "nächste",
    "suivant",
    "siguiente",
    "successivo",
    "volgende",
    "次へ",
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
