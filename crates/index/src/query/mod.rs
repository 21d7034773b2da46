//! The query language: parses what a person types into a tree.
//!
//! ```text
//! rose red -dog "new york" tag:garden by:"U-EET" color:#c8102e color:red@center texture:47 shape:12
//! site:example.org type:detail comments:>5 date:2024..
//! ```
//!
//! Adjacent clauses must all match; `OR` binds less tightly; `-` means "not"; parentheses group; `rose^2` counts
//! twice in the ranking. The parser is written by hand, by recursive descent, so that every error message can say
//! what was expected at that position. The size, number of clauses and depth of queries are limited, and any text
//! becomes either a query or a [`QueryError`].
//!
//! A tree has exactly one printed form, which parses to the same tree: links, saved searches and suggestions are
//! strings. Words and phrases are both a sequence of words, because a text reader sees two words in `new-york` as
//! well.

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

use crate::document::DocumentKind;

/// Maximum size of a query in bytes.
pub const MAX_BYTES: usize = 64 << 10;
/// Maximum number of clauses of a query.
pub(crate) const MAX_CLAUSES: usize = 1024;
/// Maximum nesting of parentheses and minus signs.
pub const MAX_DEPTH: usize = 64;
/// The smallest and the largest weight.
pub(crate) const WEIGHTS: std::ops::RangeInclusive<f32> = 0.01..=100.0;

/// A query. It is made by [`Query::parse`], [`Query::and`], [`Query::or`] or [`Query::not`], which keep the tree in
/// its normal form: no groups of one part, no group directly inside one of its own kind, no double negation.
#[derive(Clone, Debug, PartialEq)]
pub enum Query {
    /// All of these must match; an empty list matches everything.
    And(Vec<Query>),
    /// At least one of these must match.
    Or(Vec<Query>),
    /// This must not match.
    Not(Box<Query>),
    /// This must match, and counts this many times in the ranking.
    Weighted(Box<Query>, f32),
    /// One condition.
    Clause(Clause),
}

impl Default for Query {
    /// The query that matches everything.
    fn default() -> Self {
        Self::And(Vec::new())
    }
}

/// One condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Clause {
    /// A sequence of words, in one field or in any.
    Text {
        /// The field; `None` for any.
        field: Option<TextField>,
        /// The words, as typed.
        text: String,
    },
    /// A colour, anywhere or in a region.
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
    /// A page type.
    Type(PageType),
    /// A record or a page.
    Kind(DocumentKind),
    /// A number in a range.
    Number {
        /// The field.
        field: NumberField,
        /// The range.
        range: Range<f64>,
    },
    /// A date in a range.
    Date(Range<Date>),
}

/// A text field.
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
    /// All text fields.
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

/// A numeric field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NumberField {
    /// Number of comments.
    Comments,
    /// Size in bytes.
    Size,
    /// The similarity to the uploader's profile, from 0 to 1.
    Similarity,
    /// The relevance according to the judge.
    Relevance,
}

impl NumberField {
    /// All numeric fields.
    pub const ALL: [Self; 4] = [Self::Comments, Self::Size, Self::Similarity, Self::Relevance];

    /// Its name in a query, which is also its column.
    pub fn name(self) -> &'static str {
        match self {
            Self::Comments => "comments",
            Self::Size => "size",
            Self::Similarity => "similarity",
            Self::Relevance => "relevance",
        }
    }
}

/// Names of the other fields.
const OTHER_FIELDS: [&str; 8] = ["color", "colour", "texture", "shape", "site", "type", "kind", "date"];

impl Query {
    /// A sequence of words in a field, or in any.
    pub fn text(field: Option<TextField>, text: impl Into<String>) -> Self {
        Self::Clause(Clause::Text { field, text: text.into() })
    }

    /// Matches if all of `parts` do.
    pub fn and(parts: impl IntoIterator<Item = Self>) -> Self {
        let flat = parts.into_iter().flat_map(|part| match part {
            Self::And(parts) => parts,
            other => vec![other],
        });
        Self::alone_or(flat.collect(), Self::And)
    }

    /// Matches if at least one of `parts` does; matches everything if there are none.
    pub fn or(parts: impl IntoIterator<Item = Self>) -> Self {
        let flat = parts.into_iter().flat_map(|part| match part {
            Self::Or(parts) => parts,
            other => vec![other],
        });
        let flat: Vec<Self> = flat.collect();
        // "everything or something" is everything
        if flat.iter().any(Self::is_everything) || flat.is_empty() {
            return Self::default();
        }
        Self::alone_or(flat, Self::Or)
    }

    /// Matches whatever `query` does not match.
    #[expect(clippy::should_implement_trait, reason = "it stands beside `and` and `or`")]
    pub fn not(query: Self) -> Self {
        match query {
            Self::Not(inner) => *inner,
            // a weight has no effect on what must not match
            Self::Weighted(inner, _) => Self::Not(inner),
            other => Self::Not(Box::new(other)),
        }
    }

    /// `query` with a weight: it counts `weight` times in the ranking.
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

    /// Whether it has no conditions and matches everything.
    pub(crate) fn is_everything(&self) -> bool {
        matches!(self, Self::And(parts) if parts.is_empty())
    }

    /// All conditions; `false` for those under a minus.
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
