//! Sitemaps as a source of links: what a site lists itself, according to <https://www.sitemaps.org/protocol.html>.
//!
//! Supported are lists of URLs and lists of sitemaps in XML, Google's image extension, lists in plain text, RSS and
//! Atom feeds, each plain or gzipped. As with pages, reading never fails: a truncated file gives everything before the
//! cut, and notes record what was cut or guessed.
//!
//! Elements are recognised by name, not by position or namespace, since both are wrong in real files. Entities of a
//! document type are not expanded. The protocol requires entries to be on the sitemap's own host; here all are kept,
//! because the crawl's scope decides that. Alternates, videos and change frequencies are ignored.
//!
//! Every length is limited, and parsing time is linear in the body. Besides the body, memory holds at most its
//! decoded text (gzip and UTF-16 only) and the entries, whose URLs take at most 64 MiB.

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

/// How sitemaps are parsed, and their limits.
#[derive(Clone, Debug)]
pub struct SitemapRules {
    /// How the URLs of entries are canonicalised.
    pub url: UrlRules,
    /// Maximum number of entries. Default 50,000, the protocol's limit.
    pub max_entries: usize,
    /// Maximum size after decompression in bytes. Default 50 MiB, the protocol's limit.
    pub max_bytes: usize,
    /// Maximum number of images per entry. Default 1,000, Google's limit.
    pub max_entry_images: usize,
    /// Maximum number of images in all entries. Default 200,000.
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

/// The format of a sitemap, by its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SitemapKind {
    /// Pages, in XML.
    Urls,
    /// Further sitemaps.
    Index,
    /// Pages, one per line.
    Text,
    /// Recent pages: RSS or Atom.
    Feed,
}

/// A sitemap.
#[derive(Clone, Debug)]
pub struct Sitemap {
    /// What it contains.
    pub kind: SitemapKind,
    /// The entries in order; a URL that is listed twice has two entries.
    pub entries: Vec<SitemapEntry>,
    /// What was cut or guessed, without duplicates.
    pub notes: Vec<SitemapNote>,
    /// Whether only a part was read.
    pub is_cut: bool,
    /// References of entries and images that are not valid URLs.
    pub skipped: SkippedLinks,
}

/// One entry.
#[derive(Clone, Debug, PartialEq)]
pub struct SitemapEntry {
    /// The URL it leads to.
    pub url: CanonicalUrl,
    /// When the page last changed, according to the site; dates without a zone are in UTC.
    pub last_modified: Option<Timestamp>,
    /// Its priority from 0 to 1, according to the site.
    pub priority: Option<f32>,
    /// Its title, in feeds and news sitemaps.
    pub title: Option<Box<str>>,
    /// The images on the page.
    pub images: Vec<SitemapImage>,
}

/// An image on the page of an entry.
#[derive(Clone, Debug, PartialEq)]
pub struct SitemapImage {
    /// Its URL.
    pub url: CanonicalUrl,
    /// Its title.
    pub title: Option<Box<str>>,
    /// Its caption.
    pub caption: Option<Box<str>>,
}

/// What was cut or guessed while a sitemap was parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SitemapNote {
    /// It is longer than [`SitemapRules::max_bytes`].
    CutBytes,
    /// There are more entries than [`SitemapRules::max_entries`], or the total length of their URLs is too large.
    CutEntries,
    /// There are more images than [`SitemapRules::max_entry_images`] or [`SitemapRules::max_images`].
    CutImages,
    /// Elements are nested too deeply.
    CutDepth,
    /// The gzip stream or the XML is truncated or damaged.
    Torn,
    /// Some bytes are invalid in the sitemap's character set.
    InvalidBytes,
    /// It contains nothing that sitemaps contain: the format is unknown.
    Unknown,
}

impl SitemapNote {
    /// Whether the rest was left out.
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
    /// Whether a body should be parsed as a sitemap: XML with the root element of one, or plain text with such a name
    /// whose first line is a URL. For XML the declared media type is ignored, since it is often `text/html`.
    pub fn looks_like(input: &Input<'_>) -> bool {
        let prefix = decode::prefix(input);
        if text::is_markup(&prefix) { xml::has_known_root(&prefix) } else { text::looks_like(input, &prefix) }
    }

    /// Parses a body as a sitemap. Any input gives a sitemap, possibly an empty one.
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
