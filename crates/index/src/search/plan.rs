//! Converts a query to conditions over the index, with the weight of each in a ranking.
//!
//! - `osprey`: a sequence of words scores BM25F over its fields, multiplied by its idf divided by the sum of the idf
//!   of all words in the query, so that all text together is at most 1. Colours, textures and shapes score the share
//!   of the wanted amount divided by their number, so that all of them together are at most 1 too. No part outweighs
//!   another.
//! - `classic`: equation 21 of Zhang 2008. Every field of every word is a term of its own, except in a visual
//!   condition: its shades and neighbours are one term, by the best of them, and its ten fields share the weight of
//!   one.
//!
//! `rose^2` multiplies the weight of a part, relative to other words and to colours: the boost of a term in equation
//! 21. A minus is exact: it does not include similar colours and textures.

use osprey_text::Language;
use tantivy::Term;
use tantivy::schema::Field;

use super::condition::{Amount, B, ColumnTest, Condition, Finish, Test};
use super::node::Node;
use super::palette::{Expansion, Palette};
use super::postings_runs::{Count, TermRun};
use super::segment::{Segment, Statistics};
use super::{Ranking, classic};
use crate::error::IndexError;
use crate::index::Index;
use crate::query::{Clause, Date, NumberField, Query, Range, Region, TextField};
use crate::schema::{Text, Visual};
use crate::text::{Meaning, Placed, meaning};
use crate::tokens::{key_text, word_text};
use crate::visual::{CLASSIC_MOST, MAIN, colour_amount};
use crate::writer::page_type_number;

/// The share of a colour, texture or shape in the query that a picture must have at least.
const LEAST_WANTED: f32 = MAIN;
/// The share of an excluded one below which a picture is not excluded.
const LEAST_UNWANTED: f32 = 0.05;

/// A query, ready for evaluation.
pub(crate) struct Plan {
    pub(crate) root: Node,
    pub(crate) conditions: Vec<Condition>,
    /// Words that are not required, because they are stop words.
    pub(crate) ignored: Vec<String>,
    /// The word sequences in the query, for highlights and spelling: their words, and the number of documents that
    /// contain them.
    pub(crate) asked: Vec<QueriedPhrase>,
}

/// A sequence of words in the query.
pub(crate) struct QueriedPhrase {
    pub(crate) text: String,
    pub(crate) meaning: Meaning,
    pub(crate) frequency: u64,
}

/// Makes plans.
pub(crate) struct Planner<'a> {
    pub(crate) index: &'a Index,
    pub(crate) segments: &'a [Segment],
    pub(crate) statistics: &'a Statistics,
    pub(crate) palette: &'a Palette,
    pub(crate) ranking: Ranking,
    /// Whether colours and textures also match their neighbours.
    pub(crate) expand: bool,
    plan: Plan,
    /// The number of visual conditions, for their shares.
    wanted: usize,
    /// The weight of the current part of the query.
    boost: f32,
    /// The sum of the idf of all distinct words.
    idfs: f32,
    /// The sum of the squared weights of terms, for ranking `classic`.
    squares: f32,
}

impl<'a> Planner<'a> {
    pub(crate) fn new(
        index: &'a Index,
        segments: &'a [Segment],
        statistics: &'a Statistics,
        palette: &'a Palette,
        ranking: Ranking,
        expand: bool,
    ) -> Self {
        let plan = Plan { root: Node::All, conditions: Vec::new(), ignored: Vec::new(), asked: Vec::new() };
        Self {
            index,
            segments,
            statistics,
            palette,
            ranking,
            expand,
            plan,
            wanted: 0,
            boost: 1.0,
            idfs: 0.0,
            squares: 0.0,
        }
    }

    /// The plan of a query and of an optional one; if nothing is required, documents that match only the optional one
    /// match.
    pub(crate) fn plan(mut self, query: &Query, optional: Option<&Query>) -> Result<Plan, IndexError> {
        let is_visual = |clause: &Clause| {
            matches!(clause, Clause::Colour { .. } | Clause::Texture { .. } | Clause::Shape { .. })
        };
        self.wanted = query.clauses().iter().filter(|(clause, wanted)| *wanted && is_visual(clause)).count();
        self.plan.root = self.node(query, true)?;
        if let Some(optional) = optional {
            let optional = self.node(optional, true)?;
            self.plan.root = match std::mem::replace(&mut self.plan.root, Node::All) {
                Node::All => Node::Or(vec![optional]),
                required => Node::And(vec![required, Node::Maybe(Box::new(optional))]),
            };
        }
        self.weigh();
        Ok(self.plan)
    }

    fn node(&mut self, query: &Query, wanted: bool) -> Result<Node, IndexError> {
        Ok(match query {
            Query::And(parts) if parts.is_empty() => Node::All,
            Query::And(parts) => Node::And(self.nodes(parts, wanted)?),
            Query::Or(parts) => Node::Or(self.nodes(parts, wanted)?),
            Query::Not(inner) => Node::Not(Box::new(self.node(inner, !wanted)?)),
            Query::Weighted(inner, weight) => {
                let before = self.boost;
                self.boost *= weight;
                let node = self.node(inner, wanted);
                self.boost = before;
                node?
            }
            Query::Clause(clause) => self.clause(clause, wanted)?,
        })
    }

    fn nodes(&mut self, parts: &[Query], wanted: bool) -> Result<Vec<Node>, IndexError> {
        parts.iter().map(|part| self.node(part, wanted)).collect()
    }

    fn condition(&mut self, clause: &Clause, test: Test) -> Node {
        self.plan.conditions.push(Condition { name: clause.to_string(), test });
        Node::Condition(self.plan.conditions.len() - 1)
    }

    fn clause(&mut self, clause: &Clause, wanted: bool) -> Result<Node, IndexError> {
        match clause {
            Clause::Text { field, text } => self.words(clause, *field, text, wanted),
            Clause::Colour { colour, region } => {
                let words = self.palette.colour(&self.index.codebook, *colour, self.expand && wanted);
                self.visual(clause, Visual::Colour, words, *region, wanted)
            }
            Clause::Texture { word, region } => {
                let words = self.palette.texture(*word, self.expand && wanted);
                self.visual(clause, Visual::Texture, words, *region, wanted)
            }
            Clause::Shape { word, region } => {
                self.visual(clause, Visual::Shape, self.palette.shape(*word), *region, wanted)
            }
            Clause::Site(site) => {
                let term = Term::from_field_text(self.index.fields.site, site);
                Ok(self.condition(clause, Test::Term(term)))
            }
            Clause::Type(page_type) => {
                let test = ColumnTest::PageType(page_type_number(*page_type));
                Ok(self.condition(clause, Test::Column(test)))
            }
            Clause::Kind(kind) => {
                let test = ColumnTest::Kind(u64::from(*kind == crate::document::DocumentKind::Record));
                Ok(self.condition(clause, Test::Column(test)))
            }
            Clause::Number { field, range } => {
                Ok(self.condition(clause, Test::Column(number_test(*field, *range))))
            }
            Clause::Date(range) => Ok(self.condition(clause, Test::Column(day_test(*range)))),
        }
    }

    fn words(
        &mut self,
        clause: &Clause,
        field: Option<TextField>,
        text: &str,
        wanted: bool,
    ) -> Result<Node, IndexError> {
        let languages: &[Language] = &self.statistics.languages;
        let meaning = meaning(text, languages);
        let fields: Vec<Text> = match field {
            Some(field) => vec![Text::Named(field)],
            None => Text::all().collect(),
        };
        let mut runs = Vec::new();
        for text in fields {
            let readings =
                if text.is_name() { std::slice::from_ref(&meaning.name) } else { &meaning.readings[..] };
            for reading in readings.iter().filter(|reading| !reading.is_empty()) {
                runs.extend(self.text_run(text, reading)?);
            }
        }
        // a word can be in several fields of a document: the largest of their frequencies is the best estimate
        let frequency = runs.iter().map(TermRun::frequency).max().unwrap_or(0);
        let is_optional =
            meaning.is_empty_somewhere && !field.is_some_and(|field| Text::Named(field).is_name());
        if is_optional {
            self.plan.ignored.push(text.to_owned());
        }
        if wanted {
            self.plan.asked.push(QueriedPhrase { text: text.to_owned(), meaning, frequency });
        }
        let finish = match self.ranking {
            Ranking::Osprey | Ranking::Relevance => {
                let idf = idf(self.statistics.docs, frequency);
                self.idfs += idf;
                Finish::Saturate { weight: self.boost * idf }
            }
            Ranking::Classic => Finish::Scale { weight: 1.0 },
        };
        let condition = self.condition(clause, Test::Words { runs, finish });
        Ok(if is_optional { Node::Maybe(Box::new(condition)) } else { condition })
    }

    fn text_run(&mut self, text: Text, reading: &[Placed]) -> Result<Option<TermRun>, IndexError> {
        let mut offset = 0;
        let terms: Vec<(u32, String)> = reading
            .iter()
            .enumerate()
            .map(|(number, word)| {
                offset += if number == 0 { 0 } else { u32::from(word.step) };
                let mut key = String::new();
                key_text(word.term, &mut key);
                (offset, key)
            })
            .collect();
        let count = if self.ranking == Ranking::Classic { Count::Root } else { Count::Plain };
        let Some(mut run) = self.run(self.index.fields.text(text), &terms, count)? else { return Ok(None) };
        match self.ranking {
            Ranking::Osprey | Ranking::Relevance => {
                let average = self.statistics.length(text).max(1.0);
                run.weigh(|length| text.boost() / (1.0 - B + B * length / average));
            }
            Ranking::Classic => {
                let idf = classic::idf(self.statistics.docs, run.frequency());
                let boost = self.boost;
                self.squares += (boost * idf).powi(2);
                run.weigh(|length| boost * classic::term_weight(idf, text.boost(), length));
            }
        }
        Ok(Some(run))
    }

    fn run(
        &self,
        field: Field,
        terms: &[(u32, String)],
        count: Count,
    ) -> Result<Option<TermRun>, IndexError> {
        TermRun::find(self.segments, field, terms, count)
            .map_err(|cause| IndexError::store(&self.index.path, cause))
    }

    fn visual(
        &mut self,
        clause: &Clause,
        visual: Visual,
        words: Option<Expansion>,
        region: Option<Region>,
        wanted: bool,
    ) -> Result<Node, IndexError> {
        let Some(words) = words else { return Err(self.no_such_word(clause, visual)) };
        let test = match self.ranking {
            Ranking::Osprey | Ranking::Relevance => Test::Amount(self.amount(visual, words, region, wanted)?),
            Ranking::Classic => {
                Test::Places { places: self.classic_places(visual, &words, region)?, weight: 1.0 }
            }
        };
        Ok(self.condition(clause, test))
    }

    fn amount(
        &self,
        visual: Visual,
        words: Expansion,
        region: Option<Region>,
        wanted: bool,
    ) -> Result<Amount, IndexError> {
        let field = self.index.fields.listed(visual, region);
        let mut runs = Vec::new();
        let mut boosts = Box::new([0.0; 256]);
        for (word, boost) in &words {
            boosts[usize::from(*word)] = *boost;
            let count = Count::Table(Box::new(std::array::from_fn(|frequency| match visual {
                // all pictures have the same number of terms
                Visual::Colour => boost * colour_amount(frequency, region),
                _ => boost * frequency as f32,
            })));
            runs.extend(self.run(field, &[(0, word_text(*word))], count)?);
        }
        let count = self.wanted.max(1) as f32;
        Ok(Amount {
            runs,
            visual,
            region,
            counts: (visual != Visual::Colour).then_some(field),
            boosts,
            least: if wanted { LEAST_WANTED } else { LEAST_UNWANTED },
            // one share for each condition, and one for the rest of the picture; in a region all of it
            wanted: if region.is_some() { 1.0 } else { 1.0 / (count + 1.0) },
            weight: self.boost / count,
        })
    }

    /// The fields of Zhang 2008: the whole picture and the regions, each with its share of the boosts. A region in
    /// the query selects one.
    fn classic_places(
        &mut self,
        visual: Visual,
        words: &Expansion,
        region: Option<Region>,
    ) -> Result<Vec<Vec<TermRun>>, IndexError> {
        let places: Vec<Option<Region>> = match region {
            Some(_) => vec![region],
            None => std::iter::once(None).chain(Region::all().map(Some)).collect(),
        };
        let boost_of = |place: &Option<Region>| place.map_or(1.0, Region::boost);
        let total: f32 = places.iter().map(boost_of).sum();
        let mut largest = 0.0f32;
        let mut found = Vec::with_capacity(places.len());
        for place in places {
            let field = self.index.fields.visual(visual, place);
            let field_boost = boost_of(&place) / total;
            let mut runs = Vec::with_capacity(words.len());
            for (word, boost) in words {
                let count = Count::RootOfAtMost(CLASSIC_MOST);
                let run = self.run(field, &[(0, word_text(*word))], count)?;
                runs.extend(run.map(|run| (run, self.boost * boost)));
            }
            // one term, as frequent as its most frequent shade: a rare shade does not weigh more
            let frequency = runs.iter().map(|(run, _)| run.frequency()).max().unwrap_or(0);
            let idf = classic::idf(self.statistics.docs, frequency);
            for (run, boost) in &mut runs {
                largest = largest.max(idf * *boost);
                run.weigh(|length| *boost * classic::term_weight(idf, field_boost, length));
            }
            found.push(runs.into_iter().map(|(run, _)| run).collect());
        }
        self.squares += largest.powi(2);
        Ok(found)
    }

    fn no_such_word(&self, clause: &Clause, visual: Visual) -> IndexError {
        let [colours, textures, shapes] = self.palette.sizes();
        let (name, count) = match visual {
            Visual::Colour => ("colours", colours),
            Visual::Texture | Visual::Border => ("textures", textures),
            Visual::Shape => ("shapes", shapes),
        };
        let expected = format!("a number below {count}: the codebook has {count} {name}");
        IndexError::Clause { clause: clause.to_string(), expected }
    }

    /// Normalises the weights.
    fn weigh(&mut self) {
        let query_norm = 1.0 / self.squares.sqrt().max(f32::MIN_POSITIVE);
        let total = self.idfs.max(f32::MIN_POSITIVE);
        for condition in &mut self.plan.conditions {
            match &mut condition.test {
                Test::Words { finish: Finish::Saturate { weight }, .. } => *weight /= total,
                Test::Words { finish: Finish::Scale { weight }, .. } | Test::Places { weight, .. } => {
                    *weight = query_norm;
                }
                _ => {}
            }
        }
    }
}

/// The inverse document frequency of a word.
pub(crate) fn idf(docs: u64, frequency: u64) -> f32 {
    let (docs, frequency) = (docs as f32, frequency as f32);
    (1.0 + ((docs - frequency).max(0.0) + 0.5) / (frequency + 0.5)).ln()
}

fn number_test(field: NumberField, range: Range<f64>) -> ColumnTest {
    let (lowest, highest) = ((f64::NEG_INFINITY, true), (f64::INFINITY, true));
    let (from, to) = match range {
        Range::Exactly(value) => ((value, true), (value, true)),
        Range::Above(value) => ((value, false), highest),
        Range::AtLeast(value) => ((value, true), highest),
        Range::Below(value) => (lowest, (value, false)),
        Range::AtMost(value) => (lowest, (value, true)),
        Range::Between(low, high) => ((low, true), (high, true)),
    };
    ColumnTest::Number { field, from, to }
}

fn day_test(range: Range<Date>) -> ColumnTest {
    let (from, to) = match range {
        Range::Exactly(date) => (date.first().0, date.last().0),
        Range::Above(date) => (date.last().0 + 1, i64::MAX),
        Range::AtLeast(date) => (date.first().0, i64::MAX),
        Range::Below(date) => (i64::MIN, date.first().0 - 1),
        Range::AtMost(date) => (i64::MIN, date.last().0),
        Range::Between(low, high) => (low.first().0, high.last().0),
    };
    ColumnTest::Day { from, to }
}
