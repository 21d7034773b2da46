//! The list of active formatting elements, and the effect of misnested tags on it and on the tree.

use super::super::build::DOCUMENT;
use super::super::elements::{SCOPE, SPECIAL, Tag};
use super::super::names::Space;
use super::{Construction, Format, Open, TagToken};

/// Maximum number of equal formatting elements that are reopened.
const NOAHS_ARK: usize = 3;

impl Construction<'_> {
    /// Inserts a formatting element and adds it to the list.
    pub(super) fn insert_formatting(&mut self, token: TagToken) {
        let (mut equal, mut first) = (0, None);
        for (at, entry) in self.formatting.iter().enumerate().rev() {
            let Format::Element { token: old, .. } = entry else { break };
            if old.name == token.name && old.attrs == token.attrs {
                (equal, first) = (equal + 1, Some(at));
            }
        }
        if let Some(first) = first.filter(|_| equal >= NOAHS_ARK) {
            self.formatting.remove(first);
        }
        let node = self.insert(token);
        self.formatting.push(Format::Element { node, token });
    }

    /// The last entry after the last marker that has a tag.
    pub(super) fn find_formatting(&self, tag: Tag) -> Option<(usize, u32, TagToken)> {
        for (at, entry) in self.formatting.iter().enumerate().rev() {
            match entry {
                Format::Marker => return None,
                Format::Element { node, token } if token.tag == tag => return Some((at, *node, *token)),
                Format::Element { .. } => {}
            }
        }
        None
    }

    fn formatting_position(&self, element: u32) -> Option<usize> {
        let is_it = |entry: &Format| matches!(entry, Format::Element { node, .. } if *node == element);
        self.formatting.iter().position(is_it)
    }

    pub(super) fn remove_formatting(&mut self, element: u32) {
        if let Some(at) = self.formatting_position(element) {
            self.formatting.remove(at);
        }
    }

    pub(super) fn clear_formatting_to_marker(&mut self) {
        while let Some(Format::Element { .. }) = self.formatting.pop() {}
    }

    fn is_marker_or_open(&self, entry: &Format) -> bool {
        match entry {
            Format::Marker => true,
            Format::Element { node, .. } => self.open.iter().rev().any(|open| open.node == *node),
        }
    }

    /// Reconstructs the active formatting elements: reopens those that the end of a block closed too early.
    pub(super) fn reconstruct(&mut self) {
        match (self.formatting.last(), self.open.last()) {
            // The usual cases: the list is empty, or its last element is the current one.
            (None, _) => {}
            (Some(Format::Element { node, .. }), Some(open)) if *node == open.node => {}
            _ => self.reconstruct_closed(),
        }
    }

    /// A separate function, so that the check above can be inlined.
    #[inline(never)]
    fn reconstruct_closed(&mut self) {
        let closed = self.formatting.iter().rev().take_while(|entry| !self.is_marker_or_open(entry)).count();
        for at in self.formatting.len() - closed..self.formatting.len() {
            let Some(&Format::Element { token, .. }) = self.formatting.get(at) else { break };
            let node = self.insert(token);
            if let Some(entry) = self.formatting.get_mut(at) {
                *entry = Format::Element { node, token };
            }
        }
    }

    /// The adoption agency algorithm, for the end of a formatting element.
    pub(super) fn adopt(&mut self, token: TagToken) {
        let current = self.current();
        // The case of most end tags: the current element is the last in the list.
        if let Some(Format::Element { node, .. }) = self.formatting.last()
            && *node == current.node
            && current.tag == token.tag
        {
            self.formatting.pop();
            return self.pop();
        }
        if current.tag == token.tag && self.formatting_position(current.node).is_none() {
            return self.pop();
        }
        for _ in 0..8 {
            let Some((entry, element, old)) = self.find_formatting(token.tag) else {
                return self.close_any(token);
            };
            let Some(at) = self.open.iter().rposition(|open| open.node == element) else {
                self.formatting.remove(entry);
                return;
            };
            if !self.in_scope(SCOPE, |open| open.node == element) {
                return;
            }
            let above = self.open.iter().enumerate().skip(at);
            let Some((block_at, block)) =
                above.map(|(at, open)| (at, *open)).find(|(_, open)| SPECIAL.has(open.tag))
            else {
                self.open.truncate(at);
                self.formatting.remove(entry);
                return;
            };
            self.adopt_block(element, old, at, (block_at, block));
        }
    }

    /// Moves a block that the end of a formatting element splits. `at` and `block_at` are positions on the stack.
    fn adopt_block(&mut self, element: u32, old: TagToken, at: usize, (block_at, block): (usize, Open)) {
        let nothing = Open { node: DOCUMENT, ..block };
        let ancestor = at.checked_sub(1).and_then(|at| self.open.get(at)).copied().unwrap_or(nothing);
        // The entry after which the new element's entry is inserted; the element's own position while there is none.
        let mut bookmark = None;
        let mut last = block.node;
        for (count, place) in (at + 1..block_at).rev().enumerate() {
            let Some(&Open { node, .. }) = self.open.get(place) else { break };
            let entry = self.formatting_position(node);
            let token = entry.filter(|_| count < 3).and_then(|entry| self.formatting.get(entry));
            let Some(&Format::Element { token, .. }) = token else {
                self.remove_formatting(node);
                self.open.remove(place);
                continue;
            };
            let copy = self.build.create_element(token.name, token.attrs, token.tag);
            if let Some(open) = self.open.get_mut(place) {
                *open = Open { node: copy, name: token.name, tag: token.tag, space: Space::Html };
            }
            if let Some(entry) = entry.and_then(|entry| self.formatting.get_mut(entry)) {
                *entry = Format::Element { node: copy, token };
            }
            if last == block.node {
                bookmark = Some(copy);
            }
            self.build.detach(last);
            self.build.append(copy, last);
            last = copy;
        }
        self.build.detach(last);
        let place = self.place(ancestor);
        self.insert_at(place, last);
        let copy = self.build.create_element(old.name, old.attrs, old.tag);
        self.build.reparent(block.node, copy);
        self.build.append(block.node, copy);
        self.replace_formatting(element, bookmark, Format::Element { node: copy, token: old });
        self.remove_open(element);
        if let Some(at) = self.open.iter().position(|open| open.node == block.node) {
            let open = Open { node: copy, name: old.name, tag: old.tag, space: Space::Html };
            self.open.insert(at + 1, open);
        }
    }

    /// Removes an element from the list and inserts the one made from it after the bookmark, or in its place.
    fn replace_formatting(&mut self, element: u32, bookmark: Option<u32>, new: Format) {
        match bookmark.and_then(|bookmark| self.formatting_position(bookmark)) {
            Some(at) => {
                self.formatting.insert(at + 1, new);
                self.remove_formatting(element);
            }
            None => {
                if let Some(entry) =
                    self.formatting_position(element).and_then(|at| self.formatting.get_mut(at))
                {
                    *entry = new;
                }
            }
        }
    }
}
