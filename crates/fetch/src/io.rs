//! The byte stream under an exchange: plain or TLS, counted while it is open.

use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll};

use rustls::ClientConnection;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use crate::counts::Opened;

/// A connection's stream. TLS is boxed: its state is large, and most streams move through the pool.
#[derive(Debug)]
pub(crate) struct Io {
    stream: Stream,
    _opened: Opened,
}

#[derive(Debug)]
enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Io {
    pub(crate) fn plain(stream: TcpStream, opened: Opened) -> Self {
        Self { stream: Stream::Plain(stream), _opened: opened }
    }

    pub(crate) fn tls(stream: TlsStream<TcpStream>, opened: Opened) -> Self {
        Self { stream: Stream::Tls(Box::new(stream)), _opened: opened }
    }

    /// Whether no unrequested bytes have come, nor the end of the stream; does not wait. Asks the system
    /// and not the runtime, which may not have heard of it yet: what lies here would be taken for the next answer.
    pub(crate) fn is_quiet(&mut self) -> bool {
        let (socket, tls) = match &mut self.stream {
            Stream::Plain(stream) => (&*stream, None),
            Stream::Tls(stream) => {
                let (socket, session) = stream.get_mut();
                (&*socket, Some(session))
            }
        };
        let peeked = SockRef::from(socket).peek(&mut [MaybeUninit::uninit()]);
        let is_empty = matches!(peeked, Err(error) if error.kind() == io::ErrorKind::WouldBlock);
        // What has been read along and deciphered already does not wait in the socket.
        is_empty && tls.is_none_or(|session| !has_plaintext(session))
    }
}

fn has_plaintext(session: &mut ClientConnection) -> bool {
    session.process_new_packets().map_or(true, |state| state.plaintext_bytes_to_read() > 0)
}

impl AsyncRead for Io {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_read(cx, buf),
            Stream::Tls(stream) => Pin::new(stream).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Io {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_write(cx, buf),
            Stream::Tls(stream) => Pin::new(stream).poll_write(cx, buf),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Stream::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Stream::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
