//! Suggests another spelling for words that no document has.
//!
//! The words as they are written in documents have a dictionary of their own. It is searched only for words that no
//! document contains, and only among words that begin with the first or second letter: a wrong first letter is rare,
//! swapped letters are not.

use std::collections::BTreeMap;

use super::Searcher;
use super::plan::Plan;
use crate::query::{Clause, Query};

/// Maximum number of dictionary words that are examined.
const MOST: usize = 200_000;
/// Words with this many letters may have two mistakes.
const LONG: usize = 5;

/// A query that should find more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The query as text.
    pub query: String,
    /// What was replaced, each with its replacement.
    pub changes: Vec<(String, String)>,
}

impl Searcher {
    /// The query with a replacement for each word that no document contains; `None` if all are known or no word is
    /// near.
    ///
    pub(super) fn suggest(
        &self,
        plan: &Plan,
        query: &Query,
        total: u64,
    ) -> tantivy::Result<Option<Suggestion>> {
        let mut changes = Vec::new();
        for asked in plan.asked.iter().filter(|asked| asked.frequency == 0 && total == 0) {
            let mut words: Vec<String> = Vec::new();
            let mut changed = false;
            for word in asked.text.split_whitespace() {
                let better = self.nearest(word)?;
                changed |= better.as_deref().is_some_and(|better| better != word.to_lowercase());
                words.push(better.unwrap_or_else(|| word.to_owned()));
            }
            if changed {
                changes.push((asked.text.clone(), words.join(" ")));
            }
        }
        if changes.is_empty() {
            return Ok(None);
        }
        let better = with_words(query, &changes);
        Ok(Some(Suggestion { query: better.to_string(), changes }))
    }

    /// The nearest word of the dictionary; of equally near ones, the most common.
    fn nearest(&self, word: &str) -> tantivy::Result<Option<String>> {
        let mut folded = String::new();
        osprey_text::fold(word, &mut folded);
        let letters = folded.chars().count();
        if !(3..=40).contains(&letters) || !folded.chars().all(char::is_alphabetic) {
            return Ok(None);
        }
        let allowed = if letters >= LONG { 2 } else { 1 };
        let mut found: BTreeMap<String, u64> = BTreeMap::new();
        let mut starts: Vec<char> = folded.chars().take(2).collect();
        starts.dedup();
        for segment in &self.segments {
            let lists = segment.reader.inverted_index(self.index.fields.spelling)?;
            for start in &starts {
                let (from, to) = (start.to_string(), char::from_u32(*start as u32 + 1).unwrap_or(char::MAX));
                let mut terms = lists.terms().range().ge(from).lt(to.to_string()).into_stream()?;
                let mut looked_at = 0;
                while let Some((term, info)) = terms.next() {
                    looked_at += 1;
                    if looked_at > MOST {
                        break;
                    }
                    // a letter has one to four bytes
                    let Ok(term) = std::str::from_utf8(term) else { continue };
                    if term.len().abs_diff(folded.len()) <= allowed * 4
                        && strsim::osa_distance(term, &folded) <= allowed
                    {
                        *found.entry(term.to_owned()).or_default() += u64::from(info.doc_freq);
                    }
                }
            }
        }
        let nearest = found.into_iter().min_by_key(|(term, count)| {
            (strsim::osa_distance(term, &folded), std::cmp::Reverse(*count), term.clone())
        });
        Ok(nearest.map(|(term, _)| term))
    }
}

fn with_words(query: &Query, changes: &[(String, String)]) -> Query {
    match query {
        Query::And(parts) => Query::and(parts.iter().map(|part| with_words(part, changes))),
        Query::Or(parts) => Query::or(parts.iter().map(|part| with_words(part, changes))),
        Query::Not(inner) => Query::not(with_words(inner, changes)),
        Query::Weighted(inner, weight) => Query::weighted(with_words(inner, changes), *weight),
        Query::Clause(Clause::Text { field, text }) => {
            let better = changes.iter().find(|(before, _)| before == text).map_or(text, |(_, after)| after);
            Query::text(*field, better.clone())
        }
        other => other.clone(),
    }
}
