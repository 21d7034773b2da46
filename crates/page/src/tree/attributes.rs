//! Attribute lists, interned: elements with the same attributes share one list.
//!
//! Pages repeat themselves (`<td class="odd">` a thousand times), so sharing saves memory, and one integer identifies
//! a list. The tree builder passes that integer instead of the attributes (see [`super::tokens`]). All values are in
//! one string; a list under construction is at its end.

use std::hash::{BuildHasher, Hasher};

use hashbrown::{DefaultHashBuilder, HashTable};

use super::names::NameId;

/// A list of attributes in a page's table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct AttrsId(pub(crate) u32);

impl AttrsId {
    /// The list of an element without attributes.
    pub(crate) const NONE: Self = Self(0);
}

/// One attribute: its name, and the position of its value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attr {
    pub(crate) name: NameId,
    start: u32,
    end: u32,
}

/// The table of attribute lists.
#[derive(Clone, Debug)]
pub(crate) struct Attributes {
    values: String,
    attrs: Vec<Attr>,
    /// Where each list ends; it starts where the one before ends.
    ends: Vec<u32>,
    /// Where the list under construction begins, and where its values begin.
    open: usize,
    open_values: usize,
    /// The lists by their hashes. The hashes are stored because hashing a list again costs more than the memory.
    index: HashTable<(u64, u32)>,
    hasher: DefaultHashBuilder,
}

impl Attributes {
    pub(crate) fn new() -> Self {
        Self {
            values: String::with_capacity(4 << 10),
            attrs: Vec::with_capacity(256),
            ends: vec![0],
            open: 0,
            open_values: 0,
            index: HashTable::with_capacity(224),
            hasher: DefaultHashBuilder::default(),
        }
    }

    /// Adds an attribute to the list under construction. The caller ensures that names do not repeat.
    pub(crate) fn push(&mut self, name: NameId, value: &str) {
        let start = offset(self.values.len());
        self.values.push_str(value);
        self.attrs.push(Attr { name, start, end: offset(self.values.len()) });
    }

    /// Adds a copy of an attribute to the list under construction, under another name. The value is copied, not
    /// shared, because `close` may remove the list's values.
    pub(crate) fn copy(&mut self, attr: &Attr, name: NameId) {
        let start = offset(self.values.len());
        if self.values.get(attr.start as usize..attr.end as usize).is_some() {
            self.values.extend_from_within(attr.start as usize..attr.end as usize);
        }
        self.attrs.push(Attr { name, start, end: offset(self.values.len()) });
    }

    /// The list under construction.
    pub(crate) fn open(&self) -> &[Attr] {
        self.attrs.get(self.open..).unwrap_or_default()
    }

    /// Drops the list under construction.
    pub(crate) fn discard_open(&mut self) {
        self.attrs.truncate(self.open);
        self.values.truncate(self.open_values);
    }

    /// Sorts the list under construction by name: lists that differ only in order become equal.
    pub(crate) fn sort_open(&mut self) {
        if let Some(open @ [_, _, ..]) = self.attrs.get_mut(self.open..) {
            open.sort_by_key(|attr| attr.name);
        }
    }

    /// Completes the list under construction and returns its number, or that of an equal older one.
    pub(crate) fn close(&mut self) -> AttrsId {
        let open = self.open();
        if open.is_empty() {
            return AttrsId::NONE;
        }
        let hash = self.hash(open);
        let same = |&(other, id): &(u64, u32)| other == hash && self.same(self.list(AttrsId(id)), open);
        if let Some(&(_, id)) = self.index.find(hash, same) {
            self.discard_open();
            return AttrsId(id);
        }
        let id = offset(self.ends.len());
        self.ends.push(offset(self.attrs.len()));
        (self.open, self.open_values) = (self.attrs.len(), self.values.len());
        self.index.insert_unique(hash, (hash, id), |&(hash, _)| hash);
        AttrsId(id)
    }

    /// `list` with those attributes of `more` whose names it does not have, up to `max` attributes in all.
    pub(crate) fn merge(&mut self, list: AttrsId, more: AttrsId, max: usize) -> AttrsId {
        let own = self.list(list).to_vec();
        let missing =
            self.list(more).iter().filter(|attr| own.iter().all(|have| have.name != attr.name)).copied();
        let missing: Vec<_> = missing.take(max.saturating_sub(own.len())).collect();
        if missing.is_empty() {
            return list;
        }
        for attr in own.iter().chain(&missing) {
            self.copy(attr, attr.name);
        }
        self.close()
    }

    /// The attributes of a list.
    pub(crate) fn list(&self, id: AttrsId) -> &[Attr] {
        let end = self.ends.get(id.0 as usize).copied().unwrap_or(0) as usize;
        let start =
            (id.0 as usize).checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.attrs.get(start as usize..end).unwrap_or_default()
    }

    /// The value of one attribute.
    pub(crate) fn value(&self, attr: &Attr) -> &str {
        self.values.get(attr.start as usize..attr.end as usize).unwrap_or_default()
    }

    /// The value of the attribute called `name` in a list.
    pub(crate) fn find(&self, id: AttrsId, name: NameId) -> Option<&str> {
        if id == AttrsId::NONE {
            return None;
        }
        self.list(id).iter().find(|attr| attr.name == name).map(|attr| self.value(attr))
    }

    /// The value as bytes: cheaper, since character boundaries are not checked.
    fn bytes(&self, attr: &Attr) -> &[u8] {
        self.values.as_bytes().get(attr.start as usize..attr.end as usize).unwrap_or_default()
    }

    fn hash(&self, list: &[Attr]) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        for attr in list {
            hasher.write_u32(attr.name.0);
            hasher.write(self.bytes(attr));
        }
        hasher.finish()
    }

    fn same(&self, a: &[Attr], b: &[Attr]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.name == b.name && self.bytes(a) == self.bytes(b))
    }

    /// Drops the data that only interning needs.
    pub(crate) fn freeze(&mut self) {
        self.discard_open();
        self.index = HashTable::new();
        self.values.shrink_to_fit();
        self.attrs.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.values.capacity()
            + self.attrs.capacity() * size_of::<Attr>()
            + self.ends.capacity() * size_of::<u32>()
            + self.index.capacity() * size_of::<(u64, u32)>()
    }
}

/// Offsets fit: input is cut at [`crate::rules::MAX_INPUT`], long before four gigabytes.
fn offset(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(table: &mut Attributes, list: &[(u32, &str)]) -> AttrsId {
        for &(name, value) in list {
            table.push(NameId(name), value);
        }
        table.close()
    }

    #[test]
    fn equal_lists_are_one() {
        let mut table = Attributes::new();
        let first = list(&mut table, &[(1, "a"), (2, "b")]);
        let other = list(&mut table, &[(1, "ab"), (2, "")]);
        assert_ne!(first, other);
        assert_eq!(list(&mut table, &[(1, "a"), (2, "b")]), first);
        assert_eq!(list(&mut table, &[]), AttrsId::NONE);
        assert_eq!(table.values, "abab");
        assert_eq!(table.find(first, NameId(2)), Some("b"));
        assert_eq!(table.find(other, NameId(3)), None);
    }

    #[test]
    fn merging_adds_what_is_missing() {
        let mut table = Attributes::new();
        let own = list(&mut table, &[(1, "a")]);
        let more = list(&mut table, &[(1, "x"), (2, "b"), (3, "c")]);
        let merged = table.merge(own, more, 2);
        assert_eq!(table.list(merged).len(), 2);
        assert_eq!(table.find(merged, NameId(1)), Some("a"));
        assert_eq!(table.find(merged, NameId(2)), Some("b"));
        assert_eq!(table.merge(merged, own, 9), merged);
    }
}
