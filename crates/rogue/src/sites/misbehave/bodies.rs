//! Bodies that expand, end too early, continue too long, or never end.

use std::fmt::Write;
use std::io;
use std::time::Duration;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::heads::DRIP;
use crate::{Answer, Bomb, Coding, Reply, Step};

/// The decoded size of a bomb in MiB.
const BOMB_MEBIBYTES: u32 = 1024;

/// A time after which the client has certainly read an answer.
const LATER: Duration = Duration::from_millis(50);

fn script(head: &str, steps: impl IntoIterator<Item = Step>) -> Answer {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{head}\r\n");
    Answer::Script([Step::text(head)].into_iter().chain(steps).collect())
}

/// A 500 if an answer could not be made, so that the test that requests it fails.
fn or_500(answer: io::Result<Answer>) -> Answer {
    answer.unwrap_or_else(|_| Reply::status(500).into())
}

pub(super) fn bomb(coding: Coding) -> Answer {
    or_500(Bomb::new(coding, BOMB_MEBIBYTES).map(|bomb| {
        let head = format!("Content-Encoding: {}\r\nContent-Length: {}\r\n", coding.name(), bomb.coded_len());
        script(&head, bomb.steps())
    }))
}

/// A bomb in a bomb: 10 GiB of zeros, compressed twice, in a few kilobytes.
pub(super) fn bomb_in_gzip() -> Answer {
    or_500(Bomb::new(Coding::Brotli, 10 * BOMB_MEBIBYTES).and_then(|bomb| {
        let body = gzip(&bomb.to_bytes())?;
        Ok(Reply::ok("text/html", body).with("Content-Encoding", "br, gzip").into())
    }))
}

/// A zstd frame that requires a terabyte of window from its decoder, and one block.
pub(super) fn huge_window() -> Answer {
    // Magic number; a content size of eight bytes, which is the window too; then one empty last block.
    let mut body = vec![0x28, 0xb5, 0x2f, 0xfd, 0b1110_0000];
    body.extend_from_slice(&(1_u64 << 40).to_le_bytes());
    body.extend_from_slice(&[1, 0, 0]);
    Reply::ok("text/html", body).with("Content-Encoding", "zstd").into()
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    // Not the fastest level, with which incompressible bytes grow; over many layers that adds up.
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    io::Write::write_all(&mut encoder, bytes)?;
    encoder.finish()
}

pub(super) fn garbage(coding: &str) -> Answer {
    Reply::html("<p>not coded at all</p>").with("Content-Encoding", coding).into()
}

/// A gzip body without its second half, with a content length that matches.
pub(super) fn cut_gzip() -> Answer {
    let page: String = (0..2000).fold(String::new(), |mut page, at| {
        let _ = write!(page, "<p>{at}</p>");
        page
    });
    or_500(gzip(page.as_bytes()).map(|mut body| {
        body.truncate(body.len() / 2);
        Reply::ok("text/html", body).with("Content-Encoding", "gzip").into()
    }))
}

/// Gzip in gzip in gzip, two hundred times.
pub(super) fn many_codings() -> Answer {
    let coded = (0..200).try_fold(b"<p>at last</p>".to_vec(), |body, _| gzip(&body));
    or_500(coded.map(|body| {
        Reply::ok("text/html", body).with("Content-Encoding", vec!["gzip"; 200].join(", ")).into()
    }))
}

pub(super) fn close_in_body() -> Answer {
    script("Content-Length: 1000\r\n", [Step::text("<p>half of a")])
}

pub(super) fn reset_in_body() -> Answer {
    script("Content-Length: 1000\r\n", [Step::text("<p>half of a"), Step::Reset])
}

pub(super) fn stall_in_body() -> Answer {
    script("Content-Length: 1000\r\n", [Step::text("<p>half of a"), Step::Stall])
}

pub(super) fn drip() -> Answer {
    script("Content-Length: 100000\r\n", [Step::Drip(Bytes::from_static(b"x"), DRIP)])
}

/// Closes the connection in an orderly way before the content length is reached.
pub(super) fn length_too_long() -> Answer {
    script("Connection: close\r\nContent-Length: 100\r\n", [Step::text("hello")])
}

/// Sends more bytes than the content length: they belong to no answer.
pub(super) fn length_too_short() -> Answer {
    script("Content-Length: 5\r\n", [Step::text(format!("hello{}", " and more".repeat(100)))])
}

/// Sends, after the content length, what looks like the answer to the next request.
pub(super) fn smuggled() -> Answer {
    script(
        "Content-Length: 5\r\n",
        [Step::Send([b"hello", smuggled_answer().as_slice()].concat().into()), Step::Stall],
    )
}

/// The same, but sent when the client believes that the exchange is over.
pub(super) fn smuggled_late() -> Answer {
    script(
        "Content-Length: 5\r\n",
        [Step::text("hello"), Step::Wait(LATER), Step::Send(smuggled_answer().into()), Step::Stall],
    )
}

fn smuggled_answer() -> Vec<u8> {
    Reply::html("<p>smuggled</p>").encode()
}

pub(super) fn with_length(value: &str) -> Answer {
    script(&format!("Content-Length: {value}\r\n"), [Step::text("hello")])
}

/// A length that only fits into 64 bits, and bytes for as long as the client reads.
pub(super) fn exabytes() -> Answer {
    script("Content-Length: 9000000000000000000\r\n", [zeros()])
}

pub(super) fn endless() -> Answer {
    script("Connection: close\r\n", [zeros()])
}

fn zeros() -> Step {
    Step::Repeat(Bytes::from_static(&[b'0'; 4096]), u64::MAX)
}

pub(super) fn chunked(body: &str) -> Answer {
    script("Transfer-Encoding: chunked\r\n", [Step::text(body)])
}

pub(super) fn endless_chunks() -> Answer {
    let chunk = format!("1000\r\n{}\r\n", "x".repeat(0x1000));
    script("Transfer-Encoding: chunked\r\n", [Step::Repeat(chunk.into(), u64::MAX)])
}

pub(super) fn dripped_chunks() -> Answer {
    script("Transfer-Encoding: chunked\r\n", [Step::Drip(Bytes::from_static(b"1\r\nx\r\n"), DRIP)])
}

pub(super) fn endless_extension() -> Answer {
    let extension = Step::Repeat(Bytes::from_static(b";x=y"), u64::MAX);
    script("Transfer-Encoding: chunked\r\n", [Step::text("5"), extension])
}

pub(super) fn endless_trailers() -> Answer {
    let trailers = Step::Repeat(Bytes::from_static(b"X-Trailer: 1\r\n"), u64::MAX);
    script("Transfer-Encoding: chunked\r\n", [Step::text("5\r\nhello\r\n0\r\n"), trailers])
}

pub(super) fn links() -> Reply {
    let mut page = String::with_capacity(3 << 20);
    for at in 0..100_000 {
        // Writing to a string cannot fail.
        let _ = writeln!(page, "<a href=/l/{at}>{at}</a>");
    }
    Reply::html(page)
}
