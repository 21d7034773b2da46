//! What an example adds to a query.
//!
//! A picture is compared directly. A document ("more like this") is compared by its picture, and searched for by its
//! most characteristic words, which are optional if there is a picture or a query. Ranking `classic` does neither:
//! there an example means its five strongest texture words, all of them required, as in figures 41-43 of Zhang 2008.

use osprey_vision::Words;
use rustc_hash::FxHashMap;
use tantivy::Term;

use super::like::Likeness;
use super::plan::idf;
use super::top_k::DocPlace;
use super::{Like, Ranking, Request, Searcher};
use crate::document::Shown;
use crate::error::IndexError;
use crate::query::{Clause, Query, TextField};
use crate::schema::Text;
use crate::text::each_word;
use crate::tokens::key_text;

/// Number of texture words of an example in ranking `classic`.
const CLASSIC_WORDS: usize = 5;
/// Number of words that represent a document.
const WORDS: usize = 12;

/// A query extended by an example.
pub(super) struct ExampleQuery {
    pub(super) query: Query,
    /// Optional words.
    pub(super) optional: Option<Query>,
    pub(super) likeness: Option<Likeness>,
    /// The example itself, which is not a result.
    pub(super) exclude: Option<DocPlace>,
}

impl Searcher {
    pub(super) fn example_query(&self, request: &Request<'_>) -> Result<ExampleQuery, IndexError> {
        let query = request.query.clone();
        match request.like {
            None => Ok(ExampleQuery { query, optional: None, likeness: None, exclude: None }),
            Some(Like::Picture(words)) => {
                let expected = self.index.codebook.id();
                if words.codebook != expected {
                    let url = "the example".to_owned();
                    return Err(IndexError::Codebook { url, found: words.codebook, expected });
                }
                let (query, likeness) = self.alike(query, words, request)?;
                Ok(ExampleQuery { query, optional: None, likeness, exclude: None })
            }
            Some(Like::Document(url)) => {
                let place = self.find(url)?;
                let optional = self.strongest_words(&self.shown(place)?)?;
                let (query, likeness) = match self.words(url)? {
                    Some(words) => self.alike(query, &words, request)?,
                    None => (query, None),
                };
                Ok(ExampleQuery { query, optional, likeness, exclude: Some(place) })
            }
        }
    }

    fn alike(
        &self,
        query: Query,
        words: &Words,
        request: &Request<'_>,
    ) -> Result<(Query, Option<Likeness>), IndexError> {
        match request.ranking {
            Ranking::Osprey | Ranking::Relevance => {
                Ok((query, Some(self.likeness(words, request.postings)?)))
            }
            Ranking::Classic => {
                let strongest = words.textures.whole.strongest(CLASSIC_WORDS).into_iter();
                let clauses =
                    strongest.map(|(word, _)| Query::Clause(Clause::Texture { word, region: None }));
                Ok((Query::and(std::iter::once(query).chain(clauses)), None))
            }
        }
    }

    /// The most characteristic words of a document: frequent in it, rare elsewhere.
    fn strongest_words(&self, shown: &Shown) -> Result<Option<Query>, IndexError> {
        let lists = [(TextField::Title, std::slice::from_ref(&shown.title)), (TextField::Tag, &shown.tags)];
        let long = [(TextField::Description, &shown.description), (TextField::Text, &shown.text)];
        let long = long.map(|(field, text)| (field, std::slice::from_ref(text)));
        let mut counts: FxHashMap<osprey_text::Term, (f32, String)> = FxHashMap::default();
        for (field, texts) in lists.into_iter().chain(long) {
            // every word costs a lookup in every field: the page's text is used only if the other fields have too few
            // words
            if field == TextField::Text && counts.len() >= 2 * WORDS {
                continue;
            }
            for text in texts {
                each_word(text, shown.language(), |word, _, surface| {
                    let entry = counts.entry(word.term).or_insert_with(|| (0.0, surface.to_owned()));
                    entry.0 += Text::Named(field).boost();
                });
            }
        }
        let mut weighed = Vec::with_capacity(counts.len());
        for (term, (count, surface)) in counts {
            let frequency =
                self.frequency(term).map_err(|cause| IndexError::store(&self.index.path, cause))?;
            let weight = count / (count + 1.0) * idf(self.statistics.docs, frequency);
            weighed.push((weight, surface));
        }
        weighed.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let words: Vec<Query> =
            weighed.into_iter().take(WORDS).map(|(_, surface)| Query::text(None, surface)).collect();
        Ok(if words.is_empty() { None } else { Some(Query::or(words)) })
    }

    /// The number of documents that contain a word, in the field where that is largest.
    fn frequency(&self, term: osprey_text::Term) -> tantivy::Result<u64> {
        let mut key = String::new();
        key_text(term, &mut key);
        let mut most = 0;
        for text in Text::all().filter(|text| !text.is_name()) {
            let field = self.index.fields.text(text);
            let term = Term::from_field_text(field, &key);
            let mut sum = 0;
            for segment in &self.segments {
                sum += u64::from(segment.reader.inverted_index(field)?.doc_freq(&term)?);
            }
            most = most.max(sum);
        }
        Ok(most)
    }
}
