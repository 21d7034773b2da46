//! Scores of list pages. Zhang & Nasraoui 2009 do not define their order. Here the score of a list is the mean rank of
//! the uploaders that recent lists of its kind showed, so the crawl fetches a new list when it probably shows something
//! better than the waiting items.

use osprey_model::GroupId;
use serde::{Deserialize, Serialize};

use crate::Placing;

/// Sorts of pages that belong to no user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// Lists that are named like a tag of the topic, by their URL or their anchor.
    Topic,
    /// Other lists.
    List,
    /// Pages of which nothing is known, or nothing good.
    Rest,
}

/// How many of the last pages count, about.
const MEMORY: f32 = 20.0;
/// What nothing falls below: even a page that leads nowhere comes before the end.
const FLOOR: f32 = 1e-4;
/// Changes up to this share of a value are not told.
const SLIGHT: f32 = 0.05;

impl Sort {
    pub(super) const ALL: [Self; 3] = [Self::Topic, Self::List, Self::Rest];

    /// The group that links to such pages wait in.
    pub(super) fn group(self) -> GroupId {
        GroupId(self as u64 + 1)
    }

    pub(super) fn of_group(group: GroupId) -> Option<Self> {
        Self::ALL.into_iter().find(|sort| sort.group() == group)
    }
}

/// The mean of each sort, and how many pages it is of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Yields {
    means: [f32; 3],
    pages: [u32; 3],
    told: [f32; 3],
}

impl Default for Yields {
    fn default() -> Self {
        Self { means: [1.0, 0.5, 0.1], pages: [0; 3], told: [0.0; 3] }
    }
}

impl Yields {
    /// What a link of a sort is worth now.
    pub(super) fn of(&self, sort: Sort) -> f32 {
        self.means[sort as usize].max(FLOOR)
    }

    /// A page of a sort showed things of uploaders with this mean rank.
    pub(super) fn note(&mut self, sort: Sort, rank: f32) {
        let at = sort as usize;
        self.pages[at] = self.pages[at].saturating_add(1);
        // the first page says more than what was guessed before
        let weight = (self.pages[at] as f32 + 1.0).min(MEMORY);
        self.means[at] += (rank - self.means[at]) / weight;
    }

    /// Moves the groups whose worth has changed.
    pub(super) fn tell(&mut self, placing: &mut Placing) {
        for sort in Sort::ALL {
            let (now, told) = (self.of(sort), &mut self.told[sort as usize]);
            if (now - *told).abs() > SLIGHT * *told {
                placing.factor(sort.group(), now);
                *told = now;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half the way at first: 1.0 and 0.4 make 0.7; then 0.7 + (0.1 - 0.7) / 3 = 0.5.
    #[test]
    fn means_by_hand() {
        let mut yields = Yields::default();
        yields.note(Sort::Topic, 0.4);
        assert!((yields.of(Sort::Topic) - 0.7).abs() < 1e-6);
        yields.note(Sort::Topic, 0.1);
        assert!((yields.of(Sort::Topic) - 0.5).abs() < 1e-6);
        (0..1000).for_each(|_| yields.note(Sort::Rest, 0.0));
        assert_eq!(yields.of(Sort::Rest), FLOOR);
        assert_eq!(Sort::of_group(Sort::List.group()), Some(Sort::List));
        assert_eq!(Sort::of_group(GroupId::ALL), None);
    }

    #[test]
    fn slight_changes_are_not_told() {
        let mut yields = Yields::default();
        let told = |yields: &mut Yields| {
            let mut placing = Placing::default();
            yields.tell(&mut placing);
            placing.ops().count()
        };
        assert_eq!((told(&mut yields), told(&mut yields)), (3, 0));
        yields.note(Sort::List, 0.49);
        assert_eq!(told(&mut yields), 0);
        yields.note(Sort::List, 0.0);
        assert_eq!(told(&mut yields), 1);
    }
}
