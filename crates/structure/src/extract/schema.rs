//! The template text of a page type (Zhang 2008, algorithm 4), and the data that is left without it.
//!
//! A pair of path string and value belongs to the schema if every sample page has it, or, with a share below 1, if
//! enough of them have it. Pairs are stored as two fingerprints, so a schema is small and contains no text of the
//! pages.

use std::collections::{BTreeMap, BTreeSet};

use osprey_page::{Page, Psnv};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// Pairs of path string and value that pages of one kind share.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Schema {
    pages: u32,
    pairs: BTreeMap<(u64, u64), u32>,
}

/// As it is stored: rows of path, value and the number of pages that have them.
#[derive(Serialize, Deserialize)]
struct Stored {
    pages: u32,
    pairs: Vec<(u64, u64, u32)>,
}

impl From<Schema> for Stored {
    fn from(schema: Schema) -> Self {
        let pairs = schema.pairs.into_iter().map(|((path, value), pages)| (path, value, pages)).collect();
        Self { pages: schema.pages, pairs }
    }
}

impl From<Stored> for Schema {
    fn from(stored: Stored) -> Self {
        let pairs = stored.pairs.into_iter().map(|(path, value, pages)| ((path, value), pages)).collect();
        Self { pages: stored.pages, pairs }
    }
}

impl Schema {
    /// The pairs that at least this share of the pages have: 1.0 for all of them, as in Zhang 2008. For a single page
    /// everything is schema.
    pub fn of<'a>(pages: impl IntoIterator<Item = &'a Page>, share: f64) -> Self {
        let mut schema = Self::default();
        for page in pages {
            schema.pages += 1;
            let pairs: BTreeSet<(u64, u64)> = page.psnv().iter().map(|pair| key(page, pair)).collect();
            for pair in pairs {
                *schema.pairs.entry(pair).or_default() += 1;
            }
        }
        let enough = (share * f64::from(schema.pages)).max(1.0);
        schema.pairs.retain(|_, pages| f64::from(*pages) + 1e-9 >= enough);
        schema
    }

    /// Whether a pair of a page is template text.
    pub fn contains(&self, page: &Page, pair: &Psnv) -> bool {
        self.pairs.contains_key(&key(page, pair))
    }

    /// How many sample pages had a pair; 0 if it is not template text.
    pub fn count(&self, page: &Page, pair: &Psnv) -> u32 {
        self.pairs.get(&key(page, pair)).copied().unwrap_or(0)
    }

    /// The keys of its path strings, each once, ascending.
    pub fn paths(&self) -> impl Iterator<Item = u64> {
        let mut last = None;
        self.pairs.keys().map(|&(path, _)| path).filter(move |&path| last.replace(path) != Some(path))
    }

    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there is no template text.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The number of sample pages.
    pub fn pages(&self) -> u32 {
        self.pages
    }
}

fn key(page: &Page, pair: &Psnv) -> (u64, u64) {
    (page.path_string_key(pair.path), xxh3_64(page.psnv_value(pair).as_bytes()))
}

/// The data of a page: its pairs less the template text (Zhang 2008, scenario 2).
pub fn data<'a>(page: &'a Page, schema: &'a Schema) -> impl Iterator<Item = &'a Psnv> {
    page.psnv().iter().filter(|pair| !schema.contains(page, pair))
}

/// How well path strings tell template text from data: Zhang & Nasraoui 2009's table 1, Zhang 2008's table 6, as means
/// over the pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Differentiation {
    /// T: pairs of path string and value on a page.
    pub total: f64,
    /// S: those that are schema.
    pub schema: f64,
    /// V: those that are data.
    pub values: f64,
    /// US: different path strings of schema pairs.
    pub schema_paths: f64,
    /// UV: different path strings of data pairs.
    pub value_paths: f64,
    /// INT: path strings that have both.
    pub both: f64,
}

/// Counts pairs and path strings on pages of one kind; the schema is what all of them have. Every occurrence of a pair
/// counts, as in Zhang 2008, where T is S + V.
pub fn differentiation(pages: &[Page]) -> Differentiation {
    let schema = Schema::of(pages, 1.0);
    let mut sum = Differentiation::default();
    for page in pages {
        let (mut schema_paths, mut value_paths) = (BTreeSet::new(), BTreeSet::new());
        for pair in page.psnv() {
            sum.total += 1.0;
            if schema.contains(page, pair) {
                sum.schema += 1.0;
                schema_paths.insert(pair.path);
            } else {
                sum.values += 1.0;
                value_paths.insert(pair.path);
            }
        }
        sum.schema_paths += schema_paths.len() as f64;
        sum.value_paths += value_paths.len() as f64;
        sum.both += schema_paths.intersection(&value_paths).count() as f64;
    }
    let pages = pages.len().max(1) as f64;
    Differentiation {
        total: sum.total / pages,
        schema: sum.schema / pages,
        values: sum.values / pages,
        schema_paths: sum.schema_paths / pages,
        value_paths: sum.value_paths / pages,
        both: sum.both / pages,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::page;
    use super::*;

    #[test]
    fn schema_is_what_pages_share() {
        let pages = [
            page("<title>a</title><h1>One</h1><p>Tags</p><p>red</p>"),
            page("<title>b</title><h1>Two</h1><p>Tags</p><p>red</p>"),
            page("<title>c</title><h1>Three</h1><p>Tags</p><p>blue</p>"),
        ];
        let check = |share: f64, expect: &[&str]| {
            let schema = Schema::of(&pages, share);
            let page = &pages[0];
            let found: Vec<&str> = page
                .psnv()
                .iter()
                .filter(|pair| schema.contains(page, pair))
                .map(|pair| page.psnv_value(pair))
                .collect();
            assert_eq!(found, expect, "{share}");
            let left: Vec<&str> = data(page, &schema).map(|pair| page.psnv_value(pair)).collect();
            assert_eq!(left.len() + found.len(), page.psnv().len());
        };
        check(1.0, &["Tags"]);
        check(0.6, &["Tags", "red"]);
        check(0.0, &["a", "One", "Tags", "red"]);
    }

    #[test]
    fn a_schema_can_be_stored() {
        let pages = [page("<p>x</p><p>y</p>"), page("<p>x</p><b>x</b>")];
        let schema = Schema::of(&pages, 0.5);
        let text = serde_json::to_string(&schema).unwrap();
        assert_eq!(serde_json::from_str::<Schema>(&text).unwrap(), schema);
        assert_eq!((schema.len(), schema.paths().count(), schema.pages()), (3, 2, 2));
        assert_eq!(schema.count(&pages[0], &pages[0].psnv()[0]), 2);
        assert!(Schema::of([], 1.0).is_empty());
    }

    #[test]
    fn differentiation_by_hand() {
        // first page: "Tags" and "by" are schema on two path strings; title, red, Ann are data on three, one of them
        // p's
        let pages = [
            page("<title>a</title><p>Tags</p><p>red</p><div>by <b>Ann</b></div>"),
            page("<title>b</title><p>Tags</p><p>blue</p><div>by <b>Bob</b></div>"),
        ];
        let expect = Differentiation {
            total: 5.0,
            schema: 2.0,
            values: 3.0,
            schema_paths: 2.0,
            value_paths: 3.0,
            both: 1.0,
        };
        assert_eq!(differentiation(&pages), expect);
        assert_eq!(differentiation(&[]), Differentiation::default());
    }
}
