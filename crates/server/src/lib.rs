//! The web interface: pages and a REST API over searchers and crawls.
//!
//! The server renders pages that work without scripts; small modules add live updates. Everything from the Web stays
//! text until a browser shows it: `maud` escapes it, `security` keeps a browser from running it, and pictures are
//! encoded again from their pixels before they are sent. Projects are the engine's [`Service`]s: this crate does HTTP
//! and nothing else. It prints nothing; it emits `tracing` events (`access`).

mod access;
mod answer;
mod api;
mod app;
mod assets;
mod cache;
mod crawl_view;
mod error;
mod examples;
mod listen;
mod metrics;
mod pages;
mod pictures;
mod posted;
mod routes;
mod search;
mod security;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

pub use answer::results_json;
pub use app::Options;
use osprey_engine::Service;
pub use routes::{OPENAPI, service_name};
use tokio::sync::watch;

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    runtime: tokio::runtime::Runtime,
    task: tokio::task::JoinHandle<io::Result<()>>,
    address: SocketAddr,
    stop: watch::Sender<bool>,
}

impl Server {
    /// Listens on an address; port 0 for a free one. Without a token the address has to be of this machine's own.
    pub fn start(address: SocketAddr, projects: Vec<Arc<Service>>, options: Options) -> io::Result<Self> {
        if options.token.is_none() && !address.ip().is_loopback() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "an address reachable from other machines needs a token",
            ));
        }
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(options.workers.max(1))
            .thread_name("server")
            .enable_all()
            .build()?;
        let (stop, stopped) = watch::channel(false);
        let app = Arc::new(app::App::new(projects, options)?);
        let router = routes::router(Arc::clone(&app), stopped.clone());
        let listener = runtime.block_on(tokio::net::TcpListener::bind(address))?;
        let address = listener.local_addr()?;
        let task = runtime.spawn(listen::listen(listener, router, app, stopped));
        Ok(Self { runtime, task, address, stop })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Shuts down; open requests are answered within a few seconds.
    pub fn stop(self) -> io::Result<()> {
        let _ = self.stop.send(true);
        let ended = self.runtime.block_on(self.task).unwrap_or_else(|cause| Err(io::Error::other(cause)));
        self.runtime.shutdown_background();
        ended
    }
}
