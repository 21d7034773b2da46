//! [`PageShape`]: the summary of a page that is compared with others. It holds numbers only, no text and no tree.
//!
//! A shape has the XPaths of the page with their counts, the Apaths of links inside the site, the marks that the
//! template wrote, and the repetitive regions for the iRobot baseline. Weights depend on the other pages and are not
//! part of it ([`crate::Space`]). The size of a shape is the number of different paths of the page, which the limits of
//! the page bound.

use hashbrown::HashMap;
use osprey_page::{NodeRef, Page};

use crate::fnv;
use crate::heads::beginnings;
use crate::inlinks::InLink;
use crate::marks::{self, Mark};

/// Similar children of one element: the rows of a list, the posts of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Region {
    /// A fingerprint of the element's path and of what repeats, the same on all pages.
    pub key: u64,
    /// Elements from the root to the repeated child, both counted.
    pub depth: u32,
    /// How many children are similar, at least two.
    pub alike: u32,
    /// How many child elements there are.
    pub children: u32,
}

/// A page as the clusterings see it. All lists are sorted by key, and keys do not repeat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageShape {
    /// A fingerprint of the page's URL; 0 if unknown.
    address: u64,
    xpaths: Vec<(u64, u32)>,
    apaths: Vec<(u64, u32)>,
    regions: Vec<Region>,
    marks: Vec<Mark>,
    found_by: Vec<InLink>,
    beginnings: Vec<u64>,
}

impl PageShape {
    /// The shape of a page. Links that leave the page's host do not count as Apaths.
    pub fn of(page: &Page) -> Self {
        let xpaths = page.xpaths().map(|path| (page.xpath_key(path.id), path.count));
        let host = page.url().host_key();
        let inside = page.links().iter().filter(|link| link.url.host_key() == host);
        let apaths = inside.map(|link| (page.apath_key(link.apath), 1));
        Self {
            address: page.url().fingerprint(),
            marks: marks::marks(page),
            beginnings: beginnings(page.url()),
            ..Self::new(xpaths, apaths, [])
        }
    }

    /// The same, with the page's repetitive regions. Only the iRobot baseline uses them, and they cost a walk over the
    /// whole tree, so pages of a crawl do without.
    #[must_use]
    pub fn with_regions(mut self, page: &Page) -> Self {
        self.regions = sorted(regions(page));
        self
    }

    /// A shape from its parts, in any order; counts of the same key are added.
    pub fn new(
        xpaths: impl IntoIterator<Item = (u64, u32)>,
        apaths: impl IntoIterator<Item = (u64, u32)>,
        regions: impl IntoIterator<Item = Region>,
    ) -> Self {
        let regions = sorted(regions.into_iter().collect());
        Self { xpaths: bag(xpaths), apaths: bag(apaths), regions, ..Self::default() }
    }

    /// The same, with the links that lead here from other pages; see [`crate::InLinks`]. A bare Apath is a link from an
    /// unknown page.
    #[must_use]
    pub fn found_by(mut self, links: impl IntoIterator<Item: Into<InLink>>) -> Self {
        self.found_by = links.into_iter().map(Into::into).collect();
        self.found_by.sort_unstable();
        self.found_by.dedup();
        self
    }

    /// The same, at an address: the fingerprint of a URL, by which an [`InLink`] refers to this page.
    #[must_use]
    pub fn at(mut self, address: u64) -> Self {
        self.address = address;
        self
    }

    /// The same, with marks.
    #[must_use]
    pub fn marked(mut self, marks: impl IntoIterator<Item = Mark>) -> Self {
        self.marks = marks.into_iter().collect();
        self.marks.sort_unstable();
        self.marks.dedup();
        self
    }

    /// The same, at an address with these beginnings ([`crate::heads`]).
    #[cfg(test)]
    pub(crate) fn beginning_with(mut self, beginnings: Vec<u64>) -> Self {
        self.beginnings = beginnings;
        self
    }

    /// Fingerprints of the beginnings of the page's URL, the shortest first; empty if unknown.
    pub(crate) fn beginnings(&self) -> &[u64] {
        &self.beginnings
    }

    /// The fingerprint of the page's URL; 0 if unknown.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The links that lead to the page; empty if unknown.
    pub fn inlinks(&self) -> &[InLink] {
        &self.found_by
    }

    /// The marks of the template.
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// The bag of XPaths: key and count.
    pub fn xpaths(&self) -> &[(u64, u32)] {
        &self.xpaths
    }

    /// The Apaths of links inside the site: key and number of links.
    pub fn apaths(&self) -> &[(u64, u32)] {
        &self.apaths
    }

    /// The repetitive regions.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }
}

fn sorted(mut regions: Vec<Region>) -> Vec<Region> {
    regions.sort_unstable();
    regions.dedup_by_key(|region| region.key);
    regions
}

fn bag(counts: impl IntoIterator<Item = (u64, u32)>) -> Vec<(u64, u32)> {
    let mut bag: Vec<(u64, u32)> = counts.into_iter().filter(|&(_, count)| count > 0).collect();
    bag.sort_unstable();
    bag.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 = kept.1.saturating_add(next.1);
        }
        same
    });
    bag
}

/// An element's children are similar if they have the same name and the same set of names among their own children: one
/// level more than the name distinguishes a row of cells from a row that is a heading, and still ignores content.
fn regions(page: &Page) -> Vec<Region> {
    let mut found: HashMap<u64, Region> = HashMap::new();
    let roots = page.tree().nodes().filter(|node| node.parent().is_none());
    let mut open: Vec<(NodeRef<'_>, u64, u32)> = roots.map(|root| (root, 0, 0)).collect();
    let mut alike: HashMap<u64, u32> = HashMap::new();
    while let Some((node, path, depth)) = open.pop() {
        alike.clear();
        let mut children = 0_u32;
        for child in node.children() {
            let Some(name) = child.name() else { continue };
            children += 1;
            *alike.entry(look(&child, name)).or_default() += 1;
            open.push((child, mix(path, of_text(name)), depth + 1));
        }
        for (&look, &count) in alike.iter().filter(|&(_, &count)| count > 1) {
            let key = mix(path, look);
            let region = Region { key, depth: depth + 1, alike: count, children };
            // Two elements on one path may both contain such a region; the larger one counts.
            let kept = found.entry(key).or_insert(region);
            if (region.alike, region.children) > (kept.alike, kept.children) {
                *kept = region;
            }
        }
    }
    found.into_values().collect()
}

fn look(node: &NodeRef<'_>, name: &str) -> u64 {
    let mut below: Vec<u64> = node.children().filter_map(|child| child.name()).map(of_text).collect();
    below.sort_unstable();
    below.dedup();
    below.into_iter().fold(of_text(name), mix)
}

fn of_text(text: &str) -> u64 {
    text.bytes().fold(fnv::START, fnv::byte)
}

fn mix(above: u64, step: u64) -> u64 {
    (above.rotate_left(23) ^ step).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use osprey_model::{CanonicalUrl, UrlRules};
    use osprey_page::{Input, PageRules};

    use super::*;

    fn shape(body: &str) -> PageShape {
        let url = CanonicalUrl::parse("http://example.com/", &UrlRules::default()).expect("a URL");
        let input = Input { url: &url, content_type: None, body: body.as_bytes() };
        {
            let page = Page::parse(&input, &PageRules::default());
            PageShape::of(&page).with_regions(&page)
        }
    }

    fn counts(bag: &[(u64, u32)]) -> Vec<u32> {
        let mut counts: Vec<u32> = bag.iter().map(|&(_, count)| count).collect();
        counts.sort_unstable();
        counts
    }

    /// The example of Xu et al. 2018's figure 1 and table 1: paragraphs 2, plain links 2, a link of class `result` 1.
    /// As XPaths the three links are one path.
    #[test]
    fn the_example_of_xu_et_al_2018() {
        let page = shape(
            "<body><div><div><p>a<p>b</div></div><section><div><a href=/1>x</a><a href=/2>y</a>\
             <a class=result href=/3>z</a></div></section>",
        );
        assert_eq!(counts(page.xpaths()), [2, 3]);
        assert_eq!(counts(page.apaths()), [1, 2]);
    }

    #[test]
    fn links_out_of_the_site_do_not_count_as_apaths() {
        let page = shape("<p><a href=/in>in</a><p><b><a href=http://example.org/>out</a></b>");
        assert_eq!((page.xpaths().len(), counts(page.apaths())), (2, vec![1]));
    }

    #[test]
    fn rows_are_a_region_whatever_their_number() {
        let rows = |n: usize| format!("<ul>{}<p>end</ul>", "<li><a href=/x>x</a> <b>y</b></li>".repeat(n));
        let (three, nine) = (shape(&rows(3)), shape(&rows(9)));
        let [region] = three.regions() else { panic!("one region: {three:?}") };
        assert_eq!((region.depth, region.alike, region.children), (4, 3, 4));
        assert_eq!(nine.regions().iter().map(|region| region.key).collect::<Vec<_>>(), [region.key]);
        assert!(shape("<ul><li>x<p>y</ul>").regions().is_empty());
    }

    #[test]
    fn parts_are_sorted_and_added() {
        let page = PageShape::new([(9, 1), (2, 1), (9, 2), (5, 0)], [], []);
        assert_eq!(page.xpaths(), [(2, 1), (9, 3)]);
    }
}
