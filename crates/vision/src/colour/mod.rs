//! Colour words: which of the codebook's colours a picture has, how much of each, and where.

mod count;
mod cube;
mod names;
mod space;

pub(crate) use count::term_frequencies;
pub use count::{Counts, REGIONS};
pub use cube::Cube;
pub use names::{NAMES, name, named};
pub(crate) use space::apart;
pub use space::{Point, Space};
