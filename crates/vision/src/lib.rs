//! Picture bytes to visual words.
//!
//! ```text
//! bytes -> decode -> 384 pixels -> colour words -----------------------------------------> Words
//!                              \-> smooth -> segments -> kinds of tile -> texture words --/
//!                                                                     \-> shape words ---/
//! ```
//!
//! - [`Worker`] does all of it; [`decode`] and [`analysis::Analyser`] are its stages.
//! - [`Words`] is what is kept of a picture; [`Example`] compares one with many.
//! - [`draw`] shows people what was seen.
//! - [`Codebook`] says what the words stand for; [`codebook::Training`] learns one; one is embedded.
//!
//! Pure: bytes in, words out. Nothing here opens a file, asks for the time or starts a thread but for training, and the
//! same bytes give the same words on every machine. Whatever the bytes, there is no panic and memory is bounded by
//! [`Limits`].

pub mod analysis;
pub mod codebook;
pub mod colour;
mod decode;
pub mod draw;
mod hash;
mod picture;
pub mod segment;
mod shape;
pub mod smooth;
pub mod texture;
pub mod tile;
mod words;
mod worker;

pub use codebook::Codebook;
pub use decode::{Format, Limits, Refusal, decode};
pub use hash::PictureHash;
pub use picture::Picture;
pub use words::{Bag, Dominant, Example, PARTS, Part, Placed, Rarity, Scale, Words};
pub use worker::{SIDE, Worker, jpeg, thumbnail};
