//! Simulated web sites for tests and experiments.
//!
//! A [`World`] computes the response for any of its URLs, and the [`Truth`] about it: page type, topics, template,
//! whether users wrote it. Responses are computed on request from the random seed and the URL, so a site of ten million
//! pages needs no storage. The same [`Options`] always give the same bytes.
//!
//! Reports mark all figures from worlds as *simulated*.

/// A list of words, as many in a line as there is room for.
macro_rules! words {
    ($($word:literal)*) => { [$($word),*] };
}

mod ablation;
mod campus;
mod dice;
mod kinds;
mod markup;
mod nasty;
mod permutation;
mod picture;
mod portal;
mod routes;
mod site;
mod text;
mod trap;
mod world;
mod writer;

pub use ablation::Ablation;
pub use dice::Dice;
pub use nasty::Nastiness;
pub use permutation::Permutation;
pub use picture::contact_sheet;
pub use site::{Answer, Ask, Expert, Truth, WorldTopic};
pub use text::{Language, TaxonomyNode, taxonomy};
pub use trap::TrapKind;
pub use world::{Kind, Options, World, WorldError};
