//! The access log: a `tracing` event for every request, and for every refused one.
//!
//! This crate prints nothing; the program that runs the server decides where events go. `osprey::access` (info) has a
//! line for each response: method, address, status, milliseconds until its head was ready, bytes if they are known (a
//! stream has no end yet). `osprey::server` (warn) has refused requests and the reasons. Addresses come from untrusted
//! clients, so they are truncated.

use std::time::Instant;

use axum::body::HttpBody;
use axum::extract::Request;
use axum::http::{HeaderMap, Uri, header};
use axum::middleware::Next;
use axum::response::Response;

use crate::pages::cut;

/// Characters of an address to log.
const LONGEST: usize = 200;

/// Path and query of a request.
pub(crate) fn local(uri: &Uri) -> &str {
    uri.path_and_query().map_or("/", |whole| whole.as_str())
}

/// Tells of an answer.
pub(crate) async fn log(request: Request, next: Next) -> Response {
    let began = Instant::now();
    let (method, path) = (request.method().clone(), cut(local(request.uri()), LONGEST).into_owned());
    let response = next.run(request).await;
    tracing::info!(
        target: "osprey::access",
        method = method.as_str(),
        path,
        status = response.status().as_u16(),
        ms = began.elapsed().as_secs_f64() * 1e3,
        bytes = response.body().size_hint().exact(),
    );
    response
}

/// Tells of a request that is refused.
pub(crate) fn refused(uri: &Uri, headers: &HeaderMap, why: &str) {
    let host = headers.get(header::HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let (path, host) = (cut(local(uri), LONGEST), cut(host, LONGEST));
    tracing::warn!(target: "osprey::server", path = &*path, host = &*host, why, "refused");
}
