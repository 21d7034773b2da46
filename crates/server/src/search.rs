//! A search as an address asks for it: the same for the page and the API.

use std::sync::Arc;

use osprey_index::{Like, Query, Ranking, Request, Results};
use serde::Deserialize;

use crate::app::App;
use crate::kept::weight;
use crate::project::{Project, Shelf, Trouble};

/// Values of each facet, and clusters.
const COMMON: usize = 12;
/// Matches that are scored exactly: ten pages of results.
const CANDIDATES: usize = 240;
/// Results of one page at most.
const MOST: usize = 100;

/// What an address asks for.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Asked {
    /// The query.
    pub(crate) q: String,
    /// The key of an uploaded example.
    pub(crate) like: Option<String>,
    /// The URL of a document that results are to be like.
    pub(crate) like_url: Option<String>,
    /// `osprey` or `seed`.
    pub(crate) ranking: Option<String>,
    /// Colours and textures as they are, without their neighbours.
    pub(crate) exact: bool,
    /// Results before the first.
    pub(crate) offset: usize,
    /// Results; what the caller thinks right if not said.
    pub(crate) limit: Option<usize>,
}

/// What came of it.
pub(crate) struct Found {
    pub(crate) query: Query,
    pub(crate) results: Arc<Results>,
}

impl Asked {
    /// Whether anything is asked for.
    pub(crate) fn is_empty(&self) -> bool {
        self.q.trim().is_empty() && self.like.is_none() && self.like_url.is_none()
    }

    /// Searches a shelf of a project for `limit` results, unless the address says how many. Blocks.
    pub(crate) fn search(
        &self,
        app: &App,
        project: &dyn Project,
        shelf: &Shelf,
        limit: usize,
    ) -> Result<Found, Trouble> {
        let query = Query::parse(&self.q).map_err(osprey_index::IndexError::from)?;
        let forgotten =
            || Trouble::Missing("this example picture is no longer remembered; give it again".to_owned());
        let example =
            self.like.as_deref().map(|key| app.examples.get(key).ok_or_else(forgotten)).transpose()?;
        let like = match (&example, &self.like_url) {
            (Some(uploaded), _) => Some(Like::Picture(&uploaded.words)),
            (None, url) => url.as_deref().map(Like::Document),
        };
        let request = Request {
            query: query.clone(),
            like,
            ranking: self.ranking()?,
            expand: !self.exact,
            offset: self.offset,
            limit: self.limit.unwrap_or(limit).min(MOST),
            candidates: CANDIDATES,
            facets: COMMON,
            clusters: COMMON,
            highlights: true,
            ..Request::default()
        };
        // an example is known by its key, and all the rest stands here
        let question = format!("{} {self:?}", project.name());
        let results = app.found.get(&shelf.searcher, question, || {
            let results = shelf.searcher.search(&request)?;
            app.metrics.search(project.name(), results.took);
            let bytes = weight(&results.hits);
            Ok::<_, Trouble>((results, bytes))
        })?;
        Ok(Found { query, results })
    }

    fn ranking(&self) -> Result<Ranking, Trouble> {
        match self.ranking.as_deref() {
            None | Some("osprey") => Ok(Ranking::Osprey),
            Some("seed") => Ok(Ranking::Seed),
            Some(other) => Err(Trouble::Asked(format!("`ranking={other}`: expected osprey or seed"))),
        }
    }
}
