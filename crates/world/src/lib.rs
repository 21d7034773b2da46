//! Simulated webs.
//!
//! A [`World`] is a pure function from a URL to an answer and from a URL to the [`Truth`] about it: nothing is stored,
//! so a site of ten million pages costs nothing until it is asked. Figures from worlds are called *simulated*
//! wherever they are shown.

/// A list of words, as many in a line as there is room for.
macro_rules! words {
    ($($word:literal)*) => { [$($word),*] };
}

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
mod world;
mod writer;

pub use dice::Dice;
pub use nasty::Nastiness;
pub use permutation::Permutation;
pub use picture::contact_sheet;
pub use site::{Answer, Ask, Truth, WorldTopic};
pub use text::{Language, TaxonomyNode, taxonomy};
pub use world::{Kind, Options, World, WorldError};
