//! TLS by rustls: public roots compiled in, sessions resumed within a bound, HTTP/2 offered where it is wanted.
//!
//! Certificates are always checked; there is no switch for it. A site with a private authority is reached by
//! naming that authority's certificate.

use std::sync::Arc;

use osprey_model::FailureKind;
use rustls::client::Resumption;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::error::FetchError;
use crate::fault::{Fault, words};
use crate::resolve::literal;

const MAX_SESSIONS: usize = 1024;
const HTTP2: &[u8] = b"h2";
const HTTP1: &[u8] = b"http/1.1";

/// Two settings that differ in what they offer.
pub(crate) struct Tls {
    with_http2: TlsConnector,
    http1_only: TlsConnector,
}

impl Tls {
    pub(crate) fn new(extra_roots: &[Vec<u8>]) -> Result<Self, FetchError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots(extra_roots)?)
            .with_no_client_auth();
        config.resumption = Resumption::in_memory_sessions(MAX_SESSIONS);
        let mut http1_only = config.clone();
        config.alpn_protocols = vec![HTTP2.to_vec(), HTTP1.to_vec()];
        http1_only.alpn_protocols = vec![HTTP1.to_vec()];
        Ok(Self { with_http2: Arc::new(config).into(), http1_only: Arc::new(http1_only).into() })
    }

    /// Makes the handshake. `host` is as in a URL.
    pub(crate) async fn shake_hands(
        &self,
        stream: TcpStream,
        host: &str,
        offer_http2: bool,
    ) -> Result<TlsStream<TcpStream>, Fault> {
        let name = match literal(host) {
            Some(ip) => ServerName::from(ip),
            None => ServerName::try_from(host.to_owned()).map_err(|_| {
                Fault::new(FailureKind::Tls, format!("`{host}`: not a name for certificates"))
            })?,
        };
        let connector = if offer_http2 { &self.with_http2 } else { &self.http1_only };
        connector
            .connect(name, stream)
            .await
            .map_err(|error| Fault::new(FailureKind::Tls, format!("`{host}`: {}", words(&error))))
    }
}

/// Whether the server chose HTTP/2.
pub(crate) fn chose_http2(stream: &TlsStream<TcpStream>) -> bool {
    stream.get_ref().1.alpn_protocol() == Some(HTTP2)
}

fn roots(extra: &[Vec<u8>]) -> Result<RootCertStore, FetchError> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    for (index, pem) in extra.iter().enumerate() {
        let wrong = |cause: String| FetchError::Root { number: index + 1, cause };
        let before = roots.len();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
            roots.add(certificate).map_err(|error| wrong(error.to_string()))?;
        }
        if roots.len() == before {
            return Err(wrong("no certificate in PEM form".to_owned()));
        }
    }
    Ok(roots)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreadable_roots_are_named() {
        let check = |pem: &str, expect: &str| {
            let error = Tls::new(&[pem.as_bytes().to_vec()]).err().map(|e| e.to_string());
            assert_eq!(error.as_deref(), Some(expect));
        };
        check("", "extra root 1: no certificate in PEM form");
        check("words", "extra root 1: no certificate in PEM form");
    }
}
