//! Canonical URLs compared with test suites of other projects.

use osprey_model::{CanonicalUrl, UrlProblem, UrlRules};
use serde_json::Value;

use crate::corpus;
use crate::corpus::Tally;

/// The suites have no session parameters and no length limits.
fn rules() -> UrlRules {
    UrlRules { max_length: 100_000, ..UrlRules::keep_all() }
}

fn shown(url: Result<CanonicalUrl, UrlProblem>) -> String {
    url.map_or_else(|problem| problem.to_string(), |url| url.to_string())
}

fn resolve(base: Option<&str>, reference: &str) -> Result<CanonicalUrl, UrlProblem> {
    match base {
        Some(base) => CanonicalUrl::parse(base, &rules())?.join(reference, &rules()),
        None => CanonicalUrl::parse(reference, &rules()),
    }
}

/// Applies the changes that canonical form makes to the standard's result, written independently of the code under
/// test.
fn documented_form(case: &Value) -> String {
    let part = |name: &str| case[name].as_str().unwrap_or_default();
    let port = if part("port").is_empty() { String::new() } else { format!(":{}", part("port")) };
    let host = part("hostname").trim_end_matches('.');
    let query = part("search").trim_end_matches('?');
    format!("{}//{host}{port}{}{}", part("protocol"), normal_escapes(part("pathname")), normal_escapes(query))
}

fn normal_escapes(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let mut at = 0;
    while at < bytes.len() {
        let hex = text.get(at + 1..at + 3).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        match (bytes[at], hex) {
            (b'%', Some(digits)) => {
                let octet = char::from(u8::from_str_radix(digits, 16).expect("two hexadecimal digits"));
                if octet.is_ascii_alphanumeric() || "-._~".contains(octet) {
                    out.push(octet);
                } else {
                    out += &format!("%{}", digits.to_uppercase());
                }
                at += 2;
            }
            (octet, _) if b"%[]^|{}`\"<>\\".contains(&octet) => out += &format!("%{octet:02X}"),
            (octet, _) => out.push(char::from(octet)),
        }
        at += 1;
    }
    out
}

#[test]
fn whatwg_urls() {
    for (what, known) in [
        ("url-tests/rust-url/url/tests/urltestdata.json", WHATWG_DIFFERENCES),
        ("url-tests/crawler-commons/url-utils/wpt-urltestdata.json", WPT_DIFFERENCES),
    ] {
        let Some(path) = corpus::find(what) else { continue };
        let cases: Vec<Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let mut tally = Tally::default();
        let mut other_base = 0;
        for case in cases.iter().filter(|case| case.is_object()) {
            let (input, base) = (case["input"].as_str().unwrap_or_default(), case["base"].as_str());
            // Pages of other schemes are never fetched, so they are never a base.
            if base.is_some_and(|base| !base.starts_with("http:") && !base.starts_with("https:")) {
                other_base += 1;
                continue;
            }
            let found = resolve(base, input);
            let is_web = matches!(case["protocol"].as_str(), Some("http:" | "https:"));
            let name = format!("{} <- {}", input.escape_default(), base.unwrap_or_default());
            match case["failure"].as_bool() == Some(true) {
                true => tally.case(&name, if found.is_err() { "refused" } else { "read" }, "refused"),
                false if is_web => tally.case(&name, &shown(found), &documented_form(case)),
                false => tally.case(&name, &shown(found), &UrlProblem::Scheme.to_string()),
            }
        }
        eprintln!("{what}: left out {other_base} cases with a base of another scheme");
        tally.finish(what, known);
    }
}

const EMPTY_LABEL: &str = "a host with an empty label cannot be reached";

const WHATWG_DIFFERENCES: &[(&str, &str)] =
    &[("http://./ <- ", EMPTY_LABEL), ("http://../ <- ", EMPTY_LABEL), ("http://foo.09.. <- ", EMPTY_LABEL)];
const PUNYCODE: &str =
    "bad punycode in ASCII hosts: allowed by the standard since 2025, not yet by the `url` crate";

const WPT_DIFFERENCES: &[(&str, &str)] = &[
    ("http://./ <- ", EMPTY_LABEL),
    ("http://../ <- ", EMPTY_LABEL),
    ("http://foo.09.. <- ", EMPTY_LABEL),
    ("http://a.b.c.XN--pokxncvks <- ", PUNYCODE),
    ("http://a.b.c.Xn--pokxncvks <- ", PUNYCODE),
    ("http://a.b.c.xn--pokxncvks <- ", PUNYCODE),
    ("http://10.0.0.XN--pokxncvks <- ", PUNYCODE),
    ("http://10.0.0.xN--pokxncvks <- ", PUNYCODE),
    ("http://10.0.0.xn--pokxncvks <- ", PUNYCODE),
    ("https://xn--/ <- ", PUNYCODE),
];

/// Fields of the suite's CSV: quoted ones may hold commas, `""` is a quote.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut chars = line.chars().peekable();
    let mut quoted = false;
    while let Some(c) = chars.next() {
        let field = fields.last_mut().expect("there is always one");
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => field.extend(chars.next()),
            '"' if quoted || field.trim().is_empty() => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            _ => field.push(c),
        }
    }
    fields.iter().map(|field| field.trim_matches(' ').to_owned()).collect()
}

fn csv(path: &std::path::Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).expect("the file can be read");
    text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()).map(fields).collect()
}

#[test]
fn crawler_commons_normaliser() {
    let what = "url-tests/crawler-commons/normalizer/weirdToNormalizedUrls.csv";
    let Some(path) = corpus::find(what) else { return };
    let mut tally = Tally::default();
    for row in csv(&path) {
        tally.case(&row[0], &shown(resolve(None, &row[0])), &row[1]);
    }
    tally.finish(what, NORMALISER_DIFFERENCES);
}

const SLASHES: &str = "runs of slashes are kept: servers may tell them apart";
const SORTED: &str = "parameters keep their order: some sites read the first or the last of a name";
const EMPTY: &str = "empty parameters are kept: a query need not be a form";
const SCHEME: &str = "only http and https are followed";
const NO_HOST: &str = "a URL of the Web has a host";

const NORMALISER_DIFFERENCES: &[(&str, &str)] = &[
    ("http://foo.com//aa/bb/foo.html", SLASHES),
    ("http://foo.com/aa//bb/foo.html", SLASHES),
    ("http://foo.com/aa/bb//foo.html", SLASHES),
    ("http://foo.com//aa//bb//foo.html", SLASHES),
    ("http://foo.com////aa////bb//foo.html", SLASHES),
    ("http://foo.com////aa////bb////foo.html", SLASHES),
    ("file:///foo/bar.txt", SCHEME),
    ("ftp:/", SCHEME),
    ("ftp://foo.com/index.html", SCHEME),
    ("file:/path/index.html", SCHEME),
    ("file:/var/www/html/////./bar/index.html", SCHEME),
    ("file:/var/www/html/foo/../bar/index.html", SCHEME),
    ("http:////", NO_HOST),
    ("http:///////", NO_HOST),
    ("foo.com/index.html", "without a scheme it is a relative reference"),
    ("http://example.com/?b=1&a=1", SORTED),
    ("http://foo.com/foo.html?b=1&a=1", SORTED),
    ("http://foo.com/index?b=2&a=1", SORTED),
    ("http://foo.com/index?b=2&a=1#c", SORTED),
    ("http://foo.com/index?b&a=1", SORTED),
    ("http://foo.com/index?a=1&b=", EMPTY),
    ("http://foo.com/index?b=&a=1", EMPTY),
    ("http://foo.com/index?b=1&a=1&", EMPTY),
    ("http://foo.com/index?&b=1&a=1", EMPTY),
    ("http://foo.com/index?&=1&a=1", EMPTY),
    ("http://foo.com/index?=1&b=1&a=1", EMPTY),
];

#[test]
fn crawler_commons_invalid() {
    let what = "url-tests/crawler-commons/normalizer/invalidUrls.csv";
    let Some(path) = corpus::find(what) else { return };
    let mut tally = Tally::default();
    for row in csv(&path) {
        tally.case(&row[0], &shown(resolve(None, &row[0])), &UrlProblem::Invalid.to_string());
    }
    tally.finish(what, &[]);
}

#[test]
fn crawler_commons_resolve() {
    let what = "url-tests/crawler-commons/url-utils/url-resolve.csv";
    let Some(path) = corpus::find(what) else { return };
    let mut tally = Tally::default();
    for row in csv(&path) {
        let base = Some(row[1].as_str()).filter(|base| !base.is_empty());
        tally.case(&row[0], &shown(resolve(base, &row[0])), &row[2]);
    }
    tally.finish(what, RESOLVE_DIFFERENCES);
}

const ESCAPES: &str = "the suite only resolves; canonical form has upper-case escapes";

const RESOLVE_DIFFERENCES: &[(&str, &str)] = &[
    ("http://user:pass@foo:21/bar;par?b#c", "credentials and fragments are dropped"),
    ("#right-menu", "fragments are dropped"),
    ("/a%2fc", ESCAPES),
    ("/a/%2f/c", ESCAPES),
    ("//server/file", SCHEME),
];

#[test]
fn registrable_domains() {
    let what = "publicsuffix/tests/test_psl.txt";
    let Some(path) = corpus::find(what) else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let mut tally = Tally::default();
    let mut no_host = 0;
    for line in text.lines() {
        let Some(arguments) = line.strip_prefix("checkPublicSuffix(") else { continue };
        let mut arguments = arguments.split('\'').skip(1).step_by(2);
        let canonical = |host: &str| CanonicalUrl::parse(&format!("http://{host}/"), &rules());
        let Some((host, url)) = arguments.next().and_then(|host| Some((host, canonical(host).ok()?))) else {
            no_host += 1;
            continue;
        };
        // If the list has no registrable domain, ours is the host.
        let expect = canonical(arguments.next().unwrap_or(host)).unwrap();
        tally.case(host, url.registrable_domain(), expect.host());
    }
    eprintln!("{what}: left out {no_host} lines whose argument is no host");
    tally.finish(what, &[]);
}
