//! The tree under construction: nodes in one vector, linked by numbers, texts in one string.
//!
//! The standard moves nodes around while it builds (misnested tags, text inside tables), so nodes here are linked in
//! all directions; [`super::Tree`] has them in document order. Nothing is dropped node by node and nothing recurses, so
//! depth does not cost stack.

use super::attributes::{Attributes, AttrsId};
use super::elements::Tag;
use super::names::{NameId, Names};
use crate::rules::{Limits, Note, Notes};

/// No node: the end of a chain of links.
pub(super) const NIL: u32 = u32::MAX;
/// The document.
pub(super) const DOCUMENT: u32 = 0;

/// What a node is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Data {
    Document,
    /// The range of the text `name`, NUL, `public id`, NUL, `system id`.
    Doctype(u32, u32),
    Element(NameId, AttrsId),
    Text(u32, u32),
    Comment(u32, u32),
    /// The content of a `template`, which is not part of the document proper.
    TemplateContents,
}

/// A node under construction.
#[derive(Clone, Copy, Debug)]
pub(super) struct BuildNode {
    pub(super) parent: u32,
    previous: u32,
    pub(super) next: u32,
    pub(super) first: u32,
    last: u32,
    pub(super) data: Data,
}

/// The tree under construction.
#[derive(Debug)]
pub(super) struct Build {
    pub(super) nodes: Vec<BuildNode>,
    pub(super) names: Names,
    pub(super) attributes: Attributes,
    pub(super) text: String,
    pub(super) notes: Notes,
    /// Set when the parse must end.
    pub(super) cut: bool,
    /// How many bytes may still be copied to join texts that are not adjacent in `text`.
    copies_left: usize,
    max_nodes: usize,
}

impl Build {
    pub(super) fn new(limits: &Limits, input: usize) -> Self {
        let document =
            BuildNode { parent: NIL, previous: NIL, next: NIL, first: NIL, last: NIL, data: Data::Document };
        let mut nodes = Vec::with_capacity((input / 16).min(limits.max_nodes) + 16);
        nodes.push(document);
        Self {
            nodes,
            names: Names::new(limits.max_names),
            attributes: Attributes::new(),
            text: String::with_capacity(input / 2 + 64),
            notes: Notes::default(),
            cut: false,
            copies_left: input,
            max_nodes: limits.max_nodes,
        }
    }

    /// Notes a limit and ends the parse.
    pub(super) fn cut(&mut self, note: Note) {
        self.notes.add(note);
        self.cut = true;
    }

    fn create(&mut self, data: Data) -> u32 {
        if self.nodes.len() >= self.max_nodes {
            self.cut(Note::CutNodes);
        }
        let id = offset(self.nodes.len());
        self.nodes.push(BuildNode { parent: NIL, previous: NIL, next: NIL, first: NIL, last: NIL, data });
        id
    }

    pub(super) fn get(&self, id: u32) -> Option<&BuildNode> {
        self.nodes.get(id as usize)
    }

    /// Changes a node; does nothing at the end of a chain.
    fn change(&mut self, id: u32, change: impl FnOnce(&mut BuildNode)) {
        if let Some(node) = self.nodes.get_mut(id as usize) {
            change(node);
        }
    }

    pub(super) fn append(&mut self, parent: u32, child: u32) {
        let last = self.get(parent).map_or(NIL, |node| node.last);
        self.change(child, |node| (node.parent, node.previous, node.next) = (parent, last, NIL));
        self.change(last, |node| node.next = child);
        self.change(parent, |node| {
            node.last = child;
            if last == NIL {
                node.first = child;
            }
        });
    }

    pub(super) fn insert_before(&mut self, sibling: u32, child: u32) {
        self.detach(child);
        let Some(&BuildNode { parent, previous, .. }) = self.get(sibling) else { return };
        self.change(child, |node| (node.parent, node.previous, node.next) = (parent, previous, sibling));
        self.change(sibling, |node| node.previous = child);
        if previous == NIL {
            self.change(parent, |node| node.first = child);
        } else {
            self.change(previous, |node| node.next = child);
        }
    }

    pub(super) fn detach(&mut self, child: u32) {
        let Some(&BuildNode { parent, previous, next, .. }) = self.get(child) else { return };
        if parent == NIL {
            return;
        }
        if previous == NIL {
            self.change(parent, |node| node.first = next);
        } else {
            self.change(previous, |node| node.next = next);
        }
        if next == NIL {
            self.change(parent, |node| node.last = previous);
        } else {
            self.change(next, |node| node.previous = previous);
        }
        self.change(child, |node| (node.parent, node.previous, node.next) = (NIL, NIL, NIL));
    }

    /// Moves all children at once: only their parent and the links where they are joined change.
    pub(super) fn reparent(&mut self, from: u32, to: u32) {
        let Some(&BuildNode { first, last, .. }) = self.get(from) else { return };
        if first == NIL {
            return;
        }
        let mut child = first;
        while let Some(node) = self.nodes.get_mut(child as usize) {
            node.parent = to;
            child = node.next;
        }
        let seam = self.get(to).map_or(NIL, |node| node.last);
        self.change(from, |node| (node.first, node.last) = (NIL, NIL));
        self.change(first, |node| node.previous = seam);
        self.change(seam, |node| node.next = first);
        self.change(to, |node| {
            node.last = last;
            if seam == NIL {
                node.first = first;
            }
        });
    }

    /// Adds text at the end of a node.
    pub(super) fn append_text(&mut self, parent: u32, text: &str) {
        let last = self.get(parent).map_or(NIL, |node| node.last);
        if let Some(node) = self.add_text(text, last) {
            self.append(parent, node);
        }
    }

    /// Adds text before a node.
    pub(super) fn insert_text_before(&mut self, sibling: u32, text: &str) {
        let before = self.get(sibling).map_or(NIL, |node| node.previous);
        if let Some(node) = self.add_text(text, before) {
            self.insert_before(sibling, node);
        }
    }

    /// Adds text after `previous`: to that node if it is a text, otherwise as a new node, which is returned.
    fn add_text(&mut self, text: &str, previous: u32) -> Option<u32> {
        let here = offset(self.text.len());
        if let Some(&BuildNode { data: Data::Text(start, end), .. }) = self.get(previous) {
            let old = (end - start) as usize;
            if end == here {
                self.text.push_str(text);
                let end = offset(self.text.len());
                self.change(previous, |node| node.data = Data::Text(start, end));
                return None;
            }
            // The two are not adjacent (text between table rows): the older one is copied, as long as that is cheap.
            // After that the texts stay two nodes, which only happens on malicious pages.
            if old <= self.copies_left {
                self.copies_left -= old;
                self.text.extend_from_within(start as usize..end as usize);
                self.text.push_str(text);
                let end = offset(self.text.len());
                self.change(previous, |node| node.data = Data::Text(here, end));
                return None;
            }
        }
        self.text.push_str(text);
        let end = offset(self.text.len());
        Some(self.create(Data::Text(here, end)))
    }

    fn store(&mut self, text: &str) -> (u32, u32) {
        let start = offset(self.text.len());
        self.text.push_str(text);
        (start, offset(self.text.len()))
    }

    /// Makes an element; a `template` also gets the node for its contents.
    pub(super) fn create_element(&mut self, name: NameId, attrs: AttrsId, tag: Tag) -> u32 {
        let element = self.create(Data::Element(name, attrs));
        if tag == Tag::Template {
            let contents = self.create(Data::TemplateContents);
            self.append(element, contents);
        }
        element
    }

    pub(super) fn create_comment(&mut self, text: &str) -> u32 {
        let (start, end) = self.store(text);
        self.create(Data::Comment(start, end))
    }

    /// Adds the document type: name, public and system identifier.
    pub(super) fn append_doctype(&mut self, parts: &[String; 3]) {
        let (start, end) = self.store(&parts.join("\0"));
        let doctype = self.create(Data::Doctype(start, end));
        self.append(DOCUMENT, doctype);
    }

    /// Gives an element attributes that it does not have yet, up to `max` in all.
    pub(super) fn add_attributes(&mut self, element: u32, more: AttrsId, max: usize) {
        let Some(&BuildNode { data: Data::Element(name, own), .. }) = self.get(element) else { return };
        let merged = self.attributes.merge(own, more, max);
        self.change(element, |node| node.data = Data::Element(name, merged));
    }
}

fn offset(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(NIL)
}
