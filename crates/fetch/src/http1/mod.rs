//! HTTP/1.1, one request at a time over a connection that its exchange owns.
//!
//! Written on `httparse` rather than on a client library, for three reasons. The archive wants header lines in
//! their order and spelling, which a header map has lost. What came before a server broke off is wanted, and
//! exactly how it broke off. And with no task per connection, no channel between the socket and the body, a page
//! costs little more than its system calls; an exchange that is dropped takes its connection along.
//!
//! Lenient where browsers are (bare line feeds, folded and malformed header lines, no reason phrase), strict where
//! leniency would let one answer run into the next: a connection is used again only after a body whose end was
//! beyond doubt.

#[cfg(fuzzing)]
pub(crate) mod fuzzing;
mod head;

use std::net::IpAddr;

use bytes::BufMut;
use osprey_model::{FailureKind, Headers};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::body::{Piece, Pieces, make_room};
use crate::fault::{Again, Broken, Fault, words};
use crate::io::Io;
use crate::patience::{Patience, Stage};
use head::{Framing, Head};

/// The first read of an answer: enough for the head and, mostly, a good part of the page.
const FIRST_READ: usize = 16 << 10;
/// `100 Continue` and the like that are skipped before the answer proper.
pub(crate) const MAX_INTERIM: usize = 8;

/// A connection that nothing is under way on.
#[derive(Debug)]
pub(crate) struct Connection {
    io: Io,
    pub(crate) ip: Option<IpAddr>,
    /// Whether an answer has come over it before.
    is_proven: bool,
}

/// Bounds of an answer's head.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeadLimits {
    pub(crate) bytes: usize,
    pub(crate) lines: usize,
}

/// An answer whose body has still to be read.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Headers,
    pub(crate) body: Body,
}

/// The connection while a body is read from it.
pub(crate) struct Body {
    connection: Connection,
    /// What was read along with the head.
    buffer: Vec<u8>,
    at: usize,
    framing: Framing,
    keep_alive: bool,
}

impl Connection {
    pub(crate) fn new(io: Io, ip: Option<IpAddr>) -> Self {
        Self { io, ip, is_proven: false }
    }

    /// Whether the server has not closed it, as far as is known without asking.
    pub(crate) fn is_quiet(&mut self) -> bool {
        self.io.is_quiet()
    }

    /// Sends a request and reads the head of the answer.
    pub(crate) async fn ask(
        mut self,
        request: &[u8],
        limits: HeadLimits,
        patience: &mut Patience<'_>,
    ) -> Result<Answer, Broken> {
        patience.enter(Stage::FirstByte);
        let mut buffer = Vec::with_capacity(FIRST_READ);
        match self.ask_within(request, limits, &mut buffer, patience).await {
            // Said of the wait before the request, by a server that closes the connection with it.
            Ok(head) if self.is_proven && head.status == 408 && !head.keep_alive => {
                let fault = Fault::protocol("the server closed a kept connection");
                Err(Broken { fault, again: Again::Fresh })
            }
            Ok(head) => {
                let Head { status, headers, framing, keep_alive, length } = head;
                let connection = Self { is_proven: true, ..self };
                let body = Body { connection, buffer, at: length, framing, keep_alive };
                Ok(Answer { status, headers, body })
            }
            // A kept connection that the server has closed in the meantime is no fault of the request.
            Err(fault) if self.is_proven && buffer.is_empty() && fault.kind == FailureKind::Protocol => {
                Err(Broken { fault, again: Again::Fresh })
            }
            Err(fault) => Err(fault.into()),
        }
    }

    async fn ask_within(
        &mut self,
        request: &[u8],
        limits: HeadLimits,
        buffer: &mut Vec<u8>,
        patience: &mut Patience<'_>,
    ) -> Result<Head, Fault> {
        let io = &mut self.io;
        let sending = async {
            io.write_all(request).await?;
            io.flush().await
        };
        let sent = patience.wait(sending).await?;
        sent.map_err(|error| Fault::protocol(format!("no answer: {}", words(&error))))?;
        let mut from = 0;
        for _ in 0..MAX_INTERIM {
            let end = self.read_head(buffer, from, limits, patience).await?;
            // Not what has come along with it: the parser must not find another end.
            let head = head::parse(buffer.get(from..end).unwrap_or_default(), limits.lines)?;
            let length = from + head.length;
            match head.status {
                101 => return Err(Fault::protocol("the server switched protocols unasked")),
                100..=199 => from = length,
                _ => return Ok(Head { length, ..head }),
            }
        }
        Err(Fault::protocol("too many interim responses"))
    }

    /// Reads until a whole head stands at `from`; says where it ends.
    async fn read_head(
        &mut self,
        buffer: &mut Vec<u8>,
        from: usize,
        limits: HeadLimits,
        patience: &mut Patience<'_>,
    ) -> Result<usize, Fault> {
        let mut searched = from;
        loop {
            head::check_start(buffer.get(from..).unwrap_or_default())?;
            let end = head::end(buffer, from, searched);
            if end.unwrap_or(buffer.len()) - from > limits.bytes {
                return Err(Fault::protocol(format!("head of more than {} bytes", limits.bytes)));
            }
            if let Some(end) = end {
                return Ok(end);
            }
            // The end may straddle two reads.
            searched = buffer.len().saturating_sub(3).max(from);
            make_room(buffer, FIRST_READ);
            match patience.wait(self.io.read_buf(buffer)).await? {
                Ok(0) if buffer.len() == from => {
                    return Err(Fault::protocol("no answer: connection closed"));
                }
                Ok(0) => return Err(Fault::protocol("connection closed within the head")),
                Ok(_) => patience.received(buffer.len()),
                Err(error) => return Err(Fault::protocol(format!("no answer: {}", words(&error)))),
            }
        }
    }
}

impl Body {
    pub(crate) fn ip(&self) -> Option<IpAddr> {
        self.connection.ip
    }

    /// The connection, if it can take another request: after a body that was read to its certain end.
    pub(crate) fn into_connection(self) -> Option<Connection> {
        let ended = match self.framing {
            Framing::Length(left) => left == 0,
            Framing::Chunked(ref chunks) => chunks.ended(),
            Framing::UntilClose => false,
        };
        (self.keep_alive && ended && self.at >= self.buffer.len()).then_some(self.connection)
    }

    /// What is left of the first reads.
    fn rest(&self) -> &[u8] {
        self.buffer.get(self.at..).unwrap_or_default()
    }

    async fn more_of_length(&mut self, out: &mut Vec<u8>, room: usize, left: u64) -> Result<Piece, String> {
        let wanted = usize::try_from(left).unwrap_or(usize::MAX).min(room);
        if wanted == 0 {
            return Ok(Piece::End);
        }
        let rest = self.rest();
        let read = if rest.is_empty() {
            make_room(out, wanted);
            let before = out.len();
            let surplus = usize::from(left <= room as u64);
            let read = self.connection.io.read_buf(&mut out.limit(wanted.saturating_add(surplus))).await;
            let read = read.map_err(|error| words(&error))?;
            if read == 0 {
                return Err(format!("connection closed {left} bytes before the end"));
            }
            if read > wanted {
                // More than was announced: whatever it is, it is not the next answer.
                self.keep_alive = false;
                out.truncate(before + wanted);
            }
            read.min(wanted)
        } else {
            let read = rest.len().min(wanted);
            out.extend_from_slice(rest.get(..read).unwrap_or_default());
            self.at += read;
            read
        };
        let left = left.saturating_sub(read as u64);
        self.framing = Framing::Length(left);
        Ok(if left == 0 { Piece::End } else { Piece::More })
    }

    async fn more_until_close(&mut self, out: &mut Vec<u8>, room: usize) -> Result<Piece, String> {
        let rest = self.rest();
        if !rest.is_empty() {
            let read = rest.len().min(room);
            out.extend_from_slice(rest.get(..read).unwrap_or_default());
            self.at += read;
            return Ok(Piece::More);
        }
        make_room(out, room);
        match self.connection.io.read_buf(&mut out.limit(room)).await {
            Ok(0) => Ok(Piece::End),
            Ok(_) => Ok(Piece::More),
            // TLS without its farewell; so many servers do that browsers take it for the end.
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(Piece::End),
            Err(error) => Err(words(&error)),
        }
    }

    async fn fill_buffer(&mut self) -> Result<(), String> {
        self.buffer.clear();
        self.at = 0;
        match self.connection.io.read_buf(&mut self.buffer).await {
            Ok(0) => Err("connection closed before the last chunk".to_owned()),
            Ok(_) => Ok(()),
            Err(error) => Err(words(&error)),
        }
    }
}

impl Pieces for Body {
    async fn more(&mut self, out: &mut Vec<u8>, room: usize) -> Result<Piece, String> {
        match self.framing {
            Framing::Length(left) => self.more_of_length(out, room, left).await,
            Framing::UntilClose => self.more_until_close(out, room).await,
            Framing::Chunked(_) => {
                if self.rest().is_empty() {
                    self.fill_buffer().await?;
                }
                let rest = self.buffer.get(self.at..).unwrap_or_default();
                let Framing::Chunked(chunks) = &mut self.framing else { return Ok(Piece::End) };
                self.at += chunks.feed(rest, out, room)?;
                Ok(if chunks.ended() { Piece::End } else { Piece::More })
            }
        }
    }

    fn announced(&self) -> Option<u64> {
        match self.framing {
            Framing::Length(length) => Some(length),
            Framing::Chunked(_) | Framing::UntilClose => None,
        }
    }
}
