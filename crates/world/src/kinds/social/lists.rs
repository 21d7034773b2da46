//! Lists in pages: how far each goes is said once, and everything else follows from it.

use super::super::hosted::Plan;

/// A site whose places are pages of lists, or no lists at all.
pub(crate) trait Lists: Plan {
    /// The page that a place is of its list, and the list's last; `None` for what is no list in pages.
    fn last_page(&self, place: Self::Place) -> Option<(u64, u64)>;

    /// The last page of a place's list; 1 for what is none.
    fn last_of(&self, place: Self::Place) -> u64 {
        self.last_page(place).map_or(1, |(_, last)| last)
    }

    /// Whether the list of a place goes so far.
    fn is_within(&self, place: Self::Place) -> bool {
        self.last_page(place).is_none_or(|(page, last)| (1..=last).contains(&page))
    }

    /// Every page of the list whose pages `at` names.
    fn list_of(&self, at: impl Fn(u64) -> Self::Place) -> impl Iterator<Item = Self::Place> {
        (1..=self.last_of(at(1))).map(at)
    }
}
