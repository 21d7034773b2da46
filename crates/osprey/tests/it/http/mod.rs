//! HTTP as bytes on a socket: what a test says is what is sent, however wrong.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// How long an answer may take; only a failing test waits for it.
const PATIENCE: Duration = Duration::from_secs(60);

/// An answer, whole.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// A header by its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }
}

/// A connection on which requests are written by hand.
pub(crate) struct Connection(BufReader<TcpStream>);

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self(BufReader::new(stream))
    }

    /// Sends bytes. A server may hang up on what it does not want to read: that shows in its answer.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> bool {
        self.0.get_mut().write_all(bytes).is_ok()
    }

    /// A line without its end; `None` when there are no more.
    pub(crate) fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.0.read_line(&mut line).ok()?;
        (read > 0).then(|| line.trim_end().to_owned())
    }

    /// The head of an answer.
    pub(crate) fn head(&mut self) -> Option<Answer> {
        let first = self.line()?;
        let status = first.split(' ').nth(1)?.parse().ok()?;
        let mut headers = Vec::new();
        while let Some(line) = self.line().filter(|line| !line.is_empty()) {
            let (name, value) = line.split_once(':')?;
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        Some(Answer { status, headers, body: Vec::new() })
    }

    /// A whole answer; `None` if the server hung up without one.
    pub(crate) fn answer(&mut self) -> Option<Answer> {
        let mut answer = self.head()?;
        let length = answer.header("content-length").and_then(|text| text.parse().ok());
        answer.body.resize(length.unwrap_or(0), 0);
        self.0.read_exact(&mut answer.body).ok()?;
        Some(answer)
    }

    /// What still comes until the server hangs up.
    pub(crate) fn rest(&mut self) -> String {
        let mut rest = Vec::new();
        // an end by force is an end as well
        let _ = self.0.read_to_end(&mut rest);
        String::from_utf8_lossy(&rest).into_owned()
    }
}

/// One request with these headers; `Host` and the length are added.
pub(crate) fn ask(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Answer {
    let mut head = format!("{method} {path} HTTP/1.1\r\n");
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        head += &format!("Host: {address}\r\n");
    }
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += &format!("Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    let mut connection = Connection::open(address);
    connection.send(head.as_bytes());
    connection.send(body);
    if method == "HEAD" {
        return connection.head().unwrap();
    }
    connection.answer().unwrap_or_else(|| panic!("{method} {path}: no answer"))
}

/// `GET` of a path.
pub(crate) fn get(address: SocketAddr, path: &str) -> Answer {
    ask(address, "GET", path, &[], b"")
}
