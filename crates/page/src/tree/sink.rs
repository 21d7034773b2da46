//! Where the tree builder puts the tree: nodes in one vector, linked by numbers, texts in one string.
//!
//! The standard moves nodes about while it builds (misnested tags, text inside tables), so nodes here are linked
//! in all directions; [`super::Tree`] is the plain order they end in. Nothing is dropped node by node and nothing
//! recurses, so depth costs no stack.
//!
//! The tree builder wants a sink behind a shared reference, hence the one `RefCell`; no borrow outlives a call but
//! the name of an element that is being looked at.

use std::borrow::Cow;
use std::cell::{Ref, RefCell};

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, Namespace, QualName, local_name, ns};

use super::attributes::{Attributes, AttrsId};
use super::names::{Name, NameId, Names};
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
    /// What is inside a `template`: not part of the document proper.
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
    /// Set when the parse has to end.
    pub(super) cut: bool,
    /// Elements for which the tree builder may be told that they hold HTML although they are MathML.
    integration_points: Vec<u32>,
    /// Bytes that may still be copied to join texts that are not neighbours in `text`.
    copies_left: usize,
    max_nodes: usize,
    max_attributes: usize,
    /// The name of the tag last read: most elements made are made for it.
    pub(super) last_tag: (LocalName, NameId),
}

/// The sink.
#[derive(Debug)]
pub(super) struct Sink(pub(super) RefCell<Build>);

impl Build {
    fn new(limits: &Limits, input: usize) -> Self {
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
            integration_points: Vec::new(),
            copies_left: input,
            max_nodes: limits.max_nodes,
            max_attributes: limits.max_attributes,
            last_tag: (local_name!(""), NameId(u32::MAX)),
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

    fn get(&self, id: u32) -> Option<&BuildNode> {
        self.nodes.get(id as usize)
    }

    /// Changes a node; the end of a chain is not one, and nothing happens.
    fn change(&mut self, id: u32, change: impl FnOnce(&mut BuildNode)) {
        if let Some(node) = self.nodes.get_mut(id as usize) {
            change(node);
        }
    }

    fn append(&mut self, parent: u32, child: u32) {
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

    fn insert_before(&mut self, sibling: u32, child: u32) {
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

    fn detach(&mut self, child: u32) {
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

    /// Moves all children at once: only their parent and the seam change.
    fn reparent(&mut self, from: u32, to: u32) {
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

    /// Adds text after `previous`: to that node if it is a text, else as a new node, which is returned.
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
            // The two do not touch (text between table rows): the older one is copied, while that stays cheap.
            // Past that the texts stay two nodes; only pages made to hurt come here.
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

    /// The list that attributes from the tree builder stand for.
    fn attributes_of(&mut self, attrs: Vec<Attribute>) -> AttrsId {
        if let Some(id) = by_number(&attrs) {
            return id;
        }
        for attribute in attrs.into_iter().take(self.max_attributes) {
            let local = match &attribute.name.prefix {
                Some(prefix) if !prefix.is_empty() => {
                    LocalName::from(format!("{prefix}:{}", attribute.name.local))
                }
                _ => attribute.name.local,
            };
            let name = self.names.qualified(&attribute.name.ns, local);
            self.attributes.push(name, &attribute.value);
        }
        self.attributes.close()
    }
}

/// The attribute that stands for a whole list: see [`super::tokens`].
pub(super) fn numbered(list: AttrsId) -> Vec<Attribute> {
    if list == AttrsId::NONE {
        return Vec::new();
    }
    let mut digits = [0; 10];
    let mut at = digits.len();
    let mut rest = list.0;
    while let Some(digit) = at.checked_sub(1).and_then(|before| digits.get_mut(before)) {
        *digit = b'0' + (rest % 10) as u8;
        at -= 1;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    let text = digits.get(at..).and_then(|digits| std::str::from_utf8(digits).ok()).unwrap_or("0");
    vec![Attribute { name: QualName::new(None, ns!(), local_name!("")), value: StrTendril::from_slice(text) }]
}

fn by_number(attrs: &[Attribute]) -> Option<AttrsId> {
    match attrs {
        [] => Some(AttrsId::NONE),
        [only] if only.name.local.is_empty() => only.value.parse().ok().map(AttrsId),
        _ => None,
    }
}

fn offset(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(NIL)
}

/// The name of an element in the tree under construction.
#[derive(Debug)]
pub(super) struct NameOf<'a>(Ref<'a, Name>);

impl ElemName for NameOf<'_> {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }
    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

/// The name given for what is no element; the tree builder does not ask.
static NAMELESS: Name = Name { ns: ns!(), local: local_name!("") };

impl Sink {
    pub(super) fn new(limits: &Limits, input: usize) -> Self {
        Self(RefCell::new(Build::new(limits, input)))
    }
}

impl TreeSink for Sink {
    type Handle = u32;
    type Output = Build;
    type ElemName<'a> = NameOf<'a>;

    fn finish(self) -> Build {
        self.0.into_inner()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> u32 {
        DOCUMENT
    }

    fn elem_name<'a>(&'a self, target: &'a u32) -> NameOf<'a> {
        NameOf(Ref::map(self.0.borrow(), |build| match build.nodes.get(*target as usize) {
            Some(&BuildNode { data: Data::Element(name, _), .. }) => {
                build.names.get(name).unwrap_or(&NAMELESS)
            }
            _ => &NAMELESS,
        }))
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> u32 {
        let mut build = self.0.borrow_mut();
        let attrs = build.attributes_of(attrs);
        let name = match &build.last_tag {
            (local, id) if *local == name.local && name.ns == ns!(html) => *id,
            _ => build.names.qualified(&name.ns, name.local),
        };
        let element = build.create(Data::Element(name, attrs));
        if flags.template {
            let contents = build.create(Data::TemplateContents);
            build.append(element, contents);
        }
        if flags.mathml_annotation_xml_integration_point {
            build.integration_points.push(element);
        }
        element
    }

    fn create_comment(&self, text: StrTendril) -> u32 {
        let mut build = self.0.borrow_mut();
        let (start, end) = build.store(&text);
        build.create(Data::Comment(start, end))
    }

    fn create_pi(&self, _: StrTendril, data: StrTendril) -> u32 {
        self.create_comment(data)
    }

    fn append(&self, parent: &u32, child: NodeOrText<u32>) {
        let mut build = self.0.borrow_mut();
        match child {
            NodeOrText::AppendNode(node) => build.append(*parent, node),
            NodeOrText::AppendText(text) => {
                let last = build.get(*parent).map_or(NIL, |node| node.last);
                if let Some(node) = build.add_text(&text, last) {
                    build.append(*parent, node);
                }
            }
        }
    }

    fn append_based_on_parent_node(&self, element: &u32, previous_element: &u32, child: NodeOrText<u32>) {
        let has_parent = self.0.borrow().get(*element).is_some_and(|node| node.parent != NIL);
        if has_parent {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous_element, child);
        }
    }

    fn append_doctype_to_document(&self, name: StrTendril, public_id: StrTendril, system_id: StrTendril) {
        let mut build = self.0.borrow_mut();
        let (start, _) = build.store(&name);
        for part in [public_id, system_id] {
            build.text.push('\0');
            build.text.push_str(&part);
        }
        let end = offset(build.text.len());
        let doctype = build.create(Data::Doctype(start, end));
        build.append(DOCUMENT, doctype);
    }

    fn get_template_contents(&self, target: &u32) -> u32 {
        self.0.borrow().get(*target).map_or(*target, |node| node.first)
    }

    fn same_node(&self, x: &u32, y: &u32) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &u32, child: NodeOrText<u32>) {
        let mut build = self.0.borrow_mut();
        match child {
            NodeOrText::AppendNode(node) => build.insert_before(*sibling, node),
            NodeOrText::AppendText(text) => {
                let before = build.get(*sibling).map_or(NIL, |node| node.previous);
                if let Some(node) = build.add_text(&text, before) {
                    build.insert_before(*sibling, node);
                }
            }
        }
    }

    fn add_attrs_if_missing(&self, target: &u32, attrs: Vec<Attribute>) {
        let mut build = self.0.borrow_mut();
        let more = build.attributes_of(attrs);
        let Some(&BuildNode { data: Data::Element(name, own), .. }) = build.get(*target) else { return };
        let max = build.max_attributes;
        let merged = build.attributes.merge(own, more, max);
        build.change(*target, |node| node.data = Data::Element(name, merged));
    }

    fn remove_from_parent(&self, target: &u32) {
        self.0.borrow_mut().detach(*target);
    }

    fn reparent_children(&self, node: &u32, new_parent: &u32) {
        self.0.borrow_mut().reparent(*node, *new_parent);
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &u32) -> bool {
        self.0.borrow().integration_points.contains(target)
    }
}
