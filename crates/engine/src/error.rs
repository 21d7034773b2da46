//! Errors: one type for everything that a project does.
//!
//! A response from the Web is never an error. [`Error::kind`] tells the sorts apart: wrong usage or configuration, busy
//! (another process), not found, and failures of Osprey. Messages give the place first, then the cause, then what to do.

use std::fmt::Display;

use osprey_archive::ArchiveError;
use osprey_crawl::CrawlError;
use osprey_files::WriteError;
use osprey_frontier::FrontierError;
use osprey_index::IndexError;
use osprey_steer::SteeringConfigError;
use thiserror::Error;

use crate::config::ConfigError;

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something could not be done.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The project's configuration cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Wrong usage.
    #[error("{0}")]
    Usage(String),
    /// Not found.
    #[error("{0}")]
    NotFound(String),
    /// Not now: something else has to end first.
    #[error("{0}")]
    Busy(String),
    /// The caller asked to stop before there was a result.
    #[error("interrupted; run the same command to resume")]
    Interrupted,
    /// The crawl or its stores.
    #[error(transparent)]
    Crawl(#[from] CrawlError),
    /// The archive.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The frontier.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
    /// The search index.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A file, a folder or another place, and what went wrong there.
    #[error("{place}: {cause}")]
    At {
        /// Where.
        place: String,
        /// What.
        #[source]
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Anything else, in words.
    #[error("{0}")]
    Failed(String),
}

/// Whose turn it is after an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The user's: usage or configuration.
    Usage,
    /// Not found.
    NotFound,
    /// Something that has to end first.
    Busy,
    /// The caller asked to stop.
    Interrupted,
    /// Ours, or the machine's.
    Failed,
}

impl Error {
    /// Whose turn it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Config(_) | Self::Usage(_) => ErrorKind::Usage,
            Self::NotFound(_) => ErrorKind::NotFound,
            Self::Busy(_) => ErrorKind::Busy,
            Self::Interrupted => ErrorKind::Interrupted,
            Self::Crawl(error) if error.is_in_use() => ErrorKind::Busy,
            Self::Index(error) if error.is_usage() => ErrorKind::Usage,
            Self::Index(IndexError::Locked { .. }) => ErrorKind::Busy,
            Self::At { cause, .. } => cause.downcast_ref::<Self>().map_or(ErrorKind::Failed, Self::kind),
            _ => ErrorKind::Failed,
        }
    }

    /// What went wrong with a URL that the user gave.
    pub(crate) fn url(text: &str, problem: impl Display) -> Self {
        Self::Usage(format!("`{text}`: {problem}"))
    }

    pub(crate) fn failed(text: impl Into<String>) -> Self {
        Self::Failed(text.into())
    }
}

impl From<SteeringConfigError> for Error {
    fn from(SteeringConfigError { key, message }: SteeringConfigError) -> Self {
        Self::Usage(format!("`{key}`: {message}"))
    }
}

impl From<std::fmt::Error> for Error {
    fn from(_: std::fmt::Error) -> Self {
        Self::failed("a text could not be written")
    }
}

impl From<WriteError> for Error {
    fn from(error: WriteError) -> Self {
        Self::At { place: "cannot save".to_owned(), cause: error.into() }
    }
}

/// Adds the place to what went wrong there.
pub(crate) trait Context<T> {
    /// Where it happened, worked out only if it did.
    fn with_context<D: Display>(self, place: impl FnOnce() -> D) -> Result<T>;

    /// Where it happened.
    fn context(self, place: impl Display) -> Result<T>
    where
        Self: Sized,
    {
        self.with_context(|| place)
    }
}

impl<T, E: Into<Box<dyn std::error::Error + Send + Sync>>> Context<T> for Result<T, E> {
    fn with_context<D: Display>(self, place: impl FnOnce() -> D) -> Result<T> {
        self.map_err(|cause| Error::At { place: place().to_string(), cause: cause.into() })
    }
}
