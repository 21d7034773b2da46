//! One condition, ready to be evaluated.

use osprey_vision::Words;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, Term};

use super::matches::Matches;
use super::runs::{self, Run};
use super::segment::{Segment, Unpacker};
use crate::query::{NumberField, Region};
use crate::schema::Visual;

/// A condition.
pub(crate) struct Leaf {
    /// As it stands in a query; the name of its part of a score.
    pub(crate) name: String,
    pub(crate) test: Test,
}

/// What is tested.
pub(crate) enum Test {
    /// Words, by the sum over their fields.
    Words { runs: Vec<Run>, finish: Finish },
    /// The amount of a colour, texture or shape.
    Amount(Amount),
    /// A value in a column.
    Column(ColumnTest),
    /// A term that documents have or not.
    Term(Term),
}

/// From a sum over fields to a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Finish {
    /// BM25F: the sum is a frequency that saturates; then the weight.
    Saturate { weight: f32 },
    /// The sum times the weight.
    Scale { weight: f32 },
}

/// Where frequencies saturate.
pub(crate) const K1: f32 = 1.2;
/// How much the length of a field counts.
pub(crate) const B: f32 = 0.75;

impl Finish {
    fn score(self, sum: f32) -> f32 {
        match self {
            Self::Saturate { weight } => weight * sum / (K1 + sum),
            Self::Scale { weight } => weight * sum,
        }
    }
}

/// How much of a picture has some visual words.
pub(crate) struct Amount {
    /// The lists, which say it nearly.
    pub(crate) runs: Vec<Run>,
    pub(crate) visual: Visual,
    pub(crate) region: Option<Region>,
    /// How much each word counts.
    pub(crate) boosts: Box<[f32; 256]>,
    /// What counts as having it.
    pub(crate) least: f32,
    /// The share that the query wants; more is not better.
    pub(crate) wanted: f32,
    /// What a picture with all that is wanted scores.
    pub(crate) weight: f32,
}

impl Amount {
    /// The sum of minima of a query of one word: the smaller of what is there and what is wanted; of colours the root of
    /// it, as pictures are compared.
    fn score(&self, amount: f32) -> f32 {
        let part = (amount / self.wanted).clamp(0.0, 1.0);
        self.weight * if self.visual == Visual::Colour { part.sqrt() } else { part }
    }

    /// The amount that a picture's own words say; `None` where those are not kept.
    fn exact(&self, picture: &Words) -> Option<f32> {
        let placed = match self.visual {
            Visual::Colour => &picture.colours,
            Visual::Shape => &picture.shapes,
            Visual::Texture | Visual::Border if self.region.is_some() => return None,
            Visual::Texture => &picture.textures,
            Visual::Border => return Some(amount(&picture.borders, &self.boosts)),
        };
        if self.region.is_some() || self.visual != Visual::Colour {
            return Some(amount(placed.bag(self.region.map(Region::index)), &self.boosts));
        }
        // colours anywhere count more in the middle
        let of = |region: Region| region.boost() * amount(placed.bag(Some(region.index())), &self.boosts);
        Some(Region::all().map(of).sum::<f32>() / Region::all().map(Region::boost).sum::<f32>())
    }
}

fn amount(bag: &osprey_vision::Bag, boosts: &[f32; 256]) -> f32 {
    bag.shares().map(|(word, share)| boosts[usize::from(word)] * share).sum()
}

/// A test of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ColumnTest {
    /// A number from, to, and whether each end is included.
    Number { field: NumberField, from: (f64, bool), to: (f64, bool) },
    /// A day, both ends included.
    Day { from: i64, to: i64 },
    /// A kind of page, by number.
    PageType(u64),
    /// A kind of document, by number.
    Kind(u64),
}

impl ColumnTest {
    fn holds(self, segment: &Segment, doc: DocId) -> bool {
        match self {
            Self::Number { field, from, to } => {
                let value = segment.number(field).and_then(|column| column.first(doc));
                let above = |value: f64| value > from.0 || (from.1 && value == from.0);
                let below = |value: f64| value < to.0 || (to.1 && value == to.0);
                value.is_some_and(|value| above(value) && below(value))
            }
            Self::Day { from, to } => segment.date.first(doc).is_some_and(|day| from <= day && day <= to),
            Self::PageType(wanted) => segment.page_type.first(doc) == Some(wanted),
            Self::Kind(wanted) => segment.kind.first(doc) == Some(wanted),
        }
    }
}

/// How an evaluation is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precision {
    /// By lists alone.
    Lists,
    /// Amounts by the exact words of pictures; for few documents.
    Exact,
}

impl Leaf {
    /// The documents of a segment that it matches, of `wanted` or of all. More than the wanted may come.
    pub(crate) fn evaluate(
        &self,
        segment: &Segment,
        number: usize,
        wanted: Option<&[DocId]>,
        precision: Precision,
    ) -> tantivy::Result<Matches> {
        match &self.test {
            Test::Words { runs, finish } => {
                runs::evaluate(runs, segment, number, wanted, |sum| Some(finish.score(sum)))
            }
            Test::Amount(amount) => {
                let enough = |sum: f32| (sum >= amount.least).then(|| amount.score(sum));
                let mut matches = runs::evaluate(&amount.runs, segment, number, wanted, enough)?;
                if precision == Precision::Exact {
                    if let Some(docs) = wanted {
                        matches = matches.only(docs);
                    }
                    let mut unpacker = Unpacker::default();
                    for (doc, score) in matches.docs.iter().zip(&mut matches.scores) {
                        let words = if amount.visual == Visual::Colour {
                            unpacker.colours(segment, *doc)
                        } else {
                            unpacker.words(segment, *doc)
                        };
                        let exact = words.and_then(|words| amount.exact(words));
                        *score = exact.map_or(*score, |exact| amount.score(exact));
                    }
                }
                Ok(matches)
            }
            Test::Column(test) => {
                let holds = |doc: &DocId| test.holds(segment, *doc);
                Ok(Matches::unscored(match wanted {
                    Some(docs) => docs.iter().copied().filter(holds).collect(),
                    None => (0..segment.docs()).filter(holds).collect(),
                }))
            }
            Test::Term(term) => {
                let lists = segment.reader.inverted_index(term.field())?;
                let Some(mut postings) = lists.read_block_postings(term, IndexRecordOption::Basic)? else {
                    return Ok(Matches::default());
                };
                let mut docs = Vec::with_capacity(postings.doc_freq() as usize);
                while postings.block_len() > 0 {
                    docs.extend_from_slice(postings.docs());
                    postings.advance();
                }
                Ok(Matches::unscored(docs))
            }
        }
    }

    /// Whether its scores are nearly right before they are exact.
    pub(crate) fn is_visual(&self) -> bool {
        matches!(self.test, Test::Amount(_))
    }

    /// About how many documents it matches: the least comes first.
    pub(crate) fn estimate(&self, docs: u64) -> u64 {
        match &self.test {
            Test::Words { runs, .. } | Test::Amount(Amount { runs, .. }) => {
                runs.iter().map(Run::frequency).sum::<u64>().min(docs)
            }
            // columns are cheap for few documents and dear for all
            Test::Column(_) => docs,
            Test::Term(_) => docs / 2,
        }
    }
}
