//! robots.txt by RFC 9309, as pure code: a file's bytes in, rules for one agent out.
//!
//! Reading is lenient where Google's open-source parser is (missing colons, common misspellings, UTF-8 and
//! UTF-16 byte order marks): authors write for it. Where that parser and the RFC differ in meaning, the RFC
//! wins, with one exception that only widens an explicit `Allow`: `Allow: /x/index.html` also allows `/x/`.
//!
//! Bounded by construction: at most [`MAX_BODY`] bytes are read, a rule costs 16 bytes and its pattern, and
//! patterns are matched without backtracking.

mod answer;
mod directives;
mod pattern;
mod read;
mod rules;
#[cfg(test)]
mod tests;

use std::time::Duration;

use crate::{CanonicalUrl, Permitted};

pub use answer::RobotsAnswer;
pub use directives::RobotsDirectives;
pub use rules::Verdict;

use rules::RuleSet;

/// How much of a file is read (RFC 9309, 2.5: at least 500 KiB). The rest is ignored, and with it the line that is cut:
/// `Disallow: /*` would be all that is left of `Disallow: /*.pdf$`.
pub const MAX_BODY: usize = 500 * 1024;

/// A longer `Crawl-delay` counts as this.
pub(crate) const MAX_CRAWL_DELAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Rules of one robots.txt for one agent.
#[derive(Clone, Debug, Default)]
pub struct Robots {
    rules: RuleSet,
    crawl_delay: Option<Duration>,
    sitemaps: Box<[String]>,
}

impl Robots {
    /// Reads a file for `agent`: a product token (`osprey`) or a full user agent (`osprey/0.1 (+...)`).
    /// Never fails: what cannot be understood is skipped.
    pub fn parse(body: &[u8], agent: &str) -> Self {
        let file = read::read(body, agent);
        Self {
            rules: RuleSet::new(&file.rules),
            crawl_delay: file.crawl_delay,
            sitemaps: file.sitemaps.into_boxed_slice(),
        }
    }

    /// Rules that allow everything.
    pub fn allow_all() -> Self {
        Self::default()
    }

    /// Rules that allow nothing.
    pub(crate) fn disallow_all() -> Self {
        Self { rules: RuleSet::disallow_all(), ..Self::default() }
    }

    /// Whether the rules allow `url`.
    pub fn allows(&self, url: &CanonicalUrl) -> bool {
        self.rules.allows(url.path_and_query())
    }

    /// Whether the rules allow a URL as somebody wrote it: parameters kept, fragment cut, an empty text
    /// meaning `/`. For tools that check robots files; crawls ask [`Robots::allows`].
    pub fn allows_raw(&self, url: &str) -> bool {
        self.rules.allows(&pattern::raw_path(url))
    }

    /// Like [`Robots::allows`], naming the rule that decides.
    pub fn explain(&self, url: &CanonicalUrl) -> Verdict {
        self.rules.explain(url.path_and_query())
    }

    /// Permission to request `url`, or `None`.
    pub fn permit(&self, url: &CanonicalUrl) -> Option<Permitted> {
        self.allows(url).then(|| Permitted::by_rules(url.clone()))
    }

    /// The `Crawl-delay` for the agent; the longest if there are several.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// Bytes that the rules take in memory, beside their own size.
    pub fn heap_bytes(&self) -> usize {
        let sitemaps: usize = self.sitemaps.iter().map(|line| size_of::<String>() + line.capacity()).sum();
        self.rules.heap_bytes() + sitemaps
    }

    /// The file's `Sitemap` lines as written, in order, each once. They may be relative to the file's URL.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }
}
