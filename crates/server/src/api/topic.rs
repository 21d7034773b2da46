//! `/topic`: the topic of a project, and proposals for it from its pages.

use std::sync::Arc;

use axum::extract::State;
use osprey_engine::{Error, Result, Service, Topic};
use serde::{Deserialize, Serialize};

use super::{Named, Sent};
use crate::app::App;
use crate::error::{ApiResult, found};

/// Terms of each kind that are proposed.
const TERMS: usize = 15;

/// `GET /api/v1/projects/{name}/topic`
pub(crate) async fn get(State(app): State<Arc<App>>, Named(name): Named<String>) -> ApiResult<Topic> {
    found(app.ask(&name, |project| project.project()?.topic()).await?)
}

/// `PUT /api/v1/projects/{name}/topic`
pub(crate) async fn put(
    State(app): State<Arc<App>>,
    Named(name): Named<String>,
    Sent(topic): Sent<Topic>,
) -> ApiResult<Topic> {
    let topic = app.ask(&name, move |project| {
        let project = project.project()?;
        project.set_topic(&topic)?;
        project.topic()
    });
    found(topic.await?)
}

/// Tags that go together.
#[derive(Debug, Serialize)]
pub(crate) struct ExpansionView {
    /// Detail pages counted.
    pub(crate) pages: u64,
    /// Tags that belong, the given ones first.
    pub(crate) tags: Vec<TagView>,
    /// Tags that were left out, and why.
    pub(crate) left_out: Vec<LeftOutView>,
}

/// A tag of a topic.
#[derive(Debug, Serialize)]
pub(crate) struct TagView {
    pub(crate) tag: String,
    /// Pages that have it.
    pub(crate) votes: u32,
    /// How strongly it goes with the topic.
    pub(crate) phi: f32,
    /// 0: given; 1: goes with those; 2: goes with those of 1.
    pub(crate) layer: u8,
}

/// A tag that was left out.
#[derive(Debug, Serialize)]
pub(crate) struct LeftOutView {
    pub(crate) tag: String,
    /// Pages that have it.
    pub(crate) votes: u32,
    /// Why, in words.
    pub(crate) why: String,
}

impl ExpansionView {
    /// What goes with tags, by what a project has crawled. Blocks.
    pub(crate) fn of(project: &Service, tags: &[String]) -> Result<Self> {
        // tags that no page has are a wrong question, not a wrong address
        let expanded = project.expand_topic(tags).map_err(|error| match error {
            Error::NotFound(why) => Error::Usage(why),
            error => error,
        })?;
        let (tags, left) = (expanded.expansion.tags.into_iter(), expanded.expansion.left.into_iter());
        Ok(Self {
            pages: expanded.details,
            tags: tags
                .map(|tag| TagView { tag: tag.tag, votes: tag.votes, phi: tag.phi, layer: tag.layer })
                .collect(),
            left_out: left
                .map(|left| LeftOutView { tag: left.tag, votes: left.votes, why: left.why.to_string() })
                .collect(),
        })
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tags {
    tags: Vec<String>,
}

/// `POST /api/v1/projects/{name}/topic/expand`
pub(crate) async fn expand(
    State(app): State<Arc<App>>,
    Named(name): Named<String>,
    Sent(Tags { tags }): Sent<Tags>,
) -> ApiResult<ExpansionView> {
    found(app.ask(&name, move |project| ExpansionView::of(project, &tags)).await?)
}

/// Terms that were proposed.
#[derive(Debug, Serialize)]
pub(crate) struct TermsView {
    /// Of the wanted kind of page.
    pub(crate) genre: Vec<TermView>,
    /// Of the wanted content.
    pub(crate) content: Vec<TermView>,
}

/// A term.
#[derive(Debug, Serialize)]
pub(crate) struct TermView {
    pub(crate) term: String,
    /// How often it occurs on the example pages.
    pub(crate) frequency: u32,
    pub(crate) score: f64,
}

impl TermsView {
    /// Terms of pages that a project has crawled. Blocks.
    pub(crate) fn of(project: &Service, genre_pages: &[String], relevant_pages: &[String]) -> Result<Self> {
        let terms = project.propose_terms(genre_pages, relevant_pages, TERMS)?.terms;
        let [genre, content] = [terms.genre, terms.content].map(|list| {
            let terms = list.into_iter();
            terms
                .map(|term| TermView { term: term.text, frequency: term.frequency, score: term.score })
                .collect()
        });
        Ok(Self { genre, content })
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Pages {
    genre_pages: Vec<String>,
    relevant_pages: Vec<String>,
}

/// `POST /api/v1/projects/{name}/topic/terms`
pub(crate) async fn terms(
    State(app): State<Arc<App>>,
    Named(name): Named<String>,
    Sent(Pages { genre_pages, relevant_pages }): Sent<Pages>,
) -> ApiResult<TermsView> {
    found(app.ask(&name, move |project| TermsView::of(project, &genre_pages, &relevant_pages)).await?)
}
