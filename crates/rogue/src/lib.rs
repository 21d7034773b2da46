//! Loopback web servers for tests: some record what clients do, others misbehave on purpose.
//!
//! For tests and measurements only; the product never links this. Everything listens on 127.0.0.0/8 (or `::1`), so
//! nothing here needs a live site. A server records how politely a crawler behaved: when each request arrived, from
//! where, and how many were open at once.
//!
//! A [`Site`] is a plain function from a request to an [`Answer`]. An answer is a well-formed [`Reply`], a script of
//! raw bytes and pauses, or an HTTP/2 fault: so everything that a broken or hostile server does is a row in a table
//! ([`Misbehaviour::ALL`]) instead of a server of its own. HTTP/1.1 is written by hand because a library refuses to
//! send what these tests must send.

mod answer;
mod bomb;
mod dns;
mod frames;
mod http1;
mod http2;
mod log;
mod server;
mod sites;
mod tls;

pub use answer::{Answer, Http2Fault, Reply, Site, SiteRequest, Step};
pub use bomb::{Bomb, Coding};
pub use dns::Dns;
pub use frames::Flood;
pub use log::{Arrival, HostTally, RequestTally};
pub use server::{Listen, Record, Server};
pub use sites::{
    Channel, Expect, Files, Flaky, Hosts, Misbehave, Misbehaviour, Plain, Rates, RobotsCase, RobotsExpect,
    Rogues,
};
pub use tls::{Authority, Identity};
