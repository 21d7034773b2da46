//! Tags and their attributes.

use memchr::{memchr, memchr2};

use super::{Receive, Tokenizer, ends_name, is_space, resolve};

/// A piece of the input, or what it had to be changed to.
enum Piece<'a> {
    Slice(&'a str),
    Changed,
}

impl<'a, R: Receive> Tokenizer<'a, R> {
    /// Reads a tag, from its `<`. One that the input ends in is dropped, as the standard wants.
    pub(super) fn tag(&mut self, end: bool) {
        self.at += if end { 2 } else { 1 };
        let name = self.name_until(ends_name);
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
        let mode = if end {
            self.receiver.end_tag(name)
        } else {
            self.last_start_tag.clear();
            self.last_start_tag.push_str(name);
            self.receiver.start_tag(name, self_closing)
        };
        self.mode = mode.unwrap_or(self.mode);
    }

    /// Reads attributes up to the `>`. Says whether there was a `/` before it, or `None` if the input ended.
    fn attributes(&mut self, end_tag: bool) -> Option<bool> {
        loop {
            let space = self.rest().bytes().position(|byte| !is_space(byte));
            self.at += space.unwrap_or(self.rest().len());
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
        let mut name = self.name_until(|byte| ends_name(byte) || byte == b'=');
        if first == 1 {
            if let Piece::Slice(rest) = name {
                self.name.clear();
                self.name.push_str(rest);
            }
            self.name.insert(0, '=');
            name = Piece::Changed;
        }
        let space = self.rest().bytes().position(|byte| !is_space(byte))?;
        let value = if self.byte(space) == Some(b'=') {
            self.at += space + 1;
            self.value()?
        } else {
            self.at += space;
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
        self.at += self.rest().bytes().position(|byte| !is_space(byte))?;
        let raw = match self.byte(0)? {
            quote @ (b'"' | b'\'') => {
                self.at += 1;
                let rest = self.rest();
                let end = memchr(quote, rest.as_bytes())?;
                self.at += end + 1;
                rest.get(..end)
            }
            _ => {
                let rest = self.rest();
                let end = rest.bytes().position(|byte| is_space(byte) || byte == b'>')?;
                self.at += end;
                rest.get(..end)
            }
        };
        let raw = raw.unwrap_or_default();
        if memchr2(b'&', 0, raw.as_bytes()).is_none() {
            return Some(Piece::Slice(raw));
        }
        self.value.clear();
        resolve(raw, true, &mut self.value);
        Some(Piece::Changed)
    }

    /// Reads a name, in lower case, NUL replaced.
    fn name_until(&mut self, ends: impl Fn(u8) -> bool) -> Piece<'a> {
        let rest = self.rest();
        let mut plain = true;
        let end = rest.bytes().position(|byte| {
            plain &= !byte.is_ascii_uppercase() && byte != 0;
            ends(byte)
        });
        let name = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        self.at += name.len();
        if plain {
            return Piece::Slice(name);
        }
        self.name.clear();
        self.name.extend(name.chars().map(|c| if c == '\0' { '\u{fffd}' } else { c.to_ascii_lowercase() }));
        Piece::Changed
    }
}
