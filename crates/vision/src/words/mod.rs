//! The visual words of a picture: what is stored, indexed and compared.

mod bag;
mod compare;
mod dominant;
mod packed;
mod query;

use serde::{Deserialize, Serialize};

pub use bag::{Bag, Placed};
pub use compare::{Example, PARTS, Part, Scale};
pub use dominant::Dominant;
pub use query::Rarity;

use crate::analysis::Analysis;
use crate::codebook::Codebook;
use crate::colour::{Counts, REGIONS, term_frequencies};
use crate::hash::PictureHash;
use crate::tile::TileKind;

/// What is known of a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words {
    /// The codebook that the words are of; words of different ones do not compare.
    pub codebook: u64,
    /// Pixels from left to right and from top to bottom, after scaling.
    pub size: (u32, u32),
    /// Colour words, by pixels.
    pub colours: Placed,
    /// Texture words of inner and crossing tiles.
    pub textures: Placed,
    /// Texture words of bordering tiles: textures along outlines.
    pub borders: Bag,
    /// Shape words of bordering tiles.
    pub shapes: Placed,
    /// Inner, bordering and crossing tiles.
    pub tiles: [u16; 3],
    /// The colours that people would name, the largest first.
    pub dominant: Vec<Dominant>,
    /// Identifies copies of a picture, whatever their size or quality.
    pub hash: PictureHash,
    /// A small JPEG file.
    #[serde(skip)]
    pub thumbnail: Vec<u8>,
}

impl Words {
    /// Colour words as terms for an index, by the rule of Zhang 2008; of one region, or of the whole picture.
    pub fn colour_terms(&self, region: Option<usize>) -> Vec<(u8, u16)> {
        let pixels = self.size.0 as usize * self.size.1 as usize;
        let pixels = if region.is_some() { pixels / REGIONS } else { pixels };
        let mut counts = [0; 256];
        for (word, share) in self.colours.bag(region).shares() {
            counts[usize::from(word)] = (share * pixels as f32 + 0.5) as u32;
        }
        // A region has a ninth of the pixels and of the terms.
        let whole = if region.is_some() { pixels * REGIONS } else { pixels };
        term_frequencies(&counts, whole)
    }

    /// Texture words as terms for an index: how many tiles have each, the parts that tiles are shared in summed.
    pub fn texture_terms(&self) -> Vec<(u8, u16)> {
        let [inner, _, crossing] = self.tiles;
        let tiles = f32::from(inner + crossing);
        let terms = self.textures.whole.shares().map(|(word, share)| (word, (share * tiles + 0.5) as u16));
        terms.filter(|(_, count)| *count > 0).collect()
    }
}

/// Turns an analysis into words.
pub(crate) fn words(seen: &Analysis, counts: &Counts, size: (u32, u32), codebook: &Codebook) -> Words {
    let mut textures = Tally::default();
    let mut borders = Tally::default();
    let mut shapes = Tally::default();
    let mut tiles = [0; 3];
    for (tile, ((kind, texture), outline)) in
        seen.kinds.iter().zip(&seen.textures).zip(&seen.outlines).enumerate()
    {
        tiles[*kind as usize] += 1;
        let region = seen.grid.region(tile);
        let tally = if *kind == TileKind::Bordering { &mut borders } else { &mut textures };
        tally.add(region, &codebook.texture_shares(texture));
        if let Some(outline) = outline {
            shapes.add(region, &codebook.shape_shares(outline));
        }
    }
    let whole = counts.whole().map(|count| count as f32);
    let regions = std::array::from_fn(|region| {
        counts.0.get(region).map_or_else(Bag::default, |counts| Bag::new(&counts.map(|count| count as f32)))
    });
    let colours = Placed { whole: Bag::new(&whole), regions };
    let dominant = dominant::dominant(&colours.whole, codebook);
    Words {
        codebook: codebook.id(),
        size,
        colours,
        textures: textures.placed(),
        borders: borders.placed().whole,
        shapes: shapes.placed(),
        tiles,
        dominant,
        hash: PictureHash::default(),
        thumbnail: Vec::new(),
    }
}

/// How much of each word there is in each region.
struct Tally(Vec<[f32; 256]>);

impl Default for Tally {
    fn default() -> Self {
        Self(vec![[0.0; 256]; REGIONS])
    }
}

impl Tally {
    fn add(&mut self, region: usize, shares: &[(u8, f32)]) {
        let Some(amounts) = self.0.get_mut(region) else { return };
        shares.iter().for_each(|(word, share)| amounts[usize::from(*word)] += share);
    }

    fn placed(&self) -> Placed {
        let mut whole = [0.0; 256];
        for region in &self.0 {
            whole.iter_mut().zip(region).for_each(|(sum, amount)| *sum += amount);
        }
        let region = |region: usize| self.0.get(region).map_or_else(Bag::default, Bag::new);
        Placed { whole: Bag::new(&whole), regions: std::array::from_fn(region) }
    }
}
