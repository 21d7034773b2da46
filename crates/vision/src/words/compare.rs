//! The similarity of two pictures by their words: for every part the sum of minima of the shares; the parts are brought
//! to one scale, weighted and added.
//!
//! Words are not weighted by how rare they are, as in text search: the white background of a picture is the most common
//! colour and yet the most telling. Shares of colours count by their square roots, so a large background does not hide
//! a small object. The parts differ in the typical similarity of two pictures; without a common scale, the part with
//! the largest spread would decide alone.

use serde::{Deserialize, Serialize};

use super::{Bag, Placed, Words};
use crate::codebook::Codebook;
use crate::colour::REGIONS;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// Which colours.
    Colour,
    /// Which colours where.
    ColourRegions,
    /// Which textures surfaces have.
    Texture,
    /// Which textures lie along outlines.
    Borders,
    /// Which outlines.
    Shape,
    /// Which outlines where.
    ShapeRegions,
}

/// All parts, in the order of the arrays here.
pub const PARTS: [Part; 6] =
    [Part::Colour, Part::ColourRegions, Part::Texture, Part::Borders, Part::Shape, Part::ShapeRegions];

impl Part {
    /// How much it counts: colour, texture and shape about as 4 to 3 to 2.
    pub fn weight(self) -> f32 {
        match self {
            Self::Colour | Self::ColourRegions => 1.0,
            Self::Texture | Self::Borders => 0.7,
            Self::Shape | Self::ShapeRegions => 0.5,
        }
    }
}

/// The typical similarity of unrelated pictures, part by part.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scale {
    mean: [f32; 6],
    deviation: [f32; 6],
}

impl Default for Scale {
    fn default() -> Self {
        Self { mean: [0.0; 6], deviation: [1.0; 6] }
    }
}

impl Scale {
    /// One number for all parts: 0 for unrelated pictures, 1 for one deviation more.
    pub fn score(&self, parts: &[f32; 6]) -> f32 {
        self.score_of(parts, &PARTS)
    }

    /// The same of some parts only.
    pub fn score_of(&self, parts: &[f32; 6], wanted: &[Part]) -> f32 {
        let (mut sum, mut total) = (0.0, 0.0);
        for (i, part) in PARTS.iter().enumerate().filter(|(_, part)| wanted.contains(part)) {
            sum += part.weight() * (parts[i] - self.mean[i]) / self.deviation[i].max(1e-6);
            total += part.weight();
        }
        if total > 0.0 { sum / total } else { 0.0 }
    }

    fn of(pairs: &[[f32; 6]]) -> Self {
        let count = pairs.len().max(1) as f32;
        let mean: [f32; 6] = std::array::from_fn(|i| pairs.iter().map(|pair| pair[i]).sum::<f32>() / count);
        let square = |i: usize| pairs.iter().map(|pair| (pair[i] - mean[i]).powi(2)).sum::<f32>() / count;
        Self { mean, deviation: std::array::from_fn(|i| square(i).sqrt().max(1e-3)) }
    }
}

impl Codebook {
    /// Learns the typical similarity of unrelated pictures from the words of some, which are compared with a few others
    /// each.
    pub fn calibrate(&mut self, words: &[Words]) {
        const OTHERS: usize = 40;
        let step = (words.len() / OTHERS).max(1);
        let pairs = words.iter().enumerate().flat_map(|(i, one)| {
            let example = Example::new(one);
            let others =
                words.iter().skip(i % step).step_by(step).filter(move |other| !std::ptr::eq(*other, one));
            others.map(move |other| example.parts(other)).collect::<Vec<_>>()
        });
        self.scale = Scale::of(&pairs.collect::<Vec<_>>());
    }

    /// The scale on which parts are added.
    pub fn scale(&self) -> &Scale {
        &self.scale
    }
}

/// A picture that others are compared with.
#[derive(Clone, Debug)]
pub struct Example {
    colour: Weights,
    colour_regions: Vec<Weights>,
    texture: Weights,
    borders: Weights,
    shape: Weights,
    shape_regions: Vec<Weights>,
}

/// How shares count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Count {
    Plain,
    Root,
}

/// The weights of all words, or none.
#[derive(Clone, Debug)]
struct Weights {
    weights: Box<[f32; 256]>,
    count: Count,
    empty: bool,
}

impl Weights {
    fn new(bag: &Bag, count: Count) -> Self {
        let mut weights = Box::new([0.0; 256]);
        count.weights(bag).for_each(|(word, weight)| weights[usize::from(word)] = weight);
        Self { weights, count, empty: bag.is_empty() }
    }

    /// The sum of minima. Two empty bags are as similar as possible; an empty one and any other are half as similar.
    fn alike(&self, bag: &Bag) -> f32 {
        match (self.empty, bag.is_empty()) {
            (true, true) => 1.0,
            (false, false) => {
                let minima =
                    self.count.weights(bag).map(|(word, weight)| weight.min(self.weights[usize::from(word)]));
                minima.sum()
            }
            _ => 0.5,
        }
    }
}

impl Count {
    /// What the words of a bag count, all together one.
    fn weights(self, bag: &Bag) -> impl Iterator<Item = (u8, f32)> {
        let value = move |share: f32| if self == Self::Root { share.sqrt() } else { share };
        let total: f32 = bag.shares().map(|(_, share)| value(share)).sum();
        bag.shares().map(move |(word, share)| (word, value(share) / total))
    }
}

impl Example {
    /// Prepares a picture for many comparisons.
    pub fn new(words: &Words) -> Self {
        let regions =
            |placed: &Placed, count| placed.regions.iter().map(|bag| Weights::new(bag, count)).collect();
        Self {
            colour: Weights::new(&words.colours.whole, Count::Root),
            colour_regions: regions(&words.colours, Count::Root),
            texture: Weights::new(&words.textures.whole, Count::Plain),
            borders: Weights::new(&words.borders, Count::Plain),
            shape: Weights::new(&words.shapes.whole, Count::Plain),
            shape_regions: regions(&words.shapes, Count::Plain),
        }
    }

    /// The similarity to another picture in each part, from 0 to 1, in the order of [`PARTS`].
    pub fn parts(&self, other: &Words) -> [f32; 6] {
        PARTS.map(|part| match part {
            Part::Colour => self.colour.alike(&other.colours.whole),
            Part::ColourRegions => regions_alike(&self.colour_regions, &other.colours),
            Part::Texture => self.texture.alike(&other.textures.whole),
            Part::Borders => self.borders.alike(&other.borders),
            Part::Shape => self.shape.alike(&other.shapes.whole),
            Part::ShapeRegions => regions_alike(&self.shape_regions, &other.shapes),
        })
    }

    /// The similarity to another picture, all parts together; see [`Scale::score`].
    pub fn score(&self, other: &Words, scale: &Scale) -> f32 {
        scale.score(&self.parts(other))
    }
}

/// Zhang 2008's boost of a region: the less the farther from the middle.
fn boost(region: usize) -> f32 {
    let away = (region / 3).abs_diff(1) + (region % 3).abs_diff(1);
    1.0 / (away + 1) as f32
}

fn regions_alike(example: &[Weights], other: &Placed) -> f32 {
    let alike = example.iter().zip(&other.regions).map(|(weights, bag)| weights.alike(bag));
    let sum: f32 = alike.enumerate().map(|(region, alike)| boost(region) * alike).sum();
    sum / (0..REGIONS).map(boost).sum::<f32>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bag(words: &[(u8, f32)]) -> Bag {
        let mut amounts = [0.0; 256];
        words.iter().for_each(|(word, share)| amounts[usize::from(*word)] = *share);
        Bag::new(&amounts)
    }

    #[test]
    fn bags_are_compared_by_the_sum_of_minima() {
        let check = |a: &[(u8, f32)], b: &[(u8, f32)], count: Count, expect: f32| {
            let found = Weights::new(&bag(a), count).alike(&bag(b));
            assert!((found - expect).abs() < 1e-3, "{found} is not {expect}");
            let back = Weights::new(&bag(b), count).alike(&bag(a));
            assert!((found - back).abs() < 1e-6);
        };
        check(&[(1, 0.5), (2, 0.5)], &[(2, 0.25), (3, 0.75)], Count::Plain, 0.25);
        check(&[(1, 0.5), (2, 0.5)], &[(1, 0.5), (2, 0.5)], Count::Plain, 1.0);
        check(&[(1, 1.0)], &[(2, 1.0)], Count::Root, 0.0);
        // Roots of 0.9 and 0.1 are 0.949 and 0.316: a quarter of 1.265 for the small one.
        check(&[(1, 0.9), (2, 0.1)], &[(2, 1.0)], Count::Root, 0.25);
        check(&[], &[], Count::Plain, 1.0);
        check(&[], &[(1, 1.0)], Count::Plain, 0.5);
    }

    #[test]
    fn the_middle_counts_most() {
        let boosts: Vec<f32> = (0..REGIONS).map(boost).collect();
        assert_eq!(boosts[4], 1.0);
        assert_eq!(boosts[1], 0.5);
        assert!((boosts[0] - 1.0 / 3.0).abs() < 1e-6);
    }

    #[test]
    fn parts_come_to_one_scale() {
        let scale = Scale::of(&[[0.0; 6], [2.0; 6]]);
        assert!((scale.score(&[2.0; 6]) - 1.0).abs() < 1e-6);
        assert!(scale.score(&[1.0; 6]).abs() < 1e-6);
    }
}
