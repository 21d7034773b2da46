//! What a person or a program is told when something is not as it should be.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use osprey_index::IndexError;
use serde::Serialize;
use serde_json::json;

use crate::pages;
use crate::project::Trouble;

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

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        let status = match trouble {
            Trouble::Asked(_) => StatusCode::BAD_REQUEST,
            Trouble::Missing(_) => StatusCode::NOT_FOUND,
            Trouble::Busy(_) => StatusCode::CONFLICT,
            Trouble::Failed(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self { status, message: trouble.to_string() }
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

impl From<Trouble> for ApiFailure {
    fn from(trouble: Trouble) -> Self {
        Self(trouble.into())
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

/// What is wrong with a question is the asker's to mend.
impl From<IndexError> for Trouble {
    fn from(error: IndexError) -> Self {
        let text = error.to_string();
        match error {
            IndexError::Query(_) | IndexError::Clause { .. } | IndexError::TooDeep(_) => Self::Asked(text),
            IndexError::NotIndexed(_) => Self::Missing(text),
            IndexError::Locked { .. } => Self::Busy(text),
            _ => Self::Failed(text),
        }
    }
}
