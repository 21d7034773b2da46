//! Markup that begins with `<!` or `<?`: comments, document types, CDATA sections.

use memchr::{memchr, memmem};

use super::{Doctype, Mode, Receive, Tokenizer, is_space, without_nulls};

impl<R: Receive> Tokenizer<'_, R> {
    /// At `<!`.
    pub(super) fn declaration(&mut self) {
        let rest = self.rest.get(2..).unwrap_or_default();
        if rest.starts_with("--") {
            self.comment();
        } else if rest.get(..7).is_some_and(|word| word.eq_ignore_ascii_case("doctype")) {
            self.doctype();
        } else if rest.starts_with("[CDATA[") && self.receiver.in_foreign_content() {
            self.skip(9);
            self.mode = Mode::Cdata;
        } else {
            self.bogus_comment(2);
        }
    }

    /// What the standard calls a bogus comment: everything up to the next `>`.
    pub(super) fn bogus_comment(&mut self, skip: usize) {
        self.skip(skip);
        let end = memchr(b'>', self.rest.as_bytes());
        let text = self.take(end.unwrap_or(self.rest.len()));
        self.receiver.comment(&without_nulls(text));
        self.skip(usize::from(end.is_some()));
    }

    /// At `<!--`.
    fn comment(&mut self) {
        self.skip(4);
        let rest = self.rest;
        let (text, length) = if rest.starts_with('>') {
            ("", 1)
        } else if rest.starts_with("->") {
            ("", 2)
        } else {
            comment_end(rest)
        };
        self.receiver.comment(&without_nulls(text));
        self.skip(length);
    }

    /// At `<!doctype`.
    fn doctype(&mut self) {
        self.skip(9);
        let (doctype, length) = read_doctype(self.rest);
        self.receiver.doctype(doctype);
        self.skip(length);
    }
}

/// A comment's text, and its length including its end.
fn comment_end(rest: &str) -> (&str, usize) {
    for at in memmem::find_iter(rest.as_bytes(), b"--").flat_map(|at| [at, at + 1]) {
        let after = rest.get(at..).and_then(|dashes| dashes.strip_prefix("--")).unwrap_or_default();
        for close in [">", "!>"] {
            if after.starts_with(close) {
                return (rest.get(..at).unwrap_or_default(), at + 2 + close.len());
            }
        }
    }
    // The input ends in the comment: what may be the beginning of its end is not part of it.
    let text = ["--!", "--", "-"].into_iter().find_map(|end| rest.strip_suffix(end));
    (text.unwrap_or(rest), rest.len())
}

/// Reads a document type after its `<!doctype`; returns it and its length.
fn read_doctype(text: &str) -> (Doctype, usize) {
    let mut doctype = Doctype::default();
    let mut at = 0;
    let complete = read_parts(text, &mut at, &mut doctype).is_some();
    doctype.force_quirks |= !complete;
    // Everything up to the `>` is skipped.
    let end = memchr(b'>', text.as_bytes().get(at..).unwrap_or_default());
    (doctype, end.map_or(text.len(), |end| at + end + 1))
}

/// `None` if the standard sets the quirks flag.
fn read_parts(text: &str, at: &mut usize, doctype: &mut Doctype) -> Option<()> {
    let rest = |at: usize| text.get(at..).unwrap_or_default();
    let skip_space = |at: &mut usize| *at += rest(*at).bytes().take_while(|&byte| is_space(byte)).count();
    skip_space(at);
    let length = rest(*at).bytes().take_while(|&byte| !is_space(byte) && byte != b'>').count();
    let name = rest(*at).get(..length).filter(|name| !name.is_empty())?;
    doctype.name = Some(without_nulls(name).to_ascii_lowercase());
    *at += length;
    skip_space(at);
    match rest(*at).bytes().next()? {
        b'>' => return Some(()),
        _ if rest(*at).get(..6).is_some_and(|word| word.eq_ignore_ascii_case("public")) => {
            *at += 6;
            skip_space(at);
            doctype.public_id = Some(quoted(text, at, &mut doctype.force_quirks)?);
            skip_space(at);
            if rest(*at).starts_with('>') {
                return Some(());
            }
        }
        _ if rest(*at).get(..6).is_some_and(|word| word.eq_ignore_ascii_case("system")) => {
            *at += 6;
            skip_space(at);
        }
        _ => return None,
    }
    if doctype.force_quirks {
        return None;
    }
    doctype.system_id = Some(quoted(text, at, &mut doctype.force_quirks)?);
    skip_space(at);
    // Text after the system identifier is an error that has no effect.
    (!rest(*at).is_empty()).then_some(())
}

/// A quoted identifier. If `>` or the end of the input cuts it off, the part before counts and the quirks flag is
/// set.
fn quoted(text: &str, at: &mut usize, force_quirks: &mut bool) -> Option<String> {
    let rest = text.get(*at..)?;
    let quote = rest.bytes().next().filter(|byte| matches!(byte, b'"' | b'\''))?;
    let inside = rest.get(1..)?;
    let length = inside.bytes().take_while(|&byte| byte != quote && byte != b'>').count();
    let closed = inside.as_bytes().get(length) == Some(&quote);
    *force_quirks |= !closed;
    *at += 1 + length + usize::from(closed);
    inside.get(..length).map(|id| without_nulls(id).into_owned())
}
