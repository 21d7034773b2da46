//! Decoded bytes that have not been parsed. The storage stays initialised between uses: growing and shrinking a plain
//! vector would write zeros over it every few kilobytes.

/// A contiguous queue of bytes.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    storage: Vec<u8>,
    start: usize,
    end: usize,
}

impl Buffer {
    pub(super) fn bytes(&self) -> &[u8] {
        self.storage.get(self.start..self.end).unwrap_or_default()
    }

    pub(super) fn len(&self) -> usize {
        self.end - self.start
    }

    pub(super) fn clear(&mut self) {
        (self.start, self.end) = (0, 0);
    }

    /// Drops up to `count` bytes from the front; returns the number.
    pub(super) fn consume(&mut self, count: usize) -> usize {
        let count = count.min(self.len());
        self.start += count;
        count
    }

    /// At least `count` bytes of space after the last one; [`Buffer::advance`] then sets how many were written.
    pub(super) fn space(&mut self, count: usize) -> &mut [u8] {
        if self.start > 0 {
            self.storage.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.len());
        }
        if self.storage.len() - self.end < count {
            // The system provides zeroed memory; `resize` would write the zeros.
            let mut storage = vec![0; self.end + count];
            if let (Some(kept), Some(bytes)) = (storage.get_mut(..self.end), self.storage.get(..self.end)) {
                kept.copy_from_slice(bytes);
            }
            self.storage = storage;
        }
        self.storage.get_mut(self.end..).unwrap_or_default()
    }

    pub(super) fn advance(&mut self, count: usize) {
        self.end = (self.end + count).min(self.storage.len());
    }

    pub(super) fn append(&mut self, bytes: &[u8]) {
        if let Some(space) = self.space(bytes.len()).get_mut(..bytes.len()) {
            space.copy_from_slice(bytes);
        }
        self.advance(bytes.len());
    }

    /// Puts bytes in front of the first one.
    pub(super) fn prepend(&mut self, bytes: &[u8]) {
        let rest = self.bytes().to_vec();
        self.clear();
        self.append(bytes);
        self.append(&rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_queue() {
        let mut buffer = Buffer::default();
        buffer.append(b"hello world");
        assert_eq!(buffer.consume(6), 6);
        assert_eq!(buffer.bytes(), b"world");
        buffer.space(2)[..2].copy_from_slice(b"!?");
        buffer.advance(1);
        assert_eq!(buffer.bytes(), b"world!");
        buffer.prepend(b"my ");
        assert_eq!(buffer.bytes(), b"my world!");
        assert_eq!(buffer.consume(100), 9);
        assert_eq!((buffer.len(), buffer.bytes()), (0, &b""[..]));
    }
}
