//! Codebooks: the colours, textures and outlines behind the visual words.
//!
//! A codebook is learned from pictures ([`Samples`], [`Training`]), saved with a version and its origin, and never
//! changed. Words of different codebooks cannot be compared; [`Codebook::id`] identifies a codebook. One learned from
//! generated pictures is built in ([`Codebook::embedded`]).

mod file;
mod gla;
mod merge;
mod quantise;
mod train;
mod whiten;

use std::sync::{Arc, LazyLock};

pub use file::CodebookError;
pub use gla::{Centre, Gla};
pub(crate) use gla::{Rng, nearest};
pub use merge::merge;
pub use quantise::Quantiser;
pub use train::{Samples, Training};

use crate::colour::{Cube, Point, Space};
use crate::shape::{Outline, SHAPE};
use crate::texture::{TEXTURE, Texture};
use crate::tile::TILE;
use crate::words::Scale;

/// The visual words that describe pictures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Codebook {
    /// What it was learned from, as a text for people.
    pub origin: String,
    /// How colours are compared.
    pub space: Space,
    pub(crate) colours: Vec<Point>,
    pub(crate) cube: Cube,
    pub(crate) textures: Quantiser<TEXTURE>,
    pub(crate) shapes: Quantiser<SHAPE>,
    /// A tile of each texture word, in grey, for human inspection.
    pub(crate) tiles: Vec<[u8; TILE * TILE]>,
    /// The typical similarity of unrelated pictures.
    pub(crate) scale: Scale,
    id: u64,
}

static EMBEDDED: LazyLock<Arc<Codebook>> = LazyLock::new(|| {
    Arc::new(Codebook::read(include_bytes!("../../data/default.codebook")).unwrap_or_default())
});

impl Codebook {
    /// The built-in codebook; `examples/train_codebook` made it from generated pictures.
    pub fn embedded() -> Arc<Self> {
        Arc::clone(&EMBEDDED)
    }

    /// Identifies the codebook: a hash of its content.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The colours of the colour words.
    pub fn palette(&self) -> impl Iterator<Item = [u8; 3]> {
        self.colours.iter().map(|point| self.space.colour(*point))
    }

    /// The colour words within a distance of a colour, nearest first, with their distances; for queries by colour.
    pub fn colours_near(&self, colour: [u8; 3], radius: f32) -> Vec<(u8, f32)> {
        near(&self.space.point(colour), &self.colours, radius)
    }

    /// The texture words within a distance of a texture word, nearest first, itself among them.
    pub fn textures_near(&self, word: u8, radius: f32) -> Vec<(u8, f32)> {
        let centres = &self.textures.centres;
        centres.get(usize::from(word)).map(|centre| near(centre, centres, radius)).unwrap_or_default()
    }

    /// A tile, 32 pixels on a side and grey, that shows each texture word.
    pub fn tiles(&self) -> &[[u8; TILE * TILE]] {
        &self.tiles
    }

    /// The words of a texture.
    pub fn textures(&self) -> &Quantiser<TEXTURE> {
        &self.textures
    }

    /// The words of an outline.
    pub fn shapes(&self) -> &Quantiser<SHAPE> {
        &self.shapes
    }

    /// The word of a texture; `None` if the codebook is empty.
    pub fn texture_word(&self, texture: &Texture) -> Option<u8> {
        self.textures.nearest(&train::even_texture(texture))
    }

    pub(crate) fn texture_shares(&self, texture: &Texture) -> Vec<(u8, f32)> {
        self.textures.shares(&train::even_texture(texture))
    }

    pub(crate) fn shape_shares(&self, outline: &Outline) -> Vec<(u8, f32)> {
        self.shapes.shares(outline)
    }
}

fn near<const N: usize>(point: &[f32; N], others: &[[f32; N]], radius: f32) -> Vec<(u8, f32)> {
    let distances = others.iter().map(|other| crate::colour::apart(point, other).sqrt());
    let mut found: Vec<(u8, f32)> =
        (0..=u8::MAX).zip(distances).filter(|(_, distance)| *distance <= radius).collect();
    found.sort_by(|a, b| a.1.total_cmp(&b.1));
    found
}
