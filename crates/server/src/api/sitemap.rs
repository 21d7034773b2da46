//! `/sitemap`: the page types of the learned site, and which of them are wanted.

use std::sync::Arc;

use axum::extract::State;
use osprey_engine::{Error, Result, Service};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Named, Sent};
use crate::app::App;
use crate::error::{ApiResult, found};

/// What was learned, as far as a person decides over it.
#[derive(Debug, Serialize)]
pub(crate) struct SitemapView {
    pub(crate) types: Vec<TypeView>,
    pub(crate) links: Vec<LinkView>,
}

/// A page type.
#[derive(Debug, Serialize)]
pub(crate) struct TypeView {
    pub(crate) number: u32,
    pub(crate) name: String,
    /// list, detail, profile or other.
    pub(crate) label: &'static str,
    /// Whether such pages are wanted; `None`: no matter.
    pub(crate) wanted: Option<bool>,
    /// Pages of the sample.
    pub(crate) pages: usize,
    /// Some of them.
    pub(crate) examples: Vec<String>,
}

/// How two types link.
#[derive(Debug, Serialize)]
pub(crate) struct LinkView {
    pub(crate) from: u32,
    pub(crate) to: u32,
    /// Links a page.
    pub(crate) links: f64,
}

impl SitemapView {
    /// Of a project; `None` if its site was not learned. Blocks.
    pub(crate) fn of(project: &Service) -> Result<Option<Self>> {
        let Some((model, sitemap)) = project.sitemap()? else { return Ok(None) };
        let types = sitemap.types.into_iter().map(|entry| TypeView {
            number: entry.cluster,
            name: entry.name,
            label: entry.label.name(),
            wanted: entry.wanted,
            pages: entry.pages,
            examples: entry.examples,
        });
        let links = model.navigation.adjacency().into_iter();
        let links = links.filter_map(|((from, to), links)| Some(LinkView { from: from?, to: to?, links }));
        Ok(Some(Self { types: types.collect(), links: links.collect() }))
    }
}

/// `GET /api/v1/projects/{name}/sitemap`
pub(crate) async fn get(State(app): State<Arc<App>>, Named(name): Named<String>) -> ApiResult<SitemapView> {
    let not_learned = || Error::NotFound("no site model yet; run `osprey learn`".to_owned());
    found(app.ask(&name, move |project| SitemapView::of(project)?.ok_or_else(not_learned)).await?)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wish {
    wanted: Option<bool>,
}

/// `PUT /api/v1/projects/{name}/sitemap/{number}`
pub(crate) async fn set_wanted(
    State(app): State<Arc<App>>,
    Named((name, number)): Named<(String, u32)>,
    Sent(Wish { wanted }): Sent<Wish>,
) -> ApiResult<Value> {
    app.ask(&name, move |project| project.set_wanted(number, wanted)).await?;
    found(json!({ "number": number, "wanted": wanted }))
}
