//! Hosts: the key of per-host queues and the registrable domain.
//!
//! The public suffix list is compiled in (`psl`): a lookup takes about 80 ns and nothing is loaded at start. The
//! price is a megabyte in the binary, and a list as old as the build.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// `host[:port]`: the unit of politeness and of the frontier's queues. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostKey(Arc<str>);

impl HostKey {
    pub(super) fn from_authority(authority: &str) -> Self {
        Self(authority.into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for HostKey {
    /// Lets maps by host key be searched with [`super::CanonicalUrl::authority`], without creating a key.
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for HostKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for HostKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for HostKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(String::deserialize(deserializer)?.into()))
    }
}

/// The registrable domain of a canonical host; the host itself if it has none.
pub(super) fn registrable_domain(host: &str) -> &str {
    // Canonical names never end in a digit-only label, so these are addresses, which are not in the suffix list.
    let is_address =
        host.ends_with(']') || host.ends_with(|last: char| last.is_ascii_digit()) && is_ipv4(host);
    if is_address { host } else { psl::domain_str(host).unwrap_or(host) }
}

/// Whether a canonical host ends in a suffix from the list: `example.org` does, `node.js` does not.
pub(super) fn has_public_suffix(host: &str) -> bool {
    psl::domain(host.as_bytes()).is_some_and(|domain| domain.suffix().is_known())
}

fn is_ipv4(host: &str) -> bool {
    host.parse::<std::net::Ipv4Addr>().is_ok()
}
