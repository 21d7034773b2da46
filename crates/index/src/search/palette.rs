//! Which visual words match when a query names one of them, and the weight of each.
//!
//! A colour or texture in a query also matches its neighbours within a radius, with a boost of one over the distance
//! (Zhang 2008, VI.6). The paper does not give the unit. Here the unit is the mean distance between a word and its
//! nearest neighbour in the codebook, and the word itself is one unit away: it counts 1, a neighbour at that distance
//! one half, one twice as far a third. Only the nearest few count: in the 48 dimensions of textures all words are
//! about equally far from each other, and a radius alone would include most of them, which outweighed the word in the
//! query (the lab's `search-hints` has the figures). The table is made once per codebook. Shapes are not expanded,
//! because codebooks do not contain their distances.

use osprey_vision::{Codebook, colour};

use crate::query::Colour;

/// The radius, in distances to the nearest neighbour.
const RADIUS: f32 = 2.0;
/// Maximum number of neighbours that are included.
const MOST: usize = 4;

/// The words that match, with their weights, at most 1.
pub(crate) type Expansion = Vec<(u8, f32)>;

/// The neighbours of all words of a codebook.
#[derive(Clone, Debug)]
pub(crate) struct Palette {
    colours: Vec<Expansion>,
    textures: Vec<Expansion>,
    shapes: usize,
    /// The name of each word's colour.
    names: Vec<&'static str>,
    /// The mean distance between a colour and its nearest neighbour.
    colour_unit: f32,
}

impl Palette {
    /// Computes the table.
    pub(crate) fn new(codebook: &Codebook) -> Self {
        let palette: Vec<[u8; 3]> = codebook.palette().collect();
        let colours: Vec<Vec<(u8, f32)>> =
            palette.iter().map(|colour| codebook.colours_near(*colour, f32::INFINITY)).collect();
        let textures: Vec<Vec<(u8, f32)>> = (0..=u8::MAX)
            .take(codebook.textures().len())
            .map(|word| codebook.textures_near(word, f32::INFINITY))
            .collect();
        let (colour_unit, texture_unit) = (unit(&colours), unit(&textures));
        let expand = |all: Vec<Vec<(u8, f32)>>, unit| {
            (0..=u8::MAX).zip(all).map(|(word, near)| expansion(Some(word), &near, unit)).collect()
        };
        Self {
            colours: expand(colours, colour_unit),
            textures: expand(textures, texture_unit),
            shapes: codebook.shapes().len(),
            names: palette.iter().map(|rgb| colour::name(*rgb)).collect(),
            colour_unit,
        }
    }

    /// The words that match a colour; `None` for a number that the palette does not have. A name matches all words
    /// with that name, alone or after another word (`sky blue` is a blue), and their neighbours.
    pub(crate) fn colour(&self, codebook: &Codebook, colour: Colour, expand: bool) -> Option<Expansion> {
        if let Colour::Word(word) = colour {
            let near = self.colours.get(usize::from(word))?;
            return Some(if expand { near.clone() } else { vec![(word, 1.0)] });
        }
        let rgb = colour.rgb()?;
        let near = codebook.colours_near(rgb, f32::INFINITY);
        let nearest = near.first().map(|(word, _)| *word)?;
        let mut words =
            if expand { expansion(Some(nearest), &near, self.colour_unit) } else { vec![(nearest, 1.0)] };
        if let Colour::Named(name) = colour {
            let is_kind_of = |known: &str| {
                known.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with(' '))
            };
            for (word, _) in (0..=u8::MAX).zip(&self.names).filter(|(_, known)| is_kind_of(known)) {
                words.retain(|(known, _)| *known != word);
                words.push((word, 1.0));
            }
        }
        words.sort_by_key(|(word, _)| *word);
        Some(words)
    }

    /// The words that match a texture word; `None` if the number is unknown.
    pub(crate) fn texture(&self, word: u8, expand: bool) -> Option<Expansion> {
        let near = self.textures.get(usize::from(word))?;
        Some(if expand { near.clone() } else { vec![(word, 1.0)] })
    }

    /// A shape word; `None` if the number is unknown.
    pub(crate) fn shape(&self, word: u8) -> Option<Expansion> {
        (usize::from(word) < self.shapes).then(|| vec![(word, 1.0)])
    }

    /// The numbers of colour, texture and shape words.
    pub(crate) fn sizes(&self) -> [usize; 3] {
        [self.colours.len(), self.textures.len(), self.shapes]
    }
}

/// The mean distance between a word and its nearest neighbour; each list begins with the word itself.
fn unit(all: &[Vec<(u8, f32)>]) -> f32 {
    let nearest: Vec<f32> =
        all.iter().filter_map(|near| near.get(1)).map(|(_, distance)| *distance).collect();
    if nearest.is_empty() { 1.0 } else { (nearest.iter().sum::<f32>() / nearest.len() as f32).max(1e-6) }
}

/// Words within the radius, boosted by one over the distance; `own` counts 1 at any position.
fn expansion(own: Option<u8>, near: &[(u8, f32)], unit: f32) -> Expansion {
    let neighbours = near.iter().filter(|(word, distance)| own != Some(*word) && *distance <= RADIUS * unit);
    let neighbours = neighbours.take(MOST).map(|(word, distance)| (*word, unit / (unit + distance)));
    let mut words: Expansion = own.map(|own| (own, 1.0)).into_iter().chain(neighbours).collect();
    words.sort_by_key(|(word, _)| *word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_count_by_one_over_their_distance() {
        let near = [(7, 0.0), (3, 0.1), (9, 0.15), (1, 0.2), (4, 0.25)];
        let found = expansion(Some(7), &near, 0.1);
        let expect = [(1, 1.0 / 3.0), (3, 0.5), (7, 1.0), (9, 0.4)];
        assert_eq!(found.len(), expect.len());
        for ((word, boost), (known, expected)) in found.iter().zip(expect) {
            assert!(*word == known && (boost - expected).abs() < 1e-5, "{word} {boost}");
        }
        assert_eq!(unit(&[vec![(0, 0.0), (1, 0.2)], vec![(1, 0.0), (0, 0.4)], vec![(2, 0.0)]]), 0.3);
    }

    #[test]
    fn names_stand_for_all_words_that_have_them() {
        let codebook = Codebook::embedded();
        let palette = Palette::new(&codebook);
        assert_eq!(palette.sizes(), [128; 3]);
        let red = palette.colour(&codebook, Colour::Named("red"), false).unwrap();
        let rgb: Vec<[u8; 3]> = codebook.palette().collect();
        assert!(red.iter().any(|(word, _)| colour::name(rgb[usize::from(*word)]) == "red"), "{red:?}");
        assert!(red.iter().all(|(_, boost)| *boost == 1.0));
        let blue = palette.colour(&codebook, Colour::Named("blue"), false).unwrap();
        for (word, _) in (0..=u8::MAX).zip(&rgb).filter(|(_, rgb)| colour::name(**rgb) == "sky blue") {
            assert!(blue.contains(&(word, 1.0)), "{blue:?}");
        }
        let wide = palette.colour(&codebook, Colour::Named("red"), true).unwrap();
        assert!(wide.len() > red.len() && wide.len() < 24, "{wide:?}");
        assert_eq!(palette.colour(&codebook, Colour::Word(200), true), None);
        assert_eq!(palette.texture(128, true), None);
        assert!(palette.texture(47, true).unwrap().contains(&(47, 1.0)));
        assert_eq!(palette.shape(12), Some(vec![(12, 1.0)]));
    }
}
