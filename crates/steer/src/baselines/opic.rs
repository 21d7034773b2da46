//! OPIC (Abiteboul and others, 2003) estimates the importance of pages while crawling. Every waiting page has cash. A
//! fetched page divides its cash among its links, and the page with the most cash is fetched next.
//!
//! The cash of a page without links, of a failed page and of a duplicate is divided equally among all waiting pages.
//! This is not done page by page: a share per page is recorded, and a page gets its part when it is next looked at, so
//! a fetch costs only its own links. The cash of a redirect goes to its target.
//!
//! The paper sums all cash that a page ever had. A crawl fetches a page once: the cash it has then is the score stored
//! with the visit, so no history is kept and the account is closed. A fetched page that is linked again gets a new
//! account, for a second visit.
//!
//! Cash is counted in whole numbers and the sum is exact: each start page gets 1, once, and the accounts, the
//! remainders of divisions and the payments to pages beyond the limit always add up to what was handed out. With
//! floating point, small shares would vanish beside a large sum.
//!
//! The number of accounts is limited. A page beyond the limit waits with the cash of its best link and is paid from
//! what all such pages received.

use std::collections::BTreeSet;

use hashbrown::HashMap;
use osprey_text::Hashed;
use serde::{Deserialize, Serialize};

/// A page, by a key of the caller's choice that is a hash already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PageKey(pub u64);

/// How a page came to be fetched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Origin {
    /// The crawl began with it: it is handed cash of 1, the first time.
    Start,
    /// By a link, which waited with this score.
    Link {
        /// What it can bring if it is past the bound.
        waited_with: f32,
    },
}

/// Pages with an account. Two million are 60 MB of memory, and 25 MB in a snapshot.
const MAX_PAGES: usize = 2_000_000;
/// Cash of 1, in the units of the books: `MAX_PAGES` times this fits, and the mean cash of so many pages is large.
const ONE: u64 = 1 << 40;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Account {
    cash: u64,
    /// What had been given to each page when this one was last looked at.
    given: u64,
}

/// The books.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(from = "Saved")]
pub struct Opic {
    accounts: HashMap<PageKey, Account, Hashed>,
    /// What each page was given alike, in all. It may pass the end of the numbers; differences are right all the same,
    /// for what a page was given is cash, and all cash fits.
    given: u64,
    /// Remainders of divisions, and cash that came when no page waited; added to the next payment to all.
    rest: u64,
    /// What was paid to pages past the bound.
    outside: u64,
    /// Pages that were handed cash.
    begun: BTreeSet<PageKey>,
}

impl Opic {
    /// A page was fetched: its cash goes to its links, in equal parts. A link that stands twice is paid twice. `cash`
    /// gets the cash of each link now.
    pub fn fetched(&mut self, page: PageKey, origin: Origin, links: &[PageKey], cash: &mut Vec<f32>) {
        let had = self.close(page, origin);
        cash.clear();
        if links.is_empty() {
            self.give_all(had);
            return;
        }
        let (share, rest) = (had / links.len() as u64, had % links.len() as u64);
        self.rest += rest;
        cash.extend(links.iter().map(|link| as_score(self.pay(*link, share))));
    }

    /// A fetch failed, or the page is a duplicate: its cash goes to all waiting pages.
    pub fn vanished(&mut self, page: PageKey) {
        let had = self.close(page, Origin::Link { waited_with: 0.0 });
        self.give_all(had);
    }

    /// A page is a redirect: its cash is the target's.
    pub fn moved(&mut self, page: PageKey, to: PageKey, origin: Origin) {
        if let Origin::Link { .. } = origin
            && !self.accounts.contains_key(&page)
        {
            return; // past the bound: the target waits with the same score
        }
        let had = self.close(page, origin);
        if origin == Origin::Start && self.begun.len() < MAX_PAGES {
            self.begun.insert(to);
        }
        self.pay(to, had);
    }

    /// The cash of a page now; `None` if it has no account.
    pub fn cash(&self, page: PageKey) -> Option<f32> {
        self.accounts.get(&page).map(|account| as_score(account.now(self.given)))
    }

    /// Pages with an account.
    pub fn len(&self) -> usize {
        self.accounts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.accounts.is_empty()
    }

    /// What a page has, and no longer.
    fn close(&mut self, page: PageKey, origin: Origin) -> u64 {
        let account = self.accounts.remove(&page).map(|account| account.now(self.given));
        match (account, origin) {
            (Some(cash), _) => cash,
            (None, Origin::Start) if self.begun.len() < MAX_PAGES && self.begun.insert(page) => ONE,
            (None, Origin::Start) => 0,
            (None, Origin::Link { waited_with }) => {
                let had = ((f64::from(waited_with) * ONE as f64) as u64).min(self.outside);
                self.outside -= had;
                had
            }
        }
    }

    /// Pays a page; the answer is what it has now.
    fn pay(&mut self, page: PageKey, share: u64) -> u64 {
        let (given, has_room) = (self.given, self.accounts.len() < MAX_PAGES);
        let account = match self.accounts.get_mut(&page) {
            Some(account) => account,
            None if has_room => self.accounts.entry(page).or_insert(Account { cash: 0, given }),
            None => {
                self.outside += share;
                return share;
            }
        };
        *account = Account { cash: account.now(given) + share, given };
        account.cash
    }

    fn give_all(&mut self, cash: u64) {
        let (all, pages) = (self.rest + cash, self.accounts.len() as u64);
        let share = all.checked_div(pages).unwrap_or_default();
        self.given = self.given.wrapping_add(share);
        self.rest = all - share * pages;
    }
}

impl Account {
    /// Its cash, with what was given to all since the last look.
    fn now(self, given: u64) -> u64 {
        self.cash + given.wrapping_sub(self.given)
    }
}

fn as_score(cash: u64) -> f32 {
    (cash as f64 / ONE as f64) as f32
}

/// As stored: by rising key, each as its distance from the one before, with all that it has.
#[derive(Serialize, Deserialize)]
struct Saved {
    rest: u64,
    outside: u64,
    begun: Vec<PageKey>,
    accounts: Vec<(u64, u64)>,
}

impl Serialize for Opic {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut accounts: Vec<(u64, u64)> =
            self.accounts.iter().map(|(key, account)| (key.0, account.now(self.given))).collect();
        accounts.sort_unstable_by_key(|(key, _)| *key);
        let mut last = 0;
        for (key, _) in &mut accounts {
            (*key, last) = (*key - last, *key);
        }
        let begun = self.begun.iter().copied().collect();
        Saved { rest: self.rest, outside: self.outside, begun, accounts }.serialize(serializer)
    }
}

impl From<Saved> for Opic {
    fn from(saved: Saved) -> Self {
        let mut last = 0u64;
        let accounts = saved.accounts.into_iter().map(|(step, cash)| {
            last = last.wrapping_add(step);
            (PageKey(last), Account { cash, given: 0 })
        });
        let Saved { rest, outside, .. } = saved;
        Self {
            accounts: accounts.collect(),
            given: 0,
            rest,
            outside,
            begun: saved.begun.into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BY_LINK: Origin = Origin::Link { waited_with: 9.0 };

    fn near(found: Option<f32>, expect: f32) {
        assert!(found.is_some_and(|found| (found - expect).abs() < 1e-6), "{found:?}, expected {expect}");
    }

    impl Opic {
        /// What is in the books, in units.
        fn total(&self) -> u64 {
            self.accounts.values().map(|account| account.now(self.given)).sum::<u64>()
                + self.rest
                + self.outside
        }
    }

    /// Seed 1 pays 2 and 3 a half each. 2 pays 3, 4, and 1 twice, an eighth each. 3 has no links: its 5/8 go to 1 and
    /// 4, which have an account, alike. A page that comes later has no part in that.
    #[test]
    fn by_hand() {
        let page = PageKey;
        let (mut opic, mut cash) = (Opic::default(), Vec::new());
        opic.fetched(page(1), Origin::Start, &[page(2), page(3)], &mut cash);
        assert_eq!(cash, [0.5, 0.5]);
        opic.fetched(page(2), BY_LINK, &[page(3), page(4), page(1), page(1)], &mut cash);
        assert_eq!(cash, [0.625, 0.125, 0.125, 0.25]);
        opic.fetched(page(3), BY_LINK, &[], &mut cash);
        assert!(cash.is_empty());
        near(opic.cash(page(1)), 0.25 + 0.3125);
        near(opic.cash(page(4)), 0.125 + 0.3125);
        assert_eq!((opic.cash(page(3)), opic.len()), (None, 2));
        opic.fetched(page(4), BY_LINK, &[page(5), page(1)], &mut cash);
        near(opic.cash(page(5)), 0.21875);
        near(opic.cash(page(1)), 0.5625 + 0.21875);
    }

    /// A seed pays 1 and 2 a half each. 1 is a redirect to 3, which 2 pays too; 2 is fetched again and has nothing
    /// left.
    #[test]
    fn redirects_and_second_visits_by_hand() {
        let page = PageKey;
        let (mut opic, mut cash) = (Opic::default(), Vec::new());
        opic.fetched(page(0), Origin::Start, &[page(1), page(2)], &mut cash);
        opic.moved(page(1), page(3), BY_LINK);
        assert_eq!((opic.cash(page(1)), opic.cash(page(3))), (None, Some(0.5)));
        opic.fetched(page(2), BY_LINK, &[page(3)], &mut cash);
        assert_eq!(cash, [1.0]);
        opic.fetched(page(2), BY_LINK, &[page(4)], &mut cash);
        opic.fetched(page(0), Origin::Start, &[page(4)], &mut cash);
        assert_eq!(cash, [0.0]);
        // 3 fails: what it had is 4's, who alone waits
        opic.vanished(page(3));
        assert_eq!(opic.cash(page(4)), Some(1.0));
        // a start page that is a redirect is handed 1 as any other, once; nobody waits when 6 turns out to have no
        // links
        opic.vanished(page(4));
        opic.moved(page(5), page(6), Origin::Start);
        assert_eq!(opic.cash(page(6)), Some(1.0));
        opic.fetched(page(6), Origin::Start, &[], &mut cash);
        opic.fetched(page(6), Origin::Start, &[page(7)], &mut cash);
        assert_eq!((cash.as_slice(), opic.total()), ([0.0].as_slice(), 2 * ONE));
    }

    /// Where a share is far below what a 32-bit sum can hold: each of a hundred thousand pages leads to one of 64 and
    /// to a page of its own, most fail, and the 64 are never fetched.
    #[test]
    fn small_shares_do_not_vanish_in_large_sums() {
        let (mut opic, mut cash) = (Opic::default(), Vec::new());
        let own = |page: u64| PageKey(1000 + page);
        opic.fetched(PageKey(999), Origin::Start, &[own(0), own(1)], &mut cash);
        for page in 0..100_000 {
            let links = [PageKey(page % 64), own(2 * page + 2), own(2 * page + 3)];
            match page % 7 {
                0 => opic.vanished(own(page)),
                _ => opic.fetched(own(page), BY_LINK, &links, &mut cash),
            }
        }
        assert_eq!(opic.total(), ONE);
    }

    #[test]
    fn books_are_stored() {
        let (mut opic, mut cash) = (Opic::default(), Vec::new());
        opic.fetched(PageKey(9), Origin::Start, &[PageKey(u64::MAX), PageKey(7), PageKey(0)], &mut cash);
        opic.fetched(PageKey(7), BY_LINK, &[], &mut cash);
        let bytes = postcard::to_stdvec(&opic).unwrap();
        let again: Opic = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(postcard::to_stdvec(&again).unwrap(), bytes);
        assert_eq!(again.cash(PageKey(0)), opic.cash(PageKey(0)));
        assert_eq!((again.total(), again.begun), (opic.total(), opic.begun));
    }

    /// What may come of a page.
    #[derive(Clone, Debug)]
    enum Event {
        Fetched(u64, bool, Vec<u64>),
        Vanished(u64),
        Moved(u64, u64, bool),
        Stored,
    }

    fn events() -> impl Strategy<Value = Vec<Event>> {
        let page = || 0u64..24;
        let links = prop::collection::vec(0u64..24, 0..5);
        prop::collection::vec(
            prop_oneof![
                (page(), any::<bool>(), links)
                    .prop_map(|(page, start, links)| Event::Fetched(page, start, links)),
                page().prop_map(Event::Vanished),
                (page(), page(), any::<bool>()).prop_map(|(page, to, start)| Event::Moved(page, to, start)),
                Just(Event::Stored),
            ],
            0..200,
        )
    }

    proptest! {
        /// Whatever happens to pages, in any order, books hold what was handed out, to the unit.
        #[test]
        fn cash_is_neither_made_nor_lost(events in events()) {
            let (mut opic, mut cash) = (Opic::default(), Vec::new());
            let origin = |is_start| if is_start { Origin::Start } else { BY_LINK };
            for event in events {
                let (before, begun) = (opic.total(), opic.begun.len());
                let mut handed = 0;
                match event {
                    Event::Fetched(page, is_start, links) => {
                        let links: Vec<PageKey> = links.into_iter().map(PageKey).collect();
                        let has_account = opic.cash(PageKey(page)).is_some();
                        opic.fetched(PageKey(page), origin(is_start), &links, &mut cash);
                        handed = if has_account { 0 } else { opic.begun.len() - begun };
                    }
                    Event::Vanished(page) => opic.vanished(PageKey(page)),
                    Event::Moved(page, to, is_start) => {
                        let is_new = opic.cash(PageKey(page)).is_none() && !opic.begun.contains(&PageKey(page));
                        opic.moved(PageKey(page), PageKey(to), origin(is_start));
                        handed = usize::from(is_new && is_start);
                    }
                    Event::Stored => opic = postcard::from_bytes(&postcard::to_stdvec(&opic).unwrap()).unwrap(),
                }
                prop_assert_eq!(opic.total(), before + handed as u64 * ONE);
            }
        }
    }
}
