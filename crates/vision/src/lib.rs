//! Turns the bytes of a picture into visual words, which can be indexed and compared like words of a text.
//!
//! ```text
//! bytes -> decode -> 384 pixels -> colour words -----------------------------------------> Words
//!                              \-> smooth -> segments -> kinds of tile -> texture words --/
//!                                                                     \-> shape words ---/
//! ```
//!
//! - [`Worker`] runs all stages; [`decode`] and [`analysis::Analyser`] are the stages.
//! - [`Words`] holds the visual words of a picture; [`Example`] compares one picture with many.
//! - [`Codebook`] defines the words. One is built in; [`codebook::Training`] learns others.
//! - [`draw`] draws the result of the analysis, for people.
//!
//! The crate opens no files and reads no clock, and only training starts threads. The same bytes give the same words on
//! every machine. No input causes a panic, and [`Limits`] bounds the memory.

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
