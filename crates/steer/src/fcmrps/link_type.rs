//! The type of a link by the positions of its two pages: downward, sideways, crosswise, outward or upward (Chen et al.
//! 2009, section 3.6).

use osprey_model::CanonicalUrl;
use serde::{Deserialize, Serialize};

/// The place of a link's target relative to its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkType {
    /// Below the page's folder: its topic, more special.
    Downward,
    /// In the same folder.
    Sibling,
    /// Elsewhere on the host.
    Crosswise,
    /// On another host.
    Outward,
    /// To a folder above: something more general.
    Upward,
}

impl LinkType {
    /// Every type.
    pub const ALL: [Self; 5] = [Self::Downward, Self::Sibling, Self::Crosswise, Self::Outward, Self::Upward];

    /// The type of a link from one absolute URL to another.
    pub fn of(from: &str, to: &str) -> Self {
        Self::between(&PageLocation::of(from), &PageLocation::of(to))
    }

    /// The same for places.
    pub fn between(from: &PageLocation<'_>, to: &PageLocation<'_>) -> Self {
        if !from.host.eq_ignore_ascii_case(to.host) {
            return Self::Outward;
        }
        // the page of a folder stands above the pages in it
        if from.folder == to.folder {
            return match (from.is_index, to.is_index) {
                (true, false) => Self::Downward,
                (false, true) => Self::Upward,
                _ => Self::Sibling,
            };
        }
        if to.folder.starts_with(from.folder) {
            Self::Downward
        } else if from.folder.starts_with(to.folder) && to.is_index {
            // up to a folder's page; a page in a folder above is a relative, not an ancestor
            Self::Upward
        } else {
            Self::Crosswise
        }
    }

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Downward => "downward",
            Self::Sibling => "sibling",
            Self::Crosswise => "crosswise",
            Self::Outward => "outward",
            Self::Upward => "upward",
        }
    }
}

/// The position of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageLocation<'a> {
    host: &'a str,
    /// With its last slash.
    folder: &'a str,
    is_index: bool,
}

impl<'a> PageLocation<'a> {
    /// Of an absolute URL; query and fragment do not matter.
    pub fn of(url: &'a str) -> Self {
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let end = rest.bytes().position(|byte| matches!(byte, b'?' | b'#')).unwrap_or(rest.len());
        let rest = rest.get(..end).unwrap_or_default();
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        Self::new(host, path)
    }

    /// The same of one that was taken apart already.
    pub(crate) fn of_url(url: &'a CanonicalUrl) -> Self {
        Self::new(url.authority(), url.path())
    }

    fn new(host: &'a str, path: &'a str) -> Self {
        let (folder, file) = path.split_at(path.rfind('/').map_or(0, |at| at + 1));
        Self { host, folder: if folder.is_empty() { "/" } else { folder }, is_index: is_index(file) }
    }
}

fn is_index(file: &str) -> bool {
    let stem = file.split('.').next().unwrap_or_default();
    match stem.len() {
        0 => true,
        4..=7 => ["index", "default", "home", "main"].iter().any(|index| stem.eq_ignore_ascii_case(index)),
        _ => false,
    }
}

/// γ1 and γ2 of a link type.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// If anchor and page speak for the link.
    pub both: f32,
    /// If one does.
    pub one: f32,
}

/// What each link type is worth; the defaults are those of Chen et al. 2009.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "one for each link type")]
pub struct Gammas {
    pub downward: Pair,
    pub sibling: Pair,
    pub crosswise: Pair,
    pub outward: Pair,
    pub upward: Pair,
}

impl Default for Gammas {
    fn default() -> Self {
        let pair = |both, one| Pair { both, one };
        Self {
            downward: pair(0.4, 0.2),
            sibling: pair(0.2, 0.1),
            crosswise: pair(0.1, 0.1),
            outward: pair(0.2, 0.01),
            upward: pair(0.2, 0.0),
        }
    }
}

impl Gammas {
    fn of(&self, link_type: LinkType) -> Pair {
        match link_type {
            LinkType::Downward => self.downward,
            LinkType::Sibling => self.sibling,
            LinkType::Crosswise => self.crosswise,
            LinkType::Outward => self.outward,
            LinkType::Upward => self.upward,
        }
    }

    /// A link type whose number is not between 0 and 1, and the number. The numbers need not add up to 1.
    pub fn wrong(&self) -> Option<(LinkType, f32)> {
        LinkType::ALL.into_iter().find_map(|link_type| {
            let Pair { both, one } = self.of(link_type);
            [both, one].into_iter().find(|gamma| !(0.0..=1.0).contains(gamma)).map(|gamma| (link_type, gamma))
        })
    }

    /// Equation 7.
    pub fn relevance(&self, link_type: LinkType, anchor: f32, page: f32) -> f32 {
        let pair = self.of(link_type);
        match (anchor > 0.0, page > 0.0) {
            (true, true) => pair.both,
            (false, false) => 0.0,
            _ => pair.one,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_by_place() {
        let check = |from: &str, to: &str, expect| {
            let found = LinkType::of(&format!("http://a.example{from}"), &format!("http://a.example{to}"));
            assert_eq!(found, expect, "{from} to {to}");
        };
        check("/sports/", "/sports/nba/1.html", LinkType::Downward);
        check("/sports/", "/sports/1.html", LinkType::Downward);
        check("/sports/index.html", "/sports/1.html", LinkType::Downward);
        check("", "/sports/1.html", LinkType::Downward);
        check("/sports/1.html", "/sports/2.html", LinkType::Sibling);
        check("/sports/1.html", "/sports/1.html?page=2", LinkType::Sibling);
        check("/sports/nba/1.html", "/sports/", LinkType::Upward);
        check("/sports/1.html", "/sports/", LinkType::Upward);
        check("/sports/nba/1.html", "/", LinkType::Upward);
        check("/sports/nba/1.html", "/sports/2.html", LinkType::Crosswise);
        check("/sports/1.html", "/news/2.html", LinkType::Crosswise);
        assert_eq!(LinkType::of("http://a.example/", "http://b.example/"), LinkType::Outward);
        assert_eq!(LinkType::of("http://a.example/x", "https://A.example/y#z"), LinkType::Sibling);
        let url =
            CanonicalUrl::parse("http://a.example/x/y.html?z", &osprey_model::UrlRules::default()).unwrap();
        assert_eq!(PageLocation::of_url(&url), PageLocation::of(url.as_str()));
    }

    /// Equation 7 with the constants of section 5.2.3.
    #[test]
    fn equation_7() {
        let gammas = Gammas::default();
        let check = |link_type, both, page_only| {
            assert_eq!(gammas.relevance(link_type, 0.5, 0.5), both, "{link_type:?}");
            assert_eq!(gammas.relevance(link_type, 0.0, 0.5), page_only, "{link_type:?}");
            assert_eq!(gammas.relevance(link_type, 0.5, 0.0), page_only, "{link_type:?}");
            assert_eq!(gammas.relevance(link_type, 0.0, 0.0), 0.0, "{link_type:?}");
        };
        check(LinkType::Downward, 0.4, 0.2);
        check(LinkType::Sibling, 0.2, 0.1);
        check(LinkType::Crosswise, 0.1, 0.1);
        check(LinkType::Outward, 0.2, 0.01);
        check(LinkType::Upward, 0.2, 0.0);
    }

    proptest::proptest! {
        #[test]
        fn any_two_strings_have_a_type(from in "\\PC{0,30}", to in "\\PC{0,30}") {
            LinkType::of(&from, &to);
            let _ = osprey_text::url_tokens(&from).count();
        }
    }
}
