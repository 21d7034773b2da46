//! Search by a few texture words, as an inverted index would answer it, and by the global Gabor vector.

use osprey_vision::analysis::{Analyser, Settings};
use osprey_vision::{Bag, Limits, SIDE, Words, decode};

use crate::Photo;
use crate::measure::Scores;

/// Candidates that are looked at again.
const CANDIDATES: usize = 100;

/// Texture words of all pictures.
pub(crate) struct TextureSearch {
    bags: Vec<Bag>,
    /// The less common a word is, the more it says.
    rarity: Box<[f32; 256]>,
}

impl TextureSearch {
    /// Of inner and crossing tiles, or of all.
    pub(crate) fn new(words: &[Words], all_tiles: bool) -> Self {
        let bag = |words: &Words| if all_tiles { joined(words) } else { words.textures.whole.clone() };
        let bags: Vec<Bag> = words.iter().map(bag).collect();
        let mut mean = Box::new([0.0; 256]);
        for (word, share) in bags.iter().flat_map(Bag::shares) {
            mean[usize::from(word)] += share / bags.len() as f32;
        }
        Self { rarity: Box::new(mean.map(|mean: f32| (1.0 + 1.0 / mean.max(1e-4)).ln())), bags }
    }

    /// A query by the words of a picture that say the most: sum of minima of the roots of their shares.
    pub(crate) fn words(&self, query: usize, count: usize) -> Scores {
        let Some(bag) = self.bags.get(query) else { return Scores::new() };
        let mut words: Vec<(u8, f32)> = bag.shares().map(|(word, share)| (word, share.sqrt())).collect();
        let says = |(word, root): &(u8, f32)| root * self.rarity[usize::from(*word)];
        words.sort_by(|a, b| says(b).total_cmp(&says(a)));
        words.truncate(count);
        let score = |other: &Bag| {
            let each = words
                .iter()
                .map(|(word, root)| root.min(other.share(*word).sqrt()) * self.rarity[usize::from(*word)]);
            each.sum()
        };
        self.bags.iter().map(score).collect()
    }

    /// The same; the best are then ranked by all words.
    pub(crate) fn reranked(&self, query: usize, count: usize) -> Scores {
        let mut scores = self.words(query, count);
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        for place in order.into_iter().take(CANDIDATES) {
            let minima =
                self.bags[query].shares().map(|(word, share)| share.min(self.bags[place].share(word)));
            scores[place] = 1000.0 + minima.sum::<f32>();
        }
        scores
    }
}

/// Texture words of all tiles.
fn joined(words: &Words) -> Bag {
    let [inner, bordering, crossing] = words.tiles.map(f32::from);
    let mut amounts = [0.0; 256];
    words
        .textures
        .whole
        .shares()
        .for_each(|(word, share)| amounts[usize::from(word)] += share * (inner + crossing));
    words.borders.shares().for_each(|(word, share)| amounts[usize::from(word)] += share * bordering);
    Bag::new(&amounts)
}

/// Mean and deviation of every filter over a whole picture, each brought to deviation one.
pub(crate) fn global_vectors(photos: &[Photo]) -> Vec<Vec<f32>> {
    let mut analyser = Analyser::new(Settings::default());
    let mut vectors: Vec<Vec<f32>> = photos
        .iter()
        .map(|photo| {
            let Ok(picture) = decode(&photo.file, SIDE, &Limits::default()) else { return vec![0.0; 48] };
            let textures = &analyser.analyse(&picture).textures;
            let mean = |value: &dyn Fn(&[f32; 2]) -> f32, filter: usize| {
                let each =
                    textures.iter().filter_map(|texture| texture.as_chunks::<2>().0.get(filter)).map(value);
                each.sum::<f32>() / textures.len().max(1) as f32
            };
            (0..24)
                .flat_map(|filter| {
                    let first = mean(&|pair| pair[0], filter);
                    let square = mean(&|pair| pair[0] * pair[0] + pair[1] * pair[1], filter);
                    [first, (square - first * first).max(0.0).sqrt()]
                })
                .collect()
        })
        .collect();
    for axis in 0..48 {
        let count = vectors.len() as f32;
        let mean = vectors.iter().map(|vector| vector[axis]).sum::<f32>() / count;
        let variance = vectors.iter().map(|vector| (vector[axis] - mean).powi(2)).sum::<f32>() / count;
        vectors.iter_mut().for_each(|vector| vector[axis] /= variance.sqrt().max(1e-6));
    }
    vectors
}

/// A query by the vector: the smaller the distance, the more alike.
pub(crate) fn by_vector(vectors: &[Vec<f32>], query: usize) -> Scores {
    let Some(example) = vectors.get(query) else { return Scores::new() };
    let distance = |other: &Vec<f32>| example.iter().zip(other).map(|(a, b)| (a - b).powi(2)).sum::<f32>();
    vectors.iter().map(|other| -distance(other)).collect()
}
