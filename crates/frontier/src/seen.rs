//! Which URLs are known: fingerprint to link id, about 17 bytes a URL.
//!
//! Fingerprints are in an array by id (they are needed for comparison and for rehashing); the hash tables hold only
//! ids. There are a thousand small tables instead of a large one, so that growing a table takes no noticeable time:
//! at ten million URLs, ten thousand entries move at a time.
//!
//! With 64-bit fingerprints, the probability that any two of ten million URLs collide is 3 in a million; the later of
//! the two then counts as known and is not fetched. An exact table would need five times the memory or a disk read
//! per link.

use hashbrown::HashTable;
use osprey_model::LinkId;

use crate::chunked::Chunked;
use crate::mix::Mix;

const SHARDS: usize = 1024;

/// The set of known URLs.
#[derive(Debug)]
pub(crate) struct SeenUrls {
    shards: Vec<HashTable<u32>>,
    prints: Chunked<u64>,
    mix: Mix,
}

impl SeenUrls {
    pub(crate) fn new() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| HashTable::new()).collect(),
            prints: Chunked::new(),
            mix: Mix::new(),
        }
    }

    /// The number of known URLs, which is also the id of the next one.
    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.prints.len()).unwrap_or(u32::MAX)
    }

    /// Reserves room for this many URLs at once, instead of growing table by table.
    pub(crate) fn reserve(&mut self, count: usize) {
        let Self { shards, prints, mix } = self;
        for table in shards {
            // Slightly more than the mean, so that few tables are too small.
            table.reserve(count / SHARDS + count / SHARDS / 16, |&id| {
                mix.hash(prints.get(id as usize).unwrap_or_default())
            });
        }
    }

    pub(crate) fn find(&self, print: u64) -> Option<LinkId> {
        let hash = self.mix.hash(print);
        let is_it = |&id: &u32| self.prints.get(id as usize) == Some(print);
        self.shards.get(shard(hash))?.find(hash, is_it).copied().map(LinkId)
    }

    /// Adds a fingerprint that is not known yet and gives it the next id.
    pub(crate) fn insert(&mut self, print: u64) -> LinkId {
        let id = self.len();
        self.prints.push(print);
        let Self { shards, prints, mix } = self;
        let hash = mix.hash(print);
        if let Some(table) = shards.get_mut(shard(hash)) {
            table.insert_unique(hash, id, |&id| mix.hash(prints.get(id as usize).unwrap_or_default()));
        }
        LinkId(id)
    }
}

/// The tables use the lowest and the highest bits of a hash, so the shard is chosen by those in the middle.
fn shard(hash: u64) -> usize {
    (hash >> 40) as usize % SHARDS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_inserted_and_nothing_else() {
        let mut seen = SeenUrls::new();
        let print = |n: u64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        for n in 0..5000 {
            assert_eq!(seen.find(print(n)), None);
            assert_eq!(seen.insert(print(n)), LinkId(n as u32));
        }
        for n in 0..5000 {
            assert_eq!(seen.find(print(n)), Some(LinkId(n as u32)));
        }
        assert_eq!(seen.find(print(5000)), None);
        assert_eq!(seen.len(), 5000);
    }
}
