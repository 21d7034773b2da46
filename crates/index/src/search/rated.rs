//! Documents that the user called good or bad: what that does to the order of results.
//!
//! Ratings are no part of the index, so a click needs no commit: the caller says which URLs are rated, they are looked up
//! once ([`Searcher::rated`](super::Searcher::rated)), and each search adds a fixed amount to the scores of those that it
//! matched. It is a part of the score like any other, named `rating`.

use std::hash::{DefaultHasher, Hash, Hasher};

use tantivy::DocId;

use super::matches::Matches;
use super::request::Ranking;
use super::top_k::DocPlace;

/// The name of this part of a score.
pub(crate) const PART: &str = "rating";
/// What a good rating adds: as much as a whole condition can give.
const GOOD: f32 = 1.0;
/// What a bad one adds: less than anything else can make up for. Scores still order those that have it.
const BAD: f32 = -100.0;

/// The rated documents of an index, as one searcher sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rated {
    /// By segment, in rising order of documents.
    segments: Vec<Vec<(DocId, bool)>>,
    key: u64,
}

impl Rated {
    /// Of so many segments.
    pub(crate) fn of(segments: usize, found: impl IntoIterator<Item = (DocPlace, bool)>) -> Self {
        let mut rated = Self { segments: vec![Vec::new(); segments], key: 0 };
        for (place, is_good) in found {
            if let Some(docs) = rated.segments.get_mut(place.segment) {
                docs.push((place.doc, is_good));
            }
        }
        for docs in &mut rated.segments {
            docs.sort_unstable();
            docs.dedup_by_key(|(doc, _)| *doc);
        }
        let mut hasher = DefaultHasher::new();
        rated.segments.hash(&mut hasher);
        rated.key = hasher.finish();
        rated
    }

    /// Equal for equal ratings of one searcher: for who keeps results.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Whether a document was called good.
    pub(crate) fn is_good(&self, place: DocPlace) -> Option<bool> {
        let docs = self.segments.get(place.segment)?;
        let at = docs.binary_search_by_key(&place.doc, |(doc, _)| *doc).ok()?;
        docs.get(at).map(|(_, is_good)| *is_good)
    }

    /// What the rating of a document adds to its score.
    pub(crate) fn amount(&self, place: DocPlace, ranking: Ranking) -> f32 {
        match self.is_good(place).filter(|_| counts_in(ranking)) {
            None => 0.0,
            Some(true) => GOOD,
            Some(false) => BAD,
        }
    }

    /// Adds the ratings of a segment to the scores of what matched there.
    pub(crate) fn add_to(&self, matches: &mut Matches, segment: usize, ranking: Ranking) {
        for (doc, is_good) in self.segments.get(segment).into_iter().flatten().filter(|_| counts_in(ranking))
        {
            if let Ok(at) = matches.docs.binary_search(doc)
                && let Some(score) = matches.scores.get_mut(at)
            {
                *score += if *is_good { GOOD } else { BAD };
            }
        }
    }
}

/// The formula of a paper stays what it is.
fn counts_in(ranking: Ranking) -> bool {
    ranking != Ranking::Classic
}
