//! What a fetcher is told: limits, identity, and ways around the plain network.
//!
//! Everything that comes from the Web has a bound here, in bytes or in time; there is no "unlimited".

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use crate::cookies::Jar;
use crate::error::FetchError;
use crate::media::MediaFilter;
use crate::proxy::Proxy;

/// How long each stage of an exchange may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Name, TCP, proxy and TLS together.
    pub connect: Duration,
    /// From the request to the whole head of the answer.
    pub first_byte: Duration,
    /// Between two pieces of the body.
    pub idle: Duration,
    /// The whole exchange, whatever it is doing.
    pub whole: Duration,
    /// Bytes that an answer has to bring in a second, on average, once it has begun and `grace` is over; 0 asks for
    /// nothing.
    pub min_rate: u32,
    /// How long after its first byte an answer may be as slow as it likes.
    pub grace: Duration,
}

impl Timeouts {
    /// The same for a robots.txt, which has `whole` and no more: it is small, and all of its host waits for it.
    #[must_use]
    pub fn for_robots(self, whole: Duration) -> Self {
        Self {
            connect: self.connect.min(whole),
            first_byte: self.first_byte.min(whole),
            idle: self.idle.min(whole),
            whole: self.whole.min(whole),
            grace: self.grace.min(whole / 3),
            ..self
        }
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(30),
            idle: Duration::from_secs(20),
            whole: Duration::from_secs(120),
            min_rate: 100,
            grace: Duration::from_secs(15),
        }
    }
}

/// Whether cookies are kept, and what the jar begins with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Cookies {
    /// None are kept or sent.
    Off,
    /// An empty jar.
    #[default]
    Fresh,
    /// The jar that [`crate::HttpSource::cookies`] gave, as JSON.
    Restored(String),
}

impl Cookies {
    /// An error if the jar was not written by this program, or not all of it is there.
    pub fn check(&self) -> Result<(), FetchError> {
        match self {
            Self::Restored(text) => Jar::from_json(text).map(drop).map_err(FetchError::Cookies),
            Self::Off | Self::Fresh => Ok(()),
        }
    }
}

/// Settings of a [`crate::HttpSource`].
#[derive(Clone, Debug)]
pub struct FetchOptions {
    /// Sent as `User-Agent`.
    pub user_agent: String,
    /// Lets requests reach private, loopback and other addresses that are not of the public Web.
    pub allow_private: bool,
    /// Bytes of a body after its content codings were removed; the rest is cut.
    pub max_body: usize,
    /// Bytes of a coded body as they are sent; without it as many as [`FetchOptions::max_body`].
    pub max_wire: Option<usize>,
    /// Bytes of an answer's head.
    pub max_header_bytes: usize,
    /// Header lines of an answer.
    pub max_headers: usize,
    /// Time limits.
    pub timeouts: Timeouts,
    /// The same for robots.txt.
    pub robots_timeouts: Timeouts,
    /// Connections kept open while nothing is asked over them, of all hosts together.
    pub max_idle_connections: usize,
    /// How long a connection is kept open so.
    pub keep_alive: Duration,
    /// Whether HTTP/2 is offered to servers (over TLS, by ALPN).
    pub http2: bool,
    /// Where all requests go through. Names that it resolves can't be guarded: only addresses written in URLs.
    pub proxy: Option<Proxy>,
    /// Whether cookies are kept.
    pub cookies: Cookies,
    /// Answers instead of DNS, by name in lower case; still guarded. Not used where a proxy resolves the names.
    pub hosts: HashMap<String, Vec<IpAddr>>,
    /// Name servers to ask instead of this machine's; none by default. What they answer is guarded like any answer.
    pub name_servers: Vec<SocketAddr>,
    /// Certificates (PEM) trusted besides the public roots.
    pub extra_roots: Vec<Vec<u8>>,
    /// The media types whose bodies are read; robots.txt is always read.
    pub accept: MediaFilter,
}

impl Default for FetchOptions {
    fn default() -> Self {
        Self {
            user_agent: concat!("osprey/", env!("CARGO_PKG_VERSION")).to_owned(),
            allow_private: false,
            max_body: 10 << 20,
            max_wire: None,
            max_header_bytes: 64 << 10,
            max_headers: 256,
            timeouts: Timeouts::default(),
            robots_timeouts: Timeouts::default().for_robots(Duration::from_secs(15)),
            max_idle_connections: 256,
            keep_alive: Duration::from_secs(30),
            http2: true,
            proxy: None,
            cookies: Cookies::default(),
            hosts: HashMap::new(),
            name_servers: Vec::new(),
            extra_roots: Vec::new(),
            accept: MediaFilter::default(),
        }
    }
}
