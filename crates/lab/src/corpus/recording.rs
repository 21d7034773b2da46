//! A recording of a real site with its truth; a file in `lab/corpora` says where both are.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use std::time::SystemTime;

use osprey_archive::Replay;
use osprey_model::PageType;
use osprey_model::{CanonicalUrl, Exchange, Scope, ScopeKind};
use osprey_page::{Link, PageRules, Rel, is_page, read_page};
use osprey_world::{Expert, Truth};
use regex::Regex;
use rustc_hash::{FxHashMap, FxHashSet};
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
    /// Topics of pages by the tags that they carry.
    pub tags: Option<TagTopics>,
    /// Template and topics by URL.
    pub by_url: Option<ByUrl>,
    /// Page types of templates, where the truth file does not say.
    #[serde(default)]
    pub types: BTreeMap<String, PageType>,
    /// Search terms of a topic; its name if empty.
    #[serde(default)]
    pub terms: BTreeMap<String, Vec<String>>,
    /// The crawl of a person who knows the site.
    pub expert: Option<ExpertRule>,
}

/// How a person who knows the site would crawl it for a topic. In every text `{topic}` stands for the topic, and `{list}`
/// for what the site calls its list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpertRule {
    /// The topic's own lists.
    pub start: Vec<String>,
    /// Patterns of what is fetched: the pages of these lists, and items.
    pub allow: Vec<String>,
    /// What the site calls the list of each topic. Without this table every topic has a list of its own name; with it,
    /// topics that are not there have none.
    #[serde(default)]
    pub lists: BTreeMap<String, String>,
}

impl ExpertRule {
    /// The crawl for a topic.
    fn of(&self, topic: &str) -> Option<Expert> {
        let list = match self.lists.get(topic) {
            Some(list) => list,
            None if self.lists.is_empty() => topic,
            None => return None,
        };
        let fill = |texts: &[String]| {
            let fill = |text: &String| text.replace("{topic}", topic).replace("{list}", list);
            texts.iter().map(fill).collect()
        };
        Some(Expert { start: fill(&self.start), allow: fill(&self.allow) })
    }
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

/// Topics that are read from the pages themselves: where their links marked `rel=tag` lead.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TagTopics {
    /// The pages that carry tags.
    pub pages: String,
    /// The page of a tag, with one group: the tag.
    pub pattern: String,
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

/// The tags that pages carry, by [`TagTopics`].
#[derive(Debug)]
struct CarriedTags {
    pages: Regex,
    tag: Regex,
    /// By URL without its last slash. Every page is read once.
    found: OnceLock<FxHashMap<String, Vec<String>>>,
}

impl CarriedTags {
    fn new(tags: &TagTopics) -> Result<Self, CorpusError> {
        let regex = |pattern: &String| {
            Regex::new(pattern).map_err(|error| CorpusError::File {
                file: pattern.clone(),
                problem: format!("not a pattern: {error}"),
            })
        };
        Ok(Self { pages: regex(&tags.pages)?, tag: regex(&tags.pattern)?, found: OnceLock::new() })
    }

    fn of(&self, url: &CanonicalUrl, replay: &Replay) -> &[String] {
        let found = self.found.get_or_init(|| self.read(replay));
        found.get(url.as_str().trim_end_matches('/')).map(Vec::as_slice).unwrap_or_default()
    }

    /// The tags of every page that has some.
    fn read(&self, replay: &Replay) -> FxHashMap<String, Vec<String>> {
        let rules = PageRules::default();
        let tags_at = |url: &CanonicalUrl| -> Vec<String> {
            let Exchange::Answered(response) = replay.get(url) else { return Vec::new() };
            if !is_page(&response) {
                return Vec::new();
            }
            let page = read_page(&response, &rules);
            let marked = page.links().iter().filter(|link| link.rel.contains(Rel::TAG));
            let tag = |link: &Link| Some(self.tag.captures(link.url.as_str())?.get(1)?.as_str().to_owned());
            marked.filter_map(tag).collect()
        };
        let pages = replay.urls().filter(|url| self.pages.is_match(url.as_str()));
        let tagged = pages.map(|url| (url.as_str().trim_end_matches('/').to_owned(), tags_at(url)));
        tagged.filter(|(_, tags)| !tags.is_empty()).collect()
    }
}

/// An opened recording.
#[derive(Debug)]
pub struct Recording {
    file: RecordingFile,
    replay: Replay,
    truth: TruthFile,
    /// The tags of pages, where these are topics.
    tags: Option<CarriedTags>,
    /// Pages that can be reached, with a fingerprint of their bodies.
    pages: OnceLock<Vec<(CanonicalUrl, u64)>>,
}

impl Recording {
    pub(super) fn new(file: &RecordingFile, replay: Replay, data: &Path) -> Result<Self, CorpusError> {
        let truth = TruthFile::read(file, data)?;
        let tags = file.tags.as_ref().map(CarriedTags::new).transpose()?;
        Ok(Self { file: file.clone(), replay, truth, tags, pages: OnceLock::new() })
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

    pub(super) fn expert(&self, topic: &str) -> Option<Expert> {
        self.file.expert.as_ref()?.of(topic)
    }

    pub(super) fn truth(&self, url: &CanonicalUrl) -> Truth {
        let mut truth = self.truth.truth(url);
        truth.topics.extend(self.tags_of(url).iter().cloned());
        truth
    }

    /// The tags that a page carries, where these are topics.
    fn tags_of(&self, url: &CanonicalUrl) -> &[String] {
        self.tags.as_ref().map(|tags| tags.of(url, &self.replay)).unwrap_or_default()
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
