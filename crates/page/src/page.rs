//! The page: what the rest of Osprey sees of a body that came from the Web.

use encoding_rs::Encoding;
use hashbrown::HashMap;
use osprey_model::{CanonicalUrl, UrlBase, UrlProblem, UrlRules};

use crate::charset;
use crate::flow::{Span, around};
use crate::link::{Image, Link, SkippedLinks, largest_candidate, pixels};
use crate::paths::{ApathId, Counted, PathStringId, Paths, XpathId};
use crate::rules::{Note, Notes, PageRules};
use crate::tree::{AttrsId, NameId, Scripting, Tree, known};
use crate::walk::{Found, FoundImage, FoundLink, Psnv, reference, walk};

/// What a page is made from.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Where it was found.
    pub url: &'a CanonicalUrl,
    /// The header `Content-Type`, for its character set.
    pub content_type: Option<&'a str>,
    /// The body, content encodings undone.
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
    /// The visible text, then the titles.
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
    /// Reads a body as HTML. Whatever it holds, a page comes out; what was cut or guessed is in its notes.
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
        resolver.seen.reserve(found.links.len() + found.images.len());
        let links = resolver.links(&mut found);
        let images = resolver.images(&found, &links.1);
        let canonical = found.canonical.and_then(|attrs| resolver.attribute(attrs, known::HREF));
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

    /// Where the page was found.
    pub fn url(&self) -> &CanonicalUrl {
        &self.url
    }

    /// What its references are relative to.
    pub fn base(&self) -> &CanonicalUrl {
        &self.base
    }

    /// The title, white space collapsed; empty if there is none.
    pub fn title(&self) -> &str {
        self.title.of(&self.text)
    }

    /// The language that the page claims to be in.
    pub fn lang(&self) -> Option<&str> {
        let attributes = self.tree.attributes();
        let own =
            [known::LANG, known::XML_LANG].into_iter().find_map(|name| attributes.find(self.html, name));
        own.or_else(|| attributes.find(self.language, known::CONTENT))
            .map(str::trim)
            .filter(|lang| !lang.is_empty())
    }

    /// The character set, by its name in the encoding standard.
    pub fn charset(&self) -> &'static str {
        self.encoding.name()
    }

    /// The preferred address of the page, by its own account.
    pub fn canonical(&self) -> Option<&CanonicalUrl> {
        self.canonical.as_ref()
    }

    /// What the page asks of robots: the contents of all such `meta` elements, separated by commas.
    pub fn robots_meta(&self) -> Option<&str> {
        self.robots.as_deref()
    }

    /// Where the page sends its visitors by `meta http-equiv=refresh`.
    pub fn meta_refresh(&self) -> Option<&CanonicalUrl> {
        self.refresh.as_ref()
    }

    /// The keywords in the head.
    pub fn keywords(&self) -> Option<&str> {
        self.tree.attributes().find(self.keywords, known::CONTENT)
    }

    /// The description in the head.
    pub fn description(&self) -> Option<&str> {
        self.tree.attributes().find(self.description, known::CONTENT)
    }

    /// The visible text: white space collapsed, a line for each block. Visible is what is not in a script, a style, a
    /// template, a `noscript`, a frame or the title; style sheets are not consulted.
    pub fn text(&self) -> &str {
        self.text.get(..self.text_end as usize).unwrap_or_default()
    }

    /// The lines of the text.
    pub fn text_blocks(&self) -> impl Iterator<Item = &str> {
        self.text().split('\n').filter(|block| !block.is_empty())
    }

    /// Every occurrence of a link, in document order.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// References that became no links.
    pub fn skipped_links(&self) -> SkippedLinks {
        self.skipped
    }

    /// The images, in document order.
    pub fn images(&self) -> &[Image] {
        &self.images
    }

    /// What is said in place of an image.
    pub fn alt(&self, image: &Image) -> &str {
        self.tree.node(image.node).and_then(|node| node.attr("alt")).unwrap_or_default()
    }

    /// The text of a link.
    pub fn anchor(&self, link: &Link) -> &str {
        link.anchor.of(&self.text)
    }

    /// The text around a link, its own in the middle.
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

    /// A fingerprint of a path string, the same on all pages.
    pub fn path_string_key(&self, id: PathStringId) -> u64 {
        self.paths.path_key(id)
    }

    /// How many texts have a path string.
    pub fn path_string_count(&self, id: PathStringId) -> u32 {
        self.paths.path_count(id)
    }

    /// The path strings that have texts, with their number.
    pub fn path_strings(&self) -> impl Iterator<Item = Counted<PathStringId>> {
        self.paths.path_strings()
    }

    /// The text of an XPath.
    pub fn xpath(&self, id: XpathId) -> &str {
        self.paths.xpath_text(id, &self.tree)
    }

    /// A fingerprint of an XPath, the same on all pages.
    pub fn xpath_key(&self, id: XpathId) -> u64 {
        self.paths.xpath_key(id)
    }

    /// The bag of XPaths: leaves with their number (what counts as a leaf: see the crate's documentation).
    pub fn xpaths(&self) -> impl Iterator<Item = Counted<XpathId>> {
        self.paths.xpaths()
    }

    /// The text of an Apath.
    pub fn apath(&self, id: ApathId) -> &str {
        self.paths.apath_text(id, &self.tree)
    }

    /// A fingerprint of an Apath, the same on all pages.
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

    /// What was cut or guessed.
    pub fn notes(&self) -> &[Note] {
        self.notes.as_slice()
    }

    /// Heap in use, the texts of paths included once somebody has asked for them.
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

/// What the `meta` elements say.
#[derive(Default)]
struct Metas<'a> {
    keywords: AttrsId,
    description: AttrsId,
    language: AttrsId,
    robots: Option<String>,
    refresh: Option<&'a str>,
}

impl<'a> Metas<'a> {
    fn read(tree: &'a Tree, found: &Found<'_>) -> Self {
        let attributes = tree.attributes();
        let mut metas = Self::default();
        for &attrs in &found.metas {
            let Some(content) = attributes.find(attrs, known::CONTENT) else { continue };
            let name = attributes.find(attrs, known::NAME).unwrap_or_default().trim();
            let header = attributes.find(attrs, known::HTTP_EQUIV).unwrap_or_default().trim();
            let first = |slot: &mut AttrsId| {
                if *slot == AttrsId::NONE {
                    *slot = attrs;
                }
            };
            if name.eq_ignore_ascii_case("keywords") {
                first(&mut metas.keywords);
            } else if name.eq_ignore_ascii_case("description") {
                first(&mut metas.description);
            } else if name.eq_ignore_ascii_case("robots") {
                let robots = metas.robots.get_or_insert_default();
                if !robots.is_empty() {
                    robots.push(',');
                }
                robots.push_str(content);
            } else if header.eq_ignore_ascii_case("content-language") {
                first(&mut metas.language);
            } else if header.eq_ignore_ascii_case("refresh") {
                metas.refresh = metas.refresh.or_else(|| refresh_target(content));
            }
        }
        metas
    }
}

/// The reference in `5; url='next.html'`.
fn refresh_target(content: &str) -> Option<&str> {
    let rest = content.trim_start().trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let rest = rest.trim_start().trim_start_matches([';', ',']).trim_start();
    let value = match rest.get(..3) {
        Some(word) if word.eq_ignore_ascii_case("url") => {
            rest.get(3..)?.trim_start().strip_prefix('=').unwrap_or(rest).trim_start()
        }
        _ => rest,
    };
    let value = match value.chars().next()? {
        quote @ ('"' | '\'') => value.get(1..)?.split(quote).next()?,
        _ => value.trim_end(),
    };
    (!value.is_empty()).then_some(value)
}

/// Turns references into URLs, each distinct one once.
struct Resolver<'a> {
    tree: &'a Tree,
    base: UrlBase,
    rules: &'a UrlRules,
    encoding: &'static Encoding,
    seen: HashMap<&'a str, Result<CanonicalUrl, UrlProblem>>,
    skipped: SkippedLinks,
    url_bytes: usize,
}

impl<'a> Resolver<'a> {
    fn new(
        tree: &'a Tree,
        url: &CanonicalUrl,
        base: Option<AttrsId>,
        rules: &'a UrlRules,
        encoding: &'static Encoding,
    ) -> Self {
        let written = base.and_then(|attrs| tree.attributes().find(attrs, known::HREF));
        let base = written.and_then(|href| url.join(href, rules).ok());
        Self {
            tree,
            base: UrlBase::new(base.as_ref().unwrap_or(url)),
            rules,
            encoding,
            seen: HashMap::new(),
            skipped: SkippedLinks::default(),
            url_bytes: 0,
        }
    }

    /// The base, what was passed over, and the heap that the URLs take.
    fn finish(self) -> (CanonicalUrl, SkippedLinks, usize) {
        (self.base.url().clone(), self.skipped, self.url_bytes)
    }

    fn resolve(&mut self, reference: &'a str) -> Result<CanonicalUrl, UrlProblem> {
        if let Some(known) = self.seen.get(reference) {
            return known.clone();
        }
        let encoding = self.encoding;
        let url = if encoding.output_encoding() == encoding_rs::UTF_8 {
            self.base.join(reference, self.rules)
        } else {
            self.base.join_encoded(reference, self.rules, &|query| encoding.encode(query).0)
        };
        if let Ok(url) = &url {
            // A shared string carries two counters.
            self.url_bytes += url.as_str().len() + 2 * size_of::<usize>();
        }
        self.seen.insert(reference, url.clone());
        url
    }

    fn attribute(&mut self, attrs: AttrsId, name: NameId) -> Option<CanonicalUrl> {
        let reference = self.tree.attributes().find(attrs, name)?;
        self.resolve(reference).ok()
    }

    /// The links that lead somewhere, and for each found link its place among them.
    fn links(&mut self, found: &mut Found<'_>) -> (Vec<Link>, Vec<Option<u32>>) {
        let candidates = std::mem::take(&mut found.links);
        let mut links = Vec::with_capacity(candidates.len());
        let mut places = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            let position = u32::try_from(links.len()).unwrap_or(u32::MAX);
            let url = self.link(&candidate);
            places.push(url.is_some().then_some(position));
            let Some(url) = url else { continue };
            let FoundLink { kind, rel, attrs, node, path, inner, wraps_image, anchor } = candidate;
            let apath = found.apath(inner, attrs);
            links.push(Link {
                url,
                kind,
                rel,
                wraps_image,
                apath,
                path_string: path,
                position,
                node,
                anchor,
            });
        }
        links.shrink_to_fit();
        (links, places)
    }

    fn link(&mut self, link: &FoundLink) -> Option<CanonicalUrl> {
        let written = self.tree.attributes().find(link.attrs, reference(link.kind))?;
        if written.trim_start().starts_with('#') {
            self.skipped.fragment += 1;
            return None;
        }
        match self.resolve(written) {
            Ok(url) => return Some(url),
            Err(UrlProblem::Scheme) => self.skipped.scheme += 1,
            Err(UrlProblem::TooLong) => self.skipped.too_long += 1,
            Err(_) => self.skipped.invalid += 1,
        }
        None
    }

    fn images(&mut self, found: &Found<'_>, places: &[Option<u32>]) -> Vec<Image> {
        let mut images = Vec::with_capacity(found.images.len());
        for image in &found.images {
            images.extend(self.image(image, places));
        }
        images.shrink_to_fit();
        images
    }

    fn image(&mut self, image: &FoundImage, places: &[Option<u32>]) -> Option<Image> {
        let attributes = self.tree.attributes();
        // Pages that load images late keep the address elsewhere and put a placeholder into `src`.
        let late = [known::DATA_SRC, known::DATA_ORIGINAL, known::DATA_LAZY_SRC, known::SRC];
        let src = late.into_iter().find_map(|name| self.attribute(image.attrs, name));
        let srcsets = [known::DATA_SRCSET, known::SRCSET];
        let srcset = srcsets.into_iter().find_map(|name| attributes.find(image.attrs, name));
        let largest = srcset.and_then(largest_candidate).and_then(|url| self.resolve(url).ok());
        let size = |name| attributes.find(image.attrs, name).and_then(pixels);
        Some(Image {
            src: src.or_else(|| largest.clone())?,
            largest,
            width: size(known::WIDTH),
            height: size(known::HEIGHT),
            link: image.link.and_then(|link| places.get(link).copied().flatten()),
            path_string: image.path,
            node: image.node,
        })
    }
}
