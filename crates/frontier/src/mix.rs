//! Hashes for the tables in memory, with a key per process: authors of pages can choose fingerprints and group names,
//! and must not be able to put them all into one bucket.

use std::hash::{BuildHasher, RandomState};

/// A key and the hash function made from it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mix(u64);

impl Mix {
    pub(crate) fn new() -> Self {
        Self(RandomState::new().hash_one(0) | 1)
    }

    pub(crate) fn hash(self, value: u64) -> u64 {
        let product = value.wrapping_mul(self.0);
        product ^ (product >> 32)
    }

    pub(crate) fn hash_pair(self, a: u32, b: u64) -> u64 {
        self.hash(self.hash(b).wrapping_add(u64::from(a)))
    }
}
