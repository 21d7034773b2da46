//! What was seen in a picture: above, its tiles, framed by kind, with the number of their strongest word; below, its
//! segments in their mean colours with their borders.

use super::canvas::Canvas;
use crate::Picture;
use crate::analysis::Analysis;
use crate::codebook::Codebook;
use crate::tile::{Kind, TILE};

/// How much larger than the picture.
const ZOOM: usize = 2;
const INNER: [u8; 3] = [60, 220, 90];
const BORDERING: [u8; 3] = [255, 70, 60];
const CROSSING: [u8; 3] = [70, 150, 255];

/// Draws a picture and what was seen in it: green inner tiles, red bordering ones with their shape word, blue crossing
/// ones.
pub fn seen(picture: &Picture, seen: &Analysis, codebook: &Codebook) -> Picture {
    let (width, height) = (picture.width() * ZOOM, picture.height() * ZOOM);
    let mut canvas = Canvas::new(width, height * 2, [0; 3]);
    for y in 0..height {
        (0..width).for_each(|x| canvas.dot(x, y, picture.at(x / ZOOM, y / ZOOM)));
    }
    tiles(&mut canvas, seen, codebook);
    segments(&mut canvas, seen, (width, height));
    canvas.picture()
}

fn tiles(canvas: &mut Canvas, seen: &Analysis, codebook: &Codebook) {
    for (tile, kind) in seen.kinds.iter().enumerate() {
        let (x, y) = seen.grid.corner(tile);
        let corner = (x * ZOOM + 1, y * ZOOM + 1);
        let outline = seen.outlines.get(tile).and_then(Option::as_ref);
        let texture = seen.textures.get(tile);
        let (colour, shares) = match kind {
            Kind::Inner => (INNER, texture.map(|texture| codebook.texture_shares(texture))),
            Kind::Crossing => (CROSSING, texture.map(|texture| codebook.texture_shares(texture))),
            Kind::Bordering => (BORDERING, outline.map(|outline| codebook.shape_shares(outline))),
        };
        canvas.frame(corner, TILE * ZOOM - 2, colour);
        if let Some((word, _)) = shares.unwrap_or_default().first() {
            canvas.number((corner.0 + 1, corner.1 + 1), usize::from(*word));
        }
    }
}

fn segments(canvas: &mut Canvas, seen: &Analysis, (width, height): (usize, usize)) {
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
            canvas.dot(x, height + y, if border { [255; 3] } else { mean });
        }
    }
}
