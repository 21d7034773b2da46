//! Predicts what the links of a page lead to, and who uploaded it, before anything is fetched, from the learned site.
//!
//! Sites write one page type in several ways, and each way is a cluster: here the shares of all clusters with the same
//! label are added. The card that contains a link tells who uploaded the item behind it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use osprey_model::{CanonicalUrl, PageType, UrlRules};
use osprey_page::{Link, Page, Rel};
use osprey_structure::types::{Pairing, pairs, pairs_by_structure};
use osprey_structure::{Cluster, Level, LinkKind, Site};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::profiles::UserId;

/// Links of a kind lead to a type of page if at least this share of those that were followed did.
const MOST: f64 = 0.5;
/// Kinds of link that are remembered; the table is emptied when it is full.
const MAX_KINDS: usize = 100_000;
/// Pages of a kind of list whose cards are looked for.
const FIRST_PAGES: u32 = 8;
/// Characters of a name in a URL, at least: less than that stands in too many of them.
const SHORTEST_NAME: usize = 3;

/// The user whose profile is at a URL.
pub(super) fn user_at(url: &CanonicalUrl) -> UserId {
    UserId(url.fingerprint())
}

/// The user whose profile is at a URL that a record names: one that structured data gives may be relative, or written
/// in another way than links are.
pub(super) fn user_named(url: &str, page: &Page) -> Option<UserId> {
    let resolved = page.base().join(url, &UrlRules::default()).ok().filter(|_| !url.is_empty())?;
    // what was copied from a link is what the rules of this crawl made of it
    let is_link = || page.links().iter().any(|link| link.url.as_str() == url);
    Some(if resolved.as_str() != url && is_link() {
        UserId(xxh3_64(url.as_bytes()))
    } else {
        user_at(&resolved)
    })
}

/// Where links lead.
#[derive(Debug)]
pub(in crate::policy) struct Leads {
    site: Arc<Site>,
    /// By cluster and Apath: what was looked up before.
    known: FxHashMap<(Cluster, u64), Option<PageType>>,
    /// Where the cards of a kind of list have things and uploaders, as its first pages show.
    pub(super) cards: Cards,
}

/// By cluster.
pub(super) type Cards = BTreeMap<u32, CardPlaces>;

/// Apaths of links in the cards of a kind of list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct CardPlaces {
    /// How many of its pages were looked at.
    pages: u32,
    things: BTreeSet<u64>,
    uploaders: BTreeSet<u64>,
}

/// The links of one page.
#[derive(Debug, Default)]
pub(in crate::policy) struct Sighted {
    /// The user that each would be, if it leads to a person.
    pub(super) users: Vec<UserId>,
    /// What each leads to, if that is known.
    pub(in crate::policy) leads: Vec<Option<PageType>>,
    /// The uploader of what each leads to, where the page tells.
    pub(super) uploaders: Vec<Option<UserId>>,
    /// Users whose profiles the page says not to ask for: all of its links there are `nofollow`. In the order of keys.
    refused: Vec<UserId>,
}

impl Sighted {
    /// Whether a link of the page, if it has one, may be followed to a user's profile.
    pub(super) fn can_ask(&self, user: UserId) -> bool {
        self.refused.binary_search(&user).is_err()
    }

    /// The address of a user, of the page itself or of a link on it.
    pub(super) fn address<'p>(&self, user: UserId, page: &'p Page) -> Option<&'p CanonicalUrl> {
        if user_at(page.url()) == user {
            return Some(page.url());
        }
        let at = self.users.iter().position(|known| *known == user)?;
        page.links().get(at).map(|link| &link.url)
    }

    fn note_users(&mut self, links: &[Link]) {
        self.users.clear();
        self.users.extend(links.iter().map(|link| user_at(&link.url)));
        let is_refused = |link: &Link| link.rel.contains(Rel::NOFOLLOW);
        let with_rel = || links.iter().zip(&self.users);
        self.refused = with_rel().filter(|(link, _)| is_refused(link)).map(|(_, user)| *user).collect();
        if !self.refused.is_empty() {
            let open: FxHashSet<UserId> =
                with_rel().filter(|(link, _)| !is_refused(link)).map(|(_, user)| *user).collect();
            self.refused.retain(|user| !open.contains(user));
            self.refused.sort_unstable();
        }
    }
}

impl Leads {
    pub(in crate::policy) fn new(site: Arc<Site>) -> Self {
        Self { site, known: FxHashMap::default(), cards: Cards::new() }
    }

    /// Looks at all links of a page of a cluster and type.
    pub(in crate::policy) fn sight(
        &mut self,
        from: Cluster,
        page_type: PageType,
        page: &Page,
        into: &mut Sighted,
    ) {
        into.note_users(page.links());
        into.leads.clear();
        into.uploaders.clear();
        into.uploaders.resize(page.links().len(), None);
        let (mut details, mut profiles) = (0, 0);
        for link in page.links() {
            let lead = self.lead(from, page, link);
            details += usize::from(lead == Some(PageType::Detail));
            profiles += usize::from(lead == Some(PageType::Profile));
            into.leads.push(lead);
        }
        let found = if details > 1 && profiles > 0 {
            let is = |link: &Link, page_type| self.remembered(from, page, link) == Some(page_type);
            pairs(page, |link| is(link, PageType::Detail), |link| is(link, PageType::Profile))
        } else if details + profiles == 0 && page_type == PageType::List {
            self.pairs_of_list(from, page)
        } else {
            Vec::new()
        };
        for Pairing { detail, uploader } in found {
            let user = into.users.get(uploader).copied();
            into.uploaders.get_mut(detail).into_iter().for_each(|place| *place = user);
            into.leads.get_mut(detail).into_iter().for_each(|lead| *lead = Some(PageType::Detail));
            into.leads.get_mut(uploader).into_iter().for_each(|lead| *lead = Some(PageType::Profile));
        }
    }

    /// Pairs on a list whose links nothing is known of. To find cards by their structure costs as much as half a parse,
    /// and the pages of a kind are alike: the first ones show where to look on the others.
    fn pairs_of_list(&mut self, from: Cluster, page: &Page) -> Vec<Pairing> {
        let Some(cards) = from.map(|cluster| self.cards.entry(cluster).or_default()) else {
            return pairs_by_structure(page);
        };
        if cards.pages >= FIRST_PAGES {
            if cards.things.is_empty() {
                return Vec::new();
            }
            let is_thing = |link: &Link| cards.things.contains(&page.apath_key(link.apath));
            return pairs(page, is_thing, |link| cards.uploaders.contains(&page.apath_key(link.apath)));
        }
        cards.pages += 1;
        let found = pairs_by_structure(page);
        let apath = |at: usize| page.links().get(at).map(|link| page.apath_key(link.apath));
        cards.things.extend(found.iter().filter_map(|pair| apath(pair.detail)));
        cards.uploaders.extend(found.iter().filter_map(|pair| apath(pair.uploader)));
        found
    }

    /// Whether the sitemap marks such pages as unwanted.
    pub(super) fn is_unwanted(&self, from: Cluster, page: &Page, link: &Link) -> bool {
        self.site.is_unwanted(from, page, link)
    }

    fn remembered(&self, from: Cluster, page: &Page, link: &Link) -> Option<PageType> {
        self.known.get(&(from, page.apath_key(link.apath))).copied().flatten()
    }

    fn lead(&mut self, from: Cluster, page: &Page, link: &Link) -> Option<PageType> {
        let key = (from, page.apath_key(link.apath));
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        if self.known.len() >= MAX_KINDS {
            self.known.clear();
        }
        let lead = self.look_up(LinkKind::of(from, page, link));
        self.known.insert(key, lead);
        lead
    }

    fn look_up(&self, kind: LinkKind) -> Option<PageType> {
        let (to, level) = self.site.navigation().destinations(kind);
        if level < Level::Xpath {
            return None;
        }
        let label = |cluster: Cluster| self.site.sitemap().entry(cluster?).map(|entry| entry.label);
        let types = [PageType::Detail, PageType::Profile, PageType::List, PageType::Other];
        let shares = to.shares();
        types.into_iter().find(|page_type| {
            let of_type = shares.iter().filter(|(cluster, _)| label(*cluster) == Some(*page_type));
            of_type.map(|(_, share)| share).sum::<f64>() >= MOST
        })
    }
}

/// What names a user in URLs: the last value of the profile's query, or the last part of its path.
pub(super) fn name_in(url: &CanonicalUrl) -> Option<&str> {
    let name = match url.path_and_query().split_once('?') {
        Some((_, query)) => query.rsplit(['=', '&']).next(),
        None => url.path().trim_end_matches('/').rsplit('/').next(),
    };
    name.filter(|name| name.len() >= SHORTEST_NAME)
}

/// Whether a URL has a user's name as one of its parts.
pub(super) fn is_named(url: &CanonicalUrl, name: &str) -> bool {
    url.path_and_query().split(['/', '?', '=', '&']).any(|part| part == name)
}

#[cfg(test)]
mod tests {
    use osprey_page::{Input, PageRules};

    use super::*;

    /// Structured data says `/u/ann`, `./ann`, or spells an address with a port; links are canonical.
    #[test]
    fn users_of_records_are_those_of_links() {
        let url = CanonicalUrl::parse("http://a.example/d/1", &UrlRules::default()).unwrap();
        let parse = |head: &str| {
            let body = format!("{head}<a href=/u/ann>ann</a>");
            Page::parse(
                &Input { url: &url, content_type: None, body: body.as_bytes() },
                &PageRules::default(),
            )
        };
        let check = |head: &str, text: &str, expect: bool| {
            let page = parse(head);
            let linked = user_at(&page.links()[0].url);
            assert_eq!(user_named(text, &page) == Some(linked), expect, "{text}");
        };
        check("", "http://a.example/u/ann", true);
        check("", "/u/ann", true);
        check("", "../u/ann#top", true);
        check("", "HTTP://A.example:80/u/ann", true);
        check("<base href=/u/>", "ann", true);
        check("", "ann", false);
        check("", "", false);
        check("", "javascript:ann", false);
    }

    #[test]
    fn names_in_urls() {
        let url = |path: &str| {
            CanonicalUrl::parse(&format!("http://a.example{path}"), &UrlRules::default()).unwrap()
        };
        let check = |profile: &str, name: Option<&str>, own: &str, other: &str| {
            let profile = url(profile);
            assert_eq!(name_in(&profile), name);
            if let Some(name) = name {
                assert!(is_named(&url(own), name) && !is_named(&url(other), name), "{name}");
            }
        };
        check("/people/ann-7/", Some("ann-7"), "/photos/ann-7/sets/3", "/photos/ann-77");
        check("/member?id=4711", Some("4711"), "/posts?by=4711&page=2", "/posts?by=47112");
        check("/u/7", None, "", "");
        check("/", None, "", "");
    }
}
