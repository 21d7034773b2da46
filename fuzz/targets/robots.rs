//! robots.txt: never fails, and both ways to ask give one answer.
#![no_main]

use libfuzzer_sys::fuzz_target;
use osprey_model::robots::{Robots, RobotsDirectives};
use osprey_model::{CanonicalUrl, UrlRules};

fuzz_target!(|data: &[u8]| {
    let robots = Robots::parse(data, "osprey/0.1");
    let path = String::from_utf8_lossy(&data[..data.len().min(64)]).into_owned();
    for url in ["http://a.example/".to_owned(), format!("http://a.example/{path}")] {
        let _ = robots.allows_raw(&url);
        if let Ok(url) = CanonicalUrl::parse(&url, &UrlRules::default()) {
            assert_eq!(robots.permit(&url).is_some(), robots.allows(&url));
            assert_eq!(robots.explain(&url).allowed(), robots.allows(&url));
        }
    }
    let _ = (robots.crawl_delay(), robots.sitemaps().len());
    let _ = (RobotsDirectives::parse_meta(&path), RobotsDirectives::parse_header(&path, "osprey"));
});
