//! A recording of a real site with its truth; a file in `lab/corpora` says where both are.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use std::time::SystemTime;

use osprey_archive::Replay;
use osprey_model::PageType;
use osprey_model::{CanonicalUrl, Exchange, Scope, ScopeKind};
use osprey_page::{PageRules, is_page, read_page};
use osprey_world::Truth;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::truth_file::{Fields, TruthFile};
use super::{CorpusError, parse_all};
use crate::fingerprint;

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
    /// Search terms of a topic; its name if empty.
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
    /// The key that the rows are below, if they are not the whole file.
    pub rows: Option<String>,
    /// The fields that are read: the first is the template, all are topics.
    pub fields: Vec<String>,
    /// Topics by what a field says.
    #[serde(default)]
    pub topic: Vec<FieldTopic>,
}

/// A topic of those rows whose field matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FieldTopic {
    /// The topic.
    pub name: String,
    /// The place of the field in a row: `/fields/title`.
    pub field: String,
    /// What a value of it must match.
    pub pattern: String,
    /// What it must not match.
    pub except: Option<String>,
}

impl RecordingFile {
    /// What can be learned about its files without reading them: length and modification time.
    pub(crate) fn files(&self, data: &Path) -> Vec<(u64, Option<SystemTime>)> {
        let labels = self.by_url.as_ref().map(|by_url| &by_url.file);
        let paths = [&self.path, &self.truth].into_iter().chain(labels);
        let told = paths.filter_map(|path| fs::metadata(data.join(path)).ok());
        told.map(|meta| (meta.len(), meta.modified().ok())).collect()
    }
}

/// An opened recording.
#[derive(Debug)]
pub struct Recording {
    file: RecordingFile,
    replay: Replay,
    truth: TruthFile,
    /// Pages that can be reached, with a fingerprint of their bodies.
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

    /// Every URL that was recorded.
    pub(crate) fn urls(&self) -> impl Iterator<Item = &CanonicalUrl> {
        self.replay.urls()
    }

    /// The values that a page has, by field, if they are known.
    pub(crate) fn fields(&self, url: &CanonicalUrl) -> Option<&Fields> {
        self.truth.fields(url)
    }

    /// What was recorded for a URL.
    pub(crate) fn get(&self, url: &CanonicalUrl) -> Exchange {
        self.replay.get(url)
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

    /// Pages that a crawl from `seeds` within `scope` can reach. Walked once: every page is read.
    pub(super) fn pages(&self, seeds: &[CanonicalUrl], scope: &Scope) -> &[(CanonicalUrl, u64)] {
        self.pages.get_or_init(|| {
            let rules = PageRules::default();
            let mut queue: VecDeque<CanonicalUrl> = seeds.iter().cloned().collect();
            let mut known: FxHashSet<CanonicalUrl> = seeds.iter().cloned().collect();
            let mut pages = Vec::new();
            while let Some(url) = queue.pop_front() {
                let Exchange::Answered(response) = self.replay.get(&url) else { continue };
                let mut targets = Vec::new();
                if let Some(to) = response.location() {
                    targets.extend(url.join(to, &rules.url));
                } else if is_page(&response) {
                    let page = read_page(&response, &rules);
                    targets.extend(page.links().iter().map(|link| link.url.clone()));
                    pages.push((url, fingerprint(&response.body)));
                }
                for target in targets {
                    if scope.check(&target).is_ok() && known.insert(target.clone()) {
                        queue.push_back(target);
                    }
                }
            }
            pages
        })
    }
}
