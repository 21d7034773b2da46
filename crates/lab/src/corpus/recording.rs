//! A recording of a real site with its truth: a file in `lab/corpora` says where both are.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

use osprey_archive::{Replay, ReplayOptions};
use osprey_model::{CanonicalUrl, Exchange, ScopeKind};
use osprey_world::{PageType, Truth};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::truth_file::TruthFile;
use super::{CorpusError, parse_all};

/// `lab/corpora/NAME.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecordingFile {
    /// What it is.
    pub about: String,
    /// The recording, relative to the data folder.
    pub path: String,
    /// The truth file, relative to the data folder.
    pub truth: String,
    /// Where a crawl begins, if the truth file does not say.
    #[serde(default)]
    pub start: Vec<String>,
    /// Where a crawl may go.
    #[serde(default)]
    pub scope: ScopeKind,
    /// How topics are read from URLs, the first pattern that matches.
    #[serde(default, rename = "topic")]
    pub topics: Vec<TopicEntry>,
    /// Template and topics by URL.
    pub by_url: Option<ByUrl>,
    /// Page types of templates, where the truth file does not say.
    #[serde(default)]
    pub types: BTreeMap<String, PageType>,
    /// What a user would type for a topic; its name, if nothing is said.
    #[serde(default)]
    pub terms: BTreeMap<String, Vec<String>>,
}

/// A way to a page's topics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TopicEntry {
    /// A pattern with one group.
    pub pattern: String,
    /// The table of labels that the group is looked up in; the group itself is the topic, if none.
    pub labels: Option<String>,
}

/// A file of labels by URL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ByUrl {
    /// The file, relative to the data folder.
    pub file: String,
    /// The fields that are read: the first is the template, all are topics.
    pub fields: Vec<String>,
}

impl RecordingFile {
    pub(super) fn replay_options(&self) -> ReplayOptions {
        ReplayOptions::default()
    }
}

/// An opened recording.
#[derive(Debug)]
pub struct Recording {
    file: RecordingFile,
    replay: Replay,
    truth: TruthFile,
    /// Pages that were answered with 200, with a fingerprint of their bodies.
    pages: OnceLock<Vec<(CanonicalUrl, u64)>>,
}

impl Recording {
    pub(super) fn new(file: &RecordingFile, replay: Replay, data: &Path) -> Result<Self, CorpusError> {
        let truth = TruthFile::read(file, data)?;
        Ok(Self { file: file.clone(), replay, truth, pages: OnceLock::new() })
    }

    pub(super) fn replay(&self) -> &Replay {
        &self.replay
    }

    pub(super) fn scope(&self) -> ScopeKind {
        self.file.scope
    }

    pub(super) fn seeds(&self) -> Result<Vec<CanonicalUrl>, CorpusError> {
        let mut seeds = self.file.start.clone();
        if seeds.is_empty() {
            seeds.extend(self.truth.start.clone());
        }
        parse_all(&seeds)
    }

    pub(super) fn terms(&self, topic: &str) -> Vec<String> {
        self.file.terms.get(topic).cloned().unwrap_or_else(|| vec![topic.to_owned()])
    }

    pub(super) fn truth(&self, url: &CanonicalUrl) -> Truth {
        self.truth.truth(url)
    }

    /// Pages that were answered with 200. Read once: every body is looked at.
    pub(super) fn pages(&self) -> &[(CanonicalUrl, u64)] {
        self.pages.get_or_init(|| {
            let page = |url: &CanonicalUrl| match self.replay.get(url) {
                Exchange::Answered(response) if response.status == 200 => {
                    let is_html = response.effective_media_type().is_some_and(|media| media.is_html());
                    is_html.then(|| (url.clone(), xxh3_64(&response.body)))
                }
                _ => None,
            };
            let mut pages: Vec<_> = self.replay.urls().filter_map(page).collect();
            pages.sort_unstable_by(|a, b| a.0.as_str().cmp(b.0.as_str()));
            pages
        })
    }
}
