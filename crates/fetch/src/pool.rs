//! Connections that wait for the next request.
//!
//! One bound for all hosts together: a crawl visits more hosts than a machine has sockets. The connection unused
//! for longest goes first, by age or when there are too many. Nothing runs in the background: what has grown too
//! old is closed when the pool is next touched.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::http1;
use crate::http2;

/// A connection that can take a request.
pub(crate) enum Lane {
    /// Taken out of the pool for one request.
    Http1(http1::Connection),
    /// Shared: stays in the pool while it is used.
    Http2(http2::Shared),
}

struct Waiting {
    key: Box<str>,
    lane: Lane,
    since: Instant,
}

#[derive(Default)]
struct Idle {
    /// By the order in which they were put back.
    by_age: BTreeMap<u64, Waiting>,
    /// The ages of each key's connections, ascending.
    by_key: HashMap<Box<str>, Vec<u64>>,
    next: u64,
}

/// The pool of one fetcher. The lock is held for a few map operations, never across a wait.
pub(crate) struct Pool {
    idle: Mutex<Idle>,
    bound: usize,
    keep_alive: Duration,
}

impl Pool {
    pub(crate) fn new(bound: usize, keep_alive: Duration) -> Self {
        Self { idle: Mutex::default(), bound, keep_alive }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection to `key` that was used last, if there is one.
    pub(crate) fn take(&self, key: &str) -> Option<Lane> {
        let now = Instant::now();
        let mut idle = self.lock();
        idle.expire(now, self.keep_alive);
        loop {
            let waiting = idle.remove_newest(key)?;
            match waiting.lane {
                Lane::Http1(mut connection) => {
                    if connection.is_quiet() {
                        return Some(Lane::Http1(connection));
                    }
                }
                Lane::Http2(shared) if shared.is_open() => {
                    idle.put(key, Lane::Http2(shared.clone()), now);
                    return Some(Lane::Http2(shared));
                }
                Lane::Http2(_) => {}
            }
        }
    }

    /// Keeps a connection for the next request.
    pub(crate) fn put(&self, key: &str, lane: Lane) {
        let now = Instant::now();
        let mut idle = self.lock();
        idle.expire(now, self.keep_alive);
        idle.put(key, lane, now);
        while idle.by_age.len() > self.bound {
            idle.remove_oldest();
        }
    }

    /// Drops what is kept for `key`: it has proved dead.
    pub(crate) fn forget(&self, key: &str) {
        let mut idle = self.lock();
        while idle.remove_newest(key).is_some() {}
    }
}

impl Idle {
    fn put(&mut self, key: &str, lane: Lane, since: Instant) {
        let age = self.next;
        self.next += 1;
        self.by_age.insert(age, Waiting { key: key.into(), lane, since });
        match self.by_key.get_mut(key) {
            Some(ages) => ages.push(age),
            None => {
                self.by_key.insert(key.into(), vec![age]);
            }
        }
    }

    fn remove_newest(&mut self, key: &str) -> Option<Waiting> {
        let ages = self.by_key.get_mut(key)?;
        let age = ages.pop();
        if ages.is_empty() {
            self.by_key.remove(key);
        }
        self.by_age.remove(&age?)
    }

    fn remove_oldest(&mut self) {
        let Some((age, waiting)) = self.by_age.pop_first() else { return };
        if let Some(ages) = self.by_key.get_mut(&waiting.key) {
            ages.retain(|&other| other != age);
            if ages.is_empty() {
                self.by_key.remove(&waiting.key);
            }
        }
    }

    fn expire(&mut self, now: Instant, keep_alive: Duration) {
        while self.by_age.first_key_value().is_some_and(|(_, w)| now.duration_since(w.since) >= keep_alive) {
            self.remove_oldest();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::net::{TcpListener, TcpStream};

    use super::*;
    use crate::counts::{Opened, Tally};
    use crate::io::Io;

    /// Keys put in, then how many connections are left open, and which keys still have one.
    #[test]
    fn the_longest_unused_goes_first() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let check = |bound: usize, keep_alive: Duration, put: &[&str], open: u64, kept: &[&str]| {
            runtime.block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let tally = Arc::new(Tally::default());
                let pool = Pool::new(bound, keep_alive);
                let mut peers = Vec::new();
                for key in put {
                    let stream = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
                    peers.push(listener.accept().await.unwrap());
                    let io = Io::plain(stream, Opened::new(&tally));
                    pool.put(key, Lane::Http1(http1::Connection::new(io, None)));
                }
                assert_eq!(tally.counts().connections_open, open, "{put:?}");
                let found: Vec<_> = put.iter().filter(|key| pool.take(key).is_some()).copied().collect();
                assert_eq!(found, kept, "{put:?}");
                assert!(pool.lock().by_key.is_empty() && pool.lock().by_age.is_empty());
            });
        };
        let long = Duration::from_secs(600);
        check(3, long, &["a", "b", "c"], 3, &["a", "b", "c"]);
        check(2, long, &["a", "b", "c"], 2, &["b", "c"]);
        check(2, long, &["a", "a", "b"], 2, &["a", "b"]);
        check(0, long, &["a"], 0, &[]);
        check(3, Duration::ZERO, &["a", "b"], 1, &[]);
    }
}
