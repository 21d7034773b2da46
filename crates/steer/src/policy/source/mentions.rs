//! On how many pages a link was met: once, or more often.
//!
//! Links that lead to nothing are as a rule met on one page only, whatever their kind; what several pages link to is there.
//! Counters stand in a table of fixed size, by fingerprint: two links may share one, which makes a link look better than it
//! is, and a very long crawl tells no more than the seed does, that links of a kind are alike.

use osprey_model::CanonicalUrl;
use serde::{Deserialize, Serialize};

/// Counters.
const SLOTS: usize = 1 << 18;

/// A counter: the page that met the link last, and whether another did before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Slot {
    page: u16,
    is_met_again: bool,
}

/// What the pages so far linked to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mentions(Vec<Slot>);

impl Default for Mentions {
    fn default() -> Self {
        Self(vec![Slot::default(); SLOTS])
    }
}

impl Mentions {
    /// Counts a link on the `page`-th page; says whether another page had it.
    pub(super) fn met_again(&mut self, url: &CanonicalUrl, page: u64) -> bool {
        let Some(slot) = self.0.get_mut(url.fingerprint() as usize % SLOTS) else { return false };
        // 0 is for no page; a page's links may come twice in a row
        let page = (page % u64::from(u16::MAX)) as u16 + 1;
        slot.is_met_again |= slot.page != 0 && slot.page != page;
        slot.page = page;
        slot.is_met_again
    }

    /// The counters that are in use.
    pub(super) fn stored(&self) -> impl Serialize {
        let used = (0_u32..).zip(&self.0).filter(|(_, slot)| slot.page != 0);
        used.map(|(place, slot)| (place, *slot)).collect::<Vec<_>>()
    }

    pub(super) fn of_stored(used: Vec<StoredSlot>) -> Self {
        let mut mentions = Self::default();
        for StoredSlot(place, stored) in used {
            if let Some(slot) = mentions.0.get_mut(place as usize) {
                *slot = stored;
            }
        }
        mentions
    }
}

/// A counter and its place.
#[derive(Debug, Deserialize)]
pub(super) struct StoredSlot(u32, Slot);

#[cfg(test)]
mod tests {
    use super::super::super::scripted::url;
    use super::*;

    #[test]
    fn pages_count_and_not_links() {
        let mut mentions = Mentions::default();
        let mut check = |path: &str, page: u64, expect: bool| {
            assert_eq!(mentions.met_again(&url(path), page), expect, "{path} {page}");
        };
        check("/a", 1, false);
        check("/a", 1, false);
        check("/b", 2, false);
        check("/a", 2, true);
        check("/a", 2, true);
        let stored = postcard::to_stdvec(&mentions.stored()).unwrap();
        assert_eq!(Mentions::of_stored(postcard::from_bytes(&stored).unwrap()), mentions);
    }
}
