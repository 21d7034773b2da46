//! Tiles of 32x32 pixels and their kinds: inside one segment, at a border, or across many small segments.

mod made;
mod tree;

use std::fmt;

pub use made::made_tiles;
pub use tree::{Labelled, Tree};

use crate::segment::Segments;

/// Pixels on a side of a tile.
pub const TILE: usize = 32;
/// Pixels on a side of a tile in planes of half size.
pub(crate) const HALF_TILE: usize = TILE / 2;

/// The positions of the tiles of a picture: whole tiles only, centred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// Tiles from left to right.
    pub columns: usize,
    /// Tiles from top to bottom.
    pub rows: usize,
    /// Pixels left of the first tile; even.
    pub left: usize,
    /// Pixels above the first tile; even.
    pub top: usize,
    width: usize,
    height: usize,
}

impl Grid {
    /// The tiles of a picture of this size; a side under 32 pixels has none.
    pub fn new(width: usize, height: usize) -> Self {
        let margin = |length: usize| length % TILE / 4 * 2;
        let (columns, rows) = (width / TILE, height / TILE);
        Self { columns, rows, left: margin(width), top: margin(height), width, height }
    }

    /// How many tiles there are.
    pub fn len(&self) -> usize {
        self.columns * self.rows
    }

    /// Whether there are no tiles.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The left upper corner of a tile, in pixels; tiles are numbered row by row.
    pub fn corner(&self, tile: usize) -> (usize, usize) {
        let columns = self.columns.max(1);
        (self.left + tile % columns * TILE, self.top + tile / columns * TILE)
    }

    /// The region, of three by three, that contains the middle of a tile.
    pub fn region(&self, tile: usize) -> usize {
        let (x, y) = self.corner(tile);
        let third = |at: usize, length: usize| ((at + TILE / 2) * 3 / length.max(1)).min(2);
        third(y, self.height) * 3 + third(x, self.width)
    }
}

/// The kind of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TileKind {
    /// Within one segment: its texture is that of one surface.
    Inner,
    /// At the border of a large segment: its outline is of interest.
    Bordering,
    /// Across many small segments: a texture of its own.
    Crossing,
}

impl TileKind {}

impl fmt::Display for TileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Inner => "inner",
            Self::Bordering => "bordering",
            Self::Crossing => "crossing",
        })
    }
}

/// The segmentation features of a tile, in pixels of the full size.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Facts {
    /// How many segments it touches.
    pub segments: f32,
    /// The pixels of the largest.
    pub largest: f32,
    /// The standard deviation of their sizes.
    pub deviation: f32,
}

impl Facts {
    fn of(sizes: impl Iterator<Item = f32> + Clone) -> Self {
        let count = sizes.clone().count().max(1) as f32;
        let mean = sizes.clone().sum::<f32>() / count;
        let variance = sizes.clone().map(|size| (size - mean) * (size - mean)).sum::<f32>() / count;
        Self { segments: count, largest: sizes.fold(0.0, f32::max), deviation: variance.sqrt() }
    }
}

/// Computes the facts of every tile of a picture that was segmented at half size.
pub fn facts(grid: &Grid, segments: &Segments, scratch: &mut Vec<u32>, facts: &mut Vec<Facts>) {
    facts.clear();
    scratch.clear();
    scratch.resize(segments.count(), 0);
    let mut seen: Vec<u32> = Vec::new();
    for tile in 0..grid.len() {
        let (x, y) = grid.corner(tile);
        for row in y / 2..y / 2 + HALF_TILE {
            let start = row * segments.width() + x / 2;
            for label in segments.labels().get(start..start + HALF_TILE).unwrap_or_default() {
                let Some(count) = scratch.get_mut(*label as usize) else { continue };
                if *count == 0 {
                    seen.push(*label);
                }
                *count += 1;
            }
        }
        let size = |label: &u32| scratch.get(*label as usize).map_or(0.0, |count| (*count * 4) as f32);
        facts.push(Facts::of(seen.iter().map(size)));
        for label in seen.drain(..) {
            if let Some(count) = scratch.get_mut(label as usize) {
                *count = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_whole_and_in_the_middle() {
        let check = |size: (usize, usize), expect: (usize, usize, usize, usize)| {
            let grid = Grid::new(size.0, size.1);
            assert_eq!((grid.columns, grid.rows, grid.left, grid.top), expect, "{size:?}");
        };
        check((384, 256), (12, 8, 0, 0));
        check((384, 287), (12, 8, 0, 14));
        check((256, 384), (8, 12, 0, 0));
        check((384, 1), (12, 0, 0, 0));
        assert_eq!(Grid::new(96, 96).region(4), 4);
        assert_eq!(Grid::new(384, 256).region(11), 2);
        assert_eq!(Grid::new(384, 256).region(95), 8);
    }

    #[test]
    fn facts_are_counts_of_full_size_pixels() {
        let facts = Facts::of([600.0, 400.0, 24.0].into_iter());
        assert_eq!((facts.segments, facts.largest), (3.0, 600.0));
        // The mean is 341.33; the squares of the rest sum to 174,250.67.
        assert!((facts.deviation - 238.88).abs() < 0.1, "{}", facts.deviation);
    }
}
