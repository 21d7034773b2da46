//! Tags and their attributes.

use memchr::{memchr, memchr3};

use super::{Receive, Tokenizer, is_space, resolve};

/// A piece of the input, or a changed copy.
enum Piece<'a> {
    Slice(&'a str),
    Changed,
}

/// Bits for the meaning of a byte in a name.
const ENDS_TAG_NAME: u8 = 1;
const ENDS_ATTRIBUTE_NAME: u8 = 1 << 1;
/// It is replaced: upper case, NUL.
const CHANGES: u8 = 1 << 2;

static IN_NAMES: [u8; 256] = {
    let mut bytes = [0; 256];
    let mut at = 0;
    while at < bytes.len() {
        bytes[at] = match at as u8 {
            b'\t' | b'\n' | b'\x0C' | b' ' | b'/' | b'>' => ENDS_TAG_NAME | ENDS_ATTRIBUTE_NAME,
            b'=' => ENDS_ATTRIBUTE_NAME,
            b'A'..=b'Z' | 0 => CHANGES,
            _ => 0,
        };
        at += 1;
    }
    bytes
};

impl<'a, R: Receive> Tokenizer<'a, R> {
    /// Reads a tag, from its `<`. A tag that is incomplete at the end of the input is dropped, as the standard
    /// requires.
    pub(super) fn tag(&mut self, end: bool) {
        self.skip(if end { 2 } else { 1 });
        let name = self.name_until(ENDS_TAG_NAME);
        let name = match name {
            Piece::Slice(name) => Some(name),
            Piece::Changed => None,
        };
        // The name is needed after the attributes, which use the same buffer.
        let changed = if name.is_none() { std::mem::take(&mut self.name) } else { String::new() };
        let name = name.unwrap_or(&changed);
        let Some(self_closing) = self.attributes(end) else {
            self.rest = "";
            return;
        };
        let mode =
            if end { self.receiver.end_tag(name) } else { self.receiver.start_tag(name, self_closing) };
        if let Some(mode) = mode {
            self.mode = mode;
            self.last_start_tag.clear();
            self.last_start_tag.push_str(name);
        }
    }

    /// Reads attributes up to the `>`. Returns whether there was a `/` before it, or `None` if the input ended.
    fn attributes(&mut self, end_tag: bool) -> Option<bool> {
        loop {
            match self.skip_space()? {
                b'>' => {
                    self.skip(1);
                    return Some(false);
                }
                b'/' => {
                    self.skip(1);
                    if self.byte(0) == Some(b'>') {
                        self.skip(1);
                        return Some(true);
                    }
                }
                first => self.attribute(first, end_tag)?,
            }
        }
    }

    /// Skips white space; returns the byte after it.
    fn skip_space(&mut self) -> Option<u8> {
        loop {
            let byte = self.byte(0)?;
            if !is_space(byte) {
                return Some(byte);
            }
            self.skip(1);
        }
    }

    /// Reads an attribute that begins with `first`.
    fn attribute(&mut self, first: u8, end_tag: bool) -> Option<()> {
        // A `=` where a name should begin is part of the name.
        let equals = first == b'=';
        self.skip(usize::from(equals));
        let mut name = self.name_until(ENDS_ATTRIBUTE_NAME);
        if equals {
            if let Piece::Slice(rest) = name {
                self.name.clear();
                self.name.push_str(rest);
            }
            self.name.insert(0, '=');
            name = Piece::Changed;
        }
        let value = if self.skip_space()? == b'=' {
            self.skip(1);
            self.value()?
        } else {
            Piece::Slice("")
        };
        if !end_tag {
            let name = match name {
                Piece::Slice(name) => name,
                Piece::Changed => &self.name,
            };
            let value = match value {
                Piece::Slice(value) => value,
                Piece::Changed => &self.value,
            };
            self.receiver.attribute(name, value);
        }
        Some(())
    }

    /// Reads a value, from after its `=`.
    fn value(&mut self) -> Option<Piece<'a>> {
        let first = self.skip_space()?;
        let (raw, plain) = if matches!(first, b'"' | b'\'') {
            self.skip(1);
            let bytes = self.rest.as_bytes();
            let found = memchr3(first, b'&', 0, bytes)?;
            let plain = bytes.get(found) == Some(&first);
            let end = if plain { found } else { found + memchr(first, bytes.get(found..)?)? };
            let raw = self.take(end);
            self.skip(1);
            (raw, plain)
        } else {
            let raw = self.take(self.rest.bytes().position(|byte| is_space(byte) || byte == b'>')?);
            (raw, !raw.bytes().any(|byte| byte == b'&' || byte == 0))
        };
        if plain {
            return Some(Piece::Slice(raw));
        }
        self.value.clear();
        resolve(raw, true, &mut self.value);
        Some(Piece::Changed)
    }

    /// Reads a name up to a byte that has the bit `end`, in lower case, with NUL replaced.
    fn name_until(&mut self, end: u8) -> Piece<'a> {
        let bytes = self.rest.as_bytes();
        let (mut length, mut seen) = (small_letters(bytes), 0);
        while let Some(bits) = bytes.get(length).and_then(|&byte| IN_NAMES.get(usize::from(byte)))
            && bits & end == 0
        {
            seen |= bits;
            length += 1;
        }
        let name = self.take(length);
        if seen & CHANGES == 0 {
            return Piece::Slice(name);
        }
        self.name.clear();
        self.name.extend(name.chars().map(|c| if c == '\0' { '\u{fffd}' } else { c.to_ascii_lowercase() }));
        Piece::Changed
    }
}

/// The number of lower-case letters at the beginning, up to eight, checked together. Almost every name consists of
/// lower-case letters, so its length is found without a loop over bytes.
fn small_letters(bytes: &[u8]) -> usize {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = LOW << 7;
    let Some(eight) = bytes.first_chunk() else { return 0 };
    let eight = u64::from_le_bytes(*eight);
    let seven_bits = eight & !HIGH;
    // The sums do not carry into the next byte; their high bits mean: `a` or greater, greater than `z`.
    let from_a = seven_bits + LOW * (0x80 - b'a' as u64);
    let past_z = seven_bits + LOW * (0x7F - b'z' as u64);
    let letters = from_a & !past_z & !eight & HIGH;
    (letters ^ HIGH).trailing_zeros() as usize / 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_letters_are_counted() {
        for at in 0..8 {
            for byte in 0..=u8::MAX {
                let mut bytes = *b"azmazmaz";
                bytes[at] = byte;
                let expect = if byte.is_ascii_lowercase() { 8 } else { at };
                assert_eq!(small_letters(&bytes), expect, "{bytes:?}");
            }
        }
        assert_eq!(small_letters(b"short"), 0);
    }
}
