//! The input of policies and judges: what the user wants, and what is known about the site and the example pages.

use std::sync::Arc;

use osprey_page::Page;
use osprey_structure::Site;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What is wanted, as data: `[topic]` of `osprey.toml`. Each policy and judge takes what it needs of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Subject {
    /// Tags, which may be phrases.
    pub tags: Vec<String>,
    /// Terms of the wanted kind of page: `syllabus`, `credits`.
    pub genre_terms: Vec<String>,
    /// Terms of the wanted content: `relational algebra`.
    pub content_terms: Vec<String>,
    /// Terms of the URLs of wanted pages.
    pub url_terms: Vec<String>,
    /// URLs of pages like those that are wanted.
    pub examples: Vec<String>,
    /// URLs of pages that are not wanted, for what learns from both.
    pub counter_examples: Vec<String>,
    /// The text of a file of topics; the one that ships, if there is none.
    pub taxonomy: Option<String>,
    /// A topic of it.
    pub node: Option<String>,
}

impl Subject {
    /// Tags and terms: the words of those who only look for words. Of a term with several names (`course|Kurs|课程`),
    /// each.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        let all = self.tags.iter().chain(&self.genre_terms).chain(&self.content_terms);
        all.flat_map(|term| term.split('|')).map(str::trim).filter(|name| !name.is_empty())
    }

    /// Whether no word was given.
    pub fn is_silent(&self) -> bool {
        self.words().next().is_none()
    }
}

/// What is known beyond the subject.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// What was learned of the site.
    pub site: Option<Arc<Site>>,
    /// The pages of the subject's examples.
    pub examples: Vec<Example>,
}

impl Known {
    /// Whether a page is among the examples.
    pub fn is_example(&self, page: &Page) -> bool {
        self.examples.iter().any(|example| example.page.url() == page.url())
    }
}

/// A page that was given as an example.
#[derive(Clone, Debug)]
pub struct Example {
    /// The page.
    pub page: Arc<Page>,
    /// Whether pages like it are wanted.
    pub is_wanted: bool,
}

/// Steering that cannot steer: a policy or judge that lacks what it needs.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("[{key}] {message}")]
pub struct SteeringConfigError {
    /// The key of the configuration.
    pub key: &'static str,
    /// What is wrong with it, and what to do.
    pub message: String,
}

impl SteeringConfigError {
    /// For a key and what is wrong.
    pub fn new(key: &'static str, message: impl Into<String>) -> Self {
        Self { key, message: message.into() }
    }
}
