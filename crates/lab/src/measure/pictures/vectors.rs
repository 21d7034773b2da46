//! The vector methods that visual words are compared with: one vector per picture, and the distance to every other.

use osprey_vision::analysis::{Analyser, Settings};
use osprey_vision::texture::{TEXTURE, Texture};
use osprey_vision::{Limits, Picture, SIDE, decode};
use serde::Deserialize;

use super::Scores;
use crate::corpus::Photo;

/// Which vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum VectorKind {
    /// Mean and deviation of 24 Gabor filters over the whole picture, Euclidean distance: the "CBIR" of Zhang 2008.
    Gabor,
    /// A histogram of 16 hues, 4 saturations and 4 values, L1 distance: the baseline of the field.
    Hsv,
}

/// The vectors of all pictures, contiguous in memory, so that words are compared with a scan that is as fast as
/// possible.
#[derive(Clone, Debug)]
pub(super) struct Vectors {
    kind: VectorKind,
    numbers: Vec<f32>,
    length: usize,
}

impl Vectors {
    pub(super) fn new(photos: &[Photo], kind: VectorKind) -> Self {
        let mut analyser = Analyser::new(Settings::default());
        let vector = |photo: &Photo| {
            let picture = decode(&photo.file, SIDE, &Limits::default()).unwrap_or_default();
            match kind {
                VectorKind::Gabor => global(&analyser.analyse(&picture).textures),
                VectorKind::Hsv => hsv(&picture),
            }
        };
        let mut vectors: Vec<Vec<f32>> = photos.iter().map(vector).collect();
        if kind == VectorKind::Gabor {
            even(&mut vectors);
        }
        Self::flat(kind, &vectors)
    }

    fn flat(kind: VectorKind, vectors: &[Vec<f32>]) -> Self {
        let length = vectors.first().map_or(1, Vec::len).max(1);
        Self { kind, numbers: vectors.concat(), length }
    }

    /// The same pictures so many times, to see how time grows.
    pub(super) fn repeated(&self, times: usize) -> Self {
        Self { kind: self.kind, numbers: self.numbers.repeat(times), length: self.length }
    }

    /// The similarity of each to one of them: the smaller the distance, the higher.
    pub(super) fn scores(&self, query: usize) -> Scores {
        let vectors = self.numbers.chunks_exact(self.length);
        let Some(example) = vectors.clone().nth(query) else { return Scores::new() };
        match self.kind {
            VectorKind::Gabor => {
                vectors.map(|other| -distance(example, other, |apart| apart * apart)).collect()
            }
            VectorKind::Hsv => vectors.map(|other| -distance(example, other, f32::abs)).collect(),
        }
    }
}

/// A sum over differences, in eight lanes.
fn distance(a: &[f32], b: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut lanes = [0.0f32; 8];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..8 {
            lanes[lane] += of(a[lane] - b[lane]);
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| of(a - b)).sum();
    lanes.iter().sum::<f32>() + rest
}

/// Mean and deviation over the picture, from those of its tiles.
fn global(textures: &[Texture]) -> Vec<f32> {
    let count = textures.len().max(1) as f32;
    let filter = |filter: usize| {
        let pairs = textures.iter().filter_map(move |texture| texture.as_chunks::<2>().0.get(filter));
        let mean = pairs.clone().map(|[mean, _]| mean).sum::<f32>() / count;
        let square = pairs.map(|[mean, deviation]| mean * mean + deviation * deviation).sum::<f32>() / count;
        [mean, (square - mean * mean).max(0.0).sqrt()]
    };
    (0..TEXTURE / 2).flat_map(filter).collect()
}

/// Scales each number to deviation one over the pictures.
fn even(vectors: &mut [Vec<f32>]) {
    let count = vectors.len().max(1) as f32;
    for axis in 0..TEXTURE {
        let at = |vector: &Vec<f32>| vector.get(axis).copied().unwrap_or_default();
        let mean = vectors.iter().map(at).sum::<f32>() / count;
        let variance = vectors.iter().map(|vector| (at(vector) - mean).powi(2)).sum::<f32>() / count;
        let scale = 1.0 / variance.sqrt().max(1e-6);
        vectors.iter_mut().filter_map(|vector| vector.get_mut(axis)).for_each(|value| *value *= scale);
    }
}

/// Shares of pixels in 16 x 4 x 4 cells of hue, saturation and value.
fn hsv(picture: &Picture) -> Vec<f32> {
    let mut cells = vec![0.0; 256];
    let pixels = (picture.width() * picture.height()).max(1) as f32;
    for [red, green, blue] in picture.pixels().map(|pixel| pixel.map(f32::from)) {
        let (most, least) = (red.max(green).max(blue), red.min(green).min(blue));
        let spread = most - least;
        let sixth = match most {
            _ if spread == 0.0 => 0.0,
            _ if most == red => (green - blue) / spread,
            _ if most == green => 2.0 + (blue - red) / spread,
            _ => 4.0 + (red - green) / spread,
        };
        let hue = (sixth.rem_euclid(6.0) / 6.0 * 16.0) as usize;
        let saturation = if most == 0.0 { 0.0 } else { spread / most };
        let (saturation, value) = ((saturation * 4.0) as usize, (most / 256.0 * 4.0) as usize);
        cells[hue.min(15) * 16 + saturation.min(3) * 4 + value.min(3)] += 1.0 / pixels;
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_fall_into_their_cells() {
        let check = |colour: [u8; 3], hue: usize, saturation: usize, value: usize| {
            let cells = hsv(&Picture::from_fn(4, 4, |_, _| colour));
            let cell = hue * 16 + saturation * 4 + value;
            assert!((cells[cell] - 1.0).abs() < 1e-3, "{colour:?} is not in {cell}");
        };
        check([255, 0, 0], 0, 3, 3);
        check([0, 255, 0], 5, 3, 3);
        check([0, 0, 255], 10, 3, 3);
        check([100, 100, 100], 0, 0, 1);
        check([0, 0, 0], 0, 0, 0);
        check([255, 0, 20], 15, 3, 3);
    }

    #[test]
    fn the_nearest_vector_is_the_most_similar() {
        let vectors = [vec![0.0, 0.0], vec![3.0, 4.0], vec![1.0, 1.0]];
        let check = |kind: VectorKind, expect: &[f32]| {
            assert_eq!(Vectors::flat(kind, &vectors).scores(0), expect);
        };
        check(VectorKind::Gabor, &[0.0, -25.0, -2.0]);
        check(VectorKind::Hsv, &[0.0, -7.0, -2.0]);
    }

    #[test]
    fn a_picture_of_equal_tiles_is_like_each_of_them() {
        let tile: Texture = std::array::from_fn(|i| i as f32);
        let found = global(&[tile, tile]);
        assert!(found.iter().zip(&tile).all(|(a, b)| (a - b).abs() < 1e-2), "{found:?}");
    }
}
