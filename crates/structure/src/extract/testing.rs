//! Pages for the tests of this module.

use osprey_model::{CanonicalUrl, UrlRules};
use osprey_page::{Input, Page, PageRules};

/// A page at some address.
pub(super) fn page(html: &str) -> Page {
    page_at("http://a.example/p/1", html)
}

/// A page at this address.
pub(super) fn page_at(url: &str, html: &str) -> Page {
    let url = CanonicalUrl::parse(url, &UrlRules::default()).expect("a URL");
    let input = Input { url: &url, content_type: Some("text/html; charset=utf-8"), body: html.as_bytes() };
    Page::parse(&input, &PageRules::default())
}
