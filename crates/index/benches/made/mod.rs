//! Generated documents, as many as needed, with distributions like those of real ones.
//!
//! Visual words: the parameters were chosen so that a picture has as many words, and a word is in as many pictures,
//! as on Corel-1k (1,000 photographs, embedded codebook; `docs/search.md` has both). Text: words by Zipf's law from a
//! vocabulary of 200,000, titles of 4 words, descriptions of 16, six tags.

use osprey_index::{Document, DocumentKind, Picture};
use osprey_vision::{Bag, Codebook, Dominant, Placed, Words};

/// Size of the vocabulary.
const VOCABULARY: u64 = 200_000;

/// A random number generator.
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    /// The generator with this random seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bf0_3635)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A random number from 0 to 1.
    pub(crate) fn share(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// A random number from 0 to `count - 1`.
    pub(crate) fn below(&mut self, count: u64) -> u64 {
        self.next() % count.max(1)
    }

    /// An approximately normal random number: mean 0, deviation 1.
    fn normal(&mut self) -> f32 {
        (0..4).map(|_| self.share() - 0.5).sum::<f32>() * 1.732
    }

    /// A rank according to Zipf's law, from 0.
    fn zipf(&mut self, count: u64) -> u64 {
        // the logarithm of a rank is distributed evenly
        (((count as f32).ln() * self.share()).exp() as u64).saturating_sub(1).min(count - 1)
    }
}

/// A word of the vocabulary.
pub(crate) fn word(rank: u64) -> String {
    const SYLLABLES: [&str; 16] = [
        "ba", "ko", "mi", "ter", "lun", "sa", "vo", "ri", "den", "pal", "ne", "gor", "ti", "fu", "ham", "zo",
    ];
    let mut left = rank + 16;
    let mut text = String::new();
    while left > 0 {
        text.push_str(SYLLABLES[(left % 16) as usize]);
        left /= 16;
    }
    text
}

fn words_of(dice: &mut Dice, count: usize) -> String {
    (0..count).map(|_| word(dice.zipf(VOCABULARY))).collect::<Vec<_>>().join(" ")
}

/// The colours of a picture and its regions: amounts are log-normal around a popularity that decreases with the rank.
fn colours(dice: &mut Dice) -> Placed {
    let amounts: Vec<f32> =
        (0..128).map(|rank| (1.3 * dice.normal()).exp() * (rank as f32 + 15.0).powf(-2.5)).collect();
    let mut whole = [0.0; 256];
    let regions = std::array::from_fn(|_| {
        let mut region = [0.0; 256];
        for (place, amount) in region.iter_mut().zip(&amounts) {
            *place = amount * (1.6 * dice.normal()).exp();
        }
        let total: f32 = region.iter().sum();
        region
            .iter_mut()
            .for_each(|amount| *amount = if *amount > total * 0.003 { *amount / total } else { 0.0 });
        whole.iter_mut().zip(&region).for_each(|(sum, amount)| *sum += amount);
        Bag::new(&region)
    });
    Placed { whole: Bag::new(&whole), regions }
}

/// Textures or shapes: five tiles per region, each divided among three of the picture's favourite words.
fn tiles(dice: &mut Dice, spread: f32, fall: f32) -> Placed {
    let mut sums = [0.0; 128];
    let mut sum = 0.0;
    for (rank, place) in sums.iter_mut().enumerate() {
        sum += (spread * dice.normal() - fall * rank as f32).exp();
        *place = sum;
    }
    let mut whole = [0.0; 256];
    let regions = std::array::from_fn(|_| {
        let mut region = [0.0; 256];
        for share in [0.5, 0.3, 0.2].repeat(5) {
            let at = dice.share() * sum;
            let word = sums.partition_point(|sum| *sum < at).min(127);
            region[word] += share;
            whole[word] += share;
        }
        Bag::new(&region)
    });
    Placed { whole: Bag::new(&whole), regions }
}

/// The words of a picture.
pub(crate) fn picture(dice: &mut Dice, codebook: &Codebook) -> Words {
    let names = osprey_vision::colour::NAMES;
    let dominant = (0..4).map(|place| Dominant {
        name: names[dice.zipf(names.len() as u64) as usize].0.to_owned(),
        colour: [0; 3],
        per_cent: 40 - place * 10,
    });
    let dominant: Vec<Dominant> = dominant.collect();
    Words {
        codebook: codebook.id(),
        size: (384, 256),
        colours: colours(dice),
        textures: tiles(dice, 1.4, 0.05),
        borders: tiles(dice, 1.4, 0.05).whole,
        shapes: tiles(dice, 1.0, 0.015),
        tiles: [27, 49, 20],
        dominant,
        ..Words::default()
    }
}

/// Generates pictures in advance, so that their generation is not measured.
pub(crate) fn pictures(count: u64, codebook: &Codebook) -> Vec<Words> {
    (0..count).map(|number| picture(&mut Dice::new(number), codebook)).collect()
}

/// A document whose picture has the colours of one of `pictures`, the textures of another and the shapes of a third.
pub(crate) fn document(number: u64, pictures: &[Words]) -> Document {
    let mut dice = Dice::new(number ^ 0xd0c);
    let url = format!("http://photos{}.example/photo/{number}", number % 20);
    let mut pick = || &pictures[dice.below(pictures.len() as u64) as usize];
    let words = Words {
        textures: pick().textures.clone(),
        borders: pick().borders.clone(),
        shapes: pick().shapes.clone(),
        ..pick().clone()
    };
    Document {
        kind: DocumentKind::Record,
        title: words_of(&mut dice, 4),
        tags: (0..6).map(|_| word(dice.zipf(20_000))).collect(),
        description: words_of(&mut dice, 16),
        uploader: format!("user{}", dice.zipf(50_000)),
        site: format!("photos{}.example", number % 20),
        language: Some("en".to_owned()),
        comments: dice.zipf(100),
        similarity: Some(dice.share()),
        size: 100_000 + dice.below(1_000_000),
        relevance: dice.share(),
        picture: Some(Picture { url: format!("{url}.jpg"), thumbnail: String::new(), words }),
        url,
        ..Document::default()
    }
}

/// The kinds of queries that are measured, each with its share per cent.
pub(crate) const KINDS: [(&str, u64); 7] = [
    ("one word", 20),
    ("two words", 20),
    ("word + colour", 25),
    ("colour", 10),
    ("word + place + texture", 10),
    ("words - colour, filter", 10),
    ("example", 5),
];

/// A query of a kind; an example is nothing but that.
pub(crate) fn query(kind: usize, dice: &mut Dice) -> String {
    let names = osprey_vision::colour::NAMES;
    // people search for words that are neither the most common nor unknown
    let mut asked = || word(20 + dice.zipf(20_000));
    let (one, two) = (asked(), asked());
    let colour = names[dice.below(names.len() as u64) as usize].0.replace(' ', "-");
    match kind {
        0 => one,
        1 => format!("{one} OR {two}"),
        2 => format!("{one} color:{colour}"),
        3 => format!("color:{colour}"),
        4 => format!("{one} color:{colour}@center texture:{}", dice.below(128)),
        5 => format!("({one} OR {two}) -color:{colour} comments:>5 site:photos3.example"),
        _ => String::new(),
    }
}
