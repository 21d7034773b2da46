//! Sitemaps as a source of links: what a site lists itself, by <https://www.sitemaps.org/protocol.html>.
//!
//! Supported are lists of URLs and lists of sitemaps in XML, Google's image extension, lists in plain text, RSS and
//! Atom feeds, each plain or gzipped. As with pages, reading never fails: a truncated file gives everything before the
//! cut, and notes record what was cut or guessed.
//!
//! Elements are recognised by name, not by position or namespace, since both are wrong in real files. Entities of a
//! document type are not expanded. The protocol requires entries on the sitemap's own host; the scope of the crawl
//! decides that, so all are kept. Alternates, videos and change frequencies are ignored.
//!
//! Every length is bounded and time is linear in the body. Apart from the body, memory holds at most its decoded text
//! (gzip and UTF-16 only) and the entries, whose URLs take at most 64 MiB.

mod collect;
mod date;
mod decode;
mod text;
mod xml;

use std::fmt;

use osprey_model::{CanonicalUrl, Timestamp, UrlRules};

use crate::link::SkippedLinks;
use crate::page::Input;
use collect::Collector;

/// How sitemaps are read, and where they are cut.
#[derive(Clone, Debug)]
pub struct SitemapRules {
    /// How the URLs of entries are canonicalised.
    pub url: UrlRules,
    /// Entries kept. Default 50,000, the protocol's limit.
    pub max_entries: usize,
    /// Bytes read, gzip undone. Default 50 MiB, the protocol's limit.
    pub max_bytes: usize,
    /// Images kept of one entry. Default 1,000, Google's limit.
    pub max_entry_images: usize,
    /// Images kept of all entries. Default 200,000.
    pub max_images: usize,
}

impl Default for SitemapRules {
    fn default() -> Self {
        Self {
            url: UrlRules::default(),
            max_entries: 50_000,
            max_bytes: 50 << 20,
            max_entry_images: 1_000,
            max_images: 200_000,
        }
    }
}

/// What a sitemap lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SitemapKind {
    /// Pages, in XML.
    Urls,
    /// Further sitemaps.
    Index,
    /// Pages, one a line.
    Text,
    /// The latest pages: RSS or Atom.
    Feed,
}

/// A sitemap.
#[derive(Clone, Debug)]
pub struct Sitemap {
    /// What it lists.
    pub kind: SitemapKind,
    /// The entries in their order; a URL that is listed twice has two.
    pub entries: Vec<SitemapEntry>,
    /// What happened while it was read, each once.
    pub notes: Vec<SitemapNote>,
    /// Whether there is more than was read.
    pub is_cut: bool,
    /// References of entries and images that are not URLs.
    pub skipped: SkippedLinks,
}

/// One entry.
#[derive(Clone, Debug, PartialEq)]
pub struct SitemapEntry {
    /// Where it leads.
    pub url: CanonicalUrl,
    /// When the page last changed, according to the site; dates without a zone are in UTC.
    pub last_modified: Option<Timestamp>,
    /// How important the site finds it, from 0 to 1.
    pub priority: Option<f32>,
    /// The title that feeds and news sitemaps give.
    pub title: Option<Box<str>>,
    /// The images on the page.
    pub images: Vec<SitemapImage>,
}

/// An image on the page of an entry.
#[derive(Clone, Debug, PartialEq)]
pub struct SitemapImage {
    /// Its address.
    pub url: CanonicalUrl,
    /// Its title.
    pub title: Option<Box<str>>,
    /// Its caption.
    pub caption: Option<Box<str>>,
}

/// What happened while a sitemap was read that its reader may want to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SitemapNote {
    /// It is longer than [`SitemapRules::max_bytes`].
    CutBytes,
    /// There are more entries than [`SitemapRules::max_entries`], or their URLs are too long together.
    CutEntries,
    /// There are more images than [`SitemapRules::max_entry_images`] or [`SitemapRules::max_images`].
    CutImages,
    /// Elements are nested too deeply to continue.
    CutDepth,
    /// The gzip stream or the XML breaks off or is broken.
    Torn,
    /// Some bytes are not characters of the sitemap's character set.
    InvalidBytes,
    /// Nothing in it is known from sitemaps: an unknown format.
    Unknown,
}

impl SitemapNote {
    /// Whether what came after was left out.
    fn is_cut(self) -> bool {
        matches!(self, Self::CutBytes | Self::CutEntries | Self::CutDepth | Self::Torn)
    }
}

impl fmt::Display for SitemapNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CutBytes => "cut: too many bytes",
            Self::CutEntries => "cut: too many entries",
            Self::CutImages => "images dropped: too many",
            Self::CutDepth => "cut: elements nested too deeply",
            Self::Torn => "torn: broken before its end",
            Self::InvalidBytes => "bytes outside the character set replaced",
            Self::Unknown => "no sitemap: nothing known in it",
        })
    }
}

impl Sitemap {
    /// Whether a body should be read as a sitemap: XML with the root element of one, or plain text by that name whose
    /// first line is a URL. For XML the declared media type does not matter: it is often `text/html`.
    pub fn looks_like(input: &Input<'_>) -> bool {
        let prefix = decode::prefix(input);
        if text::is_markup(&prefix) { xml::has_known_root(&prefix) } else { text::looks_like(input, &prefix) }
    }

    /// Reads a body as a sitemap. Any input gives a sitemap, possibly an empty one.
    pub fn parse(input: &Input<'_>, rules: &SitemapRules) -> Self {
        let mut collector = Collector::new(input.url, rules);
        let body = decode::unpack(input.body, rules.max_bytes, &mut collector);
        let text = decode::decode(&body, input.content_type, &mut collector);
        let kind = if text::is_markup(&text) {
            xml::read(&text, &mut collector)
        } else {
            text::read(&text, &mut collector);
            SitemapKind::Text
        };
        collector.finish(kind)
    }
}

#[cfg(test)]
mod tests;
