//! The stack of open elements.

use super::super::build::DOCUMENT;
use super::super::elements::{BUTTON_SCOPE, IMPLIED, SPECIAL, Tag, TagSet};
use super::super::names::{NameId, Space};
use super::{Construction, Open, TagToken};

/// Used as the current element if none is open.
const NOTHING: Open = Open { node: DOCUMENT, name: NameId(u32::MAX), tag: Tag::Other, space: Space::Html };

impl Construction<'_> {
    /// The current node.
    pub(super) fn current(&self) -> Open {
        self.open.last().copied().unwrap_or(NOTHING)
    }

    /// The current node, or the context element of a fragment.
    pub(super) fn adjusted_current(&self) -> Open {
        match (self.open.as_slice(), self.context) {
            ([_], Some(context)) => context,
            _ => self.current(),
        }
    }

    /// The `html` element.
    pub(super) fn root(&self) -> u32 {
        self.open.first().map_or(DOCUMENT, |open| open.node)
    }

    /// The `body` element, if it is the second on the stack.
    pub(super) fn body(&self) -> Option<u32> {
        self.open.get(1).filter(|open| open.tag == Tag::Body).map(|open| open.node)
    }

    pub(super) fn is_open(&self, tag: Tag) -> bool {
        self.open.iter().any(|open| open.tag == tag)
    }

    /// Whether an element is in a scope: open, without an element of `scope` above it.
    pub(super) fn in_scope(&self, scope: TagSet, is_it: impl Fn(&Open) -> bool) -> bool {
        for open in self.open.iter().rev() {
            if is_it(open) {
                return true;
            }
            if scope.has(open.tag) {
                return false;
            }
        }
        false
    }

    pub(super) fn has_in_scope(&self, scope: TagSet, tag: Tag) -> bool {
        self.in_scope(scope, |open| open.tag == tag)
    }

    pub(super) fn pop(&mut self) {
        self.open.pop();
    }

    pub(super) fn remove_open(&mut self, node: u32) {
        if let Some(at) = self.open.iter().rposition(|open| open.node == node) {
            self.open.remove(at);
        }
    }

    /// Closes elements while the current one is in a set.
    pub(super) fn close_implied(&mut self, set: TagSet) {
        while self.open.last().is_some_and(|open| set.has(open.tag)) {
            self.open.pop();
        }
    }

    /// Generates implied end tags, except for elements of one name.
    pub(super) fn close_implied_but(&mut self, tag: Tag) {
        while self.open.last().is_some_and(|open| IMPLIED.has(open.tag) && open.tag != tag) {
            self.open.pop();
        }
    }

    /// Closes elements until the current one is in a set.
    pub(super) fn clear_to(&mut self, set: TagSet) {
        while self.open.last().is_some_and(|open| !set.has(open.tag)) {
            self.open.pop();
        }
    }

    /// Closes elements up to and including the first of a set.
    pub(super) fn close_until(&mut self, is_it: impl Fn(Tag) -> bool) {
        while let Some(open) = self.open.pop() {
            if is_it(open.tag) {
                break;
            }
        }
    }

    /// Closes elements up to and including the first with a tag.
    pub(super) fn close(&mut self, tag: Tag) {
        self.close_until(|open| open == tag);
    }

    pub(super) fn close_p(&mut self) {
        self.close_implied_but(Tag::P);
        self.close(Tag::P);
    }

    pub(super) fn close_p_in_button_scope(&mut self) {
        if self.has_in_scope(BUTTON_SCOPE, Tag::P) {
            self.close_p();
        }
    }

    /// Any other end tag, in body.
    pub(super) fn close_any(&mut self, token: TagToken) {
        for (at, open) in self.open.iter().enumerate().rev() {
            if open.name == token.name {
                // Elements that the end tag closes implicitly are above, and are removed with the rest.
                self.open.truncate(at);
                return;
            }
            if SPECIAL.has(open.tag) {
                return;
            }
        }
    }
}
