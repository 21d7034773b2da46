//! Tokens become calls of html5ever's tree builder.
//!
//! Attributes travel by number. The tree builder copies attribute lists around and hardly ever looks into them, so
//! it is given one attribute with an empty name (which no page can write) whose value is the number of the list in
//! [`Attributes`](super::attributes::Attributes); the sink reads the number back. Where the tree builder does look
//! into attributes (foreign elements rename them, `input` is treated by its `type`), it gets them in full.
//! Formatting elements are compared by their attributes in any order: their lists are sorted first.
//!
//! This is also where a parse that takes too long is ended: see [`Limits::max_depth`] and [`Limits::max_work`].

use std::cell::Cell;

use html5ever::interface::{Attribute, QualName, Tracer};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::{RawKind, State};
use html5ever::tokenizer::{self as builder, Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::TreeBuilder;
use html5ever::{LocalName, local_name, ns};

use super::attributes::AttrsId;
use super::sink::{Build, Sink, numbered};
use super::tokenizer::{Doctype, Mode, Receive};
use crate::flow::floor;
use crate::rules::{Limits, Note};

/// Bytes of an element's name that are kept: no standard has one a quarter as long, and paths repeat it.
const MAX_ELEMENT_BYTES: usize = 128;

/// Bytes of an attribute's name that are kept: more, as nothing repeats it, and the standard's own tests have one of
/// a thousand.
const MAX_ATTRIBUTE_BYTES: usize = 4096;

/// How many tags pass between two looks at the stack of open elements.
const CHECK_EVERY: usize = 64;

/// Hands tokens to the tree builder.
pub(super) struct Tokens<'a> {
    builder: &'a TreeBuilder<u32, Sink>,
    limits: &'a Limits,
    duplicates: bool,
    tags: usize,
    work: usize,
    stop: bool,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(builder: &'a TreeBuilder<u32, Sink>, limits: &'a Limits) -> Self {
        Self { builder, limits, duplicates: false, tags: 0, work: 0, stop: false }
    }

    fn send(&mut self, token: Token) -> Option<Mode> {
        let result = self.builder.process_token(token, 1);
        self.stop = self.builder.sink.0.borrow().cut;
        match result {
            TokenSinkResult::Continue
            | TokenSinkResult::EncodingIndicator(_)
            | TokenSinkResult::Script(_) => None,
            TokenSinkResult::Plaintext => Some(Mode::Plaintext),
            TokenSinkResult::RawData(kind) => Some(mode_of(kind)),
        }
    }

    /// Looks a tag's name up; ends the parse if there are too many.
    fn name(&mut self, name: &str) -> Option<LocalName> {
        let mut build = self.builder.sink.0.borrow_mut();
        let name = cut_name(name, MAX_ELEMENT_BYTES, &mut build);
        let Some(id) = build.names.element(name) else {
            build.cut(Note::CutNames);
            self.stop = true;
            return None;
        };
        let name = local(build.names.get(id).map(|name| &name.local));
        build.last_tag = (name.clone(), id);
        Some(name)
    }

    /// The attributes of the start tag just read, as the tree builder is to get them.
    fn attributes(&mut self, name: &LocalName) -> Vec<Attribute> {
        let in_full = match *name {
            local_name!("svg") | local_name!("math") | local_name!("input") => true,
            _ => self.builder.adjusted_current_node_present_but_not_in_html_namespace(),
        };
        let mut build = self.builder.sink.0.borrow_mut();
        if is_formatting(name) {
            build.attributes.sort_open();
        }
        let list = build.attributes.close();
        if !in_full || list == AttrsId::NONE {
            return numbered(list);
        }
        let in_full = build.attributes.list(list).iter().map(|attr| Attribute {
            name: QualName::new(None, ns!(), local(build.names.get(attr.name).map(|name| &name.local))),
            value: StrTendril::from_slice(build.attributes.value(attr)),
        });
        in_full.collect()
    }

    /// Looks at what is open, now and then: it bounds what a single tag may cost.
    fn check(&mut self) {
        self.tags += 1;
        if !self.tags.is_multiple_of(CHECK_EVERY) {
            return;
        }
        let count = Count(Cell::new(0));
        self.builder.trace_handles(&count);
        let open = count.0.get();
        self.work = self.work.saturating_add(open * CHECK_EVERY);
        if open > self.limits.max_depth {
            self.builder.sink.0.borrow_mut().cut(Note::CutDepth);
        } else if self.work > self.limits.max_work {
            self.builder.sink.0.borrow_mut().cut(Note::CutWork);
        }
    }
}

/// Counts what the tree builder holds: open elements, and formatting elements to be reopened.
struct Count(Cell<usize>);

impl Tracer for Count {
    type Handle = u32;
    fn trace_handle(&self, _: &u32) {
        self.0.set(self.0.get() + 1);
    }
}

/// How the tokenizer begins, as the tree builder says it.
pub(super) fn mode_at_start(state: State) -> Mode {
    match state {
        State::RawData(kind) => mode_of(kind),
        State::Plaintext => Mode::Plaintext,
        _ => Mode::Data,
    }
}

fn mode_of(kind: RawKind) -> Mode {
    match kind {
        RawKind::Rcdata => Mode::Rcdata,
        RawKind::Rawtext => Mode::Rawtext,
        RawKind::ScriptData | RawKind::ScriptDataEscaped(_) => Mode::Script,
    }
}

/// The beginning of a name, as long as one may be.
fn cut_name<'a>(name: &'a str, max: usize, build: &mut Build) -> &'a str {
    if name.len() <= max {
        return name;
    }
    build.notes.add(Note::CutNames);
    name.get(..floor(name, max)).unwrap_or_default()
}

fn is_formatting(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("a")
            | local_name!("b")
            | local_name!("big")
            | local_name!("code")
            | local_name!("em")
            | local_name!("font")
            | local_name!("i")
            | local_name!("nobr")
            | local_name!("s")
            | local_name!("small")
            | local_name!("strike")
            | local_name!("strong")
            | local_name!("tt")
            | local_name!("u")
    )
}

fn local(name: Option<&LocalName>) -> LocalName {
    name.cloned().unwrap_or(local_name!(""))
}

impl Receive for Tokens<'_> {
    fn text(&mut self, text: &str) {
        self.send(Token::CharacterTokens(StrTendril::from_slice(text)));
    }

    fn null(&mut self) {
        self.send(Token::NullCharacterToken);
    }

    fn attribute(&mut self, name: &str, value: &str) {
        let mut build = self.builder.sink.0.borrow_mut();
        let build = &mut *build;
        let name = cut_name(name, MAX_ATTRIBUTE_BYTES, build);
        let open = build.attributes.open();
        if open.len() >= self.limits.max_attributes {
            build.notes.add(Note::CutAttributes);
            return;
        }
        let Some(name) = build.names.attribute(name) else {
            build.notes.add(Note::CutNames);
            return;
        };
        if open.iter().any(|attr| attr.name == name) {
            self.duplicates = true;
            return;
        }
        build.attributes.push(name, value);
    }

    fn start_tag(&mut self, name: &str, self_closing: bool) -> Option<Mode> {
        self.check();
        let name = self.name(name)?;
        let attrs = self.attributes(&name);
        let had_duplicate_attributes = std::mem::take(&mut self.duplicates);
        self.send(Token::TagToken(Tag {
            kind: TagKind::StartTag,
            name,
            self_closing,
            attrs,
            had_duplicate_attributes,
        }))
    }

    fn end_tag(&mut self, name: &str) -> Option<Mode> {
        self.check();
        let name = self.name(name)?;
        self.send(Token::TagToken(Tag {
            kind: TagKind::EndTag,
            name,
            self_closing: false,
            attrs: Vec::new(),
            had_duplicate_attributes: false,
        }))
    }

    fn comment(&mut self, text: &str) {
        self.send(Token::CommentToken(StrTendril::from_slice(text)));
    }

    fn doctype(&mut self, doctype: Doctype) {
        let Doctype { name, public_id, system_id, force_quirks } = doctype;
        let [name, public_id, system_id] =
            [name, public_id, system_id].map(|part| part.map(StrTendril::from));
        self.send(Token::DoctypeToken(builder::Doctype { name, public_id, system_id, force_quirks }));
    }

    fn in_foreign_content(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }

    fn stop(&self) -> bool {
        self.stop
    }
}
