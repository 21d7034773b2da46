//! Records through which kinds of link the pages of a sample are found.
//!
//! Links at one position of a template lead to pages of one template (Xu et al. 2018, section 3.3). The paper uses this
//! to predict where a link leads; here it also shows which pages belong together. The page that contains a link is
//! recorded too, because pages of one list link to each other, which proves nothing. URLs are stored as fingerprints;
//! links beyond a limit are ignored.

use hashbrown::HashMap;
use osprey_model::CanonicalUrl;
use osprey_page::Page;

/// Links that are kept.
const MAX_LINKS: usize = 4_000_000;
/// Links that are kept of one URL, and of these with one Apath: a page in the navigation of every page has all it
/// needs.
const MAX_OF_URL: usize = 64;
const MAX_OF_APATH: usize = 12;

/// A link that leads to a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InLink {
    /// Its Apath's key.
    pub apath: u64,
    /// The page that contains it, as [`PageShape::address`](crate::PageShape::address) names it; 0 if unknown.
    pub from: u64,
}

impl From<u64> for InLink {
    fn from(apath: u64) -> Self {
        Self { apath, from: 0 }
    }
}

/// The links to each URL.
#[derive(Clone, Debug, Default)]
pub struct InLinks {
    by_url: HashMap<u64, Vec<InLink>>,
    links: usize,
}

impl InLinks {
    /// Takes the links of a page.
    pub fn visited(&mut self, page: &Page) {
        let from = page.url().fingerprint();
        for link in page.links() {
            self.add(InLink { apath: page.apath_key(link.apath), from }, &link.url);
        }
    }

    /// Takes one link.
    pub fn add(&mut self, link: impl Into<InLink>, url: &CanonicalUrl) {
        let link = link.into();
        if self.links >= MAX_LINKS {
            return;
        }
        let links = self.by_url.entry(url.fingerprint()).or_default();
        let alike = || links.iter().filter(|other| other.apath == link.apath).count();
        if links.len() < MAX_OF_URL && !links.contains(&link) && alike() < MAX_OF_APATH {
            links.push(link);
            self.links += 1;
        }
    }

    /// The links to a page, which has several URLs if there were redirects; sorted.
    pub fn links_to<'a>(&self, urls: impl IntoIterator<Item = &'a CanonicalUrl>) -> Vec<InLink> {
        let known = urls.into_iter().filter_map(|url| self.by_url.get(&url.fingerprint()));
        let mut links: Vec<InLink> = known.flatten().copied().collect();
        links.sort_unstable();
        links.dedup();
        links
    }
}

#[cfg(test)]
mod tests {
    use osprey_model::UrlRules;

    use super::*;

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text, &UrlRules::default()).expect("a URL")
    }

    #[test]
    fn links_are_found_by_their_ends() {
        let (a, b, c) = (url("http://e.com/a"), url("http://e.com/b"), url("http://e.com/c"));
        let mut inlinks = InLinks::default();
        for (apath, to) in [(7, &a), (3, &a), (7, &a), (3, &b), (9, &b)] {
            inlinks.add(apath, to);
        }
        inlinks.add(InLink { apath: 7, from: 5 }, &a);
        let check = |urls: &[&CanonicalUrl], expect: &[(u64, u64)]| {
            let expect: Vec<InLink> = expect.iter().map(|&(apath, from)| InLink { apath, from }).collect();
            assert_eq!(inlinks.links_to(urls.iter().copied()), expect);
        };
        check(&[&a], &[(3, 0), (7, 0), (7, 5)]);
        check(&[&a, &b], &[(3, 0), (7, 0), (7, 5), (9, 0)]);
        check(&[&c], &[]);
    }

    #[test]
    fn links_to_one_page_are_bounded() {
        let to = url("http://e.com/a");
        let mut inlinks = InLinks::default();
        for from in 0..1_000 {
            inlinks.add(InLink { apath: from % 8, from }, &to);
        }
        let kept = inlinks.links_to([&to]);
        assert_eq!(kept.len(), MAX_OF_URL);
        assert!((0..8).all(|apath| kept.iter().any(|link| link.apath == apath)), "of every kind some");
    }
}
