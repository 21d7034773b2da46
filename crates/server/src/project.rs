//! A project as the server sees it: something to search and something that crawls.
//!
//! The server knows nothing of folders, configuration or stores; whoever starts it has projects and answers these
//! questions. The shapes here are what the API sends and what the pages show: they are ours to keep stable, whatever the
//! crates behind them do. Everything may block, and is called from threads that may.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use osprey_index::Searcher;
use osprey_vision::Codebook;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why a project does not do what it is asked for, in words for the person who asked.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Trouble {
    /// The question is wrong.
    #[error("{0}")]
    Asked(String),
    /// There is no such thing.
    #[error("{0}")]
    Missing(String),
    /// Not now: something else has to end first.
    #[error("{0}")]
    Busy(String),
    /// Our own failure.
    #[error("{0}")]
    Failed(String),
}

/// What is searched.
#[derive(Clone, Debug)]
pub struct Shelf {
    /// What was committed last.
    pub searcher: Arc<Searcher>,
    /// What visual words mean.
    pub codebook: Arc<Codebook>,
}

impl dyn Project {
    /// What is searched; that there is nothing is trouble.
    pub(crate) fn filled_shelf(&self) -> Result<Shelf, Trouble> {
        let empty =
            || Trouble::Missing("nothing is indexed yet: crawl, then index what was fetched".to_owned());
        self.shelf()?.ok_or_else(empty)
    }
}

/// A project.
pub trait Project: Send + Sync + 'static {
    /// Its name in addresses: letters, digits, `-`, `_`.
    fn name(&self) -> &str;

    /// What is searched; `None` if nothing is indexed yet.
    fn shelf(&self) -> Result<Option<Shelf>, Trouble>;

    /// The file of a thumbnail, by the path that a hit names.
    fn thumbnail(&self, path: &str) -> Option<PathBuf>;

    /// The bytes of the picture of a document.
    fn picture(&self, url: &str) -> Result<Option<Vec<u8>>, Trouble>;

    /// Where a document was found and why it was fetched.
    fn origin(&self, url: &str) -> Result<Option<Origin>, Trouble>;

    /// How the crawl stands. Asked once a second by every page that shows it.
    fn crawl(&self) -> CrawlView;

    /// Starts, pauses, resumes or stops the crawl, or begins indexing.
    fn order(&self, order: &Order) -> Result<(), Trouble>;

    /// The page types of the learned site; `None` if it was not learned.
    fn sitemap(&self) -> Result<Option<SitemapView>, Trouble>;

    /// A drawing of the page types and how they link, SVG of our own making; `None` if there is none.
    fn sitemap_drawing(&self) -> Result<Option<String>, Trouble>;

    /// Says whether pages of a type are wanted; `None`: no matter.
    fn want(&self, page_type: u32, wanted: Option<bool>) -> Result<(), Trouble>;

    /// What the project is about.
    fn topic(&self) -> Result<TopicView, Trouble>;

    /// The tags that go with tags, by what was crawled.
    fn expand(&self, tags: &[String]) -> Result<ExpansionView, Trouble>;

    /// Proposes terms from pages that were crawled.
    fn terms(&self, genre_pages: &[String], relevant_pages: &[String]) -> Result<TermsView, Trouble>;

    /// Changes what the project is about.
    fn set_topic(&self, topic: &TopicView) -> Result<(), Trouble>;
}

/// What a person asks of a crawl.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "order", deny_unknown_fields)]
pub enum Order {
    /// Begin or go on.
    Start {
        /// Instead of the configured policy.
        #[serde(default)]
        policy: Option<String>,
        /// Pages over all runs, instead of the configured number.
        #[serde(default)]
        budget: Option<u64>,
    },
    /// Ask for nothing until resumed.
    Pause {},
    /// Go on.
    Resume {},
    /// End the run; the next one goes on where it ended.
    Stop {},
    /// Make what was fetched searchable.
    Index {},
}

/// What a project is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Doing {
    /// Nothing.
    #[default]
    Rests,
    /// It crawls.
    Crawls,
    /// A crawl is paused.
    Paused,
    /// A crawl is ending: what is in flight is taken in.
    Stopping,
    /// It indexes.
    Indexes,
    /// Another process crawls.
    Elsewhere,
}

impl Doing {
    /// As it is written in the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rests => "rests",
            Self::Crawls => "crawls",
            Self::Paused => "paused",
            Self::Stopping => "stopping",
            Self::Indexes => "indexes",
            Self::Elsewhere => "elsewhere",
        }
    }
}

/// How a crawl stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CrawlView {
    /// What goes on.
    pub doing: Doing,
    /// How the last thing ended, or what is wrong.
    pub message: Option<String>,
    /// The configured policy, or that of the run.
    pub policy: String,
    /// Policies there are.
    pub policies: Vec<String>,
    /// Pages over all runs.
    pub budget: Option<u64>,
    /// URLs fetched.
    pub visited: u64,
    /// Of these, worth it.
    pub relevant: u64,
    /// Of these, in vain.
    pub failed: u64,
    /// `relevant / visited`.
    pub harvest_ratio: f64,
    /// Pictures fetched.
    pub pictures: u64,
    /// Bytes fetched.
    pub bytes: u64,
    /// Pages per second, lately.
    pub rate: f64,
    /// Links that wait.
    pub waiting: u64,
    /// Links that wait with a parked group.
    pub parked: u64,
    /// What is waited for, in words.
    pub waits_for: Option<String>,
    /// Documents in the index.
    pub documents: u64,
    /// Failures by kind.
    pub errors: BTreeMap<String, u64>,
    /// Links left alone, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// The hosts with most links.
    pub hosts: Vec<HostView>,
    /// Visits by type of page.
    pub page_types: Vec<PageTypeView>,
    /// Visits and relevant pages, along the way.
    pub curve: Vec<(u64, u64)>,
    /// The last visits, newest first.
    pub recent: Vec<VisitView>,
}

/// A host.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct HostView {
    /// Its name.
    pub host: String,
    /// Links that wait.
    pub waiting: u64,
    /// Pages fetched.
    pub fetched: u64,
    /// Of these, in vain.
    pub failed: u64,
    /// Seconds between two requests.
    pub delay: f64,
    /// How it does, in words; empty if well.
    pub health: String,
}

/// Visits of a type of page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PageTypeView {
    /// Its name.
    pub name: String,
    /// Pages fetched.
    pub fetched: u64,
    /// Of these, worth it.
    pub relevant: u64,
    /// Links that wait and are expected to lead to such pages; `None` if nobody can tell.
    pub waiting: Option<u64>,
}

/// A visit.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct VisitView {
    /// Its number.
    pub n: u64,
    /// What was fetched.
    pub url: String,
    /// The page's title.
    pub title: Option<String>,
    /// The status; 0 where there was no answer.
    pub status: u16,
    /// The type of page.
    pub page_type: Option<String>,
    /// Whether it was worth it.
    pub relevant: bool,
    /// The link's score.
    pub score: f32,
    /// What the score is made of.
    pub why: BTreeMap<String, f32>,
}

/// Where a document came from.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Origin {
    /// The visit.
    pub visit: VisitView,
    /// When, in ISO 8601.
    pub fetched_at: String,
    /// The policy that asked for it.
    pub policy: String,
    /// The page that it was found on; `None` for seeds.
    pub parent: Option<String>,
    /// Where on that page.
    pub apath: Option<String>,
    /// Hops from a seed.
    pub depth: u32,
    /// The judge's figure.
    pub relevance: Option<f32>,
    /// Bytes.
    pub bytes: u64,
    /// SHA-256 of the body.
    pub digest: Option<String>,
}

/// The page types of a site.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SitemapView {
    /// The types.
    pub types: Vec<SiteTypeView>,
    /// How they link: from, to, links a page.
    pub links: Vec<SiteLinkView>,
}

/// A page type of a site.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SiteTypeView {
    /// Its number.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// list, detail, profile or other.
    pub label: String,
    /// Whether such pages are wanted; `None`: no matter.
    pub wanted: Option<bool>,
    /// Pages of the sample.
    pub pages: u64,
    /// Some of them.
    pub examples: Vec<String>,
}

/// How two types link.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SiteLinkView {
    /// From the type of this number.
    pub from: u32,
    /// To the type of this number.
    pub to: u32,
    /// Links a page.
    pub links: f64,
}

/// What a project is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TopicView {
    /// Tags.
    pub tags: Vec<String>,
    /// Terms of the wanted kind of page.
    pub genre_terms: Vec<String>,
    /// Terms of the wanted content.
    pub content_terms: Vec<String>,
}

/// Tags that go together.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ExpansionView {
    /// Detail pages that were asked.
    pub pages: u64,
    /// Tags that belong, the given ones first.
    pub tags: Vec<TagView>,
    /// Tags that were left out, and why.
    pub left_out: Vec<LeftOutView>,
}

/// A tag of a topic.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TagView {
    /// The tag.
    pub tag: String,
    /// Pages that have it.
    pub votes: u32,
    /// How strongly it goes with the topic.
    pub phi: f32,
    /// 0: given; 1: goes with those; 2: goes with those of 1.
    pub layer: u8,
}

/// A tag that was left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeftOutView {
    /// The tag.
    pub tag: String,
    /// Pages that have it.
    pub votes: u32,
    /// Why, in words.
    pub why: String,
}

/// Terms that were proposed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TermsView {
    /// Of the wanted kind of page.
    pub genre: Vec<TermView>,
    /// Of the wanted content.
    pub content: Vec<TermView>,
}

/// A term.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TermView {
    /// The term.
    pub term: String,
    /// How often it stands on the example pages.
    pub frequency: u32,
    /// Its score.
    pub score: f64,
}
