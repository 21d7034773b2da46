//! URLs: canonical form is a fixed point, by every way that leads to it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use osprey_model::{CanonicalUrl, UrlBase, UrlRules};

fuzz_target!(|text: &str| {
    let rules = UrlRules::default();
    let (base, reference) = text.split_once('\n').unwrap_or(("http://a.example/b/c?d=1", text));
    if let Ok(url) = CanonicalUrl::parse(reference, &rules) {
        check(&url, &rules);
    }
    if let Ok(base) = CanonicalUrl::parse(base, &rules) {
        let joined = base.join(reference, &rules);
        assert_eq!(joined, UrlBase::new(&base).join(reference, &rules), "two ways to join");
        if let Ok(url) = joined {
            check(&url, &rules);
        }
    }
});

fn check(url: &CanonicalUrl, rules: &UrlRules) {
    assert_eq!(CanonicalUrl::parse(url.as_str(), rules).as_ref(), Ok(url), "canonical form is a fixed point");
    assert!(url.path().starts_with('/'));
    assert_eq!(format!("{}{}", url.origin(), url.path_and_query()), url.as_str());
    assert!(!url.host().is_empty() && !url.registrable_domain().is_empty());
}
