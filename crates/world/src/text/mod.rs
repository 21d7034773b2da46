//! The text of simulated pages: topics with their words in two languages, a background lexicon, prose and names.
//!
//! Everything is drawn from dice and from the word lists in `data/`, which are read once and are part of the binary.
//! Prose is meant for machines: its word frequencies, vocabulary growth, sentence lengths and the overlap of its topics
//! are those of real text; its meaning is not. It is plain text: the caller escapes it.

mod chinese;
mod draw;
mod english;
mod lexicon;
mod names;
mod prose;
mod taxonomy;

pub(crate) use names::{handle, handle_in, month_name, person, person_in, person_name};
pub(crate) use prose::Prose;
pub use taxonomy::{TaxonomyNode, taxonomy};
pub(crate) use taxonomy::{TopicId, TopicWords, branches, topics};

/// The languages of worlds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// Words between blanks.
    #[default]
    English,
    /// Simplified characters, no blanks, full-width punctuation; all of it fits into GBK.
    Chinese,
}
