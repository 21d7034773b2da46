//! One first connection per origin.
//!
//! Whether a server speaks HTTP/2 is known after the handshake. Until then further requests to it wait for the
//! first one's connection, which they may share; once a server has proved to speak only HTTP/1.1, no request waits.
//! A server that speaks HTTP/2 but asks to be spoken to in HTTP/1.1 is not offered it any more.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};

use crate::generations::Generations;

const MAX_ORIGINS: usize = 8192;

/// What is known of an origin.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    connecting: tokio::sync::Mutex<()>,
    is_http1: AtomicBool,
    wants_http1: AtomicBool,
}

impl Gate {
    /// Waits until it is one's turn to connect; `None` if there is nothing to wait for.
    pub(crate) async fn enter(&self) -> Option<tokio::sync::MutexGuard<'_, ()>> {
        if self.is_http1.load(Relaxed) {
            return None;
        }
        let turn = self.connecting.lock().await;
        (!self.is_http1.load(Relaxed)).then_some(turn)
    }

    /// Whether HTTP/2 may be offered.
    pub(crate) fn takes_http2(&self) -> bool {
        !self.wants_http1.load(Relaxed)
    }

    /// Remembers that the server does not want HTTP/2.
    pub(crate) fn decline_http2(&self) {
        self.wants_http1.store(true, Relaxed);
        self.is_http1.store(true, Relaxed);
    }

    /// Remembers what the server spoke.
    pub(crate) fn learn(&self, is_http2: bool) {
        self.is_http1.store(!is_http2, Relaxed);
    }
}

/// The gates of all origins.
pub(crate) struct Gates(Mutex<Generations<Arc<Gate>>>);

impl Gates {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Generations::new(MAX_ORIGINS)))
    }

    pub(crate) fn of(&self, origin: &str) -> Arc<Gate> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or(origin, |_| false, Arc::default).0
    }
}
