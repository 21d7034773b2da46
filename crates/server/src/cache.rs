//! A cache of search results, valid until the index changes: users page back and forth, and many send the same query.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use osprey_index::{Hit, Searcher};

/// Bytes of results that are kept, about.
const MOST: usize = 24 << 20;

/// Results by request. The oldest are dropped first.
#[derive(Debug)]
pub(crate) struct ResultCache<K, T>(Mutex<Entries<K, T>>);

#[derive(Debug)]
struct Entries<K, T> {
    results: HashMap<K, Entry<T>>,
    order: VecDeque<K>,
    bytes: usize,
}

#[derive(Debug)]
struct Entry<T> {
    /// Whose result it is: another searcher sees another index.
    of: Weak<Searcher>,
    result: Arc<T>,
    bytes: usize,
}

impl<K, T> Default for ResultCache<K, T> {
    fn default() -> Self {
        Self(Mutex::new(Entries { results: HashMap::new(), order: VecDeque::new(), bytes: 0 }))
    }
}

impl<K: Clone + Eq + Hash, T> ResultCache<K, T> {
    /// What a searcher finds for a key: what is kept, or else what `find` finds, which weighs so many bytes with its key.
    pub(crate) fn get<E>(
        &self,
        searcher: &Arc<Searcher>,
        key: K,
        find: impl FnOnce() -> Result<(T, usize), E>,
    ) -> Result<Arc<T>, E> {
        if let Some(kept) = self.0.lock().unwrap_or_else(PoisonError::into_inner).results.get(&key)
            && std::ptr::eq(kept.of.as_ptr(), Arc::as_ptr(searcher))
        {
            return Ok(Arc::clone(&kept.result));
        }
        // without the lock: others should not wait for this one
        let (result, bytes) = find()?;
        let result = Arc::new(result);
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = Entry { of: Arc::downgrade(searcher), result: Arc::clone(&result), bytes };
        entries.bytes += bytes;
        match entries.results.insert(key.clone(), kept) {
            Some(before) => entries.bytes -= before.bytes,
            None => entries.order.push_back(key),
        }
        while entries.bytes > MOST
            && let Some(oldest) = entries.order.pop_front()
        {
            let bytes = entries.results.remove(&oldest).map_or(0, |entry| entry.bytes);
            entries.bytes -= bytes;
        }
        Ok(result)
    }
}

/// What results weigh, about.
pub(crate) fn weight(hits: &[Hit]) -> usize {
    let highlights = |hit: &Hit| hit.highlights.iter().map(|found| found.text.len()).sum::<usize>();
    hits.iter()
        .map(|hit| 1024 + hit.description.len() + hit.url.len() + hit.tags.len() * 48 + highlights(hit))
        .sum()
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use osprey_index::Index;
    use osprey_vision::Codebook;

    use super::*;

    #[test]
    fn results_are_kept_until_the_index_changes() {
        let folder = tempfile::tempdir().unwrap();
        let index = Index::open(folder.path(), Codebook::embedded()).unwrap();
        let (one, other) = (Arc::new(index.searcher().unwrap()), Arc::new(index.searcher().unwrap()));
        let cache = ResultCache::default();
        let ask = |searcher: &Arc<Searcher>, key: &'static str, result: u32, bytes: usize| {
            *cache.get(searcher, key, || Ok::<_, Infallible>((result, bytes))).unwrap()
        };
        assert_eq!(ask(&one, "a", 1, 10), 1);
        assert_eq!(ask(&one, "a", 2, 10), 1);
        assert_eq!(ask(&other, "a", 3, 10), 3);
        assert_eq!(ask(&other, "b", 4, MOST), 4);
        assert_eq!(ask(&other, "a", 5, 10), 5, "the oldest had to go");
        assert!(cache.0.lock().unwrap().bytes <= MOST);
    }
}
