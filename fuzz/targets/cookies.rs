//! `Set-Cookie` lines: what they make us send is bounded, fits on one line, and survives being stored.
#![no_main]

use libfuzzer_sys::fuzz_target;
use osprey_fetch::fuzzing::{cookies, restored_cookies};
use osprey_model::{CanonicalUrl, UrlRules};

fuzz_target!(|text: &str| {
    for url in ["http://a.example/b/c", "https://www.a.co.uk/", "http://127.0.0.1/"] {
        let Ok(url) = CanonicalUrl::parse(url, &UrlRules::default()) else { return };
        let (sent, json) = cookies(&url, text.lines());
        if let Some(sent) = &sent {
            assert!(sent.len() <= 8 << 10, "too much to send");
            assert!(!sent.chars().any(char::is_control), "more than one line");
        }
        assert_eq!(restored_cookies(&url, &json), Some((sent, json)), "cookies that change when stored");
        let _ = restored_cookies(&url, text);
    }
});
