//! Records out of detail and profile pages: title, uploader, tags, comments, counts, pictures, and whatever else a page
//! says of the one thing it is about.
//!
//! - [`Schema`] is the template text of a kind of page; what is left of a page without it is its data (Zhang 2008,
//!   scenario 2). [`differentiation`] counts how well path strings tell the two apart.
//! - [`Rules`] read a [`Record`] from a page: a field, the path string where it stands, and how its value is cut out
//!   (Zhang 2008, scenario 1). They are written in `osprey.toml`; [`apply`] runs them.
//! - [`propose`] learns the rules from a few pages of one kind, with the evidence for each.
//! - [`Hints`] is what a page says of itself in JSON-LD, microdata, OpenGraph and the like. Rules say which of it can
//!   be trusted on their site.
//!
//! Path strings alone do not tell publisher from ISBN where both stand in cells of one table, so a rule may also ask
//! for the label that stands before a value. What this refuses: regular expressions, scripts, guesses about a site from
//! its name.

mod apply;
#[cfg(test)]
mod apply_tests;
mod counts;
mod dates;
mod field;
mod hints;
mod labels;
mod names;
mod path;
mod propose;
mod record;
mod rules;
mod schema;
mod structured;
#[cfg(test)]
mod testing;
mod text;
mod vocabulary;

pub use apply::{Extractor, apply};
pub use dates::iso_date;
pub use field::Field;
pub use field::FieldError;
pub use hints::Hints;
pub use path::PathError;
pub use path::PathPattern;
pub use propose::{Leads, Proposals, Proposed, propose};
pub use record::{Comment, Person, Record, RecordKind};
pub use rules::{FieldRule, Rules, Take, Trust};
pub use schema::{Differentiation, Schema, data, differentiation};
