//! One condition of a query, ready for evaluation.

use osprey_vision::Words;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, Term};

use super::matches::Matches;
use super::postings_runs::{self, TermRun};
use super::segment::{Segment, Unpacker};
use crate::query::{NumberField, Region};
use crate::schema::Visual;

/// A condition.
pub(crate) struct Condition {
    /// As written in the query; it names its part of a score.
    pub(crate) name: String,
    pub(crate) test: Test,
}

/// What a condition tests.
pub(crate) enum Test {
    /// Words, by the sum over their fields.
    Words { runs: Vec<TermRun>, finish: Finish },
    /// The amount of a colour, texture or shape.
    Amount(Amount),
    /// Visual words for ranking `classic`: the maximum of each place, summed.
    Places { places: Vec<Vec<TermRun>>, weight: f32 },
    /// A value in a column.
    Column(ColumnTest),
    /// A term that a document has or does not have.
    Term(Term),
}

/// Converts a sum over fields to a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Finish {
    /// BM25F: the sum is a frequency that saturates, then it is multiplied by the weight.
    Saturate { weight: f32 },
    /// The sum multiplied by the weight.
    Scale { weight: f32 },
}

/// The frequency at which saturation reaches half.
pub(crate) const K1: f32 = 1.2;
/// The influence of a field's length.
pub(crate) const B: f32 = 0.75;

impl Finish {
    fn score(self, sum: f32) -> f32 {
        match self {
            Self::Saturate { weight } => weight * sum / (K1 + sum),
            Self::Scale { weight } => weight * sum,
        }
    }
}

/// The share of a picture that has certain visual words.
pub(crate) struct Amount {
    /// The postings, which are nearly exact.
    pub(crate) runs: Vec<TermRun>,
    pub(crate) visual: Visual,
    pub(crate) region: Option<Region>,
    /// The field whose length is the total, if postings count tiles. For colours they are shares already.
    pub(crate) counts: Option<Field>,
    /// The weight of each word.
    pub(crate) boosts: Box<[f32; 256]>,
    /// The minimum share of a match.
    pub(crate) least: f32,
    /// The share that the query wants; more does not score higher.
    pub(crate) wanted: f32,
    /// The score of a picture with the full wanted share.
    pub(crate) weight: f32,
}

impl Amount {
    /// The sum of minima for a query of one word: the minimum of actual and wanted share; for colours its root, as
    /// pictures are compared.
    fn score(&self, amount: f32) -> f32 {
        let part = (amount / self.wanted).clamp(0.0, 1.0);
        self.weight * if self.visual == Visual::Colour { part.sqrt() } else { part }
    }

    /// Evaluates by postings.
    fn evaluate(
        &self,
        segment: &Segment,
        number: usize,
        wanted: Option<&[DocId]>,
    ) -> tantivy::Result<Matches> {
        let share = self.share(segment)?;
        postings_runs::evaluate(&self.runs, segment, number, wanted, |doc, sum| {
            let amount = sum * share(doc);
            (amount >= self.least).then(|| self.score(amount))
        })
    }

    /// The documents with the largest amounts, in order. More than the wanted share counts here, because otherwise
    /// all documents with the wanted share would be equal, and that may be most of them.
    fn best(
        &self,
        segment: &Segment,
        number: usize,
        count: usize,
        gone: Option<&dyn Fn(DocId) -> bool>,
    ) -> tantivy::Result<Matches> {
        let mut sums = postings_runs::accumulate(&self.runs, segment, number)?;
        if self.counts.is_some() {
            sums.scale(self.share(segment)?);
        }
        Ok(sums.best(count, self.least, gone))
    }

    /// The factor for a document's sum of counts.
    fn share(&self, segment: &Segment) -> tantivy::Result<impl Fn(DocId) -> f32> {
        let lengths = self.counts.map(|field| segment.lengths(field)).transpose()?;
        Ok(move |doc| lengths.as_ref().map_or(1.0, |lengths| 1.0 / lengths.fieldnorm(doc).max(1) as f32))
    }

    /// Whether the exact words of pictures include the words of this condition.
    fn is_kept(&self) -> bool {
        self.region.is_none() || self.visual != Visual::Texture
    }

    /// Evaluates by the exact words of pictures. All `docs` count as matches, because their postings matched.
    fn exactly(&self, segment: &Segment, docs: &[DocId]) -> Matches {
        let mut unpacker = Unpacker::default();
        let mut matches = Matches::default();
        for doc in docs {
            let words = if self.visual == Visual::Colour {
                unpacker.colours(segment, *doc)
            } else {
                unpacker.words(segment, *doc)
            };
            let amount = words.map_or(0.0, |words| self.exact(words));
            if amount > 0.0 {
                matches.docs.push(*doc);
                matches.scores.push(self.score(amount));
            }
        }
        matches
    }

    /// The amount according to a picture's exact words.
    fn exact(&self, picture: &Words) -> f32 {
        let placed = match self.visual {
            Visual::Colour => &picture.colours,
            Visual::Shape => &picture.shapes,
            Visual::Texture => &picture.textures,
            Visual::Border => return amount(&picture.borders, &self.boosts),
        };
        if self.region.is_some() || self.visual != Visual::Colour {
            return amount(placed.bag(self.region.map(Region::index)), &self.boosts);
        }
        // colours anywhere in the picture count more near the centre
        let of = |region: Region| region.boost() * amount(placed.bag(Some(region.index())), &self.boosts);
        Region::all().map(of).sum::<f32>() / Region::all().map(Region::boost).sum::<f32>()
    }
}

fn amount(bag: &osprey_vision::Bag, boosts: &[f32; 256]) -> f32 {
    bag.shares().map(|(word, share)| boosts[usize::from(word)] * share).sum()
}

/// A condition on a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ColumnTest {
    /// A number range: from, to, and whether each end is included.
    Number { field: NumberField, from: (f64, bool), to: (f64, bool) },
    /// A range of days, both ends included.
    Day { from: i64, to: i64 },
    /// A page type by number.
    PageType(u64),
    /// A kind of document by number.
    Kind(u64),
}

impl ColumnTest {
    pub(crate) fn holds(self, segment: &Segment, doc: DocId) -> bool {
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

/// How exactly conditions are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precision {
    /// By postings only.
    Lists,
    /// By the exact words of pictures; for few documents.
    Exact,
}

impl Condition {
    /// The matching documents of a segment, of `wanted` or of all.
    pub(crate) fn evaluate(
        &self,
        segment: &Segment,
        number: usize,
        wanted: Option<&[DocId]>,
        precision: Precision,
    ) -> tantivy::Result<Matches> {
        match &self.test {
            Test::Words { runs, finish } => {
                postings_runs::evaluate(runs, segment, number, wanted, |_, sum| Some(finish.score(sum)))
            }
            Test::Places { places, weight } => {
                postings_runs::evaluate_places(places, segment, number, wanted, *weight)
            }
            Test::Amount(amount) => match (precision, wanted) {
                (Precision::Exact, Some(docs)) if amount.is_kept() => Ok(amount.exactly(segment, docs)),
                _ => amount.evaluate(segment, number, wanted),
            },
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
                let found = Matches::unscored(docs);
                Ok(if let Some(docs) = wanted { found.only(docs) } else { found })
            }
        }
    }

    /// The best documents of a segment, for a condition that may match most of them; the others are only counted.
    /// `None` for other conditions.
    pub(crate) fn best(
        &self,
        segment: &Segment,
        number: usize,
        count: usize,
        gone: Option<&dyn Fn(DocId) -> bool>,
    ) -> tantivy::Result<Option<Matches>> {
        let Test::Amount(amount) = &self.test else { return Ok(None) };
        amount.best(segment, number, count, gone).map(Some)
    }

    /// The column test, if this is one.
    pub(crate) fn column(&self) -> Option<ColumnTest> {
        if let Test::Column(test) = self.test { Some(test) } else { None }
    }

    /// Whether its scores by postings are approximate.
    pub(crate) fn is_visual(&self) -> bool {
        matches!(self.test, Test::Amount(_))
    }

    /// An estimate of the number of matches: conditions with few matches are evaluated first.
    pub(crate) fn estimate(&self, docs: u64) -> u64 {
        match &self.test {
            Test::Words { runs, .. } | Test::Amount(Amount { runs, .. }) => {
                runs.iter().map(TermRun::frequency).sum::<u64>().min(docs)
            }
            Test::Places { places, .. } => {
                places.iter().flatten().map(TermRun::frequency).sum::<u64>().min(docs)
            }
            // columns are cheap for few documents and expensive for all
            Test::Column(_) => docs,
            Test::Term(_) => docs / 2,
        }
    }
}
