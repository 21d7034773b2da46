//! Makes records and pages searchable: by words, colours, textures, shapes, regions and example pictures.
//!
//! ```
//! use osprey_index::query::Query;
//! use osprey_index::{Document, Index, Request, WriterOptions};
//! use osprey_vision::Codebook;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let index = Index::open(folder.path(), Codebook::embedded())?;
//! let mut writer = index.writer(&WriterOptions::default())?;
//! writer.put(&Document {
//!     url: "http://photos.example/1".to_owned(),
//!     title: "Red roses".to_owned(),
//!     tags: vec!["garden".to_owned()],
//!     ..Document::default()
//! })?;
//! writer.commit(None)?;
//!
//! let searcher = index.searcher()?;
//! let request = Request { query: Query::parse("rose tag:garden -dog")?, ..Request::default() };
//! let results = searcher.search(&request)?;
//! assert_eq!((results.total, results.hits[0].url.as_str()), (1, "http://photos.example/1"));
//! assert_eq!(results.hits[0].parts[0].name, "rose");
//! # Ok(())
//! # }
//! ```
//!
//! - [`Document`] is what is indexed. It knows nothing of projects, crawls or archives: the caller makes documents.
//! - [`Index`] is a folder; a [`Writer`] changes it, a [`Searcher`] searches it. If an index has another version or
//!   codebook, or is damaged, the error says so ([`IndexError::wants_rebuild`]); it is rebuilt from the archive in
//!   another folder, while the old one remains ([`Rebuild`]).
//! - [`query`] is the query language.
//! - [`Request`] and [`Results`] are the input and output of a search; every hit lists the parts of its score.
//!
//! The store is tantivy: term dictionaries, postings, columns, segments, commits. Query evaluation and ranking are
//! our own, because tantivy's scorers support only BM25, which is wrong for visual words; see `docs/search.md`.

mod document;
mod draft;
mod error;
mod folder;
#[cfg(test)]
mod full_disk;
mod gallery;
mod guard;
mod index;
pub mod query;
mod rebuild;
mod schema;
mod search;
mod text;
mod tokens;
mod visual;
mod writer;

pub use document::{Document, DocumentKind, Picture};
pub use draft::{Profiles, document_of};
pub use error::{IndexError, Stale};
pub use gallery::{Gallery, GalleryState, PictureKey, PictureOutcome};
pub use index::Index;
pub use query::{Day, Query, QueryError};
pub use rebuild::{Rebuild, settle, standing};
pub use search::{
    CANDIDATES, Cluster, DominantColour, FacetValue, Facets, Highlight, Hit, Like, LikeMode, MAX_DEPTH,
    POSTINGS, Part, Ranking, Rated, Relevances, Request, Results, Searcher, Suggestion,
};
pub use writer::{Writer, WriterOptions};
