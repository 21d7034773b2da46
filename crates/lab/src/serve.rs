//! Serves a simulated world over real HTTP, on loopback: one server for all its hosts, and a proxy for them.
//!
//! It is for crawlers and browsers on the same machine: HTTP/1.1 without TLS, no request bodies, a bounded number of
//! connections, one thread. The host comes from the `Host` header, or from the absolute URL of a proxy request.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Body, Incoming};
use hyper::header::{CONNECTION, CONTENT_LENGTH, COOKIE, HOST, HeaderName, HeaderValue, LOCATION};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use osprey_model::{CanonicalUrl, UrlRules};
use osprey_world::{Ask, World};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::{Semaphore, watch};

/// Connections at one time; more wait to be accepted.
const CONNECTIONS: u32 = 1000;
/// How long a client may take for the head of a request; also how long an idle connection is kept.
const HEAD: Duration = Duration::from_secs(60);
/// How long open requests may take once the server is stopping.
const DRAIN: Duration = Duration::from_secs(1);
/// The pause after a failure to accept, which nearly always means too many open files.
const RECOVER: Duration = Duration::from_millis(100);

type Reply = Response<Full<Bytes>>;

/// A world that is being served, until this is dropped.
#[derive(Debug)]
pub struct WorldServer {
    addr: SocketAddr,
    stop: watch::Sender<bool>,
    /// Joined on drop.
    thread: Option<JoinHandle<()>>,
}

impl WorldServer {
    /// Serves a world on 127.0.0.1, on this port or, with 0, on a free one. It is listening when this returns. With
    /// `with_delay`, answers take as long as those of a real site.
    pub fn start(world: World, port: u16, with_delay: bool) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, port)))?;
        let addr = listener.local_addr()?;
        let seed = world.seeds().into_iter().next().unwrap_or_default();
        let site = Arc::new(Site { world, seed, with_delay });
        let (stop, stopped) = watch::channel(false);
        let thread = std::thread::Builder::new().name("world".to_owned()).spawn(move || {
            runtime.block_on(listen(listener, site, stopped));
        })?;
        Ok(Self { addr, stop, thread: Some(thread) })
    }

    /// The address it listens on.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }
}

impl Drop for WorldServer {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn listen(listener: TcpListener, site: Arc<Site>, mut stop: watch::Receiver<bool>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS as usize));
    loop {
        let place = tokio::select! {
            _ = stop.wait_for(|stop| *stop) => break,
            place = Arc::clone(&places).acquire_owned() => place,
        };
        let accepted = tokio::select! {
            _ = stop.wait_for(|stop| *stop) => break,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(RECOVER).await;
            continue;
        };
        let (site, stop) = (Arc::clone(&site), stop.clone());
        tokio::spawn(async move {
            serve(stream, &site, stop).await;
            drop(place);
        });
    }
    drop(listener);
    // all places are free when all connections have ended
    let _ = tokio::time::timeout(DRAIN, places.acquire_many(CONNECTIONS)).await;
}

async fn serve(stream: TcpStream, site: &Site, mut stop: watch::Receiver<bool>) {
    // answers are written in one piece
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| async move { Ok::<_, Infallible>(site.reply(&request).await) });
    let mut builder = http1::Builder::new();
    // the same request has the same answer: no date in it
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .auto_date_header(false)
        .title_case_headers(true);
    let mut connection = std::pin::pin!(builder.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = stop.wait_for(|stop| *stop) => connection.as_mut().graceful_shutdown(),
    }
    // a client that closed the connection is not an error
    let _ = connection.await;
}

/// What every connection shares.
struct Site {
    world: World,
    /// Where the world begins.
    seed: String,
    with_delay: bool,
}

impl Site {
    async fn reply(&self, request: &Request<Incoming>) -> Reply {
        if !request.body().is_end_stream() {
            let mut reply = empty(StatusCode::PAYLOAD_TOO_LARGE);
            reply.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            return reply;
        }
        let header = |name| request.headers().get(name).and_then(|value| value.to_str().ok());
        let (uri, host) = (request.uri(), header(HOST).unwrap_or_default());
        let is_proxied = uri.scheme().is_some();
        let url = if is_proxied { uri.to_string() } else { format!("http://{host}{uri}") };
        // parameters are not dropped: a server answers exactly the requested URL
        let rules = UrlRules { drop_params: Vec::new(), ..UrlRules::default() };
        let Ok(url) = CanonicalUrl::parse(&url, &rules) else { return empty(StatusCode::BAD_REQUEST) };
        if !self.world.has_host_of(&url) {
            // a user who typed the address instead of the name
            let is_address = !is_proxied && host.split(':').next() == Some("127.0.0.1");
            return if is_address { self.redirect_to_seed() } else { empty(StatusCode::BAD_GATEWAY) };
        }
        let answer = self.world.answer(&Ask { url: &url, cookie: header(COOKIE) });
        if self.with_delay {
            tokio::time::sleep(answer.delay).await;
        }
        let length = answer.body.len();
        let mut reply = Response::new(Full::new(answer.body));
        *reply.status_mut() =
            StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        for (name, value) in answer.headers.iter() {
            if let (Ok(name), Ok(value)) =
                (name.parse::<HeaderName>(), HeaderValue::from_bytes(value.as_bytes()))
            {
                reply.headers_mut().append(name, value);
            }
        }
        if !matches!(reply.status(), StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED) {
            // sent for HEAD as well, which has no body to count
            reply.headers_mut().insert(CONTENT_LENGTH, length.into());
        }
        reply
    }

    fn redirect_to_seed(&self) -> Reply {
        let mut reply = empty(StatusCode::FOUND);
        if let Ok(seed) = HeaderValue::from_str(&self.seed) {
            reply.headers_mut().insert(LOCATION, seed);
        }
        reply
    }
}

fn empty(status: StatusCode) -> Reply {
    let mut reply = Reply::default();
    *reply.status_mut() = status;
    reply
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use osprey_world::{Kind, Options};

    use super::*;

    /// Sends requests over one connection, the last of which closes it; returns everything received.
    fn talk(server: &WorldServer, requests: &[&str]) -> String {
        let mut stream = TcpStream::connect(server.addr()).expect("loopback");
        for request in requests {
            stream.write_all(request.as_bytes()).expect("a listener");
        }
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn forum() -> (World, WorldServer) {
        let options = Options { pages: 200, domain: "example".to_owned(), ..Options::default() };
        let world = World::new(Kind::Forum, &options).expect("a world");
        (world.clone(), WorldServer::start(world, 0, false).expect("a port"))
    }

    #[test]
    fn hosts_are_distinguished_and_connections_are_kept() {
        let (world, server) = forum();
        let seed = world.seeds().remove(0);
        let url = CanonicalUrl::parse(&seed, &UrlRules::default()).expect("a seed");
        let (host, body) = (url.authority(), world.answer(&Ask { url: &url, cookie: None }).body);
        let length = format!("Content-Length: {}\r\n", body.len());
        let text = talk(
            &server,
            &[
                &format!("HEAD / HTTP/1.1\r\nHost: {host}\r\n\r\n"),
                &format!("GET {seed} HTTP/1.1\r\nHost: x\r\n\r\n"),
                "GET http://elsewhere.example/ HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n",
                &format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"),
            ],
        );
        let heads: Vec<&str> = text.matches("HTTP/1.1 200 OK\r\n").collect();
        assert_eq!((heads.len(), text.matches(&length).count()), (3, 3), "{text}");
        assert_eq!(text.matches(&*String::from_utf8_lossy(&body)).count(), 2, "HEAD has no body: {text}");
        assert!(
            text.contains("HTTP/1.1 502 Bad Gateway\r\n") && !text.to_lowercase().contains("\r\ndate:"),
            "{text}"
        );
    }

    #[test]
    fn requests_that_are_not_for_pages_are_refused() {
        let (world, server) = forum();
        let close = "Connection: close\r\n";
        let check = |request: String, expect: &str| {
            let answer = talk(&server, &[&request]);
            assert!(answer.starts_with(&format!("HTTP/1.1 {expect}")), "{request}: {answer}");
            answer
        };
        let addr = server.addr();
        let answer = check(format!("GET / HTTP/1.1\r\nHost: {addr}\r\n{close}\r\n"), "302 ");
        assert!(answer.contains(&format!("Location: {}\r\n", world.seeds().remove(0))), "{answer}");
        check(format!("GET / HTTP/1.1\r\n{close}\r\n"), "400 ");
        check(format!("GET / HTTP/1.1\r\nHost: a b\r\n{close}\r\n"), "400 ");
        check("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n".to_owned(), "413 ");
        check("\u{16}\u{3}\u{1}\r\n\r\n".to_owned(), "400 ");
    }

    #[test]
    fn it_ends_with_open_connections() {
        let (_, server) = forum();
        let mut idle = TcpStream::connect(server.addr()).expect("loopback");
        idle.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").expect("a listener");
        let mut start = [0; 9];
        idle.read_exact(&mut start).expect("an answer");
        drop(server);
        idle.read_to_end(&mut Vec::new()).expect("an end");
    }
}
