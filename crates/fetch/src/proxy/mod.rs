//! Proxies: HTTP (absolute requests, or CONNECT for https) and SOCKS 5.
//!
//! The proxy itself is the user's word and is not guarded; it is often on loopback. Of the targets, a proxy
//! that resolves names itself (HTTP, `socks5h`) leaves only literal addresses to be checked here.

mod socks;
mod tunnel;

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

pub(crate) use socks::{Target, socks_connect};
pub(crate) use tunnel::http_connect;

/// A proxy, from `http://`, `socks5://` (names resolved here) or `socks5h://` (names resolved there).
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    pub(crate) kind: ProxyKind,
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) login: Option<Login>,
}

/// The protocol spoken with a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProxyKind {
    Http,
    /// SOCKS 5 with addresses.
    Socks,
    /// SOCKS 5 with names.
    SocksNames,
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Login {
    pub(crate) user: String,
    pub(crate) password: String,
}

/// Why a text names no proxy. The text itself is not repeated: it may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProxyError {
    /// Another scheme, or none.
    #[error("proxy: expected `http://`, `socks5://` or `socks5h://` at the beginning")]
    Scheme,
    /// The host is missing.
    #[error("proxy: expected a host behind the scheme")]
    Host,
    /// Not a port.
    #[error("proxy: expected a port from 1 to 65535 behind the host")]
    Port,
    /// Something behind the port.
    #[error("proxy: a path has no meaning here")]
    Path,
    /// A user name or password that can't be sent.
    #[error("proxy: user name and password hold at most 255 bytes each, and no line breaks")]
    Login,
}

impl Proxy {
    /// Whether the proxy looks up the names of targets.
    pub(crate) fn resolves_names(&self) -> bool {
        self.kind != ProxyKind::Socks
    }

    /// The value of `Proxy-Authorization`.
    pub(crate) fn authorization(&self) -> Option<String> {
        let login = self.login.as_ref()?;
        Some(format!("Basic {}", base64(format!("{}:{}", login.user, login.password).as_bytes())))
    }
}

impl FromStr for Proxy {
    type Err = ProxyError;

    fn from_str(text: &str) -> Result<Self, ProxyError> {
        let (scheme, rest) = text.trim().split_once("://").ok_or(ProxyError::Scheme)?;
        let (kind, default_port) = match scheme.to_ascii_lowercase().as_str() {
            "http" => (ProxyKind::Http, 80),
            "socks5" => (ProxyKind::Socks, 1080),
            "socks5h" => (ProxyKind::SocksNames, 1080),
            _ => return Err(ProxyError::Scheme),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (login, address) = match rest.rsplit_once('@') {
            Some((login, address)) => (Some(read_login(login)?), address),
            None => (None, rest),
        };
        if address.contains(['/', '?', '#']) {
            return Err(ProxyError::Path);
        }
        let (host, port) = match address.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => {
                (host, port.parse().ok().filter(|port| *port > 0).ok_or(ProxyError::Port)?)
            }
            _ => (address, default_port),
        };
        let printable = host.bytes().all(|b| b.is_ascii_graphic());
        let is_address = host.starts_with('[') && host.ends_with(']');
        if host.is_empty() || !printable || host.contains([':', '[', ']']) && !is_address {
            return Err(ProxyError::Host);
        }
        Ok(Self { kind, host: host.to_ascii_lowercase(), port, login })
    }
}

fn read_login(text: &str) -> Result<Login, ProxyError> {
    let (user, password) = text.split_once(':').unwrap_or((text, ""));
    let (user, password) = (percent_decoded(user)?, percent_decoded(password)?);
    let fits = |part: &str| part.len() <= 255 && !part.contains(['\r', '\n', '\0']);
    if user.is_empty() || !fits(&user) || !fits(&password) {
        return Err(ProxyError::Login);
    }
    Ok(Login { user, password })
}

fn percent_decoded(text: &str) -> Result<String, ProxyError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, after)) = rest.split_once('%') {
        bytes.extend_from_slice(plain.as_bytes());
        let byte =
            after.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok()).ok_or(ProxyError::Login)?;
        bytes.push(byte);
        rest = after.get(2..).unwrap_or_default();
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes).map_err(|_| ProxyError::Login)
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let index = (bits >> (18 - 6 * digit)) as usize & 63;
            out.push(if digit <= group.len() { char::from(DIGITS[index]) } else { '=' });
        }
    }
    out
}

impl fmt::Display for Proxy {
    /// Without user name and password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.kind {
            ProxyKind::Http => "http",
            ProxyKind::Socks => "socks5",
            ProxyKind::SocksNames => "socks5h",
        };
        write!(f, "{scheme}://{}:{}", self.host, self.port)
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_proxies() {
        let check = |text: &str, expect: Result<&str, ProxyError>, login: Option<&str>| {
            let read = text.parse::<Proxy>();
            let shown = read.as_ref().map(ToString::to_string);
            assert_eq!(shown.as_deref().map_err(|e| **e), expect, "{text}");
            let found = read.ok().and_then(|p| p.login).map(|l| format!("{} {}", l.user, l.password));
            assert_eq!(found.as_deref(), login, "{text}");
        };
        check("http://proxy.example:3128", Ok("http://proxy.example:3128"), None);
        check("HTTP://Proxy.example/", Ok("http://proxy.example:80"), None);
        check("socks5://[::1]", Ok("socks5://[::1]:1080"), None);
        check("socks5h://u:p%40ss%3A@h:9", Ok("socks5h://h:9"), Some("u p@ss:"));
        check("socks5://u@h", Ok("socks5://h:1080"), Some("u "));
        check("https://proxy.example", Err(ProxyError::Scheme), None);
        check("proxy.example:3128", Err(ProxyError::Scheme), None);
        check("http://", Err(ProxyError::Host), None);
        check("http://:80", Err(ProxyError::Host), None);
        check("http://::1:80", Err(ProxyError::Host), None);
        check("http://h:0", Err(ProxyError::Port), None);
        check("http://h:x", Err(ProxyError::Port), None);
        check("http://h:80/path", Err(ProxyError::Path), None);
        check("http://u%0d%0a:p@h", Err(ProxyError::Login), None);
        check("http://u%4:p@h", Err(ProxyError::Login), None);
        check("http://:p@h", Err(ProxyError::Login), None);
    }

    #[test]
    fn writes_base64() {
        let check = |text: &str, expect: &str| assert_eq!(base64(text.as_bytes()), expect, "{text}");
        check("", "");
        check("f", "Zg==");
        check("fo", "Zm8=");
        check("foo", "Zm9v");
        check("Aladdin:open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    }
}
