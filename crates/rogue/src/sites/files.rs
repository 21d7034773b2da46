//! A site given as a table of paths and answers.

use std::collections::HashMap;

use crate::{Answer, Reply, Site, SiteRequest};

/// Answers by path, or by host and path. Other paths get a 404.
#[derive(Clone, Debug, Default)]
pub struct Files {
    everywhere: HashMap<String, Answer>,
    by_host: HashMap<(String, String), Answer>,
}

impl Files {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an answer for `path` on every host.
    #[must_use]
    pub fn with(mut self, path: &str, answer: impl Into<Answer>) -> Self {
        self.everywhere.insert(path.to_owned(), answer.into());
        self
    }

    /// Adds an answer for `path` on one host, given without its port; it takes precedence over [`Files::with`].
    #[must_use]
    pub fn on(mut self, host: &str, path: &str, answer: impl Into<Answer>) -> Self {
        self.by_host.insert((host.to_owned(), path.to_owned()), answer.into());
        self
    }
}

impl Site for Files {
    fn answer(&self, asked: &SiteRequest<'_>) -> Answer {
        let key = (asked.host_name().to_owned(), asked.path.to_owned());
        let answer = self.by_host.get(&key).or_else(|| self.everywhere.get(asked.path));
        answer.cloned().unwrap_or_else(|| Reply::status(404).into())
    }
}
