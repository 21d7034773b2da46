//! HTTP/2 frames written by hand, for what no library would send.
//!
//! The client's frames are read up to its first request; after that the server only writes. This is the worse case
//! for the client: its replies to the flood pile up on its own side.

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

use crate::Step;
use crate::http1;

const PREFACE: usize = 24;
const FRAME_HEAD: usize = 9;
/// Frames that are sent.
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const CONTINUATION: u8 = 9;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
/// `:status: 200` and `:status: 103`, as HPACK codes them.
const STATUS_200: &[u8] = &[0x88];
const STATUS_103: &[u8] = &[0x08, 3, b'1', b'0', b'3'];

/// A fault that needs frames by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flood {
    /// Bytes that are not frames.
    Garbage,
    /// A head whose CONTINUATION frames never end.
    Continuations,
    /// PING frames without end instead of an answer.
    Pings,
    /// SETTINGS frames without end instead of an answer.
    Settings,
    /// A body of endless empty DATA frames. They use up no window.
    EmptyData,
    /// Endless `103 Early Hints` instead of an answer.
    EarlyHints,
    /// One empty answer; the second request gets a graceful GOAWAY, which says that it was not processed.
    Farewell,
}

impl Flood {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Garbage,
        Self::Continuations,
        Self::Pings,
        Self::Settings,
        Self::EmptyData,
        Self::EarlyHints,
        Self::Farewell,
    ];

    fn steps(self) -> Vec<Step> {
        let endless =
            |kind, flags, stream, payload: &[u8]| Step::Repeat(frame(kind, flags, stream, payload), u64::MAX);
        match self {
            Self::Garbage => vec![Step::Repeat(Bytes::from_static(b"\xff\x00no frame"), 1000)],
            Self::Continuations => vec![
                Step::Send(frame(HEADERS, 0, 1, STATUS_200)),
                // A header line that is not added to the table: `x: y`.
                endless(CONTINUATION, 0, 1, &[0, 1, b'x', 1, b'y']),
            ],
            Self::Pings => vec![endless(PING, 0, 0, &[0; 8])],
            Self::Settings => vec![endless(SETTINGS, 0, 0, &[])],
            Self::EmptyData => {
                vec![Step::Send(frame(HEADERS, END_HEADERS, 1, STATUS_200)), endless(DATA, 0, 1, &[])]
            }
            Self::EarlyHints => vec![endless(HEADERS, END_HEADERS, 1, STATUS_103)],
            // The last stream that was processed, and no error.
            Self::Farewell => vec![Step::Send(frame(GOAWAY, 0, 0, &[0, 0, 0, 1, 0, 0, 0, 0])), Step::Stall],
        }
    }
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Bytes {
    let length = u32::try_from(payload.len()).unwrap_or(0).to_be_bytes();
    let mut out = vec![length[1], length[2], length[3], kind, flags];
    out.extend_from_slice(&stream.to_be_bytes());
    out.extend_from_slice(payload);
    out.into()
}

/// Waits for a request and answers with the flood until the client disconnects.
pub(crate) async fn serve(mut stream: TlsStream<TcpStream>, flood: Flood) -> std::io::Result<()> {
    stream.write_all(&frame(SETTINGS, 0, 0, &[])).await?;
    stream.flush().await?;
    stream.read_exact(&mut [0; PREFACE]).await?;
    hear(&mut stream).await?;
    if flood == Flood::Farewell {
        stream.write_all(&frame(HEADERS, END_HEADERS | END_STREAM, 1, STATUS_200)).await?;
        stream.flush().await?;
        hear(&mut stream).await?;
    }
    for step in flood.steps() {
        http1::perform(&mut stream, step).await?;
    }
    stream.shutdown().await
}

/// Reads up to the next request.
async fn hear(stream: &mut TlsStream<TcpStream>) -> std::io::Result<()> {
    loop {
        let mut head = [0; FRAME_HEAD];
        stream.read_exact(&mut head).await?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        stream.read_exact(&mut vec![0; length as usize]).await?;
        if head[3] == HEADERS {
            return Ok(());
        }
    }
}
