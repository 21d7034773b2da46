//! The query language: what a person types, as a tree.
//!
//! ```text
//! rose red -dog "new york" tag:garden by:"U-EET" color:#c8102e color:red@center texture:47 shape:12
//! site:example.org type:detail comments:>5 date:2024..
//! ```
//!
//! Adjacent clauses must all match; `OR` binds less tightly; `-` is "not"; parentheses group; `rose^2` counts twice in the
//! ranking. The parser is written by
//! hand as recursive descent, so that every error message can say what was expected at that position. Queries are
//! bounded in bytes, clauses and depth, and any text becomes either a query or a [`QueryError`].
//!
//! A tree has one printed form, which parses to the same tree: links, saved searches and suggestions are strings. Words
//! and phrases are the same thing, a run of words, because `new-york` is two words to a text reader as well.

mod colour;
mod day;
mod error;
mod parse;
mod print;
mod range;
mod region;
#[cfg(test)]
mod tests;

use osprey_model::PageType;

pub use colour::Colour;
pub use day::{Date, Day};
pub use error::QueryError;
pub use range::Range;
pub use region::Region;

use crate::document::Kind;

/// Bytes of the longest query.
pub const MAX_BYTES: usize = 64 << 10;
/// Clauses of the largest query.
pub(crate) const MAX_CLAUSES: usize = 1024;
/// Parentheses and minus signs inside each other.
pub const MAX_DEPTH: usize = 64;
/// The smallest and the largest weight.
pub(crate) const WEIGHTS: std::ops::RangeInclusive<f32> = 0.01..=100.0;

/// What is looked for. Made by [`Query::parse`] or by [`Query::and`], [`Query::or`] and [`Query::not`], which keep the
/// tree in its one form: no groups of one, none directly inside their own kind, no double negation.
#[derive(Clone, Debug, PartialEq)]
pub enum Query {
    /// All of these; everything if there are none.
    And(Vec<Query>),
    /// At least one of these.
    Or(Vec<Query>),
    /// Not this.
    Not(Box<Query>),
    /// This, and it counts so many times in the ranking.
    Weighted(Box<Query>, f32),
    /// One condition.
    Clause(Clause),
}

impl Default for Query {
    /// Everything.
    fn default() -> Self {
        Self::And(Vec::new())
    }
}

/// One condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Clause {
    /// Words one after the other, in one field or in any.
    Text {
        /// The field; `None` for any.
        field: Option<TextField>,
        /// The words, as typed.
        text: String,
    },
    /// A colour, somewhere or in a region.
    Colour {
        /// The colour.
        colour: Colour,
        /// The region; `None` for anywhere.
        region: Option<Region>,
    },
    /// A texture word of the codebook.
    Texture {
        /// Its number.
        word: u8,
        /// The region; `None` for anywhere.
        region: Option<Region>,
    },
    /// A shape word of the codebook.
    Shape {
        /// Its number.
        word: u8,
        /// The region; `None` for anywhere.
        region: Option<Region>,
    },
    /// A host, or a domain with all hosts under it.
    Site(String),
    /// A kind of page.
    Type(PageType),
    /// A record or a page.
    Kind(Kind),
    /// A number in a range.
    Number {
        /// Which.
        field: NumberField,
        /// The range.
        range: Range<f64>,
    },
    /// A date in a range.
    Date(Range<Date>),
}

/// A field of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TextField {
    /// The title.
    Title,
    /// Tags.
    Tag,
    /// Sets or albums.
    Set,
    /// Groups or pools.
    Group,
    /// The description.
    Description,
    /// Who uploaded it.
    By,
    /// The page's text.
    Text,
}

impl TextField {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Title, Self::Tag, Self::Set, Self::Group, Self::Description, Self::By, Self::Text];

    /// Its name in a query.
    pub fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Tag => "tag",
            Self::Set => "set",
            Self::Group => "group",
            Self::Description => "description",
            Self::By => "by",
            Self::Text => "text",
        }
    }
}

/// A field of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NumberField {
    /// How many comments.
    Comments,
    /// Bytes.
    Size,
    /// The similarity to the uploader's profile, from 0 to 1.
    Similarity,
    /// How relevant the judge found it.
    Relevance,
}

impl NumberField {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Comments, Self::Size, Self::Similarity, Self::Relevance];

    /// Its name in a query, and of its column.
    pub fn name(self) -> &'static str {
        match self {
            Self::Comments => "comments",
            Self::Size => "size",
            Self::Similarity => "similarity",
            Self::Relevance => "relevance",
        }
    }
}

/// Names of fields that are neither of words nor of numbers.
const OTHER_FIELDS: [&str; 8] = ["color", "colour", "texture", "shape", "site", "type", "kind", "date"];

impl Query {
    /// Words in a field, or in any.
    pub fn text(field: Option<TextField>, text: impl Into<String>) -> Self {
        Self::Clause(Clause::Text { field, text: text.into() })
    }

    /// All of `parts`.
    pub fn and(parts: impl IntoIterator<Item = Self>) -> Self {
        let flat = parts.into_iter().flat_map(|part| match part {
            Self::And(parts) => parts,
            other => vec![other],
        });
        Self::alone_or(flat.collect(), Self::And)
    }

    /// At least one of `parts`; everything if there are none.
    pub fn or(parts: impl IntoIterator<Item = Self>) -> Self {
        let flat = parts.into_iter().flat_map(|part| match part {
            Self::Or(parts) => parts,
            other => vec![other],
        });
        let flat: Vec<Self> = flat.collect();
        // everything, or something: everything
        if flat.iter().any(Self::is_everything) || flat.is_empty() {
            return Self::default();
        }
        Self::alone_or(flat, Self::Or)
    }

    /// Everything that does not match `query`.
    #[expect(clippy::should_implement_trait, reason = "it stands beside `and` and `or`")]
    pub fn not(query: Self) -> Self {
        match query {
            Self::Not(inner) => *inner,
            // what is not there counts nothing
            Self::Weighted(inner, _) => Self::Not(inner),
            other => Self::Not(Box::new(other)),
        }
    }

    /// `query`, which counts `weight` times in the ranking.
    pub fn weighted(query: Self, weight: f32) -> Self {
        match query {
            Self::Weighted(inner, before) => {
                Self::weighted(*inner, (before * weight).clamp(*WEIGHTS.start(), *WEIGHTS.end()))
            }
            Self::Not(_) => query,
            _ if weight == 1.0 || query.is_everything() => query,
            _ => Self::Weighted(Box::new(query), weight),
        }
    }

    /// Whether it has no conditions.
    pub(crate) fn is_everything(&self) -> bool {
        matches!(self, Self::And(parts) if parts.is_empty())
    }

    /// All conditions, those under a minus marked `false`.
    pub(crate) fn clauses(&self) -> Vec<(&Clause, bool)> {
        let mut found = Vec::new();
        self.collect(true, &mut found);
        found
    }

    fn collect<'a>(&'a self, wanted: bool, found: &mut Vec<(&'a Clause, bool)>) {
        match self {
            Self::And(parts) | Self::Or(parts) => {
                parts.iter().for_each(|part| part.collect(wanted, found));
            }
            Self::Not(inner) => inner.collect(!wanted, found),
            Self::Weighted(inner, _) => inner.collect(wanted, found),
            Self::Clause(clause) => found.push((clause, wanted)),
        }
    }

    fn alone_or(mut parts: Vec<Self>, group: impl Fn(Vec<Self>) -> Self) -> Self {
        match parts.len() {
            1 => parts.pop().unwrap_or_default(),
            _ => group(parts),
        }
    }
}
