//! Sitemaps and feeds: whatever the bytes, reading ends within its bounds.
#![no_main]

use libfuzzer_sys::fuzz_target;
use osprey_model::{CanonicalUrl, UrlRules};
use osprey_page::{Input, Sitemap, SitemapRules};

fuzz_target!(|data: &[u8]| {
    let Ok(url) = CanonicalUrl::parse("http://a.example/sitemap.txt", &UrlRules::default()) else { return };
    let input = Input { url: &url, content_type: None, body: data };
    let rules = SitemapRules { max_entries: 100, max_entry_images: 5, max_images: 20, ..SitemapRules::default() };
    let map = Sitemap::parse(&input, &rules);
    assert!(map.entries.len() <= 100, "more entries than allowed");
    assert!(map.entries.iter().all(|entry| entry.images.len() <= 5), "more images than allowed for an entry");
    assert!(map.entries.iter().map(|entry| entry.images.len()).sum::<usize>() <= 20, "more images than allowed");
    assert!(map.entries.iter().filter_map(|entry| entry.priority).all(|priority| (0.0..=1.0).contains(&priority)));
    let _ = Sitemap::looks_like(&input);
});
