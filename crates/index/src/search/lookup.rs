//! Other lookups: one document, and completions of a word.

use osprey_text::fold;
use rustc_hash::FxHashMap;

use super::{Hit, Searcher};
use crate::error::IndexError;
use crate::guard::guarded;
use crate::query::NumberField;
use crate::writer::order;

/// Maximum number of dictionary words that are examined for one prefix.
const MOST: usize = 5_000;

/// The relevance of all documents of an index.
#[derive(Clone, Debug, Default)]
pub struct Relevances(FxHashMap<u64, f32>);

impl Relevances {
    /// The relevance of the document with this URL, if there is one.
    pub fn of(&self, url: &str) -> Option<f32> {
        self.0.get(&order(url)).copied()
    }
}

impl Searcher {
    /// The relevance of all documents.
    pub fn relevances(&self) -> Result<Relevances, IndexError> {
        guarded(&self.index.path, || {
            let mut all = FxHashMap::default();
            for segment in &self.segments {
                let Some(relevance) = segment.number(NumberField::Relevance) else { continue };
                let alive = (0..segment.docs()).filter(|doc| segment.is_alive(*doc));
                all.extend(alive.filter_map(|doc| {
                    Some((segment.order.first(doc)?, relevance.first(doc).unwrap_or_default() as f32))
                }));
            }
            Ok(Relevances(all))
        })
    }

    /// The document with this URL, as a hit.
    pub fn document(&self, url: &str) -> Result<Hit, IndexError> {
        guarded(&self.index.path, || {
            let place = self.find(url)?;
            Ok(Hit::new(1, self.shown(place)?, Vec::new(), Vec::new()))
        })
    }

    /// The most common words of documents with this prefix; accents and case are ignored.
    pub fn complete(&self, beginning: &str, most: usize) -> Result<Vec<String>, IndexError> {
        let mut folded = String::new();
        fold(beginning, &mut folded);
        if folded.is_empty() {
            return Ok(Vec::new());
        }
        let path = &self.index.path;
        let words =
            guarded(path, || self.beginning(&folded).map_err(|cause| IndexError::store(path, cause)))?;
        let mut words: Vec<(u64, String)> = words.into_iter().map(|(word, count)| (count, word)).collect();
        words.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        Ok(words.into_iter().take(most).map(|(_, word)| word).collect())
    }

    /// Words with this prefix, with the number of documents that contain them.
    fn beginning(&self, beginning: &str) -> tantivy::Result<std::collections::BTreeMap<String, u64>> {
        let mut words = std::collections::BTreeMap::new();
        for segment in &self.segments {
            let lists = segment.reader.inverted_index(self.index.fields.spelling)?;
            let mut stream = lists.terms().range().ge(beginning).into_stream()?;
            for _ in 0..MOST {
                if !stream.advance() || !stream.key().starts_with(beginning.as_bytes()) {
                    break;
                }
                if let Ok(word) = std::str::from_utf8(stream.key()) {
                    *words.entry(word.to_owned()).or_default() += u64::from(stream.value().doc_freq);
                }
            }
        }
        Ok(words)
    }
}
