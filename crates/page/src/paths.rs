//! Path strings, XPaths and Apaths, interned per page.
//!
//! Each is a path between the root and a node, so each is stored in a trie: a path is its parent's path plus one
//! step, and an element's path is found by one lookup of two integers. Texts are built when the first one is
//! requested. Code that only compares pages does not need them: every path has a key, a 64-bit fingerprint that is
//! equal on all pages.
//!
//! - A *path string* reads from the parent up to the root, including display properties:
//!   `<td><tr-class/people><table><body><html>`. In a property's value, white space becomes one space between words,
//!   and a run of digits becomes `0`.
//! - An *XPath* reads from the root down, names only: `/html/body/div/p`.
//! - An *Apath* is the XPath of a link, followed by its class in brackets, normalised as above:
//!   `/html/body/a[result]`; without a class there are no brackets.
//!
//! A value longer than 256 bytes is cut, and a fingerprint of the rest is appended: `...~0f3a77c1`. A property whose
//! value is blank is ignored.
//!
//! A path's text repeats its parent's, so a small page may have long ones: before a new path is made, its length is
//! subtracted from one budget, and when the budget is used up, paths are merged.
//!
//! Counts. A path string counts the texts that have it (its PSNV pairs). The bag of XPaths counts leaves: every `a`,
//! every `img`, and every text that is not blank under the path of its parent, except directly inside an `a`, which
//! has been counted already. So the example in table 1 of the SOUrCe paper gives the printed counts: two paragraphs
//! of text count `/html/body/div/div/p` twice, not four times, and two plain links and one of class `result` give the
//! Apaths `.../a` 2 and `.../a[result]` 1. An Apath counts the links that have it.

use std::fmt::Write;
use std::hash::BuildHasher;
use std::sync::OnceLock;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use xxhash_rust::xxh3::xxh3_64;

use crate::flow::floor;
use crate::tree::{AttrsId, NameId, Tree, known};

/// Number of bytes of a property's value that become part of a path string.
const MAX_VALUE_BYTES: usize = 256;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u32);

        impl $name {
            /// The number, which is an index into the page's table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A path string of a page.
    PathStringId,
    /// An XPath of a page.
    XpathId,
    /// An Apath of a page.
    ApathId
}

impl PathStringId {
    /// The path of the document itself, which is empty.
    pub(crate) const ROOT: Self = Self(0);
}

/// One path in a table, and how often it occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted<Id> {
    /// The path.
    pub id: Id,
    /// How often it occurs.
    pub count: u32,
}

#[derive(Clone, Copy, Debug)]
struct PathNode {
    parent: u32,
    step: u32,
    xpath: u32,
    count: u32,
    key: u64,
}

#[derive(Clone, Copy, Debug)]
struct XpathNode {
    parent: u32,
    name: NameId,
    /// The length of its text.
    length: u32,
    count: u32,
    key: u64,
}

#[derive(Clone, Copy, Debug)]
struct ApathNode {
    xpath: u32,
    /// The text of a step: the class as written between the brackets.
    class: u32,
    count: u32,
    key: u64,
}

/// Texts stored in one string.
#[derive(Clone, Debug, Default)]
struct Strings {
    text: String,
    ends: Vec<u32>,
}

impl Strings {
    fn end(&mut self) -> u32 {
        let id = number(self.ends.len());
        self.ends.push(number(self.text.len()));
        id
    }

    fn range(&self, id: u32) -> std::ops::Range<usize> {
        let end = self.ends.get(id as usize).copied().unwrap_or(0) as usize;
        let start =
            (id as usize).checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        start as usize..end
    }

    fn get(&self, id: u32) -> &str {
        self.text.get(self.range(id)).unwrap_or_default()
    }

    fn memory_bytes(&self) -> usize {
        self.text.capacity() + self.ends.capacity() * size_of::<u32>()
    }
}

/// The paths of a page.
#[derive(Clone, Debug)]
pub(crate) struct Paths {
    steps: Strings,
    paths: Vec<PathNode>,
    xpaths: Vec<XpathNode>,
    apaths: Vec<ApathNode>,
    path_texts: OnceLock<Strings>,
    xpath_texts: OnceLock<Strings>,
    apath_texts: OnceLock<Strings>,
}

impl Paths {
    /// The paths with texts, in the order of their first occurrence.
    pub(crate) fn path_strings(&self) -> impl Iterator<Item = Counted<PathStringId>> {
        let all = self.paths.iter().zip(0..);
        all.filter(|(node, _)| node.count > 0)
            .map(|(node, id)| Counted { id: PathStringId(id), count: node.count })
    }

    pub(crate) fn xpaths(&self) -> impl Iterator<Item = Counted<XpathId>> {
        let all = self.xpaths.iter().zip(0..);
        all.filter(|(node, _)| node.count > 0)
            .map(|(node, id)| Counted { id: XpathId(id), count: node.count })
    }

    pub(crate) fn apaths(&self) -> impl Iterator<Item = Counted<ApathId>> {
        self.apaths.iter().zip(0..).map(|(node, id)| Counted { id: ApathId(id), count: node.count })
    }

    pub(crate) fn path_count(&self, id: PathStringId) -> u32 {
        self.paths.get(id.index()).map_or(0, |node| node.count)
    }

    pub(crate) fn path_key(&self, id: PathStringId) -> u64 {
        self.paths.get(id.index()).map_or(0, |node| node.key)
    }

    pub(crate) fn xpath_key(&self, id: XpathId) -> u64 {
        self.xpaths.get(id.index()).map_or(0, |node| node.key)
    }

    pub(crate) fn apath_key(&self, id: ApathId) -> u64 {
        self.apaths.get(id.index()).map_or(0, |node| node.key)
    }

    pub(crate) fn xpath_of(&self, id: ApathId) -> XpathId {
        XpathId(self.apaths.get(id.index()).map_or(0, |node| node.xpath))
    }

    pub(crate) fn path_text(&self, id: PathStringId) -> &str {
        let texts = self.path_texts.get_or_init(|| {
            let mut texts = Strings::default();
            for node in &self.paths {
                if node.step != NO_STEP {
                    texts.text.push('<');
                    texts.text.push_str(self.steps.get(node.step));
                    texts.text.push('>');
                    let parent = texts.range(node.parent);
                    texts.text.extend_from_within(parent);
                }
                texts.end();
            }
            texts
        });
        texts.get(id.0)
    }

    pub(crate) fn xpath_text(&self, id: XpathId, tree: &Tree) -> &str {
        let texts = self.xpath_texts.get_or_init(|| {
            let mut texts = Strings::default();
            for (node, id) in self.xpaths.iter().zip(0u32..) {
                if id > 0 {
                    let parent = texts.range(node.parent);
                    texts.text.extend_from_within(parent);
                    texts.text.push('/');
                    texts.text.push_str(tree.names().text(node.name));
                }
                texts.end();
            }
            texts
        });
        texts.get(id.0)
    }

    pub(crate) fn apath_text(&self, id: ApathId, tree: &Tree) -> &str {
        let texts = self.apath_texts.get_or_init(|| {
            let mut texts = Strings::default();
            for node in &self.apaths {
                texts.text.push_str(self.xpath_text(XpathId(node.xpath), tree));
                if node.class != NO_STEP {
                    texts.text.push('[');
                    texts.text.push_str(self.steps.get(node.class));
                    texts.text.push(']');
                }
                texts.end();
            }
            texts
        });
        texts.get(id.0)
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let texts = [&self.path_texts, &self.xpath_texts, &self.apath_texts];
        self.steps.memory_bytes()
            + self.paths.capacity() * size_of::<PathNode>()
            + self.xpaths.capacity() * size_of::<XpathNode>()
            + self.apaths.capacity() * size_of::<ApathNode>()
            + texts.into_iter().filter_map(OnceLock::get).map(Strings::memory_bytes).sum::<usize>()
    }
}

/// No step: for the document, or a link without a class.
const NO_STEP: u32 = u32::MAX;

/// Distinct steps of a typical page; allocating this many at once avoids growing.
const EXPECTED: usize = 56;

/// Interns the paths of one page.
pub(crate) struct PathBuilder<'a> {
    tree: &'a Tree,
    /// Display properties that occur on the page.
    properties: Vec<NameId>,
    done: Paths,
    /// The total length of each path string and XPath.
    lengths: Vec<u32>,
    bytes_left: usize,
    cut: bool,
    hasher: DefaultHashBuilder,
    step_index: HashTable<u32>,
    step_keys: Vec<u64>,
    /// Which names are display properties.
    is_property: Vec<bool>,
    /// The steps of elements without display properties, by name.
    plain_steps: Vec<u32>,
    /// The steps of other elements.
    steps: HashMap<(NameId, AttrsId), u32>,
    /// The last results from `steps` and `paths`, since pages repeat themselves.
    recent_steps: Recent,
    recent_paths: Recent,
    recent_values: RecentValues<'a>,
    /// Long classes: links that are reopened many times share one.
    long_classes: HashMap<AttrsId, u32>,
    paths: HashMap<(u32, u32), u32>,
    xpaths: HashMap<(u32, NameId), u32>,
    apaths: HashMap<(u32, u32), u32>,
    scratch: String,
}

impl<'a> PathBuilder<'a> {
    pub(crate) fn new(tree: &'a Tree, display_properties: &[String], max_bytes: usize) -> Self {
        let properties: Vec<NameId> =
            display_properties.iter().filter_map(|name| tree.names().find_attribute(name)).collect();
        let mut is_property = vec![false; tree.names().iter().len()];
        for property in &properties {
            if let Some(is_property) = is_property.get_mut(property.0 as usize) {
                *is_property = true;
            }
        }
        let root = PathNode { parent: 0, step: NO_STEP, xpath: 0, count: 0, key: xxh3_64(b"path string") };
        let xroot = XpathNode { parent: 0, name: NameId(0), length: 0, count: 0, key: xxh3_64(b"xpath") };
        Self {
            tree,
            properties,
            done: Paths {
                steps: Strings {
                    text: String::with_capacity(16 * EXPECTED),
                    ends: Vec::with_capacity(EXPECTED),
                },
                paths: starting_with(root),
                xpaths: starting_with(xroot),
                apaths: Vec::with_capacity(EXPECTED),
                path_texts: OnceLock::new(),
                xpath_texts: OnceLock::new(),
                apath_texts: OnceLock::new(),
            },
            lengths: starting_with(0),
            bytes_left: max_bytes,
            cut: false,
            hasher: DefaultHashBuilder::default(),
            step_index: HashTable::with_capacity(EXPECTED),
            step_keys: Vec::with_capacity(EXPECTED),
            plain_steps: vec![NO_STEP; is_property.len()],
            is_property,
            steps: HashMap::with_capacity(EXPECTED),
            recent_steps: Recent::default(),
            recent_paths: Recent::default(),
            recent_values: RecentValues::default(),
            long_classes: HashMap::new(),
            paths: HashMap::with_capacity(2 * EXPECTED),
            xpaths: HashMap::with_capacity(2 * EXPECTED),
            apaths: HashMap::with_capacity(EXPECTED),
            scratch: String::new(),
        }
    }

    /// The path of an element's children; the element's own path once the budget is used up.
    pub(crate) fn child(&mut self, parent: PathStringId, name: NameId, attrs: AttrsId) -> PathStringId {
        let step = self.step(name, attrs);
        if let Some(path) = self.recent_paths.get(parent.0, step) {
            return PathStringId(path);
        }
        if let Some(&path) = self.paths.get(&(parent.0, step)) {
            self.recent_paths.put(parent.0, step, path);
            return PathStringId(path);
        }
        let length = self.lengths.get(parent.index()).copied().unwrap_or(0) as usize
            + self.done.steps.get(step).len()
            + self.tree.names().text(name).len()
            + 3;
        if !self.charge(length) {
            return parent;
        }
        let above = self.done.paths.get(parent.index()).map_or((0, 0), |node| (node.xpath, node.key));
        let key = mix(above.1, self.step_keys.get(step as usize).copied().unwrap_or(0));
        let xpath = self.xpath(above.0, name);
        let path = number(self.done.paths.len());
        self.done.paths.push(PathNode { parent: parent.0, step, xpath, count: 0, key });
        self.lengths.push(number(length));
        self.paths.insert((parent.0, step), path);
        PathStringId(path)
    }

    /// Subtracts the length of a new path from the budget; returns whether it was sufficient.
    fn charge(&mut self, length: usize) -> bool {
        let left = self.bytes_left.checked_sub(length);
        self.cut |= left.is_none();
        self.bytes_left = left.unwrap_or(self.bytes_left);
        left.is_some()
    }

    fn xpath(&mut self, parent: u32, name: NameId) -> u32 {
        if let Some(&xpath) = self.xpaths.get(&(parent, name)) {
            return xpath;
        }
        let text = self.tree.names().text(name);
        let above = self.done.xpaths.get(parent as usize).map_or((0, 0), |node| (node.length, node.key));
        let length = above.0.saturating_add(number(text.len() + 1));
        let key = mix(above.1, xxh3_64(text.as_bytes()));
        let xpath = number(self.done.xpaths.len());
        self.done.xpaths.push(XpathNode { parent, name, length, count: 0, key });
        self.xpaths.insert((parent, name), xpath);
        xpath
    }

    /// Counts a text under its path string.
    pub(crate) fn count_text(&mut self, path: PathStringId) {
        if let Some(node) = self.done.paths.get_mut(path.index()) {
            node.count += 1;
        }
    }

    /// Counts a leaf under the XPath that belongs to a path.
    pub(crate) fn count_leaf(&mut self, path: PathStringId) {
        let xpath = self.done.paths.get(path.index()).map_or(0, |node| node.xpath);
        if let Some(node) = self.done.xpaths.get_mut(xpath as usize) {
            node.count += 1;
        }
    }

    /// Counts a link; `path` is the path of its children.
    pub(crate) fn apath(&mut self, path: PathStringId, attrs: AttrsId) -> ApathId {
        let xpath = self.done.paths.get(path.index()).map_or(0, |node| node.xpath);
        let class = self.class(attrs);
        // After the budget is used up: without the class; if even that is too long, the document's Apath, which costs
        // nothing.
        let apath = [(xpath, class), (xpath, NO_STEP)]
            .into_iter()
            .find_map(|(xpath, class)| self.intern_apath(xpath, class))
            .or_else(|| self.intern_apath(0, NO_STEP))
            .unwrap_or(0);
        if let Some(node) = self.done.apaths.get_mut(apath as usize) {
            node.count += 1;
        }
        ApathId(apath)
    }

    /// An Apath that is known or fits the budget.
    fn intern_apath(&mut self, xpath: u32, class: u32) -> Option<u32> {
        if let Some(&apath) = self.apaths.get(&(xpath, class)) {
            return Some(apath);
        }
        let above = self.done.xpaths.get(xpath as usize).map_or((0, 0), |node| (node.length, node.key));
        let brackets = if class == NO_STEP { 0 } else { self.done.steps.get(class).len() + 2 };
        if !self.charge(above.0 as usize + brackets) {
            return None;
        }
        let key = mix(above.1, self.step_keys.get(class as usize).copied().unwrap_or(0));
        let apath = number(self.done.apaths.len());
        self.done.apaths.push(ApathNode { xpath, class, count: 0, key });
        self.apaths.insert((xpath, class), apath);
        Some(apath)
    }

    fn class(&mut self, attrs: AttrsId) -> u32 {
        let Some(class) = self.tree.attributes().find(attrs, known::CLASS) else { return NO_STEP };
        let long = class.len() > MAX_VALUE_BYTES;
        if long && let Some(&step) = self.long_classes.get(&attrs) {
            return step;
        }
        let value = Value { of: None, property: known::CLASS, text: class };
        if let Some(step) = self.recent_values.get(&value) {
            return step;
        }
        self.scratch.clear();
        push_value(&mut self.scratch, class);
        let step = if self.scratch.is_empty() { NO_STEP } else { self.intern_scratch() };
        self.recent_values.put(value, step);
        if long {
            self.long_classes.insert(attrs, step);
        }
        step
    }

    /// The step that an element adds to a path string.
    fn step(&mut self, name: NameId, attrs: AttrsId) -> u32 {
        let attributes = self.tree.attributes();
        let is_property = |name: NameId| self.is_property.get(name.0 as usize).is_some_and(|&is| is);
        let mut properties = attributes.list(attrs).iter().filter(|attr| is_property(attr.name));
        let Some(first) = properties.next() else {
            return self.plain_step(name);
        };
        if let Some(step) = self.recent_steps.get(name.0, attrs.0) {
            return step;
        }
        let only = if properties.next().is_none() { Some(first) } else { None };
        let value =
            only.map(|attr| Value { of: Some(name), property: attr.name, text: attributes.value(attr) });
        let step = value.and_then(|value| self.recent_values.get(&value)).unwrap_or_else(|| {
            let step = self.written_step(name, attrs);
            if let Some(value) = value {
                self.recent_values.put(value, step);
            }
            step
        });
        self.recent_steps.put(name.0, attrs.0, step);
        step
    }

    fn written_step(&mut self, name: NameId, attrs: AttrsId) -> u32 {
        if let Some(&step) = self.steps.get(&(name, attrs)) {
            return step;
        }
        self.write_step(name, attrs);
        let step = self.intern_scratch();
        self.steps.insert((name, attrs), step);
        step
    }

    fn plain_step(&mut self, name: NameId) -> u32 {
        let step = self.plain_steps.get(name.0 as usize).copied().unwrap_or(NO_STEP);
        if step != NO_STEP {
            return step;
        }
        self.write_step(name, AttrsId::NONE);
        let step = self.intern_scratch();
        if let Some(plain) = self.plain_steps.get_mut(name.0 as usize) {
            *plain = step;
        }
        step
    }

    /// Writes a step: the name, and the display properties with their values.
    fn write_step(&mut self, name: NameId, attrs: AttrsId) {
        let attributes = self.tree.attributes();
        self.scratch.clear();
        self.scratch.push_str(self.tree.names().text(name));
        for &property in &self.properties {
            let Some(value) = attributes.find(attrs, property) else { continue };
            let before = self.scratch.len();
            self.scratch.push('-');
            self.scratch.push_str(self.tree.names().text(property));
            self.scratch.push('/');
            let start = self.scratch.len();
            push_value(&mut self.scratch, value);
            if self.scratch.len() == start {
                self.scratch.truncate(before);
            }
        }
    }

    fn intern_scratch(&mut self) -> u32 {
        let hash = self.hasher.hash_one(&*self.scratch);
        let (steps, scratch) = (&mut self.done.steps, &self.scratch);
        if let Some(&step) = self.step_index.find(hash, |&step| steps.get(step) == scratch) {
            return step;
        }
        steps.text.push_str(scratch);
        let step = steps.end();
        self.step_keys.push(xxh3_64(scratch.as_bytes()));
        let hasher = &self.hasher;
        self.step_index.insert_unique(hash, step, |&step| hasher.hash_one(steps.get(step)));
        step
    }

    /// The finished tables, and whether paths had to be merged.
    pub(crate) fn finish(mut self) -> (Paths, bool) {
        self.done.steps.text.shrink_to_fit();
        self.done.steps.ends.shrink_to_fit();
        self.done.paths.shrink_to_fit();
        self.done.xpaths.shrink_to_fit();
        self.done.apaths.shrink_to_fit();
        (self.done, self.cut)
    }
}

/// A list with capacity for the paths of a typical page.
fn starting_with<T>(first: T) -> Vec<T> {
    let mut list = Vec::with_capacity(2 * EXPECTED);
    list.push(first);
    list
}

/// The last results for pairs of numbers, one per slot: checking here costs less than hashing. They are on the heap,
/// because otherwise they would be copied with every struct that contains them.
struct Recent(Vec<(u32, u32, u32)>);

const RECENT: usize = 128;

impl Default for Recent {
    fn default() -> Self {
        Self(vec![(NO_STEP, NO_STEP, NO_STEP); RECENT])
    }
}

impl Recent {
    fn slot(first: u32, second: u32) -> usize {
        (first.wrapping_mul(31).wrapping_add(second)) as usize % RECENT
    }

    fn get(&self, first: u32, second: u32) -> Option<u32> {
        let &(one, two, answer) = self.0.get(Self::slot(first, second))?;
        (one == first && two == second && answer != NO_STEP).then_some(answer)
    }

    fn put(&mut self, first: u32, second: u32, answer: u32) {
        if let Some(slot) = self.0.get_mut(Self::slot(first, second)) {
            *slot = (first, second, answer);
        }
    }
}

/// The content of a step with one property: its value as written, and the element's name if that is part of the step.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Value<'a> {
    of: Option<NameId>,
    property: NameId,
    text: &'a str,
}

/// The last steps with one property, one per slot. The attributes of links differ, but their classes mostly do not,
/// and comparing classes costs less than writing the step again.
struct RecentValues<'a>(Vec<Option<(Value<'a>, u32)>>);

impl Default for RecentValues<'_> {
    fn default() -> Self {
        Self(vec![None; RECENT_VALUES])
    }
}

const RECENT_VALUES: usize = 64;

impl<'a> RecentValues<'a> {
    /// The slot of a value; `None` if the value is long, since comparing it each time would cost too much.
    fn slot(value: &Value<'a>) -> Option<usize> {
        let [first, .., last] = value.text.as_bytes() else { return None };
        let edges = usize::from(*first) + 5 * usize::from(*last) + 23 * value.text.len();
        let name = value.of.map_or(0, |name| name.0 as usize + 1);
        (value.text.len() <= MAX_VALUE_BYTES).then_some((edges + 11 * name) % RECENT_VALUES)
    }

    fn get(&self, value: &Value<'a>) -> Option<u32> {
        let (known, step) = (*self.0.get(Self::slot(value)?)?)?;
        (known == *value).then_some(step)
    }

    fn put(&mut self, value: Value<'a>, step: u32) {
        if let Some(slot) = Self::slot(&value).and_then(|slot| self.0.get_mut(slot)) {
            *slot = Some((value, step));
        }
    }
}

/// A property's value as written in a path: words between single spaces, digits as `0`. A long one is cut and followed
/// by a fingerprint of the rest, so that two values that differ only near the end stay different.
fn push_value(out: &mut String, value: &str) {
    let start = out.len();
    for word in value.split_ascii_whitespace() {
        if out.len() > start {
            out.push(' ');
        }
        let mut in_digits = false;
        for c in word.chars() {
            let digit = c.is_ascii_digit();
            if !digit {
                out.push(c);
            } else if !in_digits {
                out.push('0');
            }
            in_digits = digit;
        }
    }
    if out.len() - start > MAX_VALUE_BYTES {
        let rest = out.split_off(floor(out, start + MAX_VALUE_BYTES));
        // Writing to a string does not fail.
        let _ = write!(out, "~{:08x}", xxh3_64(rest.as_bytes()) >> 32);
    }
}

fn mix(above: u64, step: u64) -> u64 {
    (above.rotate_left(23) ^ step).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lose_numbers_and_white_space() {
        let check = |value: &str, expect: &str| {
            let mut out = String::new();
            push_value(&mut out, value);
            assert_eq!(out, expect, "{value:?}");
        };
        check("post-4711", "post-0");
        check("  a \t b\n", "a b");
        check("#00ff12", "#0ff0");
        check("", "");
        check(&"x".repeat(256), &"x".repeat(256));
    }

    #[test]
    fn long_values_that_differ_late_differ() {
        let value = |text: &str| {
            let mut out = String::from("p-class/");
            push_value(&mut out, &format!("{} {text}", "é".repeat(300)));
            out
        };
        assert_ne!(value("a"), value("b"));
        assert_eq!(value("a 1"), value("a  22"));
        assert_eq!(value("a").len(), "p-class/".len() + MAX_VALUE_BYTES + "~00000000".len());
    }
}
