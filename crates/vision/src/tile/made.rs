//! Labelled tiles for training, from generated pictures whose surfaces are known.
//!
//! A picture is a plane of cells, large on one side and small on the other, each of one colour with grain and shade.
//! The features of a tile come from segmenting the picture; its kind comes from the true cells, by the definitions of
//! Zhang 2008: an inner tile lies in one cell, a bordering tile in two or three of which one is dominant, a crossing
//! tile in several of which none is. So the tree learns how the segmentation shows borders.

use super::{Grid, Labelled, TILE, TileKind};
use crate::Picture;
use crate::analysis::{Analyser, Settings};
use crate::codebook::Rng;

const WIDTH: usize = 384;
const HEIGHT: usize = 256;
/// A surface that covers less of a tile does not count.
const SEEN: f32 = 0.04;
/// A part is dominant from this share on.
const DOMINANT: f32 = 0.5;

/// Labelled tiles of so many pictures; the same numbers give the same tiles.
pub fn made_tiles(pictures: std::ops::Range<u64>, settings: &Settings) -> Vec<Labelled> {
    let mut analyser = Analyser::new(settings.clone());
    let mut tiles = Vec::new();
    for number in pictures {
        let cells = Cells::new(number);
        let picture = Picture::from_fn(WIDTH, HEIGHT, |x, y| cells.colour(x, y));
        analyser.analyse(&picture);
        let grid = Grid::new(WIDTH, HEIGHT);
        for (tile, facts) in analyser.facts().iter().enumerate() {
            tiles.push(Labelled { facts: *facts, kind: cells.kind(grid.corner(tile)) });
        }
    }
    tiles
}

/// A true picture.
struct Cells {
    /// The cell of every pixel.
    owner: Vec<u16>,
    colours: Vec<[f32; 3]>,
    grain: f32,
    shade: f32,
    random_seed: u64,
}

impl Cells {
    fn new(number: u64) -> Self {
        let mut chance = Rng(number.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x0711e5);
        let mut unit = || chance.unit() as f32;
        let count = 6 + (unit() * unit() * 400.0) as usize;
        // The more crowded the farther to the right.
        let crowd = 0.4 + unit();
        let centres: Vec<(f32, f32)> =
            (0..count).map(|_| (unit().powf(crowd) * WIDTH as f32, unit() * HEIGHT as f32)).collect();
        let colours =
            (0..count).map(|_| [30.0 + unit() * 190.0, 30.0 + unit() * 190.0, 30.0 + unit() * 190.0]);
        let colours = colours.collect();
        let (grain, shade) = (unit() * 16.0, unit() * 40.0);
        let nearest = |x: usize, y: usize| {
            let distance = |(cx, cy): &(f32, f32)| (cx - x as f32).powi(2) + (cy - y as f32).powi(2);
            let places = centres.iter().map(distance).enumerate();
            places.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(place, _)| place as u16)
        };
        let places = (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| (x, y)));
        let owner = places.map(|(x, y)| nearest(x, y)).collect();
        Self { owner, colours, grain, shade, random_seed: number }
    }

    fn colour(&self, x: usize, y: usize) -> [u8; 3] {
        let place = y * WIDTH + x;
        let colour = self.owner.get(place).and_then(|owner| self.colours.get(usize::from(*owner)));
        let mut chance = Rng(self.random_seed << 32 | place as u64);
        let shade = self.shade * (y as f32 / HEIGHT as f32 - 0.5);
        colour.copied().unwrap_or_default().map(|value| {
            let grain = self.grain * (chance.unit() as f32 - 0.5);
            (value + shade + grain).clamp(0.0, 255.0) as u8
        })
    }

    /// What a tile truly is.
    fn kind(&self, (left, top): (usize, usize)) -> TileKind {
        let mut counts = std::collections::BTreeMap::new();
        for y in top..top + TILE {
            let row = self.owner.get(y * WIDTH + left..y * WIDTH + left + TILE).unwrap_or_default();
            row.iter().for_each(|owner| *counts.entry(*owner).or_insert(0u32) += 1);
        }
        let shares = counts.values().map(|count| *count as f32 / (TILE * TILE) as f32);
        kind_of(&shares.filter(|share| *share >= SEEN).collect::<Vec<_>>())
    }
}

/// The kind of a tile with these shares of true surfaces.
fn kind_of(shares: &[f32]) -> TileKind {
    let largest = shares.iter().copied().fold(0.0, f32::max);
    match shares.len() {
        0 | 1 => TileKind::Inner,
        2 => TileKind::Bordering,
        _ if largest >= DOMINANT => TileKind::Bordering,
        _ => TileKind::Crossing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tile::Tree;

    #[test]
    fn kinds_follow_the_words_of_zhang_2008() {
        let check = |shares: &[f32], expect: TileKind| assert_eq!(kind_of(shares), expect, "{shares:?}");
        check(&[1.0], TileKind::Inner);
        check(&[0.9, 0.1], TileKind::Bordering);
        check(&[0.5, 0.5], TileKind::Bordering);
        check(&[0.6, 0.2, 0.2], TileKind::Bordering);
        check(&[0.4, 0.3, 0.3], TileKind::Crossing);
        check(&[0.3, 0.3, 0.2, 0.2], TileKind::Crossing);
    }

    /// 30 pictures for training, 15 others for testing: 4,320 tiles.
    #[test]
    fn made_tiles_teach_a_tree_that_agrees_with_zhang_2008() {
        let settings = Settings::default();
        let (learn, judge) = (made_tiles(0..30, &settings), made_tiles(30..45, &settings));
        let tree = Tree::learn(&learn);
        let (own, printed) = (tree.agreement(&judge), Tree::zhang_2008().agreement(&judge));
        assert!(own > 0.85 && own >= printed, "learnt {own}, printed {printed}\n{tree}");
        assert!(printed > 0.7, "{printed}");
        let as_printed: Vec<Labelled> = judge
            .iter()
            .map(|tile| Labelled { kind: Tree::zhang_2008().kind(&tile.facts), ..*tile })
            .collect();
        assert!(tree.agreement(&as_printed) > 0.7, "{}", tree.agreement(&as_printed));
        assert_eq!(made_tiles(3..4, &settings), made_tiles(3..4, &settings));
    }
}
