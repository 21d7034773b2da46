//! OPIC (Abiteboul and others, 2003): importance while crawling. Every page has cash; a fetched page notes what it had in
//! its history and shares it out among its links.
//!
//! Cash of a page without links goes to all pages alike. That is not done page by page: a share per page is written up,
//! and a page gets what has come since it was last looked at, so that a fetch costs its own links only. Cash is neither
//! made nor lost but by [`Opic::add_seed`].

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// A page, by a key of the caller's choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PageKey(pub u64);

/// Pages that are kept; cash for more goes to all pages.
const MAX_PAGES: usize = 20_000_000;

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Account {
    cash: f64,
    history: f64,
    fetched: bool,
    /// What had been given to each page when this one was last looked at.
    given: f64,
}

/// The books.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Opic {
    accounts: FxHashMap<PageKey, Account>,
    /// What each page was given alike, in all.
    given: f64,
    /// Sum of all histories.
    spent: f64,
    /// Sum of all cash.
    made: f64,
}

impl Opic {
    /// A page that the crawl starts with: it gets cash of 1.
    pub fn add_seed(&mut self, page: PageKey) {
        let given = self.given;
        self.accounts.entry(page).or_insert(Account { given, ..Account::default() }).cash += 1.0;
        self.made += 1.0;
    }

    /// A page was fetched: its cash goes to its history and to its links. `paid` gets the links that were
    /// not fetched yet, with their cash now; a link that stands twice is paid twice.
    pub fn fetched(&mut self, page: PageKey, links: &[PageKey], paid: &mut Vec<(PageKey, f64)>) {
        let given = self.given;
        let account = self.accounts.entry(page).or_insert(Account { given, ..Account::default() });
        let cash = account.settle(given);
        account.history += cash;
        account.cash = 0.0;
        account.fetched = true;
        self.spent += cash;
        if links.is_empty() {
            self.give_all(cash);
            return;
        }
        let share = cash / links.len() as f64;
        let mut over = 0.0;
        for link in links {
            if self.accounts.len() >= MAX_PAGES && !self.accounts.contains_key(link) {
                over += share;
                continue;
            }
            let account = self.accounts.entry(*link).or_insert(Account { given, ..Account::default() });
            account.settle(given);
            account.cash += share;
            if !account.fetched {
                paid.push((*link, account.cash));
            }
        }
        self.give_all(over);
    }

    /// The cash of a page now.
    pub fn cash(&self, page: PageKey) -> f64 {
        self.accounts.get(&page).map_or(0.0, |account| account.cash + self.given - account.given)
    }

    /// The importance of a page: its part of all that was spent and all that is there.
    pub fn importance(&self, page: PageKey) -> f64 {
        let history = self.accounts.get(&page).map_or(0.0, |account| account.history);
        let total = self.spent + self.made;
        if total > 0.0 { (history + self.cash(page)) / total } else { 0.0 }
    }

    /// Pages with an account.
    pub fn len(&self) -> usize {
        self.accounts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.accounts.is_empty()
    }

    fn give_all(&mut self, cash: f64) {
        if !self.accounts.is_empty() {
            self.given += cash / self.accounts.len() as f64;
        }
    }
}

impl Account {
    /// Takes what was given to all since the last look; the answer is the cash now.
    fn settle(&mut self, given: f64) -> f64 {
        self.cash += given - self.given;
        self.given = given;
        self.cash
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn near(found: f64, expect: f64) {
        assert!((found - expect).abs() < 1e-12, "{found}, expected {expect}");
    }

    /// Seed 1 pays 2 and 3 a half each. 2 pays 3 and 4 a quarter. 3 (3/4) has no links: its cash goes to all four,
    /// 3/16 each. A page that comes later has no part in that.
    #[test]
    fn by_hand() {
        let page = PageKey;
        let mut opic = Opic::default();
        let mut paid = Vec::new();
        opic.add_seed(page(1));
        opic.fetched(page(1), &[page(2), page(3)], &mut paid);
        assert_eq!(paid, [(page(2), 0.5), (page(3), 0.5)]);
        paid.clear();
        opic.fetched(page(2), &[page(3), page(4), page(1), page(1)], &mut paid);
        // 1 is fetched already, so it is paid and not told of
        assert_eq!(paid, [(page(3), 0.625), (page(4), 0.125)]);
        opic.fetched(page(3), &[], &mut paid);
        near(opic.cash(page(1)), 0.25 + 0.625 / 4.0);
        near(opic.cash(page(3)), 0.625 / 4.0);
        near(opic.cash(page(4)), 0.125 + 0.625 / 4.0);
        // spent so far: 1 + 0.5 + 0.625, and 1 is there; page 3 had 0.625 and has 0.15625
        near(opic.importance(page(3)), (0.625 + 0.15625) / 3.125);
        opic.add_seed(page(5));
        near(opic.cash(page(5)), 1.0);
        near(opic.importance(page(99)), 0.0);
    }

    proptest! {
        #[test]
        fn cash_is_neither_made_nor_lost(visits in prop::collection::vec((0u64..12, prop::collection::vec(0u64..12, 0..5)), 0..40)) {
            let mut opic = Opic::default();
            opic.add_seed(PageKey(0));
            for (page, links) in visits {
                let links: Vec<PageKey> = links.into_iter().map(PageKey).collect();
                opic.fetched(PageKey(page), &links, &mut Vec::new());
            }
            let sum: f64 = (0..12).map(|page| opic.cash(PageKey(page))).sum();
            prop_assert!((sum - 1.0).abs() < 1e-9, "{}", sum);
        }
    }
}
