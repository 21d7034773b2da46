//! A search request.

use osprey_vision::Words;

use super::rated::Rated;
use super::top_k::DocPlace;
use crate::query::Query;

/// How results are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ranking {
    /// BM25F for text, sums of minima for pictures, each part on one scale.
    #[default]
    Osprey,
    /// Equation 21 of Zhang 2008.
    Classic,
    /// By what the judge said of the page when it was crawled; of equals, the better match first.
    Relevance,
}

/// An example.
#[derive(Clone, Copy, Debug)]
pub enum Like<'a> {
    /// A picture, by its words of the index's codebook.
    Picture(&'a Words),
    /// A document of the index, by its picture and its words ("more like this"); itself is left out.
    Document(&'a str),
}

/// How pictures are compared with an example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LikeMode {
    /// Candidates by words, then exactly.
    #[default]
    Words,
    /// Every picture exactly, its word shares as one long vector. Slow; to compare with.
    Every,
}

/// A search.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// What is looked for.
    pub query: Query,
    /// What it should be like.
    pub like: Option<Like<'a>>,
    /// How it is compared.
    pub like_mode: LikeMode,
    /// How results are ordered.
    pub ranking: Ranking,
    /// Whether colours and textures take in their neighbours.
    pub expand: bool,
    /// Matches that are scored by the exact words of their pictures; the others by their postings.
    pub candidates: usize,
    /// Postings that may be read to find candidates for an example.
    pub postings: u64,
    /// Results before the first that is wanted.
    pub offset: usize,
    /// Results that are wanted.
    pub limit: usize,
    /// Values of each facet that are wanted.
    pub facets: usize,
    /// Clusters of results that are wanted.
    pub clusters: usize,
    /// Whether excerpts with the words that were found are wanted.
    pub highlights: bool,
    /// Documents that the user called good or bad: good ones are lifted, bad ones come last. Not in `Ranking::Classic`.
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
