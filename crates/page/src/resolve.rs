//! Turns the references of links and images into URLs, each distinct one once.
//!
//! Pages repeat references, and resolving one costs more than finding the last result.

use encoding_rs::Encoding;
use hashbrown::HashMap;
use osprey_model::{CanonicalUrl, UrlBase, UrlProblem, UrlRules};

use crate::link::{Image, Link, SkippedLinks, largest_candidate, pixels};
use crate::tree::{AttrsId, NameId, Tree, known};
use crate::walk::{FoundImage, FoundLink, WalkFindings};

/// Turns references into URLs, each distinct one once.
pub(crate) struct Resolver<'a> {
    tree: &'a Tree,
    base: UrlBase,
    /// Whether a reference that is only a fragment leads to the page itself.
    based_on_itself: bool,
    rules: &'a UrlRules,
    encoding: &'static Encoding,
    seen: HashMap<&'a str, Result<CanonicalUrl, UrlProblem>>,
    skipped: SkippedLinks,
    url_bytes: usize,
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(
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
            based_on_itself: base.is_none_or(|base| base == *url),
            rules,
            encoding,
            seen: HashMap::new(),
            skipped: SkippedLinks::default(),
            url_bytes: 0,
        }
    }

    /// Returns the base, the counts of skipped references, and the heap memory of the URLs.
    pub(crate) fn finish(self) -> (CanonicalUrl, SkippedLinks, usize) {
        (self.base.url().clone(), self.skipped, self.url_bytes)
    }

    pub(crate) fn resolve(&mut self, reference: &'a str) -> Result<CanonicalUrl, UrlProblem> {
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

    /// The first of the elements' references that is a valid URL.
    pub(crate) fn first(&mut self, elements: &[AttrsId], name: NameId) -> Option<CanonicalUrl> {
        elements.iter().find_map(|&attrs| self.attribute(attrs, name))
    }

    fn attribute(&mut self, attrs: AttrsId, name: NameId) -> Option<CanonicalUrl> {
        let reference = self.tree.attributes().find(attrs, name)?;
        self.resolve(reference).ok()
    }

    /// The links whose references are valid URLs, and for each found link its index among them.
    pub(crate) fn links(&mut self, found: &mut WalkFindings<'_>) -> (Vec<Link>, Vec<Option<u32>>) {
        let candidates = std::mem::take(&mut found.links);
        self.seen.reserve(candidates.len() + found.images.len());
        let mut links = Vec::with_capacity(candidates.len());
        let mut places = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            let position = u32::try_from(links.len()).unwrap_or(u32::MAX);
            let url = self.link(&candidate);
            places.push(url.is_some().then_some(position));
            let Some(url) = url else { continue };
            let FoundLink { kind, rel, attrs, node, path, inner, wraps_image, anchor, words, .. } = candidate;
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
                words,
            });
        }
        links.shrink_to_fit();
        (links, places)
    }

    fn link(&mut self, link: &FoundLink) -> Option<CanonicalUrl> {
        let written = self.tree.attributes().find(link.attrs, link.reference)?;
        if self.based_on_itself && written.trim_start().starts_with('#') {
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

    pub(crate) fn images(&mut self, found: &WalkFindings<'_>, places: &[Option<u32>]) -> Vec<Image> {
        let mut images = Vec::with_capacity(found.images.len());
        for image in &found.images {
            let sources = found.sources.get(image.sources.clone()).unwrap_or_default();
            images.extend(self.image(image, sources, places));
        }
        images.shrink_to_fit();
        images
    }

    fn image(&mut self, image: &FoundImage, sources: &[AttrsId], places: &[Option<u32>]) -> Option<Image> {
        let attributes = self.tree.attributes();
        // Pages that load images late have the URL in another attribute and a placeholder in `src`.
        let late = [known::DATA_SRC, known::DATA_ORIGINAL, known::DATA_LAZY_SRC, known::SRC];
        let src = late.into_iter().find_map(|name| self.attribute(image.attrs, name));
        let srcsets = [known::DATA_SRCSET, known::SRCSET];
        let srcset = |attrs| srcsets.into_iter().find_map(|name| attributes.find(attrs, name));
        let all = std::iter::once(image.attrs).chain(sources.iter().copied());
        let largest = largest_candidate(all.filter_map(srcset)).and_then(|url| self.resolve(url).ok());
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
