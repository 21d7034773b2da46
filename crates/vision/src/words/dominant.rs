//! The colours of a picture by their common names.

use serde::{Deserialize, Serialize};

use super::Bag;
use crate::codebook::Codebook;
use crate::colour;

/// A colour that takes a good part of a picture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dominant {
    /// Its name, see [`colour::NAMES`].
    pub name: String,
    /// Red, green and blue of the colour word that has most of it.
    pub colour: [u8; 3],
    /// How much of the picture, in per cent.
    pub per_cent: u8,
}

/// The most colours that are named.
const MOST: usize = 5;
/// Less than this share is not named.
const LEAST: f32 = 0.05;

/// Colour words of the same name are one colour.
pub(super) fn dominant(colours: &Bag, codebook: &Codebook) -> Vec<Dominant> {
    let palette: Vec<[u8; 3]> = codebook.palette().collect();
    let mut found: Vec<(&str, [u8; 3], f32)> = Vec::new();
    for (word, share) in colours.strongest(256) {
        let Some(colour) = palette.get(usize::from(word)) else { continue };
        let name = colour::name(*colour);
        match found.iter_mut().find(|(known, ..)| *known == name) {
            Some((_, _, sum)) => *sum += share,
            None => found.push((name, *colour, share)),
        }
    }
    found.sort_by(|a, b| b.2.total_cmp(&a.2));
    let kept = found.into_iter().filter(|(.., share)| *share >= LEAST).take(MOST);
    kept.map(|(name, colour, share)| Dominant {
        name: name.to_owned(),
        colour,
        per_cent: (share * 100.0 + 0.5) as u8,
    })
    .collect()
}
