//! All faults of servers, one path each, in one table.
//!
//! [`Misbehaviour::ALL`] names each fault, the kind of connection it needs, and the result expected of a fetcher; tests
//! of every layer loop over it. [`Rogues`] runs the servers. Faults of robots.txt have hosts instead of paths:
//! [`RobotsCase::ALL`].

mod bodies;
mod heads;
mod robots;
mod rogues;
mod table;

use std::time::Duration;

use osprey_model::FailureKind;

use crate::{Answer, Flood, Reply, Site, SiteRequest};

pub use robots::{RobotsCase, RobotsExpect};
pub use rogues::Rogues;

/// The connection that a misbehaviour needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// HTTP/1.1 without TLS.
    Http,
    /// HTTP/1.1 over TLS with a good certificate.
    Https,
    /// HTTP/2 over TLS with a good certificate.
    Http2,
    /// HTTP/2 with frames that no library would send.
    Flood(Flood),
    /// TLS with a self-signed certificate.
    SelfSigned,
    /// TLS with a certificate for another name.
    WrongName,
    /// TLS with a certificate that is out of date.
    Expired,
    /// `https` at a port that speaks plain HTTP.
    PlainText,
    /// `https` at a port that accepts and sends nothing.
    Mute,
    /// `https` at a port that accepts and closes.
    Closing,
    /// A port without a listener.
    Closed,
}

/// The result that a fetcher should return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// An answer with this status and a complete body.
    Answered(u16),
    /// An answer with this status and a body cut at a size limit.
    Cut(u16),
    /// An answer with this status and a partial body, up to where the connection or the framing broke.
    Broken(u16),
    /// An answer with this status and a partial body, up to a time limit.
    Late(u16),
    /// No answer.
    Failed(FailureKind),
}

/// How long `/pause` takes.
const PAUSE: Duration = Duration::from_millis(200);

impl Expect {
    /// Whether a request for it ends by a time limit.
    pub fn is_slow(self) -> bool {
        matches!(self, Self::Late(_) | Self::Failed(FailureKind::Timeout))
    }
}

/// One fault of a server.
#[derive(Clone, Copy)]
pub struct Misbehaviour {
    /// Its name; the path is `/name`.
    pub name: &'static str,
    /// The connection that it needs.
    pub channel: Channel,
    /// The result of a request for it.
    pub expect: Expect,
    answer: fn(&SiteRequest<'_>) -> Answer,
}

impl Misbehaviour {
    /// All of them.
    pub const ALL: &'static [Self] = table::ALL;

    /// The one with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|misbehaviour| misbehaviour.name == name)
    }

    /// Its path on its server.
    pub fn path(&self) -> String {
        format!("/{}", self.name)
    }
}

impl std::fmt::Debug for Misbehaviour {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({:?})", self.name, self.channel)
    }
}

/// The site with all misbehaviours, and good pages between them: `/` links to every one, `/good` is the page that a
/// fetcher must still get after any of them, `/pause` is good too but takes longer than any late bytes here.
///
/// `/smuggled-late` is not in the table: its surplus may reach a request that is already under way, which no client
/// can detect. It must not reach a request made after `/pause`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Misbehave;

impl Site for Misbehave {
    fn answer(&self, asked: &SiteRequest<'_>) -> Answer {
        if let Some(case) = RobotsCase::of_host(asked.host_name()) {
            return case.answer(asked);
        }
        // All paths under `/name` belong to it, so that redirect chains have targets.
        let name = asked.path.trim_start_matches('/').split(['/', '?']).next().unwrap_or("");
        match name {
            "" => Reply::html(front_page()).into(),
            "smuggled-late" => bodies::smuggled_late(),
            "pause" => Answer::Late(PAUSE, Reply::html("<p>later</p>")),
            "good" => Reply::html("<p>good</p>").into(),
            _ => match Misbehaviour::named(name) {
                Some(misbehaviour) => (misbehaviour.answer)(asked),
                None => Reply::status(404).into(),
            },
        }
    }
}

fn front_page() -> String {
    let links = Misbehaviour::ALL.iter().filter(|misbehaviour| misbehaviour.channel == Channel::Http);
    links.fold("<a href=\"/good\">good</a>\n".to_owned(), |page, to| {
        page + &format!("<a href=\"{}\">{}</a>\n", to.path(), to.name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_their_own() {
        let names: std::collections::BTreeSet<_> = Misbehaviour::ALL.iter().map(|m| m.name).collect();
        assert_eq!(names.len(), Misbehaviour::ALL.len());
        let hosts: std::collections::BTreeSet<_> = RobotsCase::ALL.iter().map(|case| case.name).collect();
        assert_eq!(hosts.len(), RobotsCase::ALL.len());
    }
}
