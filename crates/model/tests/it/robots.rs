//! Robots rules compared with test suites of other projects and with thousands of real files.

use std::process::Command;
use std::time::Duration;

use osprey_model::robots::Robots;
use osprey_model::{CanonicalUrl, UrlRules};
use serde_json::Value;

use crate::corpus;
use crate::corpus::Tally;

fn allowed(robots: &Robots, url: &str) -> &'static str {
    if robots.allows_raw(url) { "allowed" } else { "disallowed" }
}

#[test]
fn google_cases() {
    let what = "robots/google-robotstxt/cases.json";
    let Some(path) = corpus::find(what) else { return };
    let cases: Vec<Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let mut tally = Tally::default();
    for (number, case) in cases.iter().enumerate() {
        let text = |name: &str| case[name].as_str().unwrap();
        let robots = Robots::parse(text("robotstxt").as_bytes(), text("user_agent"));
        let expect = if case["allowed"].as_bool().unwrap() { "allowed" } else { "disallowed" };
        tally.case(&format!("{number} {}", text("test")), allowed(&robots, text("url")), expect);
    }
    tally.finish(what, GOOGLE_DIFFERENCES);
}

/// Two of Google's own rules are followed, so cases 40 and 78 pass: an agent of two words is not a product token, and
/// an agent that may read `/x/index.html` may read `/x/`.
const GOOGLE_DIFFERENCES: &[(&str, &str)] = &[
    ("63 ID_Encoding", "the URL is not escaped yet: RFC 9309, 2.2.2 escapes it before comparing"),
    ("65 ID_Encoding", "the same"),
    ("66 ID_Encoding", "RFC 9309, 2.2.2 undoes escapes of unreserved characters: `%62%61%7A` is `baz`"),
];

/// One file of the crawler-commons set, an agent, and the expected results: `+path`, `-path`, `delay=2.5`,
/// `delay=none`, `sitemap=URL`, `sitemaps=2`.
const COMMONS: &[(&str, &str, &str)] = &[
    ("astore.amazon.com-robots.txt", "osprey", "+/ delay=5"),
    ("crawl-delay-group-merging.txt", "mybot", "-/private/ +/login/ delay=10"),
    ("crawl-delay-group-merging.txt", "yourbot", "-/private/ -/login/ delay=none"),
    ("crawl-delay-group-merging.txt", "osprey", "+/private/ +/login/ delay=30"),
    ("directive-typos-robots.txt", "bot1", "-/desallow/ -/dissalow/ +/"),
    ("directive-typos-robots.txt", "bot2", "-/useragent/ +/useg-agent/"),
    ("directive-typos-robots.txt", "bot3", "-/useg-agent/ +/useragent/"),
    ("directive-typos-robots.txt", "bot4", "-/useragent-no-colon/ +/useragent/"),
    ("dos-line-endings.txt", "osprey", "+/ delay=1"),
    ("extended-standard-robots.txt", "bot1", "+/ delay=none"),
    ("extension-robots.txt", "osprey", "+/private/ sitemap=/sitemap.xml"),
    ("extension-robots.txt", "mybot", "-/private/ +/admin/ +/secret/"),
    ("extension-robots.txt", "otherbot", "+/private/ -/admin/"),
    ("extensions-group-merging.txt", "mybot", "-/private/ -/login/ +/other"),
    ("extensions-group-merging.txt", "yourbot", "-/private/ -/login/ +/other"),
    ("extensions-group-merging.txt", "osprey", "-/private/ +/llms.txt -/other"),
    ("format-errors-robots.txt", "bot1", "-/whitespace-before-colon/ -/no-colon/ +/x"),
    ("format-errors-robots.txt", "bot2", "-/no-colon-useragent/ +/no-colon/"),
    ("format-errors-robots.txt", "bot3", "+/whitespace-before-colon -/x sitemap=/sitemap.xml"),
    ("malformed-path.txt", "osprey", "-/wiki/Wikipedia_talk:Mediation_Committee/ +/wiki/Wikipedia_talk"),
    ("malformed-path.txt", "osprey", "-/wiki/Wikipedia_talk%3Mediation_Committee/x"),
    ("many-user-agents.txt", "OutfoxBot", "-/"),
    ("many-user-agents.txt", "CherryPickerElite/9", "-/"),
    ("many-user-agents.txt", "Black.Hole", "-/"),
    ("many-user-agents.txt", "osprey", "+/ -/bot-trap/ -/g/x -/home.php"),
    ("merge-rules.txt", "wget", "+/foo/bar -/tmp/bar +/ckh/bar"),
    ("merge-rules.txt", "osprey", "-/foo/bar -/tmp/bar +/ckh/bar"),
    ("merge-rules.txt", "curl", "-/foo/bar -/"),
    // `/` is the directory of the allowed `/index.html`.
    ("precedence-of-rules.txt", "wget", "+/ +/foo +/index.html -/bar"),
    ("precedence-of-rules.txt", "testy", "-/foo +/foo/bar -/foo/bxx -/foo/"),
    ("relative-sitemap-robots.txt", "osprey", "-/cache/ -/files/x sitemap=/sitemap.xml"),
    ("rfc9309-example-longest-match-robots.txt", "foobot", "+/example/page/ -/example/page/disallowed.gif"),
    ("rfc9309-example-rule-group-merging.txt", "examplebot", "-/foo -/bar -/baz"),
    ("rfc9309-example-rule-group-merging.txt", "bazbot", "+/foo +/bar -/baz"),
    ("rfc9309-example-simple-robots.txt", "osprey", "-/x.gif +/x.gif2 -/example/ +/publications/"),
    ("rfc9309-example-simple-robots.txt", "foobot", "-/x +/example/page.html +/example/allowed.gif"),
    ("rfc9309-example-simple-robots.txt", "bazbot", "-/example/page.html +/x"),
    ("rfc9309-example-simple-robots.txt", "quxbot", "+/example/page.html +/x.gif"),
    ("robots-with-utf8-bom.txt", "osprey", "-/profile -/a/output/print +/x sitemaps=1"),
    ("robots-with-utf16le-bom.txt", "osprey", "-/profile -/a/output/print +/x sitemaps=1"),
    ("robots-with-utf16be-bom.txt", "osprey", "-/profile -/a/output/print +/x sitemaps=1"),
    ("sitemap-robots-dedup.txt", "osprey", "+/ sitemaps=1"),
    ("sitemap-robots.txt", "osprey", "sitemaps=2 sitemap=http://domain.com/dir/MixedCased-sitemap.xml"),
    ("twitter.com-robots.txt", "osprey", "-/x?y +/x -/a/with_friends delay=none"),
    ("twitter.com-robots.txt", "Slurp", "-/x?y +/x delay=1"),
    ("twitter.com-robots.txt", "msnbot", "-/x?y +/x delay=10"),
    ("wildcards.txt", "osprey", "-/gp/cart/x +/wishlist/universal-x -/wishlist/x -/a/gcrnsts/b sitemaps=8"),
    ("wildcards.txt", "osprey", "-/gp/registry/wishlist/x/reserve +/rss/people/x/reviews"),
    ("wildcards.txt", "Googlebot", "-/rss/people/x/reviews -/a/sim/B001132UEE +/rss/people/x"),
    ("wildcards.txt", "EtaoSpider", "-/"),
    ("www.flot.com-robots.txt", "osprey", "-/bitrix/ +/bitrix +/x sitemap=http://flot.com/sitemap_index.xml"),
];

#[test]
fn crawler_commons_files() {
    let Some(folder) = corpus::find("robots/crawler-commons") else { return };
    let mut tally = Tally::default();
    for (file, agent, expectations) in COMMONS {
        let robots = Robots::parse(&std::fs::read(folder.join(file)).unwrap(), agent);
        for expect in expectations.split_whitespace() {
            tally.case(&format!("{file} {agent} {expect}"), &found(&robots, expect), expect);
        }
    }
    tally.finish("robots/crawler-commons", &[]);
}

/// What `robots` says about the subject of an expectation, in the same notation.
fn found(robots: &Robots, expect: &str) -> String {
    match expect.split_once('=') {
        Some(("delay", _)) => {
            let delay = robots.crawl_delay().map(|delay| Duration::as_secs_f64(&delay).to_string());
            format!("delay={}", delay.unwrap_or("none".into()))
        }
        Some(("sitemaps", _)) => format!("sitemaps={}", robots.sitemaps().len()),
        Some(("sitemap", url)) if robots.sitemaps().iter().any(|sitemap| sitemap == url) => expect.into(),
        Some(("sitemap", _)) => format!("sitemaps: {}", robots.sitemaps().join(" ")),
        _ => {
            let path = &expect[1..];
            format!(
                "{}{path}",
                if allowed(robots, &format!("http://a.com{path}")) == "allowed" { '+' } else { '-' }
            )
        }
    }
}

/// Thousands of real files, read for several agents: all can be read and queried, and the quick answer, the explained
/// answer and the answer for raw text agree.
#[test]
fn real_files() {
    let what = "robots/real-robots.tar.gz";
    let Some(archive) = corpus::find(what) else { return };
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("real-robots");
    std::fs::create_dir_all(&folder).unwrap();
    let unpacked = Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(&folder).status();
    if !unpacked.is_ok_and(|status| status.success()) {
        eprintln!("left out: {what} (no `tar` to unpack it)");
        return;
    }
    let mut files = 0;
    let mut tally = Tally::default();
    for entry in std::fs::read_dir(folder.join("protego-real-robots")).unwrap() {
        let entry = entry.unwrap();
        let body = std::fs::read(entry.path()).unwrap();
        files += 1;
        for agent in ["osprey/0.1 (+mailto:me@example.org)", "Googlebot"] {
            let robots = Robots::parse(&body, agent);
            for path in probes(&body) {
                let Ok(url) = CanonicalUrl::parse(&format!("http://a.com{path}"), &UrlRules::keep_all())
                else {
                    continue;
                };
                let quick = robots.allows(&url);
                let verdict = robots.explain(&url);
                let agree = quick == verdict.allowed() && quick == robots.allows_raw(url.as_str());
                let line_is_there = verdict.line().is_none_or(|line| line as usize <= body.len() + 1);
                let name = format!("{} {agent} {path}", entry.file_name().to_string_lossy());
                tally.case(&name, if agree && line_is_there { "agree" } else { "differ" }, "agree");
            }
            assert!(robots.allows_raw("/robots.txt"));
        }
    }
    eprintln!("{what}: read {files} files");
    assert!(files > 4000, "the archive has 4,231 files");
    tally.finish(what, &[]);
}

/// Paths that the file itself names, and some that it does not.
fn probes(body: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(body);
    let values = text.lines().filter_map(|line| line.split_once(':')).map(|(_, value)| value.trim());
    let paths = values.filter(|value| value.starts_with('/')).take(12);
    let filled = paths.map(|path| path.trim_end_matches('$').replace('*', "x/y"));
    filled.chain(["/".to_owned(), "/index.html?a=b".to_owned()]).collect()
}
