//! The input of policies and judges: what the user wants, and what is known about the site and the example pages.

use std::sync::Arc;

use osprey_page::Page;
use osprey_structure::Site;
use osprey_structure::extract::Record;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::genre::TermRarity;
use crate::want::Background;

/// What is wanted, as data: `[topic]` of `osprey.toml`. Each policy and judge takes what it needs of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Subject {
    /// What is wanted in the user's own words: `red car`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// Which pages can be wanted.
    #[serde(skip_serializing_if = "PageKinds::is_usual")]
    pub pages: PageKinds,
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
    /// Topics of it: what is about any of them is wanted. Stored as earlier versions did, which knew one.
    #[serde(rename = "node", with = "one_or_more")]
    pub nodes: Vec<String>,
    /// Whether terms of genre and content are weighed by [`Known::rarity`].
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub idf: bool,
}

/// Which pages can be wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PageKinds {
    /// Pages of one thing each: a photo, a thread, an article.
    #[default]
    Items,
    /// Pages of people.
    People,
    /// Pages that list others.
    Lists,
    /// Any page.
    All,
}

impl PageKinds {
    fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// Their name, for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Items => "items",
            Self::People => "people",
            Self::Lists => "lists",
            Self::All => "pages",
        }
    }
}

/// A list that is written as nothing, one value, or a list.
mod one_or_more {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        One(String),
        More(Vec<String>),
    }

    pub(super) fn serialize<S: Serializer>(list: &[String], serializer: S) -> Result<S::Ok, S::Error> {
        match list {
            [] => None::<String>.serialize(serializer),
            [one] => one.serialize(serializer),
            more => more.serialize(serializer),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
        Ok(match Option::<Written>::deserialize(deserializer)? {
            None => Vec::new(),
            Some(Written::One(one)) => vec![one],
            Some(Written::More(more)) => more,
        })
    }
}

impl Subject {
    /// Tags and terms: the words of those who only look for words. Of a term with several names (`course|Kurs|课程`),
    /// each.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        let all = self.words.iter().chain(&self.tags).chain(&self.genre_terms).chain(&self.content_terms);
        all.flat_map(|term| term.split('|')).map(str::trim).filter(|name| !name.is_empty())
    }

    /// Terms of the content: tags, where there are no terms at all.
    pub(crate) fn content(&self) -> &[String] {
        let has_sets = !(self.genre_terms.is_empty() && self.content_terms.is_empty());
        if has_sets { &self.content_terms } else { &self.tags }
    }

    /// The topics of the taxonomy that were named.
    pub fn nodes(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().map(|node| node.trim()).filter(|node| !node.is_empty())
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
    /// Pages that the user rated.
    pub rated: Arc<[Example]>,
    /// What is usual on the site: the pages that what is wanted has to differ from.
    pub background: Option<Arc<Background>>,
    /// Records of an earlier crawl of the same site: what it says of people, this one need not ask.
    pub records: Arc<[Record]>,
    /// How rare the subject's terms are on pages of the project, where the subject asks for it.
    pub rarity: Option<Arc<TermRarity>>,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_is_stored_as_before_and_several_as_a_list() {
        let check = |nodes: &[&str], stored: &str| {
            let nodes = nodes.iter().map(|node| (*node).to_owned()).collect();
            let subject = Subject { nodes, ..Subject::default() };
            let text = serde_json::to_string(&subject).unwrap();
            assert!(text.ends_with(&format!("\"taxonomy\":null,\"node\":{stored}}}")), "{text}");
            assert_eq!(serde_json::from_str::<Subject>(&text).unwrap(), subject);
        };
        check(&[], "null");
        check(&["a"], "\"a\"");
        check(&["a", "b"], "[\"a\",\"b\"]");
        assert_eq!(serde_json::from_str::<Subject>("{}").unwrap(), Subject::default());
    }
}
