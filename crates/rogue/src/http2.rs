//! HTTP/2 by the `h2` crate, which can also drop the connection in the middle.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use h2::server::SendResponse;
use h2::{Reason, RecvStream};
use http::{HeaderName, HeaderValue, Request, Response, StatusCode};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_rustls::server::TlsStream;

use crate::server::{Ends, House};
use crate::{Answer, Http2Fault, Reply, Site, SiteRequest};

/// Body bytes that are queued at a time.
const PIECE: usize = 16 << 10;
/// More than enough time to pass a few bytes to the network.
const FLUSH_TIME: Duration = Duration::from_millis(50);

/// Answers the streams of one connection.
pub(crate) async fn serve<S: Site>(stream: TlsStream<TcpStream>, ends: Ends, house: Arc<House<S>>) {
    let Ok(mut connection) = h2::server::handshake(stream).await else { return };
    // A stream that ends the whole connection sends the error code here.
    let (hang_up, mut hung_up) = mpsc::channel(1);
    loop {
        tokio::select! {
            next = connection.accept() => {
                let Some(Ok((request, respond))) = next else { return };
                tokio::spawn(answer(request, respond, ends, house.clone(), hang_up.clone()));
            }
            Some(farewell) = hung_up.recv() => match farewell {
                Some(reason) => connection.abrupt_shutdown(reason),
                None => return,
            },
        }
    }
}

async fn answer<S: Site>(
    request: Request<RecvStream>,
    respond: SendResponse<Bytes>,
    ends: Ends,
    house: Arc<House<S>>,
    hang_up: mpsc::Sender<Option<Reason>>,
) {
    let host = request.uri().authority().map_or("", |authority| authority.as_str());
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    let lines: Vec<(&str, &str)> = request
        .headers()
        .iter()
        .filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
        .collect();
    let Ends { peer, local } = ends;
    let asked = SiteRequest { host, path, peer, local, lines: &lines };
    let open = house.ledger.begin(&asked);
    match house.site.answer(&asked) {
        Answer::Reply(reply) => send(respond, reply),
        Answer::Late(wait, reply) => {
            tokio::time::sleep(wait).await;
            send(respond, reply);
        }
        // Raw HTTP/1.1 has no meaning here.
        Answer::Script(_) => send(respond, Reply::status(505)),
        Answer::Http2(fault) => misbehave(respond, fault, hang_up).await,
    }
    drop(open);
}

fn head(reply: &Reply) -> Option<Response<()>> {
    let mut response = Response::new(());
    *response.status_mut() = StatusCode::from_u16(reply.status).ok()?;
    for (name, value) in &reply.headers {
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        response.headers_mut().append(name, HeaderValue::from_str(value).ok()?);
    }
    Some(response)
}

fn send(mut respond: SendResponse<Bytes>, reply: Reply) {
    let Some(response) = head(&reply) else { return respond.send_reset(Reason::INTERNAL_ERROR) };
    if let Ok(mut body) = respond.send_response(response, reply.body.is_empty())
        && !reply.body.is_empty()
    {
        // Queued completely: our own pages are small. An error means that the client disconnected.
        let _ = body.send_data(reply.body, true);
    }
}

async fn misbehave(
    mut respond: SendResponse<Bytes>,
    fault: Http2Fault,
    hang_up: mpsc::Sender<Option<Reason>>,
) {
    match fault {
        Http2Fault::Reset => respond.send_reset(Reason::INTERNAL_ERROR),
        Http2Fault::Refuse => respond.send_reset(Reason::REFUSED_STREAM),
        Http2Fault::GoAway => {
            let _ = hang_up.send(Some(Reason::ENHANCE_YOUR_CALM)).await;
            wait_for_reset(&mut respond).await;
        }
        Http2Fault::Vanish => {
            let _ = hang_up.send(None).await;
            wait_for_reset(&mut respond).await;
        }
        Http2Fault::WantHttp1 => respond.send_reset(Reason::HTTP_1_1_REQUIRED),
        Http2Fault::Silence => wait_for_reset(&mut respond).await,
        Http2Fault::ResetInBody => {
            if let Ok(mut body) = respond.send_response(Response::new(()), false) {
                let _ = body.send_data(Bytes::from_static(b"<p>half of a"), false);
                // A reset would overtake what is still queued.
                tokio::time::sleep(FLUSH_TIME).await;
                body.send_reset(Reason::INTERNAL_ERROR);
            }
        }
        Http2Fault::EndlessBody => endless_body(respond).await,
        Http2Fault::HeaderFlood => send(respond, flooded()),
    }
}

/// Holds a stream that is not answered; dropping it would reset it at once.
async fn wait_for_reset(respond: &mut SendResponse<Bytes>) {
    let _ = std::future::poll_fn(|context| respond.poll_reset(context)).await;
}

async fn endless_body(mut respond: SendResponse<Bytes>) {
    let Ok(mut body) = respond.send_response(Response::new(()), false) else { return };
    let piece = Bytes::from_static(&[b'x'; PIECE]);
    loop {
        body.reserve_capacity(PIECE);
        let Some(Ok(capacity)) = std::future::poll_fn(|context| body.poll_capacity(context)).await else {
            return;
        };
        if body.send_data(piece.slice(..capacity.min(PIECE)), false).is_err() {
            return;
        }
    }
}

/// A megabyte of header lines.
fn flooded() -> Reply {
    (0..256).fold(Reply::html("flooded"), |reply, at| reply.with(format!("x-{at}"), "y".repeat(4096)))
}
