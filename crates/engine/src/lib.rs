//! Osprey as a library: one [`Project`] that crawls a site, learns it, indexes what it fetched and searches it.
//!
//! Everything long takes a [`Control`]: who is told of events, and a flag that ends the work soon. Nothing is printed.

mod captures;
mod collection;
pub mod config;
mod cookies;
mod error;
mod example_pages;
mod explain;
mod export;
mod indexing;
mod init;
mod layout;
mod learn;
mod live;
mod observe;
mod one_page;
mod parts;
mod project;
mod run;
mod site_files;
mod source;
mod status;
mod terms;
mod topic;
mod view;
mod words;

pub use collection::Collection;
pub use config::ConfigError;
pub use error::{Error, ErrorKind, Result};
pub use explain::Explanation;
pub use export::{ExportFormat, ExportWhat};
pub use indexing::{IndexOptions, Indexed, index_images};
pub use init::{InitOptions, Initialised};
pub use layout::Layout;
pub use learn::{LearnOptions, LearnReport, Learned, RulesPlace, SampledPages};
pub use live::{Activity, Overview, Running, SearchHandle, Service};
pub use observe::{Control, Event, Observer};
pub use one_page::OnePage;
pub use osprey_crawl::{Progress, Report, Stop, VisitRow};
pub use osprey_fetch::{FetchOptions, HttpSource};
pub use osprey_index::{Query, Request, Results};
pub use parts::{Parts, Sampling, StructureOptions};
pub use project::{Overrides, Project};
pub use run::CrawlOptions;
pub use source::{AnySource, SourceKind};
pub use status::{Course, CrawlState, Fetched, HostStatus, LinkCounts, PageTypeCount, Status};
pub use terms::{ProposedTerms, TermsOptions};
pub use topic::{ExpandedTopic, TagPages, Topic};
pub use view::link_json;
pub use words::{duration, grouped};
