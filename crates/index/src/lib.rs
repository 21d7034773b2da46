//! wip

mod document;
mod error;
mod index;
pub mod query;
mod schema;
pub mod search;
mod text;
mod tokens;
mod visual;
mod writer;
