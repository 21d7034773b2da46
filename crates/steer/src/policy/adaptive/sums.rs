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
/// Links after which a group forgets, by this part for each.
const MEMORY: f32 = 30.0;
/// The same for `said`.
const LONG_MEMORY: f32 = 90.0;

/// What links brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Sums {
    /// What came.
    pub(super) y: f32,
    /// What was followed.
    pub(super) e: f32,
}

impl Sums {
    pub(super) fn add(&mut self, y: f32, own: f32, memory: f32) {
        if self.e > memory {
            let keep = 1.0 - 1.0 / memory;
            self.y *= keep;
            self.e *= keep;
        }
        self.y += y;
        self.e += own;
    }

    pub(super) fn mean(self, wider: f32, weight: f32) -> f32 {
        (self.y + weight * wider) / (self.e + weight)
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
pub(super) struct Kind {
    pub(super) level: Level,
    shape: u32,
    pub(super) sums: Sums,
    /// Links that were followed.
    pub(super) followed: u32,
    /// The factor that the frontier was given last.
    pub(super) sent: f32,
}

/// All kinds that were met.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Kinds {
    levels: [Sums; 8],
    shapes: Vec<Shape>,
    by_shape: FxHashMap<u64, u32>,
    pub(super) kinds: Vec<Kind>,
    by_group: FxHashMap<u64, u32>,
}

impl Kinds {
    /// The number of a kind; `true` if it is new.
    pub(super) fn number(&mut self, group: u64, shape: u64, level: Level) -> (u32, bool) {
        if let Some(number) = self.by_group.get(&group) {
            return (*number, false);
        }
        let shapes = &mut self.shapes;
        let shape = *self.by_shape.entry(shape).or_insert_with(|| {
            shapes.push(Shape::default());
            shapes.len() as u32 - 1
        });
        let number = self.kinds.len() as u32;
        self.kinds.push(Kind { level, shape, sums: Sums::default(), followed: 0, sent: -1.0 });
        self.by_group.insert(group, number);
        (number, true)
    }

    pub(super) fn of_group(&self, group: u64) -> Option<u32> {
        self.by_group.get(&group).copied()
    }

    pub(super) fn groups(&self) -> impl Iterator<Item = (u64, u32)> {
        self.by_group.iter().map(|(group, number)| (*group, *number))
    }

    /// What a link of a kind is expected to bring.
    pub(super) fn expected(&self, number: u32) -> f32 {
        let Some(kind) = self.kinds.get(number as usize) else { return 0.0 };
        let level = kind.level.index();
        let said = self.levels[level].mean(prior(kind.level.said, kind.level.by_page), PRIOR);
        let of_shape = match self.shapes.get(kind.shape as usize) {
            Some(shape) => {
                let alive = (shape.alive + 1.0) / (shape.followed + 1.0);
                shape.sums[level].mean(said * alive, BACK_OFF)
            }
            None => said,
        };
        kind.sums.mean(of_shape, BACK_OFF)
    }

    /// The same, as far as it is known: for plans that rest on it.
    pub(super) fn promised(&self, number: u32) -> f32 {
        let e = self.kinds.get(number as usize).map_or(0.0, |kind| kind.sums.e);
        self.expected(number) * (e + 0.5) / (e + 3.0)
    }

    /// A link of a kind was followed.
    pub(super) fn brought(&mut self, number: u32, y: f32, own: f32, is_alive: bool) {
        let Some(kind) = self.kinds.get_mut(number as usize) else { return };
        let level = kind.level.index();
        kind.followed += 1;
        kind.sums.add(y, own, MEMORY);
        self.levels[level].add(y, own, LONG_MEMORY);
        if let Some(shape) = self.shapes.get_mut(kind.shape as usize) {
            shape.sums[level].add(y, own, LONG_MEMORY);
            shape.followed += 1.0;
            shape.alive += if is_alive { 1.0 } else { 0.0 };
        }
    }
}
