//! The decision tree that classifies tiles.
//!
//! The tree that Zhang 2008 prints (model 1) is built in ([`Tree::zhang_2008`]); another one can be learned from
//! labelled tiles or read from text. Trees are C4.5 trees of [`osprey_c45`].

use std::fmt;
use std::sync::LazyLock;

use osprey_c45::{Example, TrainOptions, TreeError, train};

use super::{Facts, TileKind};

/// The facts by their names in a tree: segments, pixels of the largest, deviation of their sizes.
const FACTS: [&str; 3] = ["len", "max", "std"];
const KINDS: [TileKind; 3] = [TileKind::Inner, TileKind::Bordering, TileKind::Crossing];
const NAMES: [&str; 3] = ["inner", "bordering", "crossing"];
/// The smallest leaf, and a stricter pruning than C4.5's 0.25, which grows a tree even from random labels.
const LEARNING: TrainOptions = TrainOptions { min_leaf: 5.0, confidence: Some(0.001) };

static ZHANG_2008: LazyLock<Tree> =
    LazyLock::new(|| Tree::parse(include_str!("../../data/tiles.tree")).unwrap_or_else(|_| Tree::learn(&[])));

/// A tile whose kind is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Labelled {
    /// Its segmentation features.
    pub facts: Facts,
    /// Its kind.
    pub kind: TileKind,
}

/// A decision tree over the facts of a tile.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree(osprey_c45::Tree);

impl Tree {
    /// The tree of Zhang 2008.
    pub fn zhang_2008() -> &'static Self {
        &ZHANG_2008
    }

    /// Reads a tree.
    ///
    /// # Errors
    /// If the text is not a tree over these facts and kinds.
    pub fn parse(text: &str) -> Result<Self, TreeError> {
        osprey_c45::Tree::parse(text, &FACTS, &NAMES).map(Self)
    }

    /// Learns a tree; without tiles it classifies everything as inner.
    pub fn learn(tiles: &[Labelled]) -> Self {
        let example = |tile: &Labelled| Example {
            values: values(&tile.facts).to_vec(),
            class: tile.kind as usize,
            weight: 1.0,
        };
        Self(train(&FACTS, &NAMES, &tiles.iter().map(example).collect::<Vec<_>>(), &LEARNING))
    }

    /// The kind of a tile.
    pub fn kind(&self, facts: &Facts) -> TileKind {
        KINDS.get(self.0.predict(&values(facts)).class).copied().unwrap_or(TileKind::Inner)
    }

    /// The share of tiles that it classifies correctly.
    pub fn agreement(&self, tiles: &[Labelled]) -> f64 {
        let right = tiles.iter().filter(|tile| self.kind(&tile.facts) == tile.kind).count();
        right as f64 / tiles.len().max(1) as f64
    }
}

fn values(facts: &Facts) -> [f64; 3] {
    [facts.segments, facts.largest, facts.deviation].map(f64::from)
}

/// The text that [`Tree::parse`] reads.
impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codebook::Rng;

    #[test]
    fn the_tree_of_zhang_2008_decides_as_printed() {
        let check = |segments: f32, largest: f32, deviation: f32, expect: TileKind| {
            assert_eq!(Tree::zhang_2008().kind(&Facts { segments, largest, deviation }), expect);
        };
        check(1.0, 1024.0, 0.0, TileKind::Inner);
        check(2.0, 973.0, 461.0, TileKind::Inner);
        check(2.0, 972.0, 460.0, TileKind::Bordering);
        check(4.0, 600.0, 200.0, TileKind::Bordering);
        check(9.0, 494.0, 150.0, TileKind::Crossing);
        check(3.0, 495.0, 100.0, TileKind::Bordering);
        check(4.0, 552.0, 150.0, TileKind::Crossing);
        check(5.0, 593.0, 200.0, TileKind::Crossing);
        check(5.0, 594.0, 200.0, TileKind::Bordering);
        check(6.0, 600.0, 198.0, TileKind::Crossing);
        check(6.0, 635.0, 199.0, TileKind::Bordering);
        check(6.0, 636.0, 199.0, TileKind::Crossing);
        check(9.0, 700.0, 230.0, TileKind::Bordering);
    }

    #[test]
    fn the_shipped_tree_is_written_as_in_its_file() {
        let file = include_str!("../../data/tiles.tree").lines().filter(|line| !line.starts_with('#'));
        assert_eq!(Tree::zhang_2008().to_string(), file.map(|line| format!("{line}\n")).collect::<String>());
    }

    /// Facts of all sorts, labelled by a tree.
    fn labelled(tree: &Tree, number: usize) -> Vec<Labelled> {
        let facts = |i: usize| Facts {
            segments: 1.0 + (i * 7 % 11) as f32,
            largest: (i * 389 % 1021) as f32 + 3.0,
            deviation: (i * 211 % 457) as f32 * 0.9,
        };
        let label = |facts: Facts| Labelled { facts, kind: tree.kind(&facts) };
        (0..number).map(facts).map(label).collect()
    }

    #[test]
    fn a_planted_tree_is_found_again() {
        let planted = "max <= 500: crossing\nmax > 500\n|   len <= 4\n|   |   std <= 200: inner\n|   |   std > 200: bordering\n|   len > 4: bordering\n";
        let planted = Tree::parse(planted).unwrap();
        let tiles = labelled(&planted, 3000);
        let found = Tree::learn(&tiles);
        let other = labelled(&planted, 10_007);
        assert!(found.agreement(&other) > 0.995, "{} of\n{found}", found.agreement(&other));
        assert!(found.to_string().lines().count() <= 8, "{found}");
        // The order of the tiles does not matter.
        let backwards: Vec<Labelled> = tiles.iter().rev().copied().collect();
        assert_eq!(Tree::learn(&backwards), found);
        // What is learnt is written and read as any tree.
        assert_eq!(Tree::parse(&found.to_string()), Ok(found));
    }

    #[test]
    fn the_tree_of_zhang_2008_is_learned_from_its_own_answers() {
        let found = Tree::learn(&labelled(Tree::zhang_2008(), 3000));
        let agreement = found.agreement(&labelled(Tree::zhang_2008(), 10_007));
        assert!(agreement > 0.97, "{agreement} of\n{found}");
    }

    #[test]
    fn noise_and_an_empty_sample_give_a_single_leaf() {
        let mut chance = Rng(5);
        let noise = labelled(Tree::zhang_2008(), 400)
            .into_iter()
            .map(|tile| Labelled { kind: KINDS[chance.below(3)], ..tile });
        let tree = Tree::learn(&noise.collect::<Vec<_>>());
        assert!(tree.to_string().lines().count() <= 4, "{tree}");
        let facts = Facts { segments: 9.0, largest: 100.0, deviation: 10.0 };
        assert_eq!(Tree::learn(&[]).kind(&facts), TileKind::Inner);
    }
}
