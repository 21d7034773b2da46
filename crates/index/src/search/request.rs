//! A search request.

use osprey_vision::Words;

use super::rated::Rated;
use super::top_k::DocPlace;
use crate::query::Query;

/// How results are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ranking {
    /// BM25F for text, sums of minima for pictures, each part normalised.
    #[default]
    Osprey,
    /// Equation 21 of Zhang 2008.
    Classic,
    /// The judge's verdict when the page was crawled; equal ones are ordered by the match.
    Relevance,
}

/// An example.
#[derive(Clone, Copy, Debug)]
pub enum Like<'a> {
    /// A picture, given by its visual words from the index's codebook.
    Picture(&'a Words),
    /// A document of the index, by its picture and its words ("more like this"); it is not a result itself.
    Document(&'a str),
}

/// How pictures are compared with an example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LikeMode {
    /// Selects candidates by words, then compares exactly.
    #[default]
    Words,
    /// Compares every picture exactly, with its word shares as one long vector. Slow; for evaluation.
    Every,
}

/// A search.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The query.
    pub query: Query,
    /// The example.
    pub like: Option<Like<'a>>,
    /// How the example is compared.
    pub like_mode: LikeMode,
    /// How results are ordered.
    pub ranking: Ranking,
    /// Whether colours and textures also match their neighbours.
    pub expand: bool,
    /// Number of matches that are scored by the exact words of their pictures; the others are scored by their
    /// postings.
    pub candidates: usize,
    /// Number of postings that may be read to find candidates for an example.
    pub postings: u64,
    /// Number of results to skip.
    pub offset: usize,
    /// Maximum number of results.
    pub limit: usize,
    /// Maximum number of values per facet.
    pub facets: usize,
    /// Maximum number of clusters.
    pub clusters: usize,
    /// Whether to return excerpts in which the words of the query are marked.
    pub highlights: bool,
    /// Documents that the user rated: good ones are raised, bad ones come last. Ignored by `Ranking::Classic`.
    pub rated: Option<&'a Rated>,
}

impl Request<'_> {
    /// What the user's rating of a document adds to its score.
    pub(super) fn rating_amount(&self, place: DocPlace) -> f32 {
        self.rated.map_or(0.0, |rated| rated.amount(place, self.ranking))
    }
}

impl Default for Request<'_> {
    fn default() -> Self {
        Self {
            query: Query::default(),
            like: None,
            like_mode: LikeMode::default(),
            ranking: Ranking::default(),
            expand: true,
            candidates: super::CANDIDATES,
            postings: super::POSTINGS,
            offset: 0,
            limit: 20,
            facets: 0,
            clusters: 0,
            highlights: false,
            rated: None,
        }
    }
}
