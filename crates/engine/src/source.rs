//! Where the pages of a project come from.
//!
//! A project's file names the Web, a recording or a simulated web. A program may bring its own [`Source`]: the trait
//! has unnamed futures and cannot be an object, so [`AnySource`] boxes them, one small allocation per request.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use osprey_archive::ReplayOptions;
use osprey_fetch::FetchOptions;
use osprey_model::{Exchange, HostKey, Request, Source};
use osprey_world::World;

/// Where pages come from.
#[derive(Clone, Debug)]
pub enum SourceKind {
    /// The live Web: many requests at a time.
    Http(Box<FetchOptions>),
    /// A recording: a file or a folder.
    Replay {
        /// Where it is.
        path: PathBuf,
        /// How it is read.
        options: Box<ReplayOptions>,
    },
    /// A simulated web.
    World(World),
    /// A source of the caller's, which has to answer the same always: it is asked for one page at a time.
    Custom(AnySource),
}

/// Any source.
#[derive(Clone)]
pub struct AnySource(Arc<dyn ObjectSource>);

impl AnySource {
    /// This one.
    pub fn new(source: impl Source) -> Self {
        Self(Arc::new(source))
    }
}

impl fmt::Debug for AnySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AnySource")
    }
}

impl Source for AnySource {
    async fn fetch(&self, request: Request) -> Exchange {
        self.0.fetch_boxed(request).await
    }

    async fn locate(&self, host: &HostKey) -> Option<IpAddr> {
        self.0.locate_boxed(host).await
    }
}

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A source as an object.
trait ObjectSource: Send + Sync {
    fn fetch_boxed(&self, request: Request) -> Boxed<'_, Exchange>;
    fn locate_boxed<'a>(&'a self, host: &'a HostKey) -> Boxed<'a, Option<IpAddr>>;
}

impl<S: Source> ObjectSource for S {
    fn fetch_boxed(&self, request: Request) -> Boxed<'_, Exchange> {
        Box::pin(self.fetch(request))
    }

    fn locate_boxed<'a>(&'a self, host: &'a HostKey) -> Boxed<'a, Option<IpAddr>> {
        Box::pin(self.locate(host))
    }
}
