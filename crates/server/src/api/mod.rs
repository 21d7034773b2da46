//! The REST API, `/api/v1`: the same functions as the pages, for programs. `assets/openapi.json` describes it.

pub(crate) mod ratings;
pub(crate) mod sitemap;
pub(crate) mod topic;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use osprey_engine::{Error, Fetched, Service, VisitRow};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use tokio::sync::watch;
use tokio_stream::{StreamExt, wrappers::IntervalStream};

use crate::answer::{hit_json, results_json};
use crate::app::App;
use crate::crawl_view::{CrawlView, Order};
use crate::error::{ApiFailure, ApiResult, Failure, found};
use crate::pages::item::Item;
use crate::search::{SearchParams, indexed};

/// Results, if the address does not say how many.
const LIMIT: usize = 20;
/// How often live figures are sent.
const EVERY: Duration = Duration::from_millis(1000);
/// Words that are proposed.
const COMPLETIONS: usize = 8;

/// Errors in requests are answered as JSON too.
impl From<QueryRejection> for ApiFailure {
    fn from(rejection: QueryRejection) -> Self {
        Self(Failure::of(rejection.status(), rejection.body_text()))
    }
}

impl From<PathRejection> for ApiFailure {
    fn from(rejection: PathRejection) -> Self {
        Self(Failure::of(rejection.status(), rejection.body_text()))
    }
}

impl From<JsonRejection> for ApiFailure {
    fn from(rejection: JsonRejection) -> Self {
        // well-formed or not: the asker has to change it
        let status = match rejection.status() {
            axum::http::StatusCode::UNPROCESSABLE_ENTITY => axum::http::StatusCode::BAD_REQUEST,
            status => status,
        };
        Self(Failure::of(status, rejection.body_text()))
    }
}

/// Parameters of an address.
#[derive(FromRequestParts)]
#[from_request(via(Query), rejection(ApiFailure))]
pub(crate) struct Parameters<T>(T);

/// A name in an address.
#[derive(FromRequestParts)]
#[from_request(via(Path), rejection(ApiFailure))]
pub(crate) struct Named<T>(T);

/// A body: an object, because what reads objects takes lists for them, too.
pub(crate) struct Sent<T>(T);

impl<T: DeserializeOwned> FromRequest<Arc<App>> for Sent<T> {
    type Rejection = ApiFailure;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, ApiFailure> {
        let Json(object) = Json::<Map<String, Value>>::from_request(request, app).await?;
        let read = serde_json::from_value(Value::Object(object));
        Ok(Self(read.map_err(|error| Error::Usage(format!("request body: {error}")))?))
    }
}

fn summary(project: &Service) -> Value {
    let view = CrawlView::of(project);
    json!({
        "name": project.name(), "state": view.state, "doing": view.doing, "external": view.external, "policy": view.policy, "visited": view.visited,
        "relevant": view.relevant, "harvest_ratio": view.harvest_ratio, "documents": view.documents,
    })
}

/// `GET /api/v1/projects`
pub(crate) async fn projects(State(app): State<Arc<App>>) -> ApiResult<Value> {
    let all: Vec<Arc<Service>> = app.projects().cloned().collect();
    let all =
        app.ask_crawls(move || Ok(all.iter().map(|project| summary(project)).collect::<Vec<_>>())).await?;
    found(json!({ "projects": all }))
}

/// `GET /api/v1/projects/{name}`
pub(crate) async fn project(State(app): State<Arc<App>>, Named(name): Named<String>) -> ApiResult<CrawlView> {
    found(app.crawl(&app.project(&name)?).await?)
}

/// `GET /api/v1/projects/{name}/search`
pub(crate) async fn search(
    State(app): State<Arc<App>>,
    Named(name): Named<String>,
    Parameters(asked): Parameters<SearchParams>,
) -> ApiResult<Value> {
    let shared = Arc::clone(&app);
    let answer = app.ask(&name, move |project| {
        let found = asked.search(&shared, project, &indexed(project)?, LIMIT)?;
        let mut answer = results_json(&found.results, &thumbnails(project));
        answer["query"] = json!(found.query.to_string());
        Ok(answer)
    });
    found(answer.await?)
}

/// Where a browser finds the thumbnails of a project.
fn thumbnails(project: &Service) -> impl Fn(&str) -> String {
    let name = project.name().to_owned();
    move |path| format!("/p/{name}/thumb/{path}")
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Beginning {
    q: String,
}

/// `GET /api/v1/projects/{name}/complete?q=`: how the last word of a query may go on.
pub(crate) async fn complete(
    State(app): State<Arc<App>>,
    Named(name): Named<String>,
    Parameters(Beginning { q }): Parameters<Beginning>,
) -> ApiResult<Value> {
    let words = app
        .ask(&name, move |project| {
            let (before, word) = q.split_at(q.rfind([' ', ':', '(', '-', '"']).map_or(0, |at| at + 1));
            let Some(handle) = project.search_handle()? else { return Ok(Vec::new()) };
            let words = handle.searcher.complete(word, COMPLETIONS)?;
            Ok(words.into_iter().map(|word| format!("{before}{word}")).collect::<Vec<_>>())
        })
        .await?;
    found(json!({ "completions": words }))
}

/// `POST /api/v1/projects/{name}/examples`: a picture to search with; its key is for `like=`.
pub(crate) async fn example(
    State(app): State<Arc<App>>,
    Named(name): Named<String>,
    headers: axum::http::HeaderMap,
    body: Bytes,
) -> ApiResult<Value> {
    let media_type = headers.get(axum::http::header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    // a type that no form of a foreign page can send
    let is_picture =
        media_type.is_some_and(|kind| kind.starts_with("image/") || kind == "application/octet-stream");
    if !is_picture {
        let status = axum::http::StatusCode::UNSUPPORTED_MEDIA_TYPE;
        return Err(ApiFailure(Failure::of(status, "expected a picture, Content-Type image/*".to_owned())));
    }
    let shared = Arc::clone(&app);
    let key = app.ask(&name, move |project| shared.examples.look(&indexed(project)?, &body)).await?;
    found(json!({ "key": key }))
}

#[derive(Debug, Deserialize)]
pub(crate) struct Address {
    url: String,
}

/// `GET /api/v1/projects/{name}/item?url=`
pub(crate) async fn item(
    State(app): State<Arc<App>>,
    Named(name): Named<String>,
    Parameters(Address { url }): Parameters<Address>,
) -> ApiResult<Value> {
    let shared = Arc::clone(&app);
    let item = app.ask(&name, move |project| {
        let item = Item::find(&shared, project, &url)?;
        let origin = item.origin.unwrap_or_default().map(|visit| origin_json(&visit, item.hit.good));
        let thumbnail = thumbnails(project);
        Ok(json!({
            "item": hit_json(&item.hit, &thumbnail), "description": item.hit.description, "words": item.words,
            "origin": origin, "alike": item.alike.iter().map(|hit| hit_json(hit, &thumbnail)).collect::<Vec<_>>(),
        }))
    });
    found(item.await?)
}

/// Where a document came from.
fn origin_json(visit: &VisitRow, good: Option<bool>) -> Value {
    json!({
        "visit": Fetched { good, ..Fetched::of(visit) }, "fetched_at": visit.fetched_at.to_string(), "policy": visit.policy,
        "parent": visit.parent, "apath": visit.apath, "depth": visit.depth, "relevance": visit.relevance,
        "bytes": visit.bytes, "digest": visit.digest,
    })
}

/// `POST /api/v1/projects/{name}/crawl`
pub(crate) async fn order(
    State(app): State<Arc<App>>,
    Named(name): Named<String>,
    Sent(order): Sent<Order>,
) -> ApiResult<CrawlView> {
    let project = app.project(&name)?;
    let view = app.ask_crawls(move || {
        order.apply(&project)?;
        Ok(CrawlView::of(&project))
    });
    found(view.await?)
}

/// `GET /api/v1/projects/{name}/events`: the state of the crawl, once a second.
pub(crate) async fn events(
    State(app): State<Arc<App>>,
    axum::Extension(stop): axum::Extension<watch::Receiver<bool>>,
    Named(name): Named<String>,
) -> Result<Response, ApiFailure> {
    let project = app.project(&name)?;
    let Ok(place) = Arc::clone(&app.streams).try_acquire_owned() else { return Ok(too_many_streams()) };
    let ticks = IntervalStream::new(tokio::time::interval(EVERY));
    let views = ticks.take_while(move |_| !*stop.borrow()).then(move |_| {
        let _place = &place; // as long as the stream lives
        let (app, project) = (Arc::clone(&app), Arc::clone(&project));
        async move {
            let event = match app.crawl(&project).await {
                Ok(view) => Event::default().event("crawl").json_data(&view),
                Err(error) => Event::default().event("trouble").json_data(error.to_string()),
            };
            Ok::<_, Infallible>(event.unwrap_or_default())
        }
    });
    Ok(Sse::new(views).keep_alive(KeepAlive::default()).into_response())
}

fn too_many_streams() -> Response {
    let message = "too many event streams are open; ask for the project itself instead, or try again later";
    let failure = Failure::of(StatusCode::SERVICE_UNAVAILABLE, message.to_owned());
    let mut response = ApiFailure(failure).into_response();
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("10"));
    response
}
