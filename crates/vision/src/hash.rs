//! A perceptual hash: the same for copies of a picture in any size or quality.
//!
//! The picture becomes eight rows of nine grey fields; each bit says whether a field is brighter than the next. Copies
//! differ in a few bits, other pictures mostly in more than twenty. Cropped or rotated copies are not found.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Picture;
use crate::decode::to_size;

/// A perceptual hash of 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PictureHash(pub u64);

impl PictureHash {
    /// The hash of a picture.
    pub fn of(picture: &Picture) -> Self {
        let small = to_size(picture, 9, 8);
        let grey = |[red, green, blue]: [u8; 3]| {
            299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue)
        };
        let mut bits = 0;
        for y in 0..8 {
            for x in 0..8 {
                let brighter = grey(small.at(x + 1, y)) > grey(small.at(x, y));
                bits = bits << 1 | u64::from(brighter);
            }
        }
        Self(bits)
    }

    /// The number of bits in which two hashes differ.
    pub fn distance(self, other: Self) -> u32 {
        (self.0 ^ other.0).count_ones()
    }
}

impl fmt::Display for PictureHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_is_a_step_to_brighter() {
        let rising = Picture::from_fn(90, 80, |x, _| [(x * 2) as u8; 3]);
        assert_eq!(PictureHash::of(&rising), PictureHash(u64::MAX));
        let falling = Picture::from_fn(45, 16, |x, _| [(200 - x * 4) as u8; 3]);
        assert_eq!(PictureHash::of(&falling), PictureHash(0));
        assert_eq!(PictureHash(0b1011).distance(PictureHash(0b0010)), 2);
    }
}
