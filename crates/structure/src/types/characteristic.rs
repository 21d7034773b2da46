//! Characteristic path strings: what all pages of a type have in common (Zhang & Nasraoui 2009, section 4.3, algorithms
//! 1 and 2).
//!
//! Texts that are at the same path on every page of all types are the site's template, its schema: "Sign in", "Terms of
//! use". The rest is data, and the path strings of data that all examples of a type share characterise the type. A path
//! string counts as data on a page if at least one of its texts there is not part of the schema, so a path that has
//! both the menu and the uploader's name is not lost.
//!
//! Two differences to the sites of the paper:
//! - the classes of the root identify the page (`<body class="tag tag-astronomy">`), and with them no path string would
//!   be on two pages: each path string counts once as it is and once without the properties of `body` and `html`;
//! - a type has several designs, since old pages keep the old one: examples that share little are separated, and each
//!   design has a set of its own.

use std::collections::{BTreeMap, BTreeSet};

use osprey_page::Page;
use serde::{Deserialize, Serialize};

use super::words::{exact_fingerprint, fingerprint_of_two};

/// How much may differ between pages of one type, and be equal between pages of different types.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tolerance {
    /// Share of the pages of a type that must have a path string for it to be characteristic; the same for the schema.
    pub in_type: f64,
    /// Share of the pages of each other type that may have all of a separating set.
    pub elsewhere: f64,
}

impl Tolerance {
    /// As in Zhang & Nasraoui 2009: all pages of the type, no page of another. For examples that a person chose.
    pub const STRICT: Self = Self { in_type: 1.0, elsewhere: 0.0 };
    /// For learned clusters: sometimes a page is in the wrong one.
    pub const LEARNED: Self = Self { in_type: 0.95, elsewhere: 0.02 };

    /// The number of pages that `in_type` means, of so many.
    pub(super) fn needed(&self, pages: usize) -> usize {
        ((pages as f64 * self.in_type - 1e-9).ceil() as usize).max(1)
    }
}

/// A path string that is known: a key for comparing, a text for people.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct KnownPath {
    /// Its fingerprint; written as hexadecimal digits.
    #[serde(with = "hex")]
    pub key: u64,
    /// The path string.
    pub text: String,
}

/// Share of their path strings that two pages of one design have in common, of all that they have.
const ONE_DESIGN: f64 = 0.3;

/// The root of a path string without properties.
pub(super) const BARE_ROOT: &str = "<body><html>";

/// Calls `each` with the fingerprints of a path string: as it is, and without the properties of the root.
pub(super) fn each_key(path: &str, mut each: impl FnMut(u64)) {
    each(exact_fingerprint(path));
    if let Some(inner) = without_root(path) {
        each(fingerprint_of_two(inner, BARE_ROOT));
    }
}

/// The part before a root with properties.
fn without_root(path: &str) -> Option<&str> {
    let (inner, root) = path.rfind("<body").and_then(|at| path.split_at_checked(at))?;
    (root != BARE_ROOT).then_some(inner)
}

/// Keys in files: numbers of 64 bits are beyond what TOML and some readers of JSON can hold.
mod hex {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(key: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{key:016x}"))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        let text = String::deserialize(deserializer)?;
        let wrong = |_| {
            D::Error::custom(format_args!("path string key `{text}`: expected up to 16 hexadecimal digits"))
        };
        u64::from_str_radix(&text, 16).map_err(wrong)
    }
}

/// The path strings of an example page, with what the schema wants to know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathStrings {
    /// Texts by key.
    paths: BTreeMap<u64, String>,
    /// Key and fingerprint of the value, for each text of the page, each once.
    pairs: BTreeSet<(u64, u64)>,
}

impl PathStrings {
    /// The path strings of a page that have texts. As many as the page's limits allow.
    pub fn of(page: &Page) -> Self {
        let mut found = Self::default();
        for counted in page.path_strings() {
            let path = page.path_string(counted.id);
            found.paths.insert(exact_fingerprint(path), path.to_owned());
            if let Some(inner) = without_root(path) {
                found.paths.insert(fingerprint_of_two(inner, BARE_ROOT), format!("{inner}{BARE_ROOT}"));
            }
        }
        for pair in page.psnv() {
            let value = exact_fingerprint(page.psnv_value(pair));
            each_key(page.path_string(pair.path), |path| {
                found.pairs.insert((path, value));
            });
        }
        found
    }

    /// Whether the page has a text at a path.
    pub(super) fn has(&self, key: u64) -> bool {
        self.paths.contains_key(&key)
    }

    /// Keys of paths that hold more than schema.
    fn data<'a>(&'a self, schema: &'a BTreeSet<(u64, u64)>) -> BTreeSet<u64> {
        self.pairs.difference(schema).map(|(path, _)| *path).collect()
    }
}

/// Pairs of path string and value that are on all pages, or on nearly all.
pub(super) fn schema<'a>(
    pages: impl Iterator<Item = &'a PathStrings>,
    tolerance: &Tolerance,
) -> BTreeSet<(u64, u64)> {
    let mut counts: BTreeMap<(u64, u64), usize> = BTreeMap::new();
    let mut all = 0;
    for page in pages {
        all += 1;
        page.pairs.iter().for_each(|pair| *counts.entry(*pair).or_default() += 1);
    }
    let needed = tolerance.needed(all);
    // what is on one page only is not template
    let is_schema = |count: usize| all > 1 && count >= needed;
    counts.into_iter().filter(|(_, count)| is_schema(*count)).map(|(pair, _)| pair).collect()
}

/// Separates examples that share less than [`ONE_DESIGN`] of their path strings of data with the first of their design.
/// Path strings with the root's properties do not count, nor those of a single page: classes contain words of the
/// content too. Returns the indices of the examples of each design, in order.
pub(super) fn designs(pages: &[PathStrings], schema: &BTreeSet<(u64, u64)>) -> Vec<Vec<usize>> {
    let mut holders: BTreeMap<u64, usize> = BTreeMap::new();
    pages.iter().flat_map(|page| page.paths.keys()).for_each(|key| *holders.entry(*key).or_default() += 1);
    let is_bare =
        |page: &PathStrings, key: &u64| page.paths.get(key).is_some_and(|path| path.ends_with(BARE_ROOT));
    let counts = |page: &PathStrings, key: &u64| {
        is_bare(page, key) && holders.get(key).is_some_and(|pages| *pages > 1)
    };
    let shared = |page: &PathStrings| page.data(schema).into_iter().filter(|key| counts(page, key)).collect();
    let data: Vec<BTreeSet<u64>> = pages.iter().map(shared).collect();
    let alike = |a: usize, b: usize| match (data.get(a), data.get(b)) {
        (Some(a), Some(b)) => {
            let both = a.intersection(b).count();
            both > 0 && both as f64 >= ONE_DESIGN * (a.len() + b.len() - both) as f64
        }
        _ => false,
    };
    let mut designs: Vec<Vec<usize>> = Vec::new();
    for page in 0..pages.len() {
        match designs.iter_mut().find(|design| design.first().is_some_and(|first| alike(*first, page))) {
            Some(design) => design.push(page),
            None => designs.push(vec![page]),
        }
    }
    designs
}

/// Path strings of data that all, or nearly all, pages of a type have, in the order of their keys.
pub(super) fn characteristic(
    pages: &[&PathStrings],
    schema: &BTreeSet<(u64, u64)>,
    tolerance: &Tolerance,
) -> Vec<KnownPath> {
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    for page in pages {
        page.data(schema).into_iter().for_each(|key| *counts.entry(key).or_default() += 1);
    }
    let needed = tolerance.needed(pages.len());
    let text = |key: u64| pages.iter().find_map(|page| page.paths.get(&key)).cloned().unwrap_or_default();
    let common = counts.into_iter().filter(|(_, count)| *count >= needed);
    common.map(|(key, _)| KnownPath { key, text: text(key) }).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use osprey_model::{CanonicalUrl, UrlRules};
    use osprey_page::{Input, PageRules};

    use super::*;

    pub(in super::super) fn page(body: &str) -> Page {
        let url = CanonicalUrl::parse("http://example.com/", &UrlRules::default()).expect("a URL");
        Page::parse(&Input { url: &url, content_type: None, body: body.as_bytes() }, &PageRules::default())
    }

    fn texts(bodies: &[&str], others: &[&str], tolerance: &Tolerance) -> Vec<String> {
        let paths =
            |bodies: &[&str]| bodies.iter().map(|body| PathStrings::of(&page(body))).collect::<Vec<_>>();
        let (own, others) = (paths(bodies), paths(others));
        let schema = schema(own.iter().chain(&others), tolerance);
        let mut texts: Vec<String> = characteristic(&own.iter().collect::<Vec<_>>(), &schema, tolerance)
            .into_iter()
            .map(|path| path.text)
            .collect();
        texts.sort();
        texts
    }

    /// Figure 4 of Zhang & Nasraoui 2009: John, Doe and Alaska share one path string.
    #[test]
    fn the_table_of_people_in_zhang_and_nasraoui_2009() {
        let people = "<table><tbody><tr class=people><td>John<td>Doe<td>Alaska</table>";
        let check =
            |bodies: &[&str], expect: &[&str]| assert_eq!(texts(bodies, &[], &Tolerance::STRICT), expect);
        let cells = "<td><tr-class/people><tbody><table><body><html>";
        check(&[people], &[cells]);
        check(&[people, "<table><tbody><tr class=people><td>Jane</table>"], &[cells]);
        check(&[people, "<table><tbody><tr><td>Jane</table>"], &[]);
        check(&[], &[]);
    }

    #[test]
    fn the_schema_is_left_out() {
        let with = |text: &str| format!("<p class=foot>Terms</p><p>Sign in</p><p>{text}</p>");
        let (one, two) = (with("a"), with("b"));
        let other = "<p class=foot>Terms</p><p>Sign in</p>";
        // the plain paragraphs contain data as well as schema
        assert_eq!(texts(&[&one, &two], &[other], &Tolerance::STRICT), ["<p><body><html>"]);
        assert_eq!(texts(&[other], &[&one], &Tolerance::STRICT), [""; 0]);
    }

    #[test]
    fn a_share_of_the_pages_may_do() {
        let (with, without) = ("<p><b>x</b>y", "<p>z");
        let bodies = [with, with, with, without];
        let check = |in_type: f64, expect: &[&str]| {
            assert_eq!(texts(&bodies, &["<i>q</i>"], &Tolerance { in_type, ..Tolerance::STRICT }), expect);
        };
        check(1.0, &["<p><body><html>"]);
        check(0.76, &["<p><body><html>"]);
        check(0.75, &["<b><p><body><html>", "<p><body><html>"]);
    }

    #[test]
    fn the_classes_of_the_root_do_not_matter() {
        let tag = |name: &str| format!("<html class=no-js><body class='tag tag-{name}'><h1>{name}</h1>");
        let (one, two) = (tag("birds"), tag("ships"));
        assert_eq!(texts(&[&one, &two], &[], &Tolerance::STRICT), ["<h1><body><html>"]);
        let path = "<h1><body-class/tag tag-birds><html-class/no-js>";
        assert_eq!(texts(&[&one], &[], &Tolerance::STRICT), [path, "<h1><body><html>"]);
    }

    #[test]
    fn designs_are_separated() {
        let check = |bodies: &[&str], expect: &[&[usize]]| {
            let pages: Vec<PathStrings> = bodies.iter().map(|body| PathStrings::of(&page(body))).collect();
            assert_eq!(designs(&pages, &BTreeSet::new()), expect, "{bodies:?}");
        };
        check(&["<p>a<b>b</b>", "<table><td>c</table>", "<p>d<i>e</i>"], &[&[0, 2], &[1]]);
        check(&["<p>a<b>b</b><h1>t</h1>", "<p>b<h1>u</h1>", "<table><td>c</table>"], &[&[0, 1], &[2]]);
        // words of the content in classes do not make a design
        check(&["<p class=dogs>a<p>b", "<p class=cats>c<p>d"], &[&[0, 1]]);
        check(&["<p>a", "<b>c</b>"], &[&[0], &[1]]);
        check(&["", ""], &[&[0], &[1]]);
        check(&[], &[]);
    }

    #[test]
    fn keys_are_written_as_digits() {
        let path = KnownPath { key: u64::MAX - 1, text: "<p><body><html>".into() };
        let json = serde_json::to_string(&path).expect("JSON");
        assert_eq!(json, r#"{"key":"fffffffffffffffe","text":"<p><body><html>"}"#);
        assert_eq!(serde_json::from_str::<KnownPath>(&json).expect("read"), path);
        let error = serde_json::from_str::<KnownPath>(r#"{"key":"x","text":""}"#).expect_err("no key");
        assert!(error.to_string().starts_with("path string key `x`: expected"), "{error}");
    }
}
