//! `opic`: the score of a link is the cash that it has received ([`Opic`]). A fetched page divides its cash among its
//! links; only the links that receive cash are rescored. Seeds start with cash 1.

use std::collections::BTreeMap;

use osprey_model::{CanonicalUrl, GroupId, LinkScore, counted};

use super::{Failure, LinkFacts, Policy, Repeat, RestoreError, SitemapVisit, Visit};
use crate::Placing;
use crate::baselines::{Opic, Origin, PageKey};

/// The policy, and memory that is used again for every page.
#[derive(Debug, Default)]
pub(super) struct OpicPolicy {
    books: Opic,
    links: Vec<PageKey>,
    cash: Vec<f32>,
}

/// How a link came to be there: what no page placed has no parts but its score.
pub(super) fn origin(why: &BTreeMap<String, f32>) -> Origin {
    let score = |name: &str| why.get(name).copied().unwrap_or(1.0);
    if why.keys().all(|name| name == "own" || name == "factor") {
        return Origin::Start;
    }
    Origin::Link { waited_with: score("own") * score("factor") }
}

/// The key of a page.
pub(super) fn key(url: &CanonicalUrl) -> PageKey {
    PageKey(url.fingerprint())
}

/// What comes of the cash of a link that found nothing new.
pub(super) fn repeated(books: &mut Opic, repeat: &Repeat<'_>) {
    match repeat.to {
        Some(to) => books.moved(key(repeat.url), key(to), origin(repeat.why)),
        None => books.vanished(key(repeat.url)),
    }
}

/// A sitemap is a page that nothing links to: it has what a seed has.
pub(super) fn mapped(
    books: &mut Opic,
    map: &SitemapVisit<'_>,
    links: &mut Vec<PageKey>,
    cash: &mut Vec<f32>,
) {
    links.clear();
    links.extend(map.entries.iter().map(|entry| key(&entry.url)));
    books.fetched(PageKey(map.id.0.into()), Origin::Start, links, cash);
}

impl OpicPolicy {
    fn place(&self, placing: &mut Placing) {
        for (link, cash) in self.cash.iter().enumerate() {
            placing.add(link, GroupId::ALL, LinkScore::new(*cash), &[("cash", *cash)]);
        }
    }
}

impl Policy for OpicPolicy {
    fn name(&self) -> &'static str {
        "opic"
    }

    fn on_page(&mut self, visit: &Visit<'_>, placing: &mut Placing) {
        self.links.clear();
        self.links.extend(visit.page.links().iter().map(|link| key(&link.url)));
        self.books.fetched(key(visit.page.url()), origin(visit.why), &self.links, &mut self.cash);
        self.place(placing);
    }

    fn on_sitemap(&mut self, map: &SitemapVisit<'_>, placing: &mut Placing) {
        mapped(&mut self.books, map, &mut self.links, &mut self.cash);
        self.place(placing);
    }

    fn on_failure(&mut self, failure: &Failure<'_>, _placing: &mut Placing) {
        self.books.vanished(key(failure.url));
    }

    fn on_repeat(&mut self, repeat: &Repeat<'_>, _placing: &mut Placing) {
        repeated(&mut self.books, repeat);
    }

    fn explain(&self, link: &LinkFacts<'_>) -> String {
        format!(
            "{:.6} of the cash has flowed to it (shared among {})",
            link.own,
            counted(self.books.len() as u64, "page")
        )
    }

    fn snapshot(&self) -> Vec<u8> {
        postcard::to_stdvec(&self.books).unwrap_or_default()
    }

    fn restore(&mut self, snapshot: &[u8]) -> Result<(), RestoreError> {
        self.books = postcard::from_bytes(snapshot)
            .map_err(|cause| RestoreError { policy: self.name(), cause: cause.to_string() })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{page, placed, told};
    use super::*;
    use crate::Op;

    fn check(policy: &mut OpicPolicy, body: &str, expect: &[(u32, f32)]) {
        let placing = told(policy, &page(body), GroupId::ALL);
        let found: Vec<(u32, f32)> = placing
            .ops()
            .map(|(op, parts)| match op {
                Op::Add { link, group: GroupId::ALL, own, .. } => {
                    assert_eq!(parts, [("cash", own.get())]);
                    (*link, own.get())
                }
                other => panic!("unexpected {other:?}"),
            })
            .collect();
        assert_eq!(found, expect, "{body}");
    }

    /// The start page has 1 for four links, two of them the same. No page links to it, so a second visit brings
    /// nothing.
    #[test]
    fn links_are_worth_their_cash() {
        let mut policy = OpicPolicy::default();
        check(
            &mut policy,
            "<a href=/1>1</a><a href=/2>2</a><a href=/1>1</a><a href=/3>3</a>",
            &[(0, 0.25), (1, 0.25), (2, 0.5), (3, 0.25)],
        );
        check(&mut policy, "<a href=/2>2</a>", &[(0, 0.25)]);
        check(&mut policy, "", &[]);
    }

    #[test]
    fn a_sitemap_pays_its_entries_alike() {
        let mut policy = OpicPolicy::default();
        let entries =
            placed(&mut policy, "<url><loc>/1</loc></url><url><loc>/2</loc><priority>1</priority></url>");
        let paid = |link| (link, GroupId::ALL, 0.5, vec![("cash", 0.5)]);
        assert_eq!(entries, [paid(0), paid(1)]);
    }

    /// Of four links with a quarter each, /1 fails, /2 is a redirect to /3, /4 repeats another page; the cash of /1 and
    /// /4 goes to the waiting links: a twelfth each for /2, /3 and /4 first, then all that is left for /3.
    #[test]
    fn no_cash_is_lost_or_doubled_on_the_way() {
        let mut policy = OpicPolicy::default();
        let links: String = (1..=4).map(|n| format!("<a href=/{n}>{n}</a>")).collect();
        told(&mut policy, &page(&links), GroupId::ALL);
        let url = |n: u32| {
            CanonicalUrl::parse(&format!("http://a.example/{n}"), &osprey_model::UrlRules::default()).unwrap()
        };
        let (urls, why) = ([1, 2, 3, 4].map(url), BTreeMap::from([("cash".to_owned(), 0.25)]));
        let (id, group, depth) = (osprey_model::LinkId(0), GroupId::ALL, 1);
        let cause = crate::Cause::Status(404);
        policy.on_failure(
            &Failure { id, url: &urls[0], group: Some(group), depth, cause },
            &mut Placing::default(),
        );
        let mut repeat = |url, to| {
            policy.on_repeat(&Repeat { id, url, to, group, depth, why: &why }, &mut Placing::default());
            urls.each_ref().map(|url| policy.books.cash(key(url)))
        };
        let near = |found: [Option<f32>; 4], expect: [Option<f32>; 4]| {
            let close = found.iter().zip(&expect).all(|pair| match pair {
                (Some(found), Some(expect)) => (found - expect).abs() < 1e-6,
                (found, expect) => found == expect,
            });
            assert!(close, "{found:?}, expected {expect:?}");
        };
        let third = 1.0 / 3.0;
        near(repeat(&urls[1], Some(&urls[2])), [None, None, Some(2.0 * third), Some(third)]);
        near(repeat(&urls[3], None), [None, None, Some(1.0), None]);
    }

    #[test]
    fn state_survives() {
        let mut policy = OpicPolicy::default();
        told(&mut policy, &page("<a href=/1>1</a><a href=/2>2</a>"), GroupId::ALL);
        let mut other = OpicPolicy::default();
        other.restore(&policy.snapshot()).unwrap();
        assert_eq!(other.snapshot(), policy.snapshot());
        assert!(other.restore(&[0xff; 3]).is_err());
    }
}
