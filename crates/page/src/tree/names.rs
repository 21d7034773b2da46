//! Names of elements and attributes, interned to small integers for the length of one page.
//!
//! One table serves both: an element's namespace is HTML, SVG or MathML, an attribute's usually none. Names that
//! the rest of the crate asks for stand in it from the start, at numbers known at compile time ([`known`]), so
//! that looking for `href` compares integers.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use html5ever::{LocalName, Namespace, ns};

/// A name in a page's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NameId(pub(crate) u32);

/// Namespace and local name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) ns: Namespace,
    pub(crate) local: LocalName,
}

impl Name {
    fn is(&self, ns: &Namespace, text: &str) -> bool {
        *self.local == *text && self.ns == *ns
    }
}

/// The table.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    list: Vec<Name>,
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
    max: usize,
    /// The name last asked for in each slot: pages use few names and use them again and again, and comparing one
    /// costs less than hashing it.
    recent: [u32; RECENT],
}

const RECENT: usize = 128;

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
    /// A table that takes up to `max` names and then refuses new ones.
    pub(crate) fn new(max: usize) -> Self {
        let mut names = Self {
            list: Vec::with_capacity(96),
            index: HashTable::with_capacity(96),
            hasher: DefaultHashBuilder::default(),
            max: max.max(known::ALL.len()),
            recent: [0; RECENT],
        };
        for text in known::ALL {
            names.attribute(text);
        }
        names
    }

    /// The number of an HTML element's name; `None` when the table is full.
    pub(crate) fn element(&mut self, text: &str) -> Option<NameId> {
        self.intern(&ns!(html), text, None)
    }

    /// The number of an attribute's name without namespace; `None` when the table is full.
    pub(crate) fn attribute(&mut self, text: &str) -> Option<NameId> {
        self.intern(&ns!(), text, None)
    }

    /// The number of a name as the tree builder writes it. There is always room: such a name is made from one that
    /// was let in before, or is one of the few that the standard adds.
    pub(crate) fn qualified(&mut self, ns: &Namespace, local: LocalName) -> NameId {
        let text = local.clone();
        self.intern(ns, &text, Some(local)).unwrap_or(NameId(u32::MAX))
    }

    fn intern(&mut self, ns: &Namespace, text: &str, local: Option<LocalName>) -> Option<NameId> {
        let slot = slot(ns, text);
        if let Some(&at) = self.recent.get(slot)
            && self.list.get(at as usize).is_some_and(|name| name.is(ns, text))
        {
            return Some(NameId(at));
        }
        let id = self.find(ns, text).or_else(|| self.add(ns, text, local))?;
        if let Some(recent) = self.recent.get_mut(slot) {
            *recent = id.0;
        }
        Some(id)
    }

    fn find(&self, ns: &Namespace, text: &str) -> Option<NameId> {
        let hash = self.hasher.hash_one((ns_seed(ns), text));
        let same = |&at: &u32| self.list.get(at as usize).is_some_and(|name| name.is(ns, text));
        self.index.find(hash, same).map(|&at| NameId(at))
    }

    fn add(&mut self, ns: &Namespace, text: &str, local: Option<LocalName>) -> Option<NameId> {
        if self.list.len() >= self.max && local.is_none() {
            return None;
        }
        let at = u32::try_from(self.list.len()).ok()?;
        self.list.push(Name { ns: ns.clone(), local: local.unwrap_or_else(|| LocalName::from(text)) });
        let (list, hasher) = (&self.list, &self.hasher);
        self.index.insert_unique(hasher.hash_one((ns_seed(ns), text)), at, |&at| {
            list.get(at as usize).map_or(0, |name| hasher.hash_one((ns_seed(&name.ns), &*name.local)))
        });
        Some(NameId(at))
    }

    /// The name behind a number.
    pub(crate) fn get(&self, id: NameId) -> Option<&Name> {
        self.list.get(id.0 as usize)
    }

    /// The local name behind a number; numbers of other tables give an empty one.
    pub(crate) fn text(&self, id: NameId) -> &str {
        self.list.get(id.0 as usize).map_or("", |name| &*name.local)
    }

    /// Looks for an attribute's name without adding it.
    pub(crate) fn find_attribute(&self, text: &str) -> Option<NameId> {
        self.find(&ns!(), text)
    }

    /// The name of `xlink:href`, if some drawing has it.
    pub(crate) fn find_xlink_href(&self) -> Option<NameId> {
        self.find(&ns!(xlink), "xlink:href")
    }

    /// All names in the order of their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Name> {
        self.list.iter()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.list.capacity() * size_of::<Name>() + self.index.capacity() * size_of::<u32>()
    }
}

/// Where a name is looked for first.
fn slot(ns: &Namespace, text: &str) -> usize {
    let bytes = text.as_bytes();
    let edge = |byte: Option<&u8>| byte.map_or(0, |&byte| usize::from(byte));
    let middle = edge(bytes.get(bytes.len() / 2));
    (bytes.len() * 37
        + edge(bytes.first()) * 7
        + edge(bytes.last()) * 3
        + middle
        + usize::from(ns_seed(ns)) * 64)
        % RECENT
}

/// Enough of a namespace to hash: equality is checked on the whole.
fn ns_seed(ns: &Namespace) -> u8 {
    match *ns {
        ns!() => 0,
        ns!(html) => 1,
        ns!(svg) => 2,
        ns!(mathml) => 3,
        _ => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let (element, attribute) = (names.element("span"), names.attribute("span"));
        assert_ne!(element, attribute);
        assert_eq!(names.element("span"), element);
    }

    #[test]
    fn a_full_table_still_finds_what_it_has() {
        let mut names = Names::new(known::ALL.len() + 1);
        let first = names.element("a");
        assert!(first.is_some());
        assert_eq!(names.element("b"), None);
        assert_eq!(names.element("a"), first);
    }
}
