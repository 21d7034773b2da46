//! The page: what the rest of Osprey uses of a body that came from the Web.

use std::ops::Range;

use encoding_rs::Encoding;
use osprey_model::CanonicalUrl;

use crate::charset;
use crate::flow::{Span, around};
use crate::link::{Image, Link, SkippedLinks};
use crate::metas::Metas;
use crate::paths::{ApathId, Counted, PathStringId, Paths, XpathId};
use crate::resolve::Resolver;
use crate::rules::{Note, Notes, PageRules};
use crate::tree::{AttrsId, Scripting, Tree, known};
use crate::walk::{Psnv, walk};

/// The input of a parse.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The page's URL.
    pub url: &'a CanonicalUrl,
    /// The header `Content-Type`, for its character set.
    pub content_type: Option<&'a str>,
    /// The body, without its content codings.
    pub body: &'a [u8],
}

/// An HTML page.
#[derive(Clone, Debug)]
pub struct Page {
    url: CanonicalUrl,
    base: CanonicalUrl,
    canonical: Option<CanonicalUrl>,
    refresh: Option<CanonicalUrl>,
    encoding: &'static Encoding,
    tree: Tree,
    /// The visible text, then the titles, then words of links that are not visible.
    text: String,
    text_end: u32,
    title: Span,
    html: AttrsId,
    keywords: AttrsId,
    description: AttrsId,
    language: AttrsId,
    robots: Option<String>,
    psnv: Vec<Psnv>,
    links: Vec<Link>,
    images: Vec<Image>,
    skipped: SkippedLinks,
    paths: Paths,
    notes: Notes,
    context_chars: usize,
    url_bytes: usize,
}

impl Page {
    /// Parses a body as HTML. Any input gives a page; notes record what was cut or guessed.
    pub fn parse(input: &Input<'_>, rules: &PageRules) -> Self {
        let mut notes = Notes::default();
        let decoded = charset::decode(input, rules.limits.max_bytes, &mut notes);
        let tree = Tree::parse(&decoded.text, &rules.limits, Scripting::Off);
        drop(decoded.text);
        for &note in tree.notes() {
            notes.add(note);
        }
        let mut found = walk(&tree, rules, &mut notes);
        let metas = Metas::read(&tree, &found);
        let mut resolver = Resolver::new(&tree, input.url, found.base, &rules.url, decoded.encoding);
        let links = resolver.links(&mut found);
        let images = resolver.images(&found, &links.1);
        let canonical = resolver.first(&found.canonical, known::HREF);
        let refresh = metas.refresh.and_then(|url| resolver.resolve(url).ok());
        let (base, skipped, url_bytes) = resolver.finish();
        let (text, text_end, title) = (std::mem::take(&mut found.text), found.text_end, found.title);
        let (psnv, html) = (std::mem::take(&mut found.psnv), found.html.unwrap_or(AttrsId::NONE));
        let Metas { keywords, description, language, robots, .. } = metas;
        let paths = found.finish_paths(&mut notes);
        Self {
            url: input.url.clone(),
            base,
            canonical,
            refresh,
            encoding: decoded.encoding,
            text,
            text_end,
            title,
            html,
            keywords,
            description,
            language,
            robots,
            psnv,
            links: links.0,
            images,
            skipped,
            paths,
            notes,
            context_chars: rules.limits.context_chars,
            url_bytes,
            tree,
        }
    }

    /// The page's URL.
    pub fn url(&self) -> &CanonicalUrl {
        &self.url
    }

    /// The base URL of its references.
    pub fn base(&self) -> &CanonicalUrl {
        &self.base
    }

    /// The title, white space collapsed; empty if there is none.
    pub fn title(&self) -> &str {
        self.title.of(&self.text)
    }

    /// The language that the page declares.
    pub fn lang(&self) -> Option<&str> {
        let attributes = self.tree.attributes();
        let own =
            [known::LANG, known::XML_LANG].into_iter().find_map(|name| attributes.find(self.html, name));
        own.or_else(|| attributes.find(self.language, known::CONTENT))
            .map(str::trim)
            .filter(|lang| !lang.is_empty())
    }

    /// The character set, by its name in the Encoding Standard.
    pub fn charset(&self) -> &'static str {
        self.encoding.name()
    }

    /// The canonical URL that the page declares: the first valid one in its head.
    pub fn canonical(&self) -> Option<&CanonicalUrl> {
        self.canonical.as_ref()
    }

    /// The page's robots directives: the contents of all such `meta` elements, separated by commas.
    pub fn robots_meta(&self) -> Option<&str> {
        self.robots.as_deref()
    }

    /// The target of `meta http-equiv=refresh`.
    pub fn meta_refresh(&self) -> Option<&CanonicalUrl> {
        self.refresh.as_ref()
    }

    /// The `keywords` of the head.
    pub fn keywords(&self) -> Option<&str> {
        self.tree.attributes().find(self.keywords, known::CONTENT)
    }

    /// The `description` of the head.
    pub fn description(&self) -> Option<&str> {
        self.tree.attributes().find(self.description, known::CONTENT)
    }

    /// The visible text: white space collapsed, a line for each block. Visible means outside of scripts, styles,
    /// templates, `noscript`, frames and the title; style sheets are not consulted.
    pub fn text(&self) -> &str {
        self.text.get(..self.text_end as usize).unwrap_or_default()
    }

    /// The lines of the text.
    pub fn text_blocks(&self) -> impl Iterator<Item = &str> {
        self.text().split('\n').filter(|block| !block.is_empty())
    }

    /// Every occurrence of a link, in document order, including those in `noscript`.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// How many references are not links.
    pub fn skipped_links(&self) -> SkippedLinks {
        self.skipped
    }

    /// The images, in document order. Those in `noscript` are left out here and in the bag of XPaths: they usually
    /// repeat an image that is loaded late.
    pub fn images(&self) -> &[Image] {
        &self.images
    }

    /// The alternative text of an image.
    pub fn alt(&self, image: &Image) -> &str {
        self.tree.node(image.node).and_then(|node| node.attr("alt")).unwrap_or_default()
    }

    /// The words of a link: its text; without text, the alternative text of the first image in it (or of an `area`
    /// itself); failing that, its title. At most [`Limits::anchor_chars`](crate::Limits) long.
    pub fn anchor(&self, link: &Link) -> &str {
        link.words.of(&self.text)
    }

    /// The range of a link in [`Self::text`]; empty if the link is not visible there.
    pub fn anchor_range(&self, link: &Link) -> Range<usize> {
        let range = link.anchor.start as usize..link.anchor.end as usize;
        if range.end <= self.text_end as usize { range } else { 0..0 }
    }

    /// The text around a link, with the link in the middle.
    pub fn context(&self, link: &Link) -> &str {
        around(self.text(), link.anchor, self.context_chars)
    }

    /// The pairs of path string and node value, in document order.
    pub fn psnv(&self) -> &[Psnv] {
        &self.psnv
    }

    /// The value of a pair: the text, trimmed, white space collapsed.
    pub fn psnv_value(&self, pair: &Psnv) -> &str {
        pair.value.of(&self.text)
    }

    /// The text of a path string.
    pub fn path_string(&self, id: PathStringId) -> &str {
        self.paths.path_text(id)
    }

    /// A fingerprint of a path string, equal on all pages.
    pub fn path_string_key(&self, id: PathStringId) -> u64 {
        self.paths.path_key(id)
    }

    /// How many texts have a path string.
    pub fn path_string_count(&self, id: PathStringId) -> u32 {
        self.paths.path_count(id)
    }

    /// The path strings that have texts, with their counts.
    pub fn path_strings(&self) -> impl Iterator<Item = Counted<PathStringId>> {
        self.paths.path_strings()
    }

    /// The text of an XPath.
    pub fn xpath(&self, id: XpathId) -> &str {
        self.paths.xpath_text(id, &self.tree)
    }

    /// A fingerprint of an XPath, equal on all pages.
    pub fn xpath_key(&self, id: XpathId) -> u64 {
        self.paths.xpath_key(id)
    }

    /// The bag of XPaths: leaves with their counts (what counts as a leaf: see the crate's documentation).
    pub fn xpaths(&self) -> impl Iterator<Item = Counted<XpathId>> {
        self.paths.xpaths()
    }

    /// The text of an Apath.
    pub fn apath(&self, id: ApathId) -> &str {
        self.paths.apath_text(id, &self.tree)
    }

    /// A fingerprint of an Apath, equal on all pages.
    pub fn apath_key(&self, id: ApathId) -> u64 {
        self.paths.apath_key(id)
    }

    /// An Apath without its class.
    pub fn apath_xpath(&self, id: ApathId) -> XpathId {
        self.paths.xpath_of(id)
    }

    /// The Apaths with the number of links that have them.
    pub fn apaths(&self) -> impl Iterator<Item = Counted<ApathId>> {
        self.paths.apaths()
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The notes on what was cut or guessed.
    pub fn notes(&self) -> &[Note] {
        self.notes.as_slice()
    }

    /// Heap memory in use, including the texts of paths once they have been built.
    pub fn memory_bytes(&self) -> usize {
        self.tree.memory_bytes()
            + self.text.capacity()
            + self.robots.as_ref().map_or(0, String::capacity)
            + self.psnv.capacity() * size_of::<Psnv>()
            + self.links.capacity() * size_of::<Link>()
            + self.images.capacity() * size_of::<Image>()
            + self.paths.memory_bytes()
            + self.notes.memory_bytes()
            + self.url_bytes
    }
}
