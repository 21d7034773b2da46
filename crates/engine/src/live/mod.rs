//! A running crawl, and the processes that watch and control it.
//!
//! The stores of a crawl have one owner: the crawling thread. All others send requests to that thread, from any
//! process: the [`Monitor`] of a running crawl listens on a socket in the project's folder ([`socket`]), which only the
//! owner of the folder may use, and answers between two pages. [`Running`] is the client. When no crawl runs, the
//! socket is dead, and readers open the stores themselves.

mod job;
mod journal;
mod monitor;
mod protocol;
mod service;
mod socket;
mod stores;

pub(crate) use journal::{Journal, SAMPLE};
pub(crate) use monitor::Monitor;
pub use service::{Activity, Overview, SearchHandle, Service};
pub use socket::Running;
