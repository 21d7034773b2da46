//! An append-only array of small values by link id, in chunks: growing copies nothing and never needs twice the
//! memory.

const CHUNK: usize = 1 << 16;

/// One value per link, in the order of ids.
#[derive(Debug)]
pub(crate) struct Chunked<T> {
    chunks: Vec<Vec<T>>,
}

impl<T: Copy> Chunked<T> {
    pub(crate) fn new() -> Self {
        Self { chunks: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.chunks.last().map_or(0, |last| (self.chunks.len() - 1) * CHUNK + last.len())
    }

    pub(crate) fn push(&mut self, value: T) {
        match self.chunks.last_mut() {
            Some(last) if last.len() < CHUNK => last.push(value),
            _ => {
                // The first chunk grows as needed, since most crawls in tests and experiments are small.
                let room = if self.chunks.is_empty() { 0 } else { CHUNK };
                let mut chunk = Vec::with_capacity(room);
                chunk.push(value);
                self.chunks.push(chunk);
            }
        }
    }

    pub(crate) fn get(&self, index: usize) -> Option<T> {
        self.chunks.get(index / CHUNK)?.get(index % CHUNK).copied()
    }

    /// Overwrites the value at `index`; an index past the end is ignored.
    pub(crate) fn set(&mut self, index: usize, value: T) {
        if let Some(at) = self.chunks.get_mut(index / CHUNK).and_then(|chunk| chunk.get_mut(index % CHUNK)) {
            *at = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_values_over_chunk_borders() {
        let mut values = Chunked::new();
        let count = 2 * CHUNK + 3;
        for value in 0..count {
            assert_eq!(values.len(), value);
            values.push(value);
        }
        values.set(CHUNK, 7);
        values.set(count, 8);
        assert_eq!(values.get(CHUNK - 1), Some(CHUNK - 1));
        assert_eq!(values.get(CHUNK), Some(7));
        assert_eq!(values.get(count - 1), Some(count - 1));
        assert_eq!(values.get(count), None);
    }
}
