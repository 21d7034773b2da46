//! Structured data in a page: JSON-LD, microdata, the class names of microformats, `meta` elements.
//!
//! All of it is converted into one form, a list of [`Item`]s with properties, and bounded: items, properties,
//! characters of a name, of a value and of all together; no recursion. [`Hints`](super::Hints) interprets the items.

mod json_ld;
mod metas;
mod microdata;
mod microformats;

use osprey_page::{NodeKind, NodeRef, Page};

use super::text::{collapse, cut};

/// Items of a page.
const MAX_ITEMS: usize = 500;
/// Properties of all items together.
const MAX_PROPERTIES: usize = 5_000;
/// Characters of a value.
const MAX_VALUE: usize = 5_000;
/// Characters of a name. A property with a longer one is skipped: no vocabulary has such names.
const MAX_NAME: usize = 100;
/// Bytes of all names and values together: elements inside one another would else repeat one long text.
const MAX_TEXT: usize = 1 << 20;
/// Nodes that are read for the text of one value.
const MAX_NODES: usize = 2_000;

/// A value of a property.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// A text, a number or an address as it was written.
    Text(String),
    /// Another item, by its number.
    Item(usize),
}

/// Something that a page describes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Item {
    /// Its types, without their vocabulary's address: `Person`, `BlogPosting`.
    pub(super) types: Vec<String>,
    /// Its properties in the order of the page.
    pub(super) properties: Vec<(String, Value)>,
    /// Whether it is independent, not a property of another.
    pub(super) is_top: bool,
}

/// Everything that a page describes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Items {
    items: Vec<Item>,
    properties: usize,
    /// Bytes of names and values.
    bytes: usize,
}

impl Items {
    /// Reads JSON-LD, microdata and microformats.
    pub(super) fn of(page: &Page) -> Self {
        let mut items = Self::default();
        json_ld::read(page, &mut items);
        microdata::read(page, &mut items);
        microformats::read(page, &mut items);
        items
    }

    /// The items by number.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Item> {
        self.items.iter()
    }

    pub(super) fn get(&self, number: usize) -> Option<&Item> {
        self.items.get(number)
    }

    /// Begins an item; `None` if there are too many.
    fn begin(&mut self, types: Vec<String>, is_top: bool) -> Option<usize> {
        (self.items.len() < MAX_ITEMS).then(|| {
            self.items.push(Item { types, properties: Vec::new(), is_top });
            self.items.len() - 1
        })
    }

    /// Whether no further property is taken.
    fn is_full(&self) -> bool {
        self.properties >= MAX_PROPERTIES || self.bytes >= MAX_TEXT
    }

    /// Adds a property to an item.
    fn add(&mut self, item: usize, name: &str, value: Value) {
        if self.is_full() || !is_name(name) {
            return;
        }
        if let Some(item) = self.items.get_mut(item) {
            self.properties += 1;
            self.bytes += name.len();
            if let Value::Text(text) = &value {
                self.bytes += text.len();
            }
            item.properties.push((name.to_owned(), value));
        }
    }

    fn add_text(&mut self, item: usize, name: &str, text: &str) {
        if self.is_full() || !is_name(name) {
            return;
        }
        let text = collapse(text, MAX_VALUE);
        if !text.is_empty() {
            self.add(item, name, Value::Text(text));
        }
    }
}

pub(super) use metas::meta_properties;

/// The text in an element, white space collapsed, scripts and styles left out.
fn text_of(node: NodeRef<'_>) -> String {
    let mut text = String::new();
    for node in node.descendants().take(MAX_NODES) {
        if let NodeKind::Text(part) = node.kind()
            && !node
                .parent()
                .and_then(|parent| parent.name())
                .is_some_and(|name| matches!(name, "script" | "style"))
        {
            text.push_str(part);
            if text.len() > 4 * MAX_VALUE {
                break;
            }
        }
    }
    collapse(&text, MAX_VALUE)
}

/// Whether a property may be called so.
fn is_name(name: &str) -> bool {
    name.chars().nth(MAX_NAME).is_none()
}

/// The last part of a type's address: `http://schema.org/Person` is `Person`.
fn short_type(name: &str) -> String {
    cut(short_name(name), MAX_NAME).to_owned()
}

/// The last part of a name that may be an address.
fn short_name(name: &str) -> &str {
    name.trim_end_matches('/').rsplit(['/', '#', ':']).next().unwrap_or(name)
}
