//! How the tokenizer reads: a string in memory, searched sixteen bytes at a time.
//!
//! html5gum's own reader compares byte by byte. Most of a page is text and attribute values, which the tokenizer
//! reads up to the next of four bytes; that search is written so that the compiler makes vector instructions of it.

use std::convert::Infallible;

use html5gum::Reader;

/// The rest of the input.
#[derive(Debug)]
pub(super) struct Text<'a> {
    rest: &'a [u8],
}

impl<'a> Text<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text.as_bytes() }
    }
}

impl Reader for Text<'_> {
    type Error = Infallible;

    #[inline(always)]
    fn read_byte(&mut self) -> Result<Option<u8>, Infallible> {
        Ok(self.rest.split_off_first().copied())
    }

    #[inline(always)]
    fn try_read_string(&mut self, wanted: &[u8], case_sensitive: bool) -> Result<bool, Infallible> {
        let Some((start, rest)) = self.rest.split_at_checked(wanted.len()) else { return Ok(false) };
        let same = if case_sensitive { start == wanted } else { start.eq_ignore_ascii_case(wanted) };
        if same {
            self.rest = rest;
        }
        Ok(same)
    }

    #[inline(always)]
    fn read_until<'b>(
        &'b mut self,
        needle: &[u8],
        _: &'b mut [u8; 4],
    ) -> Result<Option<&'b [u8]>, Infallible> {
        let found = match *needle {
            [a, b, c, d] => find(self.rest, [a, b, c, d]),
            _ => self.rest.iter().position(|byte| needle.contains(byte)),
        };
        // What is found stands alone; before it comes everything else.
        let length = found.map_or(self.rest.len(), |at| at.max(1));
        let (read, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, &[]));
        self.rest = rest;
        Ok((!read.is_empty()).then_some(read))
    }
}

/// The first of four bytes.
fn find(text: &[u8], [a, b, c, d]: [u8; 4]) -> Option<usize> {
    let is_one = |byte: u8| (byte == a) | (byte == b) | (byte == c) | (byte == d);
    let (chunks, rest) = text.as_chunks::<16>();
    let full = chunks.iter().position(|chunk| chunk.iter().fold(false, |any, &byte| any | is_one(byte)));
    let (start, last) = match full.and_then(|at| chunks.get(at).map(|chunk| (at, chunk))) {
        Some((at, chunk)) => (at * 16, chunk.as_slice()),
        None => (chunks.len() * 16, rest),
    };
    last.iter().position(|&byte| is_one(byte)).map(|at| start + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_four_is_found_anywhere() {
        for length in 0..70 {
            for at in 0..length {
                let mut text = vec![b'x'; length];
                assert_eq!(find(&text, *b"<&\0\r"), None);
                text[at] = b'&';
                text[length - 1] = b'<';
                let expect = if at == length - 1 { length - 1 } else { at };
                assert_eq!(find(&text, *b"<&\0\r"), Some(expect), "{at} of {length}");
            }
        }
    }

    #[test]
    fn chunks_come_before_what_ends_them() {
        let check = |text: &str, needle: &[u8], expect: &[&str]| {
            let mut reader = Text::new(text);
            let mut found = Vec::new();
            while let Ok(Some(read)) = reader.read_until(needle, &mut [0; 4]) {
                found.push(String::from_utf8_lossy(read).into_owned());
            }
            assert_eq!(found, expect, "{text:?}");
        };
        check("hello world", b" r", &["hello", " ", "wo", "r", "ld"]);
        check("a<<b", b"<&\0\r", &["a", "<", "<", "b"]);
        check("", b"<&\0\r", &[]);
    }
}
