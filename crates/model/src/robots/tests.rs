//! Behaviour of robots rules, case by case.

use std::time::Duration;

use proptest::prelude::*;

use super::read::product_token;
use super::*;
use crate::{BodyEnd, Response, UrlRules};

fn url(path: &str) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://a.com{path}"), &UrlRules::keep_all()).expect("a URL")
}

/// `+/path` is allowed for `osprey`, `-/path` is not.
fn check(file: &str, expect: &str) {
    let robots = Robots::parse(file.as_bytes(), "Osprey/0.1 (+mailto:me@example.org)");
    for case in expect.split_whitespace() {
        let (sign, path) = case.split_at(1);
        assert_eq!(robots.allows(&url(path)), sign == "+", "{case} by {file:?}");
        assert_eq!(robots.explain(&url(path)).allowed(), sign == "+", "{case} explained by {file:?}");
        assert_eq!(robots.allows_raw(&format!("http://a.com{path}")), sign == "+", "raw {case} by {file:?}");
    }
}

#[test]
fn groups() {
    check("user-agent: *\ndisallow: /a\nuser-agent: osprey\ndisallow: /b", "+/a -/b");
    check("user-agent: osprey\nuser-agent: other\ndisallow: /b", "-/b");
    check("user-agent: OSPREY/2.0\ndisallow: /b", "-/b");
    check("user-agent: ospreys\ndisallow: /b", "+/b");
    check(
        "user-agent: osprey\ndisallow: /a\nuser-agent: x\ndisallow: /x\nuser-agent: osprey\ndisallow: /b",
        "-/a -/b +/x",
    );
    check("user-agent: osprey\n\nuser-agent: *\ndisallow: /", "-/");
    check("user-agent: *\ndisallow: /\nuser-agent: osprey", "+/");
    check("user-agent: *\nfoo: bar\nsitemap: x\ncrawl-delay: 1\nuser-agent: osprey\ndisallow: /b", "-/b");
    check("disallow: /a\nuser-agent: *\ndisallow: /b", "+/a -/b");
    check("user-agent:\ndisallow: /", "+/");
    check("user-agent: * # all\ndisallow: /", "-/");
    check("user-agent: *spam*\ndisallow: /", "+/");
}

#[test]
fn lines_as_people_write_them() {
    check(
        "\u{feff}User-Agent: *\r\nDisallow: /a # secret\rDISALLOW : /b\n\n  disallow:/c",
        "-/a -/b -/c +/d",
    );
    check("user-agent *\ndisallow /a\ndisallow /b c", "-/a +/b");
    check("useragent: *\ndissallow: /a\ndisallow: /b:c", "-/a -/b:c +/b");
    check("user-agent: *\n\0\u{fffd}junk\ndisallow: /a", "-/a");
    check("user-agent: *\ndisallow /a:b", "-/a:b +/a");
    check("user-agent: *\ndisallow:\ndisallow: a", "+/ +/a");
}

#[test]
fn longest_match_decides_and_allow_wins_ties() {
    check(
        "user-agent: *\ndisallow: /a/b\nallow: /a\ndisallow: /a/b/c/d\nallow: /a/b/c",
        "+/a -/a/b -/a/bx +/a/b/c -/a/b/c/d +/",
    );
    check("user-agent: *\ndisallow: /x\nallow: /x", "+/x");
    check("user-agent: *\nallow: /x\ndisallow: /x*", "-/x");
    check("user-agent: *\ndisallow: /ab\nallow: /a*", "+/ab");
    check("user-agent: *\nallow: /ab\ndisallow: /a*", "+/ab");
    check("user-agent: *\nallow: /*.gif$\ndisallow: /img/", "+/img/a.gif -/img/a.gif2 -/img/b");
    check("user-agent: *\ndisallow: /\nallow: /a\nallow: /b", "-/ +/a +/ab -/c +/b/c");
    check(
        "user-agent: *\ndisallow: /ab\ndisallow: /abc/d\nallow: /abc/de",
        "-/abd -/abc/x -/abc/d +/abc/de +/aa +/ac",
    );
}

#[test]
fn wildcards() {
    check("user-agent: *\ndisallow: /a*c", "-/ac -/abc -/abcd +/ab");
    check("user-agent: *\ndisallow: *.php$", "-/x.php -/a.php/b.php +/x.php5");
    check("user-agent: *\ndisallow: /$", "-/ +/a");
    check("user-agent: *\ndisallow: /a*b*c$", "-/abc -/aXbXbXc +/abcd -/abcdc");
    check("user-agent: *\ndisallow: /*?*q=", "-/x?q= -/x?a=1&q=1 +/xq=");
    check("user-agent: *\ndisallow: /a***b", "-/ab -/axb");
    check("user-agent: *\ndisallow: /ab*ab$", "-/abab +/ab -/abxab");
    check("user-agent: *\ndisallow: /a*$", "-/a -/ab");
    check("user-agent: *\ndisallow: /a$b", "-/a$b +/a");
}

#[test]
fn escapes_are_compared_in_normal_form() {
    check("user-agent: *\ndisallow: /foo/bar/ツ", "-/foo/bar/%E3%83%84 -/foo/bar/%e3%83%84 -/foo/bar/ツ");
    check("user-agent: *\ndisallow: /foo/%62%61%7A", "-/foo/baz -/foo/%62az");
    check("user-agent: *\ndisallow: /foo/baz", "-/foo/%62%61%7A");
    check("user-agent: *\ndisallow: /a%2Fb", "+/a/b -/a%2fb");
    check("user-agent: *\ndisallow: /a-%2A", "-/a-* -/a-%2a +/a-b");
    check("user-agent: *\ndisallow: /a-%24", "-/a-$ +/a-");
    check("user-agent: *\ndisallow: /x[1]?a='", "-/x[1]?a=' -/x%5B1%5D?a='");
    check("user-agent: *\ndisallow: /100%", "-/100% -/100%25");
}

#[test]
fn special_files() {
    check("user-agent: *\ndisallow: /", "+/robots.txt -/robots.txt2 -/robots.txt?x");
    check("user-agent: *\ndisallow: /\nallow: /x/index.html", "+/x/index.html +/x/ -/x/y -/");
}

#[test]
fn utf_16_files_are_read() {
    let text = "user-agent: *\ndisallow: /a";
    let be: Vec<u8> =
        [0xFE, 0xFF].into_iter().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect();
    let le: Vec<u8> =
        [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    for body in [be, le] {
        let robots = Robots::parse(&body, "osprey");
        assert!(!robots.allows(&url("/a")) && robots.allows(&url("/b")));
    }
}

#[test]
fn delays() {
    let check = |value: &str, expect: Option<f64>| {
        let robots = Robots::parse(format!("user-agent: *\ncrawl-delay: {value}").as_bytes(), "osprey");
        assert_eq!(robots.crawl_delay(), expect.map(Duration::from_secs_f64), "{value}");
    };
    check("10", Some(10.0));
    check("0.5 # half", Some(0.5));
    check("0", Some(0.0));
    check("10s", Some(10.0));
    for nothing in ["", "-1", "NaN", "inf", "ten", ".", "1.2.3"] {
        check(nothing, None);
    }
    check("99999999999999999999999999", Some(86_400.0));
    check(&"9".repeat(1000), Some(86_400.0));
    let file = b"user-agent: osprey\ncrawl-delay: 2\nuser-agent: *\ncrawl-delay: 5\ndisallow:\n\nuser-agent: osprey\ncrawl-delay: 1";
    assert_eq!(Robots::parse(file, "osprey").crawl_delay(), Some(Duration::from_secs(5)));
    assert_eq!(Robots::parse(file, "other").crawl_delay(), Some(Duration::from_secs(5)));
}

#[test]
fn sitemaps() {
    let file = b"sitemap: http://a.com/S.xml\nuser-agent: x\nSite-map: /b.xml # here\nsitemap:\nsitemap: http://a.com/S.xml";
    assert_eq!(Robots::parse(file, "osprey").sitemaps(), ["http://a.com/S.xml", "/b.xml"]);
}

#[test]
fn agents() {
    let check = |agent: &str, token: Option<&str>| assert_eq!(product_token(agent), token, "{agent}");
    check("osprey", Some("osprey"));
    check(" osprey/0.1 (+mailto:a@b.c)", Some("osprey"));
    check("osprey (test)", Some("osprey"));
    check("MJ12bot/1.0", Some("MJ12bot"));
    check("My Robot", None);
    check("", None);
    check("*", None);
}

#[test]
fn verdicts_name_the_line() {
    let robots = Robots::parse(b"user-agent: *\n\n# x\r\ndisallow: /x*\nallow: /y", "osprey");
    let check = |path: &str, expect: &str| assert_eq!(robots.explain(&url(path)).to_string(), expect);
    check("/x1", "disallowed by `Disallow: /x*` (line 4)");
    check("/y", "allowed by `Allow: /y` (line 5)");
    check("/z", "allowed: no rule matches");
    let none = Robots::disallow_all().explain(&url("/z"));
    assert_eq!((none.to_string().as_str(), none.line()), ("disallowed: robots.txt could not be read", None));
}

#[test]
fn answers() {
    let check = |status: Option<u16>, allowed: &str| {
        let rules = RobotsAnswer::new(status, b"user-agent: *\ndisallow: /a", "osprey").into_rules();
        let found: String = ["/a", "/b"].iter().filter(|path| rules.allows(&url(path))).copied().collect();
        assert_eq!(found, allowed, "{status:?}");
    };
    check(Some(200), "/b");
    check(Some(204), "/b");
    check(Some(404), "/a/b");
    check(Some(403), "/a/b");
    check(Some(301), "/a/b");
    check(Some(429), "");
    check(Some(500), "");
    check(Some(503), "");
    check(None, "");
}

#[test]
fn raw_urls() {
    let check = |text: &str, path: &str| assert_eq!(pattern::raw_path(text), path, "{text}");
    check("", "/");
    check("http://www.example.com", "/");
    check("http://www.example.com/", "/");
    check("http://www.example.com/a/b?c=http://d.e/", "/a/b?c=http://d.e/");
    check("http://www.example.com/a/b;c#d", "/a/b;c");
    check("http://www.example.com?a", "/?a");
    check("http://www.example.com;a", "/;a");
    check("http://www.example.com#a/b", "/");
    check("//a/b/c", "/b/c");
    check("a.com", "/");
    check("a.com/b/c://d", "/b/c://d");
    check("/a", "/a");
}

#[test]
fn permission_is_what_the_rules_say() {
    let robots = Robots::parse(b"user-agent: *\ndisallow: /a", "osprey");
    assert_eq!(robots.permit(&url("/b")).map(|p| p.url().path().to_owned()), Some("/b".to_owned()));
    assert_eq!(robots.permit(&url("/a")), None);
}

#[test]
fn hostile_files_are_bounded() {
    // Nothing is read after the limit.
    let mut long = b"user-agent: *\ndisallow: /a\n#".to_vec();
    long.resize(MAX_BODY, b'x');
    long.extend_from_slice(b"\ndisallow: /b");
    let robots = Robots::parse(&long, "osprey");
    assert!(!robots.allows(&url("/a")) && robots.allows(&url("/b")));
    let huge = b"disallow: /a\n".repeat(50 * 1024 * 1024 / 13);
    assert!(Robots::parse(&huge, "osprey").allows(&url("/a")));

    // Many stars, alone and between letters, against a path that nearly matches.
    let path = url(&format!("/{}", "a".repeat(2000)));
    for piece in ["*", "*a", "a*", "*aa*b"] {
        let file = format!("user-agent: *\ndisallow: /{}b", piece.repeat((MAX_BODY - 100) / piece.len()));
        assert!(Robots::parse(file.as_bytes(), "osprey").allows(&path));
        let file = format!("user-agent: *\n{}", format!("disallow: /{}b\n", piece.repeat(500)).repeat(300));
        assert!(Robots::parse(file.as_bytes(), "osprey").allows(&path));
    }
}

#[test]
fn a_long_file_is_cut_at_the_end_of_a_line() {
    let rules: String = (0..40_000).map(|n| format!("disallow: /*{n:05}$\n")).collect();
    let check = |text: &[u8], whole: usize| {
        let robots = Robots::parse(text, "osprey");
        let allows = |n: usize| robots.allows(&url(&format!("/{n:05}")));
        assert!(!allows(whole - 1) && allows(whole), "the last whole line is {whole}");
        assert!(robots.allows(&url("/")), "a stump is no rule");
    };
    // 14 bytes of head, 19 per line; shifted by one byte each, so that the cut falls on every position of a line
    for shift in 0..19 {
        let file = format!("user-agent: *\n{}\n{rules}", "#".repeat(shift));
        check(file.as_bytes(), (MAX_BODY - 15 - shift) / 19);
    }
    let wide = format!("\u{feff}user-agent: *\n{rules}");
    let wide: Vec<u8> = wide.encode_utf16().flat_map(u16::to_le_bytes).collect();
    check(&wide, (MAX_BODY / 2 - 15) / 19);
}

#[test]
fn a_truncated_file_is_not_used() {
    let check = |status: u16, body_end: BodyEnd, expect: &str| {
        let response = Response {
            url: url("/robots.txt"),
            status,
            headers: Default::default(),
            body: "user-agent: *\ndisallow: /b\ndisallow: /".into(),
            fetched_at: crate::Timestamp::EPOCH,
            took: Duration::ZERO,
            truncated: body_end != BodyEnd::Whole,
            body_end,
            ip: None,
            request_head: Default::default(),
            note: None,
        };
        let seen = match RobotsAnswer::of(&response, "osprey") {
            RobotsAnswer::Unreachable => "unreachable",
            RobotsAnswer::Rules(rules) if rules.allows(&url("/a")) => "cut",
            RobotsAnswer::Rules(_) => "whole",
            RobotsAnswer::AllowAll => "none",
        };
        assert_eq!(seen, expect, "{status} {body_end:?}");
    };
    check(200, BodyEnd::Whole, "whole");
    check(200, BodyEnd::Limit, "cut");
    for body_end in [BodyEnd::Early, BodyEnd::Late, BodyEnd::Damaged] {
        check(200, body_end, "unreachable");
        check(404, body_end, "none");
        check(503, body_end, "unreachable");
    }
}

/// The rule of RFC 9309 without any arrangement: try all patterns, keep the longest.
fn decides(rules: &[(bool, String)], path: &str) -> bool {
    let regex = |pattern: &str| {
        let (body, end) = pattern.strip_suffix('$').map_or((pattern, ""), |body| (body, "$"));
        let body = body.split('*').map(regex::escape).collect::<Vec<_>>().join(".*");
        regex::Regex::new(&format!("^{body}{end}")).expect("a pattern")
    };
    let matching = rules.iter().filter(|(_, pattern)| regex(pattern).is_match(path));
    matching.max_by_key(|(allow, pattern)| (pattern.len(), *allow)).is_none_or(|(allow, _)| *allow)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn arranged_rules_decide_like_a_plain_search(
        rules in prop::collection::vec((any::<bool>(), "/[ab/*]{0,6}[$]?"), 0..12),
        path in "/[ab/]{0,8}",
    ) {
        let mut file = "user-agent: *\n".to_owned();
        for (allow, pattern) in &rules {
            file += &format!("{}: {pattern}\n", if *allow { "allow" } else { "disallow" });
        }
        let robots = Robots::parse(file.as_bytes(), "osprey");
        prop_assert_eq!(robots.allows(&url(&path)), decides(&rules, &path));
    }

    #[test]
    fn any_bytes_can_be_read(body in prop::collection::vec(any::<u8>(), 0..300), path in "/\\PC{0,20}") {
        let robots = Robots::parse(&body, "osprey");
        let _ = (robots.allows_raw(&path), robots.crawl_delay(), robots.sitemaps().len());
    }
}
