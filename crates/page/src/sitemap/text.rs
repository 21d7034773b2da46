//! Sitemaps in plain text: one URL a line.
//!
//! Any text could be a list of relative references, so only absolute URLs count.

use osprey_model::{CanonicalUrl, UrlRules};

use super::collect::{Collector, Draft};
use crate::page::Input;

/// How far the start of XML is looked for behind the warnings of a script.
const STRAY_BYTES: usize = 4 << 10;

/// Whether a text is XML rather than lines.
pub(super) fn is_markup(text: &str) -> bool {
    let start = text.as_bytes().get(..STRAY_BYTES).unwrap_or(text.as_bytes());
    start.trim_ascii_start().starts_with(b"<") || memchr::memmem::find(start, b"<?xml").is_some()
}

/// Whether a text is named like a sitemap and begins with a URL.
pub(super) fn looks_like(input: &Input<'_>, prefix: &str) -> bool {
    let path = input.url.path().to_ascii_lowercase();
    let is_named = path.contains("sitemap") && (path.ends_with(".txt") || path.ends_with(".txt.gz"));
    let first = prefix.lines().map(str::trim).find(|line| !line.is_empty());
    is_named && first.is_some_and(|line| CanonicalUrl::parse(line, &UrlRules::default()).is_ok())
}

/// Reads the lines.
pub(super) fn read(text: &str, collector: &mut Collector<'_>) {
    // both ends of a line, and the lone `\r` of old
    let lines = text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty());
    for line in lines {
        if collector.is_full() {
            return;
        }
        let url = collector.absolute(line);
        collector.entry(Draft { url, ..Draft::default() });
    }
}
