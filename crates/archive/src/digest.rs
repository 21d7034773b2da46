//! SHA-256 digests of payloads, and how they are written.
//!
//! The WARC standard prescribes neither algorithm nor alphabet. Hexadecimal was chosen (`sha256:` and 64 lower-case
//! digits): visit exports print it, warcio.js and the browser-based recorders write it, and `warcio check` and jwarc
//! accept it (they recognise it by its length). Base32, the custom of SHA-1 times, would save 8 bytes per header, but
//! one digest would have two spellings.

use std::fmt;
use std::str::FromStr;

use osprey_model::Headers;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use crate::read::RecordKind;

/// The SHA-256 of some bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// A text that is not `sha256:` and 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("digest `{0}` is not `sha256:` and 64 hexadecimal digits")]
pub struct BadDigest(String);

impl Digest {
    /// The digest of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest of the concatenated parts.
    pub(crate) fn of_parts(parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update(part);
        }
        Self(hash.finalize().into())
    }

    /// From the raw bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The raw bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = [0_u8; 64];
        for (pair, byte) in text.chunks_exact_mut(2).zip(self.0) {
            pair.copy_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
        f.write_str("sha256:")?;
        f.write_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl FromStr for Digest {
    type Err = BadDigest;

    fn from_str(text: &str) -> Result<Self, BadDigest> {
        let bad = || BadDigest(text.chars().take(100).collect());
        let digits = text.strip_prefix("sha256:").ok_or_else(bad)?.as_bytes();
        let mut bytes = [0_u8; 32];
        if digits.len() != 64 {
            return Err(bad());
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let value = |digit: u8| char::from(digit).to_digit(16).and_then(|v| u8::try_from(v).ok());
            *byte = match pair {
                [high, low] => value(*high).ok_or_else(bad)? << 4 | value(*low).ok_or_else(bad)?,
                _ => return Err(bad()),
            };
        }
        Ok(Self(bytes))
    }
}

/// Compares the digests in a record's header with its block, which arrives in pieces. Only SHA-256 digests are
/// checked.
#[derive(Default)]
pub(crate) struct DigestCheck {
    block: Option<(Digest, Sha256)>,
    payload: Option<(Digest, Sha256)>,
    head: HttpHead,
}

/// How much of the HTTP head has passed.
#[derive(Clone, Copy, Default, PartialEq)]
enum HttpHead {
    #[default]
    InLine,
    /// After a line feed.
    LineEnd,
    /// After a line feed and a carriage return.
    Return,
    Over,
}

impl HttpHead {
    fn next(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Over, _) | (Self::LineEnd | Self::Return, b'\n') => Self::Over,
            (Self::InLine, b'\n') => Self::LineEnd,
            (Self::LineEnd, b'\r') => Self::Return,
            _ => Self::InLine,
        }
    }
}

impl DigestCheck {
    pub(crate) fn of(kind: RecordKind, headers: &Headers) -> Self {
        let begin = |name: &str| Some((headers.get(name)?.trim().parse().ok()?, Sha256::new()));
        // the payload of a revisit is in another record
        let has_payload = matches!(kind, RecordKind::Response | RecordKind::Resource);
        let head = if kind == RecordKind::Resource { HttpHead::Over } else { HttpHead::InLine };
        let payload = if has_payload { begin("warc-payload-digest") } else { None };
        Self { block: begin("warc-block-digest"), payload, head }
    }

    pub(crate) fn update(&mut self, mut bytes: &[u8]) {
        if let Some((_, hash)) = &mut self.block {
            hash.update(bytes);
        }
        let Some((_, hash)) = &mut self.payload else { return };
        while self.head != HttpHead::Over {
            let Some((byte, rest)) = bytes.split_first() else { return };
            (self.head, bytes) = (self.head.next(*byte), rest);
        }
        hash.update(bytes);
    }

    /// The first mismatch, if there is one.
    pub(crate) fn finish(self) -> Option<&'static str> {
        let is_other = |(expected, hash): (Digest, Sha256)| Digest(hash.finalize().into()) != expected;
        if self.payload.is_some_and(is_other) {
            return Some("payload");
        }
        self.block.is_some_and(is_other).then_some("block")
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_and_reads() {
        let abc = Digest::of(b"abc");
        let text = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(abc.to_string(), text);
        assert_eq!(text.parse(), Ok(abc));
        assert_eq!(text.to_ascii_uppercase().replace("SHA", "sha").parse(), Ok(abc));
        assert_eq!(Digest::of_parts(&[b"a", b"", b"bc"]), abc);
    }

    #[test]
    fn refuses_other_spellings() {
        for text in ["", "sha256:", "sha1:ba78", "ba7816bf", &format!("sha256:{}", "g".repeat(64))] {
            assert!(text.parse::<Digest>().is_err(), "{text}");
        }
    }
}
