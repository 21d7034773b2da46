//! Converts what the tokenizer reads to tokens of the tree construction, within the limits.

use super::super::attributes::AttrsId;
use super::super::elements::FORMATTING;
use super::super::names::Space;
use super::super::tokenizer::{Doctype, Mode, Receive};
use super::{Construction, Format, Insertion, TagToken, Token, quirks};
use crate::flow::floor;
use crate::rules::Note;

/// Number of bytes kept of an element's name: no standard name is a quarter as long, and paths repeat it.
const MAX_ELEMENT_BYTES: usize = 128;

/// Number of bytes kept of an attribute's name: more, since nothing repeats it, and the standard's own tests have one
/// with a thousand bytes.
const MAX_ATTRIBUTE_BYTES: usize = 4096;

/// How many tags are processed between two checks of the stack of open elements.
const CHECK_EVERY: usize = 64;

impl Construction<'_> {
    /// Looks up a tag's name; ends the parse if there are too many names.
    fn tag_token(&mut self, name: &str) -> Option<TagToken> {
        let name = self.cut_name(name, MAX_ELEMENT_BYTES);
        let Some((name, tag)) = self.build.names.element(name) else {
            self.build.cut(Note::CutNames);
            return None;
        };
        Some(TagToken { tag, name, attrs: AttrsId::NONE, self_closing: false })
    }

    /// Cuts a name to the maximum length.
    fn cut_name<'n>(&mut self, name: &'n str, max: usize) -> &'n str {
        if name.len() <= max {
            return name;
        }
        self.build.notes.add(Note::CutNames);
        name.get(..floor(name, max)).unwrap_or_default()
    }

    /// Checks the number of open elements at intervals, which bounds the cost of a single tag.
    fn check(&mut self) {
        self.tags += 1;
        if !self.tags.is_multiple_of(CHECK_EVERY) {
            return;
        }
        let waiting = self.formatting.iter().filter(|entry| matches!(entry, Format::Element { .. }));
        let pointers = [self.head.is_some(), self.form.is_some(), self.context.is_some()];
        let pointers = pointers.into_iter().filter(|&is_set| is_set).count();
        let open = 1 + self.open.len() + waiting.count() + pointers;
        self.work = self.work.saturating_add(open * CHECK_EVERY);
        if open > self.limits.max_depth {
            self.build.cut(Note::CutDepth);
        } else if self.work > self.limits.max_work {
            self.build.cut(Note::CutWork);
        }
    }
}

impl Receive for Construction<'_> {
    fn text(&mut self, text: &str) {
        let ignored = std::mem::take(&mut self.ignore_line_feed);
        let mut rest = text.strip_prefix('\n').filter(|_| ignored).unwrap_or(text);
        while !rest.is_empty() {
            let mut piece = rest;
            if self.mode.minds_space() && !self.is_foreign(Token::Text(rest)) {
                let space = |byte: u8| byte.is_ascii_whitespace();
                let first = rest.bytes().next().is_some_and(space);
                let end = rest.bytes().position(|byte| space(byte) != first);
                piece = end.and_then(|end| rest.get(..end)).unwrap_or(rest);
            }
            self.process(Token::Text(piece));
            rest = rest.get(piece.len()..).unwrap_or_default();
        }
    }

    fn null(&mut self) {
        self.ignore_line_feed = false;
        self.process(Token::Null);
    }

    fn attribute(&mut self, name: &str, value: &str) {
        let name = self.cut_name(name, MAX_ATTRIBUTE_BYTES);
        let build = &mut self.build;
        let open = build.attributes.open();
        if open.len() >= self.limits.max_attributes {
            build.notes.add(Note::CutAttributes);
            return;
        }
        let Some(name) = build.names.attribute(name) else {
            build.notes.add(Note::CutNames);
            return;
        };
        if open.iter().all(|attr| attr.name != name) {
            build.attributes.push(name, value);
        }
    }

    fn start_tag(&mut self, name: &str, self_closing: bool) -> Option<Mode> {
        self.check();
        self.ignore_line_feed = false;
        let token = self.tag_token(name)?;
        // Formatting elements are compared by their attributes in any order.
        if FORMATTING.has(token.tag) {
            self.build.attributes.sort_open();
        }
        let attrs = self.build.attributes.close();
        self.process(Token::Start(TagToken { attrs, self_closing, ..token }))
    }

    fn end_tag(&mut self, name: &str) -> Option<Mode> {
        self.check();
        self.ignore_line_feed = false;
        let token = self.tag_token(name)?;
        self.process(Token::End(token))
    }

    fn comment(&mut self, text: &str) {
        self.ignore_line_feed = false;
        self.process(Token::Comment(text));
    }

    fn doctype(&mut self, doctype: Doctype) {
        self.ignore_line_feed = false;
        if self.mode == Insertion::Initial {
            self.quirks = quirks::are_meant(&doctype);
            let parts = [doctype.name, doctype.public_id, doctype.system_id];
            self.build.append_doctype(&parts.map(Option::unwrap_or_default));
            self.mode = Insertion::BeforeHtml;
        }
    }

    fn in_foreign_content(&self) -> bool {
        self.adjusted_current().space != Space::Html
    }

    fn stop(&self) -> bool {
        self.build.cut
    }
}
