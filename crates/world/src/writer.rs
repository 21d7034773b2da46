//! A page of any world while it is being written.
//!
//! [`Writer`] holds what all pages have: the markup, the page's own dice, its address, a count of its links. Everything
//! specific to a site's pages (which design, which host, which language) is the page's `place`, which the writer gives
//! access to. Sites of one host and worlds of many hosts differ only in their places; worlds of many hosts share how
//! they write links ([`PageContext`]).

use std::ops::{Deref, DerefMut};

use crate::Dice;
use crate::markup::Markup;
use crate::nasty::Setting;
use crate::text::{Language, branches};

/// A page being written, at a place of a site.
pub(crate) struct Writer<P> {
    pub(crate) html: Markup,
    /// The page's own dice.
    pub(crate) dice: Dice,
    /// The address of the page: a path on sites of one host, a URL where there are many.
    pub(crate) here: String,
    /// How many links have been written: the place of the next.
    pub(crate) links: u64,
    pub(crate) place: P,
}

impl<P> Deref for Writer<P> {
    type Target = P;

    fn deref(&self) -> &P {
        &self.place
    }
}

impl<P> DerefMut for Writer<P> {
    fn deref_mut(&mut self) -> &mut P {
        &mut self.place
    }
}

impl<P> Writer<P> {
    pub(crate) fn new(html: Markup, dice: Dice, here: String, place: P) -> Self {
        Self { html, dice, here, links: 0, place }
    }

    /// The dice for a purpose on this page.
    pub(crate) fn of(&self, purpose: &str) -> Dice {
        self.dice.of(purpose)
    }

    /// An opening tag with a class, or without one.
    pub(crate) fn open(&mut self, tag: &str, class: &str) {
        self.html.open(tag, &[class_attribute(class)]);
    }

    /// A closing tag.
    pub(crate) fn close(&mut self, tag: &str) {
        self.html.close(tag);
    }

    /// An element that holds text only.
    pub(crate) fn element(&mut self, tag: &str, class: &str, text: &str) {
        self.html.element(tag, &[class_attribute(class)], text);
    }

    /// Text.
    pub(crate) fn text(&mut self, text: &str) {
        self.html.text(text);
    }

    /// Markup, unescaped.
    pub(crate) fn raw(&mut self, markup: &str) {
        self.html.raw(markup);
    }

    /// An element around what `write` writes.
    pub(crate) fn within(&mut self, tag: &str, class: &str, write: impl FnOnce(&mut Self)) {
        self.open(tag, class);
        write(self);
        self.close(tag);
    }

    /// Writes a text with holes, and what `write` writes for each hole.
    pub(crate) fn fill(&mut self, template: &Template, mut write: impl FnMut(&mut Self, &str)) {
        for (text, hole) in &template.parts {
            self.raw(text);
            write(self, hole);
        }
        self.raw(template.rest);
    }

    /// A list with an element for each item.
    pub(crate) fn bullets<T>(
        &mut self,
        list: &str,
        class: &str,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        self.open(list, class);
        for item in items {
            self.within("li", "", |out| write(out, item));
        }
        self.close(list);
    }
}

/// A text with holes like `[[title]]`, split once for all pages.
pub(crate) struct Template {
    /// Texts, each with the hole that follows it.
    parts: Vec<(&'static str, &'static str)>,
    rest: &'static str,
}

impl Template {
    pub(crate) fn new(text: &'static str) -> Self {
        let (mut parts, mut rest) = (Vec::new(), text);
        while let Some((before, (hole, after))) =
            rest.split_once("[[").and_then(|(before, tail)| Some((before, tail.split_once("]]")?)))
        {
            parts.push((before, hole));
            rest = after;
        }
        Self { parts, rest }
    }
}

/// The attribute for a class; an empty one for no class.
pub(crate) fn class_attribute(class: &str) -> (&'static str, &str) {
    (if class.is_empty() { "" } else { "class" }, class)
}

/// The surroundings of a page in a world of many hosts: its host, language and links.
pub(crate) trait PageContext {
    /// The folder and the number of pages that were deleted but are still linked.
    const VANISHED: (&'static str, u64);

    /// The share of links within a host that name the host.
    const ABSOLUTE: f64;

    fn setting(&self) -> &Setting;

    /// The language of the host.
    fn language(&self) -> Language;

    /// Whether this author writes references relative to the page.
    fn is_relative(&self) -> bool;

    /// The text of links to deleted pages.
    fn vanished_word(&self, dice: Dice) -> &'static str;

    /// One of two texts, by the language of the host.
    fn say<'t>(&self, english: &'t str, chinese: &'t str) -> &'t str {
        if self.language() == Language::Chinese { chinese } else { english }
    }

    /// The name of a branch in the language of the host.
    fn branch(&self, branch: usize) -> &'static str {
        branches().get(branch).map_or("", |branch| self.say(&branch.label_en, &branch.label_zh))
    }
}

impl<P: PageContext> Writer<P> {
    /// A link as this author writes it: relative where that works, from the root, or with the host.
    pub(crate) fn link_to(&mut self, target: &str, text: &str, class: &str) {
        self.links += 1;
        let (setting, place) = (self.place.setting(), self.dice.of("link").at(self.links));
        let origin = origin(&self.here);
        let path = target.strip_prefix(origin).filter(|path| path.starts_with('/'));
        let directory = self.here.rfind('/').and_then(|at| self.here.get(..=at)).unwrap_or_default();
        let is_relative = self.place.is_relative() && !self.here.contains('?');
        let below = target.strip_prefix(directory).filter(|rest| is_relative && is_plain_reference(rest));
        if setting.is_dead(place) {
            // a deleted page, among the existing ones
            let (folder, count) = P::VANISHED;
            let gone = format!("{origin}/{folder}/{}.html", place.of("gone").below(count));
            self.html.link(&gone, self.place.vanished_word(place), &[class_attribute(class)]);
        }
        let href = match (below, path) {
            (Some(below), _) => below.into(),
            (None, Some(path)) if !place.of("absolute").chance(P::ABSOLUTE) => setting.dressed(place, path),
            _ => setting.dressed(place, target),
        };
        self.html.link(&href, text, &[class_attribute(class)]);
    }

    /// Links to the pages of a list of `count`, around the current one `at`: near ones, the first and the last.
    pub(crate) fn steps(
        &mut self,
        tag: &str,
        (at, count, reach): (u32, u32, u32),
        mut link: impl FnMut(&mut Self, u32, &str),
    ) {
        if count < 2 {
            return;
        }
        self.open(tag, "pager");
        for step in (0..count).filter(|step| step.abs_diff(at) <= reach || *step == 0 || *step + 1 == count) {
            let number = (step + 1).to_string();
            match step == at {
                true => self.element("b", "", &number),
                false => link(self, step, &number),
            }
            self.raw(" ");
        }
        self.close(tag);
    }
}

/// `http://host` of a URL.
fn origin(url: &str) -> &str {
    let path_at = url.find("://").and_then(|at| Some(at + 3 + url.get(at + 3..)?.find('/')?));
    url.get(..path_at.unwrap_or(url.len())).unwrap_or_default()
}

/// Whether a relative reference is safe: not empty, no query, nothing that reads as a scheme.
fn is_plain_reference(rest: &str) -> bool {
    !rest.is_empty() && !rest.starts_with('/') && !rest.contains([':', '?'])
}

/// A text with a capital at its start.
pub(crate) fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
