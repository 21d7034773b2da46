//! Names of elements and attributes, interned as small integers per page.
//!
//! One table has both: an element's namespace is HTML, SVG or MathML; an attribute usually has none. Names that the
//! rest of the crate uses have numbers known at compile time ([`known`]), so that searching for `href` compares
//! integers. HTML elements that the standard's rules name are found by their [`Tag`], without hashing.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::elements::{NameKey, Tag};

/// A name in a page's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NameId(pub(crate) u32);

impl NameId {
    const NONE: Self = Self(u32::MAX);
}

/// A namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Space {
    /// None, as for most attributes.
    None,
    Html,
    Svg,
    Math,
    Xlink,
    Xml,
    Xmlns,
}

/// Namespace and local name; for attributes with the prefix (`xlink:href`).
#[derive(Clone, Copy, Debug)]
struct Name {
    space: Space,
    start: u32,
    end: u32,
}

/// The table of names.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    text: String,
    list: Vec<Name>,
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
    max: usize,
    /// The number of each named tag that has occurred.
    tags: [NameId; Tag::NAMED],
    /// The last name looked up in each slot: pages use few names many times, and comparing one costs less than hashing
    /// it. Empty when no more names are interned.
    recent: Vec<(NameKey, Space, NameId)>,
}

const RECENT_BITS: u32 = 6;

/// Attribute names with fixed numbers.
pub(crate) mod known {
    use super::NameId;

    macro_rules! attributes {
        ($($name:ident = $text:literal),* $(,)?) => {
            #[derive(Clone, Copy)]
            #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "only counts the names")]
            enum Order { $($name),* }
            $(pub(crate) const $name: NameId = NameId(Order::$name as u32);)*
            /// The names in the order of their numbers.
            pub(super) const ALL: &[&str] = &[$($text),*];
        };
    }

    attributes! {
        HREF = "href", SRC = "src", REL = "rel", CLASS = "class", CONTENT = "content", NAME = "name",
        HTTP_EQUIV = "http-equiv", LANG = "lang", XML_LANG = "xml:lang", WIDTH = "width",
        HEIGHT = "height", SRCSET = "srcset", DATA_SRC = "data-src", DATA_SRCSET = "data-srcset",
        DATA_ORIGINAL = "data-original", DATA_LAZY_SRC = "data-lazy-src", ALT = "alt", TITLE = "title",
    }
}

impl Names {
    /// A table that accepts up to `max` names.
    pub(crate) fn new(max: usize) -> Self {
        let mut names = Self {
            text: String::with_capacity(512),
            list: Vec::with_capacity(96),
            index: HashTable::with_capacity(96),
            hasher: DefaultHashBuilder::default(),
            max: max.max(known::ALL.len()),
            tags: [NameId::NONE; Tag::NAMED],
            recent: vec![(NameKey::of(b""), Space::None, NameId::NONE); 1 << RECENT_BITS],
        };
        for text in known::ALL {
            names.attribute(text);
        }
        names
    }

    /// The number and tag of an HTML element's name; `None` if the table is full.
    pub(super) fn element(&mut self, text: &str) -> Option<(NameId, Tag)> {
        let tag = Tag::of(text);
        match self.tags.get_mut(tag as usize) {
            None => self.intern(Space::Html, text, false).map(|id| (id, tag)),
            Some(&mut id) if id != NameId::NONE => Some((id, tag)),
            Some(_) => {
                let id = self.add(Space::Html, text, false)?;
                if let Some(slot) = self.tags.get_mut(tag as usize) {
                    *slot = id;
                }
                Some((id, tag))
            }
        }
    }

    /// The number of an attribute's name without a namespace; `None` if the table is full.
    pub(crate) fn attribute(&mut self, text: &str) -> Option<NameId> {
        self.intern(Space::None, text, false)
    }

    /// The number of a name that a rule of the standard needs. There is always room: such a name is derived from one
    /// in the table, or is one of the few that the standard adds.
    pub(super) fn required(&mut self, space: Space, text: &str) -> NameId {
        let tag = if space == Space::Html { Tag::of(text) } else { Tag::Other };
        if let Some(slot) = self.tags.get(tag as usize) {
            if *slot != NameId::NONE {
                return *slot;
            }
            let id = self.add(space, text, true).unwrap_or(NameId::NONE);
            if let Some(slot) = self.tags.get_mut(tag as usize) {
                *slot = id;
            }
            return id;
        }
        self.intern(space, text, true).unwrap_or(NameId::NONE)
    }

    fn intern(&mut self, space: Space, text: &str, required: bool) -> Option<NameId> {
        let key = NameKey::of(text.as_bytes());
        // An element and an attribute with the same name get different slots.
        let slot = key.scatter(RECENT_BITS) ^ space as usize;
        if let Some(&(known, of, id)) = self.recent.get(slot)
            && known == key
            && of == space
            && id != NameId::NONE
            && (key.is_exact() || self.text(id) == text)
        {
            return Some(id);
        }
        let id = self.find(space, text).or_else(|| self.add(space, text, required))?;
        if let Some(recent) = self.recent.get_mut(slot) {
            *recent = (key, space, id);
        }
        Some(id)
    }

    fn is(&self, at: u32, space: Space, text: &str) -> bool {
        let name = self.list.get(at as usize).filter(|name| name.space == space);
        name.is_some_and(|name| self.slice(name) == text)
    }

    fn slice(&self, name: &Name) -> &str {
        self.text.get(name.start as usize..name.end as usize).unwrap_or_default()
    }

    fn find(&self, space: Space, text: &str) -> Option<NameId> {
        let hash = self.hasher.hash_one((space, text));
        self.index.find(hash, |&at| self.is(at, space, text)).map(|&at| NameId(at))
    }

    fn add(&mut self, space: Space, text: &str, required: bool) -> Option<NameId> {
        if self.list.len() >= self.max && !required {
            return None;
        }
        let at = u32::try_from(self.list.len()).ok()?;
        let start = u32::try_from(self.text.len()).ok()?;
        self.text.push_str(text);
        self.list.push(Name { space, start, end: u32::try_from(self.text.len()).ok()? });
        let (list, all, hasher) = (&self.list, &self.text, &self.hasher);
        self.index.insert_unique(hasher.hash_one((space, text)), at, |&at| {
            let name = list.get(at as usize);
            let text = name.and_then(|name| all.get(name.start as usize..name.end as usize));
            hasher.hash_one((name.map_or(Space::None, |name| name.space), text.unwrap_or_default()))
        });
        Some(NameId(at))
    }

    /// The namespace of a name.
    pub(crate) fn space(&self, id: NameId) -> Space {
        self.list.get(id.0 as usize).map_or(Space::None, |name| name.space)
    }

    /// The local name with this number; empty for numbers of other tables.
    pub(crate) fn text(&self, id: NameId) -> &str {
        self.list.get(id.0 as usize).map_or("", |name| self.slice(name))
    }

    /// Looks for an attribute's name without adding it.
    pub(crate) fn find_attribute(&self, text: &str) -> Option<NameId> {
        self.find(Space::None, text)
    }

    /// The name of `xlink:href`, if it occurs.
    pub(crate) fn find_xlink_href(&self) -> Option<NameId> {
        self.find(Space::Xlink, "xlink:href")
    }

    /// All names in the order of their numbers.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (Space, &str)> {
        self.list.iter().map(|name| (name.space, self.slice(name)))
    }

    /// Releases unused memory, and the data that only interning needs.
    pub(super) fn freeze(&mut self) {
        self.text.shrink_to_fit();
        self.list.shrink_to_fit();
        self.recent = Vec::new();
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.text.capacity()
            + self.list.capacity() * size_of::<Name>()
            + self.index.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(names: &mut Names, text: &str) -> Option<NameId> {
        names.element(text).map(|(id, _)| id)
    }

    #[test]
    fn known_names_have_their_numbers() {
        let mut names = Names::new(1000);
        assert_eq!(names.attribute("href"), Some(known::HREF));
        assert_eq!(names.attribute("srcset"), Some(known::SRCSET));
        assert_eq!(names.text(known::DATA_SRC), "data-src");
    }

    #[test]
    fn an_element_and_an_attribute_of_one_name_differ() {
        let mut names = Names::new(1000);
        let (span, attribute) = (element(&mut names, "span"), names.attribute("span"));
        assert_ne!(span, attribute);
        assert_eq!(element(&mut names, "span"), span);
        assert_eq!(Some(names.required(Space::Html, "span")), span);
        assert_ne!(Some(names.required(Space::Svg, "span")), span);
        assert_eq!(element(&mut names, "x-y"), Some(names.required(Space::Html, "x-y")));
    }

    #[test]
    fn a_full_table_still_finds_what_it_has() {
        let mut names = Names::new(known::ALL.len() + 1);
        let first = element(&mut names, "a");
        assert!(first.is_some());
        assert_eq!(element(&mut names, "b"), None);
        assert_eq!(element(&mut names, "x"), None);
        assert_eq!(element(&mut names, "a"), first);
        assert_ne!(names.required(Space::Html, "body"), NameId::NONE);
    }
}
