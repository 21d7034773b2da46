//! Sitemaps in plain text: one URL per line.
//!
//! Any text could be a list of relative references, so only absolute URLs count.

use osprey_model::{CanonicalUrl, UrlRules};

use super::collect::{Collector, Draft};
use crate::page::Input;

/// How many bytes are searched for the start of XML, which may follow the warnings of a script.
const STRAY_BYTES: usize = 4 << 10;

/// Whether a text is XML instead of lines.
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

/// Parses the lines.
pub(super) fn read(text: &str, collector: &mut Collector<'_>) {
    // trims both ends of a line; a lone `\r` is an old line end
    let lines = text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty());
    for line in lines {
        if collector.is_full() {
            return;
        }
        let url = collector.absolute(line);
        collector.entry(Draft { url, ..Draft::default() });
    }
}
