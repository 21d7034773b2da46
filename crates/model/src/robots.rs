//! robots.txt by RFC 9309, as pure code.

use std::time::Duration;

use crate::{CanonicalUrl, Permitted};

/// Rules of one robots.txt for one agent.
#[derive(Clone, Debug)]
pub struct Robots {}

impl Robots {
    /// Reads a file for the product token `agent`. Never fails.
    pub fn parse(body: &[u8], agent: &str) -> Self { let _ = (body, agent); Self {} }
    /// Rules that allow everything.
    pub fn allow_all() -> Self { Self {} }
    /// Rules that allow nothing.
    pub fn disallow_all() -> Self { Self {} }
    /// Whether the rules allow `url`.
    pub fn allows(&self, url: &CanonicalUrl) -> bool { let _ = url; true }
    /// Permission to request `url`, or `None`.
    pub fn permit(&self, url: &CanonicalUrl) -> Option<Permitted> { self.allows(url).then(|| Permitted::by_rules(url.clone())) }
    /// The `Crawl-delay` for the agent.
    pub fn crawl_delay(&self) -> Option<Duration> { None }
    /// The file's `Sitemap` lines.
    pub fn sitemaps(&self) -> &[String] { &[] }
}
