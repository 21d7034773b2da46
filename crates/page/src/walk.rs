//! The single walk over the tree. It collects text, node values, paths, and the page's declarations.
//!
//! Links and images are only collected here and resolved afterwards ([`crate::resolve`]), since a `base` element also
//! applies to references before it.
//!
//! Browsers that run scripts do not show `noscript`, but it often contains the links that a script would make. So its
//! links count, with their text as words; its text, images and leaves do not.

use std::ops::Range;

use crate::flow::{Flow, Span, push_collapsed};
use crate::link::{LinkKind, Rel};
use crate::paths::{ApathId, PathBuilder, PathStringId, Paths};
use crate::roles::{Role, Roles, Task};
use crate::rules::{Note, Notes, PageRules};
use crate::tree::{AttrsId, Data, NameId, NodeId, Tree, known};
use crate::words::Words;

/// A pair of path string and node value.
#[derive(Clone, Copy, Debug)]
pub struct Psnv {
    /// The path string of the text.
    pub path: PathStringId,
    /// The text's node.
    pub node: NodeId,
    pub(crate) value: Span,
}

/// A link not yet resolved.
pub(crate) struct FoundLink {
    pub(crate) kind: LinkKind,
    pub(crate) rel: Rel,
    pub(crate) attrs: AttrsId,
    /// The attribute with the reference.
    pub(crate) reference: NameId,
    pub(crate) node: NodeId,
    pub(crate) path: PathStringId,
    /// The path of its content, from which the Apath is made if the reference turns out to be a URL.
    pub(crate) inner: PathStringId,
    pub(crate) wraps_image: bool,
    pub(crate) anchor: Span,
    pub(crate) words: Span,
    /// The source of words if the link has no text: the first image in it with an alternative text.
    speaker: AttrsId,
}

/// An image not yet resolved.
pub(crate) struct FoundImage {
    pub(crate) attrs: AttrsId,
    pub(crate) node: NodeId,
    pub(crate) path: PathStringId,
    /// The link that contains it, as an index into the found links.
    pub(crate) link: Option<usize>,
    /// The sources of the `picture` that contains it.
    pub(crate) sources: Range<usize>,
}

/// The results of the walk.
pub(crate) struct WalkFindings<'a> {
    pub(crate) paths: PathBuilder<'a>,
    pub(crate) text: String,
    /// Where the visible text ends and the titles begin.
    pub(crate) text_end: u32,
    pub(crate) title: Span,
    pub(crate) psnv: Vec<Psnv>,
    pub(crate) links: Vec<FoundLink>,
    pub(crate) images: Vec<FoundImage>,
    /// The `source` elements of pictures.
    pub(crate) sources: Vec<AttrsId>,
    pub(crate) html: Option<AttrsId>,
    pub(crate) base: Option<AttrsId>,
    pub(crate) metas: Vec<AttrsId>,
    /// Elements that declare the page's canonical URL.
    pub(crate) canonical: Vec<AttrsId>,
}

impl WalkFindings<'_> {
    /// Makes the Apath of a link whose reference is a URL.
    pub(crate) fn apath(&mut self, inner: PathStringId, attrs: AttrsId) -> ApathId {
        self.paths.apath(inner, attrs)
    }

    pub(crate) fn finish_paths(self, notes: &mut Notes) -> Paths {
        let (paths, cut) = self.paths.finish();
        if cut {
            notes.add(Note::CutPaths);
        }
        paths
    }
}

/// An element that contains the current node.
struct Open {
    end: u32,
    path: PathStringId,
    block: bool,
    hidden: bool,
    title: bool,
    anchor: bool,
    /// If it is a link: its index, and where its text and its words began.
    link: Option<(usize, u32, u32)>,
    /// The link that contains it.
    outer_link: Option<usize>,
}

struct Walk<'a, 'n> {
    tree: &'a Tree,
    rules: &'a PageRules,
    notes: &'n mut Notes,
    roles: Roles,
    flow: Flow,
    words: Words,
    /// Words that are stored after the text: link and range.
    spoken: Vec<(usize, Span)>,
    xlink_href: Option<NameId>,
    open: Vec<Open>,
    link: Option<usize>,
    /// Where the current picture ends, and where its sources begin.
    picture: (u32, usize),
    /// The indices of the titles' pairs.
    titles: Vec<usize>,
    found: WalkFindings<'a>,
}

/// Walks the tree of a page.
pub(crate) fn walk<'a>(tree: &'a Tree, rules: &'a PageRules, notes: &mut Notes) -> WalkFindings<'a> {
    let paths = PathBuilder::new(tree, &rules.display_properties, rules.limits.max_path_bytes);
    let found = WalkFindings {
        paths,
        text: String::new(),
        text_end: 0,
        title: Span::default(),
        psnv: Vec::with_capacity(tree.len() / 3),
        links: Vec::new(),
        images: Vec::new(),
        sources: Vec::new(),
        html: None,
        base: None,
        metas: Vec::new(),
        canonical: Vec::new(),
    };
    let mut walk = Walk {
        tree,
        rules,
        notes,
        roles: Roles::new(tree),
        flow: Flow::new(rules.limits.max_text_bytes, tree.len() * 8),
        words: Words::new(rules.limits.max_text_bytes, rules.limits.anchor_chars),
        spoken: Vec::new(),
        xlink_href: tree.names().find_xlink_href(),
        open: Vec::with_capacity(32),
        link: None,
        picture: (0, 0),
        titles: Vec::new(),
        found,
    };
    walk.run();
    walk.finish()
}

impl<'a> Walk<'a, '_> {
    fn run(&mut self) {
        let nodes = self.tree.raw();
        let mut at = 0;
        while let Some(node) = nodes.get(at) {
            while self.open.last().is_some_and(|open| open.end as usize <= at) {
                self.leave();
            }
            let id = NodeId::new(at);
            at += 1;
            match node.data {
                Data::Element(name, attrs) => {
                    if self.enter(id, node.end, name, attrs) == Task::Skip {
                        at = node.end as usize;
                    }
                }
                Data::Text(start, end) => self.text(id, self.tree.slice(start, end)),
                Data::TemplateContents => at = node.end as usize,
                Data::Document | Data::Doctype(..) | Data::Comment(..) => {}
            }
        }
        while !self.open.is_empty() {
            self.leave();
        }
    }

    fn enter(&mut self, id: NodeId, end: u32, name: NameId, attrs: AttrsId) -> Task {
        let Role { task, block, hidden } = self.roles.of(name);
        if task == Task::Skip {
            return task;
        }
        let (path, outer_hidden) =
            self.open.last().map_or((PathStringId::ROOT, false), |open| (open.path, open.hidden));
        let inner = self.found.paths.child(path, name, attrs);
        let hidden = hidden || outer_hidden;
        if block {
            self.line(hidden);
        }
        let mut link = None;
        let outer_link = self.link;
        match task {
            Task::Html => self.found.html = self.found.html.or(Some(attrs)),
            Task::Base if self.tree.attributes().find(attrs, known::HREF).is_some() => {
                self.found.base = self.found.base.or(Some(attrs));
            }
            Task::Meta => self.keep_meta(attrs),
            Task::Head => self.head_link(id, path, inner, attrs),
            Task::Anchor => {
                if !hidden {
                    self.found.paths.count_leaf(inner);
                }
                link = self.found_link(LinkKind::Anchor, id, path, inner, attrs);
            }
            Task::Area => link = self.found_link(LinkKind::Area, id, path, inner, attrs),
            Task::Frame => link = self.found_link(LinkKind::Frame, id, path, inner, attrs),
            Task::Image => {
                self.image_in_link(attrs);
                if !hidden {
                    self.found.paths.count_leaf(inner);
                    self.image(id, path, attrs);
                }
            }
            Task::Picture => self.picture = (end, self.found.sources.len()),
            Task::Source if !hidden && id.index() < self.picture.0 as usize => self.found.sources.push(attrs),
            Task::Break if hidden => self.words.space(),
            Task::Break => self.flow.space(),
            Task::None | Task::Base | Task::Source | Task::Title | Task::Skip => {}
        }
        if task == Task::Frame {
            // The content of an iframe is for browsers without frames.
            self.speak(link);
            return Task::Skip;
        }
        if end as usize > id.index() + 1 {
            if link.is_some() {
                self.link = link;
            }
            let link = link.map(|link| (link, self.flow.position(), self.words.begin()));
            let (title, anchor) = (task == Task::Title, task == Task::Anchor);
            self.open.push(Open { end, path: inner, block, hidden, title, anchor, link, outer_link });
        } else {
            self.speak(link);
            if block {
                self.line(hidden);
            }
        }
        task
    }

    /// Marks the beginning or end of a block.
    fn line(&mut self, hidden: bool) {
        if hidden {
            self.words.space();
        } else {
            self.flow.line();
        }
    }

    fn leave(&mut self) {
        let Some(open) = self.open.pop() else { return };
        if let Some((number, start, words)) = open.link
            && let Some(link) = self.found.links.get_mut(number)
        {
            link.anchor = self.flow.since(start, self.rules.limits.anchor_chars);
            link.words = link.anchor;
            if link.anchor.start == link.anchor.end {
                match self.words.since(words) {
                    Some(words) => self.spoken.push((number, words)),
                    None => self.speak(Some(number)),
                }
            }
        }
        self.link = open.outer_link;
        if open.block {
            self.line(open.hidden);
        }
    }

    /// Finds words for a link without text.
    fn speak(&mut self, number: Option<usize>) {
        let Some((number, link)) = number.and_then(|number| Some((number, self.found.links.get(number)?)))
        else {
            return;
        };
        let attributes = self.tree.attributes();
        let of_area = if link.kind == LinkKind::Area { link.attrs } else { AttrsId::NONE };
        let said = [(link.speaker, known::ALT), (of_area, known::ALT), (link.attrs, known::TITLE)];
        let words = &mut self.words;
        let spoken = said
            .into_iter()
            .find_map(|(attrs, name)| attributes.find(attrs, name).and_then(|value| words.value(value)));
        self.spoken.extend(spoken.map(|words| (number, words)));
    }

    fn text(&mut self, id: NodeId, text: &'a str) {
        let Some(open) = self.open.last() else { return };
        let (path, anchor) = (open.path, open.anchor);
        if open.hidden {
            if self.link.is_some() {
                self.words.push(text);
            }
            return;
        }
        let value = if open.title {
            if text.trim().is_empty() {
                return;
            }
            self.titles.push(self.found.psnv.len());
            Span::default()
        } else {
            match self.flow.push(text) {
                Some(value) => value,
                None => return,
            }
        };
        self.found.psnv.push(Psnv { path, node: id, value });
        self.found.paths.count_text(path);
        if !anchor {
            self.found.paths.count_leaf(path);
        }
    }

    fn found_link(
        &mut self,
        kind: LinkKind,
        node: NodeId,
        path: PathStringId,
        inner: PathStringId,
        attrs: AttrsId,
    ) -> Option<usize> {
        let attributes = self.tree.attributes();
        let usual = if kind == LinkKind::Frame { known::SRC } else { known::HREF };
        let names = [Some(usual), self.xlink_href];
        let reference = names.into_iter().flatten().find(|&name| attributes.find(attrs, name).is_some())?;
        if self.found.links.len() >= self.rules.limits.max_links {
            self.notes.add(Note::CutLinks);
            return None;
        }
        let rel = attributes.find(attrs, known::REL).map_or(Rel::default(), Rel::parse);
        let anchor = Span { start: self.flow.position(), end: self.flow.position() };
        self.found.links.push(FoundLink {
            kind,
            rel,
            attrs,
            reference,
            node,
            path,
            inner,
            wraps_image: false,
            anchor,
            words: anchor,
            speaker: AttrsId::NONE,
        });
        Some(self.found.links.len() - 1)
    }

    fn head_link(&mut self, id: NodeId, path: PathStringId, inner: PathStringId, attrs: AttrsId) {
        let rel = self.tree.attributes().find(attrs, known::REL).map_or(Rel::default(), Rel::parse);
        if rel.intersects(Rel::NEXT | Rel::PREV) {
            self.found_link(LinkKind::Head, id, path, inner, attrs);
        }
        let room = self.found.canonical.len() < MAX_CANONICAL;
        if rel.contains(Rel::CANONICAL) && room && self.is_in_head(id) {
            let href = self.tree.attributes().find(attrs, known::HREF);
            self.found.canonical.extend(href.filter(|href| !href.trim().is_empty()).map(|_| attrs));
        }
    }

    /// Whether an element is a child of the head. What users write into a page's body is not a declaration of the
    /// page.
    fn is_in_head(&self, id: NodeId) -> bool {
        let parent = self.tree.node(id).and_then(|node| node.parent());
        parent.is_some_and(|parent| parent.name() == Some("head"))
    }

    /// Notes an image inside a link.
    fn image_in_link(&mut self, attrs: AttrsId) {
        let Some(link) = self.link.and_then(|link| self.found.links.get_mut(link)) else { return };
        link.wraps_image = true;
        let silent = link.speaker == AttrsId::NONE;
        if silent
            && self.tree.attributes().find(attrs, known::ALT).is_some_and(|alt| self.words.has_words(alt))
        {
            link.speaker = attrs;
        }
    }

    fn image(&mut self, node: NodeId, path: PathStringId, attrs: AttrsId) {
        if self.found.images.len() >= self.rules.limits.max_images {
            self.notes.add(Note::CutImages);
            return;
        }
        let (end, start) = self.picture;
        let all = self.found.sources.len();
        let sources = if node.index() < end as usize { start..all } else { all..all };
        // A picture has one image; if it had more, the sources would be read for each.
        self.picture = (0, all);
        self.found.images.push(FoundImage { attrs, node, path, link: self.link, sources });
    }

    fn keep_meta(&mut self, attrs: AttrsId) {
        // A page may not hide its robots directives behind other elements.
        let name = self.tree.attributes().find(attrs, known::NAME).unwrap_or_default();
        if self.found.metas.len() < MAX_METAS || name.trim().eq_ignore_ascii_case("robots") {
            self.found.metas.push(attrs);
        }
    }

    fn finish(self) -> WalkFindings<'a> {
        let Self { flow, words, spoken, mut found, titles, notes, tree, .. } = self;
        let (mut text, cut) = flow.finish();
        let (words, words_cut) = words.finish();
        if cut || words_cut {
            notes.add(Note::CutText);
        }
        let length = |text: &str| u32::try_from(text.len()).unwrap_or(u32::MAX);
        found.text_end = length(&text);
        for (number, &pair) in titles.iter().enumerate() {
            let Some(pair) = found.psnv.get_mut(pair) else { continue };
            let Some(crate::tree::NodeKind::Text(title)) = tree.node(pair.node).map(|node| node.kind())
            else {
                continue;
            };
            let start = length(&text);
            push_collapsed(&mut text, title.trim());
            pair.value = Span { start, end: length(&text) };
            if number == 0 {
                found.title = pair.value;
            }
        }
        let behind = length(&text);
        text.push_str(&words);
        for (link, words) in spoken {
            if let Some(link) = found.links.get_mut(link) {
                link.words = Span { start: behind + words.start, end: behind + words.end };
            }
        }
        text.shrink_to_fit();
        found.text = text;
        found.psnv.shrink_to_fit();
        found
    }
}

/// Maximum number of `meta` elements that are read, not counting those for robots.
const MAX_METAS: usize = 256;

/// How many declared canonical URLs are tried until one is valid.
const MAX_CANONICAL: usize = 8;
