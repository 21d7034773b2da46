//! Analyses a picture without a codebook: segments, kinds of tile, textures and outlines.

use crate::Picture;
use crate::segment::{Coarseness, Segmenter, Segments};
use crate::shape::{self, Grey, Outline};
use crate::smooth::{Diffusion, Planes, smooth};
use crate::texture::{self, Gabor, Texture};
use crate::tile::{self, Facts, Grid, TILE, TileKind, Tree};

/// The settings of the analysis. Words can only be compared under the same settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Smoothing.
    pub diffusion: Diffusion,
    /// Segmentation.
    pub coarseness: Coarseness,
    /// The tree that classifies tiles.
    pub tree: Tree,
    /// A tile reuses the texture of the previous tile up to this mean difference of brightness (of 255).
    pub same_tile: f32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            diffusion: Diffusion::default(),
            coarseness: Coarseness::default(),
            tree: Tree::zhang_2008().clone(),
            same_tile: 1.0,
        }
    }
}

/// The analysis of one picture.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// The picture, smoothed, at half size.
    pub smoothed: Planes,
    /// Its segments, at half size.
    pub segments: Segments,
    /// Where the tiles lie.
    pub grid: Grid,
    /// The kinds of the tiles.
    pub kinds: Vec<TileKind>,
    /// The textures of the tiles.
    pub textures: Vec<Texture>,
    /// The outlines of bordering tiles.
    pub outlines: Vec<Option<Outline>>,
}

/// Analyses pictures one by one and reuses its buffers.
#[derive(Clone, Debug, Default)]
pub struct Analyser {
    settings: Settings,
    segmenter: Segmenter,
    gabor: Gabor,
    flow: Vec<f32>,
    grey: Grey,
    counts: Vec<u32>,
    facts: Vec<Facts>,
    seen: Analysis,
}

impl Analyser {
    /// An analyser with these settings.
    pub fn new(settings: Settings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Analyses a picture.
    pub fn analyse(&mut self, picture: &Picture) -> &Analysis {
        self.smooth(picture);
        self.segment();
        self.classify(picture);
        self.textures(picture);
        self.outlines();
        &self.seen
    }

    /// The analysis of the last picture.
    pub fn seen(&self) -> &Analysis {
        &self.seen
    }

    /// The segmentation features of the tiles of the last picture.
    pub fn facts(&self) -> &[Facts] {
        &self.facts
    }

    /// The first stage: halves and smooths.
    pub fn smooth(&mut self, picture: &Picture) {
        self.seen.smoothed.halve(picture);
        self.grey.take(&self.seen.smoothed);
        smooth(&mut self.seen.smoothed, &self.settings.diffusion, &mut self.flow);
    }

    /// The second stage: segments the smoothed picture.
    pub fn segment(&mut self) {
        self.segmenter.segment(&self.seen.smoothed, &self.settings.coarseness, &mut self.seen.segments);
    }

    /// The third stage: classifies the tiles.
    pub fn classify(&mut self, picture: &Picture) {
        self.seen.grid = Grid::new(picture.width(), picture.height());
        tile::facts(&self.seen.grid, &self.seen.segments, &mut self.counts, &mut self.facts);
        self.seen.kinds.clear();
        self.seen.kinds.extend(self.facts.iter().map(|facts| self.settings.tree.kind(facts)));
    }

    /// The fourth stage: textures of all tiles. Those of bordering tiles are separate words.
    pub fn textures(&mut self, picture: &Picture) {
        self.seen.textures.clear();
        let mut last: Option<([f32; TILE * TILE], Texture)> = None;
        for tile in 0..self.seen.grid.len() {
            let pixels = texture::brightness(picture, self.seen.grid.corner(tile));
            let same =
                last.as_ref().filter(|(before, _)| difference(before, &pixels) <= self.settings.same_tile);
            let texture = match same {
                Some((_, texture)) => *texture,
                None => self.gabor.describe(&pixels),
            };
            self.seen.textures.push(texture);
            last = Some((pixels, texture));
        }
    }

    /// The fifth stage: outlines of the tiles that have one.
    pub fn outlines(&mut self) {
        self.seen.outlines.clear();
        for (tile, kind) in self.seen.kinds.iter().enumerate() {
            let (x, y) = self.seen.grid.corner(tile);
            let outline = (*kind == TileKind::Bordering).then(|| shape::describe(&self.grey, (x / 2, y / 2)));
            self.seen.outlines.push(outline);
        }
    }
}

/// The mean difference of two tiles.
fn difference(a: &[f32; TILE * TILE], b: &[f32; TILE * TILE]) -> f32 {
    let mut sums = [0.0f32; 8];
    for (a, b) in a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0) {
        for i in 0..8 {
            sums[i] += (a[i] - b[i]).abs();
        }
    }
    sums.iter().sum::<f32>() / (TILE * TILE) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(colour: impl Fn(usize, usize) -> [u8; 3]) -> Vec<TileKind> {
        Analyser::new(Settings::default()).analyse(&Picture::from_fn(96, 96, colour)).kinds.clone()
    }

    #[test]
    fn tiles_are_classified_by_their_segments() {
        let (red, blue) = ([200, 40, 30], [30, 50, 190]);
        assert_eq!(kinds(|_, _| red), [TileKind::Inner; 9]);
        // A border through the middle of the middle column.
        let halves = kinds(|x, _| if x < 48 { red } else { blue });
        assert_eq!(halves, [TileKind::Inner, TileKind::Bordering, TileKind::Inner].repeat(3));
        // Squares of 12 pixels in many colours: none is large in any tile.
        let squares = kinds(|x, y| {
            let number = x / 12 * 5 + y / 12 * 3;
            [(number * 67 % 256) as u8, (number * 151 % 256) as u8, (number * 199 % 256) as u8]
        });
        assert_eq!(squares, [TileKind::Crossing; 9]);
    }

    #[test]
    fn only_bordering_tiles_have_outlines() {
        let mut analyser = Analyser::default();
        let seen = analyser.analyse(&Picture::from_fn(96, 96, |x, _| if x < 48 { [0; 3] } else { [255; 3] }));
        let outlined: Vec<bool> = seen.outlines.iter().map(Option::is_some).collect();
        assert_eq!(outlined, [false, true, false].repeat(3));
        assert_eq!(seen.textures.len(), 9);
    }

    #[test]
    fn a_tile_like_the_one_before_takes_over_its_texture() {
        let picture = Picture::from_fn(64, 32, |x, y| [(x % 32 * 7 + y * 3 + x / 32) as u8; 3]);
        let textures = |same_tile: f32| {
            let mut analyser = Analyser::new(Settings { same_tile, ..Settings::default() });
            analyser.analyse(&picture).textures.clone()
        };
        // The second tile is one level brighter, except where bytes wrap around.
        assert_eq!(textures(8.0)[0], textures(8.0)[1]);
        assert_ne!(textures(0.0)[0], textures(0.0)[1]);
    }

    #[test]
    fn pictures_without_tiles_are_analysed_too() {
        let mut analyser = Analyser::default();
        for (width, height) in [(1, 1), (384, 1), (3, 384), (31, 40)] {
            let seen = analyser.analyse(&Picture::from_fn(width, height, |x, y| [(x + y) as u8; 3]));
            assert!(seen.kinds.is_empty() && seen.segments.count() > 0, "{width}x{height}");
        }
    }
}
