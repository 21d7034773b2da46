//! Osprey as a library: one [`Project`] that crawls a site, learns it, indexes what it fetched and searches it.
//!
//! A project is a folder with `osprey.toml` (the configuration) and `data/` (the results). Crawl a site and search it:
//!
//! ```no_run
//! use std::sync::atomic::AtomicBool;
//!
//! use osprey_engine::{
//!     Control, CrawlOptions, Event, IndexOptions, InitOptions, Observer, Project, Query, Request,
//! };
//!
//! /// Prints what is fetched.
//! struct Printer;
//!
//! impl Observer for Printer {
//!     fn event(&self, event: &Event<'_>) {
//!         if let Event::Visit(visit) = event {
//!             println!("{} {}", visit.status, visit.url);
//!         }
//!     }
//! }
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     Project::init("harbours", &InitOptions {
//!         seeds: vec!["https://harbours.example/".to_owned()],
//!         words: vec!["lighthouse".to_owned()],
//!         contact: Some("you@your.site".to_owned()),
//!         budget: Some(500),
//!         ..InitOptions::default()
//!     })?;
//!     let project = Project::open("harbours")?;
//!     // set it from a signal handler: the crawl finishes the requests in flight, and the next crawl resumes
//!     let stop = AtomicBool::new(false);
//!     let control = Control { stop: &stop, observer: &Printer };
//!     let report = project.crawl(&CrawlOptions::default(), control)?;
//!     project.index(&IndexOptions::default(), control)?;
//!     println!("{} of {} pages were relevant", report.relevant, report.visited);
//!     let request = Request { query: Query::parse("lighthouse -storm")?, ..Request::default() };
//!     for hit in project.search(&request)?.hits {
//!         println!("{:.2} {} {}", hit.score, hit.title, hit.url);
//!     }
//!     Ok(())
//! }
//! ```
//!
//! Long functions take a [`Control`]: an observer of events, and a flag that ends the work soon with everything committed.
//! The library prints nothing; it logs with `tracing`, and [`Error::kind`] tells errors of the user from those of the program.
//! [`Running`] queries and controls a running crawl, in any process. [`Project::index`], [`Project::export`] and
//! [`Project::explain`] read the archive, so they work while a crawl runs. A program that keeps projects open, like a server,
//! uses [`Service`].

mod background;
mod best_pages;
mod captures;
mod check;
mod collect;
mod collection;
mod compare;
pub mod config;
mod cookies;
mod error;
mod estimate;
mod example_pages;
mod explain;
mod export;
mod indexing;
mod init;
mod layout;
mod learn;
mod live;
mod notify;
mod observe;
mod one_page;
mod parts;
mod project;
mod rarity;
mod ratings;
mod rejudge;
mod restore;
mod run;
mod shared_clocks;
mod site_files;
mod source;
mod stages;
mod status;
mod terms;
mod topic;
mod uploaders;
mod view;
mod words;

pub use best_pages::{BestPage, BestPages, TermChange, UsedTerm};
pub use check::{CheckReport, CheckedPart, Fault, check};
pub use collect::Collected;
pub use collection::Collection;
pub use compare::{CompareOptions, ComparedPolicy, Comparison, RelevantAt};
pub use config::ConfigError;
pub use error::{Error, ErrorKind, Result};
pub use explain::Explanation;
pub use export::{ExportFormat, ExportWhat, Exported};
pub use indexing::{IndexOptions, Indexed, index_images};
pub use init::{InitOptions, Initialised};
pub use layout::Layout;
pub use learn::{LearnOptions, LearnReport, Learned, RulesPlace, SampledPages};
pub use live::{Activity, Overview, Running, SearchHandle, Service};
pub use observe::{Control, Event, Observer};
pub use one_page::OnePage;
pub use osprey_archive::{Damage, DamagedRecord};
pub use osprey_crawl::{
    Outlook, PastWant, Progress, Rejudged, Report, Restored, StartFailure, Stop, VisitRow,
};
pub use osprey_fetch::{FetchOptions, HttpSource};
pub use osprey_index::{Query, Request, Results};
pub use osprey_steer::UploaderStanding;
pub use parts::{Parts, Sampling, StructureOptions};
pub use project::{Overrides, Project};
pub use ratings::{Estimate, PageToRate, RateOptions, Rating, RatingFigures, Ratings};
pub use rejudge::RejudgeReport;
pub use run::CrawlOptions;
pub use source::{AnySource, SourceKind};
pub use status::{Course, CrawlState, Fetched, HostStatus, LinkCounts, PageTypeCount, Status};
pub use terms::{ProposedTerms, TermsOptions};
pub use topic::{ExpandedTopic, TagPages, Topic};
pub use uploaders::Uploaders;
pub use view::link_json;
pub use words::{counted, damage_line, duration, grouped};
