//! Searching an index.
//!
//! 1. The query becomes a [`plan`] of conditions; an example becomes a [`like::Likeness`].
//! 2. Each segment is evaluated by its postings ([`node`], [`postings_runs`]), which gives matches with approximate
//!    scores.
//! 3. The best [`Request::candidates`] of all segments are scored again; visual parts use the exact words of the
//!    pictures.
//! 4. For the requested page, the parts of the scores, highlights and documents are loaded; facets are counted over
//!    all matches, and clusters are made of the best.
//!
//! Equal scores are ordered by a hash of the URL, so pages of results never overlap or skip documents, whatever the
//! segments are. After the candidates, results are ordered by their approximate scores.

mod accumulate;
mod classic;
mod clusters;
mod condition;
mod example_query;
mod facets;
mod highlight;
mod like;
mod lookup;
mod matches;
mod node;
mod palette;
mod plan;
mod postings_runs;
mod rated;
mod request;
mod results;
mod segment;
mod spelling;
#[cfg(test)]
mod tests;
mod top_k;

use std::collections::BTreeMap;
use std::time::Instant;

use osprey_vision::Words;
use tantivy::schema::Value;
use tantivy::{DocAddress, DocId, TantivyDocument};

pub use clusters::Cluster;
pub use facets::{FacetValue, Facets};
pub use highlight::Highlight;
pub use lookup::Relevances;
pub use rated::Rated;
pub use request::{Like, LikeMode, Ranking, Request};
pub use results::{DominantColour, Hit, Part, Results};
pub use spelling::Suggestion;

use crate::document::Shown;
use crate::error::IndexError;
use crate::guard::guarded;
use crate::index::Index;
use crate::query::{NumberField, Query};
use condition::Precision;
use example_query::ExampleQuery;
use like::Likeness;
use matches::Matches;
use node::Evaluation;
use palette::Palette;
use plan::{Plan, Planner};
use segment::{Segment, Statistics, Unpacker};
use top_k::{DocPlace, Ranked};

/// Default number of matches that are scored exactly.
pub const CANDIDATES: usize = 300;
/// Default number of postings that are read to find candidates for an example: about five milliseconds.
pub const POSTINGS: u64 = 2_000_000;
/// The last rank that can be requested.
pub const MAX_DEPTH: usize = 10_000;
/// Number of results that clusters are made of.
const CLUSTERED: usize = 200;

/// Searches what was committed before it was created. Cheap to share between threads; creating it takes time, so
/// reuse it.
pub struct Searcher {
    index: Index,
    store: tantivy::Searcher,
    segments: Vec<Segment>,
    statistics: Statistics,
    palette: Palette,
    values: facets::Values,
}

impl std::fmt::Debug for Searcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Searcher")
            .field("index", &self.index)
            .field("docs", &self.len())
            .finish_non_exhaustive()
    }
}

impl Searcher {
    pub(crate) fn new(index: &Index) -> Result<Self, IndexError> {
        let open = || {
            let reader =
                index.store.reader_builder().reload_policy(tantivy::ReloadPolicy::Manual).try_into()?;
            let store: tantivy::Searcher = reader.searcher();
            let segments: Vec<Segment> =
                store.segment_readers().iter().map(Segment::open).collect::<tantivy::Result<_>>()?;
            let statistics = Statistics::of(&segments, &index.fields)?;
            Ok((store, segments, statistics))
        };
        let (store, segments, statistics) = open().map_err(|cause| IndexError::store(&index.path, cause))?;
        let palette = Palette::new(&index.codebook);
        let values = facets::Values::default();
        Ok(Self { index: index.clone(), store, segments, statistics, palette, values })
    }

    /// The number of documents.
    pub fn len(&self) -> u64 {
        self.statistics.docs
    }

    /// Whether there are no documents.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The visual words of a document's picture, as stored in the index; `None` if it has no picture.
    pub fn words(&self, url: &str) -> Result<Option<Words>, IndexError> {
        guarded(&self.index.path, || {
            let place = self.find(url)?;
            let Some(segment) = self.segments.get(place.segment) else { return Ok(None) };
            let words = Unpacker::default().words(segment, place.doc).cloned();
            Ok(words.map(|words| Words { codebook: self.index.codebook.id(), ..words }))
        })
    }

    /// Bytes on disk by field, the largest first; files that belong to no field count as `store`.
    pub fn space(&self) -> Result<Vec<(String, u64)>, IndexError> {
        let io = |cause| IndexError::io(&self.index.path, cause);
        let mut bytes: BTreeMap<String, u64> = BTreeMap::new();
        for segment in &self.segments {
            let usage = segment.reader.space_usage().map_err(io)?;
            let parts = [
                usage.termdict(),
                usage.postings(),
                usage.positions(),
                usage.fast_fields(),
                usage.fieldnorms(),
            ];
            for field in parts.into_iter().flat_map(|part| part.fields()) {
                *bytes.entry(field.field_name().to_owned()).or_default() += field.total().get_bytes();
            }
            *bytes.entry("store".to_owned()).or_default() += usage.store().total().get_bytes();
        }
        let mut bytes: Vec<(String, u64)> = bytes.into_iter().collect();
        bytes.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
        Ok(bytes)
    }

    /// Searches. A damaged index gives an error that says so, however the damage shows.
    pub fn search(&self, request: &Request<'_>) -> Result<Results, IndexError> {
        guarded(&self.index.path, || self.results(request))
    }

    fn results(&self, request: &Request<'_>) -> Result<Results, IndexError> {
        let start = Instant::now();
        let end = request.offset.saturating_add(request.limit);
        if end > MAX_DEPTH {
            return Err(IndexError::TooDeep(request.offset));
        }
        let more = self.example_query(request)?;
        let (query, likeness) = (&more.query, more.likeness.as_ref());
        let plan = self.planner(request).plan(query, more.optional.as_ref())?;
        let store = |cause| IndexError::store(&self.index.path, cause);
        let matched = self.matches(&plan, &more, request).map_err(store)?;
        let ranked = self.rank(&plan, likeness, request, &matched, end).map_err(store)?;
        let page: Vec<Ranked> = ranked.iter().copied().skip(request.offset).take(request.limit).collect();
        let hits = self.hits(&plan, likeness, request, &page)?;
        let total = matched.iter().map(Matches::total).sum();
        Ok(Results {
            total,
            hits,
            facets: facets::count(&self.segments, &matched, request.facets, &self.values).map_err(store)?,
            clusters: self.clusters(request, &ranked, query)?,
            suggestion: self.suggest(&plan, query, total).map_err(store)?,
            ignored: plan.ignored,
            took: start.elapsed(),
        })
    }

    fn planner(&self, request: &Request<'_>) -> Planner<'_> {
        Planner::new(
            &self.index,
            &self.segments,
            &self.statistics,
            &self.palette,
            request.ranking,
            request.expand,
        )
    }

    fn likeness(&self, words: &Words, postings: u64) -> Result<Likeness, IndexError> {
        let scale = self.index.codebook.scale();
        Likeness::new(words, scale, &self.segments, &self.index.fields, postings)
            .map_err(|cause| IndexError::store(&self.index.path, cause))
    }

    /// The matches of each segment, with approximate scores.
    fn matches(
        &self,
        plan: &Plan,
        more: &ExampleQuery,
        request: &Request<'_>,
    ) -> tantivy::Result<Vec<Matches>> {
        let mut all = Vec::with_capacity(self.segments.len());
        for (number, segment) in self.segments.iter().enumerate() {
            let left_out = more.exclude.filter(|place| place.segment == number).map(|place| place.doc);
            let gone = |doc: DocId| !segment.is_alive(doc) || Some(doc) == left_out;
            let has_gone = segment.reader.has_deletes() || left_out.is_some();
            let gone: Option<&dyn Fn(DocId) -> bool> = if has_gone { Some(&gone) } else { None };
            let evaluation = Evaluation::new(plan, segment, number, Precision::Lists);
            let mut found = match &more.likeness {
                Some(likeness) => Self::alike_in(&evaluation, plan, more, likeness, request.like_mode, gone)?,
                None => match evaluation.single(&plan.root).filter(|condition| condition.is_visual()) {
                    Some(condition) => condition.best(segment, number, MAX_DEPTH, gone)?.unwrap_or_default(),
                    None => evaluation.run(&plan.root, None)?,
                },
            };
            if let Some(gone) = gone {
                found.retain(|doc| !gone(doc));
            }
            match request.ranking {
                Ranking::Osprey => {}
                Ranking::Classic => self.boost(segment, &mut found),
                Ranking::Relevance => by_relevance(segment, &mut found),
            }
            if let Some(rated) = request.rated {
                rated.add_to(&mut found, number, request.ranking);
            }
            all.push(found);
        }
        Ok(all)
    }

    /// Documents similar to the example: among those that the query requires, or among all pictures.
    fn alike_in(
        evaluation: &Evaluation<'_>,
        plan: &Plan,
        more: &ExampleQuery,
        likeness: &Likeness,
        mode: LikeMode,
        gone: Option<&dyn Fn(DocId) -> bool>,
    ) -> tantivy::Result<Matches> {
        let (segment, number) = (evaluation.segment, evaluation.number);
        let found = match plan.root {
            node::Node::All => Matches::default(),
            _ => evaluation.run(&plan.root, None)?,
        };
        let is_required = !more.query.is_everything();
        match mode {
            LikeMode::Every if is_required => Ok(found.maybe(&likeness.all(segment))),
            LikeMode::Every => Ok(found.or(&likeness.all(segment))),
            LikeMode::Words if is_required => {
                Ok(found.maybe(&likeness.candidates(segment, number, &found.docs)?))
            }
            LikeMode::Words => likeness.best(segment, number, &found, MAX_DEPTH, gone),
        }
    }

    /// Applies ranking `classic`'s factors for comments and profiles.
    fn boost(&self, segment: &Segment, matches: &mut Matches) {
        for (place, doc) in matches.docs.iter().enumerate() {
            let boost = classic::document(segment, *doc, &self.statistics);
            if let Some(score) = matches.scores.get_mut(place) {
                *score *= boost;
            }
            if let Some(parts) = matches.parts.get_mut(place) {
                parts.iter_mut().for_each(|(_, part)| *part *= boost);
            }
        }
    }

    /// The best of all matches, in order.
    fn rank(
        &self,
        plan: &Plan,
        likeness: Option<&Likeness>,
        request: &Request<'_>,
        matched: &[Matches],
        end: usize,
    ) -> tantivy::Result<Vec<Ranked>> {
        let candidates = request.candidates.min(MAX_DEPTH);
        let is_visual = likeness.is_some() || plan.conditions.iter().any(condition::Condition::is_visual);
        let needed = if request.clusters > 0 { end.max(CLUSTERED) } else { end };
        let mut best =
            top_k::best(&self.segments, matched, needed.max(if is_visual { candidates } else { 0 }));
        if is_visual && request.ranking == Ranking::Osprey {
            let count = best.len().min(candidates);
            if let Some(candidates) = best.get_mut(..count) {
                self.rescore(plan, likeness, request, candidates)?;
                candidates.sort_unstable();
            }
        }
        best.truncate(needed);
        Ok(best)
    }

    /// Computes the exact scores of candidates.
    fn rescore(
        &self,
        plan: &Plan,
        likeness: Option<&Likeness>,
        request: &Request<'_>,
        candidates: &mut [Ranked],
    ) -> tantivy::Result<()> {
        for (number, segment) in self.segments.iter().enumerate() {
            let docs = top_k::docs_of(candidates, number);
            if docs.is_empty() {
                continue;
            }
            let exact = self.exact(plan, likeness, segment, number, &docs, false)?;
            for ranked in candidates.iter_mut().filter(|ranked| ranked.place.segment == number) {
                let place = exact.docs.binary_search(&ranked.place.doc);
                if let Some(score) = place.ok().and_then(|place| exact.scores.get(place)) {
                    ranked.score = score + request.rating_amount(ranked.place);
                }
            }
        }
        Ok(())
    }

    /// The exact scores of documents that matched.
    fn exact(
        &self,
        plan: &Plan,
        likeness: Option<&Likeness>,
        segment: &Segment,
        number: usize,
        docs: &[DocId],
        parts: bool,
    ) -> tantivy::Result<Matches> {
        let evaluation = Evaluation { parts, ..Evaluation::new(plan, segment, number, Precision::Exact) };
        // all of them matched, if only because they are similar to the example
        let found = evaluation.everything(Some(docs)).maybe(&evaluation.run(&plan.root, Some(docs))?);
        let Some(likeness) = likeness else { return Ok(found) };
        let mut unpacker = Unpacker::default();
        let alike = |doc: &DocId| unpacker.words(segment, *doc).map_or(0.0, |words| likeness.exact(words));
        let scores = docs.iter().map(alike).collect();
        let alike = Matches { docs: docs.to_vec(), scores, ..Matches::default() };
        // the example's part has the number after the last condition
        let alike = if parts { alike.with_parts(plan.conditions.len()) } else { alike };
        Ok(found.maybe(&alike))
    }

    /// Loads and explains results.
    fn hits(
        &self,
        plan: &Plan,
        likeness: Option<&Likeness>,
        request: &Request<'_>,
        page: &[Ranked],
    ) -> Result<Vec<Hit>, IndexError> {
        let store = |cause| IndexError::store(&self.index.path, cause);
        let mut explained = Vec::with_capacity(self.segments.len());
        for (number, segment) in self.segments.iter().enumerate() {
            let docs = top_k::docs_of(page, number);
            let mut found = if docs.is_empty() {
                Matches::default()
            } else {
                self.exact(plan, likeness, segment, number, &docs, true).map_err(store)?
            };
            if request.ranking == Ranking::Classic {
                self.boost(segment, &mut found);
            }
            explained.push(found);
        }
        let mut hits = Vec::with_capacity(page.len());
        for (number, ranked) in page.iter().enumerate() {
            let shown = self.shown(ranked.place)?;
            let highlights =
                if request.highlights { highlight::highlights(&shown, &plan.asked) } else { Vec::new() };
            let found = explained.get(ranked.place.segment);
            let parts = found.and_then(|found| {
                let place = found.docs.binary_search(&ranked.place.doc).ok()?;
                found.parts.get(place)
            });
            let name = |condition: usize| {
                plan.conditions.get(condition).map_or("like", |condition| condition.name.as_str()).to_owned()
            };
            let parts = parts.into_iter().flatten();
            let rating = request.rating_amount(ranked.place);
            let mut parts: Vec<Part> = match request.ranking {
                Ranking::Relevance => {
                    vec![Part { name: "relevance".to_owned(), score: ranked.score - rating }]
                }
                _ => parts.map(|(condition, score)| Part { name: name(*condition), score: *score }).collect(),
            };
            if rating != 0.0 {
                parts.push(Part { name: rated::PART.to_owned(), score: rating });
            }
            let good = request.rated.and_then(|rated| rated.is_good(ranked.place));
            hits.push(Hit { good, ..Hit::new(request.offset + number + 1, shown, parts, highlights) });
        }
        Ok(hits)
    }

    fn shown(&self, place: DocPlace) -> Result<Shown, IndexError> {
        let address = DocAddress::new(place.segment as u32, place.doc);
        let stored: TantivyDocument =
            self.store.doc(address).map_err(|cause| IndexError::store(&self.index.path, cause))?;
        let bytes = stored.get_first(self.index.fields.shown).and_then(|value| value.as_bytes());
        let shown = bytes.and_then(|bytes| postcard::from_bytes(bytes).ok());
        shown.ok_or_else(|| IndexError::Rebuild {
            path: self.index.path.clone(),
            why: crate::error::Stale::Damaged("a document that cannot be read".to_owned()),
        })
    }

    /// Looks up documents that the user rated good or bad; URLs that are not indexed are ignored.
    pub fn rated<'a>(&self, ratings: impl IntoIterator<Item = (&'a str, bool)>) -> Result<Rated, IndexError> {
        let mut found = Vec::new();
        guarded(&self.index.path, || {
            for (url, is_good) in ratings {
                match self.find(url) {
                    Ok(place) => found.push((place, is_good)),
                    Err(IndexError::NotIndexed(_)) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        })?;
        Ok(Rated::of(self.segments.len(), found))
    }

    /// Finds the document with this URL.
    fn find(&self, url: &str) -> Result<DocPlace, IndexError> {
        let term = tantivy::Term::from_field_text(self.index.fields.url, url);
        let find = || {
            for (number, segment) in self.segments.iter().enumerate() {
                let lists = segment.reader.inverted_index(self.index.fields.url)?;
                let basic = tantivy::schema::IndexRecordOption::Basic;
                let Some(postings) = lists.read_block_postings(&term, basic)? else { continue };
                if let Some(doc) = postings.docs().iter().find(|doc| segment.is_alive(**doc)) {
                    return Ok(Some(DocPlace { segment: number, doc: *doc }));
                }
            }
            Ok(None)
        };
        let found = find().map_err(|cause| IndexError::store(&self.index.path, cause))?;
        found.ok_or_else(|| IndexError::NotIndexed(url.to_owned()))
    }

    fn clusters(
        &self,
        request: &Request<'_>,
        ranked: &[Ranked],
        query: &Query,
    ) -> Result<Vec<Cluster>, IndexError> {
        if request.clusters == 0 {
            return Ok(Vec::new());
        }
        let best: Vec<DocPlace> = ranked.iter().take(CLUSTERED).map(|ranked| ranked.place).collect();
        clusters::clusters(&self.segments, &best, &self.values, query, request.clusters)
            .map_err(|cause| IndexError::store(&self.index.path, cause))
    }
}

/// The weight of a match beside the judge's relevance: it only orders equal ones.
const MATCH_SHARE: f32 = 1e-4;

/// Scores matches by the relevance of their pages.
fn by_relevance(segment: &Segment, matches: &mut Matches) {
    let column = segment.number(NumberField::Relevance);
    for (doc, score) in matches.docs.iter().zip(&mut matches.scores) {
        let relevance = column.as_ref().and_then(|column| column.first(*doc)).unwrap_or(0.0) as f32;
        let matched = if *score > 0.0 { *score / (1.0 + *score) } else { 0.0 };
        *score = relevance + MATCH_SHARE * matched;
    }
}
