//! `irobot`: the baseline of Cai et al. (2008), as Xu et al. 2018 ran it: a traversal path over the page types of a
//! site, without the manual correction.
//!
//! The policy uses the sample from which the site was learned. A vertex is the set of pages with one layout (repetitive
//! regions) and one URL pattern. Vertices that are not informative are dropped. Informativeness is the mean of three
//! shares: pages (relative to the largest vertex), text per page (relative to the mean of the sample, at most 1), and
//! pages that no other page of the vertex duplicates. The remaining vertices form a tree rooted at the vertex of the
//! first page: each vertex as near to the root as possible, below the vertex with the most links to it. On a page of a
//! vertex, the policy follows links whose URL has the pattern of a child vertex, and page-flipping links: the vertex's
//! own pattern with the text `2` or `next`. It ignores other links, so a crawl may end early.
//!
//! Xu et al. 2018 only mention that there is a measure of informativeness. Its parts come from the paper they cite; the
//! mean and the limit are Osprey's. The policy has no state: each link carries its vertex.

use std::collections::{BTreeMap, BTreeSet};

use osprey_model::{CanonicalUrl, GroupId, LinkScore, counted};
use osprey_structure::site::SampledPage;
use serde::{Deserialize, Serialize};

use super::source::learned;
use super::url_patterns::{PatternId, UrlPatterns};
use super::{LinkFacts, Policy, RestoreError, SitemapVisit, Visit};
use crate::{Known, Placing, SteeringConfigError};

/// The part of a link's score that says which vertex it leads to.
const VERTEX: &str = "vertex";
/// The part that is its score: links are on the path, or are not followed.
const ON_PATH: &str = "on_path";
/// Texts of links that turn a page.
const FLIPPING: [&str; 18] = [
    "next",
    "previous",
    "prev",
    "older",
    "newer",
    "first",
    "last",
    "more",
    ">",
    ">>",
    "<",
    "<<",
    "»",
    "«",
    "›",
    "‹",
    "下一页",
    "上一页",
];

/// `[policy]` of `irobot`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IrobotRules {
    /// Drop vertices that are less informative than this value, from 0 to 1.
    pub least_informative: f64,
}

impl Default for IrobotRules {
    fn default() -> Self {
        Self { least_informative: 0.4 }
    }
}

/// The pages of a kind, and where a crawl goes from there.
#[derive(Clone, Debug, Default, PartialEq)]
struct Vertex {
    pattern: Option<PatternId>,
    pages: usize,
    text_bytes: u64,
    texts: BTreeSet<u64>,
    /// Links to pages of other vertices.
    links: BTreeMap<usize, u64>,
    informativeness: f64,
    /// The vertices below it in the tree, by their patterns; of several with one pattern the largest.
    below: BTreeMap<PatternId, usize>,
    is_on_path: bool,
}

#[derive(Debug)]
pub(super) struct Irobot {
    patterns: UrlPatterns,
    vertices: Vec<Vertex>,
}

impl Irobot {
    pub(super) fn new(rules: &IrobotRules, known: &Known) -> Result<Self, SteeringConfigError> {
        if !(0.0..=1.0).contains(&rules.least_informative) {
            let wrong = format!("`{}`: expected a number from 0 to 1", rules.least_informative);
            return Err(SteeringConfigError::new("policy.least_informative", wrong));
        }
        let sample = &learned("irobot", known)?.model().sample;
        let urls: Vec<Option<CanonicalUrl>> =
            sample.iter().map(|page| CanonicalUrl::from_stored(&page.url).ok()).collect();
        let patterns = UrlPatterns::learn(urls.iter().flatten());
        let of_page: Vec<Option<PatternId>> =
            urls.iter().map(|url| url.as_ref().and_then(|url| patterns.of(url))).collect();
        let mut vertices = vertices(sample, &of_page);
        weigh(&mut vertices);
        span(&mut vertices, rules.least_informative);
        Ok(Self { patterns, vertices })
    }

    /// The vertex of a page that no link led to: the largest of its pattern.
    fn vertex_of(&self, url: &CanonicalUrl) -> Option<usize> {
        let pattern = self.patterns.of(url)?;
        let alike = self.vertices.iter().enumerate().filter(|(_, vertex)| vertex.pattern == Some(pattern));
        alike
            .max_by_key(|(number, vertex)| (vertex.pages, std::cmp::Reverse(*number)))
            .map(|(number, _)| number)
    }

    /// Where a link on a page of a vertex leads along the path, if it does.
    fn next(&self, from: usize, url: &CanonicalUrl, anchor: &str) -> Option<usize> {
        let (pattern, vertex) = (self.patterns.of(url)?, self.vertices.get(from)?);
        let flips = || vertex.pattern == Some(pattern) && is_flipping(anchor);
        vertex.below.get(&pattern).copied().or_else(|| flips().then_some(from))
    }

    fn on_path(&self) -> impl Iterator<Item = &Vertex> {
        self.vertices.iter().filter(|vertex| vertex.is_on_path)
    }
}

/// Pages by layout and URL pattern. The vertex of the first page is the first.
fn vertices(sample: &[SampledPage], of_page: &[Option<PatternId>]) -> Vec<Vertex> {
    let mut numbers: BTreeMap<(u32, Option<PatternId>), usize> = BTreeMap::new();
    let mut vertices: Vec<Vertex> = Vec::new();
    let mut vertex_of = Vec::with_capacity(sample.len());
    for (page, pattern) in sample.iter().zip(of_page) {
        let number = *numbers.entry((page.layout, *pattern)).or_insert(vertices.len());
        if number == vertices.len() {
            vertices.push(Vertex { pattern: *pattern, ..Vertex::default() });
        }
        if let Some(vertex) = vertices.get_mut(number) {
            vertex.pages += 1;
            vertex.text_bytes += u64::from(page.text_bytes);
            vertex.texts.insert(page.text_key);
        }
        vertex_of.push(number);
    }
    for (page, from) in sample.iter().zip(&vertex_of) {
        for to in page.links.iter().filter_map(|to| vertex_of.get(*to as usize)).filter(|to| *to != from) {
            if let Some(vertex) = vertices.get_mut(*from) {
                *vertex.links.entry(*to).or_default() += 1;
            }
        }
    }
    vertices
}

/// How much the pages of each vertex have to say.
fn weigh(vertices: &mut [Vertex]) {
    let text = |vertex: &Vertex| vertex.text_bytes as f64 / vertex.pages.max(1) as f64;
    let most_pages = vertices.iter().map(|vertex| vertex.pages).max().unwrap_or_default().max(1) as f64;
    let (all_text, all_pages) = vertices
        .iter()
        .fold((0, 0), |(bytes, pages), vertex| (bytes + vertex.text_bytes, pages + vertex.pages));
    let usual_text = (all_text as f64 / all_pages.max(1) as f64).max(1.0);
    for vertex in vertices {
        let pages = vertex.pages as f64;
        let distinct = vertex.texts.len() as f64 / pages.max(1.0);
        vertex.informativeness = (pages / most_pages + (text(vertex) / usual_text).min(1.0) + distinct) / 3.0;
    }
}

/// The tree from the first vertex over those that are informative enough.
fn span(vertices: &mut [Vertex], least: f64) {
    let mut level: Vec<usize> = if vertices.is_empty() { vec![] } else { vec![0] };
    while !level.is_empty() {
        for &number in &level {
            vertices[number].is_on_path = true;
        }
        // whatever this level reaches first, by the vertex with the most links to it
        let mut reached: BTreeMap<usize, (u64, usize)> = BTreeMap::new();
        for &from in &level {
            for (&to, &links) in &vertices[from].links {
                let vertex = &vertices[to];
                let best = reached.get(&to).is_none_or(|(most, _)| links > *most);
                if best && !vertex.is_on_path && vertex.informativeness >= least && vertex.pattern.is_some() {
                    reached.insert(to, (links, from));
                }
            }
        }
        for (&to, &(_, from)) in &reached {
            let (Some(pattern), pages) = (vertices[to].pattern, vertices[to].pages) else { continue };
            let known = vertices[from].below.get(&pattern).map(|known| vertices[*known].pages);
            if known.is_none_or(|known| pages > known) {
                vertices[from].below.insert(pattern, to);
            }
        }
        level = reached.into_keys().collect();
    }
}

/// Whether a link's text is one that turns a page: a number, or one of a few words.
fn is_flipping(anchor: &str) -> bool {
    let text = anchor.trim().trim_matches(['[', ']', '(', ')']).trim();
    let is_number = !text.is_empty() && text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number || text.split_whitespace().take(3).any(|word| FLIPPING.contains(&word.to_lowercase().as_str()))
}

impl Policy for Irobot {
    fn name(&self) -> &'static str {
        "irobot"
    }

    fn on_page(&mut self, visit: &Visit<'_>, placing: &mut Placing) {
        let page = visit.page;
        let carried = visit.part(VERTEX).map(|vertex| vertex as usize);
        // a start page that the sample has none like is the start of the path all the same
        let from = carried.or_else(|| self.vertex_of(page.url())).unwrap_or_default();
        for (link, found) in page.links().iter().enumerate() {
            if let Some(next) = self.next(from, &found.url, page.anchor(found)) {
                placing.add(link, GroupId::ALL, LinkScore::ONE, &[(ON_PATH, 1.0), (VERTEX, next as f32)]);
            }
        }
    }

    /// A sitemap's entries are followed if their vertex is on the path.
    fn on_sitemap(&mut self, map: &SitemapVisit<'_>, placing: &mut Placing) {
        for (link, entry) in map.entries.iter().enumerate() {
            let vertex = self.vertex_of(&entry.url);
            let on_path =
                vertex.filter(|number| self.vertices.get(*number).is_some_and(|vertex| vertex.is_on_path));
            if let Some(number) = on_path {
                placing.add(link, GroupId::ALL, LinkScore::ONE, &[(ON_PATH, 1.0), (VERTEX, number as f32)]);
            }
        }
    }

    fn explain(&self, link: &LinkFacts<'_>) -> String {
        let carried = link.parts.iter().find(|(name, _)| name == VERTEX).map(|(_, vertex)| *vertex as usize);
        let path = format!(
            "the traversal path has {} of {} kinds of page",
            self.on_path().count(),
            self.vertices.len()
        );
        match carried.and_then(|number| self.vertices.get(number)) {
            Some(vertex) => {
                let pattern = vertex.pattern.map_or("", |pattern| self.patterns.text(pattern));
                let (pages, worth) = (counted(vertex.pages as u64, "page"), vertex.informativeness);
                format!("on the path: `{pattern}`, {pages} of the sample, informativeness {worth:.2}; {path}")
            }
            None => format!("a start page; {path}"),
        }
    }

    fn learns(&self) -> bool {
        false
    }

    fn snapshot(&self) -> Vec<u8> {
        Vec::new()
    }

    fn restore(&mut self, _snapshot: &[u8]) -> Result<(), RestoreError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::scripted::{Scripted, url};
    use super::*;

    fn sampled(layout: u32, text_key: u64, text_bytes: u32, links: &[u32]) -> SampledPage {
        let links = links.to_vec();
        SampledPage { url: String::new(), cluster: None, layout, text_bytes, text_key, links }
    }

    const HOME: Option<PatternId> = Some(PatternId(0));
    const THREAD: Option<PatternId> = Some(PatternId(1));
    const LOGIN: Option<PatternId> = Some(PatternId(2));

    /// A start page, two threads of one layout, three login pages that all say the same, in little text.
    fn small() -> Vec<Vertex> {
        let sample = [
            sampled(0, 1, 100, &[1, 2, 3]),
            sampled(1, 2, 400, &[3, 2]),
            sampled(1, 3, 600, &[4, 5]),
            sampled(2, 9, 50, &[]),
            sampled(2, 9, 50, &[1]),
            sampled(2, 9, 50, &[]),
        ];
        let mut vertices = vertices(&sample, &[HOME, THREAD, THREAD, LOGIN, LOGIN, LOGIN]);
        weigh(&mut vertices);
        vertices
    }

    #[test]
    fn informativeness_by_hand() {
        let expect = [
            // 1250 bytes on 6 pages; pages 1/3, text 100 against 208.3, all different
            (1.0 / 3.0 + 0.48 + 1.0) / 3.0,
            (2.0 / 3.0 + 1.0 + 1.0) / 3.0,
            // the largest, a quarter of the usual text, one text for three pages
            (1.0 + 0.24 + 1.0 / 3.0) / 3.0,
        ];
        let got: Vec<f64> = small().iter().map(|vertex| vertex.informativeness).collect();
        assert!(
            got.len() == 3 && got.iter().zip(expect).all(|(got, expect)| (got - expect).abs() < 1e-9),
            "{got:?}"
        );
    }

    #[test]
    fn a_tree_by_hand() {
        let check = |least: f64, expect: [&[usize]; 3]| {
            let mut vertices = small();
            span(&mut vertices, least);
            let below: Vec<Vec<usize>> =
                vertices.iter().map(|vertex| vertex.below.values().copied().collect()).collect();
            assert_eq!(below, expect, "{least}");
        };
        // the start page reaches both at once, so no thread leads to the login, though more links do
        check(0.4, [&[1, 2], &[], &[]]);
        check(0.6, [&[1], &[], &[]]);
        check(1.0, [&[], &[], &[]]);
    }

    #[test]
    fn pages_are_flipped_by_their_links_texts() {
        let check = |text: &str, expect: bool| assert_eq!(is_flipping(text), expect, "{text}");
        ["2", "[17]", "Next", "next page", "« Older", ">", "下一页"]
            .into_iter()
            .for_each(|text| check(text, true));
        ["", "12345", "A topic", "5 replies to this long text"]
            .into_iter()
            .for_each(|text| check(text, false));
    }

    #[test]
    fn only_the_path_is_followed() {
        let forum = Scripted::forum();
        let known = forum.known(&[]);
        let mut policy = Irobot::new(&IrobotRules::default(), &known).unwrap();
        let visits = forum.visits(&mut policy, known.site.as_ref().unwrap(), 100);
        // lists and one of the rules are below the start page, threads below lists, users below threads; the other
        // rules are of the vertex of the first and have no text that flips
        let count = |name: &str| visits.iter().filter(|path| path.starts_with(name)).count();
        assert_eq!(
            [count("/list"), count("/thread"), count("/user"), count("/rules")],
            [5, 20, 6, 1],
            "{visits:?}"
        );
        assert_eq!(&visits[..3], ["/", "/list/0", "/list/1"]);
        let vertex = policy.vertex_of(&url("/user/5")).unwrap();
        let parts = [(VERTEX.to_owned(), vertex as f32)];
        let words = policy.explain(&LinkFacts { own: 1.0, depth: 1, parts: &parts, ..LinkFacts::default() });
        assert!(
            words.starts_with("on the path: `/user/#`, 6 pages of the sample, informativeness 0."),
            "{words}"
        );
    }
}
