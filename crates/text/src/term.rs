//! Terms: words as 64-bit keys.
//!
//! Numbering all words would need a table that grows without limit, is shared by all threads and is stored with every
//! vector. A hash of 64 bits needs no table. Two stems share a key once in billions of words; that costs one wrong
//! count.

use std::hash::{BuildHasherDefault, Hasher};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// A stemmed word, or a phrase of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Term(u64);

/// Makes the key of a phrase depend on the order of its words.
const TURN: u32 = 23;
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

impl Term {
    /// The term of a stem, without any folding.
    pub fn of(stem: &str) -> Self {
        Self(xxh3_64(stem.as_bytes()))
    }

    /// The phrase that begins with this and continues with `next`.
    pub fn then(self, next: Self) -> Self {
        Self((self.0.rotate_left(TURN) ^ next.0).wrapping_mul(MIX))
    }

    pub(super) fn from_key(key: u64) -> Self {
        Self(key)
    }

    /// The key.
    pub fn key(self) -> u64 {
        self.0
    }
}

/// For tables whose keys are hashes already.
#[derive(Clone, Copy, Debug, Default)]
pub struct AsItIs(u64);

/// Builds `AsItIs`.
pub type Hashed = BuildHasherDefault<AsItIs>;

impl Hasher for AsItIs {
    fn write(&mut self, bytes: &[u8]) {
        // not called for keys of 64 bits; correct for others anyway
        self.0 = xxh3_64(bytes) ^ self.0.rotate_left(TURN);
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_counts_in_phrases() {
        let (data, model) = (Term::of("data"), Term::of("model"));
        assert_eq!(data.then(model), data.then(model));
        assert_ne!(data.then(model), model.then(data));
        assert_ne!(data.then(data), data);
        assert_ne!(data.then(model).then(data), data.then(data).then(model));
    }
}
