//! What the links of a page cost: resolving them into canonical form, checking scope and robots rules.
//! Figures are per link: criterion's `thrpt` counts elements.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use osprey_model::robots::Robots;
use osprey_model::{CanonicalUrl, Scope, ScopeKind, UrlBase, UrlRules};

/// Typical links of forums and blogs.
const PLAIN: [&str; 16] = [
    "/",
    "/forum/general/topic-4711.html",
    "/forum/general/topic-4711.html?page=2",
    "/members/profile.php?id=1234&tab=posts",
    "https://www.example.org/tags/photography/",
    "https://cdn.example.net/images/2024/05/sunset-800x600.jpg",
    "//static.example.net/css/site.css",
    "topic-4712.html",
    "../photos/sunset.html#comments",
    "?page=3&sort=new",
    "#post-17",
    "/search?q=red+fox&in=title",
    "/wiki/K%C3%B6ln",
    "https://other.example.com",
    "viewtopic.php?f=2&t=991",
    "/a/very/long/path/with/many/segments/and-a-rather-long-slug-at-the-end-of-it.html",
];

/// Links that need the full parser.
const ODD: [&str; 8] = [
    "/caf\u{e9}/menu",
    "/a/../b/./c",
    "https://b\u{fc}cher.example/",
    "/x?utm_source=feed&id=3",
    "/page;jsessionid=0A1B2C?x=1",
    "HTTP://WWW.EXAMPLE.ORG:80/Index.html",
    "/with space/%7euser",
    "http://192.168.0.1:8080/x",
];

fn base() -> CanonicalUrl {
    let text = "https://www.example.org/forum/general/topic-4710.html?page=1";
    CanonicalUrl::parse(text, &UrlRules::default()).expect("the base is a URL")
}

fn join(c: &mut Criterion) {
    let rules = UrlRules::default();
    let mut group = c.benchmark_group("join");
    for (name, links) in [("plain", &PLAIN[..]), ("odd", &ODD[..])] {
        group.throughput(Throughput::Elements(links.len() as u64));
        group.bench_function(name, |b| {
            b.iter_batched(
                || UrlBase::new(&base()),
                |base| links.iter().filter(|link| black_box(base.join(link, &rules)).is_ok()).count(),
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

fn urls() -> Vec<CanonicalUrl> {
    PLAIN.iter().filter_map(|link| base().join(link, &UrlRules::default()).ok()).collect()
}

fn robots(c: &mut Criterion) {
    let urls = urls();
    let file = |rules: usize, pattern: fn(usize) -> String| {
        (0..rules).fold("user-agent: *\n".to_owned(), |file, i| file + "disallow: " + &pattern(i) + "\n")
    };
    let mut group = c.benchmark_group("robots");
    group.throughput(Throughput::Elements(urls.len() as u64));
    for (name, text) in [
        ("20 plain", file(20, |i| format!("/private{i}/"))),
        ("1000 plain", file(1000, |i| format!("/wiki/page-{i}/"))),
        ("20 wild", file(20, |i| format!("/*?session{i}="))),
    ] {
        let robots = Robots::parse(text.as_bytes(), "osprey");
        group.bench_function(name, |b| {
            b.iter(|| urls.iter().filter(|url| robots.allows(black_box(url))).count())
        });
    }
    group.finish();
}

fn scope(c: &mut Criterion) {
    let urls = urls();
    let mut group = c.benchmark_group("scope");
    group.throughput(Throughput::Elements(urls.len() as u64));
    for kind in [ScopeKind::Host, ScopeKind::Domain, ScopeKind::Prefix] {
        let deny = [r"\.(css|js|zip)$".to_owned()];
        let scope = Scope::new(kind, &[base()], &[], &deny).expect("the pattern is right");
        group.bench_function(kind.to_string(), |b| {
            b.iter(|| urls.iter().filter(|url| scope.check(black_box(url)).is_ok()).count());
        });
    }
    group.finish();
}

criterion_group!(benches, join, robots, scope);
criterion_main!(benches);
