//! The types that all crates share: canonical URL, host key, scope, robots rules, one HTTP exchange, time.
//!
//! Nothing here does I/O. A type lives in the crate that produces it and moves here only when a crate
//! that must not know the producer needs it.

mod clock;
mod count;
mod exchange;
mod ids;
mod media;
mod page_type;
mod retry_after;
pub mod robots;
mod scope;
mod url;

pub use clock::{Clock, Timestamp};
pub use count::{counted, grouped};
pub use exchange::{
    BodyEnd, Exchange, FailureKind, FetchFailure, Headers, Permitted, Request, Response, Source, Validators,
};
pub use ids::{GroupFactor, GroupId, LinkId, LinkScore};
pub use media::{MediaType, sniff};
pub use page_type::{NoSuchPageType, PageType};
pub use scope::{Scope, ScopeError, ScopeKind, ScopeRefusal};
pub use url::{CanonicalUrl, HostKey, QueryEncoding, UrlBase, UrlProblem, UrlRules};
