//! What links brought, summed by kind, with back-off to what is like them.
//!
//! The worth that links of a group bring is taken for a Poisson rate with a Gamma prior, so its mean is two sums: `(Y + n m) /
//! (E + n)`, where `Y` is what came, `E` what was followed (in units of the links' own scores), `m` what is known of the next
//! wider group, and `n` how much that counts. Groups grow finer in three steps:
//!
//! - **said**: where the given words stand (in the link, in its row, around it, nowhere), and whether its page speaks of them;
//! - **shape**: the same, and the shape of the URL that the link has;
//! - **kind**: the same, and the kind of page and the place on it that the link stands at.
//!
//! Sums are forgotten slowly, so that a group whose good links are used up loses its worth.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::signs::{Said, Sign};

/// What the next wider group counts: this many links.
const BACK_OFF: f32 = 2.0;
/// What the prior of a `said` counts.
const PRIOR: f32 = 4.0;
/// Kinds that are kept; beyond, links are told apart by what is said of them alone.
const MOST_KINDS: usize = 50_000;
/// Links after which a group forgets, by this part for each.
const MEMORY: f32 = 30.0;
/// What a page that only leads on promises, of what it is expected to lead to.
const ONWARD: f32 = 0.5;
/// The same for `said`.
const LONG_MEMORY: f32 = 90.0;

/// What a link brought: the page itself, and for each fetch, with the best of what it leads to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Yield {
    /// What the page is worth by itself.
    pub(super) page: f32,
    /// What it is worth with the best of its new links, for each fetch; never less.
    pub(super) way: f32,
}

impl Yield {
    /// Nothing came.
    pub(super) const NONE: Self = Self { page: 0.0, way: 0.0 };
}

/// What links brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Sums {
    brought: Yield,
    followed: f32,
}

impl Sums {
    fn add(&mut self, brought: Yield, memory: f32) {
        if self.followed > memory {
            let keep = 1.0 - 1.0 / memory;
            self.brought.page *= keep;
            self.brought.way *= keep;
            self.followed *= keep;
        }
        self.brought.page += brought.page;
        self.brought.way += brought.way;
        self.followed += 1.0;
    }

    fn mean(self, wider: Yield, weight: f32) -> Yield {
        let mean = |sum: f32, wider: f32| (sum + weight * wider) / (self.followed + weight);
        Yield { page: mean(self.brought.page, wider.page), way: mean(self.brought.way, wider.way) }
    }
}

/// What a link is expected to bring where its kind has brought nothing yet.
pub(super) fn prior(said: Said, by_page: bool) -> f32 {
    let prior: f32 = match said {
        Said::Nowhere => 0.05,
        Said::Around => 0.15,
        Said::InRow => 0.30,
        Said::ByLink => 0.50,
    };
    if by_page { prior.max(0.25) } else { prior }
}

/// One of eight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Level {
    pub(super) said: Said,
    pub(super) by_page: bool,
}

impl Level {
    pub(super) fn of(sign: &Sign) -> Self {
        Self { said: sign.said, by_page: sign.by_page }
    }

    fn index(self) -> usize {
        self.said as usize * 2 + usize::from(self.by_page)
    }
}

/// A shape of URL: its links, and how many were alive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Shape {
    alive: f32,
    followed: f32,
    /// By level.
    sums: [Sums; 8],
}

/// A kind of link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Kind {
    level: Level,
    shape: u32,
    sums: Sums,
    /// Links that were followed.
    followed: u32,
}

/// All kinds that were met.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Kinds {
    levels: [Sums; 8],
    shapes: Vec<Shape>,
    #[serde(serialize_with = "super::sorted")]
    by_shape: FxHashMap<u64, u32>,
    kinds: Vec<Kind>,
}

impl Kinds {
    /// Whether another kind is kept.
    pub(super) fn has_room(&self) -> bool {
        self.kinds.len() < MOST_KINDS
    }

    /// A new kind: its number.
    pub(super) fn add(&mut self, shape: u64, level: Level) -> u32 {
        let shapes = &mut self.shapes;
        let shape = *self.by_shape.entry(shape).or_insert_with(|| {
            shapes.push(Shape::default());
            shapes.len() as u32 - 1
        });
        self.kinds.push(Kind { level, shape, sums: Sums::default(), followed: 0 });
        self.kinds.len() as u32 - 1
    }

    /// What a link of a kind is expected to bring.
    pub(super) fn expected(&self, number: u32) -> Yield {
        let Some(kind) = self.kinds.get(number as usize) else { return Yield::NONE };
        let level = kind.level.index();
        let prior = prior(kind.level.said, kind.level.by_page);
        let said = self.levels[level].mean(Yield { page: prior, way: prior }, PRIOR);
        let of_shape = match self.shapes.get(kind.shape as usize) {
            Some(shape) => {
                let alive = (shape.alive + 1.0) / (shape.followed + 1.0);
                shape.sums[level].mean(Yield { page: said.page * alive, way: said.way * alive }, BACK_OFF)
            }
            None => said,
        };
        kind.sums.mean(of_shape, BACK_OFF)
    }

    /// The same, as far as plans may rest on it: what has hardly been tried promises little, and what is only said to lead on
    /// counts a part, or else kinds of pages that lead to each other would promise each other what none of them has.
    pub(super) fn promised(&self, number: u32) -> f32 {
        let followed = self.kinds.get(number as usize).map_or(0.0, |kind| kind.sums.followed);
        let expected = self.expected(number);
        let worth = expected.page + ONWARD * (expected.way - expected.page).max(0.0);
        worth * (followed + 0.5) / (followed + 3.0)
    }

    /// A link of a kind was followed.
    pub(super) fn brought(&mut self, number: u32, brought: Yield, is_alive: bool) {
        let Some(kind) = self.kinds.get_mut(number as usize) else { return };
        let level = kind.level.index();
        kind.followed += 1;
        kind.sums.add(brought, MEMORY);
        self.levels[level].add(brought, LONG_MEMORY);
        if let Some(shape) = self.shapes.get_mut(kind.shape as usize) {
            shape.sums[level].add(brought, LONG_MEMORY);
            shape.followed += 1.0;
            shape.alive += if is_alive { 1.0 } else { 0.0 };
        }
    }

    /// What is known of a kind, for people.
    pub(super) fn in_words(&self, number: u32) -> String {
        let Some(Kind { level, followed, sums, .. }) = self.kinds.get(number as usize) else {
            return String::new();
        };
        let said = match level.said {
            Said::ByLink => "the link says what is wanted",
            Said::InRow => "a link beside it says what is wanted",
            Said::Around => "the text around it says what is wanted",
            Said::Nowhere => "nothing near it says what is wanted",
        };
        let by_page = if level.by_page { ", and so does its page" } else { "" };
        let Yield { page, way } = self.expected(number);
        let known = match followed {
            0 => "no link of its kind was followed yet".to_owned(),
            1 => format!("1 link of its kind was followed and brought {:.2}", sums.brought.page),
            _ => {
                let each = sums.brought.page / sums.followed.max(1.0);
                format!("{followed} links of its kind were followed, lately each brought {each:.2}")
            }
        };
        let onward = if way > page + 0.005 {
            format!(", and leads to more: {way:.2} for each fetch")
        } else {
            String::new()
        };
        format!("{said}{by_page}; {known}; it is expected to bring {page:.2}{onward}")
    }
}
