//! OPIC (Abiteboul and others, 2003): importance while crawling. Every page that waits has cash; a page that is fetched
//! shares its cash out among its links, and the page with the most cash is fetched next.
//!
//! Cash of a page without links goes to all waiting pages alike. That is not done page by page: a share per page is
//! written up, and a page gets what has come since it was last looked at, so that a fetch costs its own links only.
//!
//! The paper adds up what a page ever had as its importance. A crawl fetches a page once: what it had then is the score
//! that its visit is stored with, so no history is kept here, and the account is closed. Pages that were fetched and are
//! linked again get a new one; what lies there would be theirs at a second visit.
//!
//! Accounts are bounded. A page past the bound has none: it waits with what its best link brought.

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

use crate::text::Hashed;

/// A page, by a key of the caller's choice that is a hash already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PageKey(pub u64);

/// Pages with an account. Two million are 60 MB of memory, and 30 MB in a snapshot.
const MAX_PAGES: usize = 2_000_000;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Account {
    cash: f32,
    /// What had been given to each page when this one was last looked at.
    given: f32,
}

/// The books.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(from = "Saved")]
pub struct Opic {
    accounts: HashMap<PageKey, Account, Hashed>,
    /// What each page was given alike, in all.
    given: f32,
}

impl Opic {
    /// A page was fetched: its cash goes to its links, in equal parts. A link that stands twice is paid twice. A page
    /// without an account, which is a page that the crawl began with or one past the bound, brings what it waited with.
    /// `cash` gets the cash of each link now.
    pub fn fetched(&mut self, page: PageKey, waited_with: f32, links: &[PageKey], cash: &mut Vec<f32>) {
        let given = self.given;
        let account = self.accounts.remove(&page);
        let had = account.map_or(waited_with, |mut account| account.settle(given)).max(0.0);
        cash.clear();
        if links.is_empty() {
            self.give_all(had);
            return;
        }
        let share = had / links.len() as f32;
        for link in links {
            if self.accounts.len() >= MAX_PAGES && !self.accounts.contains_key(link) {
                cash.push(share);
                continue;
            }
            let account = self.accounts.entry(*link).or_insert(Account { cash: 0.0, given });
            account.settle(given);
            account.cash += share;
            cash.push(account.cash);
        }
    }

    /// The cash of a page now; `None` if it has no account.
    pub fn cash(&self, page: PageKey) -> Option<f32> {
        self.accounts.get(&page).map(|account| account.cash + self.given - account.given)
    }

    /// Pages with an account.
    pub fn len(&self) -> usize {
        self.accounts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.accounts.is_empty()
    }

    fn give_all(&mut self, cash: f32) {
        if !self.accounts.is_empty() {
            self.given += cash / self.accounts.len() as f32;
        }
    }
}

impl Account {
    /// Takes what was given to all since the last look; the answer is the cash now.
    fn settle(&mut self, given: f32) -> f32 {
        self.cash += given - self.given;
        self.given = given;
        self.cash
    }
}

/// As stored: by rising key, each as its distance from the one before.
#[derive(Serialize, Deserialize)]
struct Saved {
    given: f32,
    accounts: Vec<(u64, f32, f32)>,
}

impl Serialize for Opic {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut accounts: Vec<(u64, f32, f32)> =
            self.accounts.iter().map(|(key, account)| (key.0, account.cash, account.given)).collect();
        accounts.sort_unstable_by_key(|(key, ..)| *key);
        let mut last = 0;
        for (key, ..) in &mut accounts {
            (*key, last) = (*key - last, *key);
        }
        Saved { given: self.given, accounts }.serialize(serializer)
    }
}

impl From<Saved> for Opic {
    fn from(saved: Saved) -> Self {
        let mut last = 0u64;
        let accounts = saved.accounts.into_iter().map(|(step, cash, given)| {
            last = last.wrapping_add(step);
            (PageKey(last), Account { cash, given })
        });
        Self { accounts: accounts.collect(), given: saved.given }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn near(found: Option<f32>, expect: f32) {
        assert!(found.is_some_and(|found| (found - expect).abs() < 1e-6), "{found:?}, expected {expect}");
    }

    /// Seed 1 pays 2 and 3 a half each. 2 pays 3, 4, and 1 twice, an eighth each. 3 has no links: its 5/8 go to 1 and 4,
    /// which have an account, alike. A page that comes later has no part in that.
    #[test]
    fn by_hand() {
        let page = PageKey;
        let (mut opic, mut cash) = (Opic::default(), Vec::new());
        opic.fetched(page(1), 1.0, &[page(2), page(3)], &mut cash);
        assert_eq!(cash, [0.5, 0.5]);
        opic.fetched(page(2), 9.0, &[page(3), page(4), page(1), page(1)], &mut cash);
        assert_eq!(cash, [0.625, 0.125, 0.125, 0.25]);
        opic.fetched(page(3), 9.0, &[], &mut cash);
        assert!(cash.is_empty());
        near(opic.cash(page(1)), 0.25 + 0.3125);
        near(opic.cash(page(4)), 0.125 + 0.3125);
        assert_eq!((opic.cash(page(3)), opic.len()), (None, 2));
        opic.fetched(page(4), 9.0, &[page(5), page(1)], &mut cash);
        near(opic.cash(page(5)), 0.21875);
        near(opic.cash(page(1)), 0.5625 + 0.21875);
    }

    #[test]
    fn books_are_stored() {
        let (mut opic, mut cash) = (Opic::default(), Vec::new());
        opic.fetched(PageKey(9), 1.0, &[PageKey(u64::MAX), PageKey(7), PageKey(0)], &mut cash);
        opic.fetched(PageKey(7), 1.0, &[], &mut cash);
        let bytes = postcard::to_stdvec(&opic).unwrap();
        let again: Opic = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(again, opic);
        assert_eq!(postcard::to_stdvec(&again).unwrap(), bytes);
    }

    proptest! {
        /// As long as every page that is fetched waited for it.
        #[test]
        fn cash_is_neither_made_nor_lost(visits in prop::collection::vec((0usize..12, prop::collection::vec(0u64..12, 1..5)), 0..40)) {
            let (mut opic, mut cash) = (Opic::default(), Vec::new());
            opic.fetched(PageKey(0), 1.0, &[PageKey(1), PageKey(2)], &mut cash);
            for (page, links) in visits {
                let mut waiting: Vec<PageKey> = opic.accounts.keys().copied().collect();
                waiting.sort_unstable();
                let page = waiting[page % waiting.len()];
                let links: Vec<PageKey> = links.into_iter().map(PageKey).collect();
                opic.fetched(page, 0.0, &links, &mut cash);
            }
            let sum: f32 = (0..12).filter_map(|page| opic.cash(PageKey(page))).sum();
            prop_assert!((sum - 1.0).abs() < 1e-4, "{}", sum);
        }
    }
}
