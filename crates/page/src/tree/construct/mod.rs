//! The standard's tree construction: builds a tree from tokens.
//!
//! Why our own: Osprey used html5ever's tree builder before. It is generic over its tree and its strings, and took a
//! third of a parse: names were compared as reference-counted strings, a token was moved through several results, and
//! a buffer was allocated for every text. Here an element is a number and a [`Tag`], a token is borrowed, and a rule
//! is a jump table. The rules follow the standard's order and wording, one file per part, so that they can be
//! compared side by side, and the standard's test suite tests them (`tests/it/html5lib.rs`). Where html5ever differs
//! from the standard (see there), this follows html5ever.
//!
//! Parse errors are not reported, because a crawler has no use for them. Nothing here panics: if the standard assumes
//! that an element is open and it is not, the document is used instead.
//!
//! A parse that takes too long is also ended here: see [`Limits::max_depth`] and [`Limits::max_work`].

mod body;
mod foreign;
mod formatting;
mod head;
mod quirks;
mod stack;
mod table;
mod tokens;

use super::Scripting;
use super::attributes::AttrsId;
use super::build::{Build, DOCUMENT, NIL};
use super::elements::{FOSTERED, Tag};
use super::names::{NameId, Space};
use super::tokenizer::Mode;
use crate::rules::Limits;

/// The standard's insertion modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Insertion {
    Initial,
    BeforeHtml,
    BeforeHead,
    InHead,
    InHeadNoscript,
    AfterHead,
    InBody,
    Text,
    InTable,
    InTableText,
    InCaption,
    InColumnGroup,
    InTableBody,
    InRow,
    InCell,
    InTemplate,
    AfterBody,
    InFrameset,
    AfterFrameset,
    AfterAfterBody,
    AfterAfterFrameset,
}

impl Insertion {
    /// Whether white space is treated differently from other text.
    fn minds_space(self) -> bool {
        !matches!(
            self,
            Self::InBody
                | Self::Text
                | Self::InTable
                | Self::InTableText
                | Self::InCaption
                | Self::InTableBody
                | Self::InRow
                | Self::InCell
                | Self::InTemplate
        )
    }
}

/// A start or end tag.
#[derive(Clone, Copy, Debug)]
struct TagToken {
    tag: Tag,
    name: NameId,
    /// Empty for an end tag.
    attrs: AttrsId,
    self_closing: bool,
}

/// A token, as the rules distinguish them.
#[derive(Clone, Copy, Debug)]
enum Token<'t> {
    /// Text; in modes that distinguish, either only white space or no white space.
    Text(&'t str),
    Null,
    Comment(&'t str),
    Start(TagToken),
    End(TagToken),
    Eof,
}

/// What remains to be done with a token.
enum Next {
    Done,
    /// Process it again in another mode.
    Again(Insertion),
    /// Nothing, except to switch the tokenizer to another mode.
    Read(Mode),
}

/// An open element.
#[derive(Clone, Copy, Debug)]
struct Open {
    node: u32,
    name: NameId,
    tag: Tag,
    space: Space,
}

/// An entry in the list of active formatting elements.
#[derive(Clone, Copy, Debug)]
enum Format {
    Marker,
    Element { node: u32, token: TagToken },
}

/// Where a node is inserted.
#[derive(Clone, Copy)]
enum InsertionPoint {
    /// At the end of a node.
    Last(u32),
    /// Before a table, or at the end of the element above it if the table has no parent.
    Foster { table: u32, above: u32 },
}

/// The state of a parse.
pub(super) struct Construction<'l> {
    build: Build,
    limits: &'l Limits,
    scripting: Scripting,
    mode: Insertion,
    /// The mode to return to after text.
    original: Insertion,
    template_modes: Vec<Insertion>,
    /// Text between table rows, until its kind is known.
    table_text: String,
    quirks: bool,
    open: Vec<Open>,
    formatting: Vec<Format>,
    head: Option<u32>,
    form: Option<u32>,
    /// The element around a fragment.
    context: Option<Open>,
    frameset_ok: bool,
    ignore_line_feed: bool,
    foster: bool,
    tags: usize,
    work: usize,
}

impl<'l> Construction<'l> {
    /// For a document of `input` bytes.
    pub(super) fn new(limits: &'l Limits, input: usize, scripting: Scripting) -> Self {
        Self {
            build: Build::new(limits, input),
            limits,
            scripting,
            mode: Insertion::Initial,
            original: Insertion::InBody,
            template_modes: Vec::new(),
            table_text: String::new(),
            quirks: false,
            open: Vec::with_capacity(32),
            formatting: Vec::with_capacity(16),
            head: None,
            form: None,
            context: None,
            frameset_ok: true,
            ignore_line_feed: false,
            foster: false,
            tags: 0,
            work: 0,
        }
    }

    /// For parsing a fragment inside an element; also returns the initial mode of the tokenizer.
    pub(super) fn fragment(
        limits: &'l Limits,
        input: usize,
        scripting: Scripting,
        (space, name): (Space, &str),
    ) -> (Self, Mode) {
        let mut all = Self::new(limits, input, scripting);
        let name = all.build.names.required(space, name);
        let tag = all.tag_of(space, name, AttrsId::NONE);
        let node = all.build.create_element(name, AttrsId::NONE, tag);
        all.context = Some(Open { node, name, tag, space });
        if tag == Tag::Template {
            all.template_modes.push(Insertion::InTemplate);
        }
        all.create_root(AttrsId::NONE);
        all.mode = all.reset_mode();
        let mode = match tag {
            Tag::Title | Tag::Textarea => Mode::Rcdata,
            Tag::Style | Tag::Xmp | Tag::Iframe | Tag::Noembed | Tag::Noframes => Mode::Rawtext,
            Tag::Noscript if scripting == Scripting::On => Mode::Rawtext,
            Tag::Script => Mode::Script,
            Tag::Plaintext => Mode::Plaintext,
            _ => Mode::Data,
        };
        (all, mode)
    }

    /// Handles the end of the input and returns the tree.
    pub(super) fn finish(mut self) -> Build {
        self.ignore_line_feed = false;
        self.process(Token::Eof);
        self.build
    }

    fn process(&mut self, token: Token<'_>) -> Option<Mode> {
        // By far most tokens are HTML inside the body: they take the short path.
        let plain = self.mode == Insertion::InBody
            && self.context.is_none()
            && self.open.last().is_some_and(|open| open.space == Space::Html);
        let mut next = if plain { self.in_body(token) } else { self.dispatch(token) };
        loop {
            match next {
                Next::Done => return None,
                Next::Again(mode) => self.mode = mode,
                Next::Read(mode) => return Some(mode),
            }
            next = self.dispatch(token);
        }
    }

    fn dispatch(&mut self, token: Token<'_>) -> Next {
        if self.is_foreign(token) { self.foreign(token) } else { self.step(self.mode, token) }
    }

    fn step(&mut self, mode: Insertion, token: Token<'_>) -> Next {
        match mode {
            Insertion::Initial => self.initial(token),
            Insertion::BeforeHtml => self.before_html(token),
            Insertion::BeforeHead => self.before_head(token),
            Insertion::InHead => self.in_head(token),
            Insertion::InHeadNoscript => self.in_head_noscript(token),
            Insertion::AfterHead => self.after_head(token),
            Insertion::InBody => self.in_body(token),
            Insertion::Text => self.in_text(token),
            Insertion::InTable => self.in_table(token),
            Insertion::InTableText => self.in_table_text(token),
            Insertion::InCaption => self.in_caption(token),
            Insertion::InColumnGroup => self.in_column_group(token),
            Insertion::InTableBody => self.in_table_body(token),
            Insertion::InRow => self.in_row(token),
            Insertion::InCell => self.in_cell(token),
            Insertion::InTemplate => self.in_template(token),
            Insertion::AfterBody => self.after_body(token),
            Insertion::InFrameset => self.in_frameset(token),
            Insertion::AfterFrameset => self.after_frameset(token),
            Insertion::AfterAfterBody => self.after_after_body(token),
            Insertion::AfterAfterFrameset => self.after_after_frameset(token),
        }
    }

    /// The appropriate place for inserting a node.
    fn place(&self, target: Open) -> InsertionPoint {
        if !(self.foster && FOSTERED.has(target.tag)) {
            return InsertionPoint::Last(self.inside(target));
        }
        for (at, open) in self.open.iter().enumerate().rev() {
            match open.tag {
                Tag::Template => return InsertionPoint::Last(self.inside(*open)),
                Tag::Table => {
                    let above = at.checked_sub(1).and_then(|at| self.open.get(at));
                    return InsertionPoint::Foster {
                        table: open.node,
                        above: above.map_or(DOCUMENT, |above| above.node),
                    };
                }
                _ => {}
            }
        }
        InsertionPoint::Last(self.root())
    }

    /// The node that holds an element's children.
    fn inside(&self, element: Open) -> u32 {
        if element.tag == Tag::Template {
            self.build.get(element.node).map_or(element.node, |node| node.first)
        } else {
            element.node
        }
    }

    fn insert_at(&mut self, place: InsertionPoint, node: u32) {
        match place {
            InsertionPoint::Last(parent) => self.build.append(parent, node),
            InsertionPoint::Foster { table, .. } if self.has_parent(table) => {
                self.build.insert_before(table, node)
            }
            InsertionPoint::Foster { above, .. } => self.build.append(above, node),
        }
    }

    fn has_parent(&self, node: u32) -> bool {
        self.build.get(node).is_some_and(|node| node.parent != NIL)
    }

    fn insert_text(&mut self, text: &str) -> Next {
        match self.place(self.current()) {
            InsertionPoint::Last(parent) => self.build.append_text(parent, text),
            InsertionPoint::Foster { table, .. } if self.has_parent(table) => {
                self.build.insert_text_before(table, text);
            }
            InsertionPoint::Foster { above, .. } => self.build.append_text(above, text),
        }
        Next::Done
    }

    fn insert_comment(&mut self, text: &str) -> Next {
        let place = self.place(self.current());
        let comment = self.build.create_comment(text);
        self.insert_at(place, comment);
        Next::Done
    }

    /// Inserts a comment before or after all elements.
    fn append_comment(&mut self, parent: u32, text: &str) -> Next {
        let comment = self.build.create_comment(text);
        self.build.append(parent, comment);
        Next::Done
    }

    /// Inserts an HTML element without opening it.
    fn insert_closed(&mut self, token: TagToken) -> u32 {
        let place = self.place(self.current());
        let node = self.build.create_element(token.name, token.attrs, token.tag);
        self.insert_at(place, node);
        node
    }

    /// Inserts an HTML element and opens it.
    fn insert(&mut self, token: TagToken) -> u32 {
        let node = self.insert_closed(token);
        self.open.push(Open { node, name: token.name, tag: token.tag, space: Space::Html });
        node
    }

    /// Inserts an element that has no tag in the source.
    fn insert_implied(&mut self, tag: Tag) -> u32 {
        let token = self.token(tag);
        self.insert(token)
    }

    /// A tag that is not in the page's source.
    fn token(&mut self, tag: Tag) -> TagToken {
        let name = self.build.names.required(Space::Html, tag.name());
        TagToken { tag, name, attrs: AttrsId::NONE, self_closing: false }
    }

    fn create_root(&mut self, attrs: AttrsId) {
        let token = TagToken { attrs, ..self.token(Tag::Html) };
        let node = self.build.create_element(token.name, attrs, Tag::Html);
        self.open.push(Open { node, name: token.name, tag: Tag::Html, space: Space::Html });
        self.build.append(DOCUMENT, node);
    }

    /// Inserts an element whose content is text, and switches the tokenizer.
    fn insert_raw(&mut self, token: TagToken, mode: Mode) -> Next {
        self.insert(token);
        self.original = self.mode;
        self.mode = Insertion::Text;
        Next::Read(mode)
    }

    /// Gives an element attributes that it does not have yet.
    fn add_attributes(&mut self, node: u32, more: AttrsId) {
        self.build.add_attributes(node, more, self.limits.max_attributes);
    }

    /// Resets the insertion mode appropriately.
    fn reset_mode(&self) -> Insertion {
        for (at, open) in self.open.iter().enumerate().rev() {
            let last = at == 0;
            let open = self.context.filter(|_| last).unwrap_or(*open);
            match open.tag {
                Tag::Td | Tag::Th if !last => return Insertion::InCell,
                Tag::Tr => return Insertion::InRow,
                Tag::Tbody | Tag::Thead | Tag::Tfoot => return Insertion::InTableBody,
                Tag::Caption => return Insertion::InCaption,
                Tag::Colgroup => return Insertion::InColumnGroup,
                Tag::Table => return Insertion::InTable,
                Tag::Template => return self.template_modes.last().copied().unwrap_or(Insertion::InBody),
                Tag::Head if !last => return Insertion::InHead,
                Tag::Body => return Insertion::InBody,
                Tag::Frameset => return Insertion::InFrameset,
                Tag::Html if self.head.is_none() => return Insertion::BeforeHead,
                Tag::Html => return Insertion::AfterHead,
                _ => {}
            }
        }
        Insertion::InBody
    }
}
