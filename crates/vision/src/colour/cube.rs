//! The nearest codebook colour of any pixel by one look-up: a cube of 32x32x32 cells.
//!
//! A cell holds the word nearest to its middle. Pixels near the border of two words may get the other one, a difference
//! of a few levels that is not visible; a search per pixel would cost a hundred times as much.

use super::{Point, Space};
use crate::codebook::nearest;

const BITS: u32 = 5;
const SIDE: usize = 1 << BITS;

/// The word of every colour.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cube {
    words: Vec<u8>,
}

impl Cube {
    /// Computes all cells; colours after the 256th are ignored.
    pub fn new(colours: &[Point], space: Space) -> Self {
        let middle = |cell: usize| (cell * 256 / SIDE + 128 / SIDE) as u8;
        let word = |cell: usize| {
            let colour = [cell / SIDE / SIDE, cell / SIDE % SIDE, cell % SIDE].map(middle);
            nearest(&space.point(colour), colours.iter().take(256)).0 as u8
        };
        Self { words: (0..SIDE * SIDE * SIDE).map(word).collect() }
    }

    /// The cell of a colour.
    fn cell([red, green, blue]: [u8; 3]) -> usize {
        let high = |value: u8| usize::from(value >> (8 - BITS));
        (high(red) * SIDE + high(green)) * SIDE + high(blue)
    }

    /// The word of a colour.
    pub fn word(&self, colour: [u8; 3]) -> u8 {
        self.words.get(Self::cell(colour)).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_gets_the_nearest_word() {
        let palette = [[0, 0, 0], [255, 255, 255], [200, 16, 46], [20, 60, 200]];
        let colours: Vec<Point> = palette.iter().map(|colour| Space::Oklab.point(*colour)).collect();
        let cube = Cube::new(&colours, Space::Oklab);
        let check = |colour: [u8; 3], expect: u8| assert_eq!(cube.word(colour), expect, "{colour:?}");
        check([0, 0, 0], 0);
        check([250, 250, 240], 1);
        check([180, 30, 50], 2);
        check([40, 70, 220], 3);
        check([255, 255, 255], 1);
    }
}
