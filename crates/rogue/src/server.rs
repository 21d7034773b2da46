//! A server on its own thread, so that plain tests can use it and child processes can connect to it.
//!
//! Each server has one thread and a small runtime: a test may start a dozen, and the cost of a server can be
//! separated from that of the crawler. Dropping the [`Server`] closes the listener and all connections and joins the
//! thread.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use rustls::ServerConfig;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio_rustls::TlsAcceptor;

use crate::log::{Arrival, Ledger, RequestTally};
use crate::{Flood, Site, frames, http1, http2};

/// The queue of connections to accept: a crawl of many hosts opens all of them at its start.
const BACKLOG: u32 = 4096;
/// The pause after a failed accept (no descriptors left).
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// How requests are recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Record {
    /// Every arrival, in memory.
    #[default]
    All,
    /// Counts only: memory grows by some bytes per host and URL.
    Tally,
    /// Counts, and a line per request in this file: wall-clock milliseconds, address, host, path.
    File(PathBuf),
}

/// How connections begin.
#[derive(Clone)]
enum Transport {
    Tcp,
    Tls(Arc<ServerConfig>),
    /// TLS that negotiates `h2` and then sends this flood.
    Flood(Arc<ServerConfig>, Flood),
    /// Accepts connections and never sends anything.
    Mute,
    /// Accepts connections and closes them at once.
    Closing,
}

/// The settings of a server before it starts.
#[derive(Clone)]
pub struct Listen {
    address: IpAddr,
    port: u16,
    record: Record,
    transport: Transport,
}

impl Default for Listen {
    fn default() -> Self {
        Self { address: Ipv4Addr::LOCALHOST.into(), port: 0, record: Record::All, transport: Transport::Tcp }
    }
}

impl Listen {
    /// Listens on 127.0.0.1, on a free port, without TLS.
    pub fn new() -> Self {
        Self::default()
    }

    /// Listens on this address. `0.0.0.0` means all of 127.0.0.0/8.
    #[must_use]
    pub fn address(mut self, address: impl Into<IpAddr>) -> Self {
        self.address = address.into();
        self
    }

    /// Listens on this port instead of a free one.
    #[must_use]
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// Sets how requests are recorded.
    #[must_use]
    pub fn record(mut self, record: Record) -> Self {
        self.record = record;
        self
    }

    /// Uses TLS; HTTP/2 if the configuration offers `h2` and the client selects it.
    #[must_use]
    pub fn tls(mut self, config: Arc<ServerConfig>) -> Self {
        self.transport = Transport::Tls(config);
        self
    }

    /// Uses TLS and answers every request with a flood; the configuration must offer `h2` only.
    #[must_use]
    pub fn flood(mut self, config: Arc<ServerConfig>, flood: Flood) -> Self {
        self.transport = Transport::Flood(config, flood);
        self
    }

    /// Accepts connections and never sends anything: a TLS handshake never completes.
    #[must_use]
    pub fn mute(mut self) -> Self {
        self.transport = Transport::Mute;
        self
    }

    /// Accepts connections and closes them before sending anything.
    #[must_use]
    pub fn closing(mut self) -> Self {
        self.transport = Transport::Closing;
        self
    }

    /// Starts a server for `site`. It is listening when this returns.
    pub fn start(self, site: impl Site) -> io::Result<Server> {
        let file = match &self.record {
            Record::File(path) => Some(path.as_path()),
            _ => None,
        };
        let ledger = Arc::new(Ledger::new(self.record == Record::All, file)?);
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let listener = runtime.block_on(async { bind(self.address, self.port) })?;
        let addr = listener.local_addr()?;
        let scheme = if matches!(self.transport, Transport::Tcp) { "http" } else { "https" };
        let house = Arc::new(House { site, ledger: ledger.clone() });
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::Builder::new().name("rogue".to_owned()).spawn(move || {
            run(runtime, listener, &self.transport, &house, stopped);
        })?;
        Ok(Server { addr, scheme, ledger, stop: Some(stop), thread: Some(thread) })
    }
}

impl std::fmt::Debug for Listen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listen")
            .field("address", &self.address)
            .field("port", &self.port)
            .finish_non_exhaustive()
    }
}

/// A running server.
#[derive(Debug)]
pub struct Server {
    addr: SocketAddr,
    scheme: &'static str,
    ledger: Arc<Ledger>,
    /// Dropped to stop the thread.
    stop: Option<oneshot::Sender<()>>,
    /// Joined on drop.
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Serves `site` on 127.0.0.1 and a free port.
    pub fn start(site: impl Site) -> io::Result<Self> {
        Listen::new().start(site)
    }

    /// The address it listens on.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The URL of `path` at [`Server::addr`].
    pub fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.addr)
    }

    /// The URL of `path` under a host name, which the client must resolve to this server.
    pub fn url_at(&self, host: &str, path: &str) -> String {
        format!("{}://{host}:{}{path}", self.scheme, self.addr.port())
    }

    /// All requests so far, in order ([`Record::All`] only).
    pub fn log(&self) -> Vec<Arrival> {
        self.ledger.arrivals()
    }

    /// Counts of the requests so far.
    pub fn tally(&self) -> RequestTally {
        self.ledger.tally()
    }

    /// Number of TCP connections accepted so far, successful or not.
    pub fn connections(&self) -> u64 {
        self.ledger.connections()
    }

    /// Stops the server and returns the totals; a log file is then complete.
    pub fn finish(mut self) -> io::Result<RequestTally> {
        self.halt();
        self.ledger.flush()?;
        Ok(self.ledger.tally())
    }

    fn halt(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.halt();
    }
}

/// What all connections of a server share.
pub(crate) struct House<S> {
    pub(crate) site: S,
    pub(crate) ledger: Arc<Ledger>,
}

/// The two ends of a connection.
#[derive(Clone, Copy)]
pub(crate) struct Ends {
    pub(crate) peer: SocketAddr,
    pub(crate) local: SocketAddr,
}

fn bind(address: IpAddr, port: u16) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(SocketAddr::new(address, port))?;
    socket.listen(BACKLOG)
}

fn run<S: Site>(
    runtime: Runtime,
    listener: TcpListener,
    transport: &Transport,
    house: &Arc<House<S>>,
    stopped: oneshot::Receiver<()>,
) {
    runtime.block_on(async {
        tokio::select! {
            () = accept(listener, transport, house) => {}
            _ = stopped => {}
        }
    });
    runtime.shutdown_background();
}

async fn accept<S: Site>(listener: TcpListener, transport: &Transport, house: &Arc<House<S>>) {
    loop {
        let Ok((stream, peer)) = listener.accept().await else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        if !peer.ip().to_canonical().is_loopback() {
            continue; // `0.0.0.0` is meant for 127.0.0.0/8 only
        }
        house.ledger.connected();
        let (Ok(local), Ok(())) = (stream.local_addr(), stream.set_nodelay(true)) else { continue };
        let ends = Ends { peer, local };
        match transport {
            Transport::Tcp => drop(tokio::spawn(http1::serve(stream, ends, house.clone()))),
            Transport::Tls(config) => drop(tokio::spawn(secure(stream, ends, config.clone(), house.clone()))),
            Transport::Flood(config, flood) => drop(tokio::spawn(flooded(stream, config.clone(), *flood))),
            Transport::Mute => drop(tokio::spawn(listen_only(stream))),
            Transport::Closing => drop(stream),
        }
    }
}

async fn secure<S: Site>(stream: TcpStream, ends: Ends, config: Arc<ServerConfig>, house: Arc<House<S>>) {
    // A client that does not trust our certificate closes the connection here.
    let Ok(stream) = TlsAcceptor::from(config).accept(stream).await else { return };
    if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
        http2::serve(stream, ends, house).await;
    } else {
        http1::serve(stream, ends, house).await;
    }
}

async fn flooded(stream: TcpStream, config: Arc<ServerConfig>, flood: Flood) {
    if let Ok(stream) = TlsAcceptor::from(config).accept(stream).await {
        // Ends when the client closes the connection.
        let _ = frames::serve(stream, flood).await;
    }
}

/// Reads until the client closes the connection.
async fn listen_only(mut stream: TcpStream) {
    let mut buffer = [0; 1024];
    while stream.read(&mut buffer).await.is_ok_and(|read| read > 0) {}
}
