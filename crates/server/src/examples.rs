//! Example pictures that users have uploaded to search with.
//!
//! The server computes the visual words of an uploaded picture at once and gives it an address with a key, so that
//! results can be paged, linked and reloaded. It does not store the picture itself, and it drops the oldest example
//! when there are too many.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use osprey_engine::{Error, Result, SearchHandle};
use osprey_vision::{Words, Worker};
use sha2::{Digest, Sha256};

/// Examples that are remembered.
const MOST: usize = 256;

/// An uploaded picture.
#[derive(Debug)]
pub(crate) struct Uploaded {
    key: String,
    /// What is seen in it; with its thumbnail.
    pub(crate) words: Words,
}

/// The last uploads.
#[derive(Debug, Default)]
pub(crate) struct Examples(Mutex<VecDeque<Arc<Uploaded>>>);

impl Examples {
    /// Looks at a picture with the codebook of what is searched, and remembers it; its key.
    pub(crate) fn look(&self, handle: &SearchHandle, bytes: &[u8]) -> Result<String> {
        let words = Worker::new(Arc::clone(&handle.codebook)).words(bytes);
        let words = words.map_err(|refusal| Error::Usage(format!("the picture: {refusal}")))?;
        Ok(self.put(bytes, words))
    }

    /// Remembers a picture of which the bytes are given; its key.
    fn put(&self, bytes: &[u8], words: Words) -> String {
        let mut hash = Sha256::new();
        // words of another codebook are another example
        hash.update(words.codebook.to_be_bytes());
        hash.update(bytes);
        let key: String = hash.finalize().iter().take(12).map(|byte| format!("{byte:02x}")).collect();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|known| known.key != key);
        if kept.len() >= MOST {
            kept.pop_front();
        }
        kept.push_back(Arc::new(Uploaded { key: key.clone(), words }));
        key
    }

    /// The picture of a key.
    pub(crate) fn get(&self, key: &str) -> Option<Arc<Uploaded>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|known| known.key == key).cloned()
    }
}

#[cfg(test)]
mod tests {
    use osprey_vision::{Codebook, Picture};

    use super::*;

    #[test]
    fn the_oldest_is_forgotten() {
        let words =
            Worker::new(Codebook::embedded()).look(&Picture::from_fn(64, 64, |x, y| [x as u8, y as u8, 9]));
        let examples = Examples::default();
        let first = examples.put(b"0", words.clone());
        assert_eq!(examples.put(b"0", words.clone()), first);
        for n in 1..MOST {
            examples.put(&n.to_be_bytes(), words.clone());
        }
        assert!(examples.get(&first).is_some());
        examples.put(b"one more", words);
        assert!(examples.get(&first).is_none());
    }
}
