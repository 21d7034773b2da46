//! Learning a site and classifying a page: made-up samples of 1,000 and 10,000 pages, and the pages of a recording
//! where `OSPREY_DATA` is set.
//!
//! The made-up pages hardly repeat: 40 templates of 60 paths, optional parts, users' markup. That is harder than real
//! sites, where many pages are the same point.

#![allow(missing_docs, reason = "criterion's macros write undocumented functions")]

use std::collections::{BTreeSet, VecDeque};

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use osprey_archive::{Replay, ReplayOptions};
use osprey_model::{CanonicalUrl, Exchange, UrlRules};
use osprey_page::{Input, Page, PageRules};
use osprey_structure::{Classifier, InLinks, Irobot, Mark, PageShape, Recipe, cluster, irobot, mdl};

const TEMPLATES: u64 = 40;
const PATHS: u64 = 60;

/// splitmix64.
fn lot(state: &mut u64, below: u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) % below
}

fn made_up(state: &mut u64) -> PageShape {
    let template = lot(state, TEMPLATES);
    let mut paths = Vec::new();
    for path in 0..PATHS {
        // A third of the paths is the frame of the whole site, some of the others are optional.
        let key = if path < PATHS / 3 { path } else { 1_000 * (template + 1) + path };
        if path % 10 != 9 || lot(state, 2) == 0 {
            let most = if path % 4 == 0 { 30 } else { 1 };
            paths.push((key, 1 + lot(state, most) as u32));
        }
    }
    for _ in 0..lot(state, 8) {
        paths.push((1_000_000 + lot(state, 300), 1));
    }
    let marks = paths.iter().map(|&(key, _)| Mark { key: !key, trunk: key % 20 == 0 });
    PageShape::new(paths.iter().copied(), paths.iter().copied(), [])
        .marked(marks.collect::<Vec<_>>())
        .found_by([template])
        .at(1 + lot(state, u64::MAX - 1))
}

fn sample(pages: usize) -> Vec<PageShape> {
    let mut state = 1;
    (0..pages).map(|_| made_up(&mut state)).collect()
}

/// The pages of a recording that can be reached from its start, with one of them parsed.
fn recorded(name: &str, start: &str, pages: usize) -> Option<(Vec<PageShape>, Page)> {
    let data = std::env::var_os("OSPREY_DATA")?;
    let path = Path::new(&data).join("corpora").join(format!("{name}.warc.gz"));
    let replay = Replay::open(&path, &ReplayOptions::default()).ok()?;
    let mut queue = VecDeque::from([CanonicalUrl::parse(start, &UrlRules::default()).ok()?]);
    let mut known: BTreeSet<CanonicalUrl> = queue.iter().cloned().collect();
    let mut inlinks = InLinks::default();
    let mut found: Vec<(CanonicalUrl, PageShape)> = Vec::new();
    let mut last = None;
    while found.len() < pages {
        let Some(url) = queue.pop_front() else { break };
        let Exchange::Answered(response) = replay.get(&url) else { continue };
        if response.status != 200 {
            continue;
        }
        let content_type = response.headers.get("content-type");
        let input = Input { url: &url, content_type, body: &response.body };
        let page = Page::parse(&input, &PageRules::default());
        let links = page.links().iter().map(|link| &link.url);
        queue.extend(links.filter(|url| known.insert((*url).clone())).cloned());
        inlinks.visited(&page);
        found.push((url, PageShape::of(&page).with_regions(&page)));
        last = Some(page);
    }
    let shapes = found.into_iter().map(|(url, shape)| shape.found_by(inlinks.links_to([&url]))).collect();
    Some((shapes, last?))
}

fn learn(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("learn");
    group.sampling_mode(SamplingMode::Flat).sample_size(10).measurement_time(Duration::from_secs(10));
    for pages in [1_000, 10_000] {
        let shapes = sample(pages);
        group.throughput(Throughput::Elements(pages as u64));
        for recipe in [Recipe::Dbscan2018, Recipe::Osprey] {
            let name = format!("{recipe:?}").to_lowercase();
            group.bench_with_input(BenchmarkId::new(name, pages), &shapes, |bencher, shapes| {
                bencher.iter(|| Classifier::new(shapes, &cluster(shapes, &recipe)));
            });
        }
    }
    if let Some((shapes, _)) = recorded("w3school-cn", "http://www.w3school.com.cn/index.html", 10_000) {
        group.throughput(Throughput::Elements(shapes.len() as u64));
        group.bench_function(BenchmarkId::new("osprey, w3school-cn", shapes.len()), |bencher| {
            bencher.iter(|| Classifier::new(&shapes, &cluster(&shapes, &Recipe::Osprey)));
        });
    }
    group.finish();
}

fn baselines(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("baselines");
    group.sampling_mode(SamplingMode::Flat).sample_size(10).measurement_time(Duration::from_secs(10));
    let shapes = sample(10_000);
    group.bench_function("mdl/10000", |bencher| bencher.iter(|| mdl(&shapes, 0.2)));
    group.bench_function("irobot/10000", |bencher| bencher.iter(|| irobot(&shapes, &Irobot::default())));
    group.finish();
}

fn classify(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("classify");
    let mut state = 99;
    let asked: Vec<PageShape> = (0..256).map(|_| made_up(&mut state)).collect();
    for pages in [1_000, 10_000] {
        let shapes = sample(pages);
        let classifier = Classifier::new(&shapes, &cluster(&shapes, &Recipe::Osprey));
        let mut next = asked.iter().cycle();
        group.bench_function(BenchmarkId::new("a page among", pages), |bencher| {
            bencher.iter(|| next.next().map(|shape| classifier.classify(black_box(shape))));
        });
    }
    if let Some((shapes, page)) = recorded("blog-wordpress", "http://127.0.0.1:8804/", 1_000) {
        let classifier = Classifier::new(&shapes, &cluster(&shapes, &Recipe::Osprey));
        let mut next = shapes.iter().cycle();
        group.bench_function("a page of blog-wordpress", |bencher| {
            bencher.iter(|| next.next().map(|shape| classifier.classify(black_box(shape))));
        });
        group.bench_function("the shape of a page", |bencher| {
            bencher.iter(|| PageShape::of(black_box(&page)))
        });
    }
    group.finish();
}

criterion_group!(benches, learn, baselines, classify);
criterion_main!(benches);
