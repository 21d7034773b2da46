//! What can be wrong with the settings of a fetcher. What the Web does wrong is never an error of this kind.

use thiserror::Error;

/// Why a [`crate::HttpSource`] could not be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The user agent cannot be in a header line.
    #[error("user agent `{0}`: expected printable ASCII on one line")]
    UserAgent(String),
    /// A text that is not a cookie jar.
    #[error("cookies: not a jar written by this program: {0}")]
    Cookies(#[source] serde_json::Error),
    /// A certificate that can't be read.
    #[error("extra root {number}: {cause}")]
    Root {
        /// Its place in [`crate::FetchOptions::extra_roots`], from 1.
        number: usize,
        /// What is wrong with it.
        cause: String,
    },
    /// TLS could not be set up.
    #[error("tls: {0}")]
    Tls(#[from] rustls::Error),
}
