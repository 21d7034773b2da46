//! Learns a codebook from pictures: collects pixels, tiles and outlines, clusters them and merges the clusters.

use super::{
    Centre, Codebook, Gla, Quantiser, Rng, merge, nearest, quantise::Measure, whiten::half_whitening,
};
use crate::Picture;
use crate::analysis::Analysis;
use crate::colour::{Cube, Point, Space};
use crate::shape::{Outline, SHAPE};
use crate::texture::{Texture, brightness};
use crate::tile::TILE;
use crate::words::Scale;

/// Samples from pictures for training.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    colours: Vec<[u8; 3]>,
    textures: Vec<Texture>,
    tiles: Vec<[u8; TILE * TILE]>,
    outlines: Vec<Outline>,
    pictures: u64,
}

/// Training parameters of a codebook; the defaults are those of Zhang 2008 unless noted.
#[derive(Clone, Debug, PartialEq)]
pub struct Training {
    /// How colours are compared.
    pub space: Space,
    /// The number of words of each kind, at most 256.
    pub words: usize,
    /// Centres of colours and outlines before merging.
    pub centres: usize,
    /// Centres of textures before merging: as many as words, because merging textures costs precision.
    pub texture_centres: usize,
    /// Whether textures are half whitened.
    pub whiten: bool,
    /// Colours farther apart than this do not merge, in the colour space.
    pub colour_radius: f32,
    /// Textures and outlines farther apart than this, in units of the mean distance to the nearest centre, do not
    /// merge.
    pub other_radius: f32,
    /// The seed of the random number generator.
    pub random_seed: u64,
    /// How many threads; changes the time only.
    pub threads: usize,
    /// What the pictures are, as a text for people.
    pub origin: String,
}

impl Default for Training {
    fn default() -> Self {
        Self {
            space: Space::Oklab,
            words: 128,
            centres: 256,
            texture_centres: 128,
            whiten: true,
            colour_radius: 0.2,
            other_radius: 4.0,
            random_seed: 1,
            threads: 1,
            origin: String::new(),
        }
    }
}

impl Samples {
    /// Adds some pixels and all textures and outlines of a picture.
    pub fn add(&mut self, picture: &Picture, seen: &Analysis, pixels: usize) {
        self.pictures += 1;
        let mut chance = Rng(self.pictures);
        let (width, height) = (picture.width().max(1), picture.height().max(1));
        self.colours.extend((0..pixels).map(|_| picture.at(chance.below(width), chance.below(height))));
        for (tile, texture) in seen.textures.iter().enumerate() {
            self.textures.push(*texture);
            self.tiles.push(brightness(picture, seen.grid.corner(tile)).map(|value| value as u8));
        }
        self.outlines.extend(seen.outlines.iter().flatten().copied());
    }

    /// How many pictures were added.
    pub fn pictures(&self) -> u64 {
        self.pictures
    }
}

impl Training {
    /// Learns a codebook. [`Codebook::calibrate`] then measures how similar unrelated pictures are.
    ///
    /// [`Codebook::calibrate`]: crate::codebook::Codebook::calibrate
    pub fn learn(&self, samples: &Samples) -> Codebook {
        let gla = Gla {
            centres: self.centres,
            random_seed: self.random_seed,
            threads: self.threads,
            ..Gla::default()
        };
        let words = self.words.clamp(1, 256);
        let colours: Vec<Point> = samples.colours.iter().map(|colour| self.space.point(*colour)).collect();
        let mut colours = merge(gla.cluster(&colours), words, self.colour_radius);
        // By lightness, so that people find their way in a palette.
        colours.sort_by(|a, b| a.point[0].total_cmp(&b.point[0]));
        let colours: Vec<Point> = colours.into_iter().map(|centre| centre.point).collect();

        let raw: Vec<Texture> = samples.textures.iter().map(even_texture).collect();
        let mut measure = Measure::even(&raw);
        if self.whiten {
            let even: Vec<Texture> = raw.iter().map(|texture| measure.apply(texture)).collect();
            measure.turn = half_whitening(&even);
        }
        let texture_gla = Gla { centres: self.texture_centres, ..gla };
        let textures = self.quantiser(&texture_gla, &raw, measure, words);
        let tiles = textures.centres.iter().map(|centre| {
            let measured = raw.iter().map(|texture| textures.measure.apply(texture));
            let distances = measured.map(|point| crate::colour::apart(&point, centre));
            let best = distances.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at);
            best.and_then(|at| samples.tiles.get(at)).copied().unwrap_or([0; TILE * TILE])
        });
        let tiles = tiles.collect();
        let shapes: Quantiser<SHAPE> = self.quantiser(&gla, &samples.outlines, Measure::default(), words);
        Codebook {
            origin: self.origin.clone(),
            space: self.space,
            cube: Cube::new(&colours, self.space),
            colours,
            textures,
            shapes,
            tiles,
            scale: Scale::default(),
            id: 0,
        }
        .sealed()
    }

    fn quantiser<const N: usize>(
        &self,
        gla: &Gla,
        points: &[[f32; N]],
        mut measure: Measure,
        words: usize,
    ) -> Quantiser<N> {
        let points: Vec<[f32; N]> = points.iter().map(|point| measure.apply(point)).collect();
        let centres = gla.cluster(&points);
        let reach = reach(&points, &centres);
        let mut centres = merge(centres, words, reach.sqrt() * self.other_radius);
        // The busier, the later: smooth words come first in a sheet.
        let sum = |centre: &Centre<N>| centre.point.iter().sum::<f32>();
        centres.sort_by(|a, b| sum(a).total_cmp(&sum(b)));
        measure.reach = self::reach(&points, &centres);
        Quantiser::new(centres, measure)
    }
}

/// The mean squared distance to the nearest centre, of some thousands of points.
fn reach<const N: usize>(points: &[[f32; N]], centres: &[Centre<N>]) -> f32 {
    let step = (points.len() / 5000).max(1);
    let some = points.iter().step_by(step);
    let distances = some.map(|point| f64::from(nearest(point, centres.iter().map(|centre| &centre.point)).1));
    let (sum, count) = distances.fold((0.0, 0), |(sum, count), distance| (sum + distance, count + 1));
    (sum / f64::from(count.max(1))) as f32
}

/// Roots of the responses: the long tail of strong ones would fill a codebook by itself.
pub(super) fn even_texture(texture: &Texture) -> Texture {
    texture.map(f32::sqrt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analyser;

    fn samples() -> Samples {
        let mut samples = Samples::default();
        let mut analyser = Analyser::default();
        for number in 0..6usize {
            let picture = Picture::from_fn(128, 96, |x, y| {
                let wave = (x * (number + 3) + y * (7 - number)) % (9 + number * 5) * 11;
                if y < 40 {
                    [30 * number as u8, wave as u8, 90]
                } else {
                    [(wave / 2) as u8, 200, 20 * number as u8]
                }
            });
            samples.add(&picture, analyser.analyse(&picture), 300);
        }
        samples
    }

    #[test]
    fn a_codebook_is_the_same_whatever_the_threads() {
        let samples = samples();
        let training = Training { words: 8, centres: 16, texture_centres: 16, ..Training::default() };
        let one = training.learn(&samples);
        for threads in [2, 5] {
            assert_eq!(Training { threads, ..training.clone() }.learn(&samples).write(), one.write());
        }
        assert_ne!(Training { random_seed: 2, ..training }.learn(&samples).id(), one.id());
    }

    #[test]
    fn there_are_at_most_the_requested_number_of_words() {
        let codebook =
            Training { words: 8, centres: 16, texture_centres: 12, ..Training::default() }.learn(&samples());
        assert!((2..=8).contains(&codebook.palette().count()));
        assert!((2..=8).contains(&codebook.textures().len()));
        assert_eq!(codebook.tiles().len(), codebook.textures().len());
        // Lightness rises along the palette.
        assert!(codebook.colours.is_sorted_by(|a, b| a[0] <= b[0]));
    }

    #[test]
    fn nothing_to_learn_from_gives_an_empty_codebook() {
        let codebook = Training::default().learn(&Samples::default());
        assert_eq!((codebook.palette().count(), codebook.textures().len()), (0, 0));
        assert_eq!(Codebook::read(&codebook.write()).as_ref(), Ok(&codebook));
    }
}
