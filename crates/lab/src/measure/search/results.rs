//! `search-results`: the tags of a topic as queries, and how many of the results are about the topic. Results are all
//! that a user would get: pages of every type.

use osprey_index::{Query, Request};
use osprey_model::CanonicalUrl;

use super::super::{Cell, Findings, Measure};
use super::collect;

/// Queries, as in Zhang 2008.
const QUERIES: usize = 10;
/// How many results are checked; the people in Zhang 2008 checked all.
const LOOKED_AT: usize = 1000;

/// The measure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResultsMeasure;

impl Measure for ResultsMeasure {
    fn name(&self) -> &'static str {
        "search-results"
    }

    fn run(&self, cell: &Cell<'_>) -> anyhow::Result<Findings> {
        let collected = collect(cell, false)?;
        let searcher = &collected.searcher;
        let (mut total, mut correct, mut found) = (0, 0, 0);
        let mut precisions = Vec::new();
        for tag in cell.corpus.subject.tags.iter().take(QUERIES) {
            let query = Query::parse(&format!("\"{}\"", tag.replace('"', " ")))?;
            let results = searcher.search(&Request { query, limit: LOOKED_AT, ..Request::default() })?;
            let is_correct = |url: &str| {
                let url = CanonicalUrl::from_stored(url).ok();
                let topics = url.map(|url| cell.corpus.truth(&url).topics).unwrap_or_default();
                cell.corpus.topic.as_ref().is_some_and(|topic| topics.contains(topic))
            };
            let right = results.hits.iter().filter(|hit| is_correct(&hit.url)).count();
            if !results.hits.is_empty() {
                found += 1;
                precisions.push(right as f64 / results.hits.len() as f64);
            }
            total += results.total;
            correct += right;
        }
        let mut findings = Findings::default();
        let mean = precisions.iter().sum::<f64>() / precisions.len().max(1) as f64;
        for (name, value) in [
            ("documents", searcher.len() as f64),
            ("details", collected.count("type:detail")?),
            ("results", total as f64),
            ("correct_results", correct as f64),
            ("queries_with_results", f64::from(found)),
            ("precision", mean),
        ] {
            findings.figure(name, Some(value));
        }
        findings.words.extend(cell.corpus.topic.clone().map(|topic| ("topic".to_owned(), topic)));
        Ok(findings)
    }
}
