//! The live Web: HTTP exchanges, bounded in time and size, that reach public addresses only.
//!
//! [`HttpSource`] implements [`osprey_model::Source`]; this is the one crate of a crawl that opens sockets. It
//! answers, and never decides: redirects, errors and oddities are answers; retries later, politeness and robots
//! rules are the crawl's. The one retry here is of a request that a kept connection proved too dead to carry.
//!
//! An exchange goes through: request head, pool or connector (name, guard, TCP, proxy, TLS),
//! HTTP/1.1 or HTTP/2, body, content codings, cookies.

mod body;
mod connect;
mod cookies;
mod counts;
mod error;
mod fault;
#[doc(hidden)]
#[cfg(fuzzing)]
pub mod fuzzing;
mod gates;
mod generations;
mod guard;
mod http1;
mod http2;
mod io;
mod media;
mod options;
mod patience;
mod pool;
mod proxy;
mod request;
mod resolve;
mod source;
mod text;
mod tls;

pub use counts::Counts;
pub use error::FetchError;
pub use guard::refusal;
pub use media::{MediaFilter, MediaFilterError};
pub use options::{Cookies, FetchOptions, Timeouts};
pub use proxy::{Proxy, ProxyError};
pub use source::HttpSource;
