//! The protocol of the control socket: one line of JSON for each request, and one for its answer.

use osprey_crawl::{PictureRow, VisitRow};
use osprey_model::CanonicalUrl;
use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind};
use crate::explain::Explanation;
use crate::status::Status;

/// The longest line that is read.
pub(super) const MAX_LINE: u64 = 4 << 20;

/// What can be asked of a crawl.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "ask", content = "of")]
pub(super) enum Question {
    /// Its state.
    Status,
    /// Why a URL was fetched, waits, or was skipped.
    Explain(CanonicalUrl),
    /// The visit of a URL.
    Visit(CanonicalUrl),
    /// The picture that was fetched for a URL.
    Picture(CanonicalUrl),
    /// Ask for nothing until resumed.
    Pause,
    /// Go on.
    Resume,
    /// End soon.
    Stop,
}

/// What a crawl answers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "answer", content = "is")]
pub(super) enum Answer {
    Status(Box<Status>),
    Explanation(Box<Explanation>),
    Visit(Option<Box<VisitRow>>),
    Picture(Option<Box<PictureRow>>),
    Done,
    /// It cannot, with the reason.
    Error {
        is_usage: bool,
        message: String,
    },
}

impl Answer {
    pub(super) fn of(result: Result<Self, Error>) -> Self {
        result.unwrap_or_else(|error| Self::Error {
            is_usage: error.kind() == ErrorKind::Usage,
            message: error.to_string(),
        })
    }

    /// An answer of another kind than was asked for.
    pub(super) fn into_error(self) -> Error {
        match self {
            Self::Error { is_usage: true, message } => Error::Usage(message),
            Self::Error { is_usage: false, message } => Error::Failed(message),
            _ => Error::failed("unexpected answer from the running crawl; is it the same version of Osprey?"),
        }
    }
}
