//! Lists, and what their next page is expected to bring.
//!
//! A list is kept as what stood on its last pages: how many new links of each kind. What such a page is worth follows from what
//! those kinds bring today, so a list rises as soon as its first items turn out well, and sinks with each page that has nothing new.

use serde::{Deserialize, Serialize};

use super::sums::Kinds;

/// What an older page counts, of what the next one counts.
const OLDER: f32 = 0.6;
/// What is known of links to further pages of any list counts as much as this part of a page.
const OTHERS: f32 = 0.5;
/// Kinds of links that are kept.
const MOST_KINDS: usize = 8;

/// A list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct List {
    /// New links on its pages by kind, older pages count less.
    new: Vec<(u32, f32)>,
    /// Pages, counted the same way.
    pages: f32,
    /// The kind of the links to its further pages.
    pub(super) kind: u32,
}

impl List {
    /// A list of which no page was fetched yet, with links to further pages of this kind.
    pub(super) fn of_kind(kind: u32) -> Self {
        Self { kind, ..Self::default() }
    }

    /// A page of it was fetched, with new links of these kinds.
    pub(super) fn page(&mut self, kinds: impl Iterator<Item = u32>) {
        self.pages = OLDER * self.pages + 1.0;
        self.new.iter_mut().for_each(|(_, count)| *count *= OLDER);
        for kind in kinds {
            match self.new.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, count)) => *count += 1.0,
                None => self.new.push((kind, 1.0)),
            }
        }
        if self.new.len() > MOST_KINDS {
            self.new.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            self.new.truncate(MOST_KINDS);
        }
    }

    /// What its next page is worth for each fetch, its items with it.
    pub(super) fn worth(&self, kinds: &Kinds) -> f32 {
        let mut promised: Vec<(f32, f32)> = self
            .new
            .iter()
            .map(|(kind, count)| (kinds.promised(*kind), count / self.pages.max(1.0)))
            .collect();
        promised.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (mut best, mut sum, mut fetches) = (0.0_f32, 0.0, 1.0);
        for (each, count) in promised {
            sum += each * count;
            fetches += count;
            best = best.max(sum / fetches);
        }
        (self.pages * best + OTHERS * kinds.expected(self.kind).way) / (self.pages + OTHERS)
    }

    /// What is known of it, for people.
    pub(super) fn in_words(&self, kinds: &Kinds) -> String {
        let new: f32 = self.new.iter().map(|(_, count)| count).sum();
        let each = self.new.iter().map(|(kind, count)| count * kinds.expected(*kind).page).sum::<f32>()
            / new.max(1.0);
        match self.pages > 0.0 {
            true => format!(
                "a further page of a list whose last pages had {:.1} new links each; such links bring {each:.2} each, so the next \
                 page promises {:.2} for each fetch",
                new / self.pages,
                self.worth(kinds)
            ),
            false => format!("a further page of a list that is not known yet; {}", kinds.in_words(self.kind)),
        }
    }
}
