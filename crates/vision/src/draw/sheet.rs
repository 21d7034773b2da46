//! Draws a codebook: its colours, a tile of each texture, and the strokes of each outline.

use super::canvas::Canvas;
use crate::Picture;
use crate::codebook::Codebook;
use crate::shape::ANGLES;
use crate::tile::TILE;

/// Words in a row.
const COLUMNS: usize = 16;
/// A word's field, with room for its number.
const FIELD: (usize, usize) = (TILE + 4, TILE + 12);

/// Draws all words of a codebook: colours above, textures, outlines below.
pub fn sheet(codebook: &Codebook) -> Picture {
    let palette: Vec<[u8; 3]> = codebook.palette().collect();
    let rows = |words: usize| words.div_ceil(COLUMNS);
    let parts = [palette.len(), codebook.tiles().len(), codebook.shapes().len()];
    let height = parts.iter().map(|words| rows(*words) * FIELD.1 + 8).sum::<usize>();
    let mut canvas = Canvas::new(COLUMNS * FIELD.0 + 4, height.max(1), [40; 3]);
    let mut top = 4;
    for (part, words) in parts.into_iter().enumerate() {
        for word in 0..words {
            let corner = (4 + word % COLUMNS * FIELD.0, top + word / COLUMNS * FIELD.1);
            match part {
                0 => canvas.field(corner, (TILE, TILE), palette.get(word).copied().unwrap_or_default()),
                1 => texture(&mut canvas, corner, codebook.tiles().get(word)),
                _ => outline(&mut canvas, corner, codebook, word),
            }
            canvas.number((corner.0, corner.1 + TILE + 1), word);
        }
        top += rows(words) * FIELD.1 + 8;
    }
    canvas.picture()
}

/// Draws one tile of each texture side by side, without numbers.
pub fn textures(codebook: &Codebook) -> Picture {
    let mut canvas = Canvas::new((codebook.tiles().len() * TILE).max(1), TILE, [0; 3]);
    for (word, tile) in codebook.tiles().iter().enumerate() {
        texture(&mut canvas, (word * TILE, 0), Some(tile));
    }
    canvas.picture()
}

fn texture(canvas: &mut Canvas, (x, y): (usize, usize), tile: Option<&[u8; TILE * TILE]>) {
    for (place, value) in tile.into_iter().flatten().enumerate() {
        canvas.dot(x + place % TILE, y + place / TILE, [*value; 3]);
    }
}

/// In each quarter, strokes along the edges, the stronger the brighter.
fn outline(canvas: &mut Canvas, (x, y): (usize, usize), codebook: &Codebook, word: usize) {
    canvas.field((x, y), (TILE, TILE), [0; 3]);
    let Some(centre) = codebook.shapes().centres.get(word) else { return };
    let strongest = centre.iter().copied().fold(0.01, f32::max);
    let mut strokes: Vec<(usize, f32)> = centre.iter().copied().enumerate().collect();
    strokes.sort_by(|a, b| a.1.total_cmp(&b.1));
    for (place, strength) in strokes.into_iter().filter(|(_, strength)| *strength > strongest * 0.15) {
        let (quarter, angle) = (place / ANGLES, place % ANGLES);
        let middle = |corner: usize, side: usize| (corner + side * TILE / 2 + TILE / 4) as f32;
        let level = (strength / strongest * 255.0).clamp(0.0, 255.0) as u8;
        // An edge runs across the change.
        let degrees = angle as f32 * 180.0 / ANGLES as f32 + 90.0;
        canvas.stroke(
            (middle(x, quarter % 2), middle(y, quarter / 2)),
            TILE as f32 / 2.0 - 2.0,
            degrees,
            [level; 3],
        );
    }
}
