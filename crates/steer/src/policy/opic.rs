//! `opic`: a link is worth the cash that flowed to it ([`Opic`]). A page shares its cash out among its links when it is
//! fetched; only the links that are paid move. Seeds begin with cash of 1.

use osprey_model::{GroupId, Own};
use osprey_page::Link;

use super::{LinkFacts, Policy, RestoreError, SitemapVisit, Visit};
use crate::Placing;
use crate::baselines::{Opic, PageKey};

/// The policy, and memory that is used again for every page.
#[derive(Debug, Default)]
pub(super) struct OpicPolicy {
    books: Opic,
    links: Vec<PageKey>,
    cash: Vec<f32>,
}

/// What a page waited with, for one without an account: its score.
pub(super) fn waited_with(visit: &Visit<'_>) -> f32 {
    visit.part("own").unwrap_or(1.0) * visit.part("factor").unwrap_or(1.0)
}

/// The key of the page that a link leads to.
pub(super) fn key(link: &Link) -> PageKey {
    PageKey(link.url.fingerprint())
}

impl OpicPolicy {
    fn place(&self, placing: &mut Placing) {
        for (link, cash) in self.cash.iter().enumerate() {
            placing.add(link, GroupId::ALL, Own::new(*cash), &[("cash", *cash)]);
        }
    }
}

impl Policy for OpicPolicy {
    fn name(&self) -> &'static str {
        "opic"
    }

    fn on_page(&mut self, visit: &Visit<'_>, placing: &mut Placing) {
        self.links.clear();
        self.links.extend(visit.page.links().iter().map(key));
        let page = PageKey(visit.page.url().fingerprint());
        self.books.fetched(page, waited_with(visit), &self.links, &mut self.cash);
        self.place(placing);
    }

    /// A sitemap is a page that nothing links to: it has what a seed has.
    fn on_sitemap(&mut self, map: &SitemapVisit<'_>, placing: &mut Placing) {
        self.links.clear();
        self.links.extend(map.entries.iter().map(|entry| PageKey(entry.url.fingerprint())));
        self.books.fetched(PageKey(map.id.0.into()), 1.0, &self.links, &mut self.cash);
        self.place(placing);
    }

    fn explain(&self, link: &LinkFacts<'_>) -> String {
        format!("{:.6} of the cash has flowed to it ({} pages have some)", link.own, self.books.len())
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

    /// The seed has 1 for four links, two of them the same. It is then linked by nobody, so a second visit brings 1 again.
    #[test]
    fn links_are_worth_their_cash() {
        let mut policy = OpicPolicy::default();
        check(
            &mut policy,
            "<a href=/1>1</a><a href=/2>2</a><a href=/1>1</a><a href=/3>3</a>",
            &[(0, 0.25), (1, 0.25), (2, 0.5), (3, 0.25)],
        );
        check(&mut policy, "<a href=/2>2</a>", &[(0, 1.25)]);
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

    #[test]
    fn state_survives() {
        let mut policy = OpicPolicy::default();
        told(&mut policy, &page("<a href=/1>1</a><a href=/2>2</a>"), GroupId::ALL);
        let mut other = OpicPolicy::default();
        other.restore(&policy.snapshot()).unwrap();
        assert_eq!((&other.books, other.snapshot()), (&policy.books, policy.snapshot()));
        assert!(other.restore(&[0xff; 3]).is_err());
    }
}
