//! Why an exchange got no answer, before it becomes a [`FetchFailure`], and what remarks say.

use std::io;

use osprey_model::FailureKind;

use crate::patience::{Overdue, Stage};

/// A failed step: its kind and a message for people.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) kind: FailureKind,
    pub(crate) message: String,
}

impl Fault {
    pub(crate) fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    pub(crate) fn protocol(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Protocol, message)
    }
}

impl From<Overdue> for Fault {
    fn from(overdue: Overdue) -> Self {
        let kind = if overdue.stage == Stage::Rate { FailureKind::Slow } else { FailureKind::Timeout };
        Self::new(kind, overdue.to_string())
    }
}

/// A fault, and what may be done about it.
#[derive(Debug)]
pub(crate) struct Broken {
    pub(crate) fault: Fault,
    pub(crate) again: Again,
}

/// What may be tried after a broken exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    /// Nothing.
    No,
    /// The same on a fresh connection: the one it went over was dead, and the request not looked at.
    Fresh,
    /// Nothing now, and later requests without HTTP/2: the server asked for that.
    LaterHttp1,
}

impl From<Fault> for Broken {
    fn from(fault: Fault) -> Self {
        Self { fault, again: Again::No }
    }
}

impl From<Overdue> for Broken {
    fn from(overdue: Overdue) -> Self {
        Fault::from(overdue).into()
    }
}

/// An I/O error in words, without the operating system's number.
pub(crate) fn words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionReset => "connection reset".to_owned(),
        io::ErrorKind::ConnectionRefused => "connection refused".to_owned(),
        io::ErrorKind::ConnectionAborted => "connection aborted".to_owned(),
        io::ErrorKind::BrokenPipe => "connection closed by the server".to_owned(),
        io::ErrorKind::UnexpectedEof => "connection closed".to_owned(),
        io::ErrorKind::HostUnreachable => "host unreachable".to_owned(),
        io::ErrorKind::NetworkUnreachable => "network unreachable".to_owned(),
        io::ErrorKind::TimedOut => "timed out".to_owned(),
        _ => error.to_string(),
    }
}
