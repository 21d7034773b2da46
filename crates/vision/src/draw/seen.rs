//! Draws the analysis of a picture: its tiles, framed by kind, with the number of their strongest word; its nine
//! regions; its segments in their mean colours with their borders; and what is left of it in words: the picture in the
//! colours of its codebook, and each tile as the tile that its codebook keeps for the word.

use super::canvas::Canvas;
use crate::Picture;
use crate::analysis::Analysis;
use crate::codebook::Codebook;
use crate::tile::{TILE, TileKind};

/// How much larger than the picture.
const ZOOM: usize = 2;
const DARK: [u8; 3] = [40; 3];
const INNER: [u8; 3] = [60, 220, 90];
const BORDERING: [u8; 3] = [255, 70, 60];
const CROSSING: [u8; 3] = [70, 150, 255];

/// Draws a picture and its analysis: its tiles above and its segments below; beside them its words, in the colours of the
/// codebook above and as the tiles of the codebook below.
pub fn seen(picture: &Picture, seen: &Analysis, codebook: &Codebook) -> Picture {
    let left = [tiles(picture, seen, codebook), segments(picture, seen)];
    let right = [quantised(picture, codebook), words(picture, seen, codebook)];
    let (width, height) = (picture.width() * ZOOM, picture.height() * ZOOM);
    Picture::from_fn(width * 2, height * 2, |x, y| {
        let [above, below] = if x < width { &left } else { &right };
        (if y < height { above } else { below }).at(x % width, y % height)
    })
}

/// Draws a picture in the colours of the codebook: each dot in that of its colour word.
pub fn quantised(picture: &Picture, codebook: &Codebook) -> Picture {
    let palette: Vec<[u8; 3]> = codebook.palette().collect();
    Picture::from_fn(picture.width() * ZOOM, picture.height() * ZOOM, |x, y| {
        let word = codebook.cube.word(picture.at(x / ZOOM, y / ZOOM));
        palette.get(usize::from(word)).copied().unwrap_or_default()
    })
}

/// Draws each tile of a picture as the tile that the codebook keeps for its texture word, in grey: one of the pictures
/// that the word was learned from, so of its texture, and not of its colour or brightness. What is in no tile is dark.
pub fn words(picture: &Picture, seen: &Analysis, codebook: &Codebook) -> Picture {
    let mut canvas = Canvas::new(picture.width() * ZOOM, picture.height() * ZOOM, DARK);
    for (tile, texture) in seen.textures.iter().enumerate() {
        let kept = codebook.texture_word(texture).and_then(|word| codebook.tiles().get(usize::from(word)));
        let Some(kept) = kept else { continue };
        let (left, top) = seen.grid.corner(tile);
        for (place, value) in kept.iter().enumerate() {
            let corner = ((left + place % TILE) * ZOOM, (top + place / TILE) * ZOOM);
            canvas.field(corner, (ZOOM, ZOOM), [*value; 3]);
        }
    }
    canvas.picture()
}

/// Draws a picture with its tiles: green inner ones, red bordering ones with their shape word, blue crossing ones.
pub fn tiles(picture: &Picture, seen: &Analysis, codebook: &Codebook) -> Picture {
    let mut canvas = enlarged(picture);
    frames(&mut canvas, seen, codebook);
    canvas.picture()
}

/// Draws a picture with the nine regions that words are counted in.
pub fn regions(picture: &Picture) -> Picture {
    let mut canvas = enlarged(picture);
    let (width, height) = (picture.width() * ZOOM, picture.height() * ZOOM);
    for third in 1..3 {
        canvas.field((width * third / 3 - 1, 0), (3, height), [255; 3]);
        canvas.field((0, height * third / 3 - 1), (width, 3), [255; 3]);
    }
    canvas.picture()
}

/// Draws the segments of a picture.
pub fn segments(picture: &Picture, seen: &Analysis) -> Picture {
    let (width, height) = (picture.width() * ZOOM, picture.height() * ZOOM);
    let mut canvas = Canvas::new(width, height, [0; 3]);
    areas(&mut canvas, seen, (width, height));
    canvas.picture()
}

fn enlarged(picture: &Picture) -> Canvas {
    let (width, height) = (picture.width() * ZOOM, picture.height() * ZOOM);
    let mut canvas = Canvas::new(width, height, [0; 3]);
    for y in 0..height {
        (0..width).for_each(|x| canvas.dot(x, y, picture.at(x / ZOOM, y / ZOOM)));
    }
    canvas
}

fn frames(canvas: &mut Canvas, seen: &Analysis, codebook: &Codebook) {
    for (tile, kind) in seen.kinds.iter().enumerate() {
        let (x, y) = seen.grid.corner(tile);
        let corner = (x * ZOOM + 1, y * ZOOM + 1);
        let outline = seen.outlines.get(tile).and_then(Option::as_ref);
        let texture = seen.textures.get(tile);
        let (colour, shares) = match kind {
            TileKind::Inner => (INNER, texture.map(|texture| codebook.texture_shares(texture))),
            TileKind::Crossing => (CROSSING, texture.map(|texture| codebook.texture_shares(texture))),
            TileKind::Bordering => (BORDERING, outline.map(|outline| codebook.shape_shares(outline))),
        };
        canvas.frame(corner, TILE * ZOOM - 2, colour);
        if let Some((word, _)) = shares.unwrap_or_default().first() {
            canvas.number((corner.0 + 1, corner.1 + 1), usize::from(*word));
        }
    }
}

fn areas(canvas: &mut Canvas, seen: &Analysis, (width, height): (usize, usize)) {
    let labels = seen.segments.labels();
    let mut sums = vec![([0.0f32; 3], 0.0f32); seen.segments.count()];
    for (place, label) in labels.iter().enumerate() {
        if let Some((sum, count)) = sums.get_mut(*label as usize) {
            sum.iter_mut().zip(seen.smoothed.at(place)).for_each(|(sum, value)| *sum += value);
            *count += 1.0;
        }
    }
    let half = (seen.smoothed.width(), seen.smoothed.height());
    let at = |x: usize, y: usize| {
        labels.get(y.min(half.1 - 1) * half.0 + x.min(half.0 - 1)).copied().unwrap_or_default()
    };
    for y in 0..height {
        for x in 0..width {
            let (u, v) = (x / ZOOM / 2, y / ZOOM / 2);
            let here = at(u, v);
            let border = at((x + 1) / ZOOM / 2, v) != here || at(u, (y + 1) / ZOOM / 2) != here;
            let mean =
                sums.get(here as usize).map_or([0; 3], |(sum, count)| sum.map(|sum| (sum / count) as u8));
            canvas.dot(x, y, if border { [255; 3] } else { mean });
        }
    }
}
