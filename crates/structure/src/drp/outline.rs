//! A page's tree reduced to its texts: which nodes contain any, how much, how much of it in links.
//!
//! Zhang 2008 counts children and siblings of nodes. In real pages, most of those are white space, comments, line
//! breaks and scripts; here a node counts if it contains a text with a node value. One pass from the last node to the
//! first, one back; later questions use numbers only.

use osprey_page::{NodeId, Page};

/// "No node", in lists of nodes.
const NONE: u32 = u32::MAX;

/// What is known of a node.
#[derive(Clone, Copy, Debug)]
struct Entry {
    parent: u32,
    /// The sibling before it that holds a text.
    before: u32,
    /// Children that hold texts.
    children: u32,
    /// The place in `Page::psnv` of the only text in it.
    only: u32,
    chars: Chars,
    in_link: bool,
    in_title: bool,
}

/// Characters of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Chars {
    pub(super) all: u32,
    /// Those that are in links.
    pub(super) in_links: u32,
}

/// The tree of a page, as far as it leads to texts.
#[derive(Debug)]
pub(super) struct Outline {
    nodes: Vec<Entry>,
}

impl Outline {
    pub(super) fn of(page: &Page) -> Self {
        let empty = Entry {
            parent: NONE,
            before: NONE,
            children: 0,
            only: NONE,
            chars: Chars::default(),
            in_link: false,
            in_title: false,
        };
        let mut outline = Self { nodes: vec![empty; page.tree().len()] };
        outline.descend(page);
        for (place, pair) in page.psnv().iter().enumerate() {
            let Some(entry) = outline.nodes.get_mut(pair.node.index()) else { continue };
            let all = number(page.psnv_value(pair).chars().count());
            entry.only = number(place);
            entry.chars = Chars { all, in_links: if entry.in_link { all } else { 0 } };
        }
        outline.gather();
        outline.line_up();
        outline
    }

    /// Parents, and which nodes are in a link: a parent's number is smaller than its children's.
    fn descend(&mut self, page: &Page) {
        for node in page.tree().nodes() {
            let parent = node.parent().map(|parent| parent.id().index());
            let above = parent.and_then(|parent| self.nodes.get(parent));
            let (in_link, in_title) = above.map_or((false, false), |entry| (entry.in_link, entry.in_title));
            let Some(entry) = self.nodes.get_mut(node.id().index()) else { continue };
            entry.parent = parent.map_or(NONE, number);
            entry.in_link = in_link || node.name() == Some("a");
            entry.in_title = in_title || node.name() == Some("title");
        }
    }

    /// What children hold, their parents do. A text without characters (its page was cut) counts all the same.
    fn gather(&mut self) {
        for index in (0..self.nodes.len()).rev() {
            let Some(&entry) = self.nodes.get(index) else { continue };
            if entry.children == 0 && entry.only == NONE {
                continue;
            }
            let Some(parent) = self.nodes.get_mut(entry.parent as usize) else { continue };
            parent.children += 1;
            parent.only = if parent.children == 1 { entry.only } else { NONE };
            parent.chars.all = parent.chars.all.saturating_add(entry.chars.all);
            parent.chars.in_links = parent.chars.in_links.saturating_add(entry.chars.in_links);
        }
    }

    fn line_up(&mut self) {
        let mut last = vec![NONE; self.nodes.len()];
        for (index, entry) in self.nodes.iter_mut().enumerate() {
            if entry.children == 0 && entry.only == NONE {
                continue;
            }
            if let Some(last) = last.get_mut(entry.parent as usize) {
                entry.before = std::mem::replace(last, number(index));
            }
        }
    }

    fn get(&self, node: usize) -> Option<&Entry> {
        self.nodes.get(node)
    }

    /// The number of the node above.
    pub(super) fn parent(&self, node: usize) -> Option<usize> {
        self.get(node)
            .map(|entry| entry.parent)
            .filter(|&parent| parent != NONE)
            .map(|parent| parent as usize)
    }

    /// The nearest sibling before a node that holds a text.
    pub(super) fn before(&self, node: usize) -> Option<usize> {
        self.get(node)
            .map(|entry| entry.before)
            .filter(|&before| before != NONE)
            .map(|before| before as usize)
    }

    /// The index in [`Page::psnv`] of the only text in a node; `None` if it contains several, or none.
    pub(super) fn only_text(&self, node: usize) -> Option<usize> {
        self.get(node).map(|entry| entry.only).filter(|&only| only != NONE).map(|only| only as usize)
    }

    /// Whether a node is in a link, or is one.
    pub(super) fn is_in_link(&self, node: NodeId) -> bool {
        self.get(node.index()).is_some_and(|entry| entry.in_link)
    }

    /// Whether a node is in the title, or is one.
    pub(super) fn is_in_title(&self, node: NodeId) -> bool {
        self.get(node.index()).is_some_and(|entry| entry.in_title)
    }

    /// The text in a node.
    pub(super) fn chars(&self, node: usize) -> Chars {
        self.get(node).map(|entry| entry.chars).unwrap_or_default()
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }
}

fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(NONE)
}
