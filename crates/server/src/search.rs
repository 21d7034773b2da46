//! Search parameters of an address: the same for the page and the API.

use std::sync::Arc;

use osprey_engine::{Error, Result, SearchHandle, Service};
use osprey_index::{Like, Query, Ranking, Request, Results};
use serde::Deserialize;

use crate::app::App;
use crate::cache::weight;

/// Values of each facet, and clusters.
const COMMON: usize = 12;
/// Matches that are scored exactly: ten pages of results.
const CANDIDATES: usize = 240;
/// Results of one page at most.
const MOST: usize = 100;

/// The parameters of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(default)]
pub(crate) struct SearchParams {
    /// The query.
    pub(crate) q: String,
    /// The key of an uploaded example.
    pub(crate) like: Option<String>,
    /// The URL of a document that results are to be like.
    pub(crate) like_url: Option<String>,
    /// `osprey` or `classic`; `seed` is the old name of `classic`.
    pub(crate) ranking: Option<String>,
    /// Colours and textures as they are, without their neighbours.
    pub(crate) exact: bool,
    /// Results before the first.
    pub(crate) offset: usize,
    /// Number of results; the caller's default if omitted.
    pub(crate) limit: Option<usize>,
}

/// The cache key of results: an example is known by its key, all the rest is in the parameters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SearchKey {
    project: String,
    params: SearchParams,
    /// Another rating makes another order.
    rated: u64,
}

impl SearchKey {
    /// Bytes, about; kept twice.
    fn weight(&self) -> usize {
        let SearchParams { q, like, like_url, ranking, .. } = &self.params;
        let texts = [like, like_url, ranking].into_iter().flatten().map(String::len).sum::<usize>();
        2 * (size_of::<Self>() + self.project.len() + q.len() + texts)
    }
}

/// The outcome of a search.
pub(crate) struct SearchOutcome {
    pub(crate) query: Query,
    pub(crate) results: Arc<Results>,
}

/// The search handle of a project; an error if nothing is indexed.
pub(crate) fn indexed(project: &Service) -> Result<SearchHandle> {
    let empty = || Error::NotFound("nothing is indexed yet; crawl first, then index".to_owned());
    project.search_handle()?.ok_or_else(empty)
}

impl SearchParams {
    /// Whether there is neither a query nor an example.
    pub(crate) fn is_empty(&self) -> bool {
        self.q.trim().is_empty() && self.like.is_none() && self.like_url.is_none()
    }

    /// Searches a project for `limit` results, unless the address says how many. Blocks.
    pub(crate) fn search(
        &self,
        app: &App,
        project: &Service,
        handle: &SearchHandle,
        limit: usize,
    ) -> Result<SearchOutcome> {
        let query = Query::parse(&self.q).map_err(osprey_index::IndexError::from)?;
        let forgotten = || Error::NotFound("this example picture has expired; upload it again".to_owned());
        let example =
            self.like.as_deref().map(|key| app.examples.get(key).ok_or_else(forgotten)).transpose()?;
        let like = match (&example, &self.like_url) {
            (Some(uploaded), _) => Some(Like::Picture(&uploaded.words)),
            (None, url) => url.as_deref().map(Like::Document),
        };
        let limit = self.limit.unwrap_or(limit).min(MOST);
        let request = Request {
            query: query.clone(),
            like,
            ranking: self.ranking()?,
            expand: !self.exact,
            offset: self.offset,
            limit,
            candidates: CANDIDATES,
            facets: COMMON,
            clusters: COMMON,
            highlights: true,
            rated: Some(&handle.rated),
            ..Request::default()
        };
        // the page and the API have different ideas of how many are right
        let params = Self { limit: Some(limit), ..self.clone() };
        let key = SearchKey { project: project.name().to_owned(), params, rated: handle.rated.key() };
        let key_bytes = key.weight();
        let results = app.results.get(&handle.searcher, key, || {
            let results = handle.searcher.search(&request)?;
            app.metrics.search(project.name(), results.took);
            let bytes = weight(&results.hits) + key_bytes;
            Ok::<_, Error>((results, bytes))
        })?;
        Ok(SearchOutcome { query, results })
    }

    fn ranking(&self) -> Result<Ranking> {
        match self.ranking.as_deref() {
            None | Some("" | "osprey") => Ok(Ranking::Osprey),
            Some("classic" | "seed") => Ok(Ranking::Classic),
            Some("relevance") => Ok(Ranking::Relevance),
            Some(other) => {
                Err(Error::Usage(format!("`ranking={other}`: expected osprey, classic or relevance")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rankings_have_names_and_one_has_an_old_name() {
        let ranking =
            |name: &str| SearchParams { ranking: Some(name.to_owned()), ..SearchParams::default() }.ranking();
        assert_eq!(ranking("osprey").unwrap(), Ranking::Osprey);
        assert_eq!(ranking("classic").unwrap(), Ranking::Classic);
        assert_eq!(ranking("seed").unwrap(), Ranking::Classic);
        assert_eq!(ranking("relevance").unwrap(), Ranking::Relevance);
        assert_eq!(ranking("").unwrap(), Ranking::Osprey);
        assert!(ranking("best").is_err());
    }
}
