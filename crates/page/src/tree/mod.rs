//! The tree of a page, as the HTML standard builds it, in document order.
//!
//! A node takes twenty bytes: its parent, the end of its subtree, and its kind. In document order a node's first
//! child is the next node, and its next sibling is at the end of its subtree, so walking the tree is counting up.
//! Names, attribute values and texts are numbers and ranges in tables of the tree.
//!
//! Scripting is off, since a crawler runs no scripts: the content of `noscript` is markup.

mod attributes;
mod build;
mod construct;
mod elements;
mod names;
mod tokenizer;

use self::attributes::Attributes;
pub(crate) use self::attributes::AttrsId;
pub(crate) use self::build::Data;
use self::build::{Build, DOCUMENT, NIL};
use self::construct::Construction;
use self::names::Names;
pub(crate) use self::names::{NameId, Space, known};
use self::tokenizer::{Mode, Tokenizer, without_returns};
use crate::rules::{Limits, Note, Notes};

/// A node of a [`Tree`]. The numbers are in document order: a parent's is smaller than its children's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

impl NodeId {
    /// The number.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn new(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(NIL))
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    parent: u32,
    /// The first node after this one's subtree.
    pub(crate) end: u32,
    pub(crate) data: Data,
}

/// A page's tree.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    names: Names,
    attributes: Attributes,
    text: String,
    notes: Notes,
}

/// Whether the parser assumes that scripts run: if so, the content of `noscript` is text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scripting {
    /// No scripts, as in a crawl.
    #[default]
    Off,
    /// As in a browser.
    On,
}

/// The kind of a node, with its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind<'a> {
    /// The root.
    Document,
    /// The document type declaration.
    Doctype {
        /// Usually `html`.
        name: &'a str,
        /// Public identifier, empty if there is none.
        public_id: &'a str,
        /// System identifier, empty if there is none.
        system_id: &'a str,
    },
    /// An element.
    Element,
    /// Text as written, with character references resolved.
    Text(&'a str),
    /// A comment.
    Comment(&'a str),
    /// The only child of a `template`; its content is not part of the page.
    TemplateContents,
}

impl Tree {
    /// Parses a document.
    pub fn parse(html: &str, limits: &Limits, scripting: Scripting) -> Self {
        run(html, Construction::new(limits, html.len(), scripting), Mode::Data)
    }

    /// Parses a fragment of HTML as the content of an element: `div`, or `svg path`, `math mi` for elements that are
    /// not HTML. The nodes of the fragment are the children of the tree's `html` element.
    pub fn parse_fragment(html: &str, context: &str, limits: &Limits, scripting: Scripting) -> Self {
        let context = match context.split_once(' ') {
            Some(("svg", local)) => (Space::Svg, local),
            Some(("math", local)) => (Space::Math, local),
            _ => (Space::Html, context),
        };
        let (construction, mode) = Construction::fragment(limits, html.len(), scripting, context);
        run(html, construction, mode)
    }

    /// Puts the nodes in document order and drops unconnected ones.
    fn from_build(mut build: Build) -> Self {
        let mut nodes: Vec<Node> = Vec::with_capacity(build.nodes.len());
        // Where in `nodes` the open ancestors are.
        let mut open: Vec<u32> = Vec::new();
        let mut at = DOCUMENT;
        while let Some(node) = build.nodes.get(at as usize) {
            let here = NodeId::new(nodes.len()).0;
            nodes.push(Node { parent: open.last().copied().unwrap_or(NIL), end: here + 1, data: node.data });
            if node.first != NIL {
                open.push(here);
                at = node.first;
                continue;
            }
            let mut done = at;
            at = loop {
                match build.nodes.get(done as usize) {
                    Some(node) if node.next != NIL => break node.next,
                    Some(node) if node.parent != NIL => done = node.parent,
                    _ => break NIL,
                }
                let end = NodeId::new(nodes.len()).0;
                if let Some(node) = open.pop().and_then(|parent| nodes.get_mut(parent as usize)) {
                    node.end = end;
                }
            };
        }
        build.names.freeze();
        build.attributes.freeze();
        build.text.shrink_to_fit();
        nodes.shrink_to_fit();
        Self { nodes, names: build.names, attributes: build.attributes, text: build.text, notes: build.notes }
    }

    /// The notes on what was cut.
    pub fn notes(&self) -> &[Note] {
        self.notes.as_slice()
    }

    /// The number of nodes, including the document.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Always false, since there is always the document.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// One node; `None` if the number belongs to another tree.
    pub fn node(&self, id: NodeId) -> Option<NodeRef<'_>> {
        self.nodes.get(id.index()).map(|&node| NodeRef { tree: self, id, node })
    }

    /// All nodes in document order.
    pub fn nodes(&self) -> impl Iterator<Item = NodeRef<'_>> {
        let all = self.nodes.iter().enumerate();
        all.map(|(index, &node)| NodeRef { tree: self, id: NodeId::new(index), node })
    }

    pub(crate) fn raw(&self) -> &[Node] {
        &self.nodes
    }

    pub(crate) fn names(&self) -> &Names {
        &self.names
    }

    pub(crate) fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    pub(crate) fn slice(&self, start: u32, end: u32) -> &str {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }

    /// Heap memory in use.
    pub fn memory_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.names.memory_bytes()
            + self.attributes.memory_bytes()
            + self.text.capacity()
            + self.notes.memory_bytes()
    }
}

/// A node and the tree it is in.
#[derive(Clone, Copy, Debug)]
pub struct NodeRef<'a> {
    tree: &'a Tree,
    id: NodeId,
    node: Node,
}

impl<'a> NodeRef<'a> {
    /// Its number.
    pub fn id(&self) -> NodeId {
        self.id
    }

    /// What it is.
    pub fn kind(&self) -> NodeKind<'a> {
        match self.node.data {
            Data::Document => NodeKind::Document,
            Data::Doctype(start, end) => {
                let mut parts = self.tree.slice(start, end).split('\0');
                let mut part = || parts.next().unwrap_or_default();
                NodeKind::Doctype { name: part(), public_id: part(), system_id: part() }
            }
            Data::Element(..) => NodeKind::Element,
            Data::Text(start, end) => NodeKind::Text(self.tree.slice(start, end)),
            Data::Comment(start, end) => NodeKind::Comment(self.tree.slice(start, end)),
            Data::TemplateContents => NodeKind::TemplateContents,
        }
    }

    /// The local name of an element, in lower case unless SVG requires otherwise.
    pub fn name(&self) -> Option<&'a str> {
        match self.node.data {
            Data::Element(name, _) => Some(self.tree.names.text(name)),
            _ => None,
        }
    }

    /// The namespace of an element: `html`, `svg` or `math`.
    pub fn namespace(&self) -> Option<&'static str> {
        match self.node.data {
            Data::Element(name, _) => Some(short(self.tree.names.space(name))),
            _ => None,
        }
    }

    /// The value of an attribute without a namespace.
    pub fn attr(&self, name: &str) -> Option<&'a str> {
        self.attrs().find(|attr| attr.name == name && attr.namespace.is_empty()).map(|attr| attr.value)
    }

    /// All attributes of an element.
    pub fn attrs(&self) -> impl Iterator<Item = AttrRef<'a>> + use<'a> {
        let list = match self.node.data {
            Data::Element(_, list) => list,
            _ => AttrsId::NONE,
        };
        let tree = self.tree;
        tree.attributes.list(list).iter().map(move |attr| AttrRef {
            namespace: short(tree.names.space(attr.name)),
            name: tree.names.text(attr.name),
            value: tree.attributes.value(attr),
        })
    }

    /// The parent; `None` for the document.
    pub fn parent(&self) -> Option<NodeRef<'a>> {
        self.tree.node(NodeId(self.node.parent))
    }

    /// The children in order.
    pub fn children(&self) -> impl Iterator<Item = NodeRef<'a>> + use<'a> {
        let (tree, end) = (self.tree, self.node.end);
        let first = self.id.0 + 1;
        let first = if first < end { tree.node(NodeId(first)) } else { None };
        std::iter::successors(first, move |child| {
            if child.node.end < end { tree.node(NodeId(child.node.end)) } else { None }
        })
    }

    /// The number of the first node after this node and its descendants.
    pub fn subtree_end(&self) -> usize {
        self.node.end as usize
    }

    /// The node and all its descendants, in document order.
    pub fn descendants(&self) -> impl Iterator<Item = NodeRef<'a>> + use<'a> {
        let tree = self.tree;
        (self.id.0..self.node.end).filter_map(move |id| tree.node(NodeId(id)))
    }
}

/// An attribute of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttrRef<'a> {
    /// Empty, `xlink`, `xml` or `xmlns`.
    pub namespace: &'static str,
    /// The name as written (`href`, `xlink:href`).
    pub name: &'a str,
    /// The value, with character references resolved.
    pub value: &'a str,
}

fn short(space: Space) -> &'static str {
    match space {
        Space::None => "",
        Space::Html => "html",
        Space::Svg => "svg",
        Space::Math => "math",
        Space::Xlink => "xlink",
        Space::Xml => "xml",
        Space::Xmlns => "xmlns",
    }
}

/// Parses `html` to its end or to a limit.
fn run(html: &str, construction: Construction<'_>, mode: Mode) -> Tree {
    let html = without_returns(html);
    let mut tokenizer = Tokenizer::new(&html, mode, construction);
    tokenizer.run();
    Tree::from_build(tokenizer.into_receiver().finish())
}
