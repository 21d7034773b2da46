//! Compares `Page::parse` with `scraper::Html::parse_document` on the pages of `OSPREY_DATA`'s corpora.
//!
//! `scraper` gets text that is already decoded and builds a tree; a `Page` also decodes, and extracts text, links and
//! paths. Without `OSPREY_DATA` a small built-in page is measured instead.

#![allow(missing_docs, reason = "criterion's macros write undocumented functions")]
#![allow(clippy::print_stdout, reason = "a benchmark prints")]

use std::fs::File;
use std::hint::black_box;
use std::io::Read;
use std::path::Path;

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use flate2::read::MultiGzDecoder;
use osprey_model::{CanonicalUrl, UrlRules};
use osprey_page::{Input, Page, PageRules};

const CORPORA: [&str; 5] = ["dh-answers", "openenergymonitor", "w3school-cn", "forum-spirit", "swde-16"];
/// Number of pages used of each corpus.
const PAGES: usize = 300;

struct Sample {
    url: CanonicalUrl,
    content_type: Option<String>,
    body: Vec<u8>,
}

/// Reads the HTML responses at the beginning of a WARC file; a minimal reader for files known to be good.
fn read(path: &Path) -> Vec<Sample> {
    let file = File::open(path).expect("the corpus can be opened");
    let mut all = Vec::new();
    MultiGzDecoder::new(file).take(60 << 20).read_to_end(&mut all).expect("the corpus can be read");
    let mut rest = all.as_slice();
    let mut samples = Vec::new();
    while let Some((head, after)) = split(rest) {
        let length = field(&head, "content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        let Some(block) = after.get(..length) else { break };
        samples.extend(sample(&head, block));
        rest = after.get(length + 4..).unwrap_or_default();
        if samples.len() == PAGES {
            break;
        }
    }
    samples
}

fn sample(head: &str, block: &[u8]) -> Option<Sample> {
    let (http, body) = split(block)?;
    let html = field(&http, "content-type").is_some_and(|media| media.starts_with("text/html"));
    let plain = field(&http, "content-encoding").is_none() && field(&http, "transfer-encoding").is_none();
    let url = CanonicalUrl::parse(field(head, "warc-target-uri")?, &UrlRules::default()).ok()?;
    let content_type = field(&http, "content-type").map(str::to_owned);
    (field(head, "warc-type") == Some("response") && html && plain && http.contains(" 200 "))
        .then(|| Sample { url, content_type, body: body.to_vec() })
}

fn split(bytes: &[u8]) -> Option<(String, &[u8])> {
    let at = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    Some((String::from_utf8_lossy(&bytes[..at]).into_owned(), &bytes[at + 4..]))
}

fn field<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(':'));
    lines.find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

fn samples(name: &str) -> Vec<Sample> {
    let data = std::env::var_os("OSPREY_DATA").map(|data| Path::new(&data).join("corpora"));
    match data.map(|folder| folder.join(format!("{name}.warc.gz"))).filter(|path| path.is_file()) {
        Some(path) => read(&path),
        None => Vec::new(),
    }
}

fn fixture() -> Vec<Sample> {
    println!("left out: the corpora (OSPREY_DATA is not set)");
    let row = "<tr class=\"row odd\"><td><a href=\"/thread/17?page=2\" title=\"A thread\">A thread</a> by \
               <a class=user href=\"/user/3\">someone</a></td><td align=right>12&nbsp;posts</td></tr>\n";
    let body = format!("<!DOCTYPE html><title>Forum</title><table>{}</table>", row.repeat(100)).into_bytes();
    let url = CanonicalUrl::parse("http://example.com/", &UrlRules::default()).expect("a URL");
    vec![Sample { url, content_type: None, body }]
}

fn parse(sample: &Sample, rules: &PageRules) -> Page {
    let content_type = sample.content_type.as_deref();
    Page::parse(&Input { url: &sample.url, content_type, body: &sample.body }, rules)
}

fn compare(criterion: &mut Criterion) {
    let rules = PageRules::default();
    let mut sets: Vec<_> =
        CORPORA.iter().map(|name| (*name, samples(name))).filter(|(_, set)| !set.is_empty()).collect();
    if sets.is_empty() {
        sets.push(("fixture", fixture()));
    }
    for (name, set) in sets {
        let bytes: usize = set.iter().map(|sample| sample.body.len()).sum();
        let pages: Vec<_> = set.iter().map(|sample| parse(sample, &rules)).collect();
        let memory: usize = pages.iter().map(Page::memory_bytes).sum();
        let deepest = pages.iter().map(depth).max().unwrap_or(0);
        let notes: usize = pages.iter().map(|page| page.notes().len()).sum();
        println!(
            "{name}: {} pages of {} bytes; a page takes {:.2} times its length; deepest {deepest}; {notes} notes",
            set.len(),
            bytes / set.len(),
            memory as f64 / bytes as f64
        );
        drop(pages);
        let texts: Vec<_> = set.iter().map(decoded).collect();
        let mut group = criterion.benchmark_group(name);
        group.sampling_mode(SamplingMode::Flat).sample_size(10);
        group.throughput(Throughput::Bytes(bytes as u64));
        group.bench_function("scraper", |bench| {
            bench.iter(|| texts.iter().for_each(|text| drop(black_box(scraper::Html::parse_document(text)))));
        });
        group.bench_function("page", |bench| {
            bench.iter(|| set.iter().for_each(|sample| drop(black_box(parse(sample, &rules)))));
        });
        group.finish();
    }
}

fn depth(page: &Page) -> usize {
    let mut depths = vec![0; page.tree().len()];
    for node in page.tree().nodes() {
        depths[node.id().index()] = node.parent().map_or(0, |parent| depths[parent.id().index()] + 1);
    }
    depths.into_iter().max().unwrap_or(0)
}

/// The page's text for `scraper`, which does not take bytes: decoded outside the measurement.
fn decoded(sample: &Sample) -> String {
    match std::str::from_utf8(&sample.body) {
        Ok(text) => text.to_owned(),
        Err(_) => encoding_rs::GBK.decode(&sample.body).0.into_owned(),
    }
}

criterion_group!(benches, compare);
criterion_main!(benches);
