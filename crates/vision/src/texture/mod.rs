//! Texture words: the texture of a surface, independent of its colour.

pub(crate) mod fft;
mod gabor;

pub use gabor::{Gabor, TEXTURE, Texture};

use crate::Picture;
use crate::tile::TILE;

/// The brightness of the pixels of a tile.
pub fn brightness(picture: &Picture, corner: (usize, usize)) -> [f32; TILE * TILE] {
    let mut tile = [0.0; TILE * TILE];
    for (y, row) in tile.as_chunks_mut::<TILE>().0.iter_mut().enumerate() {
        let start = (corner.1 + y) * picture.width() + corner.0;
        let pixels = picture.bytes().as_chunks::<3>().0.get(start..).unwrap_or_default();
        for (out, [red, green, blue]) in row.iter_mut().zip(pixels) {
            *out = 0.299 * f32::from(*red) + 0.587 * f32::from(*green) + 0.114 * f32::from(*blue);
        }
    }
    tile
}
