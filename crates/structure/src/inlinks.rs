//! By links of which kinds the pages of a sample are found.
//!
//! Links at one place of a template lead to pages of one template (seed 001, section 3.3): what the seed uses to guess
//! where a link leads tells as well which pages belong together. URLs are kept as fingerprints; of a site with more
//! links than the bound the rest is not seen.

use hashbrown::HashMap;
use osprey_model::CanonicalUrl;
use osprey_page::Page;

/// Pairs of Apath and URL that are kept.
const MAX_PAIRS: usize = 4_000_000;
/// Apaths that are kept of one URL: a page in the navigation of every page has all it needs.
const MAX_OF_URL: usize = 64;

/// The Apaths of links to each URL.
#[derive(Clone, Debug, Default)]
pub struct InLinks {
    by_url: HashMap<u64, Vec<u64>>,
    pairs: usize,
}

impl InLinks {
    /// Takes the links of a page.
    pub fn visited(&mut self, page: &Page) {
        page.links().iter().for_each(|link| self.add(page.apath_key(link.apath), &link.url));
    }

    /// Takes one link.
    pub fn add(&mut self, apath: u64, url: &CanonicalUrl) {
        if self.pairs >= MAX_PAIRS {
            return;
        }
        let apaths = self.by_url.entry(url.fingerprint()).or_default();
        if apaths.len() < MAX_OF_URL && !apaths.contains(&apath) {
            apaths.push(apath);
            self.pairs += 1;
        }
    }

    /// The Apaths of links to a page, which has several URLs if there were redirects; sorted.
    pub fn apaths_to<'a>(&self, urls: impl IntoIterator<Item = &'a CanonicalUrl>) -> Vec<u64> {
        let known = urls.into_iter().filter_map(|url| self.by_url.get(&url.fingerprint()));
        let mut apaths: Vec<u64> = known.flatten().copied().collect();
        apaths.sort_unstable();
        apaths.dedup();
        apaths
    }
}

#[cfg(test)]
mod tests {
    use osprey_model::UrlRules;

    use super::*;

    #[test]
    fn links_are_found_by_their_ends() {
        let url = |text: &str| CanonicalUrl::parse(text, &UrlRules::default()).expect("a URL");
        let (a, b, c) = (url("http://e.com/a"), url("http://e.com/b"), url("http://e.com/c"));
        let mut inlinks = InLinks::default();
        for (apath, to) in [(7, &a), (3, &a), (7, &a), (3, &b), (9, &b)] {
            inlinks.add(apath, to);
        }
        let check = |urls: &[CanonicalUrl], expect: &[u64]| assert_eq!(inlinks.apaths_to(urls), expect);
        check(std::slice::from_ref(&a), &[3, 7]);
        check(&[a, b], &[3, 7, 9]);
        check(&[c], &[]);
    }
}
