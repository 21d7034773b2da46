//! SOCKS 5 (RFC 1928) with user name and password (RFC 1929).

use std::io;
use std::net::IpAddr;

use osprey_model::FailureKind;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::Proxy;
use crate::fault::{Fault, words};

const VERSION: u8 = 5;
const NO_LOGIN: u8 = 0;
const PASSWORD: u8 = 2;
const CONNECT: u8 = 1;

/// The target, as the proxy is told.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target<'a> {
    Address(IpAddr),
    Name(&'a str),
}

/// What went wrong between us and the proxy.
enum SocksError {
    Io(io::Error),
    Said(&'static str),
}

impl From<io::Error> for SocksError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Asks the proxy for a connection to `target`.
pub(crate) async fn socks_connect(
    stream: &mut TcpStream,
    proxy: &Proxy,
    target: Target<'_>,
    port: u16,
) -> Result<(), Fault> {
    let done = async {
        greet(stream, proxy).await?;
        stream.write_all(&request(target, port)?).await?;
        read_reply(stream).await
    };
    done.await.map_err(|trouble| {
        let what = match trouble {
            SocksError::Io(error) => words(&error),
            SocksError::Said(what) => what.to_owned(),
        };
        Fault::new(FailureKind::Connect, format!("proxy `{proxy}`: {what}"))
    })
}

async fn greet(stream: &mut TcpStream, proxy: &Proxy) -> Result<(), SocksError> {
    let greeting: &[u8] = match proxy.login {
        Some(_) => &[VERSION, 2, NO_LOGIN, PASSWORD],
        None => &[VERSION, 1, NO_LOGIN],
    };
    stream.write_all(greeting).await?;
    let mut chosen = [0; 2];
    stream.read_exact(&mut chosen).await?;
    match (chosen, &proxy.login) {
        ([VERSION, NO_LOGIN], _) => Ok(()),
        ([VERSION, PASSWORD], Some(login)) => {
            let mut message = vec![1];
            for part in [&login.user, &login.password] {
                message.push(u8::try_from(part.len()).map_err(|_| SocksError::Said("login too long"))?);
                message.extend_from_slice(part.as_bytes());
            }
            stream.write_all(&message).await?;
            let mut verdict = [0; 2];
            stream.read_exact(&mut verdict).await?;
            if verdict[1] == 0 { Ok(()) } else { Err(SocksError::Said("user name or password not accepted")) }
        }
        ([VERSION, _], _) => Err(SocksError::Said("it requires a user name and a password")),
        _ => Err(SocksError::Said("it does not speak SOCKS 5")),
    }
}

fn request(target: Target<'_>, port: u16) -> Result<Vec<u8>, SocksError> {
    let mut message = vec![VERSION, CONNECT, 0];
    match target {
        Target::Address(IpAddr::V4(ip)) => {
            message.push(1);
            message.extend_from_slice(&ip.octets());
        }
        Target::Address(IpAddr::V6(ip)) => {
            message.push(4);
            message.extend_from_slice(&ip.octets());
        }
        Target::Name(name) => {
            message.push(3);
            message.push(u8::try_from(name.len()).map_err(|_| SocksError::Said("host name too long"))?);
            message.extend_from_slice(name.as_bytes());
        }
    }
    message.extend_from_slice(&port.to_be_bytes());
    Ok(message)
}

async fn read_reply(stream: &mut TcpStream) -> Result<(), SocksError> {
    let mut head = [0; 4];
    stream.read_exact(&mut head).await?;
    match head[1] {
        _ if head[0] != VERSION => return Err(SocksError::Said("it does not speak SOCKS 5")),
        0 => {}
        2 => return Err(SocksError::Said("connection not allowed by its rules")),
        3 => return Err(SocksError::Said("network unreachable")),
        4 => return Err(SocksError::Said("host unreachable")),
        5 => return Err(SocksError::Said("connection refused by the target")),
        _ => return Err(SocksError::Said("no connection to the target")),
    }
    let length = match head[3] {
        1 => 4,
        4 => 16,
        3 => usize::from(stream.read_u8().await?),
        _ => return Err(SocksError::Said("it does not speak SOCKS 5")),
    };
    let mut bound = [0; 257];
    let bound = bound.get_mut(..length + 2).unwrap_or_default();
    stream.read_exact(bound).await?;
    Ok(())
}
