//! What canonical form means, case by case.

use super::*;

fn parse(text: &str) -> Result<CanonicalUrl, UrlProblem> {
    CanonicalUrl::parse(text, &UrlRules::default())
}

#[test]
fn one_spelling_per_resource() {
    let check = |text: &str, expect: &str| {
        assert_eq!(parse(text).as_ref().map(CanonicalUrl::as_str), Ok(expect), "{text}");
    };
    check("http://example.com", "http://example.com/");
    check("  HTTP://User:Pw@EXAMPLE.com:80/a/./b/../c?#x \n", "http://example.com/a/c");
    check("https://example.com:443/?", "https://example.com/");
    check("https://example.com:80/", "https://example.com:80/");
    check("http://example.com./", "http://example.com/");
    check("http://bücher.de/ä?ö=ü", "http://xn--bcher-kva.de/%C3%A4?%C3%B6=%C3%BC");
    check("http://example.com/%7ejoe/%e4%2f%2F%41", "http://example.com/~joe/%E4%2F%2FA");
    check("http://example.com/a b\\c", "http://example.com/a%20b/c");
    check("http://example.com/100%?50%", "http://example.com/100%25?50%25");
    check("http://example.com/%%32%65", "http://example.com/%252e");
    check("http://example.com/a[1]|{x}?a[]=^`", "http://example.com/a%5B1%5D%7C%7Bx%7D?a%5B%5D=%5E%60");
    check("http://example.com/?b=2&a=1&&c", "http://example.com/?b=2&a=1&&c");
    check("http://example.com//a//b/", "http://example.com//a//b/");
    check("http://0x7f.1/", "http://127.0.0.1/");
    check("http://[0:0::1]:8080/x", "http://[::1]:8080/x");
}

#[test]
fn sessions_and_campaigns_are_dropped() {
    let check = |text: &str, expect: &str| {
        assert_eq!(parse(text).as_ref().map(CanonicalUrl::as_str), Ok(expect), "{text}");
    };
    check("http://a.com/?utm_source=x&id=1&UTM_medium=y", "http://a.com/?id=1");
    check("http://a.com/?PHPSESSID=1", "http://a.com/");
    check("http://a.com/?%75tm_source=1&sid=2", "http://a.com/?sid=2");
    check("http://a.com/x;JSESSIONID=1A?y=1", "http://a.com/x?y=1");
    check("http://a.com/x;v=1;jsessionid=2;w/y", "http://a.com/x;v=1;w/y");
    check("http://a.com/..;jsessionid=2/y", "http://a.com/..;jsessionid=2/y");
}

#[test]
fn what_is_not_followed() {
    let check = |text: &str, problem: UrlProblem| assert_eq!(parse(text), Err(problem), "{text}");
    check("", UrlProblem::Invalid);
    check("example.com/", UrlProblem::Invalid);
    check("http://", UrlProblem::Invalid);
    check("http://./", UrlProblem::Invalid);
    check("http://a../", UrlProblem::Invalid);
    check("http://.a.com/", UrlProblem::Invalid);
    check("http://a..com/", UrlProblem::Invalid);
    check("http://a b/", UrlProblem::Invalid);
    check("http://xn--a.org/", UrlProblem::Invalid);
    check("http://1.2.3.4.5/", UrlProblem::Invalid);
    check("http://example.com:99999/", UrlProblem::Invalid);
    check("javascript:void(0)", UrlProblem::Scheme);
    check("mailto:a@example.com", UrlProblem::Scheme);
    check("java\nscript:alert(1)", UrlProblem::Scheme);
    check("ftp://example.com/", UrlProblem::Scheme);
    check(&format!("http://{}.com/", "a".repeat(300)), UrlProblem::Invalid);
    check(&format!("http://a.com/{}", "a".repeat(2048)), UrlProblem::TooLong);
    check(&format!("http://a.com/{}", "ä".repeat(500)), UrlProblem::TooLong);
    check(&"a".repeat(1 << 20), UrlProblem::TooLong);
}

#[test]
fn references() {
    let base = parse("https://example.com/a/b/c.html?q=1").unwrap();
    let check = |reference: &str, expect: &str| {
        let url = base.join(reference, &UrlRules::default());
        assert_eq!(url.as_ref().map(CanonicalUrl::as_str), Ok(expect), "{reference}");
    };
    check("", "https://example.com/a/b/c.html?q=1");
    check("#top", "https://example.com/a/b/c.html?q=1");
    check("?q=2#x", "https://example.com/a/b/c.html?q=2");
    check("?", "https://example.com/a/b/c.html");
    check("d.html", "https://example.com/a/b/d.html");
    check("./d.html", "https://example.com/a/b/d.html");
    check("../d.html", "https://example.com/a/d.html");
    check("../../../../d", "https://example.com/d");
    check("..", "https://example.com/a/");
    check(".", "https://example.com/a/b/");
    check("/x/y?z", "https://example.com/x/y?z");
    check("//other.org", "https://other.org/");
    check("///other.org/x", "https://other.org/x");
    check("http://other.org?x=1", "http://other.org/?x=1");
    check("https:x.html", "https://example.com/a/b/x.html");
    check(" \t/x\n", "https://example.com/x");
    check("./x:y/z", "https://example.com/a/b/x:y/z");
}

#[test]
fn parts() {
    let check = |text: &str, host: &str, port: u16, path: &str, query: Option<&str>| {
        for url in [parse(text).unwrap(), CanonicalUrl::from_stored(text).unwrap()] {
            assert_eq!(
                (url.host(), url.port(), url.path(), url.query()),
                (host, port, path, query),
                "{text}"
            );
            assert_eq!(format!("{}{}", url.origin(), url.path_and_query()), text);
            assert_eq!(format!("{}://{}", url.scheme(), url.authority()), url.origin());
            assert_eq!(url.robots_txt(), parse(&format!("{}/robots.txt", url.origin())).unwrap());
            assert_eq!(url.robots_txt().path(), "/robots.txt");
            assert_eq!(url.robots_txt().query(), None);
        }
    };
    check("http://a.com/", "a.com", 80, "/", None);
    check("https://a.com:8443/x/y?q=/?", "a.com", 8443, "/x/y", Some("q=/?"));
    check("https://[::1]/x", "[::1]", 443, "/x", None);
    check("http://[2001:db8::1]:81/", "[2001:db8::1]", 81, "/", None);
}

#[test]
fn directories() {
    let check = |text: &str, expect: &str| assert_eq!(parse(text).unwrap().directory(), expect);
    check("http://a.com/", "http://a.com/");
    check("http://a.com/x/y?z=/", "http://a.com/x/");
    check("http://a.com/x/y/", "http://a.com/x/y/");
}

#[test]
fn names_that_exist() {
    let check =
        |text: &str, expect: bool| assert_eq!(parse(text).unwrap().has_public_suffix(), expect, "{text}");
    check("https://example.org/", true);
    check("https://www.example.co.uk/x", true);
    check("https://me.github.io/", true);
    check("https://node.js/", false);
    check("https://e.g/", false);
    check("https://127.0.0.1/", false);
    check("https://org/", false);
}

#[test]
fn queues_and_domains() {
    let check = |text: &str, key: &str, domain: &str| {
        let url = parse(text).unwrap();
        assert_eq!((url.host_key().as_str(), url.registrable_domain()), (key, domain), "{text}");
    };
    check("http://www.example.co.uk/", "www.example.co.uk", "example.co.uk");
    check("https://www.example.co.uk/", "www.example.co.uk", "example.co.uk");
    check("http://me.github.io:81/", "me.github.io:81", "me.github.io");
    check("http://co.uk/", "co.uk", "co.uk");
    check("http://localhost/", "localhost", "localhost");
    check("http://10.0.0.1/", "10.0.0.1", "10.0.0.1");
    check("http://[::1]:81/", "[::1]:81", "[::1]");
    check("http://食狮.公司.cn/", "xn--85x722f.xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn");
}

#[test]
fn stored_text_must_have_the_shape() {
    let check = |text: &str| assert!(CanonicalUrl::from_stored(text).is_err(), "{text}");
    for text in [
        "",
        "http://",
        "http://a",
        "ftp://a/",
        "HTTP://a/",
        "http:///x",
        "http://:80/",
        "http://a:x/",
        "http://a:+1/",
        "http://a:/",
    ] {
        check(text);
    }
    for text in ["http://a/#x", "http://a/ b", "http://u@a/", "http://a/ä", "http://a:99999/"] {
        check(text);
    }
}

#[test]
fn stored_as_text() {
    let url = parse("http://[::1]:81/x?y").unwrap();
    let json = serde_json::to_string(&url).unwrap();
    assert_eq!(json, "\"http://[::1]:81/x?y\"");
    let read: CanonicalUrl = serde_json::from_str(&json).unwrap();
    assert_eq!((read.host(), read.path(), &read), ("[::1]", "/x", &url));
    let error = serde_json::from_str::<CanonicalUrl>("\"x\"").unwrap_err().to_string();
    assert!(error.starts_with("`x`: not a URL"), "{error}");
    let key: HostKey = serde_json::from_str("\"a.com:81\"").unwrap();
    assert_eq!(serde_json::to_string(&key).unwrap(), "\"a.com:81\"");
}

#[test]
fn small_and_ordered_by_text() {
    assert!(size_of::<CanonicalUrl>() <= 24);
    let mut urls = [parse("http://b.com/").unwrap(), parse("http://a.com:1/").unwrap()];
    urls.sort();
    assert_eq!(urls.each_ref().map(CanonicalUrl::host), ["a.com", "b.com"]);
}
