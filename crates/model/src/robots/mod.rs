//! robots.txt according to RFC 9309, without I/O: takes a file's bytes and returns the rules for one agent.
//!
//! Parsing is as lenient as Google's open-source parser (missing colons, common misspellings, UTF-8 and UTF-16 byte
//! order marks), because authors test with it. If that parser and the RFC differ in meaning, the RFC is followed,
//! with one exception that only extends an explicit `Allow`: `Allow: /x/index.html` also allows `/x/`.
//!
//! Time and memory are bounded: at most [`MAX_BODY`] bytes are read, a rule costs 16 bytes plus its pattern, and
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

/// How many bytes of a file are read (RFC 9309, 2.5: at least 500 KiB). The rest is ignored, and so is the incomplete
/// last line: of `Disallow: /*.pdf$`, only `Disallow: /*` might be left.
pub const MAX_BODY: usize = 500 * 1024;

/// The longest `Crawl-delay`; longer ones are shortened to this.
pub(crate) const MAX_CRAWL_DELAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Rules of one robots.txt for one agent.
#[derive(Clone, Debug, Default)]
pub struct Robots {
    rules: RuleSet,
    crawl_delay: Option<Duration>,
    sitemaps: Box<[String]>,
}

impl Robots {
    /// Reads a file for `agent`: a product token (`osprey`) or a full user agent (`osprey/0.1 (+...)`). Never fails:
    /// lines that cannot be understood are skipped.
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

    /// Whether the rules allow a URL that was not canonicalised: its parameters are kept, its fragment is removed,
    /// and an empty text means `/`. This is for tools that check robots.txt files; crawls use [`Robots::allows`].
    pub fn allows_raw(&self, url: &str) -> bool {
        self.rules.allows(&pattern::raw_path(url))
    }

    /// Like [`Robots::allows`], but returns the rule that decides.
    pub fn explain(&self, url: &CanonicalUrl) -> Verdict {
        self.rules.explain(url.path_and_query())
    }

    /// Permission to request `url`; `None` if the rules forbid it.
    pub fn permit(&self, url: &CanonicalUrl) -> Option<Permitted> {
        self.allows(url).then(|| Permitted::by_rules(url.clone()))
    }

    /// The `Crawl-delay` for the agent; the longest if there are several.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// The heap memory of the rules in bytes.
    pub fn heap_bytes(&self) -> usize {
        let sitemaps: usize = self.sitemaps.iter().map(|line| size_of::<String>() + line.capacity()).sum();
        self.rules.heap_bytes() + sitemaps
    }

    /// The values of the file's `Sitemap` lines in order, without duplicates. They may be relative to the file's URL.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }
}
