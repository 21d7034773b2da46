//! Query by example: pictures similar to a picture.
//!
//! The exact answer compares the example with every picture: a sum of minima for each of six parts, brought to one scale
//! and added (`osprey_vision::Example`). Here words of the example pick candidates by their postings, each with nearly
//! what it adds to that sum; the best of them are then compared exactly. Common colours stand in most pictures, so the
//! lists of all words would be longer than a query may read: words are taken in the order of what they add for a posting
//! that is read, which prefers words that are strong in the example and rare elsewhere.

use osprey_vision::{Bag, Example, PARTS, Part, Scale, Words};
use tantivy::DocId;

use super::matches::Matches;
use super::postings_runs::{self, Count, Run};
use super::segment::{Segment, Unpacker};
use crate::query::Region;
use crate::schema::{Fields, Visual};
use crate::tokens::word_text;
use crate::visual::colour_amount;

/// Words of an example that are looked up.
const MAX_WORDS: usize = 128;
/// The roots of the shares of a picture's colours add up to about this, in the whole picture and in a region.
const ROOTS: f32 = 5.4;
const REGION_ROOTS: f32 = 4.3;

/// An example, ready to be compared.
pub(crate) struct Likeness {
    example: Example,
    scale: Scale,
    /// What the example scores against itself.
    own: f32,
    /// Lists that pick candidates.
    runs: Vec<Run>,
}

/// A word of the example.
#[derive(Clone, Copy, Debug)]
struct Strong {
    visual: Visual,
    region: Option<Region>,
    word: u8,
    /// Its weight in its part.
    weight: f32,
    /// What the part counts.
    times: f32,
}

impl Likeness {
    /// Prepares an example; at most about `postings` are read for candidates.
    pub(crate) fn new(
        words: &Words,
        scale: &Scale,
        segments: &[Segment],
        fields: &Fields,
        postings: u64,
    ) -> tantivy::Result<Self> {
        let example = Example::new(words);
        let own = example.score(words, scale).max(1e-3);
        let mut found = Vec::new();
        for strong in strongest(words, scale, own) {
            let field = fields.listed(strong.visual, strong.region);
            if let Some(run) = Run::find(segments, field, &[(0, word_text(strong.word))], strong.count())? {
                let each = strong.times * strong.weight / run.frequency().max(1) as f32;
                found.push((each, run));
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut left = postings;
        let mut runs: Vec<Run> = Vec::new();
        for (_, run) in found {
            if run.frequency() <= left || runs.is_empty() {
                left = left.saturating_sub(run.frequency());
                runs.push(run);
            }
        }
        Ok(Self { example, scale: *scale, own, runs })
    }

    /// Those of `docs` that have some of the example's strongest words, with nearly their scores.
    pub(crate) fn candidates(
        &self,
        segment: &Segment,
        number: usize,
        docs: &[DocId],
    ) -> tantivy::Result<Matches> {
        postings_runs::evaluate(&self.runs, segment, number, Some(docs), |_, sum| Some(sum))
    }

    /// The best of all pictures that have some, and of what matched otherwise; the others are counted.
    pub(crate) fn best(
        &self,
        segment: &Segment,
        number: usize,
        otherwise: &Matches,
        count: usize,
        gone: Option<&dyn Fn(DocId) -> bool>,
    ) -> tantivy::Result<Matches> {
        let mut gathered = postings_runs::gather(&self.runs, segment, number)?;
        for (doc, score) in otherwise.docs.iter().zip(&otherwise.scores) {
            gathered.add(*doc, *score);
        }
        Ok(gathered.best(count, f32::MIN_POSITIVE, gone))
    }

    /// The similarity of a picture: 1 for the example itself, 0 for an unrelated one.
    pub(crate) fn exact(&self, picture: &Words) -> f32 {
        self.example.score(picture, &self.scale) / self.own
    }

    /// Every picture of a segment, compared exactly: what candidates are measured against.
    pub(crate) fn all(&self, segment: &Segment) -> Matches {
        let mut matches = Matches::default();
        let mut unpacker = Unpacker::default();
        for doc in 0..segment.docs() {
            if let Some(words) = unpacker.words(segment, doc) {
                matches.docs.push(doc);
                matches.scores.push(self.exact(words));
            }
        }
        matches
    }
}

impl Strong {
    /// What a picture adds that has the word so often: the smaller of what the example has and what it has.
    fn count(self) -> Count {
        // pictures are all scaled to one size, and nearly all photographs are three by two: 96 tiles
        let length = if self.region.is_some() { 5.0 } else { 42.0 };
        let roots = if self.region.is_some() { REGION_ROOTS } else { ROOTS };
        Count::Table(Box::new(std::array::from_fn(|frequency| {
            let share = match self.visual {
                Visual::Colour => colour_amount(frequency, self.region),
                _ => frequency as f32 / length,
            };
            let weight = if self.visual == Visual::Colour { share.sqrt() / roots } else { share };
            self.times * self.weight.min(weight)
        })))
    }
}

/// The words of an example by what they can add to a score, most first.
fn strongest(words: &Words, scale: &Scale, own: f32) -> Vec<Strong> {
    let mut all = Vec::new();
    let boosts: f32 = Region::all().map(Region::boost).sum();
    for (number, part) in PARTS.into_iter().enumerate() {
        // scores are linear in the parts
        let mut unit = [0.0; 6];
        if let Some(place) = unit.get_mut(number) {
            *place = 1.0;
        }
        let times = (scale.score(&unit) - scale.score(&[0.0; 6])) / own;
        let mut add = |visual, region: Option<Region>, bag: &Bag| {
            let share = region.map_or(1.0, |region| region.boost() / boosts);
            let root = visual == Visual::Colour;
            let value = |share: f32| if root { share.sqrt() } else { share };
            let total: f32 = bag.shares().map(|(_, share)| value(share)).sum();
            all.extend(bag.shares().map(|(word, amount)| Strong {
                visual,
                region,
                word,
                weight: value(amount) / total,
                times: times * share,
            }));
        };
        match part {
            Part::Colour => add(Visual::Colour, None, &words.colours.whole),
            Part::Texture => add(Visual::Texture, None, &words.textures.whole),
            Part::Borders => add(Visual::Border, None, &words.borders),
            Part::Shape => add(Visual::Shape, None, &words.shapes.whole),
            Part::ColourRegions => Region::all().for_each(|region| {
                add(Visual::Colour, Some(region), words.colours.bag(Some(region.index())));
            }),
            Part::ShapeRegions => Region::all().for_each(|region| {
                add(Visual::Shape, Some(region), words.shapes.bag(Some(region.index())));
            }),
        }
    }
    all.sort_by(|a, b| (b.times * b.weight).total_cmp(&(a.times * a.weight)));
    all.truncate(MAX_WORDS);
    all
}
