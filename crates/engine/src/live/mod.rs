//! A crawl that runs, and those who want to know about it.
//!
//! The stores of a crawl have one owner: the thread that crawls. Everybody else asks that thread, in whatever process they
//! are: the [`Monitor`] of a running crawl listens on a socket in the project's folder ([`socket`]), which only the owner of
//! the folder may use, and answers between two pages. [`Running`] is the other end. When no crawl runs, nobody listens, and
//! the stores are opened to look.

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
