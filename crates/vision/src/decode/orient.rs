//! The way a camera was held, as EXIF notes it.
//!
//! Turning comes after scaling: a small picture is turned, not a large one.

use image::metadata::Orientation;

use crate::Picture;

/// How to turn a picture upright: mirror it along its diagonal first, then left to right, then top to bottom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Turn {
    transposed: bool,
    mirrored: bool,
    flipped: bool,
}

impl Turn {
    /// Reads the orientation from a block of EXIF; a block without one, or a broken one, means no change.
    pub(super) fn from_exif(exif: &[u8]) -> Self {
        Orientation::from_exif_chunk(exif).map_or(Self::default(), Self::from)
    }
}

impl From<Orientation> for Turn {
    fn from(orientation: Orientation) -> Self {
        let (transposed, mirrored, flipped) = match orientation {
            Orientation::NoTransforms => (false, false, false),
            Orientation::FlipHorizontal => (false, true, false),
            Orientation::Rotate180 => (false, true, true),
            Orientation::FlipVertical => (false, false, true),
            Orientation::Rotate90FlipH => (true, false, false),
            Orientation::Rotate90 => (true, true, false),
            Orientation::Rotate270FlipH => (true, true, true),
            Orientation::Rotate270 => (true, false, true),
        };
        Self { transposed, mirrored, flipped }
    }
}

/// The upright picture.
pub(super) fn turn(picture: Picture, turn: Turn) -> Picture {
    if turn == Turn::default() {
        return picture;
    }
    let (width, height) = (picture.width(), picture.height());
    let (width, height) = if turn.transposed { (height, width) } else { (width, height) };
    Picture::from_fn(width, height, |x, y| {
        let x = if turn.mirrored { width - 1 - x } else { x };
        let y = if turn.flipped { height - 1 - y } else { y };
        if turn.transposed { picture.at(y, x) } else { picture.at(x, y) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture of letters, written row by row.
    fn letters(rows: &[&str]) -> Picture {
        let (width, height) = (rows[0].len(), rows.len());
        Picture::from_fn(width, height, |x, y| [rows[y].as_bytes()[x]; 3])
    }

    #[test]
    fn every_orientation_is_turned_upright() {
        let check = |number: u8, expect: &[&str]| {
            let orientation = Orientation::from_exif(number).unwrap();
            let turned = turn(letters(&["abc", "def"]), Turn::from(orientation));
            assert_eq!(turned, letters(expect), "orientation {number}");
        };
        check(1, &["abc", "def"]);
        check(2, &["cba", "fed"]);
        check(3, &["fed", "cba"]);
        check(4, &["def", "abc"]);
        check(5, &["ad", "be", "cf"]);
        check(6, &["da", "eb", "fc"]);
        check(7, &["fc", "eb", "da"]);
        check(8, &["cf", "be", "ad"]);
    }
}
