//! The route table.

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, MatchedPath, Path, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post, put};
use tokio::sync::watch;

use crate::app::App;
use crate::error::Failure;
use crate::pages::{crawl, curve, home, item, lab, login, rate, search, sitemap, topic};
use crate::{access, api, assets, pictures, security};

/// The description of the API.
pub const OPENAPI: &str = include_str!("../assets/openapi.json");

/// Bytes of a request that is not an upload.
const BODY: usize = 256 << 10;

/// The name of a project in addresses, from that of its folder.
pub fn service_name(folder: &str) -> String {
    let name: String =
        folder.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
    let name = name.trim_matches('-');
    if name.is_empty() { "project".to_owned() } else { name.to_owned() }
}

pub(crate) fn router(app: Arc<App>, stop: watch::Receiver<bool>) -> Router {
    // the form around a picture takes room as well
    let upload = || DefaultBodyLimit::max(app.options.upload_bytes + BODY);
    let pages = Router::new()
        .route("/", get(home::get))
        .route("/curve.svg", get(curve::of_all))
        .route("/login", get(login::get).post(login::post))
        .route("/logout", post(login::leave))
        .route("/lab", get(lab::list))
        .route("/lab/{report}", get(lab::get))
        .route("/static/{digest}/{file}", get(assets::get))
        .route("/favicon.ico", get(|| async { Redirect::permanent(&assets::address("icon.svg")) }))
        .route("/p/{name}", get(slash))
        .route("/p/{name}/", get(search::get))
        .route("/p/{name}/like", post(search::like).layer(upload()))
        .route("/p/{name}/item", get(item::get))
        .route("/p/{name}/rate", post(rate::post))
        .route("/p/{name}/picture", get(pictures::picture))
        .route("/p/{name}/thumb/{folder}/{file}", get(pictures::thumbnail))
        .route("/p/{name}/example/{key}", get(pictures::example))
        .route("/p/{name}/palette/{file}", get(pictures::palette))
        .route("/p/{name}/crawl", get(crawl::get).post(crawl::post))
        .route("/p/{name}/curve.svg", get(curve::of_project))
        .route("/p/{name}/sitemap", get(sitemap::get).post(sitemap::post))
        .route("/p/{name}/sitemap.svg", get(sitemap::drawing))
        .route("/p/{name}/topic", get(topic::get).post(topic::post));
    let service = Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics));
    Router::new()
        .merge(pages)
        .merge(service)
        .nest("/api/v1", api(upload()))
        .fallback(nothing)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(BODY))
        .layer(axum::Extension(stop))
        .layer(middleware::from_fn(in_one_form))
        .layer(middleware::from_fn_with_state(Arc::clone(&app), bounded))
        .layer(middleware::from_fn_with_state(Arc::clone(&app), security::gate))
        .layer(middleware::from_fn(access::log))
        .with_state(app)
}

fn api(upload: DefaultBodyLimit) -> Router<Arc<App>> {
    Router::new()
        .route("/openapi.json", get(|| async { ([(header::CONTENT_TYPE, "application/json")], OPENAPI) }))
        .route("/projects", get(api::projects))
        .route("/projects/{name}", get(api::project))
        .route("/projects/{name}/search", get(api::search))
        .route("/projects/{name}/complete", get(api::complete))
        .route("/projects/{name}/examples", post(api::example).layer(upload))
        .route("/projects/{name}/item", get(api::item))
        .route("/projects/{name}/ratings", get(api::ratings::get).post(api::ratings::post))
        .route("/projects/{name}/crawl", post(api::order))
        .route("/projects/{name}/events", get(api::events))
        .route("/projects/{name}/sitemap", get(api::sitemap::get))
        .route("/projects/{name}/sitemap/{number}", put(api::sitemap::set_wanted))
        .route("/projects/{name}/topic", get(api::topic::get).put(api::topic::put))
        .route("/projects/{name}/topic/expand", post(api::topic::expand))
        .route("/projects/{name}/topic/terms", post(api::topic::terms))
}

/// To a project's page. Who types the name of its folder means the name that was made of it.
async fn slash(State(app): State<Arc<App>>, Path(name): Path<String>) -> Result<Redirect, Failure> {
    let name = service_name(&name);
    app.project(&name)?;
    Ok(Redirect::permanent(&format!("/p/{name}/")))
}

async fn nothing(request: Request) -> Response {
    let is_api = request.uri().path().starts_with("/api/");
    Failure::of(StatusCode::NOT_FOUND, "page not found".to_owned()).into_response_for(is_api)
}

async fn wrong_method(request: Request) -> Response {
    let is_api = request.uri().path().starts_with("/api/");
    let message = format!("method `{}` not allowed", request.method());
    Failure::of(StatusCode::METHOD_NOT_ALLOWED, message).into_response_for(is_api)
}

/// Whether every project can be searched that has something to search.
async fn ready(State(app): State<Arc<App>>) -> Result<&'static str, Failure> {
    let projects: Vec<_> = app.projects().cloned().collect();
    let all = app.work(move || projects.iter().try_for_each(|project| project.search_handle().map(drop)));
    all.await.map_err(|why| Failure::of(StatusCode::SERVICE_UNAVAILABLE, why.to_string()))?;
    Ok("ready\n")
}

async fn metrics(State(app): State<Arc<App>>) -> Result<Response, Failure> {
    let asked = Arc::clone(&app);
    let text = app.ask_crawls(move || Ok(asked.metrics.text(&asked))).await?;
    let media_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, media_type)], text).into_response())
}

/// Errors of the framework (a body over its limit, a query that cannot be read) come as plain text: gives them the form of
/// our own.
async fn in_one_form(request: Request, next: Next) -> Response {
    let is_api = request.uri().path().starts_with("/api/");
    let response = next.run(request).await;
    let status = response.status();
    let is_plain = |kind: &HeaderValue| kind.as_bytes().starts_with(b"text/plain");
    let is_error = status.is_client_error() || status.is_server_error();
    if !is_error || !response.headers().get(header::CONTENT_TYPE).is_some_and(is_plain) {
        return response;
    }
    let text = axum::body::to_bytes(response.into_body(), BODY).await.unwrap_or_default();
    Failure::of(status, String::from_utf8_lossy(&text).trim().to_owned()).into_response_for(is_api)
}

/// Counts a request, and ends it when it takes too long. A stream of events has begun by then.
async fn bounded(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let is_api = request.uri().path().starts_with("/api/");
    let answer = tokio::time::timeout(app.options.patience, next.run(request)).await;
    let response = answer.unwrap_or_else(|_| {
        let message = format!("timed out after {} seconds", app.options.patience.as_secs());
        Failure::of(StatusCode::SERVICE_UNAVAILABLE, message).into_response_for(is_api)
    });
    app.metrics.request(&route, response.status().as_u16());
    response
}
