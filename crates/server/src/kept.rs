//! Answers that are given again as they were, until the index changes: people page forth and back, and many ask the same.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use osprey_index::{Hit, Searcher};

/// Bytes of answers that are kept, about.
const MOST: usize = 24 << 20;

/// Answers by what was asked. The oldest go first.
#[derive(Debug)]
pub(crate) struct Kept<T>(Mutex<Shelved<T>>);

#[derive(Debug)]
struct Shelved<T> {
    answers: HashMap<String, Answer<T>>,
    order: VecDeque<String>,
    bytes: usize,
}

#[derive(Debug)]
struct Answer<T> {
    /// Whose answer it is: another searcher sees another index.
    of: Weak<Searcher>,
    answer: Arc<T>,
    bytes: usize,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self(Mutex::new(Shelved { answers: HashMap::new(), order: VecDeque::new(), bytes: 0 }))
    }
}

impl<T> Kept<T> {
    /// The answer of a searcher to a question: the one that is kept, or what `find` finds, which weighs so many bytes.
    pub(crate) fn get<E>(
        &self,
        searcher: &Arc<Searcher>,
        question: String,
        find: impl FnOnce() -> Result<(T, usize), E>,
    ) -> Result<Arc<T>, E> {
        if let Some(kept) = self.0.lock().unwrap_or_else(PoisonError::into_inner).answers.get(&question)
            && std::ptr::eq(kept.of.as_ptr(), Arc::as_ptr(searcher))
        {
            return Ok(Arc::clone(&kept.answer));
        }
        // without the lock: others should not wait for this one
        let (answer, bytes) = find()?;
        let (answer, bytes) = (Arc::new(answer), bytes + 2 * question.len());
        let mut shelved = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = Answer { of: Arc::downgrade(searcher), answer: Arc::clone(&answer), bytes };
        shelved.bytes += bytes;
        match shelved.answers.insert(question.clone(), kept) {
            Some(before) => shelved.bytes -= before.bytes,
            None => shelved.order.push_back(question),
        }
        while shelved.bytes > MOST
            && let Some(oldest) = shelved.order.pop_front()
        {
            let bytes = shelved.answers.remove(&oldest).map_or(0, |answer| answer.bytes);
            shelved.bytes -= bytes;
        }
        Ok(answer)
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
    fn answers_are_kept_until_the_index_changes() {
        let folder = tempfile::tempdir().unwrap();
        let index = Index::open(folder.path(), Codebook::embedded()).unwrap();
        let (one, other) = (Arc::new(index.searcher().unwrap()), Arc::new(index.searcher().unwrap()));
        let kept = Kept::default();
        let ask = |searcher: &Arc<Searcher>, question: &str, answer: u32, bytes: usize| {
            *kept.get(searcher, question.to_owned(), || Ok::<_, Infallible>((answer, bytes))).unwrap()
        };
        assert_eq!(ask(&one, "a", 1, 10), 1);
        assert_eq!(ask(&one, "a", 2, 10), 1);
        assert_eq!(ask(&other, "a", 3, 10), 3);
        assert_eq!(ask(&other, "b", 4, MOST), 4);
        assert_eq!(ask(&other, "a", 5, 10), 5, "the oldest had to go");
        assert!(kept.0.lock().unwrap().bytes <= MOST);
    }
}
