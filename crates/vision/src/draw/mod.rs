//! Draws the analysis of a picture, and the words of a codebook, for people.

mod canvas;
mod seen;
mod sheet;

pub use seen::{quantised, regions, seen, segments, tiles, words};
pub use sheet::{sheet, textures};

use crate::Picture;

/// A picture as a PNG file.
pub fn png(picture: &Picture) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, picture.width() as u32, picture.height() as u32);
    encoder.set_color(png::ColorType::Rgb);
    if let Ok(mut writer) = encoder.write_header() {
        // Writing into memory fails only for wrong sizes, which cannot occur here.
        let _ = writer.write_image_data(picture.bytes());
    }
    file
}
