//! `/ratings`: pages that the user calls good or bad.

use std::sync::Arc;

use axum::extract::State;
use osprey_engine::Rating;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Named, Sent};
use crate::app::App;
use crate::error::{ApiResult, found};

/// The ratings of a project.
#[derive(Debug, Serialize)]
pub(crate) struct RatingsView {
    /// Pages called good.
    good: u64,
    /// Pages called bad.
    bad: u64,
    /// All of them, the latest first.
    ratings: Vec<Rating>,
}

/// `GET /api/v1/projects/{name}/ratings`
pub(crate) async fn get(State(app): State<Arc<App>>, Named(name): Named<String>) -> ApiResult<RatingsView> {
    let view = app.ask(&name, |project| {
        let ratings = project.ratings()?;
        let (good, bad) = ratings.counts();
        Ok(RatingsView { good, bad, ratings: ratings.all().iter().rev().cloned().collect() })
    });
    found(view.await?)
}

/// What is said of a page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Verdict {
    url: String,
    /// `None` takes a rating back. It has to be there: a rating is not taken back by a slip.
    #[serde(deserialize_with = "Option::deserialize")]
    good: Option<bool>,
}

/// `POST /api/v1/projects/{name}/ratings`
pub(crate) async fn post(
    State(app): State<Arc<App>>,
    Named(name): Named<String>,
    Sent(Verdict { url, good }): Sent<Verdict>,
) -> ApiResult<Value> {
    let said = app.ask(&name, move |project| {
        let kept = project.rate(&url, good)?;
        let url = kept.map_or(url, |rating| rating.url);
        Ok(json!({ "url": url, "good": good }))
    });
    found(said.await?)
}
