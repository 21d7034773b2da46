//! Pages: whatever the bytes, every range of a page is valid and every table adds up.
#![no_main]

use libfuzzer_sys::fuzz_target;
use osprey_model::{CanonicalUrl, UrlRules};
use osprey_page::{Input, Page, PageRules};

fuzz_target!(|data: &[u8]| {
    let Ok(url) = CanonicalUrl::parse("http://a.example/b/", &UrlRules::default()) else { return };
    let page = Page::parse(&Input { url: &url, content_type: None, body: data }, &PageRules::default());
    for link in page.links() {
        let _ = (page.anchor(link), page.context(link), page.apath(link.apath), page.path_string(link.path_string));
    }
    for pair in page.psnv() {
        assert!(!page.psnv_value(pair).is_empty(), "empty text is no pair");
        let _ = page.path_string(pair.path);
    }
    let _ = (page.title(), page.text().len(), page.text_blocks().count(), page.notes().len());
});
