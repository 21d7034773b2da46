//! HTTP/1.1 written by hand: reads heads, and writes answers as given, valid or not.
//!
//! Requests with a body get a 413; crawlers send none.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use memchr::memmem;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

use crate::server::{Ends, House};
use crate::{Answer, Reply, Site, SiteRequest, Step};

/// The longest request head that is read.
const MAX_HEAD: usize = 64 << 10;
/// Repeated bytes are sent in pieces of about this size.
const PIECE: usize = 64 << 10;

/// A byte stream whose connection can be reset.
pub(crate) trait Wire: AsyncRead + AsyncWrite + Unpin + Send + 'static {
    /// Makes the following close a reset.
    fn make_reset(&self);
}

impl Wire for TcpStream {
    fn make_reset(&self) {
        let _ = self.set_zero_linger();
    }
}

impl Wire for TlsStream<TcpStream> {
    fn make_reset(&self) {
        self.get_ref().0.make_reset();
    }
}

/// Answers the requests of one connection until either side closes it.
pub(crate) async fn serve<W: Wire, S: Site>(mut wire: W, ends: Ends, house: Arc<House<S>>) {
    let mut buffer = Vec::with_capacity(1024);
    // An error here means that the client closed the connection, which is allowed.
    while let Ok(Some(head_len)) = read_head(&mut wire, &mut buffer).await {
        let head = buffer.get(..head_len).unwrap_or_default();
        if !matches!(answer(&mut wire, head, ends, &house).await, Ok(After::Next)) {
            return;
        }
        buffer.drain(..head_len);
    }
}

/// What to do after an answer.
#[derive(PartialEq, Eq)]
enum After {
    Next,
    Close,
}

/// Reads until a blank line; returns the length of the head, or `None` at the end of the stream.
async fn read_head<W: Wire>(wire: &mut W, buffer: &mut Vec<u8>) -> io::Result<Option<usize>> {
    let mut searched = 0;
    loop {
        if let Some(at) = memmem::find(buffer.get(searched..).unwrap_or_default(), b"\r\n\r\n") {
            return Ok(Some(searched + at + 4));
        }
        searched = buffer.len().saturating_sub(3);
        if buffer.len() > MAX_HEAD || wire.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
        // A TLS handshake would never contain a blank line.
        if buffer.first().is_some_and(|byte| !byte.is_ascii_alphabetic()) {
            wire.write_all(&Reply::status(400).encode()).await?;
            return Ok(None);
        }
    }
}

async fn answer<W: Wire, S: Site>(
    wire: &mut W,
    head: &[u8],
    ends: Ends,
    house: &House<S>,
) -> io::Result<After> {
    let Some((path, lines)) = parse(head) else {
        wire.write_all(&Reply::status(400).encode()).await?;
        return Ok(After::Close);
    };
    let find = |name: &str| lines.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| *value);
    let asked = SiteRequest {
        host: find("host").unwrap_or(""),
        path,
        peer: ends.peer,
        local: ends.local,
        lines: &lines,
    };
    let _open = house.ledger.begin(&asked);
    if find("transfer-encoding").is_some() || find("content-length").is_some_and(|len| len != "0") {
        wire.write_all(&Reply::status(413).encode()).await?;
        return Ok(After::Close);
    }
    let close = find("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
    match house.site.answer(&asked) {
        Answer::Reply(reply) => wire.write_all(&reply.encode()).await?,
        Answer::Late(wait, reply) => {
            tokio::time::sleep(wait).await;
            wire.write_all(&reply.encode()).await?;
        }
        Answer::Script(steps) => {
            for step in steps {
                perform(wire, step).await?;
            }
            wire.shutdown().await?;
            return Ok(After::Close);
        }
        Answer::Http2(_) => wire.write_all(&Reply::status(505).encode()).await?,
    }
    Ok(if close { After::Close } else { After::Next })
}

/// The path and the header lines of a head; `None` if it is not HTTP/1.
fn parse(head: &[u8]) -> Option<(&str, Vec<(&str, &str)>)> {
    let text = std::str::from_utf8(head).ok()?;
    let mut rows = text.split("\r\n");
    let mut words = rows.next()?.split(' ');
    let (_method, path, version) = (words.next()?, words.next()?, words.next()?);
    if !version.starts_with("HTTP/1.") {
        return None;
    }
    let lines =
        rows.filter_map(|row| row.split_once(':')).map(|(name, value)| (name, value.trim())).collect();
    Some((path, lines))
}

pub(crate) async fn perform<W: Wire>(wire: &mut W, step: Step) -> io::Result<()> {
    match step {
        Step::Send(bytes) => wire.write_all(&bytes).await?,
        Step::Repeat(bytes, times) => repeat(wire, &bytes, times).await?,
        Step::Drip(bytes, pause) => loop {
            tokio::time::sleep(pause).await;
            wire.write_all(&bytes).await?;
            wire.flush().await?;
        },
        Step::Wait(pause) => {
            wire.flush().await?;
            tokio::time::sleep(pause).await;
        }
        Step::Stall => {
            wire.flush().await?;
            let mut buffer = [0; 1024];
            while wire.read(&mut buffer).await? > 0 {}
        }
        Step::Reset => {
            wire.flush().await?;
            wire.make_reset();
            return Err(io::ErrorKind::ConnectionReset.into());
        }
    }
    Ok(())
}

async fn repeat<W: Wire>(wire: &mut W, bytes: &Bytes, times: u64) -> io::Result<()> {
    let in_piece = (PIECE / bytes.len().max(1)).max(1) as u64;
    let piece = bytes.repeat(in_piece.min(times) as usize);
    for _ in 0..times / in_piece {
        wire.write_all(&piece).await?;
        // A client on the same machine may read as fast as we write, so let other tasks run.
        tokio::task::yield_now().await;
    }
    for _ in 0..times % in_piece {
        wire.write_all(bytes).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads() {
        let check = |head: &str, expect: Option<(&str, usize)>| {
            assert_eq!(parse(head.as_bytes()).map(|(path, lines)| (path, lines.len())), expect, "{head}");
        };
        check("GET /a?b HTTP/1.1\r\nHost: x\r\nA:b\r\n\r\n", Some(("/a?b", 2)));
        check("GET / HTTP/2\r\n\r\n", None);
        check("GET /\r\n\r\n", None);
        check("\u{16}\u{3}\u{1}\r\n\r\n", None);
    }
}
