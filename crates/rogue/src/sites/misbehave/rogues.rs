//! All the servers that [`Misbehaviour::ALL`] needs, started together.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};

use super::{Channel, Misbehave, Misbehaviour};
use crate::{Arrival, Authority, Flood, Identity, Listen, Server};

/// One server for each [`Channel`].
#[derive(Debug)]
pub struct Rogues {
    authority: Authority,
    servers: Vec<(Channel, Server)>,
    closed: SocketAddr,
}

impl Rogues {
    /// Starts the servers on 127.0.0.1.
    pub fn start() -> io::Result<Self> {
        let authority = Authority::new()?;
        let tls = |identity, protocols: &[&str]| {
            Ok(Listen::new().tls(authority.server_config(identity, protocols)?))
        };
        let flood = |flood| {
            let config = authority.server_config(Identity::Trusted, &["h2"])?;
            Ok(Listen::new().flood(config, flood))
        };
        let floods = Flood::ALL.map(|kind| (Channel::Flood(kind), flood(kind)));
        let listens: [(Channel, io::Result<Listen>); 8] = [
            (Channel::Http, Ok(Listen::new())),
            (Channel::Https, tls(Identity::Trusted, &["http/1.1"])),
            (Channel::Http2, tls(Identity::Trusted, &["h2", "http/1.1"])),
            (Channel::SelfSigned, tls(Identity::SelfSigned, &["http/1.1"])),
            (Channel::WrongName, tls(Identity::WrongName, &["http/1.1"])),
            (Channel::Expired, tls(Identity::Expired, &["http/1.1"])),
            (Channel::Mute, Ok(Listen::new().mute())),
            (Channel::Closing, Ok(Listen::new().closing())),
        ];
        let servers = listens
            .into_iter()
            .chain(floods)
            .map(|(channel, listen)| Ok((channel, listen?.start(Misbehave)?)));
        let servers = servers.collect::<io::Result<_>>()?;
        // A port that was free a moment ago; nothing else is likely to take it within the test.
        let closed = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        Ok(Self { authority, servers, closed })
    }

    /// The root certificate that signed the good TLS servers' certificates.
    pub fn root_pem(&self) -> String {
        self.authority.root_pem()
    }

    /// The server of a channel; `None` for [`Channel::PlainText`] and [`Channel::Closed`], which have none.
    pub fn server(&self, channel: Channel) -> Option<&Server> {
        self.servers.iter().find(|(c, _)| *c == channel).map(|(_, server)| server)
    }

    /// The URL of a misbehaviour.
    pub fn url(&self, misbehaviour: &Misbehaviour) -> String {
        self.url_of(misbehaviour.channel, &misbehaviour.path())
    }

    /// A good page on the same channel, if the channel has any.
    pub fn good_url(&self, channel: Channel) -> String {
        match channel {
            Channel::Flood(_) => self.url_of(Channel::Http2, "/good"),
            Channel::Https | Channel::Http2 => self.url_of(channel, "/good"),
            _ => self.url_of(Channel::Http, "/good"),
        }
    }

    /// The URL of a path on a channel.
    pub fn url_of(&self, channel: Channel, path: &str) -> String {
        match (channel, self.server(channel), self.server(Channel::Http)) {
            (_, Some(server), _) => server.url(path),
            (Channel::PlainText, _, Some(http)) => format!("https://{}{path}", http.addr()),
            _ => format!("http://{}{path}", self.closed),
        }
    }

    /// All requests that reached any of the servers, server by server.
    pub fn log(&self) -> Vec<Arrival> {
        self.servers.iter().flat_map(|(_, server)| server.log()).collect()
    }
}
