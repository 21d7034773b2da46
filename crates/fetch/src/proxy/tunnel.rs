//! CONNECT: an HTTP proxy asked for a tunnel.

use osprey_model::FailureKind;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::Proxy;
use crate::fault::{Fault, words};

const MAX_ANSWER: usize = 16 << 10;

/// Asks for a tunnel to `host:port`, the host as in a URL.
pub(crate) async fn http_connect(
    stream: &mut TcpStream,
    proxy: &Proxy,
    host: &str,
    port: u16,
) -> Result<(), Fault> {
    let mut request = format!("CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n");
    if let Some(authorization) = proxy.authorization() {
        request.push_str(&format!("Proxy-Authorization: {authorization}\r\n"));
    }
    request.push_str("\r\n");
    let broken = |what: String| Fault::new(FailureKind::Connect, format!("proxy `{proxy}`: {what}"));
    stream.write_all(request.as_bytes()).await.map_err(|error| broken(words(&error)))?;
    let mut answer = Vec::with_capacity(1024);
    // The target says nothing before we do, so whatever comes here is the proxy's.
    while !ended(&answer) {
        if answer.len() > MAX_ANSWER {
            return Err(broken("answer without end".to_owned()));
        }
        let read = stream.read_buf(&mut answer).await.map_err(|error| broken(words(&error)))?;
        if read == 0 {
            return Err(broken("connection closed".to_owned()));
        }
    }
    match status(&answer) {
        Some(200..=299) => Ok(()),
        Some(407) => Err(broken("it requires a user name and a password (status 407)".to_owned())),
        Some(status) => Err(broken(format!("no tunnel to `{host}:{port}` (status {status})"))),
        None => Err(broken("the response is not HTTP".to_owned())),
    }
}

fn ended(answer: &[u8]) -> bool {
    answer.ends_with(b"\r\n\r\n") || answer.ends_with(b"\n\n")
}

fn status(answer: &[u8]) -> Option<u16> {
    let line = answer.split(|&b| b == b'\n').next()?;
    let mut words = std::str::from_utf8(line).ok()?.split_ascii_whitespace();
    words.next().filter(|protocol| protocol.starts_with("HTTP/"))?;
    words.next()?.parse().ok()
}
