//! A corpus: the source of the pages, the start URLs, and the truth about every URL.
//!
//! A measure uses simulated worlds and recordings of real sites in the same way. The truth stays on this side: the
//! crawler only gets a [`Source`].

mod directory;
mod pictures;
mod recording;
mod truth_file;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use osprey_archive::{ArchiveError, Replay, ReplayOptions};
use osprey_model::{
    CanonicalUrl, Exchange, FailureKind, FetchFailure, Request, Scope, ScopeError, ScopeKind, Source,
    Timestamp, UrlProblem, UrlRules,
};
use osprey_steer::Subject;
use osprey_world::{Options, TaxonomyNode, Truth, World, WorldError, WorldTopic, taxonomy};
use rustc_hash::FxHashMap;
use thiserror::Error;

pub(crate) use self::pictures::Photo;
pub use self::pictures::Pictures;
pub(crate) use self::recording::{Recording, RecordingFile};
use crate::metrics::Totals;
use crate::{CorpusEntry, Wanted};

/// How many of the largest topics are used in turn when an experiment names none.
const LARGEST: usize = 5;

/// Why a corpus cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// Invalid options of a world.
    #[error(transparent)]
    World(#[from] WorldError),
    /// A recording that cannot be read.
    #[error("recording `{name}`: {cause}")]
    Archive {
        /// Its name.
        name: String,
        /// Why.
        cause: ArchiveError,
    },
    /// An invalid file.
    #[error("{file}: {problem}")]
    File {
        /// The file.
        file: String,
        /// What is wrong with it.
        problem: String,
    },
    /// An invalid URL.
    #[error("`{url}`: {cause}")]
    Url {
        /// The URL.
        url: String,
        /// Why not.
        cause: UrlProblem,
    },
    /// An invalid scope.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// An unknown topic.
    #[error("corpus `{corpus}`: unknown topic `{topic}`; expected one of {known}")]
    Topic {
        /// The corpus.
        corpus: String,
        /// The topic as written.
        topic: String,
        /// The topics of the corpus.
        known: String,
    },
}

/// Where pages come from.
#[derive(Clone, Debug)]
pub enum CorpusSource {
    /// A simulated web.
    World(World),
    /// A recorded one.
    Recording(Arc<Recording>),
    /// Pictures for search: there is nothing to crawl.
    Pictures(Arc<Pictures>),
}

impl Source for CorpusSource {
    async fn fetch(&self, request: Request) -> Exchange {
        match self {
            Self::World(world) => world.fetch(request).await,
            Self::Recording(recording) => recording.replay().fetch(request).await,
            Self::Pictures(_) => Exchange::Failed(FetchFailure {
                url: request.target.url().clone(),
                kind: FailureKind::Recording,
                message: "pictures are not crawled".to_owned(),
                at: Timestamp::default(),
            }),
        }
    }
}

/// A corpus, ready to be crawled.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// Its name in tables.
    pub name: String,
    /// Where pages come from.
    pub source: CorpusSource,
    /// Where a crawl begins.
    pub seeds: Vec<CanonicalUrl>,
    /// Where it may go.
    pub scope: Scope,
    /// The topic, by its name in the truth.
    pub topic: Option<String>,
    /// What a user would write under `[topic]`.
    pub subject: Subject,
    /// The words of the topic, the strongest first, in each of the corpus's languages.
    words: Vec<Vec<String>>,
}

impl Corpus {
    /// The world of an entry, with a random seed.
    pub(crate) fn world(entry: &CorpusEntry, world: World, random_seed: u64) -> Result<Self, CorpusError> {
        // the largest, by name: a world orders its topics by size, which differs from one random seed to another
        let mut topics = world.topics();
        if entry.topic.is_none() && entry.topics.is_empty() {
            topics.truncate(LARGEST);
        }
        topics.sort_by(|a, b| a.name.cmp(&b.name));
        let one_of = |names: &[String]| {
            (random_seed as usize).checked_rem(names.len()).and_then(|place| names.get(place)).cloned()
        };
        let asked = |name: &String| topics.iter().find(|topic| topic.name == *name).cloned();
        let topic = match &entry.topic.clone().or_else(|| one_of(&entry.topics)) {
            // not a topic that the world proposes, but one of its taxonomy, with words given by the user
            Some(name) if !entry.content_terms.is_empty() && is_topic(name) => Some(
                asked(name).unwrap_or_else(|| WorldTopic { name: name.clone(), ..WorldTopic::default() }),
            ),
            Some(name) => Some(asked(name).ok_or_else(|| {
                let known = topics.iter().map(|topic| topic.name.as_str()).collect::<Vec<_>>().join(", ");
                CorpusError::Topic { corpus: entry.name.clone(), topic: name.clone(), known }
            })?),
            None => topics.get((random_seed as usize).checked_rem(topics.len()).unwrap_or(0)).cloned(),
        };
        let mut subject = entry.subject();
        let mut words = vec![subject.tags.clone()];
        if let Some(topic) = topic.as_ref().filter(|_| subject.tags.is_empty()) {
            subject.tags.extend(topic.terms.iter().chain(&topic.terms_zh).cloned());
            words = vec![topic.terms.clone(), topic.terms_zh.clone()];
        }
        if subject.nodes.is_empty()
            && let Some(topic) = topic.as_ref().filter(|topic| directory::has(&topic.name))
        {
            (subject.taxonomy, subject.nodes) = (Some(directory::taxonomy()), vec![topic.name.clone()]);
        }
        let mut seeds = parse_all(&world.seeds())?;
        // a scope is that of the whole world
        let scope = Scope::new(entry.scope.unwrap_or(ScopeKind::Domain), &seeds, &[], &[])?;
        if let Some(begin) = &entry.begin {
            seeds.retain(|seed| {
                world.truth(seed).is_some_and(|truth| truth.template.contains(begin.as_str()))
            });
            if seeds.is_empty() {
                let problem = format!("begin: no start page has a template whose name contains `{begin}`");
                return Err(CorpusError::File { file: entry.name.clone(), problem });
            }
        }
        let topic = topic.map(|topic| topic.name);
        Ok(Self {
            name: entry.name.clone(),
            source: CorpusSource::World(world),
            seeds,
            scope,
            topic,
            subject,
            words,
        })
    }

    /// A world from its kind, size and random seed.
    pub(crate) fn simulated(
        entry: &CorpusEntry,
        pages: u64,
        random_seed: u64,
    ) -> Result<Option<Self>, CorpusError> {
        let Some(kind) = entry.world else { return Ok(None) };
        let pages = entry.pages.unwrap_or(pages);
        let (nastiness, ablation) = (entry.nastiness, entry.ablation);
        let options = Options { random_seed, pages, nastiness, ablation, ..Options::default() };
        Self::world(entry, World::new(kind, &options)?, random_seed).map(Some)
    }

    /// A recording.
    pub(crate) fn recorded(entry: &CorpusEntry, recording: Arc<Recording>) -> Result<Self, CorpusError> {
        let seeds = recording.seeds()?;
        let scope = Scope::new(entry.scope.unwrap_or(recording.scope()), &seeds, &[], &[])?;
        let mut subject = entry.subject();
        if subject.tags.is_empty() {
            subject.tags.extend(entry.topic.as_deref().into_iter().flat_map(|topic| recording.terms(topic)));
        }
        Ok(Self {
            name: entry.name.clone(),
            seeds,
            scope,
            topic: entry.topic.clone(),
            words: vec![subject.tags.clone()],
            subject,
            source: CorpusSource::Recording(recording),
        })
    }

    /// A set of pictures.
    pub(crate) fn pictures(entry: &CorpusEntry, pictures: Arc<Pictures>) -> Result<Self, CorpusError> {
        Ok(Self {
            name: entry.name.clone(),
            seeds: Vec::new(),
            scope: Scope::new(ScopeKind::Any, &[], &[], &[])?,
            topic: None,
            subject: Subject::default(),
            words: Vec::new(),
            source: CorpusSource::Pictures(pictures),
        })
    }

    /// The first words of the topic, so many in each of the corpus's languages.
    pub(crate) fn words(&self, most: usize) -> Vec<String> {
        self.words.iter().flat_map(|words| words.iter().take(most)).cloned().collect()
    }

    /// Where a person who knows the site would begin to look for the topic, and where that crawl may go; `None` if the
    /// corpus has no lists of topics.
    pub(crate) fn expert(&self) -> Result<Option<(Vec<CanonicalUrl>, Scope)>, CorpusError> {
        let Some(topic) = &self.topic else { return Ok(None) };
        let expert = match &self.source {
            CorpusSource::World(world) => world.expert(topic),
            CorpusSource::Recording(recording) => recording.expert(topic),
            CorpusSource::Pictures(_) => None,
        };
        let Some(expert) = expert else { return Ok(None) };
        let start = parse_all(&expert.start)?;
        let scope = Scope::new(self.scope.kind(), &start, &expert.allow, &[])?;
        Ok(Some((start, scope)))
    }

    /// Whether reports must call its figures simulated.
    pub(crate) fn is_simulated(&self) -> bool {
        matches!(self.source, CorpusSource::World(_))
    }

    /// Every page of a world, or every recorded URL, whether a crawl can reach it or not.
    pub(crate) fn urls(&self) -> Vec<CanonicalUrl> {
        match &self.source {
            CorpusSource::World(world) => {
                world.pages().filter_map(|url| CanonicalUrl::from_stored(&url).ok()).collect()
            }
            CorpusSource::Recording(recording) => recording.replay().urls().cloned().collect(),
            CorpusSource::Pictures(_) => Vec::new(),
        }
    }

    /// The truth about a URL; the default if the URL is not in this corpus.
    pub(crate) fn truth(&self, url: &CanonicalUrl) -> Truth {
        match &self.source {
            CorpusSource::World(world) => world.truth(url).unwrap_or_default(),
            CorpusSource::Recording(recording) => recording.truth(url),
            CorpusSource::Pictures(_) => Truth::default(),
        }
    }

    /// How many pages a crawl can find within the scope; `valid` defines what counts as user-created.
    pub fn totals(&self, wanted: &Wanted, valid: &[Wanted]) -> Totals {
        let is_wanted = |truth: &Truth| wanted.includes(truth, self.topic.as_deref());
        let is_made = |truth: &Truth| valid.iter().any(|valid| valid.includes(truth, self.topic.as_deref()));
        let mut totals = Totals::default();
        match &self.source {
            CorpusSource::Pictures(_) => {}
            CorpusSource::World(world) => {
                let urls = world.pages().filter_map(|url| CanonicalUrl::from_stored(&url).ok());
                for url in urls.filter(|url| self.scope.check(url).is_ok()) {
                    let truth = world.truth(&url).unwrap_or_default();
                    totals.pages += 1;
                    totals.wanted += u64::from(is_wanted(&truth));
                    totals.user_created += u64::from(is_made(&truth));
                }
            }
            CorpusSource::Recording(recording) => {
                // a body is a page, under however many URLs
                let mut bodies: FxHashMap<u64, (bool, bool)> = FxHashMap::default();
                for (url, body) in recording.pages(&self.seeds, &self.scope) {
                    let truth = recording.truth(url);
                    let (wanted, made) = bodies.entry(*body).or_default();
                    (*wanted, *made) = (*wanted || is_wanted(&truth), *made || is_made(&truth));
                }
                totals.pages = bodies.len() as u64;
                totals.wanted = bodies.values().filter(|(wanted, _)| *wanted).count() as u64;
                totals.user_created = bodies.values().filter(|(_, made)| *made).count() as u64;
            }
        }
        totals
    }
}

/// Whether the worlds have a topic, or topics below it.
fn is_topic(name: &str) -> bool {
    fn has(node: &TaxonomyNode, name: &str) -> bool {
        node.name == name || node.children.iter().any(|child| has(child, name))
    }
    has(&taxonomy(), name)
}

fn parse_all(urls: &[String]) -> Result<Vec<CanonicalUrl>, CorpusError> {
    let parse = |url: &String| {
        CanonicalUrl::parse(url, &UrlRules::default())
            .map_err(|cause| CorpusError::Url { url: url.clone(), cause })
    };
    urls.iter().map(parse).collect()
}

/// Opens a recording; `data` is the folder that its paths are relative to.
pub(crate) fn open_recording(
    name: &str,
    file: &RecordingFile,
    data: &Path,
) -> Result<Recording, CorpusError> {
    let archive = |cause| CorpusError::Archive { name: name.to_owned(), cause };
    let replay = Replay::open(&data.join(&file.path), &ReplayOptions::default()).map_err(archive)?;
    Recording::new(file, replay, data)
}

/// Labels by name, then by key.
type Labels = BTreeMap<String, BTreeMap<String, Vec<String>>>;
