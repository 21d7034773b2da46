//! The standard's tokenizer, for a complete string.
//!
//! Why our own: html5ever's tokenizer takes characters from a queue of buffers and allocates per attribute, and took
//! two thirds of a parse; html5gum's, tried next, still took half. With the whole text in memory, the standard's
//! eighty states become a few searches: text is everything up to the next `<`, `&` or NUL, a quoted value is
//! everything up to its quote, and both are passed on as slices. The standard's own test suite tests it (`tests.rs`).
//!
//! Parse errors are not reported, because a crawler has no use for them.

mod declaration;
mod reference;
mod script;
mod tag;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use memchr::{memchr, memchr2, memchr3};

use reference::reference;

/// How text is read: the standard's states outside of tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Data,
    /// Text with references, up to its end tag.
    Rcdata,
    /// Text up to its end tag.
    Rawtext,
    /// Like [`Mode::Rawtext`], plus the comments with which scripts hide from browsers without scripts.
    Script,
    /// Text to the end.
    Plaintext,
    /// Text up to `]]>`, in SVG and MathML.
    Cdata,
}

/// Receives the tokens.
pub(super) trait Receive {
    /// Characters, never NUL. Text may come in several pieces.
    fn text(&mut self, text: &str);
    /// A NUL character, if the standard leaves it to the tree builder.
    fn null(&mut self);
    /// An attribute of the current tag.
    fn attribute(&mut self, name: &str, value: &str);
    /// A start tag, after its attributes. Returns the mode to continue in, if it changes.
    fn start_tag(&mut self, name: &str, self_closing: bool) -> Option<Mode>;
    fn end_tag(&mut self, name: &str) -> Option<Mode>;
    fn comment(&mut self, text: &str);
    fn doctype(&mut self, doctype: Doctype);
    /// Whether the current element exists and is not HTML.
    fn in_foreign_content(&self) -> bool;
    /// Whether to stop.
    fn stop(&self) -> bool;
}

/// A document type declaration.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Doctype {
    pub(super) name: Option<String>,
    pub(super) public_id: Option<String>,
    pub(super) system_id: Option<String>,
    pub(super) force_quirks: bool,
}

pub(super) struct Tokenizer<'a, R> {
    /// The unread input. It is a slice, because an offset would be bounds-checked at every byte.
    rest: &'a str,
    mode: Mode,
    receiver: R,
    /// The start tag of raw text; only its end tag ends the text.
    last_start_tag: String,
    /// Names and values that are not slices of the input.
    name: String,
    value: String,
}

impl<'a, R: Receive> Tokenizer<'a, R> {
    /// `html` must not contain carriage returns: see [`without_returns`].
    pub(super) fn new(html: &'a str, mode: Mode, receiver: R) -> Self {
        let empty = String::new;
        Self { rest: html, mode, receiver, last_start_tag: empty(), name: empty(), value: empty() }
    }

    /// Reads to the end, or until the receiver stops it.
    pub(super) fn run(&mut self) {
        while !self.rest.is_empty() && !self.receiver.stop() {
            match self.mode {
                Mode::Data => self.data(),
                Mode::Rcdata | Mode::Rawtext | Mode::Script => self.raw_text(),
                Mode::Plaintext => {
                    self.emit(self.rest);
                    self.rest = "";
                }
                Mode::Cdata => self.cdata(),
            }
        }
    }

    /// Returns the receiver.
    pub(super) fn into_receiver(self) -> R {
        self.receiver
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.rest.as_bytes().get(ahead).copied()
    }

    /// Skips some bytes.
    fn skip(&mut self, length: usize) {
        self.rest = self.rest.get(length..).unwrap_or_default();
    }

    /// Consumes the next `length` bytes.
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(length).unwrap_or_default();
        self.rest = rest;
        taken
    }

    /// Passes on the next `length` bytes as text.
    fn take_text(&mut self, length: usize) {
        if length > 0 {
            let text = self.take(length);
            self.receiver.text(text);
        }
    }

    fn data(&mut self) {
        let rest = self.rest.as_bytes();
        // A tag often follows a tag: then no search is needed.
        if rest.first() == Some(&b'<') {
            return self.markup();
        }
        let Some(found) = memchr3(b'<', b'&', 0, rest) else {
            return self.take_text(rest.len());
        };
        self.take_text(found);
        match rest.get(found) {
            Some(b'<') => self.markup(),
            Some(b'&') => self.reference_in_text(),
            _ => {
                self.receiver.null();
                self.skip(1);
            }
        }
    }

    /// At a `<`.
    fn markup(&mut self) {
        match (self.byte(1), self.byte(2)) {
            (Some(first), _) if first.is_ascii_alphabetic() => self.tag(false),
            (Some(b'/'), Some(first)) if first.is_ascii_alphabetic() => self.tag(true),
            (Some(b'/'), Some(b'>')) => self.skip(3),
            (Some(b'/'), None) => self.take_text(2),
            (Some(b'/'), Some(_)) => self.bogus_comment(2),
            (Some(b'!'), _) => self.declaration(),
            (Some(b'?'), _) => self.bogus_comment(1),
            _ => self.take_text(1),
        }
    }

    /// At an `&`.
    fn reference_in_text(&mut self) {
        match reference(self.rest.get(1..).unwrap_or_default(), false) {
            Some(found) => {
                let mut buffer = [0; 8];
                self.receiver.text(found.write(&mut buffer));
                self.skip(1 + found.length);
            }
            None => self.take_text(1),
        }
    }

    /// Text up to its end tag or the end of the input.
    fn raw_text(&mut self) {
        let rest = self.rest;
        let end = if self.mode == Mode::Script {
            script::end(rest, &self.last_start_tag)
        } else {
            raw_end(rest, &self.last_start_tag)
        };
        let text = self.take(end.unwrap_or(rest.len()));
        if self.mode == Mode::Rcdata {
            self.emit_with_references(text);
        } else {
            self.emit(text);
        }
        self.mode = Mode::Data;
        if end.is_some() {
            self.tag(true);
        }
    }

    /// Passes on text with NUL replaced.
    fn emit(&mut self, text: &str) {
        if !text.is_empty() {
            self.receiver.text(&without_nulls(text));
        }
    }

    fn emit_with_references(&mut self, text: &str) {
        if memchr(b'&', text.as_bytes()).is_none() {
            return self.emit(text);
        }
        let mut value = std::mem::take(&mut self.value);
        value.clear();
        resolve(text, false, &mut value);
        self.receiver.text(&value);
        self.value = value;
    }

    fn cdata(&mut self) {
        let end = memchr::memmem::find(self.rest.as_bytes(), b"]]>");
        let mut pieces = self.take(end.unwrap_or(self.rest.len())).split('\0');
        self.receiver_text(pieces.next());
        for piece in pieces {
            self.receiver.null();
            self.receiver_text(Some(piece));
        }
        self.skip(if end.is_some() { 3 } else { 0 });
        self.mode = Mode::Data;
    }

    fn receiver_text(&mut self, text: Option<&str>) {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            self.receiver.text(text);
        }
    }
}

/// The input as the standard requires it: every line ends in one line feed.
pub(super) fn without_returns(html: &str) -> Cow<'_, str> {
    if memchr(b'\r', html.as_bytes()).is_none() {
        return Cow::Borrowed(html);
    }
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = memchr(b'\r', rest.as_bytes()) {
        out.push_str(rest.get(..at).unwrap_or_default());
        out.push('\n');
        rest = rest.get(at + 1..).unwrap_or_default();
        rest = rest.strip_prefix('\n').unwrap_or(rest);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn without_nulls(text: &str) -> Cow<'_, str> {
    match memchr(0, text.as_bytes()) {
        None => Cow::Borrowed(text),
        Some(_) => Cow::Owned(text.replace('\0', "\u{fffd}")),
    }
}

/// Appends text with its references resolved and NUL replaced.
fn resolve(text: &str, in_attribute: bool, out: &mut String) {
    let mut rest = text;
    while let Some(at) = memchr2(b'&', 0, rest.as_bytes()) {
        let (before, special) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        rest = special.get(1..).unwrap_or_default();
        if special.starts_with('\0') {
            out.push('\u{fffd}');
        } else if let Some(found) = reference(rest, in_attribute) {
            out.push_str(found.write(&mut [0; 8]));
            rest = rest.get(found.length..).unwrap_or_default();
        } else {
            out.push('&');
        }
    }
    out.push_str(rest);
}

/// The position of the end tag called `name`.
fn raw_end(text: &str, name: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    memchr::memmem::find_iter(bytes, b"</").find(|&at| is_end_tag(bytes.get(at..).unwrap_or_default(), name))
}

/// Whether the input begins with `</name` and a character that ends a name.
fn is_end_tag(bytes: &[u8], name: &str) -> bool {
    let Some(after) = bytes.strip_prefix(b"</") else { return false };
    let Some((found, rest)) = after.split_at_checked(name.len()) else { return false };
    !name.is_empty()
        && found.eq_ignore_ascii_case(name.as_bytes())
        && rest.first().is_some_and(|&byte| ends_name(byte))
}

fn ends_name(byte: u8) -> bool {
    is_space(byte) || byte == b'/' || byte == b'>'
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0C' | b' ')
}
