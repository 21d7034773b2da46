//! HTTP/2: one connection per origin, shared by the exchanges with it.
//!
//! The connection is driven by a task of its own, which ends when the pool and all exchanges have let go of it, and
//! at the latest after an hour. It does not wait for a farewell: a server that reads nothing would hold it up.
//!
//! A request is sent again only where the server has said that it did not look at it, on a connection that had
//! answered before, or where it was not sent at all. The driver sees at once when an idle connection ends, so one
//! that breaks under a request is hardly ever an old one. A server that refuses a stream is alive and has asked for
//! less, even though the protocol would allow to insist.

use std::convert::Infallible;
use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use h2::client::{Builder, ResponseFuture, SendRequest};
use h2::{Reason, RecvStream};
use http::{HeaderName, HeaderValue, Method, Request, Uri, Version};
use osprey_model::{CanonicalUrl, Headers};
use tokio::sync::oneshot;

use crate::body::{Piece, Pieces};
use crate::fault::{Again, Broken, Fault, words};
use crate::http1::{HeadLimits, MAX_INTERIM};
use crate::io::Io;
use crate::patience::{Patience, Stage};
use crate::text::text;

const LONGEST_LIFE: Duration = Duration::from_secs(3600);
/// What a server may send of one body, and of all together, before we have taken it.
const STREAM_WINDOW: u32 = 1 << 20;
const CONNECTION_WINDOW: u32 = 4 << 20;

/// What the users of a connection share.
struct User {
    /// Keeps the connection's task going as long as it lives, and is told when that has ended.
    task: oneshot::Sender<Infallible>,
    /// Whether an answer has come over the connection.
    is_proven: AtomicBool,
    /// Whether the connection has failed, if it is still open for what was under way.
    is_spent: AtomicBool,
}

/// A handle on a connection; cheap to clone.
#[derive(Clone)]
pub(crate) struct Shared {
    send: SendRequest<Bytes>,
    user: Arc<User>,
    pub(crate) ip: Option<IpAddr>,
}

/// An answer whose body has still to be read.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Headers,
    pub(crate) body: Body,
}

/// The rest of an answer.
pub(crate) struct Body {
    stream: RecvStream,
    announced: Option<u64>,
    /// The part of a frame that had no room.
    rest: Bytes,
    _user: Arc<User>,
}

impl User {
    /// An error before the answer's head.
    fn broken(&self, error: &h2::Error, is_sent: bool) -> Broken {
        if error.is_io() || error.is_go_away() {
            self.is_spent.store(true, Relaxed);
        }
        let was_passed_over = error.is_go_away()
            && error.is_remote()
            && error.reason() == Some(Reason::NO_ERROR)
            && self.is_proven.load(Relaxed);
        let again = match error.reason() {
            Some(Reason::HTTP_1_1_REQUIRED) => Again::LaterHttp1,
            Some(Reason::ENHANCE_YOUR_CALM) if error.is_remote() => Again::No,
            _ if !is_sent || was_passed_over => Again::Fresh,
            _ => Again::No,
        };
        Broken { fault: Fault::protocol(format!("no answer: {}", said(error))), again }
    }
}

impl Shared {
    /// Begins to speak HTTP/2 over a fresh connection.
    pub(crate) async fn start(io: Io, ip: Option<IpAddr>, limits: HeadLimits) -> Result<Self, Fault> {
        let mut builder = Builder::new();
        builder
            .enable_push(false)
            .initial_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_header_list_size(u32::try_from(limits.bytes).unwrap_or(u32::MAX));
        let (send, connection) = builder
            .handshake(io)
            .await
            .map_err(|error| Fault::protocol(format!("HTTP/2: {}", said(&error))))?;
        let (task, mut users) = oneshot::channel();
        tokio::spawn(async move {
            let mut connection = pin!(connection);
            // Its errors reach the exchanges; what `users` brings is that there are none any more.
            let driving = poll_fn(|cx| match connection.as_mut().poll(cx) {
                Poll::Ready(_) => Poll::Ready(()),
                Poll::Pending => Pin::new(&mut users).poll(cx).map(|_| ()),
            });
            let _ = tokio::time::timeout(LONGEST_LIFE, driving).await;
        });
        let user = Arc::new(User { task, is_proven: false.into(), is_spent: false.into() });
        Ok(Self { send, user, ip })
    }

    pub(crate) fn is_open(&self) -> bool {
        !self.user.task.is_closed() && !self.user.is_spent.load(Relaxed)
    }

    /// Sends a request and reads the head of the answer. `request` is the head as HTTP/1 would send it.
    pub(crate) async fn ask(
        self,
        url: &CanonicalUrl,
        request: &str,
        limits: HeadLimits,
        patience: &mut Patience<'_>,
    ) -> Result<Answer, Broken> {
        patience.enter(Stage::FirstByte);
        let request = translate(url, request)?;
        let user = self.user;
        let unsent = |error| user.broken(&error, false);
        let unanswered = |error| user.broken(&error, true);
        let mut send = patience.wait(self.send.ready()).await?.map_err(unsent)?;
        let (answer, _) = send.send_request(request, true).map_err(unsent)?;
        let (parts, stream) = patience.wait(final_answer(answer, unanswered)).await??.into_parts();
        user.is_proven.store(true, Relaxed);
        if parts.headers.len() > limits.lines {
            return Err(Fault::protocol(format!("more than {} header lines", limits.lines)).into());
        }
        let headers: Headers =
            parts.headers.iter().map(|(name, value)| (name.as_str(), text(value.as_bytes()))).collect();
        let announced = headers.get("content-length").and_then(|length| length.trim().parse().ok());
        let body = Body { stream, announced, rest: Bytes::new(), _user: user };
        Ok(Answer { status: parts.status.as_u16(), headers, body })
    }
}

/// The answer proper. Interim ones are not flow-controlled: they must be taken, and counted.
async fn final_answer(
    mut answer: ResponseFuture,
    broken: impl Fn(h2::Error) -> Broken,
) -> Result<http::Response<RecvStream>, Broken> {
    let mut interim = 0;
    poll_fn(|cx| {
        while let Poll::Ready(Some(read)) = answer.poll_informational(cx) {
            interim += 1;
            if let Err(error) = read {
                return Poll::Ready(Err(broken(error)));
            }
            if interim > MAX_INTERIM {
                return Poll::Ready(Err(Fault::protocol("too many interim responses").into()));
            }
        }
        Pin::new(&mut answer).poll(cx).map_err(&broken)
    })
    .await
}

/// The same request in the terms of HTTP/2.
fn translate(url: &CanonicalUrl, request: &str) -> Result<Request<()>, Fault> {
    let unfit = |what: &str| Fault::protocol(format!("{what} can't be sent over HTTP/2"));
    let uri = url.as_str().parse::<Uri>().map_err(|_| unfit("the URL"))?;
    let mut out = Request::new(());
    *out.method_mut() = Method::GET;
    *out.uri_mut() = uri;
    *out.version_mut() = Version::HTTP_2;
    for line in request.split("\r\n").skip(1) {
        let Some((name, value)) = line.split_once(": ") else { continue };
        if name == "Host" {
            continue;
        }
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unfit("a header line"))?;
        let value = HeaderValue::from_bytes(value.as_bytes()).map_err(|_| unfit("a header line"))?;
        out.headers_mut().append(name, value);
    }
    Ok(out)
}

/// What the peer said, in words.
fn said(error: &h2::Error) -> String {
    match (error.get_io(), error.reason()) {
        (Some(io), _) => words(io),
        (None, Some(reason)) if error.is_go_away() => format!("connection ended ({})", reason.description()),
        (None, Some(reason)) if error.is_reset() => format!("stream reset ({})", reason.description()),
        _ => error.to_string(),
    }
}

impl Pieces for Body {
    async fn more(&mut self, out: &mut Vec<u8>, room: usize) -> Result<Piece, String> {
        if self.rest.is_empty() {
            match self.stream.data().await {
                None => return Ok(Piece::End),
                Some(Err(error)) => return Err(said(&error)),
                Some(Ok(data)) => {
                    self.stream.flow_control().release_capacity(data.len()).map_err(|error| said(&error))?;
                    self.announced = self.announced.map(|left| left.saturating_sub(data.len() as u64));
                    self.rest = data;
                }
            }
        }
        let piece = self.rest.split_to(self.rest.len().min(room));
        out.extend_from_slice(&piece);
        Ok(if self.rest.is_empty() && self.stream.is_end_stream() { Piece::End } else { Piece::More })
    }

    fn announced(&self) -> Option<u64> {
        self.announced
    }
}
