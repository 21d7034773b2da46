//! Query by example: finds pictures similar to a picture.
//!
//! The exact answer compares the example with every picture: a sum of minima for each of six parts, normalised and
//! added (`osprey_vision::Example`). Here, words of the example select candidates by their postings, each with
//! approximately its contribution to that sum; then the best candidates are compared exactly. Common colours are in
//! most pictures, so the postings of all words would be longer than a query may read: words are taken in the order of
//! their contribution per posting, which prefers words that are strong in the example and rare elsewhere.

use osprey_vision::{Bag, Example, PARTS, Part, Scale, Words};
use tantivy::DocId;

use super::matches::Matches;
use super::postings_runs::{self, Count, TermRun};
use super::segment::{Segment, Unpacker};
use crate::query::Region;
use crate::schema::{Fields, Visual};
use crate::tokens::word_text;
use crate::visual::colour_amount;

/// Maximum number of the example's words that are looked up.
const MAX_WORDS: usize = 128;
/// The sum of the roots of a picture's colour shares is about this, in the whole picture and in a region.
const ROOTS: f32 = 5.4;
const REGION_ROOTS: f32 = 4.3;

/// An example, ready for comparison.
pub(crate) struct Likeness {
    example: Example,
    scale: Scale,
    /// The example's score compared with itself.
    own: f32,
    /// The postings that select candidates.
    runs: Vec<TermRun>,
}

/// A word of the example.
#[derive(Clone, Copy, Debug)]
struct Strong {
    visual: Visual,
    region: Option<Region>,
    word: u8,
    /// Its weight within its part.
    weight: f32,
    /// The weight of the part.
    times: f32,
}

impl Likeness {
    /// Prepares an example; about `postings` postings are read for candidates at most.
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
            if let Some(run) = TermRun::find(segments, field, &[(0, word_text(strong.word))], strong.count())?
            {
                let each = strong.times * strong.weight / run.frequency().max(1) as f32;
                found.push((each, run));
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut left = postings;
        let mut runs: Vec<TermRun> = Vec::new();
        for (_, run) in found {
            if run.frequency() <= left || runs.is_empty() {
                left = left.saturating_sub(run.frequency());
                runs.push(run);
            }
        }
        Ok(Self { example, scale: *scale, own, runs })
    }

    /// Those of `docs` that have some of the example's strongest words, with approximate scores.
    pub(crate) fn candidates(
        &self,
        segment: &Segment,
        number: usize,
        docs: &[DocId],
    ) -> tantivy::Result<Matches> {
        postings_runs::evaluate(&self.runs, segment, number, Some(docs), |_, sum| Some(sum))
    }

    /// The best of all pictures that have some of the words, and of the other matches; the rest is only counted.
    pub(crate) fn best(
        &self,
        segment: &Segment,
        number: usize,
        otherwise: &Matches,
        count: usize,
        gone: Option<&dyn Fn(DocId) -> bool>,
    ) -> tantivy::Result<Matches> {
        let mut sums = postings_runs::accumulate(&self.runs, segment, number)?;
        for (doc, score) in otherwise.docs.iter().zip(&otherwise.scores) {
            sums.add(*doc, *score);
        }
        Ok(sums.best(count, f32::MIN_POSITIVE, gone))
    }

    /// The similarity of a picture: 1 for the example itself, 0 for an unrelated picture.
    pub(crate) fn exact(&self, picture: &Words) -> f32 {
        self.example.score(picture, &self.scale) / self.own
    }

    /// Compares every picture of a segment exactly, to evaluate the choice of candidates.
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
    /// The contribution of a picture that has the word with this frequency: the minimum of the example's and its own.
    fn count(self) -> Count {
        // all pictures are scaled to one size, and most photographs are three by two: 96 tiles
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

/// The words of an example in descending order of their possible contribution to a score.
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
