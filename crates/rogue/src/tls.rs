//! Certificates generated on demand: good ones from an authority that a test may trust, and bad ones.

use std::io;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

/// Names and addresses in good certificates. Clients reject `*.test`: a wildcard needs two labels after it.
const NAMES: [&str; 4] = ["localhost", "*.good.test", "127.0.0.1", "::1"];

/// The certificate that a server presents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Identity {
    /// Signed by the [`Authority`], for `localhost`, `127.0.0.1`, `::1` and `*.good.test`.
    Trusted,
    /// Signed only by itself.
    SelfSigned,
    /// Signed by the authority, for another name.
    WrongName,
    /// Signed by the authority, for the right name, but valid in 2020 only.
    Expired,
}

/// The certificate authority of one test run. Its key is dropped with it.
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl Authority {
    /// Creates an authority.
    pub fn new() -> io::Result<Self> {
        let mut params = CertificateParams::new(Vec::new()).map_err(io::Error::other)?;
        // Not the library's default name, which self-signed certificates have too.
        params.distinguished_name.push(DnType::CommonName, "Rogue test authority");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let issuer = CertifiedIssuer::self_signed(params, key).map_err(io::Error::other)?;
        Ok(Self { issuer })
    }

    /// The root certificate, for the client to trust.
    pub fn root_pem(&self) -> String {
        self.issuer.pem()
    }

    /// A server's TLS configuration, which offers these protocols (`h2`, `http/1.1`).
    pub fn server_config(&self, identity: Identity, protocols: &[&str]) -> io::Result<Arc<ServerConfig>> {
        let names: Vec<String> = match identity {
            Identity::WrongName => vec!["elsewhere.invalid".to_owned()],
            _ => NAMES.iter().map(|name| (*name).to_owned()).collect(),
        };
        let mut params = CertificateParams::new(names).map_err(io::Error::other)?;
        if identity == Identity::Expired {
            (params.not_before, params.not_after) = (date_time_ymd(2020, 1, 1), date_time_ymd(2020, 12, 31));
        }
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let certificate = match identity {
            Identity::SelfSigned => params.self_signed(&key),
            _ => params.signed_by(&key, &self.issuer),
        };
        let chain = vec![certificate.map_err(io::Error::other)?.der().clone()];
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(io::Error::other)?;
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        Ok(Arc::new(config))
    }
}

impl std::fmt::Debug for Authority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authority").finish_non_exhaustive()
    }
}
