//! Extracts records from detail and profile pages: title, uploader, tags, comments, counts, pictures, and other
//! labelled fields.
//!
//! - [`Schema`] is the template text of a page type; the rest of a page is its data (Zhang 2008, scenario 2).
//!   [`differentiation`] measures how well path strings separate the two.
//! - [`Rules`] read a [`Record`] from a page: a field, the path string of its text, and how to cut out the value (Zhang
//!   2008, scenario 1). They are written in `osprey.toml`; [`apply`] runs them.
//! - [`propose`] learns rules from a few pages of one type, with the evidence for each rule.
//! - [`Hints`] is the structured data of a page: JSON-LD, microdata, OpenGraph and others. Rules say which of it to
//!   trust on a site.
//!
//! If several fields share a path string, such as publisher and ISBN in the cells of one table, a rule can also require
//! the label before the value. Not supported: regular expressions, scripts, and rules based on the name of a site.

mod apply;
#[cfg(test)]
mod apply_tests;
mod counts;
mod dates;
mod exact;
mod explain;
mod field;
mod hints;
mod label_rows;
mod labels;
mod looks;
mod names;
mod path;
mod propose;
mod record;
mod redesign;
mod rules;
mod schema;
mod structured;
#[cfg(test)]
mod testing;
mod text;
mod vocabulary;

pub use apply::{Extractor, apply};
pub use dates::iso_date;
pub use explain::{Miss, RuleReport};
pub use field::Field;
pub use field::FieldError;
pub use hints::Hints;
pub use path::PathError;
pub use path::PathPattern;
pub use propose::{Leads, Proposals, Proposed, propose};
pub use record::{Comment, Person, Record, RecordKind};
pub use rules::{FieldRule, Rules, Take, Trust};
pub use schema::{Differentiation, Schema, data, differentiation};
