//! Making a connection: name, guard, TCP, proxy, TLS.
//!
//! The guard is between the name and the socket, here and nowhere else. Addresses are tried in their order,
//! each with its share of the time that is left, so that one that does not answer leaves some for the next.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use osprey_model::{CanonicalUrl, FailureKind};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use crate::counts::{Opened, Tally};
use crate::error::FetchError;
use crate::fault::{Fault, words};
use crate::io::Io;
use crate::options::FetchOptions;
use crate::proxy::{Proxy, ProxyKind, Target, http_connect, socks_connect};
use crate::resolve::{Resolver, literal};
use crate::tls::{Tls, chose_http2};

/// The least time an address is given, even if many are left to try.
const SHORTEST_TRY: Duration = Duration::from_millis(500);

/// What connections are made with.
pub(crate) struct Connector {
    pub(crate) resolver: Resolver,
    pub(crate) proxy: Option<Proxy>,
    tls: Tls,
    tally: Arc<Tally>,
}

/// A connection just made.
#[derive(Debug)]
pub(crate) struct Connected {
    pub(crate) io: Io,
    /// The server's address, where it was we who connected to it.
    pub(crate) ip: Option<IpAddr>,
    pub(crate) is_http2: bool,
}

impl Connector {
    pub(crate) fn new(options: &FetchOptions, tally: &Arc<Tally>) -> Result<Self, FetchError> {
        Ok(Self {
            resolver: Resolver::new(options, Arc::clone(tally)),
            proxy: options.proxy.clone(),
            tls: Tls::new(&options.extra_roots)?,
            tally: Arc::clone(tally),
        })
    }

    /// Connects to the server of `url` by `deadline`.
    pub(crate) async fn connect(
        &self,
        url: &CanonicalUrl,
        offer_http2: bool,
        deadline: Instant,
    ) -> Result<Connected, Fault> {
        let (stream, ip) = self.reach(url, deadline).await?;
        let opened = Opened::new(&self.tally);
        if url.scheme() == "http" {
            return Ok(Connected { io: Io::plain(stream, opened), ip, is_http2: false });
        }
        let stream = self.tls.shake_hands(stream, url.host(), offer_http2).await?;
        let is_http2 = chose_http2(&stream);
        Ok(Connected { io: Io::tls(stream, opened), ip, is_http2 })
    }

    /// A stream to the server itself, or through the proxy; for plain HTTP over an HTTP proxy, to the proxy.
    async fn reach(
        &self,
        url: &CanonicalUrl,
        deadline: Instant,
    ) -> Result<(TcpStream, Option<IpAddr>), Fault> {
        let (host, port) = (url.host(), url.port());
        let Some(proxy) = &self.proxy else {
            let addresses = self.resolver.addresses(host).await?;
            let (stream, ip) = dial(&addresses, host, port, deadline).await?;
            return Ok((stream, Some(ip)));
        };
        // Before the proxy is troubled: may this target be asked for at all?
        let address = if proxy.resolves_names() {
            self.resolver.check_literal(host)?;
            None
        } else {
            self.resolver.addresses(host).await?.first().copied()
        };
        let mut stream = self.dial_proxy(proxy, deadline).await?;
        let target = match address.or_else(|| literal(host)) {
            Some(ip) => Target::Address(ip),
            None => Target::Name(host),
        };
        match proxy.kind {
            ProxyKind::Http if url.scheme() == "http" => {}
            ProxyKind::Http => http_connect(&mut stream, proxy, host, port).await?,
            ProxyKind::Socks | ProxyKind::SocksNames => {
                socks_connect(&mut stream, proxy, target, port).await?;
            }
        }
        Ok((stream, address))
    }

    async fn dial_proxy(&self, proxy: &Proxy, deadline: Instant) -> Result<TcpStream, Fault> {
        let dialled = match self.resolver.unguarded(&proxy.host).await {
            Ok(addresses) => dial(&addresses, &proxy.host, proxy.port, deadline).await,
            Err(fault) => Err(fault),
        };
        dialled
            .map(|(stream, _)| stream)
            .map_err(|fault| Fault::new(FailureKind::Connect, format!("proxy `{proxy}`: {}", fault.message)))
    }
}

/// Connects to the first address that answers. The last failure is the one that is told.
async fn dial(
    addresses: &[IpAddr],
    host: &str,
    port: u16,
    deadline: Instant,
) -> Result<(TcpStream, IpAddr), Fault> {
    let mut fault = Fault::new(FailureKind::Connect, format!("`{host}`: no address"));
    for (index, &ip) in addresses.iter().enumerate() {
        let left = u32::try_from(addresses.len() - index).unwrap_or(u32::MAX);
        let time = (deadline.saturating_duration_since(Instant::now()) / left).max(SHORTEST_TRY);
        let address = SocketAddr::new(ip, port);
        let at = if literal(host) == Some(ip) {
            format!("`{host}:{port}`")
        } else {
            format!("`{host}` at `{address}`")
        };
        match timeout(time, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => {
                // A refusal would only cost latency.
                let _ = stream.set_nodelay(true);
                return Ok((stream, ip));
            }
            Ok(Err(error)) => fault = Fault::new(FailureKind::Connect, format!("{at}: {}", words(&error))),
            Err(_) => {
                let message = format!("{at}: no connection within {:.1} s", time.as_secs_f64());
                fault = Fault::new(FailureKind::Timeout, message);
            }
        }
    }
    Err(fault)
}
