//! A picture as postings: its visual words, their regions and their frequencies.
//!
//! A colour counts once per 1,024 pixels of a picture of 500x350, as in Zhang 2008 (0.59 per cent of any picture; a
//! region has a ninth of the pixels and of the terms); a texture or shape counts once per tile. Less than one gives
//! no posting. Zhang 2008 also limits the largest count to ten times the smallest. That would make an entirely red
//! picture look like one that is a fifteenth red, so the full count is indexed, and ranking `classic` limits it when
//! it reads: counts begin at one, so the limit is ten.

use osprey_vision::{Bag, Words};

use crate::query::Region;
use crate::schema::Visual;
use crate::tokens::Frequencies;

/// The share of a picture that is one colour term.
pub(crate) const COLOUR_TERM: f32 = 1024.0 / (500.0 * 350.0);
/// The share of a picture from which a colour is a main colour.
pub(crate) const MAIN: f32 = 0.02;
/// The largest frequency of a visual word in ranking `classic`.
pub(crate) const CLASSIC_MOST: u32 = 10;
/// Number of regions of a picture.
const REGIONS: f32 = 9.0;

/// All visual fields of a picture that have words, in their compact form.
pub(crate) fn fields(words: &Words) -> Vec<(Visual, Option<Region>, String)> {
    let [inner, bordering, crossing] = words.tiles.map(f32::from);
    let places = || std::iter::once(None).chain(Region::all().map(Some));
    let mut fields = Vec::new();
    let mut add = |visual, region: Option<Region>, bag: &Bag, terms: f32, least: f32| {
        let terms = if region.is_some() { terms / REGIONS } else { terms };
        let mut frequencies = Frequencies::default();
        let mut any = false;
        for (word, share) in bag.shares() {
            let count = share * terms;
            if count >= least {
                frequencies.push(word, (count + 1.0 - least) as u16);
                any = true;
            }
        }
        if any {
            fields.push((visual, region, frequencies.into_text()));
        }
    };
    for region in places() {
        let of = |placed: &osprey_vision::Placed| placed.bag(region.map(Region::index)).clone();
        add(Visual::Colour, region, &of(&words.colours), 1.0 / COLOUR_TERM, 1.0);
        // a tile is divided among words, so half a tile counts as one
        add(Visual::Texture, region, &of(&words.textures), inner + crossing, 0.5);
        add(Visual::Shape, region, &of(&words.shapes), bordering, 0.5);
    }
    add(Visual::Border, None, &words.borders, bordering, 0.5);
    fields
}

/// The main colours of a picture, in compact form: half as many as all, and the more useful half, because common
/// colours are in nine of ten pictures, mostly as a trace.
pub(crate) fn main_colours(words: &Words) -> String {
    let mut frequencies = Frequencies::default();
    for (word, share) in words.colours.whole.shares().filter(|(_, share)| *share >= MAIN) {
        frequencies.push(word, (share / COLOUR_TERM) as u16);
    }
    frequencies.into_text()
}

/// The amount of a colour that a frequency stands for, in the whole picture or in a region.
pub(crate) fn colour_amount(frequency: usize, region: Option<Region>) -> f32 {
    // a term is counted from its beginning on: on average there is half a term more
    (frequency as f32 + 0.5) * COLOUR_TERM * if region.is_some() { REGIONS } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use osprey_vision::Placed;

    use super::*;

    fn bag(words: &[(u8, f32)]) -> Bag {
        let mut amounts = [0.0; 256];
        words.iter().for_each(|(word, share)| amounts[usize::from(*word)] = *share);
        Bag::new(&amounts)
    }

    fn words() -> Words {
        Words {
            size: (384, 256),
            colours: Placed {
                whole: bag(&[(1, 0.9), (2, 0.096), (3, 0.004)]),
                regions: std::array::from_fn(|_| bag(&[(1, 0.9), (2, 0.1)])),
            },
            textures: Placed { whole: bag(&[(7, 0.75), (8, 0.25)]), ..Placed::default() },
            tiles: [30, 20, 10],
            ..Words::default()
        }
    }

    #[test]
    fn main_colours_are_those_with_a_good_part() {
        assert_eq!(main_colours(&words()), "0109902010");
        assert!((colour_amount(0x99, None) - 0.9).abs() < 0.003);
        assert!((colour_amount(0x11, Region::new(4)) - 0.9).abs() < 0.03);
    }

    #[test]
    fn terms_count_pixels_and_tiles() {
        let fields = fields(&words());
        let check = |visual, region, expect: Option<&str>| {
            let found = fields.iter().find(|(v, r, _)| (*v, *r) == (visual, region));
            assert_eq!(found.map(|(.., text)| text.as_str()), expect, "{visual:?} {region:?}");
        };
        // 0.9 / 0.00585 = 153.8, 0.096 / 0.00585 = 16.4, and 0.004 is less than one
        check(Visual::Colour, None, Some("0109902010"));
        // a ninth of 170.9 terms: 17.1 and 1.9
        check(Visual::Colour, Region::new(4), Some("0101102001"));
        // 40 tiles: 30 and 10
        check(Visual::Texture, None, Some("0701e0800a"));
        check(Visual::Texture, Region::new(0), None);
        check(Visual::Shape, None, None);
        check(Visual::Border, None, None);
    }
}
