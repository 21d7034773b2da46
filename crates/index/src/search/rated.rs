//! The effect of the user's ratings on the order of results.
//!
//! Ratings are not part of the index, so a click needs no commit. The caller passes the rated URLs, which are looked
//! up once ([`Searcher::rated`](super::Searcher::rated)), and each search adds a fixed amount to the scores of rated
//! matches. This is a part of the score like any other, named `rating`.

use std::hash::{DefaultHasher, Hash, Hasher};

use tantivy::DocId;

use super::matches::Matches;
use super::request::Ranking;
use super::top_k::DocPlace;

/// The name of this part of a score.
pub(crate) const PART: &str = "rating";
/// Added for a good rating: as much as a whole condition can contribute.
const GOOD: f32 = 1.0;
/// Added for a bad rating: nothing else can compensate for it. Scores still order badly rated documents.
const BAD: f32 = -100.0;

/// The rated documents of an index, for one searcher.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rated {
    /// By segment, in ascending order of documents.
    segments: Vec<Vec<(DocId, bool)>>,
    key: u64,
}

impl Rated {
    /// Rated documents of an index with this many segments.
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

    /// A key for caches of results: equal for equal ratings of one searcher.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Whether a document was rated good; `None` if it was not rated.
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

    /// Adds the ratings of a segment to the scores of its matches.
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

/// Whether ratings count: the formula of a paper stays unchanged.
fn counts_in(ranking: Ranking) -> bool {
    ranking != Ranking::Classic
}
