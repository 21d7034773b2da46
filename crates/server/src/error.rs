//! Error responses, for pages and for the API.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use osprey_engine::{Error, ErrorKind};
use osprey_index::IndexError;
use serde::Serialize;
use serde_json::json;

use crate::pages;

/// A request that was not done.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    status: StatusCode,
    message: String,
}

impl Failure {
    pub(crate) fn of(status: StatusCode, message: String) -> Self {
        Self { status, message }
    }

    /// As a page, or as JSON for programs.
    pub(crate) fn into_response_for(self, is_api: bool) -> Response {
        if is_api { ApiFailure(self).into_response() } else { self.into_response() }
    }
}

/// Whose turn it is, as a status: what is wrong with a question is the asker's to mend.
pub(crate) fn status(error: &Error) -> StatusCode {
    if matches!(error, Error::Index(IndexError::NotIndexed(_))) {
        return StatusCode::NOT_FOUND;
    }
    match error.kind() {
        ErrorKind::Usage => StatusCode::BAD_REQUEST,
        ErrorKind::NotFound => StatusCode::NOT_FOUND,
        ErrorKind::Busy => StatusCode::CONFLICT,
        ErrorKind::Interrupted | ErrorKind::Failed => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let (status, message) = (status(&error), error.to_string());
        if status.is_server_error() {
            tracing::error!(target: "osprey::server", why = message, "failed");
        }
        Self { status, message }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        (self.status, pages::plain(&self.status, &self.message)).into_response()
    }
}

/// The same for programs.
#[derive(Clone, Debug)]
pub(crate) struct ApiFailure(pub(crate) Failure);

impl From<Error> for ApiFailure {
    fn from(error: Error) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for ApiFailure {
    fn into_response(self) -> Response {
        let Failure { status, message } = self.0;
        (status, Json(json!({ "error": message }))).into_response()
    }
}

/// What the API answers with.
pub(crate) type ApiResult<T> = Result<Json<T>, ApiFailure>;

/// A value for programs.
pub(crate) fn found<T: Serialize>(value: T) -> ApiResult<T> {
    Ok(Json(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_error_has_a_status() {
        let words = || "words".to_owned();
        let check = |error: Error, expect: u16| assert_eq!(status(&error).as_u16(), expect, "{error}");
        check(Error::Usage(words()), 400);
        check(Error::NotFound(words()), 404);
        check(Error::Busy(words()), 409);
        check(Error::Failed(words()), 500);
        check(Error::Interrupted, 500);
        check(Error::Index(IndexError::TooDeep(9)), 400);
        check(Error::Index(IndexError::NotIndexed(words())), 404);
        check(Error::Index(IndexError::Locked { path: "index".into() }), 409);
        check(Error::Index(IndexError::Url(0)), 500);
    }
}
