//! A server for a test, and what a browser or a program says to it: bytes on a socket.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use osprey_engine::Service;
use osprey_server::{Options, Server};
use serde_json::Value;

use crate::projects::Folder;

pub(crate) const FORM: &str = "Content-Type: application/x-www-form-urlencoded\r\n";
pub(crate) const JSON: &str = "Content-Type: application/json\r\n";

/// So long nothing is silent that works, on whatever machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// A server of one project, `it`.
pub(crate) struct Served {
    /// `None` once it was stopped.
    server: Option<Server>,
    pub(crate) address: SocketAddr,
    service: Arc<Service>,
    pub(crate) folder: Folder,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }
}

pub(crate) fn ask(address: SocketAddr, request: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(request).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, head, body: bytes[end + 4..].to_vec() }
}

impl Served {
    pub(crate) fn with(folder: Folder, options: Options) -> Self {
        let service = Arc::new(Service::open(folder.path(), "it".to_owned()).unwrap());
        let server =
            Server::start("127.0.0.1:0".parse().unwrap(), vec![Arc::clone(&service)], options).unwrap();
        Self { address: server.address(), server: Some(server), service, folder }
    }

    pub(crate) fn new(folder: Folder) -> Self {
        Self::with(folder, Options::default())
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, "", b"")
    }

    pub(crate) fn send(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Answer {
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n"
        );
        ask(self.address, &[head.as_bytes(), body].concat())
    }

    /// Sends a form with the secret of a page.
    pub(crate) fn post(&self, path: &str, fields: &str) -> Answer {
        let page = self.get("/p/it/crawl").text();
        let secret =
            page.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        self.send("POST", path, FORM, format!("csrf={secret}&{fields}").as_bytes())
    }

    /// What the API says of the project.
    pub(crate) fn api(&self, path: &str) -> Value {
        let answer = self.get(&format!("/api/v1/projects/it{path}"));
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.json()
    }

    /// Asks the crawl for something through the API; how it stands then.
    pub(crate) fn order(&self, order: &Value) -> Value {
        let answer = self.send("POST", "/api/v1/projects/it/crawl", JSON, order.to_string().as_bytes());
        assert_eq!(answer.status, 200, "{order}: {}", answer.text());
        answer.json()
    }

    /// Live figures.
    pub(crate) fn events(&self) -> Events {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(b"GET /api/v1/projects/it/events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        Events(BufReader::new(stream))
    }

    /// Ends the server.
    pub(crate) fn stop(&mut self) {
        if let Some(server) = self.server.take() {
            server.stop().unwrap();
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.service.close();
    }
}

/// A stream of events.
pub(crate) struct Events(pub(crate) BufReader<TcpStream>);

impl Events {
    /// The next one.
    pub(crate) fn next(&mut self) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "the stream goes on");
            if let Some(data) = line.strip_prefix("data: ") {
                return serde_json::from_str(data).unwrap();
            }
        }
    }

    /// The next one that is right.
    pub(crate) fn until(&mut self, is_right: impl Fn(&Value) -> bool) -> Value {
        loop {
            let event = self.next();
            if is_right(&event) {
                return event;
            }
        }
    }
}
