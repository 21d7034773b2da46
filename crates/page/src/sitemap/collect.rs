//! What all formats have in common: references become URLs, drafts become entries, and limits are enforced.

use osprey_model::{CanonicalUrl, Timestamp, UrlBase, UrlProblem};

use super::{Sitemap, SitemapEntry, SitemapImage, SitemapKind, SitemapNote, SitemapRules};
use crate::link::SkippedLinks;

/// With a long base, relative references take far more memory resolved than written: their total size has a limit of
/// its own.
const MAX_URL_BYTES: usize = 64 << 20;
/// Characters of a title or caption that are kept.
const MAX_TITLE_CHARS: usize = 512;

/// An entry that has not been read completely.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) url: Option<CanonicalUrl>,
    pub(super) last_modified: Option<Timestamp>,
    pub(super) priority: Option<f32>,
    pub(super) title: Option<Box<str>>,
    pub(super) images: Vec<SitemapImage>,
}

/// An image that has not been read completely.
#[derive(Debug, Default)]
pub(super) struct ImageDraft {
    pub(super) url: Option<CanonicalUrl>,
    pub(super) title: Option<Box<str>>,
    pub(super) caption: Option<Box<str>>,
}

/// Collects the entries of a sitemap.
pub(super) struct Collector<'a> {
    base: UrlBase,
    rules: &'a SitemapRules,
    entries: Vec<SitemapEntry>,
    images: usize,
    url_bytes: usize,
    skipped: SkippedLinks,
    notes: Vec<SitemapNote>,
}

impl<'a> Collector<'a> {
    pub(super) fn new(url: &CanonicalUrl, rules: &'a SitemapRules) -> Self {
        Self {
            base: UrlBase::new(url),
            rules,
            entries: Vec::new(),
            images: 0,
            url_bytes: 0,
            skipped: SkippedLinks::default(),
            notes: Vec::new(),
        }
    }

    pub(super) fn note(&mut self, note: SitemapNote) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Whether the maximum number of entries is reached; if so, that is noted.
    pub(super) fn is_full(&mut self) -> bool {
        let is_full = self.entries.len() >= self.rules.max_entries || self.url_bytes >= MAX_URL_BYTES;
        if is_full {
            self.note(SitemapNote::CutEntries);
        }
        is_full
    }

    /// Whether nothing has been found so far.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Resolves a reference relative to the sitemap's own URL.
    pub(super) fn relative(&mut self, reference: &str) -> Option<CanonicalUrl> {
        let reference = reference.trim();
        if reference.is_empty() {
            self.skipped.invalid += 1;
            return None;
        }
        if reference.starts_with('#') {
            self.skipped.fragment += 1;
            return None;
        }
        let url = self.base.join(reference, &self.rules.url);
        self.known(url)
    }

    /// Parses a URL that must be absolute.
    pub(super) fn absolute(&mut self, text: &str) -> Option<CanonicalUrl> {
        let url = CanonicalUrl::parse(text.trim(), &self.rules.url);
        self.known(url)
    }

    /// Parses a text that may or may not be a URL.
    pub(super) fn possible(&mut self, text: &str) -> Option<CanonicalUrl> {
        let url = CanonicalUrl::parse(text, &self.rules.url).ok();
        url.and_then(|url| self.known(Ok(url)))
    }

    /// Counts a reference that is too long.
    pub(super) fn skip_too_long(&mut self) {
        self.skipped.too_long += 1;
    }

    fn known(&mut self, url: Result<CanonicalUrl, UrlProblem>) -> Option<CanonicalUrl> {
        match url {
            Ok(url) => {
                self.url_bytes += url.as_str().len();
                return Some(url);
            }
            Err(UrlProblem::Scheme) => self.skipped.scheme += 1,
            Err(UrlProblem::TooLong) => self.skipped.too_long += 1,
            Err(_) => self.skipped.invalid += 1,
        }
        None
    }

    /// Keeps a finished entry if it has a URL.
    pub(super) fn entry(&mut self, draft: Draft) {
        let Draft { url, last_modified, priority, title, mut images } = draft;
        let Some(url) = url else { return };
        images.shrink_to_fit();
        self.entries.push(SitemapEntry { url, last_modified, priority, title, images });
    }

    /// Keeps a finished image if it has a URL.
    pub(super) fn image(&mut self, image: ImageDraft, draft: &mut Draft) {
        let ImageDraft { url, title, caption } = image;
        let Some(url) = url else { return };
        let is_full =
            draft.images.len() >= self.rules.max_entry_images || self.images >= self.rules.max_images;
        if is_full || self.url_bytes >= MAX_URL_BYTES {
            self.note(SitemapNote::CutImages);
            return;
        }
        self.images += 1;
        draft.images.push(SitemapImage { url, title, caption });
    }

    pub(super) fn finish(mut self, kind: SitemapKind) -> Sitemap {
        self.entries.shrink_to_fit();
        let is_cut = self.notes.iter().any(|note| note.is_cut());
        Sitemap { kind, entries: self.entries, notes: self.notes, is_cut, skipped: self.skipped }
    }
}

/// A title or caption: white space collapsed, cut, `None` if nothing is left.
pub(super) fn title(text: &str) -> Option<Box<str>> {
    let mut title = String::new();
    let mut chars = 0;
    for word in text.split_whitespace() {
        if !title.is_empty() {
            title.push(' ');
            chars += 1;
        }
        for c in word.chars() {
            if chars >= MAX_TITLE_CHARS {
                return Some(title.trim_end().into());
            }
            title.push(c);
            chars += 1;
        }
    }
    (!title.is_empty()).then(|| title.into_boxed_str())
}

/// `0.8`, or `0,8` as some sites write it; values outside 0 to 1 are clamped.
pub(super) fn priority(text: &str) -> Option<f32> {
    let text = text.trim();
    let number: f32 = text.parse().or_else(|_| text.replace(',', ".").parse()).ok()?;
    (!number.is_nan()).then(|| number.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priorities_lie_between_0_and_1() {
        let check = |text: &str, expect: Option<f32>| assert_eq!(priority(text), expect, "{text:?}");
        check("0.8", Some(0.8));
        check(" 1 ", Some(1.0));
        check("0,5", Some(0.5));
        check("7", Some(1.0));
        check("-1", Some(0.0));
        check("inf", Some(1.0));
        check("NaN", None);
        check("high", None);
        check("", None);
    }

    #[test]
    fn titles_are_collapsed_and_cut() {
        let check = |text: &str, expect: Option<&str>| assert_eq!(title(text).as_deref(), expect);
        check(" A\n  red\tbird ", Some("A red bird"));
        check(" \n", None);
        check(&"é".repeat(600), Some(&"é".repeat(512)));
        check(&format!("{} b", "a".repeat(511)), Some(&"a".repeat(511)));
    }
}
