//! The response of Gabor filters to a tile: mean and deviation for 4 scales and 6 orientations, 48 numbers.
//!
//! The filters are those of Manjunath and Ma, which Zhang 2008 uses: Gaussians in the frequency plane, centred at 0.05
//! to 0.4 waves a pixel. A tile is transformed once; a filter then uses only the frequencies around its centre, a box
//! of 16 or 8 on a side, and transforms that box back. The magnitude of a response does not change when its frequencies
//! are moved to zero, so the small square holds the same response at fewer points, and no filter costs a transform of
//! the whole tile.

use super::fft::{Fft, Square};
use crate::tile::TILE;

/// Scales of the filters.
const SCALES: usize = 4;
/// Orientations of the filters, evenly from 0 to 180 degrees.
const ORIENTATIONS: usize = 6;
/// Numbers that describe a texture: for each filter the mean, then the deviation.
pub const TEXTURE: usize = SCALES * ORIENTATIONS * 2;

/// What describes the texture of a tile.
pub type Texture = [f32; TEXTURE];

/// The highest and the lowest centre, in waves a pixel.
const HIGHEST: f64 = 0.4;
const LOWEST: f64 = 0.05;
/// The sides of the boxes, from the finest scale to the coarsest.
const BOXES: [usize; SCALES] = [16, 16, 8, 8];

/// The filters and the memory to apply them.
#[derive(Clone, Debug)]
pub struct Gabor {
    whole: Fft,
    tile: Square,
    filters: Vec<Filter>,
    backward: Vec<(Fft, Square)>,
}

#[derive(Clone, Debug)]
struct Filter {
    /// Which of the backward transforms.
    backward: usize,
    /// The place of a frequency in the transformed tile and how much of it passes, in the order of the box.
    taps: Vec<(u16, f32)>,
}

impl Default for Gabor {
    fn default() -> Self {
        Self::new()
    }
}

impl Gabor {
    /// Prepares the filters.
    pub fn new() -> Self {
        Self::with_boxes(BOXES)
    }

    /// Prepares filters with boxes of other sizes, for measurements: with 32 no frequency is left out and the response
    /// is known at every pixel, at thirteen times the cost. Sizes are powers of two, 8 to 32.
    pub fn with_boxes(boxes: [usize; SCALES]) -> Self {
        let boxes = boxes.map(|side| side.next_power_of_two().clamp(8, TILE));
        let whole = Fft::new(TILE);
        let mut sides = boxes.to_vec();
        sides.sort_unstable();
        sides.dedup();
        let backward: Vec<_> = sides.iter().map(|side| (Fft::new(*side), Square::new(*side))).collect();
        let mut filters = Vec::with_capacity(SCALES * ORIENTATIONS);
        for (scale, side) in boxes.iter().enumerate() {
            let backward = sides.iter().position(|known| known == side).unwrap_or_default();
            for orientation in 0..ORIENTATIONS {
                filters.push(Filter { backward, taps: taps(&whole, scale, orientation, *side) });
            }
        }
        Self { whole, tile: Square::new(TILE), filters, backward }
    }

    /// Describes a tile of 32x32 brightnesses, row by row.
    pub fn describe(&mut self, brightness: &[f32; TILE * TILE]) -> Texture {
        let mean = brightness.iter().sum::<f32>() / (TILE * TILE) as f32;
        for (real, value) in self.tile.real.iter_mut().zip(brightness) {
            *real = value - mean;
        }
        self.tile.imaginary.fill(0.0);
        self.whole.transform(&mut self.tile);
        let mut texture = [0.0; TEXTURE];
        for (filter, out) in self.filters.iter().zip(texture.as_chunks_mut::<2>().0) {
            let Some((fft, square)) = self.backward.get_mut(filter.backward) else { continue };
            filter.cut(&self.tile, square);
            fft.transform(square);
            *out = moments(square);
        }
        texture
    }
}

impl Filter {
    fn cut(&self, from: &Square, to: &mut Square) {
        let out = to.real.iter_mut().zip(&mut to.imaginary);
        for ((place, weight), (real, imaginary)) in self.taps.iter().zip(out) {
            let place = usize::from(*place);
            *real = from.real.get(place).map_or(0.0, |value| value * weight);
            *imaginary = from.imaginary.get(place).map_or(0.0, |value| value * weight);
        }
    }
}

/// Mean and deviation of the absolute values.
fn moments(square: &Square) -> [f32; 2] {
    // Eight sums at a time, in an order that is fixed.
    let (mut sums, mut squares) = ([0.0f32; 8], [0.0f32; 8]);
    let parts = square.real.as_chunks::<8>().0.iter().zip(square.imaginary.as_chunks::<8>().0);
    for (real, imaginary) in parts {
        for i in 0..8 {
            let power = real[i] * real[i] + imaginary[i] * imaginary[i];
            sums[i] += power.sqrt();
            squares[i] += power;
        }
    }
    let count = square.real.len() as f32;
    let (mean, square) = (sums.iter().sum::<f32>() / count, squares.iter().sum::<f32>() / count);
    [mean, (square - mean * mean).max(0.0).sqrt()]
}

/// The frequencies around the centre of a filter and how much of each passes.
fn taps(whole: &Fft, scale: usize, orientation: usize, side: usize) -> Vec<(u16, f32)> {
    let ratio = (HIGHEST / LOWEST).powf(1.0 / (SCALES as f64 - 1.0));
    let shrink = ratio.powi(-(scale as i32));
    let two_ln2 = 2.0 * std::f64::consts::LN_2;
    // Neighbouring filters touch where they let half of the waves pass.
    let along = (ratio - 1.0) * HIGHEST / ((ratio + 1.0) * two_ln2.sqrt());
    let across = (std::f64::consts::FRAC_PI_2 / ORIENTATIONS as f64).tan()
        * (HIGHEST - two_ln2 * along * along / HIGHEST)
        / (two_ln2 - (two_ln2 * along / HIGHEST).powi(2)).sqrt();
    let (along, across) = (along * shrink, across * shrink);
    let angle = std::f64::consts::PI * orientation as f64 / ORIENTATIONS as f64;
    let centre = HIGHEST * shrink;
    let (cu, cv) = (centre * angle.cos(), centre * angle.sin());
    let first = |centre: f64| (centre * TILE as f64).round() as i64 - side as i64 / 2;
    // A response over the whole tile is a sum over its frequencies by their number.
    let unit = 1.0 / (TILE * TILE) as f64;
    let mut taps = Vec::with_capacity(side * side);
    for row in 0..side as i64 {
        for column in 0..side as i64 {
            let (u, v) = (first(cu) + column, first(cv) + row);
            let (du, dv) = (u as f64 / TILE as f64 - cu, v as f64 / TILE as f64 - cv);
            let (a, b) = (du * angle.cos() + dv * angle.sin(), dv * angle.cos() - du * angle.sin());
            let weight = (-0.5 * ((a / along).powi(2) + (b / across).powi(2))).exp();
            let wrap = |k: i64| k.rem_euclid(TILE as i64) as usize;
            taps.push((whole.place(wrap(u), wrap(v)) as u16, (weight * unit) as f32));
        }
    }
    taps
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Waves with an integer number of periods across and down a tile.
    fn waves(right: f32, down: f32) -> [f32; TILE * TILE] {
        std::array::from_fn(|i| {
            let (x, y) = ((i % TILE) as f32, (i / TILE) as f32);
            128.0 + 100.0 * (std::f32::consts::TAU * (right * x + down * y) / TILE as f32).cos()
        })
    }

    fn filter(scale: usize, orientation: usize) -> usize {
        scale * ORIENTATIONS + orientation
    }

    #[test]
    fn waves_are_seen_by_the_filter_of_their_size_and_direction() {
        let check = |right: f32, down: f32, scale: usize, orientation: usize| {
            let texture = Gabor::new().describe(&waves(right, down));
            let means: Vec<f32> = texture.iter().step_by(2).copied().collect();
            let strongest = (0..24).max_by(|a, b| means[*a].total_cmp(&means[*b])).unwrap();
            assert_eq!(strongest, filter(scale, orientation), "{right}, {down}: {means:?}");
        };
        check(13.0, 0.0, 0, 0);
        check(0.0, 13.0, 0, 3);
        check(6.0, 0.0, 1, 0);
        check(3.0, 0.0, 2, 0);
        // 0.2 waves a pixel at 30 and at 120 degrees.
        check(6.0, 3.0, 1, 1);
        check(-3.0, 6.0, 1, 4);
        check(0.0, 2.0, 3, 3);
    }

    #[test]
    fn a_wave_at_the_centre_of_a_filter_passes_by_half_its_height() {
        // A cosine of height 100 is two waves of 50, one of which lies in the filter, 0.0125 waves a pixel off its
        // centre: exp(-(0.0125 / 0.0566)^2 / 2) of it passes, 48.8.
        let texture = Gabor::new().describe(&waves(6.0, 0.0));
        let [mean, deviation] = [texture[filter(1, 0) * 2], texture[filter(1, 0) * 2 + 1]];
        assert!((mean - 48.8).abs() < 0.3, "{mean}");
        assert!(deviation < 1.0, "{deviation}");
    }

    /// Mean and deviation of some filters, computed from the formulas with numpy's Fourier transform.
    #[test]
    fn another_transform_sees_the_same() {
        let noise: [f32; TILE * TILE] = std::array::from_fn(|i| ((i * 7919 + i / 32 * 1543) % 251) as f32);
        let texture = Gabor::with_boxes([TILE; SCALES]).describe(&noise);
        let check = |filter: usize, mean: f32, deviation: f32| {
            let found = [texture[filter * 2], texture[filter * 2 + 1]];
            assert!(
                (found[0] - mean).abs() < 1e-3 && (found[1] - deviation).abs() < 1e-3,
                "{filter}: {found:?}"
            );
        };
        check(0, 5.5125, 3.4132);
        check(4, 4.6759, 3.4577);
        check(7, 1.8567, 0.7524);
        check(15, 0.5254, 0.2099);
        check(23, 0.6347, 0.2202);
    }

    #[test]
    fn a_flat_tile_has_no_texture() {
        assert!(Gabor::new().describe(&[77.0; TILE * TILE]).iter().all(|value| value.abs() < 1e-3));
    }

    #[test]
    fn small_boxes_give_the_result_of_whole_tiles() {
        let noise: [f32; TILE * TILE] = std::array::from_fn(|i| ((i * 7919 + i / 32 * 1543) % 251) as f32);
        let edge: [f32; TILE * TILE] =
            std::array::from_fn(|i| if i % TILE + i / TILE < 30 { 40.0 } else { 200.0 });
        for tile in [noise, edge, waves(5.0, 3.0)] {
            let small = Gabor::new().describe(&tile);
            let whole = Gabor::with_boxes([TILE; SCALES]).describe(&tile);
            let sum = |texture: &Texture| texture.iter().sum::<f32>();
            let apart: f32 = small.iter().zip(&whole).map(|(a, b)| (a - b).abs()).sum();
            assert!(apart < 0.1 * sum(&whole), "{apart} of {}", sum(&whole));
        }
    }
}
