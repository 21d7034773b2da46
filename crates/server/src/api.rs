//! The REST API, `/api/v1`: the same questions as the pages, for programs. Its description is `assets/openapi.json`.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use tokio::sync::watch;
use tokio_stream::{Stream, StreamExt, wrappers::IntervalStream};

use crate::answer::{hit_json, results_json};
use crate::app::App;
use crate::error::{ApiFailure, ApiResult, Failure, found};
use crate::pages::item::Item;
use crate::project::{
    CrawlView, ExpansionView, Order, Origin, Project, SitemapView, TermsView, TopicView, Trouble,
};
use crate::search::Asked;

/// Results, if the address does not say how many.
const LIMIT: usize = 20;
/// How often live figures are sent.
const EVERY: Duration = Duration::from_millis(1000);
/// Words that are proposed.
const COMPLETIONS: usize = 8;

/// What is wrong with a request is told as JSON, too.
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
        Ok(Self(read.map_err(|error| Trouble::Asked(format!("the body: {error}")))?))
    }
}

fn summary(project: &dyn Project) -> Value {
    let view = project.crawl();
    json!({
        "name": project.name(), "doing": view.doing, "policy": view.policy, "visited": view.visited,
        "relevant": view.relevant, "harvest_ratio": view.harvest_ratio, "documents": view.documents,
    })
}

/// `GET /api/v1/projects`
pub(crate) async fn projects(State(app): State<Arc<App>>) -> ApiResult<Value> {
    let all: Vec<Arc<dyn Project>> = app.projects().cloned().collect();
    let all = app.work(move || Ok(all.iter().map(|project| summary(&**project)).collect::<Vec<_>>())).await?;
    found(json!({ "projects": all }))
}

/// `GET /api/v1/projects/{name}`
pub(crate) async fn project(State(app): State<Arc<App>>, Named(name): Named<String>) -> ApiResult<CrawlView> {
    found(app.ask(&name, |project| Ok(project.crawl())).await?)
}

/// `GET /api/v1/projects/{name}/search`
pub(crate) async fn search(
    State(app): State<Arc<App>>,
    Named(name): Named<String>,
    Parameters(asked): Parameters<Asked>,
) -> ApiResult<Value> {
    let shared = Arc::clone(&app);
    let answer = app.ask(&name, move |project| {
        let found = asked.search(&shared, project, &project.filled_shelf()?, LIMIT)?;
        let mut answer = results_json(&found.results, &thumbnails(project));
        answer["query"] = json!(found.query.to_string());
        Ok(answer)
    });
    found(answer.await?)
}

/// Where a browser finds the thumbnails of a project.
fn thumbnails(project: &dyn Project) -> impl Fn(&str) -> String {
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
            let Some(shelf) = project.shelf()? else { return Ok(Vec::new()) };
            let words = shelf.searcher.complete(word, COMPLETIONS)?;
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
    let key = app.ask(&name, move |project| shared.examples.look(&project.filled_shelf()?, &body)).await?;
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
        let origin: Option<Origin> = item.origin.unwrap_or_default();
        let thumbnail = thumbnails(project);
        Ok(json!({
            "item": hit_json(&item.hit, &thumbnail), "description": item.hit.description, "words": item.words,
            "origin": origin, "alike": item.alike.iter().map(|hit| hit_json(hit, &thumbnail)).collect::<Vec<_>>(),
        }))
    });
    found(item.await?)
}

/// `POST /api/v1/projects/{name}/crawl`
pub(crate) async fn order(
    State(app): State<Arc<App>>,
    Named(name): Named<String>,
    Sent(order): Sent<Order>,
) -> ApiResult<CrawlView> {
    let view = app.ask(&name, move |project| {
        project.order(&order)?;
        Ok(project.crawl())
    });
    found(view.await?)
}

/// `GET /api/v1/projects/{name}/events`: how the crawl stands, once a second.
pub(crate) async fn events(
    State(app): State<Arc<App>>,
    axum::Extension(stop): axum::Extension<watch::Receiver<bool>>,
    Named(name): Named<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiFailure> {
    let project = app.project(&name)?;
    let ticks = IntervalStream::new(tokio::time::interval(EVERY));
    let views = ticks.take_while(move |_| !*stop.borrow()).then(move |_| {
        let (app, project) = (Arc::clone(&app), Arc::clone(&project));
        async move {
            let view = app.work(move || Ok(project.crawl())).await;
            let event = match view {
                Ok(view) => Event::default().event("crawl").json_data(&view),
                Err(trouble) => Event::default().event("trouble").json_data(trouble.to_string()),
            };
            Ok(event.unwrap_or_default())
        }
    });
    Ok(Sse::new(views).keep_alive(KeepAlive::default()))
}

/// `GET /api/v1/projects/{name}/sitemap`
pub(crate) async fn sitemap(
    State(app): State<Arc<App>>,
    Named(name): Named<String>,
) -> ApiResult<SitemapView> {
    let not_learned = || Trouble::Missing("the site was not learned yet; run `osprey learn`".to_owned());
    found(app.ask(&name, move |project| project.sitemap()?.ok_or_else(not_learned)).await?)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wish {
    wanted: Option<bool>,
}

/// `PUT /api/v1/projects/{name}/sitemap/{number}`
pub(crate) async fn want(
    State(app): State<Arc<App>>,
    Named((name, number)): Named<(String, u32)>,
    Sent(wish): Sent<Wish>,
) -> ApiResult<Value> {
    app.ask(&name, move |project| project.want(number, wish.wanted)).await?;
    found(json!({ "number": number, "wanted": wish.wanted }))
}

/// `GET /api/v1/projects/{name}/topic`
pub(crate) async fn topic(State(app): State<Arc<App>>, Named(name): Named<String>) -> ApiResult<TopicView> {
    found(app.ask(&name, |project| project.topic()).await?)
}

/// `PUT /api/v1/projects/{name}/topic`
pub(crate) async fn set_topic(
    State(app): State<Arc<App>>,
    Named(name): Named<String>,
    Sent(topic): Sent<TopicView>,
) -> ApiResult<TopicView> {
    let topic = app.ask(&name, move |project| {
        project.set_topic(&topic)?;
        project.topic()
    });
    found(topic.await?)
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
    found(app.ask(&name, move |project| project.expand(&tags)).await?)
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
    found(app.ask(&name, move |project| project.terms(&genre_pages, &relevant_pages)).await?)
}
