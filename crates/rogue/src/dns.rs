//! A lying name server: it answers every question with what the test wants, differently each time if needed.
//!
//! Just enough of RFC 1035 over UDP for A and AAAA questions of a stub resolver. Its default time to live of zero makes
//! clients look up the name again, which rebinding attacks rely on.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

const TYPE_A: u16 = 1;
const TYPE_AAAA: u16 = 28;
const HEADER: usize = 12;

/// A running name server on 127.0.0.1.
#[derive(Debug)]
pub struct Dns {
    addr: SocketAddr,
    shared: Arc<Shared>,
    /// Joined on drop.
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    stop: AtomicBool,
    asked: Mutex<Vec<String>>,
}

impl Dns {
    /// Starts the server. `answer` gets the name in lower case without its final dot, and the number of earlier
    /// questions; an empty list means that there is no such address.
    pub fn start(answer: impl FnMut(&str, usize) -> Vec<IpAddr> + Send + 'static) -> io::Result<Self> {
        Self::start_with_ttl(0, answer)
    }

    /// The same with a time to live, in seconds.
    pub fn start_with_ttl(
        ttl: u32,
        answer: impl FnMut(&str, usize) -> Vec<IpAddr> + Send + 'static,
    ) -> io::Result<Self> {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
        let addr = socket.local_addr()?;
        let shared = Arc::new(Shared::default());
        let thread = std::thread::Builder::new().name("rogue-dns".to_owned()).spawn({
            let shared = shared.clone();
            move || run(&socket, &shared, ttl, answer)
        })?;
        Ok(Self { addr, shared, thread: Some(thread) })
    }

    /// Its address.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The names that were queried so far, in order.
    pub fn asked(&self) -> Vec<String> {
        self.shared.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Dns {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        // A datagram wakes the thread; if none can be sent, the thread is not joined.
        let woken =
            UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|socket| socket.send_to(&[], self.addr));
        if let (Ok(_), Some(thread)) = (woken, self.thread.take()) {
            let _ = thread.join();
        }
    }
}

fn run(socket: &UdpSocket, shared: &Shared, ttl: u32, mut answer: impl FnMut(&str, usize) -> Vec<IpAddr>) {
    let mut buffer = [0; 512];
    while let Ok((len, peer)) = socket.recv_from(&mut buffer) {
        if shared.stop.load(Ordering::Relaxed) {
            return;
        }
        let Some(question) = buffer.get(..len).and_then(Question::read) else { continue };
        let mut asked = shared.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let addresses = answer(&question.name, asked.len());
        asked.push(question.name.clone());
        drop(asked);
        let _ = socket.send_to(&question.reply(&addresses, ttl), peer);
    }
}

struct Question<'a> {
    id: &'a [u8],
    /// The question as received, which the reply repeats.
    raw: &'a [u8],
    name: String,
    kind: u16,
}

impl<'a> Question<'a> {
    fn read(packet: &'a [u8]) -> Option<Self> {
        let mut at = HEADER;
        let mut labels = Vec::new();
        loop {
            let len = usize::from(*packet.get(at)?);
            at += 1;
            if len == 0 {
                break;
            }
            labels.push(String::from_utf8_lossy(packet.get(at..at + len)?).to_ascii_lowercase());
            at += len;
        }
        let kind = packet.get(at..at + 2)?;
        let raw = packet.get(HEADER..at + 4)?;
        Some(Self {
            id: packet.get(..2)?,
            raw,
            name: labels.join("."),
            kind: u16::from_be_bytes(kind.try_into().ok()?),
        })
    }

    fn reply(&self, addresses: &[IpAddr], ttl: u32) -> Vec<u8> {
        let fitting: Vec<Vec<u8>> = addresses
            .iter()
            .filter_map(|address| match address {
                IpAddr::V4(ip) => (self.kind == TYPE_A).then(|| ip.octets().to_vec()),
                IpAddr::V6(ip) => (self.kind == TYPE_AAAA).then(|| ip.octets().to_vec()),
            })
            .collect();
        let count = u16::try_from(fitting.len()).unwrap_or(0);
        let mut out = self.id.to_vec();
        // An answer, recursion wanted and available, no error; one question, `count` answers.
        for word in [0x8180, 1, count, 0, 0] {
            out.extend_from_slice(&word.to_be_bytes());
        }
        out.extend_from_slice(self.raw);
        for data in fitting {
            // The name of the question, its type, class IN, the time to live.
            out.extend_from_slice(&[0xc0, HEADER as u8]);
            out.extend_from_slice(&self.kind.to_be_bytes());
            out.extend_from_slice(&[0, 1]);
            out.extend_from_slice(&ttl.to_be_bytes());
            out.extend_from_slice(&[0, data.len() as u8]);
            out.extend_from_slice(&data);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_change_with_the_question() {
        let dns = Dns::start(|_, before| vec![Ipv4Addr::new(10, 0, 0, before as u8).into()]).unwrap();
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let mut question =
            b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x01A\x04test\x00\x00\x01\x00\x01".to_vec();
        let mut ask = |kind: u8| {
            let at = question.len() - 3;
            question[at] = kind;
            socket.send_to(&question, dns.addr()).unwrap();
            let mut reply = [0; 512];
            let len = socket.recv(&mut reply).unwrap();
            assert_eq!(reply[..2], question[..2]);
            (reply[7], reply[len - 4..len].to_vec())
        };
        assert_eq!(ask(1), (1, vec![10, 0, 0, 0]));
        assert_eq!(ask(1), (1, vec![10, 0, 0, 1]));
        assert_eq!(ask(28).0, 0);
        assert_eq!(dns.asked(), ["a.test"; 3]);
    }
}
