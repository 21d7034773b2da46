//! Tokens: html5gum's tokenizer drives html5ever's tree builder.
//!
//! Why two crates: both follow the standard, and measured on real pages html5ever's own tokenizer takes two thirds
//! of the time of its parse, html5gum's less than half of that. What the tree builder gives and takes is the same,
//! and the standard's test suite is run over the pair.
//!
//! Attributes travel by number. The tree builder copies attribute lists around and hardly ever looks into them, so
//! it is given one attribute with an empty name (which no page can write) whose value is the number of the list in
//! [`Attributes`](super::attributes::Attributes); the sink reads the number back. Where the tree builder does look
//! into attributes (foreign elements rename them, `input` is treated by its `type`), it gets them in full.
//! Formatting elements are compared by their attributes in any order: their lists are sorted first.
//!
//! This is also where a parse that takes too long is ended: see [`Limits::max_depth`] and [`Limits::max_work`].

use std::borrow::Cow;
use std::cell::Cell;

use html5ever::interface::{Attribute, QualName, Tracer};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Doctype, Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::TreeBuilder;
use html5ever::{LocalName, local_name, ns};
use html5gum::{Emitter, Error, State};

use super::attributes::AttrsId;
use super::sink::{Sink, numbered};
use crate::rules::{Limits, Note};

/// Given out once, to end the parse.
#[derive(Debug)]
pub(super) struct Stop;

/// How many tags pass between two looks at the stack of open elements.
const CHECK_EVERY: usize = 64;

/// Collects what the tokenizer sees and hands whole tokens to the tree builder.
pub(super) struct Tokens<'a> {
    builder: &'a TreeBuilder<u32, Sink>,
    limits: &'a Limits,
    text: Vec<u8>,
    comment: Vec<u8>,
    tag: CurrentTag,
    doctype: CurrentDoctype,
    /// For raw text: only the end tag of the element that began it ends it.
    last_start_tag: Vec<u8>,
    tags: usize,
    work: usize,
    stop: bool,
}

#[derive(Default)]
struct CurrentTag {
    end: bool,
    self_closing: bool,
    name: Vec<u8>,
    in_attribute: bool,
    attribute: Vec<u8>,
    value: Vec<u8>,
    duplicates: bool,
}

#[derive(Default)]
struct CurrentDoctype {
    name: Vec<u8>,
    public_id: Option<Vec<u8>>,
    system_id: Option<Vec<u8>>,
    force_quirks: bool,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(builder: &'a TreeBuilder<u32, Sink>, limits: &'a Limits) -> Self {
        Self {
            builder,
            limits,
            text: Vec::new(),
            comment: Vec::new(),
            tag: CurrentTag::default(),
            doctype: CurrentDoctype::default(),
            last_start_tag: Vec::new(),
            tags: 0,
            work: 0,
            stop: false,
        }
    }

    fn send(&mut self, token: Token) -> Option<State> {
        let result = self.builder.process_token(token, 1);
        self.stop = self.builder.sink.0.borrow().cut;
        match result {
            TokenSinkResult::Continue | TokenSinkResult::EncodingIndicator(_) => None,
            TokenSinkResult::Script(_) => Some(State::Data),
            TokenSinkResult::Plaintext => Some(State::PlainText),
            TokenSinkResult::RawData(kind) => Some(state_of(kind)),
        }
    }

    fn flush_text(&mut self) {
        if self.text.is_empty() {
            return;
        }
        let text = std::mem::take(&mut self.text);
        // The tree builder wants NUL characters apart from the text.
        let mut rest = text.as_slice();
        while let Some(at) = memchr::memchr(0, rest) {
            let (before, after) = rest.split_at(at);
            if !before.is_empty() {
                self.send(Token::CharacterTokens(tendril(before)));
            }
            self.send(Token::NullCharacterToken);
            rest = after.get(1..).unwrap_or_default();
        }
        if !rest.is_empty() {
            self.send(Token::CharacterTokens(tendril(rest)));
        }
        self.text = text;
        self.text.clear();
    }

    /// Adds the attribute just read to the list under construction, unless it is one too many.
    fn flush_attribute(&mut self) {
        if !std::mem::take(&mut self.tag.in_attribute) || self.tag.end {
            return;
        }
        let mut build = self.builder.sink.0.borrow_mut();
        let build = &mut *build;
        let open = build.attributes.open();
        if open.len() >= self.limits.max_attributes {
            build.notes.add(Note::CutAttributes);
            return;
        }
        let Some(name) = build.names.attribute(&text(&self.tag.attribute)) else {
            build.notes.add(Note::CutNames);
            return;
        };
        if open.iter().any(|attr| attr.name == name) {
            self.tag.duplicates = true;
            return;
        }
        build.attributes.push(name, &text(&self.tag.value));
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

pub(super) fn state_of(kind: RawKind) -> State {
    match kind {
        RawKind::Rcdata => State::RcData,
        RawKind::Rawtext => State::RawText,
        RawKind::ScriptData | RawKind::ScriptDataEscaped(_) => State::ScriptData,
    }
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

/// What the tokenizer gives is in pieces, but all pieces of a token together are valid UTF-8.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

fn tendril(bytes: &[u8]) -> StrTendril {
    StrTendril::from_slice(&text(bytes))
}

impl Emitter for Tokens<'_> {
    type Token = Stop;

    fn set_last_start_tag(&mut self, last_start_tag: Option<&[u8]>) {
        self.last_start_tag.clear();
        self.last_start_tag.extend_from_slice(last_start_tag.unwrap_or_default());
    }

    fn emit_eof(&mut self) {
        self.flush_text();
        self.send(Token::EOFToken);
    }

    fn emit_error(&mut self, _: Error) {}

    #[inline]
    fn should_emit_errors(&mut self) -> bool {
        false
    }

    #[inline]
    fn pop_token(&mut self) -> Option<Stop> {
        self.stop.then_some(Stop)
    }

    #[inline]
    fn emit_string(&mut self, text: &[u8]) {
        self.text.extend_from_slice(text);
    }

    fn init_start_tag(&mut self) {
        self.tag.end = false;
        self.tag.self_closing = false;
        self.tag.in_attribute = false;
        self.tag.duplicates = false;
        self.tag.name.clear();
    }

    fn init_end_tag(&mut self) {
        self.init_start_tag();
        self.tag.end = true;
    }

    fn init_comment(&mut self) {
        self.comment.clear();
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        self.flush_attribute();
        self.flush_text();
        self.check();
        let name = {
            let mut build = self.builder.sink.0.borrow_mut();
            let Some(id) = build.names.element(&text(&self.tag.name)) else {
                build.cut(Note::CutNames);
                self.stop = true;
                return None;
            };
            let name = local(build.names.get(id).map(|name| &name.local));
            build.last_tag = (name.clone(), id);
            name
        };
        let (kind, attrs) = if self.tag.end {
            (TagKind::EndTag, Vec::new())
        } else {
            self.last_start_tag.clear();
            self.last_start_tag.extend_from_slice(&self.tag.name);
            (TagKind::StartTag, self.attributes(&name))
        };
        self.send(Token::TagToken(Tag {
            kind,
            name,
            self_closing: self.tag.self_closing,
            attrs,
            had_duplicate_attributes: self.tag.duplicates,
        }))
    }

    fn emit_current_comment(&mut self) {
        self.flush_text();
        let comment = tendril(&self.comment);
        self.send(Token::CommentToken(comment));
    }

    fn emit_current_doctype(&mut self) {
        self.flush_text();
        let CurrentDoctype { name, public_id, system_id, force_quirks } = std::mem::take(&mut self.doctype);
        self.send(Token::DoctypeToken(Doctype {
            name: (!name.is_empty()).then(|| tendril(&name)),
            public_id: public_id.map(|id| tendril(&id)),
            system_id: system_id.map(|id| tendril(&id)),
            force_quirks,
        }));
    }

    fn set_self_closing(&mut self) {
        self.tag.self_closing = true;
    }

    fn set_force_quirks(&mut self) {
        self.doctype.force_quirks = true;
    }

    #[inline]
    fn push_tag_name(&mut self, text: &[u8]) {
        self.tag.name.extend_from_slice(text);
    }

    fn push_comment(&mut self, text: &[u8]) {
        self.comment.extend_from_slice(text);
    }

    fn push_doctype_name(&mut self, text: &[u8]) {
        self.doctype.name.extend_from_slice(text);
    }

    fn init_doctype(&mut self) {
        self.doctype = CurrentDoctype::default();
    }

    fn init_attribute(&mut self) {
        self.flush_attribute();
        self.tag.in_attribute = true;
        self.tag.attribute.clear();
        self.tag.value.clear();
    }

    #[inline]
    fn push_attribute_name(&mut self, text: &[u8]) {
        self.tag.attribute.extend_from_slice(text);
    }

    #[inline]
    fn push_attribute_value(&mut self, text: &[u8]) {
        self.tag.value.extend_from_slice(text);
    }

    fn set_doctype_public_identifier(&mut self, value: &[u8]) {
        self.doctype.public_id = Some(value.to_vec());
    }

    fn set_doctype_system_identifier(&mut self, value: &[u8]) {
        self.doctype.system_id = Some(value.to_vec());
    }

    fn push_doctype_public_identifier(&mut self, text: &[u8]) {
        self.doctype.public_id.get_or_insert_default().extend_from_slice(text);
    }

    fn push_doctype_system_identifier(&mut self, text: &[u8]) {
        self.doctype.system_id.get_or_insert_default().extend_from_slice(text);
    }

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        self.tag.end && !self.last_start_tag.is_empty() && self.last_start_tag == self.tag.name
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        self.flush_text();
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}
