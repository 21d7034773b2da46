//! A server on loopback that plays a script: for each connection, pieces to send and requests to wait for.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use osprey_fetch::{FetchOptions, HttpSource};
use osprey_model::robots::Robots;
use osprey_model::{CanonicalUrl, Exchange, FetchFailure, Permitted, Request, Response, Source, UrlRules};

/// What a server does next on a connection.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Reads one request head.
    Hear,
    /// Sends these bytes.
    Say(Vec<u8>),
    /// Keeps the connection open, silent, until the client is gone.
    Hold,
    /// Sends this piece again and again until the client is gone.
    Flood(Vec<u8>),
}

pub(crate) use Step::{Flood, Hear, Hold, Say};

/// `Say` for text.
pub(crate) fn say(text: impl AsRef<[u8]>) -> Step {
    Say(text.as_ref().to_vec())
}

/// One request heard, one whole answer with this body said.
pub(crate) fn page(body: &str) -> Vec<Step> {
    vec![Hear, say(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()))]
}

/// A running server. Connections play the scripts in their order; more connections than scripts are closed.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) fn start(scripts: Vec<Vec<Step>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let log = heard.clone();
        thread::spawn(move || {
            let mut scripts = VecDeque::from(scripts);
            for stream in listener.incoming() {
                let (Ok(stream), log) = (stream, log.clone()) else { return };
                let script = scripts.pop_front().unwrap_or_default();
                thread::spawn(move || play(stream, &script, &log));
            }
        });
        Self { address, heard }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The request heads so far.
    pub(crate) fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}

fn play(mut stream: TcpStream, script: &[Step], log: &Mutex<Vec<String>>) {
    for step in script {
        let gone = match step {
            Hear => match hear(&mut stream) {
                Some(head) => {
                    log.lock().unwrap().push(head);
                    false
                }
                None => true,
            },
            Say(bytes) => stream.write_all(bytes).is_err(),
            Hold => {
                while matches!(stream.read(&mut [0; 64]), Ok(1..)) {}
                true
            }
            Flood(piece) => loop {
                if stream.write_all(piece).is_err() {
                    break true;
                }
            },
        };
        if gone {
            return;
        }
    }
}

/// Reads a request head.
pub(crate) fn hear(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        head.push(byte[0]);
    }
    String::from_utf8(head).ok()
}

/// Options for loopback.
pub(crate) fn options() -> FetchOptions {
    FetchOptions { allow_private: true, user_agent: "osprey-test".to_owned(), ..Default::default() }
}

pub(crate) fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text, &UrlRules::default()).unwrap()
}

pub(crate) fn permitted(text: &str) -> Permitted {
    Robots::allow_all().permit(&url(text)).unwrap()
}

pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

pub(crate) async fn fetch(source: &HttpSource, text: &str) -> Exchange {
    source.fetch(Request::new(permitted(text))).await
}

pub(crate) fn answered(exchange: Exchange) -> Response {
    match exchange {
        Exchange::Answered(response) => response,
        Exchange::Failed(FetchFailure { url, kind, message, .. }) => panic!("{url}: {kind}: {message}"),
    }
}

pub(crate) fn failed(exchange: Exchange) -> String {
    match exchange {
        Exchange::Answered(response) => panic!("{}: answered {}", response.url, response.status),
        Exchange::Failed(failure) => format!("{}: {}", failure.kind, failure.message),
    }
}
