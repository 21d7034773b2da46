//! Reads and writes the bytes of stored values. Readers return `None` for anything truncated or out of range; the
//! store turns that into an error that names table and key.

/// The unread part of a stored value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(head)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }

    pub(crate) fn i64(&mut self) -> Option<i64> {
        self.array().map(i64::from_be_bytes)
    }

    pub(crate) fn f32(&mut self) -> Option<f32> {
        self.u32().map(f32::from_bits)
    }

    /// Reads a length: seven bits per byte, lowest first, at most five bytes.
    pub(crate) fn length(&mut self) -> Option<usize> {
        let mut value = 0u64;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.u8()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return usize::try_from(value).ok();
            }
        }
        None
    }

    /// Reads a length and that many bytes.
    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let count = self.length()?;
        self.take(count)
    }
}

/// Appends a length as [`Reader::length`] reads it. Lengths are of texts in memory, far below 2^35.
pub(crate) fn put_length(out: &mut Vec<u8>, length: usize) {
    let mut left = length;
    while left >= 0x80 {
        out.push((left & 0x7F) as u8 | 0x80);
        left >>= 7;
    }
    out.push(left as u8);
}

/// Appends a length and the bytes.
pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_length(out, bytes.len());
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_come_back() {
        for length in [0, 1, 127, 128, 300, 16_383, 16_384, 1 << 28, u32::MAX as usize] {
            let mut out = Vec::new();
            put_length(&mut out, length);
            let mut reader = Reader::new(&out);
            assert_eq!(reader.length(), Some(length));
            assert!(reader.is_empty());
        }
    }

    #[test]
    fn torn_values_are_none() {
        assert_eq!(Reader::new(&[0x80]).length(), None);
        assert_eq!(Reader::new(&[0xFF; 9]).length(), None);
        assert_eq!(Reader::new(&[5, 1, 2]).bytes(), None);
        assert_eq!(Reader::new(&[1, 2, 3]).u32(), None);
    }
}
