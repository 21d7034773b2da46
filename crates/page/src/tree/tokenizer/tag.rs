//! Tags and their attributes.

use memchr::{memchr, memchr3};

use super::{Receive, Tokenizer, is_space, resolve};

/// A piece of the input, or what it had to be changed to.
enum Piece<'a> {
    Slice(&'a str),
    Changed,
}

/// What a byte means in a name: bits.
const ENDS_TAG_NAME: u8 = 1;
const ENDS_ATTRIBUTE_NAME: u8 = 1 << 1;
/// It stands for another one: upper case, NUL.
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
    /// Reads a tag, from its `<`. One that the input ends in is dropped, as the standard wants.
    pub(super) fn tag(&mut self, end: bool) {
        self.at += if end { 2 } else { 1 };
        let name = self.name_until(ENDS_TAG_NAME);
        let name = match name {
            Piece::Slice(name) => Some(name),
            Piece::Changed => None,
        };
        // The name is needed after the attributes, which use the same buffer for theirs.
        let changed = if name.is_none() { std::mem::take(&mut self.name) } else { String::new() };
        let name = name.unwrap_or(&changed);
        let Some(self_closing) = self.attributes(end) else {
            self.at = self.html.len();
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

    /// Reads attributes up to the `>`. Says whether there was a `/` before it, or `None` if the input ended.
    fn attributes(&mut self, end_tag: bool) -> Option<bool> {
        loop {
            while self.byte(0).is_some_and(is_space) {
                self.at += 1;
            }
            match self.byte(0) {
                None => return None,
                Some(b'>') => {
                    self.at += 1;
                    return Some(false);
                }
                Some(b'/') => {
                    self.at += 1;
                    if self.byte(0) == Some(b'>') {
                        self.at += 1;
                        return Some(true);
                    }
                }
                Some(_) => self.attribute(end_tag)?,
            }
        }
    }

    fn attribute(&mut self, end_tag: bool) -> Option<()> {
        // A `=` where a name should begin is part of the name.
        let first = usize::from(self.byte(0) == Some(b'='));
        self.at += first;
        let mut name = self.name_until(ENDS_ATTRIBUTE_NAME);
        if first == 1 {
            if let Piece::Slice(rest) = name {
                self.name.clear();
                self.name.push_str(rest);
            }
            self.name.insert(0, '=');
            name = Piece::Changed;
        }
        while is_space(self.byte(0)?) {
            self.at += 1;
        }
        let value = if self.byte(0) == Some(b'=') {
            self.at += 1;
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
        while is_space(self.byte(0)?) {
            self.at += 1;
        }
        let (raw, plain) = match self.byte(0)? {
            quote @ (b'"' | b'\'') => {
                self.at += 1;
                let rest = self.rest();
                let bytes = rest.as_bytes();
                let found = memchr3(quote, b'&', 0, bytes)?;
                let plain = bytes.get(found) == Some(&quote);
                let end = if plain { found } else { found + memchr(quote, bytes.get(found..)?)? };
                self.at += end + 1;
                (rest.get(..end), plain)
            }
            _ => {
                let rest = self.rest();
                let end = rest.bytes().position(|byte| is_space(byte) || byte == b'>')?;
                self.at += end;
                let raw = rest.get(..end);
                (raw, !raw.unwrap_or_default().bytes().any(|byte| byte == b'&' || byte == 0))
            }
        };
        let raw = raw.unwrap_or_default();
        if plain {
            return Some(Piece::Slice(raw));
        }
        self.value.clear();
        resolve(raw, true, &mut self.value);
        Some(Piece::Changed)
    }

    /// Reads a name up to a byte that has the bit `end`, in lower case, NUL replaced.
    fn name_until(&mut self, end: u8) -> Piece<'a> {
        let (start, mut seen) = (self.at, 0);
        while let Some(bits) = self.byte(0).and_then(|byte| IN_NAMES.get(usize::from(byte)))
            && bits & end == 0
        {
            seen |= bits;
            self.at += 1;
        }
        let name = self.html.get(start..self.at).unwrap_or_default();
        if seen & CHANGES == 0 {
            return Piece::Slice(name);
        }
        self.name.clear();
        self.name.extend(name.chars().map(|c| if c == '\0' { '\u{fffd}' } else { c.to_ascii_lowercase() }));
        Piece::Changed
    }
}
